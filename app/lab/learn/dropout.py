"""The scene about BPE-dropout, which leaves merges out at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import cast

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.bpe_dropout import DroppedMerges, KeptMerge, iter_random_merges
from ..steps.step import Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, make_row
from .code import trace_lines
from .matching import LONGEST, first_word
from .prose import LONG_WORDS, say
from .scene import Question, Trace, Wrong, ask
from .texts import trace_text

MODEL = "gpt2"
P = 0.3
"""How often a merge is left out in the steps: more than the 0.1 of the publication, so that a short word shows it."""
SHARES = (0.0, 0.1, 0.5, 1.0)
"""Probabilities with which the last step draws."""
DRAWS = 20
Run = list[tuple[tuple[str, int], DroppedMerges | KeptMerge]]


def trace_dropout(text: str, registry: Registry) -> Trace:
    """Trace the random merges of a word of ASCII letters by GPT-2's ranks, and count its cuts for several p."""
    word = first_word(text)
    if not word.isascii():
        raise Invalid("Type a word of ASCII letters: every letter is one byte.", pointer="/text")
    ids = cast("Mapping[bytes, int]", trace_text(registry, MODEL, word).ids)

    def rank(a: str, b: str) -> float | None:
        return ids.get((a + b).encode())

    run: Run = [*trace_lines(iter_random_merges(word, rank, P, Random(word)))]
    drops = [step for _, step in run if isinstance(step, DroppedMerges) and step.possible]
    table = _tabulate(drops[0], chosen=False) if drops else None
    steps = [Step(say("dropout.steps.start", p=P), (_row([*word], ids),), table=table)]
    question = None
    for line, step in run:
        row = _row(step.tokens, ids, step.place if isinstance(step, KeptMerge) else -1)
        if isinstance(step, KeptMerge):
            steps.append(Step(say("dropout.steps.merge", new=row.tiles[step.place]), (row,), line, table))
        elif step.possible:
            question = question or _ask_merge(step, row, len(steps))
            dropped = plural(len(step.dropped), "merge")
            table = _tabulate(step, chosen=True)
            sentence = say("dropout.steps.drop", dropped=dropped, possible=len(step.possible))
            steps.append(Step(sentence, (row,), line, table))
    steps.append(_draw(word, ids, rank_of=rank, line=run[-1][0]))
    return Trace(steps, question)


def _row(tokens: Sequence[str], ids: Mapping[bytes, int], new: int = -1, label: str = "") -> TileRow:
    marked = enumerate(tokens)
    tiles = (Tile(token, ids.get(token.encode(), NO_ID), mark="new" if at == new else "") for at, token in marked)
    return make_row(tiles, label)


def _tabulate(step: DroppedMerges, *, chosen: bool) -> Table:
    """Return the merges that are possible, from left to right, with those that are left out this time."""
    kept = [(rank, place) for rank, place in step.possible if place not in step.dropped]
    rows = []
    for rank, place in sorted(step.possible, key=lambda one: one[1]):
        left_out = "left out" if place in step.dropped else ""
        cells = (_name_pair(step, place), f"{rank:,.0f}", left_out)
        rows.append(Row(cells, chosen=chosen and (rank, place) == min(kept, default=None)))
    return tabulate("Merges that are possible", ("pair", "rank", "this time"), rows)


def _name_pair(step: DroppedMerges, place: int) -> str:
    return " ".join(step.tokens[place : place + 2])


def _ask_merge(step: DroppedMerges, row: TileRow, at: int) -> Question | None:
    """Return the question which pair merges; None if nothing is left out, or too little is kept."""
    kept = sorted(one for one in step.possible if one[1] not in step.dropped)
    names = {place: _name_pair(step, place) for _, place in step.possible}
    if len(kept) < 2 or not step.dropped or len({*names.values()}) < len(names):
        return None
    (lowest, right), *higher = kept
    first, leftmost = min(step.possible), min(kept, key=lambda one: one[1])
    wrong: list[Wrong] = [(names[first[1]], "dropped")] if first not in kept else []
    if leftmost != kept[0]:
        wrong.append((names[leftmost[1]], "leftmost", {"rank": f"{leftmost[0]:,.0f}"}))
    wrong += [(names[place], "higher", {"rank": f"{rank:,.0f}"}) for rank, place in higher]
    wrong += [(names[place], "out") for place in sorted(step.dropped)]
    table = _tabulate(step, chosen=False)
    return ask("dropout.question", names[right], wrong, (row,), table=table, shown_at=at, rank=f"{lowest:,.0f}")


def _draw(
    word: str, ids: Mapping[bytes, int], *, rank_of: Callable[[str, str], float | None], line: tuple[str, int]
) -> Step:
    """Return the step that draws the cuts of a word with several probabilities."""
    rows, counts = [], []
    for p in SHARES:
        random = Random(f"{word} {p}")
        cuts = Counter(tuple([*iter_random_merges(word, rank_of, p, random)][-1].tokens) for _ in range(DRAWS))
        rows.append(_row(cuts.most_common(1)[0][0], ids, label=f"p = {p:g}"))
        tokens = sum(len(cut) * times for cut, times in cuts.items()) / DRAWS
        counts.append((f"{p:g}", f"{len(cuts)}", f"{tokens:.1f}"))
    table = tabulate(f"Of {DRAWS} draws", ("p", "different cuts", "tokens, on average"), counts)
    return Step(say("dropout.steps.end", draws=DRAWS), tuple(rows), line, table)


def sample_letters(random: Random) -> str:
    """Return a long word."""
    return random.choice([word for word in LONG_WORDS if word.isascii() and len(word) <= LONGEST])
