"""The trainers of the library `sentencepiece`: BPE and Unigram over lines in which a space is written ▁."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, Literal

from app.errors import EngineFailed
from app.formats.sentencepiece_model import load_model
from app.types import Learned

LONGEST = 16
"""Characters of the longest piece, unless told."""
LONGEST_LINE = 10_000_000
TOO_FEW = re.compile(r"smaller than required_chars\. \d+ vs (\d+)")


def train(
    lines: Iterable[str],
    *,
    algorithm: Literal["bpe", "unigram"],
    size: int,
    special_tokens: Sequence[str],
    unknown: str,
    longest: int | None = None,
    split_digits: bool = False,
    lowercase: bool = False,
    bytes_too: bool = False,
) -> Learned:
    """Learn from lines, with nothing changed in them but the spaces, as `Learned` has it.

    >>> options = {"special_tokens": ["<unk>"], "unknown": "<unk>", "size": 12}
    >>> train(["low lower low", "low"], algorithm="bpe", **options).pieces[:5]
    ('<unk>', 'lo', 'low', '▁low', 'er')

    A size that does not even hold the characters is made large enough. Raises `EngineFailed`.
    """
    options = {
        "model_type": algorithm,
        "hard_vocab_limit": False,
        "character_coverage": 1.0,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "max_sentence_length": LONGEST_LINE,
        "max_sentencepiece_length": longest or LONGEST,
        "split_digits": split_digits,
        "byte_fallback": bytes_too,
        "unk_piece": unknown,
        **dict.fromkeys(("bos_id", "eos_id", "pad_id"), -1),
        "control_symbols": [token for token in special_tokens if token != unknown],
        "minloglevel": 3,
    }
    return read(_model(lines, size, options), algorithm, special_tokens, unknown, lowercase)


def _model(lines: Iterable[str], size: int, options: Mapping[str, Any]) -> bytes:
    import sentencepiece

    written = BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=written, vocab_size=size, **options
        )
    except RuntimeError as error:
        if (few := TOO_FEW.search(str(error))) and int(few[1]) > size:
            return _model(lines, int(few[1]), options)
        raise EngineFailed("SentencePiece could not learn from this corpus.") from None
    return written.getvalue()


def read(
    data: bytes, algorithm: Literal["bpe", "unigram"], special_tokens: Sequence[str], unknown: str, lowercase: bool
) -> Learned:
    """What a model file says."""
    model = load_model(data)
    pieces = tuple(piece.text for piece in model.pieces)
    ids = {piece: id for id, piece in enumerate(pieces)}
    normal = [piece.text for piece in model.pieces if piece.kind == "normal"]
    return Learned(
        algorithm,
        "characters",
        pieces,
        merges=tuple(_merges(normal, ids)) if algorithm == "bpe" else (),
        scores=tuple(piece.score for piece in model.pieces) if algorithm == "unigram" else (),
        special_tokens={token: ids[token] for token in special_tokens},
        unknown=unknown,
        lowercase=lowercase,
        bytes_too=model.byte_fallback,
    )


def _merges(pieces: Sequence[str], ids: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Every pair of pieces that makes a piece, in the order of what they make: SentencePiece looks only at that."""
    for piece in pieces:
        for cut in range(1, len(piece)):
            if (left := ids.get(piece[:cut])) is not None and (right := ids.get(piece[cut:])) is not None:
                yield left, right
