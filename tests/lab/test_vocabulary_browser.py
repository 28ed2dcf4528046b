"""The browser of tokens: a vocabulary in columns, search through it, and what each token is made of."""

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.vocabulary.columns import KINDS, SCRIPTS, columns_of


@pytest.fixture(scope="module")
def columns(registry):
    """The columns of a tokenizer, made once."""
    made = {}

    def columns(id):
        if id not in made:
            made[id] = columns_of(registry.get(id))
        return made[id]

    return columns


@pytest.mark.parametrize("id", ["o200k_base", "bert-base-uncased", "mistral-v1", "gemma4", "rwkv-world", "bytes"])
def test_the_columns_are_the_entries(registry, columns, id):
    tokenizer, table = registry.get(id), columns(id)
    for row in range(0, len(table), 997):
        assert table.entry(row) == tokenizer.entry(int(table.ids[row]))
        assert table.lengths[row] == len(table.raws[row])
        assert table.index(int(table.ids[row])) == row


# Tokens that are no valid UTF-8 by themselves, as Land and Bartolo (2024) count them.
@pytest.mark.parametrize(("id", "fragments"), [("o200k_base", 1434), ("cl100k_base", 645), ("qwen3", 1320)])
def test_as_many_tokens_are_fragments_as_published(columns, id, fragments):
    table = columns(id)
    # The 128 bytes that begin or continue a character are left out there.
    multiple = (table.characters == 0) & (table.kinds == KINDS.index("normal")) & (table.lengths > 1)
    assert int(multiple.sum()) == fragments
    assert {SCRIPTS[code] for code in table.scripts[multiple]} == {"bytes"}


def test_a_vocabulary_that_grows_from_the_text_has_no_columns(registry):
    with pytest.raises(Invalid, match="words builds its vocabulary anew from each text"):
        columns_of(registry.get("words"))
