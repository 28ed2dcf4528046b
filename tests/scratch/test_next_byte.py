"""The next byte of a model of tokens: what its sum over covers gives is what the model writes."""

from collections import Counter
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.next_byte import NextByte, list_covers, sum_covers

SPELLINGS = {0: b"a", 1: b"b", 2: b"ab", 3: b"ba", 4: b"aba", 5: b""}
WEIGHTS = st.lists(st.integers(1, 9), min_size=len(SPELLINGS), max_size=len(SPELLINGS))


@given(st.lists(WEIGHTS, min_size=3, max_size=3), st.text("ab", max_size=3))
def test_the_sum_is_that_of_everything_the_model_can_write(rows, text):
    def predict(context):
        row = rows[sum(context) % len(rows)]
        return {token: weight / sum(row) for token, weight in enumerate(row)}

    data = text.encode()
    written = Counter()
    for tokens in product(SPELLINGS, repeat=len(data) + 1):  # each spells a byte, so these are more bytes than the text
        ends = [*tokens, 5].index(5)
        if any(token != 5 for token in tokens[ends:]):
            continue  # after its end, a text has no other end than this one
        read = tokens[: ends + 1]
        spelled = b"".join(map(SPELLINGS.__getitem__, read))
        if spelled.startswith(data):
            shares = (predict(read[max(0, at - 2) : at])[token] for at, token in enumerate(read))
            written[spelled[len(data) :][:1]] += prod(shares)
    *_, found = sum_covers(data, predict, SPELLINGS)
    assert isinstance(found, NextByte)
    assert found.probability == pytest.approx(sum(written.values()))
    assert {byte: found.probability * share for byte, share in found.shares.items()} == pytest.approx(written)
    covers = [*list_covers(data, predict, SPELLINGS)]
    assert sum(probability for _, probability in covers) == pytest.approx(found.probability)
    assert len({tokens for tokens, _ in covers}) == len(covers)
