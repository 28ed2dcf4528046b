"""A trained tokenizer as all others here are: described, with the one file that its engines read."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import regex

from app.errors import Invalid
from app.formats.patterns import readable
from app.lab.steps.learn.corpora import PATTERNS, expression
from app.lab.train.formats import files
from app.registry import LOADERS
from app.store import Record, described
from app.types import Learned, Tokenizer

NUMBERS = regex.compile(r"\\p\{N\}(\+|\{1,3\})?\+?")
"""How patterns tell digits; whichever way, they leave none out."""


def tokenizer(learned: Learned, *, title: str = "") -> Tokenizer:
    """On the engine written here, to measure with. Raises `Invalid` for what no engine can cut by.

    >>> learned = Learned("bpe", "characters", ("a", "b", "ab"), ((0, 1),))
    >>> tokenizer(learned).encode("abba").ids.tolist()
    [2, 1, 0]
    """
    return LOADERS["scratch"](record(learned, files(learned), id="trained", title=title))


def record(
    learned: Learned, made: Mapping[str, bytes], *, id: str, title: str, source: Mapping[str, str] | None = None
) -> Record:
    """Its record, as yet in memory; `made` are the files it is written in."""
    file, engines = _engines(learned, made)
    aside = learned.unknown if "sentencepiece" in engines else None  # which no text spells out there
    spec: dict[str, Any] = {
        "id": id,
        "title": title,
        "family": learned.algorithm,
        "engines": engines,
        "vocab_size": len(learned.pieces),
        "lossless": _lossless(learned),
        "normalization": _normalization(learned),
        "special_tokens": {token: id for token, id in learned.special_tokens.items() if token != aside},
        "source": dict(source or {}),
        "files": {file: {"sha256": hashlib.sha256(made[file]).hexdigest(), "bytes": len(made[file])}},
    }
    if file == "ranks.tiktoken":
        spec |= {"ranks": file, "pattern": readable(learned.pattern)}
    return Record(described(spec), Path(id), spec, {file: made[file]})


def _engines(learned: Learned, made: Mapping[str, bytes]) -> tuple[str, list[str]]:
    """The file that is read, and the engines that read it alike."""
    if "sentencepiece.model" in made:
        return "sentencepiece.model", ["sentencepiece", "scratch"]
    if "ranks.tiktoken" in made and "tokenizer.json" in made and leaves_nothing_out(learned.pattern):
        return "ranks.tiktoken", ["tiktoken", "scratch"]
    if "tokenizer.json" in made:
        return "tokenizer.json", ["tokenizers", "scratch"]
    if "ranks.tiktoken" in made:
        return "ranks.tiktoken", ["scratch"]
    raise Invalid("No file that could be kept says how words are cut here.", pointer="/pattern")


def leaves_nothing_out(pattern: str) -> bool:
    r"""Whether a pattern is known to match all of every text.

    >>> leaves_nothing_out(""), leaves_nothing_out(r"\S+"), leaves_nothing_out(expression("gpt2"))
    (True, False, True)
    """
    known = {"", *(expression(name) for name in PATTERNS if name not in ("whole", "spaces"))}
    return _without_digits(pattern) in map(_without_digits, known)


def _without_digits(pattern: str) -> str:
    return str(NUMBERS.sub("0", pattern))


def _lossless(learned: Learned) -> bool:
    whole = learned.unit == "bytes" and not learned.lowercase and not learned.marks_spaces
    return learned.algorithm == "bpe" and whole and leaves_nothing_out(learned.pattern)


def _normalization(learned: Learned) -> str:
    """In words, what the tokens join to instead of the text."""
    told = ["Lower case."] * learned.lowercase
    if learned.marks_spaces:
        told.append("A space is put before the text, which decoding takes off again; and every ▁ becomes a space.")
    elif not leaves_nothing_out(learned.pattern):
        told.append("What the pattern does not match, such as the spaces between words, is left out.")
    if learned.algorithm == "wordpiece":
        told.append(f"A word that the vocabulary cannot spell becomes {learned.unknown}.")
    elif learned.unit != "bytes" and not learned.bytes_too:
        instead = f"becomes {learned.unknown}" if learned.unknown else "is left out"
        told.append(f"A character that the vocabulary lacks {instead}.")
    return " ".join(told)
