"""The scene about superwords: BPE whose merges may join words after a transition, what that saves and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from random import Random
from typing import NamedTuple

from ...errors import plural
from ...registry import Registry
from ...scratch.bpe import encode_by_pairs
from ...scratch.compat.pipeline.pre_tokenizers import join_byte_level
from ...scratch.fast.bpe.encode_pairs import PairMergedBytes
from ...scratch.fast.bpe.superwords import Superwords
from ...scratch.fast.bpe.train import MergeProgress, train_bpe
from ...scratch.fast.word_counts import count_text_words
from ...scratch.learn_bpe import Merged, PairCounts, learn
from ...scratch.pretokenize import GPT2, pretokenize
from ...scratch.superwords import WEAK, Reading, is_new, is_new_and_short, iter_superword_steps
from ...settings import Settings
from ...types import TrainedVocab
from ..steps.step import Fact, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, make_row, percent, spell
from ..train.corpora import read_chapters
from .code import trace_lines
from .colours import distinguish
from .merging import MOST_PAIRS
from .prose import count_times, say
from .scene import Question, Trace, Wrong, ask

WITHIN, ACROSS = 8, 6
"""Merges before the transition, and at most after it."""
MOST_ROWS = 8
MOST_FIRST, MOST_LONGEST = 8, 1
SIZE, TRANSITION = 3000, 2400
"""Tokens of the vocabularies that are trained on the book, in all and at the transition."""
CHAPTERS = 20
"""Chapters of the book that are used, so that both trainings take less than a second together, once."""
HELD_OUT = 5
"""Each chapter whose number this divides is not learned from."""
OTHERS = "tokens, other chapters"
PHRASES = ("one of the {}s", "some of the {}s", "all of the {}s", "the end of the {}", "the day of the {}")
NOUNS = ("cat", "king", "sea", "river", "town", "ship", "star", "book", "road", "year")
Pair = tuple[str, str]
Ranked = list[tuple[Pair, int]]
"""The pairs that may be merged, with their counts, the most frequent first."""


def trace_superwords(text: str, registry: Registry) -> Trace:
    """Trace merges within the words of some lines, the transition, and merges across the words of each line."""
    lines = [line for line in text.splitlines() if line.strip()]
    words = Counter(word for line in lines for _, word in pretokenize(line))
    texts = Counter(part for line in lines for _, part in pretokenize(line, WEAK))
    vocabulary = sorted({symbol for word in texts for symbol in word})
    taught = iter_superword_steps(words, texts, transition=len(vocabulary) + WITHIN, alphabet=vocabulary)
    steps: list[Step] = []
    merges: list[Pair] = []
    ranked: list[Ranked] = []
    transition = within = asked = 0  # the step at which merges may cross words, and the merges and ranks before it
    for line, step in trace_lines(taught):
        if isinstance(step, Reading):
            transition, within, asked = len(steps), len(merges), len(ranked)
            counts, now = [*step.texts.values()], [*step.texts]
            key = "start" if not steps else "transition" if merges else "nothing"
            kinds = plural(len(words), "different word")
            sentence = say(f"superwords.steps.{key}", words=kinds, merges=plural(within, "merge"))
            steps.append(_step(sentence, line, now, counts, vocabulary))
        elif isinstance(step, PairCounts):
            ranked.append(_rank(step, vocabulary, across=transition > 0))
        elif len(merges) < within + ACROSS or not transition:
            vocabulary = step.vocabulary
            merges.append(step.pair)
            now = [tuple(vocabulary[id] for id in word) for word in step.words]
            sentence = _say_merge(step, words if transition else ())
            table = _tabulate(ranked[-1], vocabulary)
            steps.append(_step(sentence, line, now, counts, vocabulary, table, vocabulary[-1]))
        else:
            break
    question = _ask_next(ranked[asked], steps[transition], transition + 1, words)
    steps += _trace_result(lines, words, merges, within, vocabulary)
    return distinguish(Trace([*steps, _trace_larger()], question))


def _step(
    sentence: Words,
    line: tuple[str, int],
    texts: Sequence[Sequence[str]],
    counts: Sequence[int],
    vocabulary: Sequence[str],
    table: Table | None = None,
    new: str = "",
) -> Step:
    """Return a step with the tokens of the first words or texts."""
    labels = [f"×{count}" if count > 1 else "" for count in counts]
    rows = tuple(_row(one, vocabulary, label, new) for one, label in zip(texts[:MOST_ROWS], labels, strict=False))
    length = sum(len(one) * count for one, count in zip(texts, counts, strict=True))
    facts = (Fact("corpus length, in tokens", f"{length:,}"), Fact("vocabulary", f"{len(vocabulary)}"))
    return Step(sentence, rows, line, table, facts, rows_left_out=max(0, len(texts) - MOST_ROWS))


def _row(tokens: Sequence[str], vocabulary: Sequence[str], label: str, new: str = "") -> TileRow:
    tiles = (Tile(one, vocabulary.index(one), mark="new" if one == new else "") for one in tokens)
    return make_row(tiles, label)


def _say_merge(step: Merged, words: Collection[str]) -> Words:
    """Return what a merge makes; `words` are those that it may cross after the transition."""
    new = step.vocabulary[-1]
    key = _describe(new, words) if words else "within"
    first, second, made = (Tile(one, step.vocabulary.index(one)) for one in (*step.pair, new))
    times = count_times(step.frequency)
    return say(f"superwords.steps.{key}", first=first, second=second, new=made, times=times)


def _describe(token: str, words: Collection[str]) -> str:
    """Return whether a token is inside a word, has parts of two words, or goes over the end of one."""
    if any(token in word for word in words):
        return "inside"
    return "across" if " " in token.strip() else "over"


def _rank(step: PairCounts, vocabulary: Sequence[str], *, across: bool) -> Ranked:
    """Return the pairs that may be merged."""
    allowed = is_new_and_short if across else is_new
    ordered = sorted(step.pairs.items(), key=lambda item: -item[1])
    return [((vocabulary[a], vocabulary[b]), count) for (a, b), count in ordered if allowed((a, b), vocabulary)]


def _tabulate(ranked: Ranked, vocabulary: Sequence[str]) -> Table:
    rows = [(tuple(Tile(one, vocabulary.index(one), at) for at, one in enumerate(pair)), f"{n}") for pair, n in ranked]
    return tabulate("Adjacent pairs", ("pair", "count"), rows, chosen=(0,), most=MOST_PAIRS)


def _ask_next(ranked: Ranked, given: Step, shown_at: int, words: Collection[str]) -> Question | None:
    """Return the question which token comes first after the transition; None if there is none, or nothing else."""
    (first, second), most = ranked[0] if ranked else (("", ""), 0)
    rarer = [(a + b, count) for (a, b), count in ranked if count < most]
    if most < 2 or not rarer:
        return None
    whole = next((a + first + second for (a, b), _ in ranked if b == first), "")
    wrong: list[Wrong] = [(Tile(whole, NO_ID), "three")] if whole else []
    for token, count in rarer:
        key = "inside" if _describe(token, words) == "inside" else "rarer"
        wrong.append((Tile(token, NO_ID + len(wrong)), key, {"times": count_times(count)}))
    right = Tile(first + second, NO_ID + len(wrong))
    given = Step(say("superwords.question.given"), given.rows, rows_left_out=given.rows_left_out)
    return ask("superwords.question", right, wrong, given=given, shown_at=shown_at, times=count_times(most), near=False)


def _trace_result(
    lines: Sequence[str], words: Mapping[str, int], merges: Sequence[Pair], within: int, vocabulary: Sequence[str]
) -> Iterator[Step]:
    """Yield what as many merges make of the lines within words and across them, and a prompt that ends in between."""
    alone = [(first, second) for first, second, _ in learn(words, len(merges))]
    known = [*dict.fromkeys([*vocabulary, *(first + second for first, second in alone)])]
    by_words = [[*chain(*(encode_by_pairs([*word], alone) for _, word in pretokenize(line)))] for line in lines]
    by_texts = [_encode(line, merges) for line in lines]
    before, after = sum(map(len, by_words)), sum(map(len, by_texts))
    rows = [("words", f"{before}"), ("superwords", f"{after}")]
    table = tabulate("Tokens of the lines", ("merges within", "tokens"), rows)
    shown = (_row(by_words[0], known, "words"), _row(by_texts[0], known, "superwords"))
    number = plural(len(merges), "merge")
    yield Step(say("superwords.steps.result", merges=number, before=before, after=after), shown, table=table)
    for first, second in merges[within:]:
        line = next((line for line in lines if first + second in line), "")
        prompt = line[: line.find(first + second) + len(first)]
        apart = first.strip() and second.strip() and _describe(first + second, words) != "inside"
        if apart and line and _encode(prompt, merges)[-1] == first:
            shown = (_row(_encode(line, merges), known, "text"), _row(_encode(prompt, merges), known, "prompt"))
            begin, rest, new = (Tile(one, known.index(one)) for one in (first, second, first + second))
            yield Step(say("superwords.steps.prompt", first=begin, second=rest, new=new), shown)
            return


def _encode(line: str, merges: Sequence[Pair]) -> list[str]:
    return [token for _, part in pretokenize(line, WEAK) for token in encode_by_pairs([*part], merges)]


class Saving(NamedTuple):
    """What is counted of two vocabularies, one of words and one with superwords, and the superwords in their order."""

    counted: dict[str, tuple[int, int]]
    superwords: list[str]


def _trace_larger() -> Step:
    """Return what superwords save and cost on a larger text, with vocabularies of one size."""
    saving = _train_both()
    rows = [(name, f"{alone:,}", f"{across:,}") for name, (alone, across) in saving.counted.items()]
    table = tabulate(f"{SIZE:,} tokens learned from Moby-Dick", ("", "words", "superwords"), rows)
    before, after = saving.counted[OTHERS]
    made = saving.superwords
    longest = sorted(made, key=len)[-MOST_LONGEST:]
    shown = (_row(made[:MOST_FIRST], made, "first"), *(_row([one], made, "longest") for one in longest[::-1]))
    size, transition, saved = f"{SIZE:,}", f"{TRANSITION:,}", percent(1 - after / before)
    sentence = say("superwords.steps.larger", size=size, transition=transition, saved=saved)
    return Step(sentence, shown, table=table)


@cache
def _train_both() -> Saving:
    """Train both on most of the first chapters of Moby-Dick, and count their tokens for the others."""
    chapters = read_chapters(Settings().store)[:CHAPTERS]
    learned_from = [text for number, text in enumerate(chapters, 1) if number % HELD_OUT]
    others = chapters[HELD_OUT - 1 :: HELD_OUT]
    words, texts = (count_text_words(learned_from, pattern=pattern, trusted=True) for pattern in (GPT2, WEAK))
    superwords = Superwords(TRANSITION, texts, WEAK)
    trained = [[*train_bpe(words, size=SIZE, pattern=GPT2, superwords=one)] for one in (None, superwords)]
    last = [step.tokens for *_, step, _ in trained if isinstance(step, MergeProgress)]
    alone, across = (vocabulary for *_, vocabulary in trained if isinstance(vocabulary, TrainedVocab))

    def both(count: Callable[[TrainedVocab], int]) -> tuple[int, int]:
        return count(alone), count(across)

    def count_words(vocabulary: TrainedVocab) -> Iterator[list[str]]:
        return (_read(piece).split() for piece in vocabulary.pieces)

    counted = {
        "tokens, learned from": (last[0], last[1]),
        OTHERS: both(lambda one: _count_tokens(one, others)),
        "rows of words": both(lambda one: sum(len(held) < 2 for held in count_words(one))),
        "rows of superwords": both(lambda one: sum(len(held) > 1 for held in count_words(one))),
        "rows with the word the": both(lambda one: sum("the" in held for held in count_words(one))),
        "letters held to train": (sum(map(len, words)), sum(map(len, texts))),
    }
    return Saving(counted, [_read(piece) for piece in across.pieces if len(_read(piece).split()) > 1])


def _read(piece: str) -> str:
    """Return a token of bytes as text."""
    return spell(join_byte_level([piece]))


def _count_tokens(vocabulary: TrainedVocab, texts: Sequence[str]) -> int:
    ids = {piece: id for id, piece in enumerate(vocabulary.pieces)}
    made = [ids[vocabulary.pieces[a] + vocabulary.pieces[b]] for a, b in vocabulary.merges]
    model = PairMergedBytes(dict(zip(vocabulary.merges, enumerate(made), strict=True)), vocabulary.pattern)
    return sum(1 for text in texts for _ in model.encode(text))


def sample_lines(random: Random) -> str:
    """Return four lines that share some words."""
    nouns = random.choices(random.sample(NOUNS, 3), k=4)
    return "\n".join(random.choice(PHRASES).format(noun) for noun in nouns)
