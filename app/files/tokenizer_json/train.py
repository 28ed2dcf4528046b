"""The trainers of the library `tokenizers`, given words and their counts: pre-tokenization is done before."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from ...scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from ...scratch.fast.bpe.train import spell_as_bytes
from ...types import Algorithm, TrainedVocab, Unit

BATCH = 1000
"""The number of words passed to the trainer at a time."""
DEFAULT_LENGTH = 16
"""The default of `longest` for Unigram, the maximum length of a piece in characters."""


def train(
    counts: Mapping[str, int],
    *,
    algorithm: Algorithm,
    size: int,
    unit: Unit,
    pattern: str,
    special_tokens: Sequence[str],
    unknown: str | None,
    at_least: int = 2,
    longest: int | None = None,
    lowercase: bool = False,
    byte_fallback: bool = False,
) -> TrainedVocab:
    """Train on words and their counts; the options are those of `scratch.fast.bpe.train.train_bpe`.

    >>> options = {"algorithm": "bpe", "unit": "bytes", "pattern": "", "special_tokens": ["<|end|>"], "unknown": None}
    >>> learned = train({"low": 5, "lower": 2}, size=259, **options)
    >>> learned.merges, learned.pieces[256:]
    (((108, 111), (256, 119)), ('lo', 'low', '<|end|>'))

    Raises `Invalid` if a special token is spelled like a byte of the vocabulary.
    """
    if algorithm == "bpe" and unit == "bytes":
        spell_as_bytes(special_tokens)  # which the library would take for the byte
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)] if byte_fallback else []
    whole: dict[str, Any] = {"pattern": pattern, "lowercase": lowercase, "unknown": unknown}
    whole |= {"algorithm": algorithm, "unit": unit}
    limits = {"vocab_size": max(1, size - len(bytes_)), "min_frequency": at_least}
    tokenizer, trainer = _create_tokenizer(algorithm, unit, unknown, longest)
    tokenizer.train_from_iterator(_batches(counts), trainer(special_tokens=[*special_tokens], limits=limits))
    model = json.loads(tokenizer.to_str())["model"]
    if algorithm == "unigram":
        return _unigram(model["vocab"], [*special_tokens], bytes_, whole)
    if algorithm == "bpe" and unit == "bytes":
        return _bytes([tuple(pair) for pair in model["merges"]], special_tokens, whole)
    ids = model["vocab"]
    pieces = tuple(sorted(ids, key=ids.__getitem__))
    merges = tuple((ids[a], ids[b]) for a, b in model.get("merges", ()))
    special = {token: ids[token] for token in special_tokens}
    return TrainedVocab(pieces=pieces, merges=merges, special_tokens=special, **whole)


def _create_tokenizer(algorithm: Algorithm, unit: Unit, unknown: str | None, longest: int | None) -> tuple[Any, Any]:
    """Return an untrained tokenizer, and a function from special tokens and limits to its trainer."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    def trainer(special_tokens: list[str], limits: dict[str, Any]) -> Any:
        common: dict[str, Any] = {"special_tokens": special_tokens, "show_progress": False}
        if algorithm == "unigram":
            size = limits["vocab_size"]
            return trainers.UnigramTrainer(
                vocab_size=size, unk_token=unknown, max_piece_length=longest or DEFAULT_LENGTH, **common
            )
        if algorithm == "wordpiece":
            return trainers.WordPieceTrainer(**limits, **common)
        alphabet = pre_tokenizers.ByteLevel.alphabet() if unit == "bytes" else []
        limit = None if longest is None else longest + 1  # the library accepts only tokens below its limit
        return trainers.BpeTrainer(**limits, **common, max_token_length=limit, initial_alphabet=alphabet)

    if algorithm == "unigram":
        return Tokenizer(models.Unigram()), trainer
    if algorithm == "wordpiece":
        return Tokenizer(models.WordPiece(unk_token=unknown)), trainer
    tokenizer = Tokenizer(models.BPE(unk_token=unknown))
    if unit == "bytes":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return tokenizer, trainer


def _batches(counts: Mapping[str, int]) -> Iterator[list[str]]:
    batch: list[str] = []
    for word, count in counts.items():
        batch += repeat(word, count)  # the library counts words itself and accepts no counts
        if len(batch) >= BATCH:
            yield batch
            batch = []
    yield batch


def _bytes(merges: list[tuple[str, str]], special_tokens: Sequence[str], whole: Mapping[str, Any]) -> TrainedVocab:
    """Renumber: the bytes by value, the merges in their order, the special tokens last (see `TrainedVocab`).

    As in the library, merges that make the same token share its id, and so does a special token that is spelled so.
    """
    made = dict.fromkeys(a + b for a, b in merges if a + b not in special_tokens)
    pieces = (*byte_alphabet(), *made, *special_tokens)
    ids = {piece: id for id, piece in enumerate(pieces)}
    special = {token: ids[token] for token in special_tokens}
    return TrainedVocab(
        pieces=pieces, merges=tuple((ids[a], ids[b]) for a, b in merges), special_tokens=special, **whole
    )


def _unigram(
    entries: Sequence[tuple[str, float]], special_tokens: list[str], bytes_: list[str], whole: Mapping[str, Any]
) -> TrainedVocab:
    """Renumber: special tokens first, then byte tokens, then pieces."""
    first = [*special_tokens, *bytes_]
    kept = [(piece, score) for piece, score in entries if piece not in {*first}]
    pieces = (*first, *(piece for piece, _ in kept))
    scores = (*[0.0] * len(first), *(score for _, score in kept))
    special = {token: id for id, token in enumerate(special_tokens)}
    return TrainedVocab(pieces=pieces, scores=scores, special_tokens=special, byte_fallback=bool(bytes_), **whole)
