"""The smallest language model counts what its training text has, and falls back to fewer tokens."""

from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.next_token import back_off, count_followers

IDS = st.lists(st.integers(0, 3), max_size=30)


@given(IDS, IDS)
def test_a_context_is_the_longest_that_something_has_followed(learned, ids):
    steps = [*back_off(ids, count_followers(learned))]
    for context, followed in steps:
        size = len(context)
        places = [at for at in range(size, len(learned)) if tuple(learned[at - size : at]) == context]
        assert sum(followed.values()) == len(places)
    assert not any(followed for _, followed in steps[:-1])
