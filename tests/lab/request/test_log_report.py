"""Logs: planted causes of lost caches are found, days and models are summed up, bills explained, ratios fitted."""

import json

import pytest
from tokenarium.lab.costs import Span
from tokenarium.lab.request.bill import BilledTokens, check_bill, compute_dollars, read_usage
from tokenarium.lab.request.counting import count_request
from tokenarium.lab.request.log import read_requests
from tokenarium.lab.request.log_report import examine_log
from tokenarium.lab.turns.examples import make_log

LONG = "You answer questions about trains. " * 300
FIRST = {"role": "user", "content": "When does the train leave?"}
ANSWER = {"role": "assistant", "content": "At ten."}
SECOND = {"role": "user", "content": "And the next one?"}
QUESTION = {"type": "text", "text": FIRST["content"]}
WORDS = "The train to Leipzig leaves at ten from platform four. "


def tool(name):
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}


def record(messages, *, tools=(), system=LONG, day="2026-11-23", usage=None, model="gpt-4o"):
    body = {"model": model, "messages": [{"role": "system", "content": system}, *messages]}
    body |= {"tools": [*tools]} if tools else {}
    return {"timestamp": f"{day}T10:00:00Z", "request": body, "response": {"usage": usage} if usage else {}}


def examine(registry, records, **options):
    log = read_requests("\n".join(json.dumps(one) for one in records))
    return examine_log(registry, log, limit=2_000_000, most=100, **options)


@pytest.mark.parametrize(
    ("older", "newer", "cause", "cacheable"),
    [
        (record([FIRST]), record([FIRST, ANSWER, SECOND]), "The bodies begin alike", 1792),
        (record([FIRST], system=f"10:01 {LONG}"), record([FIRST], system=f"10:02 {LONG}"), "A date or a time", 0),
        (record([FIRST], system=f"{LONG}10:01"), record([FIRST], system=f"{LONG}10:02"), "A date or a time", 1792),
        (
            record([FIRST], tools=[tool("a"), tool("b")]),
            record([FIRST], tools=[tool("b"), tool("a")]),
            "The order changed: tool b stands where tool a stood",
            0,
        ),
        (
            record([FIRST]),
            record([{"role": "user", "content": "Which platform?"}]),
            "Message 1 (user) was changed",
            1792,
        ),
        (record([FIRST]), record([SECOND, FIRST]), "was put in before", 1792),
        (record([FIRST, ANSWER]), record([FIRST]), "messages or tools were left out", 1792),
    ],
)
def test_a_planted_cause_of_a_lost_cache_is_found(registry, older, newer, cause, cacheable):
    (row,) = examine(registry, [older, newer]).cached_rows
    assert cause in row.cache.cause
    assert row.cache.cacheable == cacheable
    assert not row.cache.rendered


@pytest.mark.parametrize(
    ("model", "shared"),
    [("qwen3", (243, 298, 243, 353)), ("mistral-v3", (167, 233, 1, 308)), ("gpt-oss-120b", (165, 220, 165, 267))],
)
def test_where_the_template_is_here_ids_of_prompts_are_compared(registry, model, shared):
    rows = examine_log(registry, read_requests(make_log(model)), limit=1_000_000, most=9).cached_rows
    assert tuple(row.cache.common for row in rows) == shared
    assert rows[0].cache.cause == rows[3].cache.cause == "The prompt before begins this one."


def test_days_and_models_are_summed_up_with_their_cost(registry):
    usage = {"prompt_tokens": 2000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 1000}}
    doubled = [record([FIRST], usage=usage), record([FIRST], usage=usage, day="2026-11-24")]
    report = examine(
        registry, [*doubled, record([FIRST], usage=usage, day="2026-11-24"), record([FIRST], model="no-9")]
    )
    monday, tuesday = report.groups
    assert (monday.day, monday.requests, monday.billed, monday.cached) == ("2026-11-23", 1, 2000, 1000)
    assert (tuesday.day, tuesday.requests, tuesday.dollars) == ("2026-11-24", 2, pytest.approx(2 * monday.dollars))
    (unbilled,) = examine(registry, [record([FIRST], usage=None)] * 2).groups
    assert (unbilled.billed, unbilled.cached) == (None, None)
    assert monday.dollars == pytest.approx((1000 + 0.5 * 1000) * 2.5e-6 + 100 * 10e-6)
    assert "There is no tokenizer" in report.rows[3].error


def test_a_group_without_a_price_has_an_unknown_cost(registry):
    usage = {"prompt_tokens": 2000, "completion_tokens": 100}
    (group,) = examine(registry, [record([FIRST], usage=usage, model="phi-3"), record([FIRST], model="phi-3")]).groups
    assert (group.billed, group.dollars) == (2000, None)


@pytest.mark.parametrize(("mark", "cacheable"), [(None, 0), ("body", 1811), ("system", 1803), ("question", 1811)])
def test_claudes_cache_reaches_to_the_last_mark(registry, mark, cacheable):
    def marked(place):
        return {"cache_control": {"type": "ephemeral"}} if place == mark else {}

    def ask(*messages):
        return {
            "model": "claude-sonnet-4-5",
            "max_tokens": 9,
            "system": [{"type": "text", "text": LONG, **marked("system")}],
            "messages": [{"role": "user", "content": [{**QUESTION, **marked("question")}]}, *messages],
            **marked("body"),
        }

    (row,) = examine(registry, [ask(), ask(ANSWER, SECOND)]).cached_rows
    assert row.cache.cacheable == cacheable


def test_a_secret_is_not_shown_where_requests_part(registry):
    key = "sk-proj-abcdefghijklmnop0123456789"
    (row,) = examine(registry, [record([FIRST]), record([{"role": "user", "content": f"Use {key}"}])]).cached_rows
    assert key not in row.cache.after


@pytest.mark.parametrize(
    ("usage", "billed"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2}, BilledTokens(9, 2)),
        (
            {"prompt_tokens": 9, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 4}},
            BilledTokens(9, 5, reasoning=4),
        ),
        ({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 8}}, BilledTokens(9, cached=8)),
        ({"input_tokens": 1, "cache_creation_input_tokens": 20}, BilledTokens(21, written=20)),
        (
            {"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "toolUsePromptTokenCount": 1},
            BilledTokens(10, 5, reasoning=3),
        ),
        ({"total": 3}, None),
        (None, None),
    ],
)
def test_the_usage_of_each_api_is_read(usage, billed):
    assert read_usage(usage) == billed


def test_a_bill_above_the_count_is_unexplained_but_for_known_causes(registry):
    body = {"model": "gpt-4o", "messages": [FIRST], "usage": {"prompt_tokens": 50, "completion_tokens": 1}}
    (call,) = read_requests(json.dumps(body)).calls
    count = count_request(registry, call, limit=2_000_000)
    bill = check_bill(count)
    assert (count.tokens, bill.unexplained) == (Span(13, 13), Span(37, 37))
    assert bill.causes[0].startswith("Added by the format: 4 tokens")
    assert compute_dollars(count) == pytest.approx(50 * 2.5e-6 + 10e-6)


def examine_lengths(registry, lengths, *, model="claude-sonnet-4-5"):
    """A log whose bills are 9 tokens for the format and 1.25 for one of GPT-4o, rounded."""
    records = []
    for length in lengths:
        text = WORDS * length
        known = len(registry.get("o200k_base").encode(text))
        body = {"model": model, "messages": [{"role": "user", "content": text}]}
        records.append(json.dumps({"request": body, "response": {"usage": {"input_tokens": round(9 + 1.25 * known)}}}))
    return examine_log(registry, read_requests("\n".join(records)), limit=2_000_000, most=100)


def test_a_planted_ratio_is_found_with_its_interval(registry):
    fits = examine_lengths(registry, range(1, 21)).fits
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
    assert examine_lengths(registry, lengths, model=model).fits == []
