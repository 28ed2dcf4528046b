"""Ranks in every format that can say them give the tokens of tiktoken, in both engines of each."""

import random

import tiktoken
from tokenarium.files.records import record_from_files
from tokenarium.lab.conformance import same_encoding
from tokenarium.registry import load

from tests.conftest import TIER
from tests.support.random_ranks import PATTERNS, SPECIAL, list_files, random_ranks, random_texts

CONFIGURATIONS = {"commit": 8, "nightly": 400}[TIER]


def raws(tokenizer, encoding):
    """Return the bytes of each token, which are the same whatever the ids begin with."""
    return [tokenizer.entry(id).raw for id in encoding.ids.tolist()]


def test_every_format_of_ranks_gives_the_tokens_of_tiktoken():
    seen = set()
    for seed in range(CONFIGURATIONS):
        source = random.Random(seed)
        ranks, pattern = random_ranks(source), source.choice(PATTERNS)
        special = {token: id for id, token in enumerate(SPECIAL, len(ranks))}
        library = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
        texts = [*random_texts(source, 8)]
        for form, files in list_files(ranks, pattern):
            seen.add(form)
            record = record_from_files("x", files)
            engines = [load(record, engine) for engine in record.info.engines]
            assert len(engines) == 2, (seed, form, record.info.notes)
            for number, text in enumerate(texts):
                place = (seed, form, ascii(text))
                allowed = "all" if number % 2 else set()
                expected = library.encode(text, allowed_special=allowed, disallowed_special=())
                policy = "parse" if number % 2 else "text"
                found, other = (engine.encode(text, special=policy) for engine in engines)
                assert raws(engines[0], found) == [library.decode_single_token_bytes(id) for id in expected], place
                assert same_encoding(other, found), place
                decoded = {engine.decode(found.ids.tolist()) for engine in engines}
                assert decoded == {library.decode_bytes(expected)}, place
    assert seen == {"ranks", "tekken", "tokenizer.json", "gguf", "vocab.json"}
