"""The texts of the course: TOML files in `templates/learn`, read once.

Those of the scene at `/learn/bpe` are in `scenes/bpe.toml`; glossary, sources and calculators have a file each.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from string import Formatter
from typing import Any, TypeVar

from ...settings import ROOT
from ..steps.frames import Tile

FOLDER = ROOT / "templates/learn"
SENTENCES = ("question", "layers", "steps")
"""Tables of a scene whose sentences have places, in braces, for what its trace computes."""
Built = TypeVar("Built")


@cache
def read_prose(name: str) -> Mapping[str, Any]:
    """Return the tables of a file, such as `scenes/bpe.toml`.

    >>> read_prose("scenes/bpe.toml")["title"]
    'Encoding with BPE'

    Raises `ValueError` that names the file and the line if it is no valid TOML.
    """
    try:
        return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}: {error}") from None


def fill(name: str, /, **values: object) -> str:
    """Return a sentence of a scene, named by scene, table and key, with values in its places.

    >>> fill("bpe.question.higher", rank="1,000", lowest="20")
    'Its rank is 1,000; 20 is lower.'

    Raises `ValueError` that names file, table and key if there is no such sentence.
    """
    return _find(name).format_map(values)


def fill_words(name: str, /, **values: str | Tile) -> tuple[str | Tile, ...]:
    """Return a sentence as `fill` does, with tiles as they are.

    >>> *_, token, end = fill_words("bpe.steps.merge", rank="7", new=Tile("th", 7))
    >>> token.text, end
    ('th', '.')
    """
    parts: list[str | Tile] = []
    for before, place, _, _ in Formatter().parse(_find(name)):
        parts += [before, *([values[place]] if place else [])]
    return tuple(parts)


def _find(name: str) -> str:
    scene, table, key = name.split(".")
    file = f"scenes/{scene}.toml"
    sentence = read_prose(file).get(table, {}).get(key)
    if not isinstance(sentence, str):
        raise ValueError(f"{file}: [{table}] needs the key {key}, a sentence.")
    return sentence


def build(kind: type[Built], table: Mapping[str, Any], place: str, **computed: Any) -> Built:
    """Return a dataclass whose fields are the keys of a table, and those that are computed.

    >>> from .sources import Publication
    >>> build(Publication, {"authors": "Philip Gage", "year": 1994, "titel": ""}, "sources.toml: [gage-1994]")
    Traceback (most recent call last):
    ValueError: sources.toml: [gage-1994] has the key titel, but can only have authors, year, title, identifier.

    Raises `ValueError` that names the place and the key if one is missing, misspelled, or of another type.
    """
    expected = {field.name: field for field in fields(kind) if field.name not in computed}  # type: ignore[arg-type]
    for name, value in table.items():
        if name not in expected:
            raise ValueError(f"{place} has the key {name}, but can only have {', '.join(expected)}.")
        wanted = getattr(expected[name].type, "__name__", expected[name].type)
        if wanted in ("int", "str") and type(value).__name__ != wanted:
            raise ValueError(f"{place} has a {name} that is no {wanted}.")
    for name, field in expected.items():
        if name not in table and field.default is field.default_factory is MISSING:
            raise ValueError(f"{place} needs the key {name}.")
    return kind(**table, **computed)
