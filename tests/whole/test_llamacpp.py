"""Random GGUF files of every kind give the ids of llama.cpp's own library, in both engines of each."""

import random

import pytest
from tokenarium.files.gguf.pre_tokenizers import PRE_TOKENIZERS
from tokenarium.files.records import record_from_files
from tokenarium.registry import load

from tests.support import random_gguf
from tests.support.llamacpp import ask_llamacpp

pytestmark = pytest.mark.nightly
BYTE_LEVEL = [None, *(name for name, rules in PRE_TOKENIZERS.items() if name and not rules.as_characters)]
COUNT = 60
"""Random texts a file."""


def list_differing(data, texts, expected):
    """Return the engine, the policy and the text wherever ids differ."""
    record = record_from_files("x", {"x.gguf": data})
    ids = record.info.special_tokens
    before, after = ([ids[token] for token in side] for side in (record.info.prefix, record.info.suffix))
    return [
        (engine.engine, policy, ascii(text))
        for engine in (load(record, name) for name in record.info.engines)
        for text, both in zip(texts, expected, strict=True)
        for policy, wanted in zip(("parse", "text"), both, strict=True)
        if [*before, *engine.encode(text, special=policy).ids.tolist(), *after] != wanted
    ]


def compare(tmp_path, made):
    """Return what differs, by the name of a file."""
    drawn = {}
    for name, data in made.items():
        (tmp_path / f"{name}.gguf").write_bytes(data)
        drawn[name] = random_gguf.random_texts(random.Random(name), COUNT)
    answers = ask_llamacpp({str(tmp_path / f"{name}.gguf"): texts for name, texts in drawn.items()})
    pairs = zip(made.items(), answers.values(), strict=True)
    found = {name: list_differing(data, drawn[name], answer) for (name, data), answer in pairs}
    return {name: differing for name, differing in found.items() if differing}


def test_byte_level_vocabularies_with_every_name(tmp_path):
    made = {str(pre): random_gguf.byte_level(random.Random(str(pre)), pre) for pre in BYTE_LEVEL}
    assert compare(tmp_path, made) == {}


@pytest.mark.parametrize("model", ["llama", "t5"])
def test_pieces_with_scores(tmp_path, model):
    made = {f"{model}-{seed}": random_gguf.pieces(random.Random(seed), model) for seed in range(12)}
    assert compare(tmp_path, made) == {}


def test_wordpiece(tmp_path):
    made = {f"bert-{seed}": random_gguf.words(random.Random(seed)) for seed in range(6)}
    assert compare(tmp_path, made) == {}


def test_the_longest_match_of_rwkv(tmp_path):
    made = {f"rwkv-{seed}": random_gguf.longest_match(random.Random(seed)) for seed in range(4)}
    assert compare(tmp_path, made) == {}
