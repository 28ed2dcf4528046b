"""/costs, its downloads and the strip, and POST /api/costs: the same counts everywhere."""

import csv
import json
import re
from io import StringIO

import pytest

TEXT = "1234567 + 7654321"  # 8 tokens of o200k_base
ROW = re.compile(r'<tr data-model="([^"]+)".*?</tr>', re.DOTALL)
CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.DOTALL)


def rows(page):
    """The cells of each row as text, by the id of the model."""
    tags = re.compile(r"<[^>]+>")
    return {row[1]: [tags.sub("", cell) for cell in CELL.findall(row[0])] for row in ROW.finditer(page.text)}


def test_the_page_opens_before_it_counts(ask):
    page = ask("GET", "/costs")
    assert "data-uncounted" in page.text
    assert rows(page)["gpt-5"][1:4] == ["o200k_base", "…", "1.25"]


def test_each_model_has_tokens_prices_and_a_dated_source(ask):
    page = ask("POST", "/costs", data={"text": TEXT})
    found = rows(page)
    assert found["gpt-5"][1:] == [
        *("o200k_base", "8", "1.25", "$0.00001", "$0.010", "272,000", "0.003 %", "2026-11-23"),
    ]
    assert found["claude-sonnet-5"][1:4] == ["not public", "about ~ 9–15", "2.00"]
    assert found["llama-4"][1:5] == ["llama-4", "not at hand", "0.20", "–"]
    assert found["gpt-6.1-sol"][1:5] == ["not known", "–", "2.00", "–"]
    assert page.text.count('<a href="https://developers.openai.com/api/docs/pricing"') >= 10
    assert "tiktoken 0.14 names no encoding for GPT-6." in page.text


def test_output_tokens_and_a_measured_ratio_change_the_costs(ask):
    page = ask("POST", "/costs", data={"text": TEXT, "output": "100", "low": "1.5", "high": "1.6"})
    assert rows(page)["gpt-5"][3:6] == ["1.25 out 10.00", "$0.00001", "$1.01"]
    assert rows(page)["claude-sonnet-5"][2] == "about ~ 12–13"
    assert rows(page)["claude-haiku-4.5"][2] == "about ~ 12–13"


def test_columns_sort_both_ways_with_the_unknown_last(ask):
    rising = [*rows(ask("POST", "/costs", data={"text": TEXT, "sort": "price"}))]
    assert rising[0] == "llama-3"
    assert next(iter(rows(ask("POST", "/costs", data={"text": TEXT, "sort": "-price"})))) == "gpt-4"
    by_cost = [*rows(ask("POST", "/costs", data={"text": TEXT, "sort": "-dollars"}))]
    assert by_cost[0] == "gpt-4"
    assert set(by_cost[-5:]) == {"gpt-6.1-sol", "gemini-3.8-flash", "mistral-large-4", "llama-3", "llama-4"}


def test_the_downloads_and_the_api_say_the_same(ask):
    fields = {"text": TEXT, "format": "csv"}
    table = {row["model"]: row for row in csv.DictReader(StringIO(ask("POST", "/costs/download", data=fields).text))}
    saved = json.loads(ask("POST", "/costs/download", data=fields | {"format": "json"}).text)
    answer = ask("POST", "/api/costs", json={"text": TEXT}).json()
    assert saved == answer
    for model in answer["models"]:
        low = model["tokens"]["low"] if model["tokens"] else ""
        assert table[model["name"]]["tokens_low"] == str(low)
    assert answer["models"][0]["tokens"] == {"low": 8, "high": 8}
    assert answer["models"][0]["dollars"] == {"low": pytest.approx(1e-5), "high": pytest.approx(1e-5)}


def test_the_api_takes_some_models(ask):
    body = {"text": TEXT, "models": ["gpt-4o", "claude-opus-5"], "ratio": [2, 2.5], "output_tokens": 10}
    answer = ask("POST", "/api/costs", json=body).json()
    assert [(one["id"], one["count"], one["tokens"]) for one in answer["models"]] == [
        ("gpt-4o", "exact", {"low": 8, "high": 8}),
        ("claude-opus-5", "range", {"low": 16, "high": 20}),
    ]


def test_the_strip_has_a_button_for_each_model_with_the_same_counts(ask):
    strip = ask("POST", "/costs/strip", data={"text": TEXT}).text
    names = re.findall(r'data-model="([^"]+)"', strip)
    assert names == ["GPT-5", "Claude Sonnet 5", "Gemini 3.1", "Llama 4", "Mistral NeMo", "DeepSeek V4", "Qwen3.5"]
    tokenizers = re.findall(r'data-tokenizer="([^"]+)"', strip)
    assert tokenizers == ["o200k_base", "gemma4", "tekken", "deepseek-v3", "qwen3.5"]
    assert 'class="strip-count">8<' in strip
    assert "~ 9–15" in strip
    assert 'data-request="llama-4"' in strip
    chosen = ask("POST", "/costs/strip", data={"text": TEXT, "models": "gpt-4o qwen3"}).text
    assert re.findall(r'data-model="([^"]+)"', chosen) == ["GPT-4o", "Qwen3"]


def test_the_page_is_a_tab_of_compare(ask):
    assert '<a href="/costs" aria-current="page">Costs</a>' in ask("GET", "/costs").text
