"""Scenes about what a vocabulary hides, and where tokenizers came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from random import Random

from ...errors import Invalid, UnknownId, join_names, plural
from ...registry import Registry
from ...scratch.bpe import iter_merges
from ...scratch.fast.bpe.encode import merge
from ...scratch.fast.bpe.train import train_bpe
from ...scratch.fast.word_counts import count_text_words
from ...scratch.history import HistoricTokenizer as Kind
from ...scratch.history import HistoricTokens, tokenize_by_year
from ...scratch.reachable import ReachabilityVerdict, check_reachable
from ...types import Tokenizer, Traced, TrainedVocab
from ..charts import Scale
from ..steps.drawing import Drawing, Label, Stroke
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import MAX_TILES, NO_ID, make_row, spell, visible
from .code import trace_lines
from .merging import END
from .plots import Axes
from .prose import PHRASES, fill, sample_word, say
from .scene import Question, Trace, ask
from .sizes import LARGE, build_row, corpus, train_ranks

VOCABULARIES = ("o200k_base", "cl100k_base", "gpt2", "qwen3", "glm-4")
"""The tokenizers whose tokens can be tested; all are byte-level BPE."""
MOST_IDS = 24
VERDICTS = ("reachable", "unreachable", "undecodable", "special")


def trace_glitch(text: str, registry: Registry) -> Trace:
    """Trace the test of tokens by their ids: decode each one, encode its text, and compare."""
    steps: list[Step] = []
    results: list[Tested] = []
    for name, ids in _parse_ids(text, registry):
        tokenizer = registry.get(name, "scratch")
        row = make_row((_tile(tokenizer, id) for id in ids), name)
        facts = _fragments(name, tokenizer)
        start = say("glitch.steps.start", tokens=plural(len(ids), "token"), tokenizer=name)
        steps.append(Step(start, (row,), facts=facts))
        for line, step in trace_lines(_test_tokens(tokenizer, ids)):
            results.append((name, tokenizer, step))
            again = make_row((_tile(tokenizer, id) for id in step.again), "again")
            token, id, verdict = _tile(tokenizer, step.id), f"{step.id:,}", step.verdict
            meaning = fill(f"glitch.steps.{verdict}")
            sentence = say("glitch.steps.verdict", token=token, id=id, verdict=verdict, meaning=meaning)
            rows = (row, again) if step.again else (row,)
            steps.append(Step(sentence, rows, line, _verdicts(results), facts))
    return Trace(steps, _suspect(results, steps))


Tested = tuple[str, Tokenizer, ReachabilityVerdict]
"""A token that was tested: the name of its tokenizer, the tokenizer, and the verdict."""


def _test_tokens(tokenizer: Tokenizer, ids: Sequence[int]) -> Iterator[ReachabilityVerdict]:
    special = {*tokenizer.info.special_tokens.values(), *tokenizer.info.added_tokens.values()}
    return check_reachable(
        ids, lambda id: tokenizer.entry(id).raw, lambda text: tokenizer.encode(text).ids.tolist(), special
    )


def _parse_ids(text: str, registry: Registry) -> list[tuple[str, list[int]]]:
    """Return the ids of a text by tokenizer. Raises `Invalid` for what is none."""
    chosen: list[tuple[str, list[int]]] = []
    for word in re.split(r"[\s,:]+", text.strip()):
        if word in VOCABULARIES:
            chosen.append((word, []))
        elif word:
            if not chosen:
                chosen.append((VOCABULARIES[0], []))
            size = registry.info(chosen[-1][0]).vocab_size or 0
            if not (word.isascii() and word.isdecimal() and len(word) < 9 and int(word) < size):
                message = f"Type ids below {size:,}, after the name of a tokenizer: {join_names(VOCABULARIES)}."
                raise Invalid(message, pointer="/text")
            chosen[-1][1].append(int(word))
    chosen = [(name, _select_existing(registry.get(name, "scratch"), ids)) for name, ids in chosen if ids]
    if not chosen or sum(len(ids) for _, ids in chosen) > MOST_IDS:
        raise Invalid(f"Type from one to {MOST_IDS} ids of tokens.", pointer="/text")
    return chosen


def _select_existing(tokenizer: Tokenizer, ids: list[int]) -> list[int]:
    """Return the ids. Raises `Invalid` for an id between others that has no token."""
    for id in ids:
        try:
            tokenizer.entry(id)
        except UnknownId:
            raise Invalid(f"{tokenizer.info.title} has no token with id {id:,}.", pointer="/text") from None
    return ids


def _tile(tokenizer: Tokenizer, id: int) -> Tile:
    entry = tokenizer.entry(id)
    return Tile(spell(entry.raw), id, mark="special" if entry.kind == "special" else "")


def _fragments(name: str, tokenizer: Tokenizer) -> tuple[Fact, ...]:
    fragments = _count_fragments(name, tokenizer)
    return (
        Fact("tokens of the vocabulary", f"{tokenizer.info.tokens:,}"),
        Fact("undecodable, in the whole vocabulary", f"{fragments:,}", "beside 128 single bytes"),
    )


def _count_fragments(name: str, tokenizer: Tokenizer) -> int:
    """Return how many tokens of two bytes or more are not valid UTF-8 by themselves."""
    if name not in COUNTED:
        assert isinstance(tokenizer, Traced)
        COUNTED[name] = sum(len(raw) > 1 and not _is_text(raw) for raw in tokenizer.trace("").ids)
    return COUNTED[name]


COUNTED: dict[str, int] = {}
"""How many tokens of a vocabulary are no whole text; counted once, since it takes a tenth of a second."""


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _verdicts(results: Sequence[Tested]) -> Table:
    rows = (
        Row(((_tile(tokenizer, step.id),), f"{step.id:,}", name, step.verdict), chosen=step.verdict != "reachable")
        for name, tokenizer, step in results
    )
    return tabulate("Decode, encode, compare", ("token", "id", "vocabulary", "verdict"), rows)


def _suspect(results: Sequence[Tested], steps: Sequence[Step]) -> Question:
    suspects = [result for result in results if result[2].verdict not in ("reachable", "special")]
    name, tokenizer, step = [*suspects, results[-1]][0]
    cells = (f"{step.id:,}", name)
    shown_at = next(at for at, one in enumerate(steps) if one.table and one.table.rows[-1].cells[1:3] == cells)
    data = tokenizer.entry(step.id).raw[:MAX_TILES]
    rows = [make_row((Tile(f"{byte:02x}", NO_ID + byte) for byte in data), "bytes")]
    if step.again:
        alone = (Tile(spell(tokenizer.entry(id).raw), id) for id in step.again)
        rows.append(make_row(alone, "encoded"))
    special = fill("glitch.question.special") if step.verdict == "special" else ""
    given = Step((f"{fill('glitch.question.given')} {special}".strip(),), tuple(rows))
    reason = fill(f"glitch.steps.{step.verdict}").capitalize()
    if step.verdict == "unreachable":
        reason = f"{reason}: {' '.join(f'{id:,}' for id in step.again)}"
    return ask(
        "glitch.question",
        step.verdict,
        [(verdict, "other", {"why": fill(f"glitch.steps.{verdict}")}) for verdict in VERDICTS],
        given=given,
        because=f"{reason}.",
        shown_at=shown_at,
        token=_tile(tokenizer, step.id),
        id=f"{step.id:,}",
        tokenizer=name,
    )


IDEAS = (
    (2012, "WordPiece", "bert-base-uncased", "wordpiece"),
    (2018, "SentencePiece", "t5", "sentencepiece"),
    (2019, "byte-level BPE", "gpt2", "bytes"),
    (2022, "tiktoken", "cl100k_base", "tiktoken"),
    (2024, "tokenizer-free", "bytes", "patches"),
)
"""Ideas whose tokenizer is in the store: the year, a name, the tokenizer that works so, and the key of a sentence."""


def trace_history(text: str, registry: Registry) -> Trace:
    """Trace a text through one tokenizer of each idea, by year."""
    keys = {1994: "gage", 2016: "sennrich"} | {year: key for year, _, _, key in IDEAS}
    kinds = [
        Kind(1994, "byte pair encoding", _encode_by_own_merges),
        Kind(2016, "BPE for words", _encode_with_end_marks),
        *(Kind(year, name, partial(_pieces, registry.get(id, "scratch"))) for year, name, id, _ in IDEAS),
    ]
    start = say("history.steps.start", bytes=plural(len(text.encode()), "byte"))
    steps = [Step(start, (TileRow((Tile(text, NO_ID),), "text"),))]
    passed: list[HistoricTokens] = []
    for line, step in trace_lines(tokenize_by_year(text, kinds)):
        passed.append(step)
        year = step.tokenizer.year
        row = build_row(step.tokens, f"{year}")
        sentence = say(f"history.steps.{keys[year]}")
        steps.append(Step(sentence, (row,), line, _years(passed), figure=_timeline(passed)))
    return Trace(steps, _whose_cut(passed, text))


def _timeline(passed: Sequence[HistoricTokens]) -> Drawing:
    """Draw the years so far on a line whose lengths are those of time; names stand above and below by turns."""
    years = [step.tokenizer.year for step in passed]
    newest = years[-1]
    axes = Axes(Scale(years[0], 2024, 60, 560), Scale(0, 1, 44, 0))
    places = [x for x, _ in axes.place((year, 0) for year in years)]
    strokes = [Stroke(f"M{x:g} 38v12", "best" if year == newest else "") for x, year in zip(places, years, strict=True)]
    above = [Label(x, 30, f"{year}", bold=year == newest) for x, year in [*zip(places, years, strict=True)][::2]]
    says = "A line of time: " + ", ".join(f"{step.tokenizer.year} {step.tokenizer.name}" for step in passed)
    return axes.draw(strokes, {year: f"{year}" for year in years[1::2]}, says, above, bold={newest})


def _encode_by_own_merges(text: str) -> list[str]:
    """Return the tokens of BPE that is trained on this text alone, across its spaces."""
    return [spell(token) for token in merge(text.encode(), train_ranks([text], pattern=""))]


def _encode_with_end_marks(text: str) -> list[str]:
    """Return the tokens of BPE with a mark at the end of each word; a character that it never saw is unknown."""
    ranks, known = _train_with_end_marks()
    words = ([*word[:-1], word[-1] + END] for word in text.split())
    tokens = (token for word in words for token in encode_by_ranks(word, ranks))
    return [token if token in known else "<unk>" for token in tokens]


def encode_by_ranks(symbols: Sequence[str], ranks: Mapping[tuple[str, str], int]) -> list[str]:
    """Return the tokens of the symbols of a word.

    >>> encode_by_ranks(["a", "b", "c</w>"], {("b", "c</w>"): 0})
    ['a', 'bc</w>']
    """
    return [*iter_merges(symbols, lambda a, b: ranks.get((a, b)))][-1].tokens


@cache
def _train_with_end_marks() -> tuple[Mapping[tuple[str, str], int], frozenset[str]]:
    """Return the ranks of merges that are learned here from the declaration, and the vocabulary."""
    words = count_text_words(corpus(), pattern=r"\S+", trusted=True)
    *_, vocabulary = train_bpe(words, size=LARGE, unit="marked")
    assert isinstance(vocabulary, TrainedVocab)
    pieces = vocabulary.pieces
    return {(pieces[a], pieces[b]): rank for rank, (a, b) in enumerate(vocabulary.merges)}, frozenset(pieces)


def _pieces(tokenizer: Tokenizer, text: str) -> list[str]:
    return [tokenizer.entry(id).piece for id in tokenizer.encode(text).ids.tolist()]


def _years(passed: Sequence[HistoricTokens]) -> Table:
    rows = []
    for step in passed:
        rate = "–" if step.bytes_per_token is None else f"{step.bytes_per_token:.2f}"
        rows.append((f"{step.tokenizer.year}", step.tokenizer.name, f"{len(step.tokens)}", rate))
    heads = ("", "idea", "tokens", "bytes per token")
    return tabulate("The same text, by year", heads, rows, chosen=(len(rows) - 1,))


CHOICE_LENGTH = 36
"""Characters of a choice, so that its length says nothing."""
ASKED = (2012, 2016, 2018, 2019)
"""Years whose idea shows in how the tokens are written."""


def _whose_cut(passed: Sequence[HistoricTokens], text: str) -> Question | None:
    """Return the question which tokens are those of one of the ideas, drawn from the text; None if two are the same."""
    cuts = {step.tokenizer.year: " · ".join(map(visible, step.tokens)) for step in passed}
    cuts = {year: cut if len(cut) <= CHOICE_LENGTH else f"{cut[:CHOICE_LENGTH]}…" for year, cut in cuts.items()}
    year = ASKED[len(text) % len(ASKED)]
    if list(cuts.values()).count(cuts[year]) > 1:
        return None
    names = {step.tokenizer.year: step.tokenizer.name for step in passed}
    marks = {year: fill(f"history.question.mark-{year}") for year in cuts}
    others = [other for other in cuts if other != year]
    return ask(
        "history.question",
        cuts[year],
        [(cuts[one], "other", {"year": one, "idea": names[one], "mark": marks[one]}) for one in others],
        because=marks[year],
        shown_at=[*cuts].index(year) + 1,
        year=year,
        idea=names[year],
    )


def sample_ids(random: Random) -> str:
    """Return ids of o200k_base, some of fragments, some of special tokens."""
    text = random.randint(1_000, 90_000)
    unreachable = random.choice((98_510, 98_726))
    kinds = (f"gpt2 {text % 50_000}", f"o200k_base {random.randint(128, 255)}", f"glm-4 {unreachable}")
    return random.choice((*kinds, f"o200k_base {text} {random.choice((199_999, 200_018))}"))


def sample_phrase(random: Random) -> str:
    """Return a short phrase."""
    return f"{random.choice(PHRASES)} {sample_word(random).title()}"
