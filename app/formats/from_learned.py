"""What a trainer leaves, as the formats of other tools have it: plain data that `dump_…` writes.

A format that cannot say what was learned is refused; `learned_json` has the one that says the most.
"""

from array import array
from collections.abc import Mapping
from typing import AnyStr

from app.errors import BadFile
from app.formats.minbpe_model import MinbpeModel
from app.formats.patterns import portable
from app.formats.sentencepiece_model import Kind, Piece, SentencePieceModel
from app.scratch.bpe import merge
from app.scratch.words import byte_alphabet
from app.types import Learned, Merge

BYTES = frozenset(f"<0x{byte:02X}>" for byte in range(256))


def ranks(learned: Learned) -> dict[bytes, int]:
    """The ranks of a byte-level vocabulary, without the special tokens.

    >>> letters = (*byte_alphabet(), "hi")
    >>> ranks(Learned("bpe", "bytes", letters, merges=((104, 105),)))[b"hi"]
    256

    Raises `BadFile` where ranks alone would cut other tokens.
    """
    _check_bytes(learned)
    byte_of = {char: byte for byte, char in enumerate(byte_alphabet())}
    special = {*learned.special_tokens.values()}
    found = {bytes(map(byte_of.__getitem__, piece)): id for id, piece in _entries(learned) if id not in special}
    _check_parents(learned, found, {id: raw for raw, id in found.items()})
    return found


def minbpe_model(learned: Learned) -> MinbpeModel:
    """A byte-level vocabulary as minbpe keeps it. Raises `BadFile` where its lines have no room for something."""
    _check_bytes(learned)
    if any(token.split() != [token] for token in learned.special_tokens):
        raise BadFile("A special token with white space in it does not fit into a line.")
    pattern = portable(learned.pattern) if learned.pattern else ""
    if pattern != pattern.strip() or len(pattern.splitlines()) > 1:
        raise BadFile(
            "The pattern begins or ends with white space, or has a line end in it, which a line does not keep."
        )
    return MinbpeModel(learned.merges, pattern, learned.special_tokens)


def sentencepiece_model(learned: Learned) -> SentencePieceModel:
    """A vocabulary that marks spaces as SentencePiece does; what BPE learned k-th scores −k. Raises `BadFile`.

    >>> learned = Learned("bpe", "characters", ("<unk>", "a", "b", "ab"), ((1, 2),), unknown="<unk>", marks_spaces=True)
    >>> _merge_scores(learned)
    [-1.0, -2.0, -3.0, 0.0]
    """
    if not learned.marks_spaces:
        raise BadFile("SentencePiece sees spaces as ▁ and has no pattern that cuts words.")
    if learned.lowercase:
        raise BadFile("A model without a character map does not write in lower case.")
    if learned.unknown is None:
        raise BadFile("SentencePiece needs a token for what is unknown.")
    scores = _merge_scores(learned) if learned.algorithm == "bpe" else [*array("f", learned.scores)]
    kinds: dict[int, Kind] = dict.fromkeys(learned.special_tokens.values(), "control")
    kinds[learned.pieces.index(learned.unknown)] = "unknown"
    if learned.bytes_too:
        kinds |= {id: "byte" for id, piece in _entries(learned) if piece in BYTES}
    pieces = tuple(
        Piece(piece, 0.0 if id in kinds else scores[id], kinds.get(id, "normal")) for id, piece in _entries(learned)
    )
    algorithm = "bpe" if learned.algorithm == "bpe" else "unigram"
    return SentencePieceModel(pieces, algorithm, learned.bytes_too, remove_extra_whitespaces=False)


def _entries(learned: Learned) -> enumerate[str]:
    return enumerate(learned.pieces)


def _check_bytes(learned: Learned) -> None:
    """Raise `BadFile` unless merges of bytes, one an id, are all there is."""
    if learned.algorithm != "bpe" or learned.unit != "bytes":
        raise BadFile("This format is for BPE over bytes.")
    if learned.lowercase:
        raise BadFile("This format cannot say that a text is written in lower case first.")
    if len(learned.pieces) != 256 + len(learned.merges) + len(learned.special_tokens):
        raise BadFile("Two merges make the same token, and this format gives each an id of its own.")


def _merge_scores(learned: Learned) -> list[float]:
    """The score of each id: of what was merged k-th −k, then those of characters."""
    known = {piece: id for id, piece in _entries(learned)}
    made = [known[learned.pieces[a] + learned.pieces[b]] for a, b in learned.merges]
    if len({*made}) < len(made):
        raise BadFile("Two merges make the same token, which can have one score.")
    order = [*made, *sorted({*range(len(learned.pieces))} - {*made})]
    ranks = {learned.pieces[id]: rank for rank, id in enumerate(order)}
    _check_parents(learned, ranks, dict(_entries(learned)))
    scores = {id: 0.0 - rank for rank, id in enumerate(order)}
    return [scores[id] for id in range(len(scores))]


def _check_parents(learned: Learned, ranks: Mapping[AnyStr, int], spelled: Mapping[int, AnyStr]) -> None:
    """Raise `BadFile` unless cutting each token by ranks leads to it by the very pair that was merged.

    Where that holds for every token, ranks and pairs cut every text alike: a part of a word that no merge reaches out
    of is cut as it would be alone.
    """
    for a, b in learned.merges:
        whole, done = spelled[a] + spelled[b], list[Merge]()
        merge(whole, ranks, done)
        own = ranks[whole]
        if done[-1:] != [(own, 0, len(spelled[a]), len(whole))] or any(made[0] > own for made in done):
            raise BadFile(f"By ranks alone the token of rank {own} would be made of other parts, or not at all.")
