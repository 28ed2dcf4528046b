"""Writes a trained vocabulary as a `tokenizer.json`, which can express nearly all, and as the data of other formats.

A format that cannot express the vocabulary is refused with `BadFile`; a `tokenizer.json` can express the most.

The pre-tokenizer keeps only the matches of the pattern. With `marks_spaces`, a normalizer writes spaces as ▁ and puts
one in front of the text, as SentencePiece does.
"""

import json
from array import array
from collections.abc import Mapping
from typing import AnyStr

from ..errors import BadFile
from ..scratch.compat.pipeline.pre_tokenizers import join_byte_level
from ..scratch.fast.bpe.encode import merge
from ..types import Merge, TrainedVocab
from .minbpe import MinbpeModel
from .patterns import make_portable
from .sentencepiece.model import Kind, ScoredPiece, SentencePieceModel
from .tokenizer_json.components import (
    SPELLED_BYTES,
    Component,
    as_component,
    bpe,
    document,
    make_isolated_split,
    make_matching_split,
    make_token_component,
    replace_text,
    sort_by_id,
)
from .vocab_entries import MARK

BYTES = frozenset(f"<0x{byte:02X}>" for byte in range(256))


def ranks(learned: TrainedVocab) -> dict[bytes, int]:
    """Return the ranks of a byte-level vocabulary, without the special tokens.

    >>> from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet
    >>> letters = (*byte_alphabet(), "hi")
    >>> ranks(TrainedVocab("bpe", "bytes", letters, merges=((104, 105),)))[b"hi"]
    256

    Raises `BadFile` if ranks alone would give other tokens.
    """
    _check_bytes(learned)
    special = {*learned.special_tokens.values()}
    token_ranks = {join_byte_level([piece]): id for id, piece in enumerate(learned.pieces) if id not in special}
    _check_parents(learned, token_ranks, {id: raw for raw, id in token_ranks.items()})
    return token_ranks


def minbpe_model(learned: TrainedVocab) -> MinbpeModel:
    """Return a byte-level vocabulary as a minbpe model. Raises `BadFile` for what its lines cannot contain."""
    _check_bytes(learned)
    if any(token.split() != [token] for token in learned.special_tokens):
        raise BadFile("A special token contains white space, which this format cannot store.")
    pattern = make_portable(learned.pattern) if learned.pattern else ""
    if pattern != pattern.strip() or len(pattern.splitlines()) > 1:
        raise BadFile(
            "The pattern begins or ends with white space or contains a line end, which this format cannot store."
        )
    return MinbpeModel(learned.merges, pattern, learned.special_tokens)


def sentencepiece_model(learned: TrainedVocab) -> SentencePieceModel:
    """Return a vocabulary with `marks_spaces` as a SentencePiece model. Raises `BadFile`.

    BPE that SentencePiece did not train has no scores: the k-th merge gets the score −k.

    >>> pieces = ("<unk>", "a", "b", "ab")
    >>> _merge_scores(TrainedVocab("bpe", "characters", pieces, ((1, 2),), unknown="<unk>", marks_spaces=True))
    [-1.0, -2.0, -3.0, 0.0]
    """
    if not learned.marks_spaces:
        raise BadFile("SentencePiece has no pre-tokenization pattern; it writes spaces as ▁.")
    if learned.lowercase:
        raise BadFile("This writer makes models without a character map, which cannot lowercase.")
    if learned.unknown is None:
        raise BadFile("SentencePiece needs an unknown token.")
    scores = [*array("f", learned.scores)] if learned.scores else _merge_scores(learned)
    kinds: dict[int, Kind] = dict.fromkeys(learned.special_tokens.values(), "control")
    kinds[learned.pieces.index(learned.unknown)] = "unknown"
    if learned.byte_fallback:
        kinds |= {id: "byte" for id, piece in enumerate(learned.pieces) if piece in BYTES}
    pieces = tuple(
        ScoredPiece(piece, 0.0 if id in kinds else scores[id], kinds.get(id, "normal"))
        for id, piece in enumerate(learned.pieces)
    )
    algorithm = "bpe" if learned.algorithm == "bpe" else "unigram"
    return SentencePieceModel(pieces, algorithm, learned.byte_fallback, remove_extra_whitespaces=False)


def _check_bytes(learned: TrainedVocab) -> None:
    """Raise `BadFile` unless the vocabulary consists of bytes, merges and special tokens, with one merge per id."""
    if learned.algorithm != "bpe" or learned.unit != "bytes":
        raise BadFile("This format is for byte-level BPE.")
    if learned.lowercase:
        raise BadFile("This format cannot store that text is lowercased first.")
    if len(learned.pieces) != 256 + len(learned.merges) + len(learned.special_tokens):
        raise BadFile("Two merges make one token, or one makes a special token; this format has one id per merge.")


def _merge_scores(learned: TrainedVocab) -> list[float]:
    """Return the score of each id: those of merges in their order, then those of characters."""
    ids = {piece: id for id, piece in enumerate(learned.pieces)}
    made = [ids[learned.pieces[a] + learned.pieces[b]] for a, b in learned.merges]
    if len({*made}) < len(made):
        raise BadFile("Two merges make the same token, but a token has only one score.")
    order = [*made, *sorted({*range(len(learned.pieces))} - {*made})]
    ranks = {learned.pieces[id]: rank for rank, id in enumerate(order)}
    _check_parents(learned, ranks, dict(enumerate(learned.pieces)))
    scores = {id: 0.0 - rank for rank, id in enumerate(order)}
    return [scores[id] for id in range(len(scores))]


def _check_parents(learned: TrainedVocab, ranks: Mapping[AnyStr, int], spelled: Mapping[int, AnyStr]) -> None:
    """Raise `BadFile` unless tokenizing each token by ranks ends with the very pair that training merged.

    If so for every token, ranks and pairs tokenize every text alike, because a part of a word that no merge crosses is
    tokenized as it would be alone.
    """
    for a, b in learned.merges:
        whole = spelled[a] + spelled[b]
        merges = list[Merge]()
        merge(whole, ranks, merges)
        own = ranks[whole]
        if merges[-1:] != [(own, 0, len(spelled[a]), len(whole))] or any(made[0] > own for made in merges):
            raise BadFile(f"By ranks alone, the token of rank {own} would be merged from other parts, or never.")


def tokenizer_json(learned: TrainedVocab) -> bytes:
    """Return the file. Raises `BadFile` for a pattern that other tools read differently, or a missing unknown token.

    >>> learned = TrainedVocab("wordpiece", "characters", ("[UNK]", "a", "##b"), unknown="[UNK]")
    >>> json.loads(tokenizer_json(learned))["model"]["vocab"]
    {'[UNK]': 0, 'a': 1, '##b': 2}
    """
    top = document(
        _model(learned),
        [make_token_component(token, id) for token, id in sort_by_id(learned.special_tokens)],
        normalizer=as_component("normalizer", _normalizers(learned)),
        pre_tokenizer=as_component("pre_tokenizer", _splitters(learned)),
        decoder=as_component("decoder", _decoders(learned)),
    )
    return json.dumps(top, ensure_ascii=False, separators=(",", ":")).encode()


def _normalizers(learned: TrainedVocab) -> list[Component]:
    lower = [{"type": "Lowercase"}] * learned.lowercase
    if not learned.marks_spaces:
        return lower
    return [*lower, {"type": "Prepend", "prepend": MARK}, replace_text(" ", MARK)]


def _splitters(learned: TrainedVocab) -> list[Component]:
    if learned.marks_spaces:
        return _split_marked_words(learned)
    words = make_matching_split(make_portable(learned.pattern))
    return [words, SPELLED_BYTES] if learned.unit == "bytes" else [words]


def _split_marked_words(learned: TrainedVocab) -> list[Component]:
    """Return splits that no piece crosses: before each ▁, and around characters that are in no piece.

    The latter keep the name of a token in the text, such as `<0x41>`, from being matched as that token.
    """
    splitters = []
    if MARK in learned.pieces and not any(MARK in piece[1:] for piece in learned.pieces):
        splitters.append({"type": "Split", "pattern": {"String": MARK}, "behavior": "MergedWithNext", "invert": False})
    alphabet = {*"".join(piece for piece in learned.pieces if piece not in _find_unmatched(learned))}
    if learned.algorithm == "unigram" and not {*"".join(_find_unmatched(learned))} <= alphabet:
        splitters.append(make_isolated_split(f"[^{''.join(map(_member, sorted(alphabet)))}]+"))
    return splitters


def _find_unmatched(learned: TrainedVocab) -> frozenset[str]:
    """Return the tokens that no text is matched with: special tokens and byte tokens."""
    return frozenset(learned.special_tokens) | (BYTES if learned.byte_fallback else frozenset())


def _member(char: str) -> str:
    """Return a character as it is written in a set of a pattern."""
    return f"\\{char}" if char in "\\[]^-&" else char


def _decoders(learned: TrainedVocab) -> list[Component]:
    if learned.unit == "bytes" and not learned.marks_spaces:
        return [SPELLED_BYTES]
    if learned.marks_spaces:
        strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
        return [replace_text(MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}, strip]
    if learned.algorithm == "wordpiece":
        return [{"type": "WordPiece", "prefix": "##", "cleanup": False}]
    return [{"type": "BPEDecoder", "suffix": "</w>"}] if learned.unit == "marked" else [{"type": "Fuse"}]


def _model(learned: TrainedVocab) -> Component:
    vocabulary = {piece: id for id, piece in enumerate(learned.pieces)}
    if len(vocabulary) < len(learned.pieces):
        raise BadFile("Two tokens have the same spelling.")
    if learned.algorithm == "unigram":
        return _unigram(learned, vocabulary)
    if learned.algorithm == "wordpiece":
        wordpiece = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
        return {"type": "WordPiece", "unk_token": learned.unknown, **wordpiece, "vocab": vocabulary}
    return bpe(
        vocabulary,
        ((learned.pieces[a], learned.pieces[b]) for a, b in learned.merges),
        unk_token=learned.unknown,
        end_of_word_suffix="</w>" if learned.unit == "marked" else None,
        fuse_unk=learned.marks_spaces,
        byte_fallback=learned.byte_fallback,
    )


def _unigram(learned: TrainedVocab, vocabulary: dict[str, int]) -> Component:
    """Return the model. The library matches every entry with the text, so special tokens and bytes get lower scores."""
    if learned.unknown is None:
        raise BadFile("Unigram needs an unknown token.")
    unmatched = _find_unmatched(learned)
    # As 32-bit floats, like in a SentencePiece model, so that both exports give the same tokens.
    scores = dict(zip(learned.pieces, array("f", learned.scores), strict=True))
    worst = min((score for piece, score in scores.items() if piece not in unmatched), default=0.0)
    # Lower than any path of ordinary pieces over the same characters.
    lowest = (worst - 1) * (1 + max(map(len, unmatched), default=0))
    entries = [[piece, lowest if piece in unmatched else score] for piece, score in scores.items()]
    unknown = vocabulary[learned.unknown]
    return {"type": "Unigram", "unk_id": unknown, "vocab": entries, "byte_fallback": learned.byte_fallback}
