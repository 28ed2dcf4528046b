"""Converts a trained vocabulary to the data of other tools' formats, for their writers `dump_ranks`, `dump_minbpe` …

A format that cannot express the vocabulary is refused with `BadFile`; `trained_json` can express the most.
"""

from array import array
from collections.abc import Mapping
from typing import AnyStr

from ..errors import BadFile
from ..formats.minbpe_model import MinbpeModel
from ..formats.patterns import make_portable
from ..formats.sentencepiece_model import Kind, ScoredPiece, SentencePieceModel
from ..scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from ..scratch.fast.bpe.encode import merge
from ..types import Merge, TrainedVocab

BYTES = frozenset(f"<0x{byte:02X}>" for byte in range(256))


def ranks(learned: TrainedVocab) -> dict[bytes, int]:
    """Return the ranks of a byte-level vocabulary, without the special tokens.

    >>> letters = (*byte_alphabet(), "hi")
    >>> ranks(TrainedVocab("bpe", "bytes", letters, merges=((104, 105),)))[b"hi"]
    256

    Raises `BadFile` if ranks alone would give other tokens.
    """
    _check_bytes(learned)
    byte_of = {char: byte for byte, char in enumerate(byte_alphabet())}
    special = {*learned.special_tokens.values()}
    token_ranks = {bytes(map(byte_of.__getitem__, piece)): id for id, piece in _entries(learned) if id not in special}
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
        kinds |= {id: "byte" for id, piece in _entries(learned) if piece in BYTES}
    pieces = tuple(
        ScoredPiece(piece, 0.0 if id in kinds else scores[id], kinds.get(id, "normal"))
        for id, piece in _entries(learned)
    )
    algorithm = "bpe" if learned.algorithm == "bpe" else "unigram"
    return SentencePieceModel(pieces, algorithm, learned.byte_fallback, remove_extra_whitespaces=False)


def _entries(learned: TrainedVocab) -> enumerate[str]:
    return enumerate(learned.pieces)


def _check_bytes(learned: TrainedVocab) -> None:
    """Raise `BadFile` unless the vocabulary consists of bytes, merges and special tokens, with one merge per id."""
    if learned.algorithm != "bpe" or learned.unit != "bytes":
        raise BadFile("This format is for byte-level BPE.")
    if learned.lowercase:
        raise BadFile("This format cannot store that text is lowercased first.")
    if len(learned.pieces) != 256 + len(learned.merges) + len(learned.special_tokens):
        raise BadFile("Two merges make the same token, but this format has one id per merge.")


def _merge_scores(learned: TrainedVocab) -> list[float]:
    """Return the score of each id: those of merges in their order, then those of characters."""
    ids = {piece: id for id, piece in _entries(learned)}
    made = [ids[learned.pieces[a] + learned.pieces[b]] for a, b in learned.merges]
    if len({*made}) < len(made):
        raise BadFile("Two merges make the same token, but a token has only one score.")
    order = [*made, *sorted({*range(len(learned.pieces))} - {*made})]
    ranks = {learned.pieces[id]: rank for rank, id in enumerate(order)}
    _check_parents(learned, ranks, dict(_entries(learned)))
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
