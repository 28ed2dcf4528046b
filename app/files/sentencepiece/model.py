"""The SentencePiece `.model` file: a protocol buffer with the pieces, their scores, and how to normalize.

Field numbers are those of `sentencepiece_model.proto` (Kudo and Richardson 2018).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple

import numpy as np

from ...errors import BadFile, join_names
from ...scratch.compat.sentencepiece.charsmap import CharsMap, dump_charsmap, load_charsmap
from ..protobuf import BYTES, FIXED32, VARINT, Value, field, fields, float32

Kind = Literal["normal", "unknown", "control", "user_defined", "byte", "unused"]
KINDS: dict[int, Kind] = {1: "normal", 2: "unknown", 3: "control", 4: "user_defined", 5: "unused", 6: "byte"}
ALGORITHMS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
MAX_PIECES = 1_000_000
MAX_SCORE = 10_000_000
MAX_SPEC = 4_000_000
"""Bytes of the trainer spec and the normalizer spec, which has a map of characters, together."""
MAX_OTHERS = 1000
"""Fields of a model that are no pieces."""
"""Beyond it, a sum of scores of 32 bits loses the others; pieces that are never to be used have -1e9."""
WHAT = "model"
UNKNOWN_SURFACE = " ⁇ "
"""What the unknown token is decoded to by default."""


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
    pieces, start = _plain_pieces(data)
    options: dict[str, Any] = {"algorithm": "unigram"}
    numbers = set()
    size = 0
    others = 0
    for number, wire, value, at in fields(data[start:], at=start, what=WHAT):
        numbers.add(number)
        if number != 1:
            others = others + 1
            size = size + (len(value) if isinstance(value, bytes) else 0)
            if size > MAX_SPEC or others > MAX_OTHERS:
                raise BadFile(f"The specs of the model have more than {MAX_SPEC:,} bytes or {MAX_OTHERS:,} parts.")
        if number in (1, 2, 3):
            part = _bytes(value, wire, at)
            if number == 1:
                pieces.append(_piece(part, at, len(pieces)))
            else:
                options |= _trainer(part, at) if number == 2 else _normalizer(part, at)
        if len(pieces) > MAX_PIECES:
            raise BadFile(f"The model has more than {MAX_PIECES} pieces.")
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
    trainer: dict[int, Value] = {3: algorithms[model.algorithm], 4: len(model.pieces), 24: model.whitespace_as_suffix}
    surface = {} if model.unknown_surface == UNKNOWN_SURFACE else {44: model.unknown_surface.encode()}
    trainer |= {35: model.byte_fallback, 40: unknown, **none, **surface, 45: model.pieces[unknown].text.encode()}
    charsmap = b"" if model.charsmap is None else dump_charsmap(model.charsmap)
    normalizer: dict[int, Value] = {1: b"identity", 2: charsmap, 3: model.add_dummy_prefix}
    normalizer |= {4: model.remove_extra_whitespaces, 5: model.escape_whitespaces}
    specs = [b"".join(field(number, value) for number, value in spec.items()) for spec in (trainer, normalizer)]
    return b"".join([*(field(1, piece) for piece in pieces), field(2, specs[0]), field(3, specs[1])])


def _plain_pieces(data: bytes) -> tuple[list[ScoredPiece], int]:
    """Return the pieces at the beginning that SentencePiece itself wrote, and where they end.

    It writes a text, a score and sometimes a type, each of fewer than 128 bytes: read here in a twentieth of the time
    that any message takes. At the first piece with anything else the general reader goes on.
    """
    places = [0]
    position = 0
    end = len(data) - 2
    while position < end and data[position] == 0x0A and data[position + 1] < 128 and len(places) <= MAX_PIECES:
        position += 2 + data[position + 1]
        places.append(position)
    heads = np.array(places)
    chars = np.frombuffer(data + bytes(300), np.uint8)
    starts = heads[:-1] + 4  # of the text, behind the tags and sizes of the piece and of itself
    sizes = chars[starts - 1]
    ends = starts + sizes
    scores = chars[ends[:, None] + np.arange(1, 5)].view("<f4")[:, 0]
    behind = heads[1:] - ends
    kinds = np.where(behind == 7, chars[ends + 6], 1)
    typed = (behind == 7) & (chars[ends + 5] == 0x18) & np.isin(kinds, [*KINDS])
    framed = (chars[starts - 2] == 0x0A) & (sizes > 0) & (sizes < 128) & (chars[ends] == 0x15)
    plain = framed & (typed | (behind == 5)) & np.isfinite(scores) & (heads[1:] <= len(data))
    number = int(np.append(plain, False).argmin())  # of the plain ones before any other
    spans = zip(starts[:number].tolist(), ends[:number].tolist(), strict=True)
    try:
        texts = [data[start:end].decode() for start, end in spans]
    except UnicodeDecodeError:
        return [], 0
    names = map(KINDS.__getitem__, kinds[:number].tolist())
    return [*map(ScoredPiece, texts, scores[:number].tolist(), names)], places[number]


def _piece(data: bytes, at: int, index: int) -> ScoredPiece:
    text = b""
    score = 0.0
    kind = 1
    for number, wire, value, offset in fields(data, at=at, what=WHAT):
        if number == 1:
            text = _bytes(value, wire, offset)
        elif number == 2:
            score = float32(_bytes(value, wire, offset, expected=FIXED32))
        elif number == 3:
            kind = _number(value, wire, offset)
    if not text:
        raise BadFile(f"Piece {index}, at byte {at}, is empty.")
    if not isfinite(score):
        raise BadFile(f"Piece {index}, at byte {at}, has the score {score}.")
    if kind not in KINDS:
        raise BadFile(f"Piece {index}, at byte {at}, is of type {kind}; valid types are 1 to 6.")
    return ScoredPiece(_text(text, at, f"Piece {index}"), score, KINDS[kind])


def _trainer(data: bytes, at: int) -> Iterator[tuple[str, Any]]:
    """Yield the options of a TrainerSpec that encoding depends on."""
    for number, wire, value, offset in fields(data, at=at, what=WHAT):
        if number == 3:
            algorithm = ALGORITHMS.get(_number(value, wire, offset), str(value))
            if algorithm not in ALGORITHMS.values():
                raise BadFile(f"The model is of type {algorithm}; supported are {join_names(ALGORITHMS.values())}.")
            yield "algorithm", algorithm
        elif number in (24, 35):
            yield ("whitespace_as_suffix" if number == 24 else "byte_fallback"), bool(_number(value, wire, offset))
        elif number == 44:
            yield "unknown_surface", _bytes(value, wire, offset).decode(errors="replace")


def _normalizer(data: bytes, at: int) -> Iterator[tuple[str, Any]]:
    """Yield the options of a NormalizerSpec."""
    names = {3: "add_dummy_prefix", 4: "remove_extra_whitespaces", 5: "escape_whitespaces"}
    for number, wire, value, offset in fields(data, at=at, what=WHAT):
        if number in names:
            yield names[number], bool(_number(value, wire, offset))
        elif number == 2 and (blob := _bytes(value, wire, offset)):
            yield "charsmap", load_charsmap(blob, f"The character map at byte {offset}")


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


def _text(data: bytes, at: int, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadFile(f"{what}, at byte {at}, is not UTF-8 at its byte {error.start}.") from None


def _bytes(value: Value, wire: int, at: int, *, expected: int = BYTES) -> bytes:
    if wire != expected or isinstance(value, int):
        raise BadFile(f"Byte {at} of the {WHAT} begins a value of wire type {wire}, expected {expected}.")
    return value


def _number(value: Value, wire: int, at: int) -> int:
    if wire != VARINT or not isinstance(value, int):
        raise BadFile(f"Byte {at} of the {WHAT} begins a value of wire type {wire}, expected {VARINT}.")
    return value
