"""What is written down while a text is merged, and that the cut is the same as without."""

from itertools import pairwise

from hypothesis import given
from tokenarium.scratch.fast.bpe.encode import merge
from tokenarium.scratch.fast.bpe.trace import trace_byte_merges

from tests.support.strings import TEXTS


def test_merges_below_its_own_rank_make_a_token_that_is_taken_whole():
    ranks = {b"t": 0, b"h": 1, b"e": 2, b"th": 3, b"he": 4, b"the": 5}
    cut = trace_byte_merges(b"the", ranks)
    assert (cut.whole, cut.merges) == (True, [(3, 0, 1, 2), (5, 0, 2, 3)])


def test_merges_stop_at_the_rank_of_a_token_that_they_do_not_reach():
    ranks = {b"t": 0, b"h": 1, b"e": 2, b"th": 3, b"the": 4, b"he": 9}
    assert trace_byte_merges(b"the", ranks | {b"th": 8}).merges == []
    assert trace_byte_merges(b"he", ranks).merges == [(9, 0, 1, 2)]


@given(TEXTS)
def test_merges_replayed_leave_the_parts_of_the_merge(registry, text):
    ranks = registry.get("gpt2", "scratch").trace("").ranks
    data = text.encode()
    edges = [*range(len(data) + 1)]
    merge(data, ranks, done := [])
    for _, start, middle, end in done:
        assert edges[edges.index(middle) - 1] == start
        assert edges[edges.index(middle) + 1] == end
        edges.remove(middle)
    assert [data[a:b] for a, b in pairwise(edges)] == merge(data, ranks)
