"""The scene about the likelihood that WordPiece's score stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from random import Random
from typing import TYPE_CHECKING

from ...errors import plural
from ...scratch.likelihood_gain import PairGain, iter_gains, log_likelihood
from ..steps.frames import Fact, Tile, TileRow
from ..steps.tiles import log_score, significant
from .code import trace_lines
from .merging import MOST_PAIRS, corpus, corpus_rows
from .prose import fill, fill_words
from .scene import Question, SceneTable, Step, TableRow, Trace, Words, build_scene, choices
from .training import sample_hugs

if TYPE_CHECKING:
    from ...registry import Registry


def trace_likelihood(text: str, registry: Registry) -> Trace:
    """Trace what the merge of each pair of a corpus adds to its log-likelihood, and set three rules side by side."""
    counts = corpus(text)
    words = _spell_words(counts)
    ids = {token: id for id, token in enumerate(sorted({token for word in words for token in word}))}
    total = sum(len(word) * count for word, count in words.items())
    now = [[ids[token] for token in word] for word in words]
    rows = corpus_rows(now, [*ids], [f"×{count}" if count > 1 else "" for count in counts.values()])
    before = log_score(log_likelihood([*words], [*words.values()]))
    facts = (Fact("tokens", f"{total}"), Fact("log-likelihood", before))
    steps = [Step((fill("likelihood.steps.start", tokens=plural(total, "token")),), rows, facts=facts)]
    gains: list[PairGain] = []
    for line, one in trace_lines("likelihood_gain.iter_gains", iter_gains(words)):
        gains.append(one)
        pair = _tiles(one, ids)
        if len(gains) <= MOST_PAIRS:
            text_of = fill_words("likelihood.steps.pair", first=pair[0], second=pair[1], gain=f"{one.gain:.1f}")
            marked = corpus_rows(now, [*ids], [row.label for row in rows], pair=tuple(tile.key for tile in pair))
            steps.append(Step(text_of, marked, line, _tabulate(gains, ids), symbols=frozenset({"gain"})))
    if gains:
        steps.append(_compare_rules(gains, ids, rows))
    return Trace(steps, _ask_gain(gains, ids, total, rows))


def _spell_words(counts: Mapping[str, int]) -> dict[tuple[str, ...], int]:
    """Return words as WordPiece spells them, with their counts."""
    return {tuple(char if not i else "##" + char for i, char in enumerate(word)): n for word, n in counts.items()}


def _tiles(one: PairGain, ids: dict[str, int]) -> tuple[Tile, Tile]:
    first, second = one.pair
    return Tile(first, ids[first]), Tile(second, ids[second], 1)


def _spell(one: PairGain, ids: dict[str, int]) -> Words:
    first, second = _tiles(one, ids)
    return first, " ", second


def _tabulate(gains: Sequence[PairGain], ids: dict[str, int], best: PairGain | None = None) -> SceneTable:
    shown = sorted(gains, key=lambda one: -one.gain)[:MOST_PAIRS]
    rows = tuple(
        TableRow((_tiles(one, ids), f"{one.times}", significant(one.score), f"{one.gain:.1f}"), chosen=one is best)
        for one in shown
    )
    heads = ("pair", "count", "score", "gain")
    return SceneTable("What a merge adds to the log-likelihood", heads, rows, len(gains) - len(shown))


def _best(gains: Sequence[PairGain]) -> tuple[PairGain, PairGain, PairGain]:
    """Return the most frequent pair, the one of the highest score, and the one of the largest gain."""
    count, score, gain = (max(gains, key=lambda one: key(one)) for key in (_count, _score, _gain))
    return count, score, gain


def _count(one: PairGain) -> float:
    return one.times


def _score(one: PairGain) -> float:
    return one.score


def _gain(one: PairGain) -> float:
    return one.gain


def _compare_rules(gains: Sequence[PairGain], ids: dict[str, int], rows: tuple[TileRow, ...]) -> Step:
    frequent, scored, likely = _best(gains)

    def tile(one: PairGain) -> Tile:
        return Tile("".join(one.pair), ids[one.pair[0]])

    sentence = fill_words("likelihood.steps.end", frequent=tile(frequent), scored=tile(scored), likely=tile(likely))
    return Step(sentence, rows, table=_tabulate(gains, ids, likely), symbols=frozenset({"gain", "score"}))


def _ask_gain(gains: Sequence[PairGain], ids: dict[str, int], total: int, rows: tuple[TileRow, ...]) -> Question | None:
    """Return the question which pair gains most; None if the estimate that is given does not tell it clearly."""
    if len(gains) < 3:
        return None
    estimates = {one.pair: one.times * log(total * one.score) for one in gains}
    first, second = sorted(estimates.values(), reverse=True)[:2]
    frequent, scored, likely = _best(gains)
    if estimates[likely.pair] < first or first < 1.03 * second:
        return None
    shown = sorted(gains, key=lambda one: -one.times)[:MOST_PAIRS]
    if likely not in shown:
        return None
    wrong = []
    if frequent is not likely:
        wrong.append((_spell(frequent, ids), fill("likelihood.question.frequent", gain=f"{frequent.gain:.1f}")))
    if scored is not likely:
        wrong.append((_spell(scored, ids), fill("likelihood.question.scored", gain=f"{scored.gain:.1f}")))
    others = [one for one in shown if one not in (frequent, scored, likely)]
    alike = [one for one in others if one.pair[0].startswith("##") == likely.pair[0].startswith("##")]
    if len(alike) >= 3:  # pairs within words are longer and gain more often: their length would give them away
        others = alike
    wrong += [(_spell(one, ids), fill("likelihood.question.less", gain=f"{one.gain:.1f}")) for one in others]
    table_rows = tuple(
        TableRow((_tiles(one, ids), f"{one.times}", significant(one.score), f"{log(total * one.score):.2f}"))
        for one in shown
    )
    heads = ("pair", "count", "score", "log(N · score)")
    table = SceneTable(f"N = {total} tokens", heads, table_rows, len(gains) - len(shown))
    given = Step((fill("likelihood.question.given"),), rows, table=table)
    reason = fill("likelihood.question.reason", gain=f"{likely.gain:.1f}")
    prompt = (fill("likelihood.question.prompt"),)
    return Question(prompt, choices(_spell(likely, ids), reason, wrong), given, shown_at=-1)


def sample_gains(random: Random) -> str:
    """Return a table of four short words; in every second one, the most frequent pair does not gain most."""
    differ = random.random() < 0.5
    while True:
        text = sample_hugs(random)
        frequent, _, likely = _best([*iter_gains(_spell_words(corpus(text)))])
        if (frequent.pair != likely.pair) == differ:
            return text


LIKELIHOOD = build_scene(
    id="likelihood",
    trace=trace_likelihood,
    code=("likelihood_gain.iter_gains", "likelihood_gain.log_likelihood"),
    sample=sample_gains,
    needs=("learn-wordpiece",),
    equation=True,
    rows=4,
)
