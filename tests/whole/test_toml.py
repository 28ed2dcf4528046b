"""The description of a trained tokenizer is read as it was written, whatever text its title contains."""

import tomllib

import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from tests.support.strings import TEXTS

VALUES = st.one_of(TEXTS, st.integers(-(2**40), 2**40), st.booleans(), st.lists(TEXTS, max_size=3))
FLAT = st.dictionaries(TEXTS, VALUES, max_size=4)
TABLES = st.recursive(FLAT, lambda inner: st.dictionaries(TEXTS, inner, max_size=3))


@given(TABLES)
def test_a_table_is_read_as_it_was_written(table):
    assert tomllib.loads(tomli_w.dumps(table)) == table
