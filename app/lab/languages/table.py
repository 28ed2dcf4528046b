"""The atlas as a table: which columns it has, how it is sorted, and which rows match the filters.

The source has the location of a language but no region, so that regions are bounded by coordinates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from unicodedata import combining, normalize

from ..option_schema import Items, Options, declare, with_values
from .atlas import Atlas, AtlasCell, AtlasColumn, Measure
from .declarations import Language, other_names

Region = Literal["africa", "americas", "asia", "europe", "oceania"]
REGIONS: Mapping[Region, str] = {
    "africa": "Africa, the Near East",
    "americas": "the Americas",
    "asia": "Asia",
    "europe": "Europe, Asia Minor, the Caucasus",
    "oceania": "Oceania, Indonesia",
}


def region(place: tuple[float, float] | None) -> Region | None:
    """Return the region of a place in degrees north and east, None for None.

    >>> region((51.5, -0.1)), region((21.0, 98.0)), region((-17.65, -149.45)), region(None)
    ('europe', 'asia', 'oceania', None)

    Oceania with Indonesia is south of 8° N from 94° E, and south of 25° N between 130° E and 130° W. The rest is the
    Americas west of 30° W, Asia east of 60° E, and between these Europe north of 36° N and Africa south of it.
    """
    if place is None:
        return None
    north, east = place
    # Oceania first: it lies on both sides of the date line and reaches into the longitudes of Asia.
    if (north < 8 and east > 94) or (north < 25 and not -130 < east < 130):
        return "oceania"
    if east < -30:
        return "americas"
    if east < 60:
        return "europe" if north > 36 else "africa"
    return "asia"


MEASURES: tuple[Measure, ...] = get_args(Measure)
TITLES = dict(zip(MEASURES, ("Premium", "Tokens", "Bytes per token", "Tokens per word"), strict=True))
Order = Literal["falling", "rising"]
ABOUT = ("name", "code", "script")
SHADES = (1.5, 2.0, 3.0, 5.0, 10.0)
"""Premiums at which the next shade begins."""


class TableParams(Options):
    """What the table shows. One tokenizer has a column for every measure, several have a column each for one measure.

    `script`, `region` and `seek` filter the languages. `sort` is `name`, `code`, `script`, a measure, or the id of a
    tokenizer if there are several; any other value sorts by the first column of figures, the largest first.
    """

    tokenizers: Items[str] = declare("Tokenizers", [], field="tokenizer")
    measure: Measure = declare("Measure", "premium", choices=TITLES)
    script: str = declare("Script", "")
    region: Region | Literal[""] = declare("Region", "", choices={"": "", **REGIONS})
    seek: str = declare("Language", "")
    sort: str = declare("Sort by", "")
    order: Order = declare("Order", "falling", choices=dict.fromkeys(get_args(Order), ""))

    @property
    def rising(self) -> bool:
        return self.order == "rising"


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column of figures; `key` is its name in links."""

    key: str
    title: str
    column: AtlasColumn
    measure: Measure


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as text. `shade` is from 0 to 5 for a premium; `unread` as in `AtlasCell`."""

    text: str
    shade: int | None
    unread: bool


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """A language with its figures, hidden if it does not match the filters."""

    language: Language
    figures: tuple[Figure, ...]
    hidden: bool

    @property
    def region(self) -> str:
        return region(self.language.place) or ""


@dataclass(frozen=True)
class LanguageTable:
    """All rows of the table, sorted, including hidden ones; `excluded` match, but for their script or region."""

    heads: tuple[Head, ...]
    rows: tuple[LanguageRow, ...]
    sort: str
    rising: bool
    excluded: int = 0

    @property
    def shown(self) -> int:
        """The number of rows that are not hidden."""
        return sum(not row.hidden for row in self.rows)

    def get_aria_sort(self, key: str) -> str | None:
        """Return the value of `aria-sort` for a column, or None if the table is not sorted by it.

        >>> LanguageTable((), (), "name", True).get_aria_sort("name")
        'ascending'
        """
        return None if key != self.sort else "ascending" if self.rising else "descending"


def table(atlas: Atlas, params: TableParams) -> LanguageTable:
    """Return the table for these parameters. Raises `UnknownTokenizer`."""
    columns = atlas.select(params.tokenizers)
    heads = tuple(Head(column.id, column.title, column, params.measure) for column in columns)
    if len(columns) == 1:
        heads = tuple(Head(measure, TITLES[measure], columns[0], measure) for measure in MEASURES)
    sort_keys = [*ABOUT, *(head.key for head in heads)]
    sort = params.sort if params.sort in sort_keys else heads[0].key if heads else "name"
    rising = params.rising if params.sort in sort_keys else not heads
    rows = tuple(_row(atlas, index, heads, params) for index in _order(atlas, heads, sort=sort, rising=rising))
    anywhere = with_values(params, script="", region="")
    excluded = sum(row.hidden and matches(row.language, anywhere) for row in rows)
    return LanguageTable(heads, rows, sort, rising, excluded)


def shade(premium: float) -> int:
    """Return the shade of a premium, from 0 to 5: the number of `SHADES` that it reaches.

    >>> shade(1.0), shade(4.2), shade(12.3)
    (0, 3, 5)
    """
    return sum(premium >= limit for limit in SHADES)


def matches(language: Language, params: TableParams) -> bool:
    """Return whether a language has the script and the region, and all words of `seek` in its name or codes.

    >>> shan = Language("shn", "shn", "Shan", "Myanmar", "ltr", (21.0, 98.0), 30, 1, 1, None)
    >>> matches(shan, TableParams(seek="SHA")), matches(shan, TableParams(script="Latin"))
    (True, False)
    """
    if params.script not in ("", language.script) or params.region not in ("", region(language.place)):
        return False
    names = search_key(f"{language.name} {language.code} {language.iso} {other_names(language.iso)}")
    return all(word in names for word in search_key(params.seek).split())


def search_key(text: str) -> str:
    """Return a text without diacritics and case, for searching and sorting.

    >>> search_key("Éwé")
    'ewe'
    """
    return "".join(char for char in normalize("NFD", text) if not combining(char)).casefold()


def _order(atlas: Atlas, heads: Sequence[Head], *, sort: str, rising: bool) -> list[int]:
    """Return the indexes of the languages in order; equal figures are sorted by name, missing ones are always last."""
    by_name = sorted(range(len(atlas.languages)), key=lambda index: search_key(atlas.languages[index].name))
    if sort in ABOUT:
        return sorted(by_name, key=lambda index: search_key(getattr(atlas.languages[index], sort)), reverse=not rising)
    head = next(head for head in heads if head.key == sort)
    values = {index: value(atlas.cell(index, head.column), head.measure) for index in by_name}
    # Rounded as they are shown, so that figures that look equal are sorted by name.
    rounded = {index: round(figure, 2) for index, figure in values.items() if figure is not None}
    return [
        *sorted(rounded, key=lambda index: rounded[index], reverse=not rising),
        *(index for index in by_name if index not in rounded),
    ]


def value(cell: AtlasCell, measure: Measure) -> float | None:
    """Return one measure of a cell."""
    figure: float | None = getattr(cell, measure)
    return figure


def _row(atlas: Atlas, index: int, heads: Sequence[Head], params: TableParams) -> LanguageRow:
    language = atlas.languages[index]
    figures = tuple(_figure(atlas.cell(index, head.column), head.measure) for head in heads)
    return LanguageRow(language, figures, not matches(language, params))


def _figure(cell: AtlasCell, measure: Measure) -> Figure:
    number = value(cell, measure)
    if number is None:
        return Figure("–", None, False)
    # No shade where the text was not understood: one unknown token a word looks cheap.
    text = f"{number:,}" if measure == "tokens" else f"{number:.2f}"
    return Figure(text, shade(number) if measure == "premium" and not cell.unread else None, cell.unread)
