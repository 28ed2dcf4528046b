"""Extend a BPE vocabulary by merges that are learned from a corpus over its own segmentation.

The new merges come after all old ones, and each makes a token that the vocabulary does not have, so that no old merge
takes part in it: a text is first encoded as before, and then some neighbouring tokens become one. Hence no text gets
longer, and a text without the new pairs keeps its tokens. `scratch/extending.py` shows it step by step.

No merge may join the tokens of single bytes to which a character falls back: a reader would not decode them any more.
Such a character can become a token of its own instead, in place of its bytes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from ...errors import Invalid
from ...scratch.fast.bpe.encode_pairs import PairBPE
from ...scratch.fast.bpe.learn import BPELearner
from ...scratch.fast.bpe.merge_order import MergeFilter
from ...scratch.fast.bpe.symbol_corpus import NumberedWords
from .subject import Draft, EditableTokenizer, Pair


def check_model(subject: EditableTokenizer) -> PairBPE:
    """Return the model. Raises `Invalid` unless it is BPE."""
    if isinstance(subject.model, PairBPE):
        return subject.model
    raise Invalid(
        f"Only a BPE model learns more merges. A new token of {subject.scratch.file.model.type} would change how "
        "other words are divided, and needs a score that only training gives."
    )


def fallback_characters(subject: EditableTokenizer, words: Mapping[str, int]) -> Counter[str]:
    """Return the characters of words that the model spells in several byte tokens, and how often each occurs."""
    model = check_model(subject)
    counts = Counter[str]()
    if len(subject.byte_ids) < 256:
        return counts
    for word, count in words.items():
        for char in word:
            counts[char] += count
    return Counter({char: count for char, count in counts.items() if char > "\x7f" and char not in model.vocabulary})


def with_characters(subject: EditableTokenizer, draft: Draft, characters: Iterable[str]) -> Draft:
    """Return the draft with tokens for characters that are spelled in byte tokens, which they begin with.

    None are added to a model whose words have marks, or with merges of byte tokens, in which places would count.
    """
    model = check_model(subject)
    if model.prefix or model.suffix or model.ignore_merges or any({*pair} & subject.byte_ids for pair in model.merges):
        return draft
    vocabulary = dict(draft.vocabulary)
    origins = dict(draft.origins)
    id = draft.next_id
    for char in characters:
        vocabulary[char], origins[id] = id, tuple(model.initial(char))
        id += 1
    return replace(draft, vocabulary=vocabulary, origins=origins)


def segment_words(
    subject: EditableTokenizer, words: Mapping[str, int], draft: Draft | None = None
) -> Counter[tuple[int, ...]]:
    """Return words as ids of the tokens they have now, and how often each occurs.

    Characters that the `draft` has added are tokens already. Words are divided at unknown tokens and at byte tokens.
    """
    model = check_model(subject)
    apart = {*subject.byte_ids, -1 if subject.unknown is None else subject.unknown}
    new = {piece: id for piece, id in draft.vocabulary.items() if id >= draft.first_new} if draft else {}
    runs = Counter[tuple[int, ...]]()
    for word, count in words.items():
        for run in _runs([*_tokens(model, word, new)], apart):
            runs[run] += count
    return runs


def _tokens(model: PairBPE, word: str, new: Mapping[str, int]) -> Iterator[int]:
    """Yield the tokens of a word, in which no merge crosses a character that was spelled in bytes."""
    if model.ignore_merges and word in model.vocabulary:
        yield model.vocabulary[word]
        return
    for added, part in groupby(word, new.__contains__):
        if added:
            yield from map(new.__getitem__, part)
        else:
            yield from model.ids(model.initial("".join(part)))


def _runs(ids: Sequence[int], apart: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Yield the runs of two tokens and more between those that are apart.

    >>> [*_runs([1, 2, 9, 3, 9, 4, 5], {9})]
    [(1, 2), (4, 5)]
    """
    for outside, run in groupby(ids, lambda id: id in apart):
        if not outside and len(tokens := tuple(run)) > 1:
            yield tokens


def learn_merges(
    draft: Draft, runs: Mapping[tuple[int, ...], int], most: int, *, min_frequency: int = 2, longest: int | None = None
) -> Iterator[tuple[Pair, int]]:
    """Yield the merges that BPE would learn next, at most `most`, each with the count of its pair.

    Of equally frequent pairs, the one of the smallest ids is merged, as by the trainer of `tokenizers`. A new token
    consists of at most `longest` old ones.

    >>> vocabulary = {"a": 0, "b": 1, "ab": 2, "c": 3}
    >>> draft = Draft({"model": {"type": "BPE"}}, 4, vocabulary, (("a", "b"),))
    >>> [*learn_merges(draft, {(2, 3, 3): 5, (2, 3): 1}, 9)]
    [(('ab', 'c'), 6), (('abc', 'c'), 5)]
    """
    if not runs:
        return
    spellings = [""] * draft.next_id
    for piece, id in draft.vocabulary.items():
        spellings[id] = piece
    prefix = draft.document["model"].get("continuing_subword_prefix") or ""
    words = ("".join(map(chr, run)) for run in runs)
    numbered = NumberedWords(words, runs.values(), spellings, prefix)
    corpus = numbered.corpus(min_frequency=min_frequency, in_order=False)
    allowed = MergeFilter(corpus, reserved=[token["content"] for token in draft.added], longest=longest)
    learner = BPELearner(corpus, ties="smallest", min_frequency=min_frequency, allowed=allowed)
    for choice in learner.steps(most):
        left, right = map(ord, choice.pair)
        yield (corpus.spellings[left], corpus.spellings[right]), choice.times


def append_merges(draft: Draft, merges: Iterable[Pair]) -> Draft:
    """Return the draft with new merges behind its own, whose tokens get the next ids.

    >>> draft = Draft({"model": {"type": "BPE"}}, 3, {"a": 0, "b": 1, "ab": 2}, (("a", "b"),))
    >>> longer = append_merges(draft, [("ab", "a"), ("aba", "b")])
    >>> longer.vocabulary["abab"], longer.origins[4]
    (4, (2, 0, 1))
    """
    vocabulary = dict(draft.vocabulary)
    origins = dict(draft.origins)
    pairs = list[Pair]()
    id = draft.next_id
    for pair in merges:
        old = [origins.get(part, (part,)) for part in (vocabulary[pair[0]], vocabulary[pair[1]])]
        vocabulary[draft.join(pair)], origins[id] = id, (*old[0], *old[1])
        pairs.append(pair)
        id += 1
    longer = replace(draft, vocabulary=vocabulary, merges=(*draft.merges, *pairs), origins=origins)
    longer.next_id  # noqa: B018  raises where an id is too large
    return longer
