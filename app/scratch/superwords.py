r"""Superwords: BPE whose later merges may join words, as in ` of the` (SuperBPE, Liu et al. 2025, arXiv 2503.13423).

First, BPE learns merges within words, as ever. After a transition, the text is no longer split at spaces: all merges so
far are applied to it again, and further ones are learned, now across words. A new text is tokenized by all merges in
their order, with the weaker pattern alone, so a merge of the first stage, too, can reach over the end of a word.
BoundlessBPE (Schmidt et al. 2025) has no transition: it merges two neighbours as soon as each is a whole pre-token.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from .bpe import encode_by_pairs
from .learn_bpe import Merged, Pair, PairCounts, iter_learning_steps

PARTS = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
"""SuperBPE's pattern after the transition: numbers, runs of punctuation and further spaces stay apart."""
WEAK = PARTS + r"|(?:(?!\p{N}| ?[^\s\p{L}\p{N}]{2}| +(?!\S))[\s\S])+"
"""The same as a pattern that matches all of a text: its last alternative is what stands between those parts."""
MOST_WORDS = 4
"""Words of the longest superword."""


def may_join(token: str) -> bool:
    """Return whether a token may be made after the transition: of four words at most, with no space after a colon.

    These are the two rules of the published trainer.

    >>> may_join(" by the way"), may_join("is: a"), may_join(" one of the most important")
    (True, False, False)
    """
    return ": " not in token and len([word for word in token.split(" ") if word]) <= MOST_WORDS


def is_new(pair: Pair, vocabulary: Sequence[str]) -> bool:
    return vocabulary[pair[0]] + vocabulary[pair[1]] not in vocabulary


def is_new_and_short(pair: Pair, vocabulary: Sequence[str]) -> bool:
    return is_new(pair, vocabulary) and may_join(vocabulary[pair[0]] + vocabulary[pair[1]])


class Reading(NamedTuple):
    """What is learned from until the next one: words, or whole texts, as the tokens that all merges so far make."""

    texts: Mapping[tuple[str, ...], int]


def iter_superword_steps(
    words: Mapping[Any, int],
    texts: Mapping[Any, int],
    *,
    transition: int,
    alphabet: Sequence[str] | None = None,
    **rules: Any,
) -> Iterator[Reading | PairCounts | Merged]:
    """Yield the steps of learning from words until the vocabulary has `transition` tokens, and then from texts.

    `words` and `texts` are the same corpus, split by the usual pattern and by `WEAK`, with counts; `rules` are the
    other options of `iter_learning_steps`.

    >>> steps = iter_superword_steps({"of": 3, " the": 2, " my": 1}, {"of the": 2, "of my": 1}, transition=10)
    >>> [step.vocabulary[-1] for step in steps if isinstance(step, Merged)]
    ['of', ' t', 'of t', 'of th', 'of the']
    """
    vocabulary = [*(alphabet or sorted({symbol for text in [*words, *texts] for symbol in text}))]
    merges = list[tuple[str, str]]()
    for counts, most, allowed in ((words, transition, is_new), (texts, inf, is_new_and_short)):
        read = {tuple(encode_by_pairs([*text], merges)): count for text, count in counts.items()}
        yield Reading(read)
        for step in iter_learning_steps(read, alphabet=vocabulary, allowed=allowed, **rules):
            if len(vocabulary) >= most:
                break
            yield step
            if isinstance(step, Merged):
                vocabulary = step.vocabulary
                merges.append(step.pair)
