"""The files that a trained vocabulary is exported to, written once, and the record by which the engines load them."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ...errors import BadFile, Invalid
from ...files.minbpe import dump_minbpe
from ...files.patterns import make_readable
from ...files.sentencepiece.model import dump_model
from ...files.tiktoken.ranks import dump_ranks
from ...files.trained import minbpe_model, ranks, sentencepiece_model, tokenizer_json
from ...registry import LOADERS
from ...scratch.superwords import WEAK
from ...store import Record, read_info
from ...types import Tokenizer, TrainedVocab
from ..steps.patterns import PATTERNS as REFERENCE_PATTERNS
from ..steps.patterns import expression
from .options import DIGITS, PATTERNS, TrainingOptions

WRITERS: Mapping[str, Callable[[TrainedVocab], bytes]] = {
    "tokenizer.json": tokenizer_json,
    "sentencepiece.model": lambda learned: dump_model(sentencepiece_model(learned)),
    "ranks.tiktoken": lambda learned: dump_ranks(ranks(learned)),
    "minbpe.model": lambda learned: dump_minbpe(minbpe_model(learned)),
}
FILES = tuple(WRITERS)
CARD = "README.md"
MEDIA_TYPES: Mapping[str, str] = {"minbpe.model": "text/plain; charset=utf-8"}
"""The type of a file whose name does not tell it."""
NUMBERS = regex.compile(r"\\p\{N\}(\+|\{1,3\})?\+?")
"""The spellings of a run of digits in a pattern; with any of them, the pattern still matches every digit."""


@dataclass(frozen=True, slots=True, eq=False)
class Exports:
    """The files that express a vocabulary exactly, by name, and for each other format the reason why it cannot."""

    files: Mapping[str, bytes]
    refusals: Mapping[str, str]


def export(learned: TrainedVocab) -> Exports:
    """Write a vocabulary in every format that can express it.

    >>> from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet
    >>> list(export(TrainedVocab("bpe", "bytes", (*byte_alphabet(), "hi"), ((104, 105),))).files)
    ['tokenizer.json', 'ranks.tiktoken', 'minbpe.model']
    """
    files: dict[str, bytes] = {}
    refusals: dict[str, str] = {}
    for name, write in WRITERS.items():
        try:
            files[name] = write(learned)
        except BadFile as error:
            refusals[name] = error.detail
    return Exports(files, refusals)


def load_trained(learned: TrainedVocab, exports: Exports, *, title: str = "") -> Tokenizer:
    """The tokenizer of a vocabulary on the from-scratch engine. Raises `Invalid` if no engine can load its files.

    >>> learned = TrainedVocab("bpe", "characters", ("a", "b", "ab"), ((0, 1),))
    >>> load_trained(learned, export(learned)).encode("abba").ids.tolist()
    [2, 1, 0]
    """
    return LOADERS["scratch"](record(learned, exports, id="trained", title=title))


def record(
    learned: TrainedVocab, exports: Exports, *, id: str, title: str, source: Mapping[str, str] | None = None
) -> Record:
    """The record of a vocabulary, in memory: its description, and the one file that its engines load."""
    file, engines = _engines(learned, exports.files)
    data = exports.files[file]
    spec: dict[str, Any] = {
        "id": id,
        "title": title,
        "family": learned.algorithm,
        "engines": engines,
        "vocab_size": len(learned.pieces),
        "lossless": _is_lossless(learned),
        "normalization": _normalization(learned),
        "special_tokens": dict(learned.special_tokens),
        "source": dict(source or {}),
        "own_pattern": learned.pattern not in list_named_patterns(),
        "files": {file: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}},
    }
    if file == "ranks.tiktoken":
        spec |= {"ranks": file, "pattern": make_readable(learned.pattern)}
    return Record(read_info(spec), Path(id), spec, {file: data})


def _engines(learned: TrainedVocab, files: Mapping[str, bytes]) -> tuple[str, list[str]]:
    """The file to load, and the engines that give the same ids with it, the library first."""
    if "sentencepiece.model" in files:
        return "sentencepiece.model", ["sentencepiece", "scratch"]
    # tiktoken silently drops what its pattern does not match, so it needs one that matches everything.
    if "ranks.tiktoken" in files and "tokenizer.json" in files and matches_everything(learned.pattern):
        return "ranks.tiktoken", ["tiktoken", "scratch"]
    if "tokenizer.json" in files:
        return "tokenizer.json", ["tokenizers", "scratch"]
    if "ranks.tiktoken" in files:
        return "ranks.tiktoken", ["scratch"]
    raise Invalid("No file format can express this pre-tokenizer.", pointer="/pattern")


@cache
def list_named_patterns() -> frozenset[str]:
    """The patterns that a training can choose by name; any other was written by a user.

    >>> "" in list_named_patterns(), expression("gpt2") in list_named_patterns(), "(?:a+)+" in list_named_patterns()
    (True, True, False)
    """
    return frozenset(
        {""}
        | {TrainingOptions(pattern=name, digits=digits).expression for name in PATTERNS for digits in DIGITS}
        | {TrainingOptions(digits=digits, superwords_after=1).encoding_expression for digits in DIGITS}
    )


def matches_everything(pattern: str) -> bool:
    r"""True if a pattern is known to match all of every text.

    >>> matches_everything(""), matches_everything(r"\S+"), matches_everything(expression("gpt2"))
    (True, False, True)
    """
    complete = {"", WEAK, *(expression(name) for name in REFERENCE_PATTERNS if name not in ("whole", "spaces"))}
    return _without_digits(pattern) in map(_without_digits, complete)


def _without_digits(pattern: str) -> str:
    return str(NUMBERS.sub("0", pattern))


def _is_lossless(learned: TrainedVocab) -> bool:
    unchanged = learned.unit == "bytes" and not learned.lowercase and not learned.marks_spaces
    return learned.algorithm == "bpe" and unchanged and matches_everything(learned.pattern)


def _normalization(learned: TrainedVocab) -> str:
    """What decoding an encoding gives where it is not the text itself, in sentences."""
    sentences = ["The text is lowercased."] * learned.lowercase
    if learned.marks_spaces:
        sentences.append("A space is prepended to the text, which decoding removes; every ▁ becomes a space.")
    elif not matches_everything(learned.pattern):
        sentences.append("What the pattern does not match, such as the spaces between words, is left out.")
    if learned.algorithm == "wordpiece":
        sentences.append(f"A word that the vocabulary cannot spell becomes {learned.unknown}.")
    elif learned.unit != "bytes" and not learned.byte_fallback:
        instead = f"becomes {learned.unknown}" if learned.unknown else "is left out"
        sentences.append(f"A character that the vocabulary lacks {instead}.")
    return " ".join(sentences)
