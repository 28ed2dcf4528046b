"""Prune a vocabulary to the tokens of a corpus or of some scripts, so that every text can still be encoded.

Why the pruned model gives a corpus the same tokens: BPE keeps every merge that was made in a word of the corpus, in
their order, so that at each step the best merge is still there, and no new one; Unigram keeps the best path and only
loses rivals; WordPiece keeps the longest match at each place and only loses tokens that did not match.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

import regex

from ...errors import Invalid, UnknownId
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ...scratch.compat.pipeline.word_models import WordUnigram
from ...scratch.fast.bpe.encode_pairs import PairBPE
from ...scratch.fast.wordpiece.encode import WordPiece
from .subject import Draft, EditableTokenizer

SHARED = ("Common", "Inherited")
"""Scripts of characters that are used with any other: digits, punctuation, spaces, emoji, combining marks."""


def prune(subject: EditableTokenizer, draft: Draft, ids: Collection[int], *, characters: bool = True) -> Draft:
    """Return a draft with some tokens, what they are made of, and all that is needed so that every text can be encoded.

    Without `characters`, single characters that are not among the ids are left to byte fallback. Raises `UnknownId`,
    and `Invalid` for a model that cannot be pruned, or that would lose characters.
    """
    _check(subject, characters=characters)
    every = {*draft.ids.values()}
    if strange := sorted({*ids} - every):
        raise UnknownId(strange[0], vocab_size=draft.first_new, pointer="/keep_ids")
    kept = {*ids} | _find_needed(subject, draft, characters=characters)
    if isinstance(subject.model, PairBPE):
        kept |= find_merge_parts(subject.model, draft.vocabulary, kept)
    elif not subject.byte_ids:
        kept |= _only_spellings(draft, kept, prefix=_prefix(subject))
    return draft.only(kept)


def count_tokens(subject: EditableTokenizer, words: Mapping[str, int]) -> Counter[int]:
    """Return how often each token occurs in words, those with count 0 included that only occur on the way to others."""
    counts = Counter[int]()
    for word, count in words.items():
        final, others = _tokens(subject, word)
        for id in final:
            counts[id] += count
        counts.update(dict.fromkeys(others, 0))
    return counts


def script_tokens(subject: EditableTokenizer, draft: Draft, scripts: Collection[str]) -> set[int]:
    """Return the tokens of whole characters that all belong to some scripts, or to no script of their own.

    Raises `Invalid` for a name that is no script of Unicode.
    """
    members = [*map(_script, [*scripts, *SHARED])]
    inside = regex.compile("(?:" + "|".join(one.pattern for one in members) + ")+")
    kept = set[int]()
    for id in draft.vocabulary.values():
        text = subject.scratch.entry(id).raw.decode(errors="ignore")
        if text and inside.fullmatch(text):
            kept.add(id)
    return kept


def unreachable(subject: EditableTokenizer) -> list[int]:
    """Return the tokens of a BPE or Unigram model that the model does not make of their own text, byte tokens left out.

    >>> from .subject import load_subject
    >>> model = b'{"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "ba": 3}, "merges": ["a b"]}'
    >>> data = b'{"version": "1.0", "added_tokens": [], "model": ' + model + b"}"
    >>> unreachable(load_subject(data))
    [3]
    """
    model = subject.model
    apart = {*subject.byte_ids, subject.unknown, *subject.scratch.pipeline.added.spelled}
    pieces = [(piece, id) for piece, id in subject.scratch.file.model.vocabulary.items() if id not in apart]
    if isinstance(model, PairBPE):
        return (
            []
            if model.ignore_merges
            else [id for piece, id in pieces if model.merge_and_record(_symbols(model, piece))[0] != [id]]
        )
    if isinstance(model, WordUnigram):
        return [id for piece, id in pieces if [token for token, _, _ in model.pieces(piece)] != [id]]
    return []


def find_merge_parts(model: PairBPE, vocabulary: Mapping[str, int], ids: Iterable[int]) -> set[int]:
    """Return the tokens that merges make on the way to some others."""
    spelled = {id: piece for piece, id in vocabulary.items()}
    parts = set[int]()
    for id in ids:
        if id in spelled and len(symbols := _symbols(model, spelled[id])) > 1:
            parts.update(symbols)
            parts.update(model.merge_and_record(symbols)[1])
    return parts & {*vocabulary.values()}


def _check(subject: EditableTokenizer, *, characters: bool) -> None:
    if not isinstance(subject.model, PairBPE | WordUnigram | WordPiece):
        raise Invalid("A WordLevel model has no parts of words: every word that is pruned would be lost.")
    if not characters and len(subject.byte_ids) < 256:
        raise Invalid(
            "The vocabulary has no byte fallback: without their own tokens, characters would be lost. Keep them.",
            pointer="/keep_characters",
        )


def _find_needed(subject: EditableTokenizer, draft: Draft, *, characters: bool) -> set[int]:
    """Return the tokens that are kept in any case: bytes, characters, the unknown token, and the worst of Unigram."""
    needed = {*subject.byte_ids} | ({subject.unknown} if subject.unknown is not None else set())
    byte_level = subject.scratch.byte_level
    prefix = _prefix(subject)
    suffix = subject.scratch.file.model.suffix
    for piece, id in draft.vocabulary.items():
        bare = piece.removeprefix(prefix) if len(piece) > len(prefix) else piece
        bare = bare.removesuffix(suffix) if suffix and len(bare) > len(suffix) else bare
        if len(bare) == 1 and (characters or (byte_level and bare in ALPHABET)):
            needed.add(id)
    if draft.scores:  # what an unknown character costs is computed from the lowest score
        needed.add(draft.vocabulary[min(draft.scores, key=draft.scores.__getitem__)])
    return needed


def _prefix(subject: EditableTokenizer) -> str:
    return subject.scratch.file.model.prefix


def _only_spellings(draft: Draft, kept: Collection[int], *, prefix: str) -> set[int]:
    """Return the tokens with a character that no kept token spells alone at its place in a word."""
    alone = {piece for piece, id in draft.vocabulary.items() if id in kept}

    def letters(piece: str) -> Iterator[str]:
        bare = piece.removeprefix(prefix) if prefix and piece != prefix else piece
        for place, char in enumerate(bare):
            yield prefix + char if place or bare != piece else char

    return {id for piece, id in draft.vocabulary.items() if id not in kept and not {*letters(piece)} <= alone}


def _tokens(subject: EditableTokenizer, word: str) -> tuple[list[int], list[int]]:
    """Return the tokens of a word, and those that occur on the way to them."""
    model = subject.model
    if isinstance(model, PairBPE):
        symbols = model.initial(word)
        final, made = model.merge_and_record(symbols)
        whole = model.vocabulary.get(word) if model.ignore_merges else None
        return ([whole] if whole is not None else final), [*symbols, *made, *final]
    if isinstance(model, WordPiece):
        tried: list[tuple[int, int, int, int | None]] = []
        final = [id for id, _, _ in model.pieces(word, tried)]
        return final, [id for *_, id in tried if id is not None]
    return [id for id, _, _ in model.pieces(word)], []


def _symbols(model: PairBPE, piece: str) -> list[int]:
    """Return the ids of a token's own characters before any merge; none if one of them is no token.

    >>> model = PairBPE({"l": 0, "o</w>": 1, "lo</w>": 2}, [("l", "o</w>")], suffix="</w>")
    >>> _symbols(model, "lo</w>")
    [0, 1]
    """
    prefix = model.prefix
    suffix = model.suffix
    ends = bool(suffix) and piece.endswith(suffix) and len(piece) > len(suffix)
    chars = [*(piece.removesuffix(suffix) if ends else piece)]
    if prefix and piece.startswith(prefix) and len(piece) > len(prefix):
        chars[: len(prefix) + 1] = [prefix + chars[len(prefix)]]
    spelled = [char if not place else prefix + char for place, char in enumerate(chars)]
    spelled[-1:] = [spelled[-1] + suffix] if ends else spelled[-1:]
    ids = [model.vocabulary.get(char) for char in spelled]
    return [id for id in ids if id is not None] if None not in ids else []


def _script(name: str) -> "regex.Pattern[str]":
    """Return the characters of a script as a pattern. Raises `Invalid` for another name.

    >>> _script("Cyrillic").pattern
    '\\\\p{Script=Cyrillic}'
    """
    try:
        if not regex.fullmatch("[A-Za-z_]{2,30}", name):
            raise regex.error("no name")
        return regex.compile(rf"\p{{Script={name}}}")
    except regex.error:
        raise Invalid(
            f"{name[:40]!r} is no script of Unicode; valid are names such as Latin, Cyrillic, Han, Arabic, Devanagari.",
            pointer="/scripts",
        ) from None
