"""A from-scratch tokenizer has the vocabulary of its reference, entry for entry, and decodes alike."""

import random

import pytest
from tokenarium.errors import UnknownId
from tokenarium.registry import Registry
from tokenarium.settings import Settings

PAIRS = [info.id for info in Registry(Settings()).infos() if len(info.engines) > 1]


def entry(tokenizer, id):
    try:
        return tokenizer.entry(id)
    except UnknownId as unknown:
        return unknown.detail


@pytest.mark.parametrize("id", PAIRS)
def test_both_engines_have_the_same_vocabulary(registry, id):
    ours, theirs = registry.get(id, "scratch"), registry.get(id)
    size = ours.info.vocab_size
    assert [entry(ours, i) for i in range(-1, size + 1)] == [entry(theirs, i) for i in range(-1, size + 1)]


@pytest.mark.parametrize("id", PAIRS)
def test_both_engines_decode_alike(registry, id):
    ours, theirs, source = registry.get(id, "scratch"), registry.get(id), random.Random(1)
    known = [i for i in range(ours.info.vocab_size) if not isinstance(entry(theirs, i), str)]
    for _ in range(500):
        ids = source.choices(known, k=source.randint(0, 9))
        assert ours.decode(ids) == theirs.decode(ids)


def test_spans_of_a_normalized_text_point_into_what_was_typed(registry):
    done = registry.get("bert-base-uncased", "scratch").encode("ÀB\u0301 ﬁ́ 你")
    spans = [*zip(done.char_starts.tolist(), done.char_ends.tolist(), strict=True)]
    assert spans[0] == (0, 2)
    assert spans[-1] == (7, 8)
