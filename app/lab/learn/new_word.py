"""The scene that closes the chapter on BPE: a learner merges a word that training never saw, by a list of merges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ...errors import Invalid
from ...registry import Registry
from ...scratch.bpe import encode_by_pairs, iter_merges
from ...scratch.learn_bpe import learn
from ..steps.step import Step, Table, Tile, Words, tabulate
from ..steps.tiles import make_row
from .answers import ask_boundaries
from .code import trace_lines
from .colours import distinguish
from .merging import corpus
from .prose import SHORT_WORDS, fill, say
from .scene import Question, Trace, choices

MERGES = 7
"""Merges of the list at most."""
MAX_WORD = 20
"""Letters of the longest new word."""
Merge = tuple[str, str, int]
"""A merge: its parts, and how often they occurred."""


def trace_new_word(text: str, registry: Registry) -> Trace:
    """Trace the merges of the word on the last line, by the list that the lines above it give."""
    merges, word = read_task(text)
    ranks = _rank(merges)
    letters = {*word, *(letter for pair in ranks for part in pair for letter in part)}
    tokens = [*sorted(letters), *(first + second for first, second in ranks)]
    keys = {token: key for key, token in enumerate(tokens)}
    steps: list[Step] = []
    after: list[list[str]] = []
    for line, step in trace_lines(iter_merges(word, lambda a, b: ranks.get((a, b)))):
        after.append(step.tokens)
        rank = None if step.rank is None else int(step.rank)
        new = -1 if rank is None else step.place
        marked = enumerate(step.tokens)
        row = make_row(Tile(token, keys[token], mark="new" if at == new else "") for at, token in marked)
        sentence = say("new-word.steps.start", word=word)
        if rank is not None:
            sentence = say("new-word.steps.merge", number=rank + 1, new=row.tiles[new])
        steps.append(Step(sentence, (row,), line, _tabulate(merges, keys, rank)))
    result = make_row(Tile(token, keys[token]) for token in after[-1])
    steps.append(Step(say("new-word.steps.end"), (result,), table=_tabulate(merges, keys)))
    return distinguish(Trace(steps, *_ask(word, merges, after, keys)))


def read_task(text: str) -> tuple[list[Merge], str]:
    """Return the list of merges that the words of a text give, and the new word on its last line.

    >>> read_task("as 5\\nsea 3\\nseas")
    ([('a', 's', 5), ('s', 'e', 3), ('se', 'a', 3)], 'seas')

    Raises `Invalid` with a pointer to the text.
    """
    *lines, last = text.strip().split("\n")
    word = last.strip()
    if not lines or not word.isalpha() or len(word) > MAX_WORD:
        message = f"Type words with counts, and on the last line a new word of at most {MAX_WORD} letters."
        raise Invalid(message, pointer="/text")
    merges = learn(corpus("\n".join(lines)), MERGES)
    if not merges:
        raise Invalid("No pair of these words occurs twice, so there is no list of merges.", pointer="/text")
    return merges, word


def _rank(merges: Sequence[Merge]) -> dict[tuple[str, str], int]:
    return {(first, second): rank for rank, (first, second, _) in enumerate(merges)}


def _tabulate(merges: Sequence[Merge], keys: Mapping[str, int], rank: int | None = None) -> Table:
    def tiles(*tokens: str) -> Words:
        return tuple(Tile(token, keys[token], at) for at, token in enumerate(tokens))

    rows = [(f"{at + 1}", tiles(first, second), tiles(first + second)) for at, (first, second, _) in enumerate(merges)]
    return tabulate("The list of merges", ("number", "pair", "makes"), rows, chosen=() if rank is None else (rank,))


def _ask(
    word: str, merges: Sequence[Merge], after: Sequence[list[str]], keys: Mapping[str, int]
) -> tuple[Question | None, tuple[Question, ...]]:
    """Return the question for the tokens of a word, and the same with boundaries to mark; none if nothing merges."""
    if len(after) == 1:
        return None, ()
    right, early = after[-1], after[-2]
    spelled = [first + second for first, second, _ in merges]
    reason = fill("new-word.question.reason", tokens=" ".join(right))
    ways = [
        (_match_longest(word, spelled), "longest"),
        (_merge_backwards(word, merges), "left"),
        ([word], "whole"),
        (early, "early"),
        ([*word], "letters"),
        *((one, "other") for one in _split_elsewhere(word, right)),
    ]
    wrong = [(tokens, fill(f"new-word.question.{why}")) for tokens, why in ways]
    letters = make_row(Tile(letter, keys[letter]) for letter in word)
    given = Step(say("new-word.question.given", word=word), (letters,), table=_tabulate(merges, keys))
    prompt = say("new-word.question.prompt", word=word)
    shown_at = len(after) - 1
    labels: list[tuple[Words, str]] = [((" ".join(tokens),), why) for tokens, why in wrong]
    typed = Question(prompt, choices((" ".join(right),), reason, labels), given, shown_at, near=False)
    marked = ask_boundaries(prompt, word, right, reason, wrong, given, shown_at)
    return typed, (marked,) if marked else ()


def _match_longest(word: str, tokens: Sequence[str]) -> list[str]:
    """Return a word cut by the longest token each time, from the left."""
    found: list[str] = []
    while word:
        found.append(max((one for one in (*tokens, word[0]) if word.startswith(one)), key=len))
        word = word.removeprefix(found[-1])
    return found


def _merge_backwards(word: str, merges: Sequence[Merge]) -> list[str]:
    """Return a word after each merge of the list was tried once, from the end of the list."""
    tokens = [*word]
    for first, second, _ in merges[::-1]:
        for at in range(len(tokens) - 1):
            if (tokens[at], tokens[at + 1]) == (first, second):
                tokens[at : at + 2] = [first + second]
                break
    return tokens


def _split_elsewhere(word: str, right: Sequence[str]) -> list[list[str]]:
    """Return other ways to cut a word into as many parts."""
    sizes = [len(token) for token in right]
    ways = [sizes[::-1], [sizes[0] + 1, *sizes[1:-1], sizes[-1] - 1], [sizes[0] - 1, *sizes[1:-1], sizes[-1] + 1]]
    found = []
    for way in ways:
        if len(way) > 1 and min(way) > 0:
            ends = [sum(way[: at + 1]) for at in range(len(way))]
            found.append([word[end - size : end] for end, size in zip(ends, way, strict=True)])
    return found


def sample_task(random: Random) -> str:
    """Return four words with counts, and a new word that falls into two to four tokens, one of them merged twice."""
    while True:
        *known, word = random.sample(SHORT_WORDS, 5)
        text = "\n".join([*(f"{one} {random.randint(2, 9)}" for one in known), word])
        tokens = encode_by_pairs(word, [*_rank(read_task(text)[0])])
        if 2 <= len(tokens) <= 4 and max(map(len, tokens)) >= 3:
            return text
