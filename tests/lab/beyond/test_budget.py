"""One budget: the sums of documented rules, and what no source says is left out and said to be."""

import re

import pytest
from tokenarium.errors import Invalid, TooLarge
from tokenarium.lab.beyond.budget import BUDGET_MODELS, Image, Prompt, budget, budget_model
from tokenarium.lab.beyond.image_tokens import image_model
from tokenarium.lab.beyond.sound_tokens import BUDGETS
from tokenarium.lab.option_schema import from_mapping
from tokenarium.settings import ROOT


def count(registry, model, **prompt):
    return budget(registry, budget_model(model), from_mapping(Prompt, prompt))


def image(width, height, detail=""):
    return from_mapping(Image, {"width": width, "height": height, "detail": detail})


def test_gpt_4o_is_the_text_and_the_documented_image(registry):
    one = count(registry, "gpt-4o", text="Hello world", images=[image(1024, 1024), image(4096, 8192, "low")])
    # "Hello world" is 13225, 2375 in o200k_base; OpenAI's documentation works out 765 and 85.
    assert [part.tokens for part in one.parts] == [2, 765, 85]
    assert (one.tokens, one.complete) == (852, True)
    assert one.share == pytest.approx(852 / 128_000)
    assert one.cost == pytest.approx(852 * 2.5e-6)


def test_gemini_counts_sound_and_video_by_the_clock(registry):
    one = count(registry, "gemini-2.5", audio_seconds=60, video_seconds=60)
    assert [part.tokens for part in one.parts] == [1920, 60 * 258]  # a minute is 1,920 tokens in the documentation
    half = count(registry, "gemini-2.5", video_seconds=60, frames_per_second=0.5)
    assert half.tokens == 30 * 258
    assert count(registry, "gemini-3", video_seconds=0.3, frames_per_second=10).tokens == 3 * 70


def test_one_rate_of_sound_stands_everywhere():
    rate = budget_model("gemini-3").sound
    (row,) = (one for one in BUDGETS if one.name.startswith("Gemini"))
    assert (rate.tokens, rate.source) == (32, row.source) == (row.tokens, row.source)
    equation = (ROOT / "templates/learn/equations/budget.html").read_text()
    assert re.findall(r"<mn>(\d+)</mn>|(\d+) tokens a second", equation) == [("32", ""), ("", "32")]


def test_the_number_of_a_level_is_said_once(registry):
    (part,) = count(registry, "gemini-3", images=[image(960, 540)]).parts
    assert part.formula == "at most 1,120 at the level high, whatever the size"


def test_gemini_counts_a_text_with_the_tokenizer_of_googles_sdk(registry):
    one = count(registry, "gemini-2.5", text="Hello world")
    assert [part.tokens for part in one.parts] == [2]
    assert "google-genai 3.4.0" in one.parts[0].formula
    assert one.cost == pytest.approx(2 * 1.25e-6)


@pytest.mark.parametrize(("id", "range"), [("claude-sonnet-4.5", "2 to 3"), ("claude-opus-5", "2 to 4")])
def test_a_text_without_a_public_tokenizer_has_a_range_that_is_not_added(registry, id, range):
    one = count(registry, id, text="Hello world", images=[image(28, 28)])
    assert (one.parts[0].tokens, one.complete) == (None, False)
    assert one.parts[0].formula.startswith(f"{range} tokens, not part of the sum. Anthropic publishes no tokenizer")


def test_a_model_that_no_source_says_hears_is_not_charged_for_sound(registry):
    one = count(registry, "gpt-4o", audio_seconds=5, video_seconds=5)
    assert [(part.tokens, part.formula[:9]) for part in one.parts] == [(None, "Not known")] * 2
    assert (one.tokens, one.complete) == (0, False)


@pytest.mark.parametrize("model", BUDGET_MODELS, ids=lambda model: model.id)
def test_every_model_names_rules_that_exist_and_a_source_for_what_it_charges(registry, model):
    for id in model.images.values():
        assert image_model(id).id == id
    images = [image(300, 200, detail) for detail in model.images]
    one = count(registry, model.id, text="a", images=images, audio_seconds=1, video_seconds=1)
    for part in one.parts:
        assert (part.tokens is None) == (part.source == "")
        assert part.date or part.kind == "text" or part.tokens is None
    money = one.money
    assert bool(money.source and money.date) == (money.price is not None or money.window is not None)


@pytest.mark.parametrize(
    "prompt",
    [
        {"images": [image(0, 5)]},
        {"images": [image(5, 100_001)]},
        {"images": [image(5, 5, "huge")]},
        {"images": [image(5, 5)] * 51},
        {"audio_seconds": -1},
        {"audio_seconds": float("nan")},
        {"video_seconds": 86_401},
        {"frames_per_second": 61, "video_seconds": 1},
    ],
)
def test_what_is_out_of_bounds_is_refused(registry, prompt):
    with pytest.raises((Invalid, TooLarge)):
        count(registry, "gpt-4o", **prompt)
