"""Scenes about byte pair encoding: learning merges, encoding by them, and the pattern that runs before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from random import Random
from typing import Any

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.bpe import iter_merges
from ...scratch.learn_bpe import Merged, PairCounts, iter_learning_steps
from ...scratch.pretokenize import pretokenize
from ..steps.learning import is_table, word_counts
from ..steps.patterns import alternatives, expression, split_atoms
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, format_change, make_row, spell, visible
from .answers import ask_order, mix_parts
from .code import trace_lines
from .colours import distinguish, share_columns
from .prose import SHORT_WORDS, count_times, fill, say
from .scene import Question, Trace, Wrong, ask
from .texts import trace_text

END = "</w>"
MOST_PAIRS = 8
"""Pairs that the table of counts shows."""
MOST_PLACES = 12
"""Places of a text that the table of its pairs shows."""
MOST_WORDS = 24
"""Words of a corpus that a step shows."""
MERGES = 8
"""Merges at which the scene of training has the vocabulary size that was chosen."""


def trace_bpe_training(text: str, registry: Registry) -> Trace:
    """Trace the training of BPE on words with counts, or on running text, with an end-of-word mark in a table."""
    table = is_table(text)
    words = {(*word, END) if table else tuple(word): count for word, count in corpus(text).items()}
    made: list[Best] = []

    def rank(step: PairCounts, now: Corpus, vocabulary: Sequence[str]) -> tuple[list[Pair], Table]:
        made.append(_rank_pairs(step, vocabulary))
        best = made[-1]
        return [pair for pair, count in best if count == best[0][1] > 1], _tabulate_pairs(best)

    steps = trace_merges("learn-bpe", "count", iter_learning_steps(words), words, rank, MERGES)
    if len(words) == 1:
        steps[0] = replace(steps[0], table=_tabulate_places(*words))
    last, first = steps[-1], steps[0]
    question = _next_pair(made[0], words, first) if made else None
    if question and question.given:
        question = replace(question, given=replace(question.given, rows_left_out=first.rows_left_out))
    if len(steps) == 1 + 2 * MERGES:
        reached = say("learn-bpe.steps.size", number=plural(int(last.facts[1].value), "token"))
        rows = (replace(row, tiles=tuple(replace(tile, mark="") for tile in row.tiles)) for row in last.rows)
        steps.append(replace(last, sentence=reached, rows=tuple(rows), line=("", 0), symbols=()))
    ordered = _order_pairs(made, first.rows) if question else None
    return distinguish(Trace(steps, question, (ordered,) if ordered else ()))


Pair = tuple[Tile, Tile]
Corpus = Sequence[Sequence[int]]
"""The words of a corpus as the numbers of their tokens in the vocabulary."""


def trace_merges(
    scene: str,
    symbol: str,
    learner: Iterator[Any],
    words: Mapping[tuple[str, ...], int],
    rank: Callable[[Any, Corpus, Sequence[str]], tuple[Sequence[Pair], Table]],
    most: int,
) -> list[Step]:
    """Return the steps of a learner of merges: the pairs before each merge, and then the list of merges.

    `rank` returns the best pairs, of which the first is merged next, and all pairs as a table; `symbol` is what it
    ranks by in the equation. The learner stops after `most` merges.
    """
    vocabulary = sorted({token for word in words for token in word})
    now: Corpus = [[vocabulary.index(token) for token in word] for word in words]
    labels = [f"×{count}" if count > 1 else "" for count in words.values()]
    symbols = plural(sum(len(word) * count for word, count in words.items()), "symbol")
    start = say(f"{scene}.steps.start", kinds=plural(len(words), "different word"), symbols=symbols)
    facts = _lengths(now, words.values(), None, len(vocabulary))
    steps = [Step(start, corpus_rows(now, vocabulary, labels), facts=facts)]
    merges: list[tuple[str, Pair, Words]] = []
    pair: Pair | None = None
    for line, step in islice(trace_lines(learner), 2 * most):
        if isinstance(step, Merged) and pair:
            before, now, vocabulary = now, step.words, step.vocabulary
            new = Tile(vocabulary[-1], len(vocabulary) - 1, mark="new")
            tokens = plural(len(vocabulary), "token")
            sentence = say(f"{scene}.steps.merge", first=pair[0], second=pair[1], new=new, tokens=tokens)
            merges.append((f"{len(merges) + 1}", pair, (new,)))
            rows = corpus_rows(now, vocabulary, labels, new.key)
            facts = _lengths(now, words.values(), before, len(vocabulary))
            steps.append(Step(sentence, rows, line, _list_merges(merges), facts, ("merge",)))
            continue
        best, table = rank(step, now, vocabulary)
        pair = best[0] if best else None
        sentence = say(f"{scene}.steps.end")
        if pair and len(best) > 1:
            sentence = say(f"{scene}.steps.tied", first=pair[0], second=pair[1], pairs=len(best))
        elif pair:
            sentence = say(f"{scene}.steps.best", first=pair[0], second=pair[1])
        elif merges:
            table = _list_merges(merges)
        rows = corpus_rows(now, vocabulary, labels, pair=tuple(tile.key for tile in pair or ()))
        steps.append(Step(sentence, rows, line, table, facts, (symbol, *(["best"] if pair else []))))
    return [replace(step, rows_left_out=max(0, len(words) - MOST_WORDS)) for step in steps]


def corpus(text: str) -> Mapping[str, int]:
    """Return the words of a table or a text, and how often each occurs.

    >>> corpus("low 5\\nnew 6"), corpus("to be or not to be")["to"], corpus("abab")
    ({'low': 5, 'new': 6}, 2, {'abab': 1})
    """
    table = is_table(text)
    return word_counts(text, pattern="spaces" if table or " " in text.strip() else "whole", table=table)


def corpus_rows(
    words: Corpus, vocabulary: Sequence[str], labels: Sequence[str], new: int = -1, pair: tuple[int, ...] = ()
) -> tuple[TileRow, ...]:
    """Return the words of a corpus as rows, with their counts, and marked the newest token or a pair everywhere."""

    def tiles(word: Sequence[int]) -> Iterator[Tile]:
        lit = {at for at, two in enumerate(pairwise(word)) if two == pair}
        for at, id in enumerate(word):
            yield Tile(vocabulary[id], id, mark="new" if id == new or at in lit or at - 1 in lit else "")

    return tuple(make_row(tiles(word), label) for word, label in zip(words[:MOST_WORDS], labels, strict=False))


def _lengths(words: Corpus, counts: Iterable[int], before: Corpus | None, size: int) -> tuple[Fact, ...]:
    def length(words: Corpus) -> int:
        return sum(len(word) * count for word, count in zip(words, counts, strict=True))

    def count_used(words: Corpus) -> int:
        return len({id for word in words for id in word})

    shorter = format_change(length(words) - length(before)) if before else ""
    change = format_change(count_used(words) - count_used(before)) if before else ""
    return (
        Fact("corpus length, in tokens", f"{length(words):,}", shorter),
        Fact("vocabulary", f"{size}"),
        Fact("of which the corpus now uses", f"{count_used(words)}", change),
    )


Best = list[tuple[Pair, int]]
"""Pairs and their counts, the most frequent first."""


def _rank_pairs(step: PairCounts, vocabulary: Sequence[str]) -> Best:
    """Return the pairs and their counts, the most frequent first and of equals the first seen."""
    order = sorted(step.pairs.items(), key=lambda item: -item[1])
    return [((Tile(vocabulary[a], a), Tile(vocabulary[b], b, 1)), count) for (a, b), count in order]


def _tabulate_pairs(best: Best) -> Table:
    tied = [pair for pair, count in best if count == best[0][1]]
    rows = [
        Row((pair, f"{count:,}", "first seen" if not at and len(tied) > 1 else ""), chosen=at == 0 and count > 1)
        for at, (pair, count) in enumerate(best)
    ]
    return tabulate("Adjacent pairs", ("pair", "count", "tie"), rows, most=MOST_PAIRS)


def _tabulate_places(word: Sequence[str]) -> Table:
    """Return the pair at each place of a text, of which each counts once."""
    rows = ((f"{k}", f"({visible(a)}, {visible(b)})", "1") for k, (a, b) in enumerate(pairwise(word), 1))
    return tabulate("Pairs by place", ("k", "(sₖ, sₖ₊₁)", "adds"), rows, most=MOST_PLACES)


def _list_merges(merges: Sequence[tuple[str, Pair, Words]]) -> Table:
    """Return what training has learned so far: the merges in their order."""
    return tabulate("The list of merges", ("number", "pair", "makes"), merges, chosen=(len(merges) - 1,))


def _next_pair(best: Best, words: Iterable[tuple[str, ...]], first: Step) -> Question | None:
    """Return the question for the most frequent pair. Of several, the first is offered, and the others are not."""
    others = [(pair, count) for pair, count in best if count < best[0][1]]
    if not others or best[0][1] < 2:
        return None
    right, highest = best[0]
    in_words = Counter(pair for word in words for pair in {*pairwise(word)})
    common = max([best[0], *others], key=lambda one: in_words[one[0][0].text, one[0][1].text])
    spread = dict.fromkeys((0, len(others) - 1, len(others) // 2, *range(len(others))))
    offered = [("unweighted", common)] if common[0] != right else []
    offered += [("rarer", others[at]) for at in spread]
    tied = len(best) - len(others) - 1
    most = count_times(highest)
    return ask(
        "learn-bpe.question",
        _spell_pair(right),
        [(_spell_pair(pair), why, {"times": count_times(count)}) for why, (pair, count) in offered],
        first.rows,
        table=first.table,
        shown_at=2,
        prompt="among" if tied else "prompt",
        reason="tied" if tied else "reason",
        times=most,
        most=most,
        others=plural(tied, "other pair does", "other pairs do"),
    )


ORDERED = 3
"""Merges to put in order."""


def _order_pairs(made: Sequence[Best], rows: tuple[TileRow, ...]) -> Question | None:
    """Return the question in which order the first merges come; None if two could change places, or there are too few.

    A merge comes after another one that is more frequent or makes one of its parts.
    """
    first = [best[0] for best in made[:ORDERED] if best and best[0][1] > 1]
    counts = [count for _, count in first]
    tokens = [[tile.text for tile in pair] for pair, _ in first]
    follows = [
        more > less or "".join(before) in after
        for (before, after), (more, less) in zip(pairwise(tokens), pairwise(counts), strict=True)
    ]
    if len(first) < ORDERED or not all(follows):
        return None
    pairs = [" ".join(map(visible, parts)) for parts in tokens]
    wrong = [(sorted(pairs, key=len), fill("learn-bpe.question.short"))]
    wrong.append((pairs[::-1], fill("learn-bpe.question.reversed")))
    given = Step(say("learn-bpe.question.given"), rows)
    reason = fill("learn-bpe.question.in-order", counts=", ".join(map(str, counts[:-1])), last=counts[-1])
    return ask_order(say("learn-bpe.question.order"), pairs, reason, wrong, given, 2 * ORDERED)


def _spell_pair(pair: tuple[Tile, Tile]) -> Words:
    return pair[0], " ", pair[1]


ENCODER = "gpt2"


def trace_bpe(text: str, registry: Registry) -> Trace:
    """Trace the merges of one word with the ranks of GPT-2's vocabulary, and set the longest match beside it."""
    words = [part for _, part in pretokenize(text) if part.strip()]
    if not words:
        raise Invalid("Type a word to see it encoded.", pointer="/text")
    word = words[0].encode()
    shown = "first" if words[1:] else "start"
    ids = trace_text(registry, ENCODER, word.decode()).ids
    before = [word[at : at + 1] for at in range(len(word))]
    steps = list[Step]()
    ranked: list[Candidates] = []
    ways: list[RankedMerge] = []
    for line, step in trace_lines(iter_merges(before, lambda a, b: ids.get(a + b))):
        candidates = _candidates(step.tokens, ids)
        # The pairs before this merge, with the one that merged: what the sentence is about.
        table = _ranks(ranked[-1], chosen=True) if ranked else _ranks(candidates)
        ranked.append(candidates)
        sentence = say(f"bpe.steps.{shown}", bytes=plural(len(word), "byte"))
        row = _token_row(step.tokens, ids, new=-1 if step.rank is None else step.place)
        if step.rank is not None:
            begin = sum(map(len, step.tokens[: step.place]))
            ways.append((step.rank, before[step.place], before[step.place + 1], begin))
            sentence = say("bpe.steps.merge", rank=f"{step.rank:,.0f}", new=replace(row.tiles[step.place], at=0))
        before = step.tokens
        steps.append(Step(sentence, (row,), line, table, symbols=("rank", "best") if candidates else ("rank",)))
    steps.append(replace(_against_longest(before, word, ids, ways), table=_list_made(ways, ids)))
    ordered = _order_merges(ways[:ORDERED], steps[0].rows)
    return distinguish(Trace(steps, _second_merge(ranked, word, ids), (ordered,) if ordered else ()))


RankedMerge = tuple[float, bytes, bytes, int]
"""The rank of a merge, its parts, and where it begins in the word."""


def _order_merges(ways: Sequence[RankedMerge], rows: tuple[TileRow, ...]) -> Question | None:
    """Return the question in which order the first merges of a word come; None if there are too few."""
    if len(ways) < ORDERED:
        return None
    names = {way: f"{visible(spell(way[1]))} {visible(spell(way[2]))}" for way in ways}

    def order(key: Callable[[RankedMerge], float]) -> list[str]:
        return [names[way] for way in sorted(ways, key=key)]

    wrong = [
        (order(lambda way: way[0]), fill("bpe.question.too-early")),
        (order(lambda way: -way[0]), fill("bpe.question.highest-first")),
        (order(lambda way: way[3]), fill("bpe.question.from-left")),
    ]
    rank_of = {name: f"{way[0]:,.0f}" for way, name in names.items()}
    ranks = [(name, rank_of[name]) for name in mix_parts(rank_of)]
    given = Step(say("bpe.question.ranks"), rows, table=tabulate("Ranks of three merges", ("merge", "rank"), ranks))
    prompt = say("bpe.question.order")
    return ask_order(prompt, [*names.values()], fill("bpe.question.in-order"), wrong, given, ORDERED)


def _token_row(tokens: Iterable[bytes], ids: Mapping[bytes, int], label: str = "", new: int = -1) -> TileRow:
    tiles = (_token(token, ids, at) for at, token in enumerate(tokens))
    return TileRow(tuple(replace(tile, mark="new") if tile.at == new else tile for tile in tiles), label)


def _token(token: bytes, ids: Mapping[bytes, int], at: int = 0) -> Tile:
    return Tile(spell(token), ids.get(token, NO_ID), at)


Candidates = list[tuple[float, Tile, Tile, Tile]]
RANK_HEADS = ("pair", "rank", "makes")


def _candidates(tokens: Sequence[bytes], ids: Mapping[bytes, int]) -> Candidates:
    """Return the pairs that may merge, each as its rank, its parts and what they make; the lowest rank first."""
    pairs = {(a, b): ids[a + b] for a, b in pairwise(tokens) if a + b in ids}
    return [
        (rank, _token(a, ids), _token(b, ids, 1), _token(a + b, ids))
        for (a, b), rank in sorted(pairs.items(), key=lambda item: item[1])
    ]


def _ranks(candidates: Candidates, *, chosen: bool = False) -> Table | None:
    if not candidates:
        return None
    rows = [((a, b), f"{rank:,}", (made,)) for rank, a, b, made in candidates]
    return tabulate("Pairs that may merge", RANK_HEADS, rows, chosen=(0,) if chosen else (), most=MOST_PAIRS)


def _list_made(ways: Sequence[RankedMerge], ids: Mapping[bytes, int]) -> Table | None:
    """Return the merges of a word in their order; None if there are none."""
    rows = [((_token(a, ids), _token(b, ids, 1)), f"{rank:,.0f}", (_token(a + b, ids),)) for rank, a, b, _ in ways]
    return tabulate("Merges of this word, in order", RANK_HEADS, rows) if rows else None


def _second_merge(ranked: Sequence[Candidates], word: bytes, ids: Mapping[bytes, int]) -> Question | None:
    """Return the question for the second merge; None if there is none, or if it is of the same pair as the first."""
    before, after = [*ranked, [], []][:2]
    if not after or after[0] == before[0]:
        return None
    leftmost = min(after, key=lambda one: word.find((one[1].text + one[2].text).encode()))
    reasons = {rank: "higher" for rank, *_ in after} | {after[-1][0]: "highest", leftmost[0]: "leftmost"}
    others = [leftmost, after[-1], *after[1:], *before]
    wrong: list[Wrong] = [(_spell_pair(before[0][1:3]), "first")]
    wrong += [(_spell_pair(one[1:3]), reasons.get(one[0], "used"), {"rank": f"{one[0]:,}"}) for one in others]
    known = {one[0]: one for one in (*before, *after)}
    rows = [((x, y), f"{rank:,}") for rank, x, y, _ in sorted(known.values(), key=lambda one: one[3].text)]
    return ask(
        "bpe.question",
        _spell_pair(after[0][1:3]),
        wrong,
        (_token_row((word[at : at + 1] for at in range(len(word))), ids),),
        table=tabulate("Pairs of this word in GPT-2’s list of merges", ("pair", "rank"), rows),
        shown_at=2,
        lowest=f"{after[0][0]:,}",
    )


def _against_longest(
    tokens: Sequence[bytes], word: bytes, ids: Mapping[bytes, int], ways: Sequence[RankedMerge]
) -> Step:
    """Return the step that sets what the merges gave beside the longest match from the left.

    The first merge across the end of the longest match is why that was not reached.
    """
    longest = list[bytes]()
    start = 0
    while start < len(word):
        end = max(end for end in range(start + 1, len(word) + 1) if word[start:end] in ids)
        longest.append(word[start:end])
        start = end
    sentence = say("bpe.steps.same") if longest == [*tokens] else say("bpe.steps.different")
    across = (a + b for _, a, b, begin in ways if begin < len(longest[0]) < begin + len(a + b))
    if longest != [*tokens] and (early := next(across, None)):
        sentence = say("bpe.steps.other", longest=_token(longest[0], ids), early=_token(early, ids))
    return Step(sentence, (_token_row(tokens, ids, "BPE"), _token_row(longest, ids, "longest")))


READ_PATTERNS = {r"\w+|.": ("word", "any"), r" ?\p{L}+|\p{N}{1,3}": ("letters", "digits")}
"""Short patterns to read, and the keys of what their alternatives match."""
PATTERNS = (("GPT-2", "gpt2"), ("GPT-4", "cl100k"), ("GPT-4o", "o200k"), ("Llama 3", "llama3"), ("Qwen 3", "qwen3"))
"""The patterns of the scene: the model, and the name of its pattern."""


def trace_pretokenization(text: str, registry: Registry) -> Trace:
    """Trace the same text through the patterns of several models."""
    steps = [Step(say("pretokenize.steps.start"), (_whole(text),)), *_read_patterns(text)]
    rows: list[TileRow] = []
    cuts: dict[str, list[str]] = {}
    ends: list[list[int]] = []
    for model, name in PATTERNS:
        traced = [*trace_lines(pretokenize(text, expression(name)))]
        words = [word for _, (_, word) in traced]
        same = [other for other, cut in cuts.items() if cut == words]
        cuts[model] = words
        ends.append([*accumulate(map(len, words))])
        starts = [0, *ends[-1]]  # pieces that begin at one place have one colour in every row
        rows.append(make_row((Tile(word, NO_ID + start) for word, start in zip(words, starts, strict=False)), model))
        pieces = plural(len(words), "piece")
        sentence = say("pretokenize.steps.cut", model=model, pieces=pieces)
        if same:
            sentence = say("pretokenize.steps.same", model=model, pieces=pieces, other=same[0])
        line = traced[0][0] if traced else ("", 0)
        table = _tabulate_pattern(f"The pattern of {model}: each match is a piece", expression(name))
        steps.append(Step(sentence, tuple(rows), line, table, columns=share_columns(*ends)))
    return distinguish(Trace(steps, _pieces({model: len(cut) for model, cut in cuts.items()}, text)))


def _read_patterns(text: str) -> Iterator[Step]:
    """Yield a step for each of two short patterns: its pieces, and what each of its alternatives matches."""
    for pattern, kinds in READ_PATTERNS.items():
        traced = [*trace_lines(pretokenize(text, pattern))]
        names = [fill(f"pretokenize.steps.{kind}") for kind in kinds]
        pieces = plural(len(traced), "piece")
        sentence = say(f"pretokenize.steps.read-{kinds[0]}", pattern=Tile(pattern, NO_ID), pieces=pieces)
        row = make_row((Tile(word, NO_ID + start) for _, (start, word) in traced), "pieces")
        line = traced[0][0] if traced else ("", 0)
        yield Step(sentence, (row,), line, _tabulate_pattern("How to read a pattern", pattern, names))


def _tabulate_pattern(title: str, pattern: str, names: Sequence[str] = ()) -> Table:
    """Return the alternatives of a pattern, with their numbers or names."""
    every = enumerate(alternatives(pattern))
    rows = ((names[at] if names else f"{at + 1}", tuple(map(visible, split_atoms(one)))) for at, one in every)
    return replace(tabulate(title, ("", "alternatives, tried in this order"), rows), code=True)


def _whole(text: str) -> TileRow:
    return TileRow((Tile(text, NO_ID, 0),), "text")


def _pieces(sizes: Mapping[str, int], text: str) -> Question:
    right = sizes["GPT-4"]
    guesses = {size: other for other, size in sizes.items() if size != right}
    return ask(
        "pretokenize.question",
        right,
        [*((size, "other", {"model": other}) for size, other in guesses.items()), (len(text.split()), "spaces")],
        (_whole(text),),
        table=_tabulate_kinds(),
        shown_at=2 + len(READ_PATTERNS),
        pieces=plural(right, "piece"),
    )


def _tabulate_kinds() -> Table:
    """Return the kinds of pieces of GPT-4's pattern, in its order, each with an example."""
    kinds = {"ending": "'ll", "letters": " pay", "digits": "123", "signs": " $", "white": "\n\n"}
    rows = (
        (f"{number}", fill(f"pretokenize.question.{key}"), (Tile(example, NO_ID + number),))
        for number, (key, example) in enumerate(kinds.items(), 1)
    )
    return tabulate("Kinds of pieces", ("", "kind", "such as"), rows)


def sample_table(random: Random) -> str:
    """Return a table of four words with counts, in which one pair is the most frequent."""
    while True:
        counts = {word: random.randint(1, 9) for word in random.sample(SHORT_WORDS, 4)}
        spelled = ((pair, count) for word, count in counts.items() for pair in pairwise((*word, END)))
        pairs = Counter[tuple[str, str]]()
        for pair, count in spelled:
            pairs[pair] += count
        (_, first), (_, second) = pairs.most_common(2)
        if first > second:
            return "\n".join(f"{word} {count}" for word, count in counts.items())


def sample_pieces(random: Random) -> str:
    """Return a short text with a number, a contraction or white space, which patterns treat differently."""
    number = random.randint(1000, 9_999_999)
    return random.choice(
        (f"I'LL pay {number}", f"x={number}\n\n  y", f"don't  wait {number} s", f"{number} + {number}")
    )
