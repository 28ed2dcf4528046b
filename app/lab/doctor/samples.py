"""Samples: tokenizer files, each with one fault, and texts on which tokenizers differ or lose something, by name."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...files.tokenizer_json.components import bpe, byte_level, document, make_template_processor, make_token_component
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET

BOS = "<s>"
MERGES = (("t", "h"), ("th", "e"), ("Ġ", "the"), ("a", "n"))
CHARACTERS = {
    "accents (é)": "é",
    "combining accents (e + U+0301)": "e\u0301",
    "capital letters (A)": "A",
    "full-width letters (Ａ)": "Ａ",
    "ligatures (ﬁ)": "ﬁ",
    "sharp s (ß)": "ß",
    "Greek": "Ω",
    "Cyrillic": "Ж",
    "Arabic": "ش",
    "Hebrew with points": "שׁ",
    "Devanagari conjuncts": "क्ष",
    "Thai": "ก็",
    "Chinese": "你",
    "Japanese": "が",
    "Korean": "각",
    "emoji": "🌍",
    "emoji with joiners": "👩🏽\u200d🚀",
    "flags": "🇺🇳",
    "digits (5)": "5",
    "digits of other scripts": "٣",
    "fractions": "½",
    "mathematics": "∑",
    "currency": "€",
    "tabs": "x\tx",
    "newlines": "x\nx",
    "two newlines": "x\n\nx",
    "carriage returns": "x\r\nx",
    "two spaces": "x  x",
    "no-break space": "x\u00a0x",
    "ideographic space": "x\u3000x",
    "zero-width space": "x\u200bx",
    "soft hyphen": "x\u00adx",
    "byte order mark": "x\ufeffx",
    "NUL": "x\0x",
    "control characters": "x\x1bx",
    "replacement character": "\ufffd",
    "private use": "\ue000",
    "unassigned": "\U0003fffd",
    "the mark ▁": "▁",
    "the letter Ġ": "Ġ",
    "apostrophes": "’",
    "underscores": "_",
    "backslashes": "\\",
}
NASTY = {
    **{name: f"a{text}b {text} {text}{text}" for name, text in CHARACTERS.items()},
    "empty": "",
    "a space": " ",
    "spaces at the ends": "  a  ",
    "a newline at the end": "a\n",
    "a sentence": "Hello, world! It's 12,345.67 km away.",
    "contractions": "I'LL don't we've THEY'RE 'tis",
    "code": "def f(x):\n    return x[0]  # TODO\n\n\n\tif (a != b) { a += 0x1F; }\r\n",
    "JSON": '{"k": [1, 2.5e-3, null, "\\u00e9"]}',
    "an address": "https://example.org/?q=1&amp;r=%20#x",
    "numbers": "1 12 123 1234 12345 123456 1234567890 3.14159",
    "spelled bytes": "<0x41><0x0A> <s> </s> <unk> [CLS] [SEP] <|endoftext|>",
    "spelled words": "##ing </w> Ġthe ▁the ▁▁",
    "long run of spaces": "a" + " " * 200 + "b",
    "long run of a letter": "a" * 300,
    "long run of newlines": "\n" * 150,
    "title case": "ǅ İstanbul ΑΣ STRASSE",
    "mixed scripts": "Ελλάδα Россия 中国 日本語 한국어 العربية हिन्दी ไทย",
}
"""Each is encoded by every engine."""


@dataclass(frozen=True, slots=True)
class Patient:
    """Files with one fault: an id, what is wrong in a few words, and how they are made."""

    id: str
    title: str
    make: Callable[[], Mapping[str, bytes]]


def _build(*, more: tuple[str, ...] = (), **stages: Any) -> dict[str, Any]:
    """Return a sound byte-level tokenizer.json, with further tokens and other stages."""
    tokens = [BOS, *ALPHABET, *(left + right for left, right in MERGES), *more]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    stages = {"pre_tokenizer": byte_level(), "decoder": byte_level(), **stages}
    return document(bpe(vocabulary, MERGES), [make_token_component(BOS, 0)], **stages)


def _write(top: Mapping[str, Any], **config: Any) -> Mapping[str, bytes]:
    beside = {"tokenizer_config.json": json.dumps(config).encode()} if config else {}
    return {"tokenizer.json": json.dumps(top).encode(), **beside}


def _split(pattern: str) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    spelled = byte_level() | {"use_regex": False}
    return {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, spelled]}}


def _two_begins() -> Mapping[str, bytes]:
    begin = make_template_processor([BOS], [], {BOS: 0})
    template = "{{ bos_token }}{% for message in messages %}{{ message.content }}{% endfor %}"
    return _write(_build(post_processor=begin), bos_token=BOS, chat_template=template)


def _broken_merges() -> Mapping[str, bytes]:
    top = _build(truncation={"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0})
    top["model"]["merges"] += [["the", "an"]]
    return {"tokenizer.json": json.dumps(top, indent=2).encode()}


def _two_files() -> Mapping[str, bytes]:
    top = _build()
    ids = top["model"]["vocab"]
    ids["th"], ids["the"] = ids["the"], ids["th"]
    return {"one.json": json.dumps(_build()).encode(), "other.json": json.dumps(top).encode()}


PATIENTS = (
    Patient("sound", "Nothing is wrong", lambda: _write(_build())),
    Patient("orphan", "A token that no merge makes", lambda: _write(_build(more=("xyz",)))),
    Patient("dropped", "A pattern that drops text", lambda: _write(_build(**_split(r"\w+|\s+")))),
    Patient("slow", "A pattern that never ends", lambda: _write(_build(**_split(r"(?:a|aa)+$|.|\w")))),
    Patient("begins", "Two BOS tokens", _two_begins),
    Patient("ids", "Two files with different ids", _two_files),
    Patient("broken", "Merges that make nothing", _broken_merges),
    Patient("none", "No tokenizer at all", lambda: {"bad.json": b'{"bad": 1}'}),
)


def find_patient(id: str) -> Patient | None:
    """Return a patient, None if there is none of this id.

    >>> [*find_patient("ids").make()]
    ['one.json', 'other.json']
    """
    return next((one for one in PATIENTS if one.id == id), None)
