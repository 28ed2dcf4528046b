"""The atlas as a table: which columns, in which order, and which rows are in sight."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from unicodedata import combining, normalize

from app.lab.languages.atlas import Atlas, Cell, Column, Language, Measure
from app.lab.languages.regions import Region, region

MEASURES: tuple[Measure, ...] = get_args(Measure)
TITLES = dict(zip(MEASURES, ("Premium", "Tokens", "Bytes per token", "Tokens per word"), strict=True))
ABOUT = ("name", "code", "script")
SHADES = (1.5, 2.0, 3.0, 5.0, 10.0)
"""Premiums at which the colour changes."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be seen. One tokenizer is shown in all measures, several in the one named.

    `sort` names a column: `name`, `code`, `script`, a measure, or a tokenizer where there are several; where it names
    none of them, the first column of figures decides, the largest first.
    """

    tokenizers: tuple[str, ...]
    measure: Measure = "premium"
    script: str = ""
    region: Region | Literal[""] = ""
    seek: str = ""
    sort: str = ""
    rising: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column of figures: its key in a link, what it says, and how it is sorted now, in ARIA's words."""

    key: str
    title: str
    column: Column
    measure: Measure


@dataclass(frozen=True, slots=True)
class Figure:
    """One cell as it is shown: the text, its shade from 0 to 5 where it is a premium, and whether the text was read."""

    text: str
    shade: int | None
    unread: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A language with its figures; one that does not match what is sought is hidden."""

    language: Language
    figures: tuple[Figure, ...]
    hidden: bool

    @property
    def region(self) -> str:
        return region(self.language.place) or ""


@dataclass(frozen=True)
class Table:
    """The table that is asked for, all rows of it."""

    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    sort: str
    rising: bool

    @property
    def shown(self) -> int:
        return sum(not row.hidden for row in self.rows)

    def sorted_by(self, key: str) -> str | None:
        """What ARIA says of a column: ascending or descending, or None.

        >>> Table((), (), "name", True).sorted_by("name")
        'ascending'
        """
        return None if key != self.sort else "ascending" if self.rising else "descending"


def table(atlas: Atlas, asked: Asked) -> Table:
    """The table that is asked for. Raises `UnknownTokenizer`."""
    heads = tuple(_heads(atlas.chosen(asked.tokenizers), asked.measure))
    known = [*ABOUT, *(head.key for head in heads)]
    sort = asked.sort if asked.sort in known else heads[0].key if heads else "name"
    rising = asked.rising if asked.sort in known else not heads
    rows = tuple(_row(atlas, place, heads, asked) for place in _order(atlas, heads, sort=sort, rising=rising))
    return Table(heads, rows, sort, rising)


def shade(premium: float) -> int:
    """The colour of a premium, by its place among `SHADES`.

    >>> shade(1.0), shade(4.2), shade(12.3)
    (0, 3, 5)
    """
    return sum(premium >= limit for limit in SHADES)


def sought(language: Language, asked: Asked) -> bool:
    """Whether a language is of the script and region that are named, and has all the words in its name or its codes.

    >>> shan = Language("shn", "shn", "Shan", "Myanmar", "ltr", (21.0, 98.0), 30, 1, 1, None)
    >>> sought(shan, Asked((), seek="SHA")), sought(shan, Asked((), script="Latin"))
    (True, False)
    """
    told = filed(f"{language.name} {language.code} {language.iso}")
    there = asked.script in ("", language.script) and asked.region in ("", region(language.place))
    return there and all(word in told for word in filed(asked.seek).split())


def filed(text: str) -> str:
    """A text as it is filed: by letters alone, without marks or case.

    >>> filed("Éwé")
    'ewe'
    """
    return "".join(char for char in normalize("NFD", text) if not combining(char)).casefold()


def _heads(chosen: Sequence[Column], measure: Measure) -> Iterator[Head]:
    if len(chosen) == 1:
        yield from (Head(one, TITLES[one], chosen[0], one) for one in MEASURES)
    else:
        yield from (Head(one.id, one.title, one, measure) for one in chosen)


def _order(atlas: Atlas, heads: Sequence[Head], *, sort: str, rising: bool) -> list[int]:
    """The places of the languages; those without a value are last either way, and what looks equal stands by name."""
    names = sorted(range(len(atlas.languages)), key=lambda place: filed(atlas.languages[place].name))
    if sort in ABOUT:
        return sorted(names, key=lambda place: filed(getattr(atlas.languages[place], sort)), reverse=not rising)
    head = next(head for head in heads if head.key == sort)
    values = {place: value(atlas.cell(place, head.column), head.measure) for place in names}
    known = {place: round(one, 2) for place, one in values.items() if one is not None}
    return [
        *sorted(known, key=lambda place: known[place], reverse=not rising),
        *(place for place in names if place not in known),
    ]


def value(cell: Cell, measure: Measure) -> float | None:
    """One measure of a cell."""
    found: float | None = getattr(cell, measure)
    return found


def _row(atlas: Atlas, place: int, heads: Sequence[Head], asked: Asked) -> Row:
    language = atlas.languages[place]
    figures = tuple(_figure(atlas.cell(place, head.column), head.measure) for head in heads)
    return Row(language, figures, not sought(language, asked))


def _figure(cell: Cell, measure: Measure) -> Figure:
    number = value(cell, measure)
    if number is None:
        return Figure("–", None, False)
    text = f"{number:,}" if measure == "tokens" else f"{number:.2f}"
    return Figure(text, shade(number) if measure == "premium" and not cell.unread else None, cell.unread)
