"""Costs of one text: exact counts, ranges with a source, and what has no count, with literal figures."""

import csv
from datetime import date
from io import StringIO

import pytest
from tokenarium.errors import Invalid, TooLarge, UnknownTokenizer
from tokenarium.lab.costs import (
    Span,
    count_costs,
    find_paid,
    list_paid_models,
    list_strip_models,
    write_csv,
)
from tokenarium.lab.models import models, resolve_model
from tokenarium.lab.prices import PricedModel, load_prices, load_token_ranges
from tokenarium.lab.request.counting import count_request
from tokenarium.lab.request.recognition import ModelCall

TEXT = "1234567 + 7654321"  # 8 tokens of o200k_base


def cost(registry, model, text=TEXT, **options):
    (one,) = count_costs(registry, text, [model], limit=10**9, **options)
    return one


def by_name(name):
    return next(model for model in load_prices() if model.name == name)


def test_a_count_is_exact_where_the_tokenizer_is_at_hand(registry):
    """8 tokens at $1.25 a million are $0.00001, and a thousand requests $0.01; of 272,000 tokens 0.003 %."""
    one = cost(registry, by_name("GPT-5"))
    assert (one.state, one.tokens.low, one.tokens.high) == ("exact", 8, 8)
    assert one.dollars.low == one.dollars.high == pytest.approx(1e-5)
    assert one.many.high == pytest.approx(0.01)
    assert one.share.high == pytest.approx(8 / 272_000)


def test_an_answer_costs_its_output_price(registry):
    one = cost(registry, by_name("GPT-5"), output_tokens=100)
    assert one.dollars.low == pytest.approx(1e-5)  # the text alone
    assert one.request.low == pytest.approx(1e-5 + 100 * 10e-6)
    assert one.many.low == pytest.approx(1.01)


def test_a_price_that_is_missing_is_unknown_and_never_nothing(registry):
    model = PricedModel("A", "cl100k_base", price=2.0, long_from=10)
    assert cost(registry, model, "a").dollars == Span(2e-6, 2e-6)
    assert cost(registry, model, "a", output_tokens=1).many is None
    assert cost(registry, model, " a" * 11).dollars is None
    assert cost(registry, PricedModel("B", "cl100k_base"), "a").dollars is None


@pytest.mark.parametrize(("name", "low", "high"), [("Claude Sonnet 4.5", 9, 11), ("Claude Sonnet 5", 9, 15)])
def test_claude_has_a_range_with_its_source_and_no_count(registry, name, low, high):
    """8 tokens of GPT-4o times 1.16 to 1.30, and times 1.16 to 1.76, rounded outwards."""
    one = cost(registry, by_name(name))
    assert (one.state, one.tokens.low, one.tokens.high) == ("range", low, high)
    assert one.reason.startswith("Anthropic publishes no tokenizer for Claude 3 and later. ")
    assert "1.16" in one.reason
    assert one.dollars.low < one.dollars.high


def test_a_measured_ratio_replaces_the_published_range(registry):
    one = cost(registry, by_name("Claude Sonnet 5"), ratio=(1.5, 1.6))
    assert (one.tokens.low, one.tokens.high) == (12, 13)
    assert "Your measurement: 1.5 to 1.6 times GPT-4o." in one.reason


def test_what_is_not_at_hand_has_no_count_and_says_why(registry):
    llama = cost(registry, by_name("Llama 4"))
    assert (llama.state, llama.tokens, llama.dollars, llama.share) == ("on request", None, None, None)
    assert llama.model.tokenizer == "llama-4"
    gap = cost(registry, by_name("GPT-6.1 Sol"))
    assert (gap.state, gap.tokens, gap.reason) == ("unknown", None, "tiktoken 0.14 names no encoding for GPT-6.")


def test_a_long_text_costs_the_price_of_long_texts(registry):
    model = PricedModel("A", "bytes", 2.0, 100, output=1.0, long_from=10, long_price=4.0, long_output=3.0)
    assert cost(registry, model, "a" * 10).dollars.low == pytest.approx(20e-6)
    assert cost(registry, model, "a" * 11).dollars.low == pytest.approx(44e-6)
    assert cost(registry, model, "a" * 11, output_tokens=1).request.low == pytest.approx(47e-6)


def test_an_empty_text_costs_nothing(registry):
    costs = count_costs(registry, "", list_paid_models(), limit=10)
    assert {one.tokens.high for one in costs if one.tokens} == {0}


def test_a_text_above_the_limit_is_refused(registry):
    with pytest.raises(TooLarge):
        count_costs(registry, "éé", list_paid_models(), limit=3)


def test_the_strip_has_one_model_of_each_maker():
    assert [model.name for model in list_strip_models()] == [
        *("GPT-5", "Claude Sonnet 5", "Gemini 3.1", "Llama 4", "Mistral NeMo", "DeepSeek V4", "Qwen3.5")
    ]


def test_models_are_found_by_id_in_the_order_of_the_table():
    assert [model.name for model in find_paid(["qwen3", "gpt-4o-mini"])] == ["GPT-4o mini", "Qwen3"]
    with pytest.raises(Invalid, match=r"models are some of gpt-5, .*"):
        find_paid(["gpt-2"])


def test_every_price_has_a_date_a_source_and_a_model_of_its_tokenizer(registry):
    for model in load_prices():
        assert model.source
        assert date(2018, 1, 1) < date.fromisoformat(model.date) <= date.today()
        assert model.price is not None or model.window is not None
        assert bool(model.tokenizer) + bool(model.range) + bool(model.gap) == 1
        assert model.price is None or (model.address.startswith("https://") and model.offer)
        if model.tokenizer in registry:
            assert resolve_model(registry, model.name) == model.tokenizer
        elif model.tokenizer or model.range:
            assert any(row.names(model.name) for row in models())
    assert len({model.id for model in load_prices()}) == len(load_prices())
    for one in load_token_ranges().values():
        assert (one.of in registry, one.low < one.high, bool(one.source and one.address and one.date)) == (True,) * 3


def test_the_csv_has_a_row_for_each_model_and_both_ends_of_ranges(registry):
    costs = count_costs(registry, TEXT, list_strip_models(), limit=100)
    rows = {row["model"]: row for row in csv.DictReader(StringIO(write_csv(costs)))}
    assert len(rows) == 7
    assert (rows["GPT-5"]["tokens_low"], rows["GPT-5"]["tokens_high"], rows["GPT-5"]["count"]) == ("8", "8", "exact")
    assert (rows["Claude Sonnet 5"]["tokens_low"], rows["Claude Sonnet 5"]["tokens_high"]) == ("9", "15")
    assert (rows["Llama 4"]["tokens_low"], rows["Llama 4"]["dollars_low"], rows["Llama 4"]["price"]) == ("", "", "0.2")


@pytest.mark.parametrize("model", [model.id for model in list_paid_models()])
def test_a_text_has_the_tokens_that_it_has_in_a_request(registry, model):
    (one,) = count_costs(registry, TEXT, find_paid([model]), limit=10**6)
    call = ModelCall("chat", {"model": model, "messages": [{"role": "user", "content": TEXT}]})
    if one.tokens is None:
        with pytest.raises(UnknownTokenizer):
            count_request(registry, call, limit=10**6)
        return
    count = count_request(registry, call, limit=10**6)
    (part,) = (part for part in count.parts if part.message == 0)
    assert part.tokens == one.tokens
    assert count.model.money == one.model
