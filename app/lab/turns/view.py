"""What the Turns page shows: a lane for each turn, its tokens folded to the surroundings of the first difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal

from ...errors import plural
from ..cells import Window, expand
from ..charts import Scale
from ..examples import TextExample
from ..prices import format_dollars
from ..request.values import hide_secrets
from ..tokenization_view import TokenizationView
from ..tokenize import Tokenization
from .examples import make_log
from .lanes import Lane
from .prefixes import PrefixCheck
from .report import TurnsReport

BEFORE, AFTER = 12, 36
"""Tokens that are shown before the first difference, and from it on."""
MAX_WHOLE = 3_000
"""Tokens on each side of the first difference that are shown of a whole lane."""
WIDTH = 1000
"""Of the bars, in units of their drawing."""
MARGIN = 200
"""Characters around what is shown in which a secret may begin or end."""
OWNERS = {"prompt": "the prompt before", "turn": "the turn before", "generation": "this prompt"}

TokenMark = Literal["kept", "first", "new", "lost"]
"""An id that the sequence before has at this place · the first other one · one behind it · one that is kept no more."""

EXAMPLES = (
    TextExample("qwen3", "qwen3", "A question after a tool loop drops the reasoning", make_log("qwen3")),
    TextExample("mistral-v3", "mistral-v3", "Tools and system message move", make_log("mistral-v3")),
    TextExample("gpt-oss-120b", "gpt-oss-120b", "A final answer drops the analysis", make_log("gpt-oss-120b")),
)


@dataclass(frozen=True, slots=True)
class LaneRun:
    """Neighbouring tokens that are marked alike; `secret` ones are not shown."""

    mark: TokenMark
    window: Window
    secret: bool = False


@dataclass(frozen=True, slots=True)
class LaneTokens:
    """Tokens of a sequence in runs, as far as they are shown; `before` and `after` are how many more there are."""

    view: TokenizationView
    runs: tuple[LaneRun, ...]

    @property
    def before(self) -> int:
        return self.runs[0].window.start if self.runs else 0

    @property
    def after(self) -> int:
        total = len(self.view.tokenization.encoding)
        return total - self.runs[-1].window.stop if self.runs else 0


def mark_later(tokenization: Tokenization, shared: int, *, differs: bool, whole: bool = False) -> LaneTokens:
    """Return the tokens of a sequence that begins with `shared` ids of an earlier one, around the first difference."""
    total = len(tokenization.encoding)
    before, after = (MAX_WHOLE, MAX_WHOLE) if whole else (BEFORE, AFTER)
    at = expand(tokenization, shared, min(shared + differs, total))
    first: TokenMark = "first" if differs else "new"
    kept = expand(tokenization, max(0, at.start - before), at.start)
    following = expand(tokenization, at.stop, min(at.stop + after, total))
    return _runs(tokenization, [("kept", kept), (first, at), ("new", following)])


def mark_earlier(tokenization: Tokenization, shared: int, *, whole: bool = False) -> LaneTokens:
    """Return the tokens of a sequence from the first one on that a later sequence does not have at its place."""
    stop = shared + (MAX_WHOLE if whole else AFTER)
    return _runs(tokenization, [("lost", expand(tokenization, shared, min(stop, len(tokenization.encoding))))])


def _runs(tokenization: Tokenization, marked: Sequence[tuple[TokenMark, Window]]) -> LaneTokens:
    """Return runs without empty ones; a run with a part of a secret is not shown."""
    runs = []
    for mark, window in marked:
        start, stop = max(0, window.byte_start - MARGIN), window.byte_stop + MARGIN
        _, secrets = hide_secrets(tokenization.data[start:stop].decode(errors="ignore"))
        if window.start < window.stop:
            runs.append(LaneRun(mark, window, secret=bool(secrets)))
    return LaneTokens(TokenizationView(tokenization), tuple(runs))


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A part of the bar of a lane; `lost` ones are drawn below the others."""

    kind: Literal["kept", "first", "new", "answer", "lost"]
    x: float
    width: float


@dataclass(frozen=True)
class BrokenPrefix:
    """Checks of a lane that fail at the same token of the same sequence, for the same reason."""

    checks: tuple[PrefixCheck, ...]
    whole: bool

    @property
    def lost(self) -> str:
        """What is lost: "105 of 348 ids of the prompt before and 119 of 362 ids of the turn before are lost."."""
        parts = [f"{one.lost:,} of {one.size:,} ids of {OWNERS[one.relation]}" for one in self.checks]
        own = " in its own turn" if self.checks[0].relation == "generation" else ""
        return f"{' and '.join(parts)} are lost{own}."

    @property
    def causes(self) -> list[str]:
        return list(dict.fromkeys(one.cause.detail for one in self.checks if one.cause))

    @property
    def earlier(self) -> LaneTokens:
        last = self.checks[-1]
        return mark_earlier(last.earlier.tokenization, last.shared, whole=self.whole)

    @property
    def later(self) -> LaneTokens:
        first = self.checks[0]
        return mark_later(first.later.tokenization, first.shared, differs=True, whole=self.whole)


@dataclass(frozen=True)
class LaneView:
    """A turn as the page shows it, on a scale of ids that all lanes share."""

    lane: Lane
    scale: Scale
    whole: bool
    full: float | None
    cached: float | None
    offer: str

    @property
    def number(self) -> int:
        return self.lane.index + 1

    @cached_property
    def broken(self) -> list[BrokenPrefix]:
        """The checks that fail, those at the same place together."""
        failed = (check for check in self.lane.checks if check.lost)
        groups = groupby(failed, key=lambda check: (check.relation == "generation", check.shared))
        return [BrokenPrefix(tuple(checks), self.whole) for _, checks in groups]

    @property
    def tokens(self) -> LaneTokens:
        """The tokens of the prompt where nothing is lost: around the place from which on they are new."""
        return mark_later(self.lane.prompt.tokenization, self.lane.shared, differs=False, whole=self.whole)

    @property
    def lost(self) -> int:
        """The ids that the first failed check loses."""
        return next((check.lost for check in self.lane.checks if check.lost), 0)

    @property
    def bar(self) -> Iterator[BarSegment]:
        """The prompt, the answer behind it, and below them what is lost of the prompt before or of this one."""
        place = self.scale.place
        size, shared = len(self.lane.prompt), self.lane.shared
        yield BarSegment("kept", 0, place(shared))
        yield BarSegment("new", place(shared), place(size - shared))
        if self.lane.whole and len(self.lane.whole) > size:
            yield BarSegment("answer", place(size), place(len(self.lane.whole) - size))
        for one in self.broken:
            check = one.checks[0]
            yield BarSegment("lost", place(check.shared), place(check.lost))
            yield BarSegment("first", place(check.shared), 4)

    @property
    def cache(self) -> str:
        """What a prompt cache makes of the lane; "" if it serves the whole prompt before."""
        check = self.lane.check("prompt")
        if check is None or not check.lost:
            return ""
        served = f"A prompt cache serves at most {check.shared:,} of {plural(len(self.lane.prompt), 'id')}"
        again = f"{plural(check.lost, 'id that it has is', 'ids that it has are')} read again"
        return f"{served}; {again}. {self.cost}"

    @property
    def cost(self) -> str:
        """What the prompt costs as input, without a cache and with one, as far as that is known."""
        if self.full is None:
            return "The price of the model is unknown."
        with_cache = f"with a cache {format_dollars(self.cached)}" if self.cached is not None else "its cache unknown"
        return f"As input at {self.offer} it costs {format_dollars(self.full)}, {with_cache}."


@dataclass(frozen=True)
class TurnsView:
    """A conversation as the page shows it; `whole` is the number of the lane whose tokens are all shown."""

    report: TurnsReport
    whole: int = 0

    @cached_property
    def lanes(self) -> list[LaneView]:
        lanes = self.report.lanes
        longest = max(len(one) for lane in lanes for one in (lane.prompt, lane.whole) if one is not None)
        scale = Scale(0, longest, 0, WIDTH)
        whole = self.whole - 1
        offer = self.report.target.money.offer
        return [LaneView(lane, scale, lane.index == whole, *self.report.compute_dollars(lane), offer) for lane in lanes]
