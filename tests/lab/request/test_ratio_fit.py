"""The ratio of an unpublished tokenizer is found in bills that were made with one."""

import json

import pytest
from tokenarium.lab.request.log import read_requests
from tokenarium.lab.request.log_report import examine_log

WORDS = "The train to Leipzig leaves at ten from platform four. "


def examine(registry, lengths, *, model="claude-sonnet-4-5"):
    """A log whose bills are 9 tokens for the format and 1.25 for one of GPT-4o, rounded."""
    records = []
    for length in lengths:
        text = WORDS * length
        known = len(registry.get("o200k_base").encode(text))
        body = {"model": model, "messages": [{"role": "user", "content": text}]}
        records.append(json.dumps({"request": body, "response": {"usage": {"input_tokens": round(9 + 1.25 * known)}}}))
    return examine_log(registry, read_requests("\n".join(records)), limit=2_000_000, most=100)


def test_a_planted_ratio_is_found_with_its_interval(registry):
    fits = examine(registry, range(1, 21)).fits
    assert [fit.content for fit in fits] == ["all requests", "Latin script", "mostly messages"]
    assert (fits[0].requests, fits[0].tokenizer) == (20, "o200k_base")
    assert fits[0].ratio == pytest.approx(1.25, abs=0.01)
    assert fits[0].fixed == pytest.approx(9, abs=2)
    assert fits[0].low <= 1.25 <= fits[0].high
    assert fits[0].high - fits[0].low < 0.02


@pytest.mark.parametrize(
    ("lengths", "model"),
    [(range(1, 8), "claude-sonnet-4-5"), ([5] * 20, "claude-sonnet-4-5"), (range(1, 21), "gpt-4o")],
)
def test_too_few_or_equal_requests_and_known_tokenizers_give_no_ratio(registry, lengths, model):
    assert examine(registry, lengths, model=model).fits == []
