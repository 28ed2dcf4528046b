"""Sample patients: small tokenizer files, each with one fault, to see what the doctor says."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...convert.components import bpe, byte_level, document, make_template_processor, make_token_component
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET

BOS = "<s>"
MERGES = (("t", "h"), ("th", "e"), ("Ġ", "the"), ("a", "n"))


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
