"""The SentencePiece `.model` file: a protocol buffer with the pieces, their scores, and how to normalize.

Field numbers are those of `sentencepiece_model.proto` (Kudo and Richardson 2018).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from struct import unpack
from typing import Any, Literal, NamedTuple

from ...errors import BadFile, join_names
from ...scratch.compat.sentencepiece.charsmap import CharsMap, dump_charsmap, load_charsmap
from ..protobuf import BYTES, FIXED32, VARINT, field, fields
from ..vocab_entries import UNKNOWN_SURFACE

Kind = Literal["normal", "unknown", "control", "user_defined", "byte", "unused"]
KINDS: dict[int, Kind] = {1: "normal", 2: "unknown", 3: "control", 4: "user_defined", 5: "unused", 6: "byte"}
ALGORITHMS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
MAX_PIECES = 1_000_000
MAX_SCORE = 10_000_000
"""Beyond it, a sum of scores of 32 bits loses the others; pieces that are never to be used have -1e9."""
MAX_SPEC = 4_000_000
"""Bytes of the trainer spec and the normalizer spec, which has a map of characters, together."""
MAX_OTHERS = 1000
"""Fields of a model that are no pieces."""
PLAIN_PIECE = re.compile(rb"\n([\x01-\x7f])(.+)\x15(.{4})(?:\x18([\x01-\x06]))?", re.DOTALL)
"""A piece as SentencePiece writes it: size and text, score, and a type if it is not normal. Read in half the time."""
PIECE = {1: BYTES, 2: FIXED32, 3: VARINT}
TRAINER = {3: VARINT, 24: VARINT, 35: VARINT, 44: BYTES}
NORMALIZER = {2: BYTES, 3: VARINT, 4: VARINT, 5: VARINT}
"""Wire types of fields by number."""
WHAT = "model"


class ScoredPiece(NamedTuple):
    """One token: its spelling, its score (a 32-bit float), and its type."""

    text: str
    score: float
    kind: Kind = "normal"


@dataclass(frozen=True, slots=True)
class SentencePieceModel:
    """The contents of a model file; defaults are those of SentencePiece."""

    pieces: tuple[ScoredPiece, ...]
    algorithm: str
    byte_fallback: bool = False
    whitespace_as_suffix: bool = False
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    charsmap: CharsMap | None = None
    unknown_surface: str = UNKNOWN_SURFACE


def load_model(data: bytes) -> SentencePieceModel:
    """Read a model.

    Raises `BadFile`, with the byte or the piece, for a file that is truncated or no protocol buffer; for a piece that
    is empty, not UTF-8, repeated or without a finite score; unless exactly one piece is unknown; for byte pieces
    without byte fallback, or fewer than 256 with it; and for an algorithm that SentencePiece does not have.
    """
    pieces: list[ScoredPiece] = []
    options: dict[str, Any] = {"algorithm": "unigram"}
    numbers = set()
    size = 0
    others = 0
    for number, wire, value, at in fields(data, what=WHAT):
        if number in (1, 2, 3) and wire != BYTES:
            raise BadFile(f"Byte {at} of the {WHAT} begins a value of wire type {wire}, expected {BYTES}.")
        if number == 1:
            pieces.append(_piece(value, at, len(pieces)))
            if len(pieces) > MAX_PIECES:
                raise BadFile(f"The model has more than {MAX_PIECES} pieces.")
            continue
        numbers.add(number)
        others += 1
        size += len(value) if isinstance(value, bytes) else 0
        if size > MAX_SPEC or others > MAX_OTHERS:
            raise BadFile(f"The specs of the model have more than {MAX_SPEC:,} bytes or {MAX_OTHERS:,} parts.")
        if number in (2, 3):
            options |= _trainer(value, at) if number == 2 else _normalizer(value, at)
    if not {2, 3} <= numbers:
        raise BadFile(f"The model ends at byte {len(data)} without a trainer spec and a normalizer spec.")
    model = SentencePieceModel(tuple(pieces), **options)
    check_pieces(model)
    return model


def dump_model(model: SentencePieceModel) -> bytes:
    """Write a model, without BOS, EOS and padding tokens.

    >>> model = SentencePieceModel((ScoredPiece("<unk>", 0.0, "unknown"), ScoredPiece("a", -1.5)), "unigram")
    >>> load_model(dump_model(model)) == model
    True
    """
    kinds = {name: number for number, name in KINDS.items()}
    algorithms = {name: number for number, name in ALGORITHMS.items()}
    pieces = (
        field(1, piece.text.encode()) + field(2, float(piece.score)) + field(3, kinds[piece.kind])
        for piece in model.pieces
    )
    unknown = next(id for id, piece in enumerate(model.pieces) if piece.kind == "unknown")
    none = {41: -1, 42: -1, 43: -1}  # bos_id, eos_id, pad_id
    trainer: dict[int, int | bytes] = {3: algorithms[model.algorithm], 4: len(model.pieces)}
    trainer[24] = model.whitespace_as_suffix
    surface = {} if model.unknown_surface == UNKNOWN_SURFACE else {44: model.unknown_surface.encode()}
    trainer |= {35: model.byte_fallback, 40: unknown, **none, **surface, 45: model.pieces[unknown].text.encode()}
    charsmap = b"" if model.charsmap is None else dump_charsmap(model.charsmap)
    normalizer: dict[int, int | bytes] = {1: b"identity", 2: charsmap, 3: model.add_dummy_prefix}
    normalizer |= {4: model.remove_extra_whitespaces, 5: model.escape_whitespaces}
    specs = [b"".join(field(number, value) for number, value in spec.items()) for spec in (trainer, normalizer)]
    return b"".join([*(field(1, piece) for piece in pieces), field(2, specs[0]), field(3, specs[1])])


def _piece(data: bytes, at: int, index: int) -> ScoredPiece:
    plain = PLAIN_PIECE.fullmatch(data)
    if plain and plain[1][0] == len(plain[2]):
        text, packed, kind = plain[2], plain[3], plain[4][0] if plain[4] else 1
    else:
        parts = {number: value for number, _, value, _ in fields(data, PIECE, at=at, what=WHAT)}
        text, packed, kind = (parts.get(number, default) for number, default in ((1, b""), (2, bytes(4)), (3, 1)))
    (score,) = unpack("<f", packed)
    if not text:
        raise BadFile(f"Piece {index}, at byte {at}, is empty.")
    if not isfinite(score):
        raise BadFile(f"Piece {index}, at byte {at}, has the score {score}.")
    if kind not in KINDS:
        raise BadFile(f"Piece {index}, at byte {at}, is of type {kind}; valid types are 1 to 6.")
    try:
        return ScoredPiece(text.decode(), score, KINDS[kind])
    except UnicodeDecodeError as error:
        raise BadFile(f"Piece {index}, at byte {at}, is not UTF-8 at its byte {error.start}.") from None


def _trainer(data: bytes, at: int) -> Iterator[tuple[str, Any]]:
    """Yield the options of a TrainerSpec that encoding depends on."""
    for number, _, value, _ in fields(data, TRAINER, at=at, what=WHAT):
        match number:
            case 3:
                if value not in ALGORITHMS:
                    raise BadFile(f"The model is of type {value}; supported are {join_names(ALGORITHMS.values())}.")
                yield "algorithm", ALGORITHMS[value]
            case 24:
                yield "whitespace_as_suffix", bool(value)
            case 35:
                yield "byte_fallback", bool(value)
            case 44:
                yield "unknown_surface", value.decode(errors="replace")


def _normalizer(data: bytes, at: int) -> Iterator[tuple[str, Any]]:
    """Yield the options of a NormalizerSpec."""
    names = {3: "add_dummy_prefix", 4: "remove_extra_whitespaces", 5: "escape_whitespaces"}
    for number, _, value, offset in fields(data, NORMALIZER, at=at, what=WHAT):
        if number in names:
            yield names[number], bool(value)
        elif value:
            yield "charsmap", load_charsmap(value, f"The character map at byte {offset}")


def check_pieces(model: SentencePieceModel) -> None:
    """Raise `BadFile` unless the pieces are what SentencePiece itself requires of all of them together."""
    first: dict[str, int] = {}
    unique = len({piece.text for piece in model.pieces}) == len(model.pieces)
    for index, piece in enumerate(model.pieces if not unique else ()):
        if first.setdefault(piece.text, index) != index:
            raise BadFile(f"Piece {index} repeats {piece.text[:40]!r} of piece {first[piece.text]}.")
    for index, (text, score, _) in enumerate(model.pieces):
        if "\0" in text:  # the library never matches it
            raise BadFile(f"Piece {index} contains the character U+0000.")
        if score > MAX_SCORE:
            raise BadFile(f"Piece {index} has the score {score:.6g}; the largest allowed is {MAX_SCORE:,}.")
    unknown = [index for index, piece in enumerate(model.pieces) if piece.kind == "unknown"]
    if len(unknown) != 1:
        raise BadFile(
            f"The model has {len(model.pieces)} pieces, of which {len(unknown)} are unknown; exactly one must be."
        )
    byte_pieces = {piece.text for piece in model.pieces if piece.kind == "byte"}
    expected = {f"<0x{byte:02X}>" for byte in range(256)} if model.byte_fallback else set()
    if wrong := sorted(byte_pieces - expected):
        raise BadFile(
            f"{wrong[0][:40]!r} is not a byte piece of a model {'with' if expected else 'without'} byte fallback."
        )
    if missing := sorted(expected - byte_pieces):
        raise BadFile(f"The byte piece {missing[0]} is missing.")
    # sentencepiece splits unused pieces again after merging, which `sentencepiece.bpe` here does not implement.
    if model.algorithm == "bpe" and (unused := [piece.text for piece in model.pieces if piece.kind == "unused"]):
        raise BadFile(f"The piece {unused[0][:40]!r} is unused, which is not supported in a BPE model.")


def list_merges(model: SentencePieceModel) -> Iterator[tuple[int, int]]:
    """Yield the ids of every two pieces whose joint is a piece, the joint with the best score first.

    >>> pieces = [ScoredPiece("<unk>", 0, "unknown"), ScoredPiece("ab", -1)]
    >>> pieces += [ScoredPiece("abc", -2), ScoredPiece("bc", -3)]
    >>> pieces += [ScoredPiece(char, -4 - i) for i, char in enumerate("abc")]
    >>> [*list_merges(SentencePieceModel(tuple(pieces), "bpe"))]
    [(4, 5), (4, 3), (1, 6), (5, 6)]
    """
    ids = {piece.text: id for id, piece in enumerate(model.pieces) if piece.kind == "normal"}
    for text in sorted(ids, key=lambda text: -model.pieces[ids[text]].score):
        for at in range(1, len(text)):
            left = ids.get(text[:at])
            right = ids.get(text[at:])
            if left is not None and right is not None:
                yield left, right
