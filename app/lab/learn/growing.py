"""Scenes about a text that goes on: BPE revises boundaries, a prompt ends where no text would, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.growing_text import BeginningCut, iter_beginnings
from ...scratch.next_token import Followers, back_off, count_followers
from ...scratch.patching import iter_patch_starts
from ...settings import Settings
from ...types import Tokenizer
from ..beyond.byte_model import load
from ..languages.declarations import declarations
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, make_row, percent, spell
from .code import trace_lines
from .patches import RISE
from .prose import count_times, sample_word, say
from .scene import Question, Trace, ask, limit_text
from .texts import token_tiles

MODEL = "o200k_base"
MOST = 24
"""Characters of a text."""
ENDINGS = ("http://", "https://", "#include <", "</div>", "x != y", '("No.")', "f(x):", "a += 1;", "e.g., ", "[...]")
CUT_MODEL = "gpt2"
ORDER = 2
"""Tokens that the model looks at."""
MOST_NEXT = 8
"""Tokens that the table of predictions shows."""


def trace_growing(text: str, registry: Registry) -> Trace:
    """Trace the tokens of each beginning of a text beside those of the whole, and then its patches."""
    limit_text(len(text), MOST, "characters")
    find_ends = _token_ends(registry.get(MODEL, "scratch"))
    whole = _row(text, find_ends(text), "whole text")
    steps = [Step(say("growing.steps.start", tokens=plural(len(whole.tiles), "token")), (whole,))]
    cuts: list[BeginningCut] = []
    for line, cut in trace_lines(iter_beginnings(text, find_ends)):
        cuts.append(cut)
        rows = (_row(cut.text, cut.ends, "beginning", cut.lost), whole)
        steps.append(Step(_say(cut), rows, line, _tabulate(cuts), _facts(cuts), ("beginning", "whole")))
    patched = [*iter_beginnings(text, _patch_ends)]
    lost = sum(end != cut.ends[-1] for cut in patched for end in cut.lost)
    row = _row(text, patched[-1].ends, "patches")
    sentence = say("growing.steps.patches", lost=lost or "none")
    steps.append(Step(sentence, (whole, row), table=_tabulate(cuts), facts=_facts(cuts)))
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
    parts = ((data[start:end], end) for start, end in pairwise((0, *ends)))
    return make_row(
        (Tile(spell(one), NO_ID + sum(one), mark="missed" if end in lost else "") for one, end in parts), label
    )


def _say(cut: BeginningCut) -> Words:
    shown = Tile(spell(cut.text), NO_ID + sum(cut.text.encode()))
    inside = sum(end != cut.ends[-1] for end in cut.lost)
    if inside:
        boundaries = "a boundary" if inside == 1 else f"{inside} boundaries"
        return say("growing.steps.lost", beginning=shown, boundaries=boundaries)
    return say("growing.steps.across", beginning=shown) if cut.lost else say("growing.steps.clean", beginning=shown)


def _facts(cuts: Sequence[BeginningCut]) -> tuple[Fact, ...]:
    return (
        Fact("beginnings so far", f"{len(cuts)}"),
        Fact("of them cut as the whole text", f"{sum(not cut.lost for cut in cuts)}"),
    )


def _tabulate(cuts: Sequence[BeginningCut], *, answered: bool = True) -> Table:
    rows = []
    for cut in cuts:
        tokens: Words = tuple(part for tile in _row(cut.text, cut.ends, "").tiles for part in (tile, " "))
        answer = ("no" if cut.lost else "yes",) if answered else ()
        rows.append(Row((tokens, *answer), chosen=answered and not cut.lost))
    return tabulate("Beginnings of the text", ("tokens of the beginning", "cut as the whole")[: 1 + answered], rows)


def _ask_clean(text: str, cuts: Sequence[BeginningCut], whole: TileRow) -> Question | None:
    """Return the question how many beginnings are cut as the whole text; None if there is only one."""
    if len(cuts) < 2:
        return None
    right = sum(not cut.lost for cut in cuts)
    outside = sum([*cut.lost] in ([], [cut.ends[-1]]) for cut in cuts)
    return ask(
        "growing.question",
        right,
        [(len(whole.tiles), "ends"), (len(cuts), "all"), (outside, "inside"), (len(cuts) - right, "opposite")],
        (whole,),
        table=_tabulate(cuts, answered=False),
        shown_at=-2,
        right=plural(right, "beginning"),
        all=len(cuts),
    )


def sample_growing(random: Random) -> str:
    """Return a long word, or a short text with signs that are merged."""
    if random.random() < 0.5:
        return sample_word(random)[:MOST]
    return f"{sample_word(random)[: MOST - 12]} {random.choice(ENDINGS)}"


def trace_next_token(text: str, registry: Registry) -> Trace:
    """Trace the prediction of the token after a text, by the counts of the English declaration of human rights."""
    tokenizer = registry.get(CUT_MODEL, "scratch")
    learned: list[int] = tokenizer.encode(training_text()).ids.tolist()
    counts = count_tokens(tuple(learned))
    ids: list[int] = tokenizer.encode(text).ids.tolist()
    start = say("next-token.steps.start", tokens=plural(len(ids), "token"))
    steps = [Step(start, (_cut_row(ids, 0, tokenizer),))]
    for line, (context, followed) in trace_lines(back_off(ids, counts, order=ORDER)):
        rows = (_cut_row(ids, len(context), tokenizer),)
        last = "token" if len(context) == 1 else plural(len(context), "token")
        if not followed:
            steps.append(Step(say("next-token.steps.unseen", tokens=last), rows, line))
            continue
        total = sum(followed.values())
        best = max(followed, key=followed.__getitem__)
        (next_token,), share = token_tiles(tokenizer, [best]), percent(followed[best] / total)
        sentence = say("next-token.steps.nothing", next=next_token, share=share)
        if context:
            times = count_times(total)
            sentence = say("next-token.steps.seen", tokens=last, times=times, next=next_token, share=share)
        facts = (Fact("tokens looked at", f"{len(context)}"), Fact("seen in training", f"{total:,}"))
        steps.append(Step(sentence, rows, line, _predictions(followed, tokenizer), facts))
    return Trace(steps, _ask_length(ids, counts, len(learned), len(context), tokenizer))


def training_text() -> str:
    """Return the declaration in English, in one line.

    >>> training_text()[:24]
    'Article 1 All human bein'
    """
    return " ".join(declarations(Settings().store)["eng"].text.split())


@lru_cache(maxsize=2)
def count_tokens(ids: tuple[int, ...]) -> Followers:
    """Return how often each token has followed each context of the model that has read these."""
    return count_followers(ids, order=ORDER)


def _cut_row(ids: Sequence[int], last: int, tokenizer: Tokenizer) -> TileRow:
    """Return the last tokens of a text, the `last` of them marked."""
    shown = ids[-60:]
    tiles = token_tiles(tokenizer, shown)
    marked = (replace(tile, mark="new") if tile.at >= len(shown) - last else tile for tile in tiles)
    return TileRow(tuple(marked), left_out_before=len(ids) - len(shown))


def _predictions(followed: Mapping[int, int], tokenizer: Tokenizer) -> Table:
    total = sum(followed.values())
    order = sorted(followed.items(), key=lambda item: -item[1])
    rows = ((tuple(token_tiles(tokenizer, [id])), f"{count:,}", percent(count / total)) for id, count in order)
    heads = ("next token", "times", "share")
    return tabulate("What followed in training", heads, rows, chosen=(0,), most=MOST_NEXT)


def _ask_length(ids: Sequence[int], counts: Followers, learned: int, right: int, tokenizer: Tokenizer) -> Question:
    """Return the question how many of the last tokens the model can use."""
    contexts = [tuple(ids[len(ids) - length :]) for length in range(min(ORDER, len(ids)), 0, -1)]
    rows = ((tuple(token_tiles(tokenizer, one)), f"{sum(counts.get(one, {}).values())}") for one in contexts)
    return ask(
        "next-token.question",
        right,
        [(length, "unseen" if length > right else "shorter") for length in range(ORDER + 1) if length != right],
        (_cut_row(ids, 0, tokenizer),),
        table=tabulate("In the training text", ("context", "times"), rows),
        shown_at=-1,
        near=False,
        tokens=f"{learned:,}",
    )


def sample_prompt(random: Random) -> str:
    """Return some words of the declaration: as they are, with another last word, or with an end that is cut."""
    words = training_text().split()
    at = random.randrange(len(words) - 9)
    text = " ".join(words[at : at + random.randint(3, 8)])
    kind = random.choice(("whole", "swapped", "cut"))
    if kind == "whole":
        return text
    if kind == "swapped":
        return f"{text} {random.choice(words)}"
    return random.choice((f"{text} ", f"{text} {random.randint(31, 999)}", text[: -random.randint(1, 3)]))
