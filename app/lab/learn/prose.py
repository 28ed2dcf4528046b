"""The texts of the course: TOML files in `templates/learn`, read once; words to practise with, and publications.

Those of the scene at `/learn/bpe` are in `scenes/bpe.toml`; glossary, sources and calculators have a file each.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from random import Random
from string import Formatter
from typing import Any, TypeVar

from ...errors import UnknownScene, join_names
from ...settings import ROOT, Settings
from ..examples import Item
from ..languages.declarations import declarations
from ..steps.step import Tile, Words

FOLDER = ROOT / "templates/learn"
SENTENCES = ("question", "layers", "steps")
"""Tables of a scene whose sentences have places, in braces, for what its trace computes."""
Built = TypeVar("Built")
ORGANIZATION = re.compile(r"\b(?:Consortium|Team|Assembly|UN|Hugging Face|OpenAI)\b")
MOST_NAMED = 3
"""Authors that a citation names; of more, only the first."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication: its authors, year and title, and an identifier by which anybody finds it."""

    authors: str
    year: int
    title: str
    identifier: str

    @property
    def short(self) -> str:
        """The last names of up to three authors, of more the first, or the name of an organization; and the year.

        >>> for id in ("gage-1994", "kudo-richardson-2018", "sennrich-2016", "pagnoni-2024", "unicode-17"):
        ...     print(SOURCES[id].short)
        Gage 1994
        Kudo and Richardson 2018
        Sennrich, Haddow and Birch 2016
        Pagnoni et al. 2024
        The Unicode Consortium 2025
        """
        authors = self.authors.removesuffix(" and others")
        names = [name if ORGANIZATION.search(name) else name.rpartition(" ")[2] for name in authors.split(", ")]
        if authors != self.authors or len(names) > MOST_NAMED:
            return f"{names[0]} et al. {self.year}"
        return f"{' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))} {self.year}"

    @property
    def address(self) -> str:
        """Its address, where the identifier makes one.

        >>> SOURCES["sennrich-2016"].address
        'https://arxiv.org/abs/1508.07909'
        """
        kind, _, number = self.identifier.partition(":")
        known = {
            "arXiv": f"https://arxiv.org/abs/{number}",
            "doi": f"https://doi.org/{number}",
            "https": self.identifier,
        }
        return known.get(kind, "")


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


def find_by_id(several: Iterable[Item], id: str, what: str) -> Item:
    """Return that one of several, such as scenes, which has an id. Raises `UnknownScene` that lists all ids."""
    by_id = {one.id: one for one in several}
    if id not in by_id:
        raise UnknownScene(f"The {what} are {join_names(by_id)}.")
    return by_id[id]


def fill(name: str, /, **values: object) -> str:
    """Return a sentence of a scene, named by scene, table and key, with values in its places.

    >>> fill("bpe.question.higher", rank="1,000", lowest="20")
    'Its rank is 1,000; 20 is lower.'

    Raises `ValueError` that names file, table and key if there is no such sentence.
    """
    return _find(name).format_map(values)


def say(name: str, /, **values: object) -> Words:
    """Return a sentence as `fill` does, as the parts of a step's sentence: tiles stay as they are.

    >>> *_, token, end = say("bpe.steps.merge", rank=7, new=Tile("th", 7))
    >>> token.text, end
    ('th', '.')
    """
    if not any(isinstance(value, Tile) for value in values.values()):
        return (fill(name, **values),)
    parts: list[str | Tile] = []
    for before, place, _, _ in Formatter().parse(_find(name)):
        parts.append(before)
        if place:
            value = values[place]
            parts.append(value if isinstance(value, Tile) else f"{value}")
    return tuple(parts)


def count_times(count: int) -> str:
    """Return how often something occurs.

    >>> count_times(1), count_times(3)
    ('once', '3 times')
    """
    return "once" if count == 1 else f"{count:,} times"


def _find(name: str) -> str:
    scene, table, key = name.split(".")
    file = f"scenes/{scene}.toml"
    sentence = read_prose(file).get(table, {}).get(key)
    if not isinstance(sentence, str):
        raise ValueError(f"{file}: [{table}] needs the key {key}, a sentence.")
    return sentence


def build(kind: type[Built], table: Mapping[str, Any], place: str, **computed: Any) -> Built:
    """Return a dataclass whose fields are the keys of a table, and those that are computed.

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


_SAMPLES = read_prose("samples.toml")
LONG_WORDS: tuple[str, ...] = tuple(_SAMPLES["long-words"].split())
SHORT_WORDS: tuple[str, ...] = tuple(_SAMPLES["short-words"].split())
PHRASES: tuple[str, ...] = tuple(_SAMPLES["phrases"].strip().splitlines())
SIGNS = "🌍🙂🦕🤌🫠🧿🥲☕🪐🎈🍓🐝🚲⛵🎻🧩"


@cache
def declaration_words(*codes: str) -> tuple[str, ...]:
    """Return the different words of the declaration in some languages, in order.

    >>> len(declaration_words("eng")) > 400
    True
    """
    known = declarations(Settings().store)
    return tuple(sorted({word.strip(".,;:()«»“”") for code in codes for word in known[code].text.split()} - {""}))


def sample_word(random: Random) -> str:
    """Return a word of several tokens."""
    return random.choice(LONG_WORDS)


SOURCES = {id: build(Publication, table, f"sources.toml: [{id}]") for id, table in read_prose("sources.toml").items()}
"""All publications by id."""
