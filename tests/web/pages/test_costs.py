"""POST /api/costs, and where the page of costs went."""

import pytest

TEXT = "1234567 + 7654321"  # 8 tokens of o200k_base


@pytest.mark.parametrize(
    ("address", "there"),
    [
        ("/costs", "/compare"),
        ("/costs?text=a%20b&output=100", "/compare?text=a+b&output=100"),
        (
            "/costs?text=a&models=gpt-5+claude-opus-5+llama-4",
            "/compare?text=a&tokenizer=o200k_base&tokenizer=claude-opus-5&tokenizer=llama-4",
        ),
    ],
)
def test_the_page_of_costs_is_that_of_comparisons_with_its_text_and_models(ask, address, there):
    answer = ask("GET", address)
    assert (answer.status_code, answer.headers["location"]) == (308, there)
    assert ask("GET", there).status_code == 200


def test_the_api_takes_some_models(ask):
    body = {"text": TEXT, "models": ["gpt-4o", "claude-opus-5"], "ratio": [2, 2.5], "output_tokens": 10}
    answer = ask("POST", "/api/costs", json=body).json()
    assert [(one["id"], one["count"], one["tokens"]) for one in answer["models"]] == [
        ("gpt-4o", "exact", {"low": 8, "high": 8}),
        ("claude-opus-5", "range", {"low": 16, "high": 20}),
    ]
