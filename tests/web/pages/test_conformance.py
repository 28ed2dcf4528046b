"""The page that proves engines alike: its record, and a box for one's own text."""

from datetime import date

import pytest
from tokenarium.lab.conformance import ConformanceResult, engine_results, load_results, save
from tokenarium.settings import Settings


def test_every_pair_of_engines_is_recorded_without_a_difference(ask, registry):
    page = ask("GET", "/conformance").text
    rows = {row.tokenizer: row for row in load_results(Settings().store)}
    pairs = {info.id for info in registry.infos() if len(info.engines) > 1 and not info.trained}
    assert {*rows} == pairs | {"rwkv-world"}  # whose library is not an engine: see tests/rwkv_library.py
    for id, row in rows.items():
        assert f'<th scope="row">{id}</th>' in page
        assert f'<td class="number">{row.count:,}</td>' in page
        assert (row.mismatches, row.count >= 20_000) == (0, True), id
        assert f'<time datetime="{row.date}">' in page
        assert date.fromisoformat(row.date) >= date(2026, 11, 21), id


def test_engines_that_agree_are_said_to(ask):
    page = ask("POST", "/conformance", data={"tokenizer": "o200k_base", "text": "Hello, 🌍! 你好!"}).text
    assert "<strong>The engines agree</strong> on 8 tokens." in page
    assert page.count("13225 11 130321 235 0 220 177519 0") == 2


def test_an_address_has_the_text(ask):
    page = ask("GET", "/conformance", params={"tokenizer": "gpt2", "text": "playing"}).text
    assert "<strong>The engines agree</strong> on 1 token." in page


def test_htmx_gets_the_verdicts_alone(ask):
    sent = {"tokenizer": "bert-base-uncased", "text": "playing"}
    part = ask("POST", "/conformance", data=sent, headers={"HX-Request": "true"}).text
    assert "<html" not in part
    assert "The engines agree" in part


def test_a_vocabulary_that_one_engine_reads_says_so(ask):
    assert "Only one engine" in ask("POST", "/conformance", data={"tokenizer": "bytes", "text": "a"}).text


def test_a_library_that_gives_up_is_told(registry):
    theirs, ours = engine_results(registry, " " * 1_000_000, tokenizer="o200k_base")
    assert (theirs.engine, theirs.ids) == ("tiktoken", None)
    assert theirs.reason.startswith("A regular expression of tiktoken exceeded its backtracking limit on this text:")
    assert (ours.engine, len(ours.ids), ours.first_difference) == ("scratch", 7813, None)


def test_an_unknown_tokenizer_is_a_problem(ask):
    assert ask("POST", "/conformance", data={"tokenizer": "gtp2", "text": "a"}).status_code == 404


@pytest.fixture
def outcome():
    return ConformanceResult("gpt2", "scratch", "tiktoken 1, regex 2", 10, 0)


def test_a_record_is_kept_by_tokenizer_and_replaced(tmp_path, outcome):
    assert load_results(tmp_path) == []
    save(tmp_path, [outcome])
    later = ConformanceResult("gpt2", "scratch", "tiktoken 1, regex 2", 20, 1)
    save(tmp_path, [later, ConformanceResult("bytes", "scratch", "", 1, 0)])
    assert [(row.tokenizer, row.count) for row in load_results(tmp_path)] == [("bytes", 1), ("gpt2", 20)]
