"""The table template × property: what is lost of prompts and turns, which reasoning is kept, how arguments look."""

import pytest
from tokenarium.lab.models import resolve_model
from tokenarium.lab.turns.properties import examine_template

THINKING = {"enable_thinking": True}
NIGHTLY = pytest.mark.nightly
NOTHING = (0, 0, 0, 0, 0)
OWN, EVER, NEVER = (True, True, False), (True, True, True), (False, False, False)
LOST = [
    ("qwen3", {}, (0, 105, 348), (119, 362), NOTHING, OWN),
    ("gpt-oss-120b", {}, (0, 102, 267), (16, 265), (0, 0, 102, 0, 53), OWN),
    ("mistral-v3", {}, (0, 293, 294), (301, 302), NOTHING, NEVER),
    pytest.param("qwen3.5", {}, (0, 134, 495), (147, 508), NOTHING, OWN, marks=NIGHTLY),
    pytest.param("glm-4.6", {}, (0, 78, 340), (89, 351), NOTHING, OWN, marks=NIGHTLY),
    pytest.param("gemma4", THINKING, (0, 93, 231), (105, 243), NOTHING, OWN, marks=NIGHTLY),
    pytest.param("qwen3.6", {}, (0, 134, 495), (147, 508), NOTHING, OWN, marks=NIGHTLY),
    pytest.param("glm-4.5", {}, (0, 78, 340), (89, 351), NOTHING, OWN, marks=NIGHTLY),
    pytest.param("glm-4.7-flash", {}, (0, 62, 316), (70, 324), NOTHING, OWN, marks=NIGHTLY),
    pytest.param("glm-4.7-flash", {"clear_thinking": False}, (0, 0, 316), (0, 324), NOTHING, EVER, marks=NIGHTLY),
    pytest.param("deepseek-v4", {"thinking": True}, (0, 0, 520), (0, 529), NOTHING, EVER, marks=NIGHTLY),
    pytest.param("deepseek-v3.1", {}, (0, 0, 73), (0, 79), NOTHING, NEVER, marks=NIGHTLY),
    pytest.param("deepseek-v3.2", {}, (2, 2, 547), (0, 552), (2, 2, 2, 2, 2), NEVER, marks=NIGHTLY),
    pytest.param("kimi-k2", {}, (0, 0, 254), (0, 260), NOTHING, NEVER, marks=NIGHTLY),
    pytest.param("qwen3-coder", {}, (0, 0, 476), (0, 484), NOTHING, NEVER, marks=NIGHTLY),
    pytest.param("qwen2.5-7b-instruct", {}, (0, 0, 333), (0, 341), NOTHING, NEVER, marks=NIGHTLY),
    pytest.param("qwq-32b", {}, (3, 3, 336), (0, 341), (3, 3, 3, 3, 3), NEVER, marks=NIGHTLY),
]
"""What is lost of a prompt in a loop, of one at the next user message and its size, of a turn there and its size, and
of each prompt in its turn; whether reasoning is kept in its own turn, in the loop, and later."""
ARGUMENTS = [
    ("qwen3", "as they are", "spaced JSON"),
    ("gpt-oss-120b", "as they are", "spaced JSON"),
    ("mistral-v3", "read as data", "spaced JSON"),
    ("phi-3", "left out", "left out"),
    pytest.param("qwen3.5", "TypeError", "fields, True, None", marks=NIGHTLY),
    pytest.param("glm-4.6", "refused", "fields", marks=NIGHTLY),
    pytest.param("gemma4", "refused", "keys sorted", marks=NIGHTLY),
    pytest.param("glm-4.7-flash", "UndefinedError", "fields", marks=NIGHTLY),
    pytest.param("qwen3-coder", "TypeError", "fields, True, None", marks=NIGHTLY),
    pytest.param("qwen2.5-7b-instruct", "encoded twice", "spaced JSON", marks=NIGHTLY),
]
PLAIN = [
    ("qwen3", (33, 31, 12, 32), NOTHING),
    pytest.param("qwen3.5", (0, 0, 135, 0), (1, 1, 1, 1, 1), marks=NIGHTLY),
]
"""What is lost without reasoning, of each turn in the next prompt, and of each prompt in its turn."""


@pytest.fixture(scope="module")
def row(registry):
    return lambda model, options=None: examine_template(registry, resolve_model(registry, model), model, options)


@pytest.mark.parametrize(("model", "options", "prompts", "turn", "generation", "reasoning"), LOST)
def test_what_a_template_loses_is_as_measured(row, model, options, prompts, turn, generation, reasoning):
    one = row(model, options)
    assert (one.loop.lost, one.user.lost, one.user.size) == prompts
    assert (one.turn.lost, one.turn.size) == turn
    assert (one.generation, one.reasoning) == (generation, reasoning)


@pytest.mark.parametrize(("model", "text", "fields"), ARGUMENTS)
def test_arguments_are_written_as_text_or_as_data(row, model, text, fields):
    one = row(model)
    assert (one.text_arguments, one.object_arguments) == (text, fields)


@pytest.mark.parametrize(("model", "turns", "generation"), PLAIN)
def test_turns_without_reasoning_lose_ids_too(row, model, turns, generation):
    one = row(model)
    assert (one.plain, one.plain_generation) == (turns, generation)


@pytest.mark.parametrize(("model", "ends"), [("qwen3", True), pytest.param("glm-4.6", False, marks=NIGHTLY)])
def test_a_turn_ends_with_a_special_token_or_without_one(row, model, ends):
    assert row(model).end_token == ends


def test_a_template_that_refuses_the_conversation_says_why(row):
    assert row("mistral-v1").error == "The template refuses this conversation: This format knows no tools."
