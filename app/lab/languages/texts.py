"""The declarations, read from the store: a text in every language, its articles apart."""

import hashlib
import json
import lzma
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.errors import BadFile, Invalid
from app.types import Source

FOLDER, FILE = "udhr", "declarations.json"
UNSPACED = frozenset(
    ("Han", "Japanese", "Javanese", "Khmer", "Lao", "Myanmar", "Tai Tham", "Tai Viet", "Thai", "Tibetan", "Yi")
)
"""Scripts that do not set spaces, or any other mark, between words."""


ANTARCTICA = -60


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration in one language; `articles` are those that the package has, by number.

    The place is that of the language, in degrees north and east, or None where the package knows none and names one in
    Antarctica.
    """

    code: str
    iso: str
    name: str
    script: str
    direction: str
    place: tuple[float, float] | None
    articles: Mapping[int, str]

    @property
    def text(self) -> str:
        """All articles, with an empty line between two."""
        return self.of(self.articles)

    @property
    def spaced(self) -> bool:
        """Whether words are told apart by the writing, so that they can be counted."""
        return self.script not in UNSPACED

    def of(self, numbers: Collection[int]) -> str:
        """Some of the articles.

        >>> Declaration("a", "a", "A", "Latin", "ltr", None, {1: "One.", 2: "Two.", 3: "Three."}).of([1, 3])
        'One.\\n\\nThree.'
        """
        return "\n\n".join(text for number, text in self.articles.items() if number in numbers)


def declaration(store: Path, code: str) -> Declaration:
    """The declaration in one language.

    >>> from app.settings import Settings
    >>> declaration(Settings().store, "shn").name
    'Shan'

    Raises `Invalid` where there is none of this code.
    """
    found = declarations(store).get(code)
    if found is None:
        raise Invalid("No language of the atlas has this code; /api/languages lists them.", pointer="/language")
    return found


@lru_cache(maxsize=1)
def declarations(store: Path) -> Mapping[str, Declaration]:
    """All declarations by code. Raises `BadFile` where they are not the ones that are pinned."""
    data = lzma.decompress((store / FOLDER / f"{FILE}.xz").read_bytes())
    if hashlib.sha256(data).hexdigest() != pinned(store):
        raise BadFile(f"{FILE} is damaged: its hash differs.")
    return {entry["code"]: _declaration(entry) for entry in json.loads(data)}


def pinned(store: Path) -> str:
    """The SHA-256 that the declarations must have."""
    return str(_told(store)["files"][FILE]["sha256"])


def source(store: Path) -> Source:
    """The package that the declarations come from."""
    return Source(**_told(store)["source"])


def _told(store: Path) -> dict[str, Any]:
    return tomllib.loads((store / FOLDER / "texts.toml").read_text(encoding="utf-8"))


def _declaration(entry: Mapping[str, Any]) -> Declaration:
    north, east = entry["latitude"], entry["longitude"]
    return Declaration(
        code=entry["code"],
        iso=entry["iso6393"],
        name=entry["name"],
        script=entry["script"],
        direction=entry["direction"],
        place=(north, east) if north > ANTARCTICA else None,
        articles={int(number): text for number, text in entry["articles"].items()},
    )
