"""What a report on the count of a corpus shows: tables, which are also CSV, the histogram, and documents in tokens."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote

from ..csv_text import csv_text
from ..errors import TokenariumError, plural
from ..lab.tokenization_view import TokenizationView
from ..lab.tokenize import tokenize
from ..registry import get_registry
from .comparing import compare_groups, costs
from .counting import TOTAL, CorpusCounts, totals
from .counts import MOST, DocumentCounts, Outlier
from .plan import Plan
from .sources import CorpusSource

Kind = Literal["text", "count", "ratio", "percent", "money"]
FEW = 4
"""Documents of a kind and tokenizer that a report on several tokenizers shows; the CSV has all."""
SHOWN_ROWS = 100
"""Rows of a table that a report shows; its CSV has all."""
KINDS: Mapping[str, tuple[str, str]] = {
    "dense": ("Fewest bytes per token", "of documents with 64 bytes or more"),
    "unknown": ("Most unknown and fallback tokens", "tokens that stand for what the vocabulary lacks"),
    "run": ("Longest runs of one token", "the same token 8 times or more without another between"),
    "more": ("Most tokens, relative to {base}", "of documents with 64 bytes or more"),
    "fewer": ("Fewest tokens, relative to {base}", "of documents with 64 bytes or more"),
}


@dataclass(frozen=True)
class ReportTable:
    """A table: the title and the kind of value of each column, and rows."""

    id: str
    columns: Sequence[tuple[str, Kind]]
    rows: Sequence[Sequence[Any]]

    @property
    def titles(self) -> list[str]:
        return [title for title, _ in self.columns]

    @property
    def shown(self) -> Sequence[Sequence[Any]]:
        return self.rows[:SHOWN_ROWS]

    def csv(self) -> str:
        r"""Return it as CSV (RFC 4180).

        >>> ReportTable("x", [("name", "text"), ("share", "percent")], [("a, b", 0.5)]).csv()
        'name,share\r\n"a, b",0.5\r\n'
        """
        return csv_text([self.titles, *self.rows])

    @property
    def address(self) -> str:
        """The CSV as an address that needs no network."""
        return f"data:text/csv;charset=utf-8,{quote(self.csv())}"


@dataclass(frozen=True)
class DisplayedDocument:
    """A document that stands out, in tokens as the pages show them; None where the library fails on its beginning."""

    outlier: Outlier
    view: TokenizationView | None
    cut: bool


@dataclass(frozen=True)
class HistogramBar:
    """The documents with up to `most` tokens, and more than half of that; `share` of the largest bar."""

    most: int
    documents: int
    share: float
    label: str


def make_bars(counts: Mapping[str, DocumentCounts]) -> dict[str, list[HistogramBar]]:
    """Return the bars of several tallies on one scale: the same lengths, and shares of the largest bar of all.

    >>> from collections import Counter
    >>> bars = make_bars({"a": DocumentCounts(lengths=Counter({1: 3})), "b": DocumentCounts(lengths=Counter({4: 6}))})
    >>> [(bar.most, bar.share) for bar in bars["a"]]
    [(1, 0.5), (2, 0.0), (4, 0.0)]
    """
    found = {id: dict(one.histogram()) for id, one in counts.items()}
    limits = [limit for rows in found.values() for limit in rows]
    if not limits:
        return {id: [] for id in counts}
    largest = max(number for rows in found.values() for number in rows.values())
    labels = label_numbers({number for rows in found.values() for number in rows.values()})
    steps = [1 << bits for bits in range(min(limits).bit_length() - 1, max(limits).bit_length())]
    return {
        id: [
            HistogramBar(limit, number, number / largest, labels.get(number, ""))
            for limit in steps
            for number in (rows.get(limit, 0),)
        ]
        for id, rows in found.items()
    }


def label_numbers(numbers: Collection[int]) -> dict[int, str]:
    """Return numbers in short, each to the digit in which it differs from the others.

    >>> label_numbers([999, 1000, 12_000, 12_400, 2_000_000])
    {999: '999', 1000: '1.0k', 12000: '12.0k', 12400: '12.4k', 2000000: '2.0M'}
    """
    for digits in range(4):
        labels = {number: _shorten(number, digits) for number in numbers}
        if len({*labels.values()}) == len(labels):
            break
    return labels


def _shorten(number: int, digits: int) -> str:
    for unit, name in ((1_000_000, "M"), (1000, "k")):
        if number >= unit:
            return f"{number / unit:.{digits}f}{name}"
    return str(number)


@dataclass(frozen=True)
class CorpusReport:
    """A report on counts that were made with details."""

    plan: Plan
    counts: CorpusCounts
    sources: Sequence[CorpusSource]
    title: str
    notes: Sequence[str] = ()

    @property
    def date(self) -> str:
        return date.today().isoformat()

    @property
    def bytes(self) -> int:
        return sum(source.bytes for source in self.sources)

    @cached_property
    def totals(self) -> Mapping[str, DocumentCounts]:
        every = totals(self.counts)
        return {id: every.get(id, DocumentCounts()) for id in self.plan.tokenizers}

    @property
    def base(self) -> str:
        """The first tokenizer, with which the others are compared."""
        return self.plan.tokenizers[0]

    @property
    def whole(self) -> DocumentCounts:
        """The tally of the first tokenizer: its documents, characters and bytes are those of all."""
        return self.totals[self.base]

    @cached_property
    def total_table(self) -> ReportTable:
        columns: list[tuple[str, Kind]] = [
            *(("Tokenizer", "text"), ("Tokens", "count"), (f"to {self.base}", "ratio")),
            *(("Bytes per token", "ratio"), ("Tokens per word", "ratio"), ("Unknown", "percent")),
            *(("Byte fallback", "percent"), ("Median", "count"), ("95 %", "count"), ("Longest", "count")),
        ]
        rows = [
            (
                *(id, one.tokens, one.tokens / self.whole.tokens if self.whole.tokens else 0.0),
                *(one.bytes_per_token, one.tokens_per_word),
                *(part / one.tokens if one.tokens else 0.0 for part in (one.unknown, one.fallback)),
                *(one.quantile(0.5), one.quantile(0.95), one.longest),
            )
            for id, one in self.totals.items()
        ]
        return ReportTable("totals", columns, rows)

    @cached_property
    def cost_table(self) -> ReportTable:
        """The price of the corpus as input, for each model whose own tokenizer counted and whose price is known."""
        columns: list[tuple[str, Kind]] = [
            *(("Model", "text"), ("Tokenizer", "text"), ("Tokens", "count"), ("$ per million", "money")),
            *(("Cost", "money"), ("Price of", "text"), ("Source", "text")),
        ]
        rows = [
            (one.model, one.tokenizer, one.tokens, one.price, one.total, one.date, one.source)
            for one in costs(self.totals)
        ]
        return ReportTable("cost", columns, rows)

    @property
    def by(self) -> str:
        """What the groups are, as the head of a column."""
        return self.plan.group or {"script": "Script", "file": "File"}.get(self.plan.by, "Group")

    @property
    def has_unknown(self) -> bool:
        return any(one.unknown for one in self.totals.values())

    @property
    def by_words(self) -> str:
        return f"column {self.plan.group}" if self.plan.group else self.by.lower()

    @cached_property
    def group_table(self) -> ReportTable:
        """A row for each group and tokenizer, the groups with the most tokens first."""
        columns: list[tuple[str, Kind]] = [
            *((self.by, "text"), ("Tokenizer", "text"), ("Documents", "count"), ("Bytes", "count")),
            *(("Tokens", "count"), ("Share", "percent"), ("Bytes per token", "ratio"), ("Tokens per word", "ratio")),
            *(("Unknown", "percent"), ("Premium", "ratio"), (f"to {self.base}", "ratio")),
        ]
        return ReportTable("groups", columns, [*self._group_rows()])

    def _group_rows(self) -> Iterator[tuple[Any, ...]]:
        found = [(name, tallies) for name, tallies in self.counts.groups.items() if name != TOTAL]
        found.sort(key=lambda group: (-max(one.tokens for one in group[1].values()), group[0]))
        for name, tallies in found:
            base = tallies.get(self.base, DocumentCounts()).tokens
            for id, one in tallies.items():
                every = self.totals[id]
                yield (
                    *(name, id, one.documents, one.bytes, one.tokens),
                    *(one.tokens / every.tokens if every.tokens else 0.0, one.bytes_per_token, one.tokens_per_word),
                    one.unknown_share,
                    one.tokens_per_character / every.tokens_per_character if every.tokens else 0.0,
                    one.tokens / base if base else 0.0,
                )

    @property
    def every_table(self) -> ReportTable:
        """The groups, and the total as the last rows."""
        total = CorpusCounts({"total": {**self.totals}})
        rows = [*self.group_table.rows, *replace(self, counts=total)._group_rows()]
        return ReportTable("counts", self.group_table.columns, rows)

    @cached_property
    def differences(self) -> ReportTable:
        """The groups in which the tokenizers differ most: the most tokens over the fewest."""
        columns: list[tuple[str, Kind]] = [
            *((self.by, "text"), ("Fewest tokens", "text"), ("Tokens", "count"), ("Unknown", "percent")),
            *(("Most tokens", "text"), ("Tokens", "count"), ("Ratio", "ratio")),
        ]
        rows = [
            (one.name, one.fewest, few.tokens, few.unknown_share, one.most, one.tallies[one.most].tokens, one.ratio)
            for one in compare_groups(self.counts)
            if len(one.tallies) > 1
            for few in (one.tallies[one.fewest],)
        ]
        return ReportTable("differences", columns, rows)

    @cached_property
    def histograms(self) -> Mapping[str, list[HistogramBar]]:
        """The number of documents by their tokens, each bar twice as wide as the one before."""
        return make_bars(self.totals)

    @cached_property
    def histogram_table(self) -> ReportTable:
        columns: list[tuple[str, Kind]] = [("Tokenizer", "text"), ("Tokens up to", "count"), ("Documents", "count")]
        rows = [(id, most, documents) for id, one in self.totals.items() for most, documents in one.histogram()]
        return ReportTable("histogram", columns, rows)

    @cached_property
    def outliers_table(self) -> ReportTable:
        columns: list[tuple[str, Kind]] = [
            *(("Tokenizer", "text"), ("Kind", "text"), ("Score", "ratio"), ("Bytes", "count"), ("Tokens", "count")),
            *(("File", "text"), ("Beginning", "text")),
        ]
        rows = [
            (id, kind, one.score, one.bytes, one.tokens, one.path, one.text)
            for id, kinds in sorted(self.counts.outliers.items())
            for kind, extremes in kinds.items()
            for one in extremes.documents
        ]
        return ReportTable("documents", columns, rows)

    def list_outliers(self) -> Iterator[tuple[str, str, str, str, list[DisplayedDocument]]]:
        """Yield by tokenizer and kind (tokenizer, kind, title, explanation, the documents), the compared ones first."""
        for kind in ("more", "fewer", "dense", "unknown", "run"):
            title, note = KINDS[kind]
            for id in self.plan.tokenizers:
                found = self.counts.outliers.get(id, {}).get(kind)
                if found and found.documents:
                    most = MOST if len(self.plan.tokenizers) == 1 else FEW
                    shown = [self._show_document(id, one) for one in found.documents[:most]]
                    yield id, kind, title.format(base=self.base), note, shown

    def _show_document(self, id: str, one: Outlier) -> DisplayedDocument:
        cut = one.bytes > len(one.text.encode())
        try:
            tokenization = tokenize(get_registry(self.plan.settings), one.text, tokenizer=id)
        except TokenariumError:
            return DisplayedDocument(one, None, cut)
        return DisplayedDocument(one, TokenizationView(tokenization), cut)


def score_text(kind: str, one: Outlier) -> str:
    """Return what makes a document stand out.

    >>> score_text("run", Outlier(12.0, "", "", 40, 14)), score_text("dense", Outlier(0.5, "", "", 100, 50))
    ('one token 12 times', '2.00 bytes per token')
    """
    if kind == "dense":
        return f"{one.bytes / one.tokens:.2f} bytes per token"
    if kind == "unknown":
        return f"{one.score:,.0f} of {plural(one.tokens, 'token')}"
    if kind == "run":
        return f"one token {one.score:,.0f} times"
    return f"{one.score if kind == 'more' else 1 / one.score:.2f} × as many tokens"
