"""The table template × property that is kept is what the templates do."""

import pytest
from tokenarium.lab.turns.properties import examine_template
from tokenarium.lab.turns.table import list_templates, load_table
from tokenarium.settings import STORE

SOME = ("qwen3", "Qwen2.5", "mistral-v3", "mistral-v1", "phi-3")
"""Rows that a test before each commit computes; the others load more vocabularies."""


def test_each_template_has_a_row(registry):
    assert [(row.model, row.tokenizer) for row in load_table(STORE)] == list_templates(registry)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.model, marks=() if row.model in SOME else pytest.mark.nightly)
        for row in load_table(STORE)
    ],
)
def test_a_row_is_what_the_template_does(registry, row):
    assert examine_template(registry, row.tokenizer, row.model) == row
