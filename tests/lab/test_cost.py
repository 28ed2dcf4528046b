"""What a text costs, by hand, and the file of prices."""

from datetime import date

import pytest
from tokenarium.lab.compare.comparison import compare
from tokenarium.lab.compare.cost import Cost, Model, costs, estimate, models

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]


def compared(registry, text, tokenizers=FOUR, **options):
    return compare(registry, text, tokenizers, limit=10**9, **options)


def test_what_a_text_costs_by_hand(registry):
    """8 tokens at 2 dollars a million: 0.000016, a thousand times 0.016; of a window of 32 a quarter."""
    comparison = compared(registry, "1234567 + 7654321", ["o200k_base"])
    known = [Model("A", "o200k_base", 2.0, 32), Model("B", "gpt2", 1.0, 32), Model("C", "o200k_base")]
    a, c = costs(comparison, known, calls=1000)
    assert (a.model.name, a.tokens, a.per_call, a.total, a.window_share, a.exact, a.custom_price) == (
        "A", 8, pytest.approx(16e-6), pytest.approx(0.016), 0.25, True, False,
    )  # fmt: skip
    assert (c.per_call, c.total, c.window_share) == (None, None, None)
    mine = costs(comparison, known, prices={"A": 4.0})[0]
    assert (mine.per_call, mine.custom_price) == (pytest.approx(32e-6), True)


def test_a_model_of_ones_own_is_an_estimate_in_the_baselines_tokens(registry):
    comparison = compared(registry, "1234567 + 7654321", baseline="mistral-v1")
    guess = estimate(comparison, price=1.0, window=34)
    assert isinstance(guess, Cost)
    assert (guess.tokens, guess.window_share, guess.exact) == (17, 0.5, False)
    assert estimate(comparison, price=None, window=None) is None


def test_every_price_has_a_date_a_source_and_a_model_of_its_tokenizer(registry):
    for model in models():
        assert model.name in registry.info(model.tokenizer).models
        assert model.source
        assert date(2018, 1, 1) < date.fromisoformat(model.date) <= date.today()
        assert model.price is not None or model.window is not None
