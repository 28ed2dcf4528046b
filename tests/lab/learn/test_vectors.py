"""The scene of vectors: every word that practice draws has a row, and the right choice is the only one near."""

from random import Random

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.learn.vectors import sample_word_of_law, trace_vectors


def test_a_drawn_word_has_a_row_and_wrong_choices_share_no_article(registry):
    for seed in range(12):
        question = trace_vectors(sample_word_of_law(Random(seed)), registry).question
        articles = {row.cells[0][0].text: {*row.cells[1].split(", ")} for row in question.given.table.rows}
        mine, *_ = articles.values()
        for choice in question.choices:
            assert bool(mine & articles[choice.label[0].text]) == choice.right


def test_a_text_without_a_known_token_is_refused_with_words_to_try(registry):
    with pytest.raises(Invalid, match="Try law, freedom"):
        trace_vectors("😀", registry)
