"""What a report on a training set shows: tables, which are also CSV, and the histogram of its conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from ..counts import QUANTILES, DocumentCounts
from ..report import HistogramBar, Kind, ReportTable, make_bars
from ..types import CorpusSource
from .counting import TEMPLATE, ChatCounts, ChatPlan
from .packing import PackingPlan, plan_packing

FINDINGS = {
    "tools-left-out": "the template drops tools",
    "left-out": "the template drops messages, reasoning or tool calls",
    "no-prefix": "a prompt is no prefix of the conversation",
    "end-outside": "the end token of a turn is not in the loss",
    "no-end": "a turn has no end token",
    "no-loss": "no token is in the loss",
    "trimmed": "the loss ends in white space that the tokenizer drops",
}
"""What is found in conversations, by the code of the warning."""
BASES = {"generation": "as the template marks them", "prefixes": "found by prefixes"}
"""Where the loss is from."""


@dataclass(frozen=True)
class ChatReport:
    """The report on a training set, with what it is called in the title."""

    plan: ChatPlan
    counts: ChatCounts
    sources: Sequence[CorpusSource]
    title: str

    @property
    def date(self) -> str:
        return date.today().isoformat()

    @cached_property
    def packings(self) -> list[PackingPlan]:
        """How the conversations fill each context."""
        return [plan_packing(self.counts.lengths, context) for context in self.plan.contexts]

    @property
    def basis(self) -> str:
        """Where the loss is from, for a sentence."""
        return ", ".join(BASES[basis] for basis, _ in self.counts.bases.most_common())

    @property
    def roles(self) -> list[str]:
        """The roles with messages, those with most tokens first, and the template."""
        return [*sorted(self.counts.messages, key=lambda role: -self.counts.roles[role]), TEMPLATE]

    @property
    def findings(self) -> list[tuple[str, str, int]]:
        """The code and the name of each finding, and how many conversations have it, the most frequent first."""
        return [(code, FINDINGS[code], number) for code, number in self.counts.findings.most_common()]

    @property
    def bars(self) -> list[HistogramBar]:
        return make_bars({"": DocumentCounts(lengths=self.counts.lengths)})[""]

    @property
    def histogram_table(self) -> ReportTable:
        rows = [*DocumentCounts(lengths=self.counts.lengths).histogram()]
        return ReportTable("lengths", [("Tokens up to", "count"), ("Conversations", "count")], rows)

    @property
    def quantile_table(self) -> ReportTable:
        rows = [(share, self.counts.quantile(share)) for share in (*QUANTILES, 1.0)]
        return ReportTable("quantiles", [("Conversations", "percent"), ("Tokens at most", "count")], rows)

    @property
    def format_table(self) -> ReportTable:
        return ReportTable("formats", [("Format", "text"), ("Rows", "count")], [*self.counts.formats.most_common()])

    @property
    def role_table(self) -> ReportTable:
        columns: list[tuple[str, Kind]] = [
            *(("Role", "text"), ("Messages", "count"), ("Tokens", "count"), ("Share", "percent")),
            ("Tokens per message", "ratio"),
        ]
        tokens = max(1, self.counts.tokens)
        rows = [
            (role, number or None, self.counts.roles[role], self.counts.roles[role] / tokens, each)
            for role in self.roles
            for number in [self.counts.messages[role] if role != TEMPLATE else 0]
            for each in [self.counts.roles[role] / number if number else None]
        ]
        return ReportTable("roles", columns, rows)

    @property
    def turn_table(self) -> ReportTable:
        columns: list[tuple[str, Kind]] = [
            *(("Turn", "count"), ("Conversations", "count"), ("Tokens", "count"), ("Tokens per conversation", "ratio")),
        ]
        rows = [
            (turn + 1, number, self.counts.turns[turn], self.counts.turns[turn] / number)
            for turn, number in sorted(self.counts.reached.items())
        ]
        return ReportTable("turns", columns, rows)

    @property
    def context_table(self) -> ReportTable:
        columns: list[tuple[str, Kind]] = [
            *(("Context", "count"), ("Truncated", "count"), ("Share", "percent"), ("Tokens lost", "count")),
            *(("Loss tokens lost", "count"), ("Sequences padded", "count"), ("Padding", "percent")),
            *(("Sequences packed", "count"), ("Padding when packed", "percent")),
        ]
        lost = self.counts.cut_loss
        rows = [
            (
                *(one.context, one.truncated, one.truncated / max(1, one.conversations), one.lost),
                *(lost[one.context], one.conversations, one.padded_waste),
                *(one.sequences, one.packed_waste),
            )
            for one in self.packings
        ]
        return ReportTable("contexts", columns, rows)

    @property
    def finding_table(self) -> ReportTable:
        rows = [(name, number, self.counts.examples[code]) for code, name, number in self.findings]
        return ReportTable("findings", [("Finding", "text"), ("Conversations", "count"), ("The first", "text")], rows)

    @property
    def refused_table(self) -> ReportTable:
        return ReportTable("refused", [("Reason", "text"), ("Rows", "count")], [*self.counts.refused.most_common()])
