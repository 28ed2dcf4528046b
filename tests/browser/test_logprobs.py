"""Answers with logprobs: read in the browser, coloured by probability, with alternatives; nothing is sent."""

import json
import math

import pytest
from playwright.sync_api import expect

from tests.support.deeds import fonts_loaded

TOP = [{"token": " Canberra", "logprob": -0.92}, {"token": " Sydney", "logprob": -0.53}]
CHAT = {"choices": [{"logprobs": {"content": [{"token": " Canberra", "logprob": -0.92, "top_logprobs": TOP}]}}]}
COMPLETION = {
    "choices": [
        {
            "logprobs": {
                "tokens": [" Canberra"],
                "token_logprobs": [-0.92],
                "top_logprobs": [{" Sydney": -0.53, " Canberra": -0.92}],
            }
        }
    ]
}
RESPONSE = {"output": [{"content": [{"type": "output_text", "logprobs": CHAT["choices"][0]["logprobs"]["content"]}]}]}
LLAMACPP = {"completion_probabilities": [{"id": 7, "token": " Canberra", "logprob": -0.92, "top_logprobs": TOP}]}
SAMPLED = {
    "completion_probabilities": [
        {
            "content": " Canberra",
            "probs": [
                {"tok_str": " Sydney", "prob": math.exp(-0.53)},
                {"tok_str": " Canberra", "prob": math.exp(-0.92)},
            ],
        }
    ]
}
STREAM = "\n\n".join(f"data: {json.dumps(CHAT)}" for _ in range(2)) + "\n\ndata: [DONE]\n"


@pytest.fixture
def page(open_page):
    return open_page("/logprobs")


@pytest.mark.parametrize(
    "answer", [CHAT, COMPLETION, RESPONSE, LLAMACPP, SAMPLED], ids=["chat", "completion", "response", "llama", "old"]
)
def test_tokens_of_each_format_show_their_probability_and_alternatives(page, answer):
    page.fill("#text", json.dumps(answer))
    token = page.locator(".logprob")
    expect(token).to_have_text([" Canberra"])
    assert round(float(token.evaluate("one => one.style.getPropertyValue('--doubt')")), 3) == 0.601
    token.hover()
    rows = page.locator(".logprob-rows > div")
    expect(rows).to_have_text(["·Sydney58.9 %−0.530", "·Canberra39.9 %−0.920"])
    expect(page.locator(".logprob-rows .taken code")).to_have_text("·Canberra")
    expect(page.locator(".logprob-facts dd")).to_have_text(["1", "−0.920", "2.509"])


def test_a_stream_is_one_answer_and_nothing_is_sent(page, watch):
    fonts_loaded(page)
    asked = len(watch.requests)
    page.fill("#text", STREAM)
    expect(page.locator(".logprob")).to_have_count(2)
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Example").click()
    expect(page.locator(".logprob")).to_have_text(["The", " capital", " is", " Canberra", "."])
    assert len(watch.requests) == asked


def test_bytes_of_a_split_character_are_shown_in_hex_and_a_bad_answer_keeps_the_good_one(page):
    split = [{"token": "\\xf0", "logprob": -1, "bytes": [240, 159]}, {"token": "x", "logprob": -1, "bytes": [120]}]
    page.fill("#text", json.dumps({"choices": [{"logprobs": {"content": split}}]}))
    expect(page.locator(".logprob")).to_have_text(["F0 9F", "x"])
    page.fill("#text", '{"choices": [{"message": {"content": "Hi"}}]}')
    expect(page.get_by_role("alert")).to_contain_text('Ask for them with "logprobs": true')
    page.fill("#text", "not json")
    expect(page.get_by_role("alert")).to_contain_text("This is not JSON")
    expect(page.locator(".logprob")).to_have_count(2)
