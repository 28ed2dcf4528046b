"""POST /api/costs: one text in the models that people pay for."""

TEXT = "1234567 + 7654321"  # 8 tokens of o200k_base


def test_the_api_takes_some_models(ask):
    body = {"text": TEXT, "models": ["gpt-4o", "claude-opus-5"], "ratio": [2, 2.5], "output_tokens": 10}
    answer = ask("POST", "/api/costs", json=body).json()
    assert [(one["id"], one["count"], one["tokens"]) for one in answer["models"]] == [
        ("gpt-4o", "exact", {"low": 8, "high": 8}),
        ("claude-opus-5", "range", {"low": 16, "high": 20}),
    ]
