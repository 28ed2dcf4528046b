"""The trainers of the library `sentencepiece`: BPE and Unigram over whole lines, with spaces written as ▁."""

import re
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, Literal

from ...errors import EngineFailed
from ...types import TrainedVocab
from .model import list_merges, load_model

DEFAULT_LENGTH = 16
"""The default of `longest`, the maximum length of a piece in characters."""
MAX_LINE_BYTES = 10_000_000
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
    byte_fallback: bool = False,
) -> TrainedVocab:
    """Train on lines that are not normalized, except that spaces become ▁.

    >>> options = {"special_tokens": ["<unk>"], "unknown": "<unk>", "size": 12}
    >>> train(["low lower low", "low"], algorithm="bpe", **options).pieces[:5]
    ('<unk>', 'lo', 'low', '▁low', 'er')

    A `size` that is too small for the characters of the text is raised to the minimum. Raises `EngineFailed`.
    """
    options = {
        "model_type": algorithm,
        "hard_vocab_limit": False,  # a small corpus may not fill the vocabulary
        "character_coverage": 1.0,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "max_sentence_length": MAX_LINE_BYTES,
        "max_sentencepiece_length": longest or DEFAULT_LENGTH,
        "split_digits": split_digits,
        "byte_fallback": byte_fallback,
        "unk_piece": unknown,
        # No BOS, EOS and padding tokens unless the user lists them.
        **dict.fromkeys(("bos_id", "eos_id", "pad_id"), -1),
        "control_symbols": [token for token in special_tokens if token != unknown],
        "minloglevel": 3,
    }
    return read(_model(lines, size, options), algorithm, special_tokens, unknown, lowercase)


def _model(lines: Iterable[str], size: int, options: Mapping[str, Any]) -> bytes:
    import sentencepiece

    model = BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=model, vocab_size=size, **options
        )
    except RuntimeError as error:
        if (required := TOO_FEW.search(str(error))) and int(required[1]) > size:
            return _model(lines, int(required[1]), options)
        raise EngineFailed("SentencePiece cannot train on this corpus.") from None
    return model.getvalue()


def read(
    data: bytes, algorithm: Literal["bpe", "unigram"], special_tokens: Sequence[str], unknown: str, lowercase: bool
) -> TrainedVocab:
    """Read a trained model file."""
    model = load_model(data)
    pieces = tuple(piece.text for piece in model.pieces)
    ids = {piece: id for id, piece in enumerate(pieces)}
    return TrainedVocab(
        algorithm,
        "characters",
        pieces,
        merges=tuple(list_merges(model)) if algorithm == "bpe" else (),
        scores=tuple(piece.score for piece in model.pieces),
        special_tokens={token: ids[token] for token in special_tokens},
        unknown=unknown,
        lowercase=lowercase,
        byte_fallback=model.byte_fallback,
    )
