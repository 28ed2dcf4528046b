"""The scene about a text that grows: BPE takes boundaries back, and a prompt can end where no text would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from ...errors import Invalid, plural
from ...scratch.growing_text import BeginningCut, iter_beginnings
from ...scratch.patching import iter_patch_starts
from ...settings import Settings
from ...types import Tokenizer
from ..beyond.byte_model import load
from ..steps.frames import Fact, Mark, Tile, TileRow
from ..steps.tiles import NO_ID, spell
from .code import trace_lines
from .patches import RISE
from .prose import fill, fill_words
from .samples import sample_word
from .scene import Question, SceneTable, Step, TableRow, Trace, Words, build_scene, choices

if TYPE_CHECKING:
    from ...registry import Registry

MODEL = "o200k_base"
MOST = 24
"""Characters of a text."""
ENDINGS = ("http://", "https://", "#include <", "</div>", "x != y", '("No.")', "f(x):", "a += 1;", "e.g., ", "[...]")


def trace_growing(text: str, registry: Registry) -> Trace:
    """Trace the tokens of each beginning of a text beside those of the whole, and then its patches."""
    if len(text) > MOST:
        message = f"This scene plays at most {MOST} characters; this text has {len(text)}."
        raise Invalid(message, pointer="/text", limit=MOST)
    tokenizer = registry.get(MODEL, "scratch")
    whole = _row(text, _token_ends(tokenizer)(text), "whole text")
    steps = [Step((fill("growing.steps.start", tokens=plural(len(whole.tiles), "token")),), (whole,))]
    cuts: list[BeginningCut] = []
    for line, cut in trace_lines("growing_text.iter_beginnings", iter_beginnings(text, _token_ends(tokenizer))):
        cuts.append(cut)
        rows = (_row(cut.text, cut.ends, "beginning", cut.lost), whole)
        steps.append(Step(_say(cut), rows, line, table=_tabulate(cuts), facts=_facts(cuts)))
    patched = [*iter_beginnings(text, _patch_ends)]
    lost = sum(end != cut.ends[-1] for cut in patched for end in cut.lost)
    row = _row(text, patched[-1].ends, "patches")
    sentence = fill("growing.steps.patches", lost=lost or "none")
    steps.append(Step((sentence,), (whole, row), table=_tabulate(cuts), facts=_facts(cuts)))
    return Trace(steps, _ask_clean(text, cuts, whole))


def _token_ends(tokenizer: Tokenizer) -> Callable[[str], Sequence[int]]:
    return lambda text: tokenizer.encode(text).byte_ends.tolist()


def _patch_ends(text: str) -> list[int]:
    """Return where the patches of a text end that begin with a rise of entropy."""
    data = text.encode()
    entropies = load(Settings().store).entropies(data).tolist()
    starts = [one.at for one in iter_patch_starts(entropies, "monotonic", rise=RISE) if one.begins]
    return [*starts[1:], len(data)]


def _row(text: str, ends: Sequence[int], label: str, lost: Sequence[int] = ()) -> TileRow:
    """Return the units of a text, each coloured by what it is; those whose end is lost are marked."""
    data = text.encode()
    parts = [(data[start:end], end) for start, end in pairwise((0, *ends))]
    marks: list[Mark] = ["missed" if end in lost else "" for _, end in parts]
    tiles = (Tile(spell(part), NO_ID + sum(part), at, marks[at]) for at, (part, _) in enumerate(parts))
    return TileRow(tuple(tiles), label)


def _say(cut: BeginningCut) -> Words:
    shown = Tile(spell(cut.text), NO_ID + sum(cut.text.encode()))
    inside = [end for end in cut.lost if end != cut.ends[-1]]
    if inside:
        boundaries = "a boundary" if len(inside) == 1 else f"{len(inside)} boundaries"
        return fill_words("growing.steps.lost", beginning=shown, boundaries=boundaries)
    if cut.lost:
        return fill_words("growing.steps.across", beginning=shown)
    return fill_words("growing.steps.clean", beginning=shown)


def _facts(cuts: Sequence[BeginningCut]) -> tuple[Fact, ...]:
    return (
        Fact("beginnings so far", f"{len(cuts)}"),
        Fact("of them cut as the whole text", f"{sum(not cut.lost for cut in cuts)}"),
    )


def _tabulate(cuts: Sequence[BeginningCut], *, answered: bool = True) -> SceneTable:
    rows = []
    for cut in cuts:
        tokens: Words = tuple(part for tile in _row(cut.text, cut.ends, "").tiles for part in (tile, " "))
        cells = (tokens, "no" if cut.lost else "yes")
        rows.append(TableRow(cells if answered else cells[:1], chosen=answered and not cut.lost))
    heads = ("tokens of the beginning", "cut as the whole")
    return SceneTable("Beginnings of the text", heads if answered else heads[:1], tuple(rows))


def _ask_clean(text: str, cuts: Sequence[BeginningCut], whole: TileRow) -> Question | None:
    """Return the question how many beginnings are cut as the whole text; None if there is only one."""
    if len(cuts) < 2:
        return None
    right = sum(not cut.lost for cut in cuts)
    inside = sum(cut.lost != [] and [*cut.lost] != [cut.ends[-1]] for cut in cuts)
    wrong: list[tuple[Words, str]] = [
        ((f"{len(whole.tiles)}",), fill("growing.question.ends")),
        ((f"{len(cuts)}",), fill("growing.question.all")),
        ((f"{len(cuts) - inside}",), fill("growing.question.inside")),
        ((f"{len(cuts) - right}",), fill("growing.question.opposite")),
    ]
    given = Step((fill("growing.question.given"),), (whole,), table=_tabulate(cuts, answered=False))
    reason = fill("growing.question.reason", right=plural(right, "beginning"), all=len(cuts))
    return Question((fill("growing.question.prompt"),), choices((f"{right}",), reason, wrong), given, shown_at=-2)


def sample_growing(random: Random) -> str:
    """Return a long word, or a short text with signs that are merged."""
    if random.random() < 0.5:
        return sample_word(random)[:MOST]
    return f"{sample_word(random)[: MOST - 12]} {random.choice(ENDINGS)}"


GROWING = build_scene(
    id="growing",
    trace=trace_growing,
    code=("growing_text.iter_beginnings",),
    sample=sample_growing,
    needs=("next-token", "patches"),
)
