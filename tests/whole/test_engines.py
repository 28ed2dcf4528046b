"""Two engines with one vocabulary do the same: the law over each tokenizer, which is loaded once for all of this file.

Few tokenizers are in memory at a time, since all of them take gigabytes.
"""

import gc
import random
from itertools import pairwise

import pytest
from tokenarium.errors import UnknownId
from tokenarium.lab.conformance import compare
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.workers.process import resident_bytes

from tests.conftest import CONFORMANCE_TEXTS, IDS, TIER
from tests.support.golden_ids import RECORDED, golden
from tests.support.strings import NASTY

MUCH = resident_bytes() + 2 * 10**9
COLUMNS = ("ids", "byte_starts", "byte_ends", "char_starts", "char_ends", "flags")


@pytest.fixture(scope="module", params=IDS)
def id(request):
    """Pytest runs all tests of one id before it goes on to the next."""
    return request.param


@pytest.fixture(scope="module")
def registry(id):
    """A registry in which one tokenizer is loaded.

    It is freed afterwards; to find what refers to itself takes a search of all that the process has, so that this is
    done only when it is much.
    """
    yield Registry(Settings(max_loaded=10**12))
    if resident_bytes() > MUCH:
        gc.collect()


@pytest.fixture(scope="module")
def engines(registry, id):
    """The tokenizer on each of its engines, the reference first."""
    return [registry.get(id, engine) for engine in registry.info(id).engines]


def alike(one, other):
    return all(getattr(one, name).tolist() == getattr(other, name).tolist() for name in COLUMNS)


def test_the_ids_are_those_that_the_models_own_tokenizer_gave(engines, id):
    pairs = golden(RECORDED[id]) if id in RECORDED else []
    assert len(pairs) >= 46 or id not in RECORDED
    for loaded in engines:
        assert [loaded.encode(text).ids.tolist() for text, _ in pairs] == [ids for _, ids in pairs], loaded.engine


def test_nasty_texts_are_cut_alike_and_lossless_tokens_tile_them(engines):
    info, results = engines[0].info, []
    for loaded in engines:
        results.append([loaded.encode(text, special=how) for text in NASTY.values() for how in ("text", "parse")])
        for text, encoding in zip(NASTY.values(), results[-1][::2], strict=True):
            size = len(text.encode())
            spans = zip(encoding.byte_starts, encoding.byte_ends, strict=True)
            assert all(0 <= start <= end <= size for start, end in spans)
            if info.lossless:
                assert [0, *encoding.byte_ends.tolist()] == [*encoding.byte_starts.tolist(), size]
            if info.lossless and not info.grows:
                assert loaded.decode(encoding.ids.tolist()) == text.encode()
    for one, other in pairwise(results):
        assert all(alike(a, b) for a, b in zip(one, other, strict=True))


def test_spelled_special_tokens_are_parsed_alike(engines):
    for text in NASTY.values():
        spelled = f"<|endoftext|>{text}<|endofprompt|></s><s>[INST]{text}[SEP][UNK][MASK]<|endoftext|>"
        found = [loaded.encode(spelled, special="parse") for loaded in engines]
        assert all(alike(a, b) for a, b in pairwise(found)), text
        if engines[0].engine == "tiktoken":
            normalized = engines[0].normalized  # by the program around tiktoken
            given = normalized.text(spelled) if normalized else spelled
            assert found[0].ids.tolist() == engines[0].library.encode(given, allowed_special="all")


def test_generated_texts_are_tokenized_alike(registry, engines, id):
    if len(engines) == 2:
        result = compare(registry, id, n=CONFORMANCE_TEXTS)
        assert [(difference.stage, difference.text) for difference in result.differences] == []
        assert (result.count, result.mismatches, result.failures) == (CONFORMANCE_TEXTS, 0, 0)


def entry(tokenizer, id):
    try:
        return tokenizer.entry(id)
    except UnknownId as unknown:
        return unknown.detail


def test_the_vocabulary_is_the_same_and_ids_are_decoded_alike(engines):
    """Nightly every id, before a commit those at both ends and one of 29 between."""
    for one, other in pairwise(engines):
        size = one.info.vocab_size
        some = [i for i in range(-1, size + 1) if TIER == "nightly" or i % 29 == 0 or not 300 <= i < size - 300]
        vocabulary = [entry(one, i) for i in some]
        assert vocabulary == [entry(other, i) for i in some]
        known = [i for i, found in zip(some, vocabulary, strict=True) if not isinstance(found, str)]
        source = random.Random(1)
        for _ in range(500):
            ids = source.choices(known, k=source.randint(0, 9))
            assert one.decode(ids) == other.decode(ids)
