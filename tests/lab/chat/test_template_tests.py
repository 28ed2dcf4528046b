"""A template under test: its difference to the shipped one, and the conversations it fails on."""

import pytest
from tokenarium.lab.chat.template_tests import MAX_LINES, difference, template_tests

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def results(registry, tokenizer, template):
    return {test.name: test for test in template_tests(registry, tokenizer, template, limit=100_000)}


def test_mistral_refuses_tools_and_writes_bos_that_a_server_adds_again(registry):
    tests = results(registry, "mistral-v1", None)
    assert len(tests) == 9
    assert tests["tools"].tokens is None
    assert tests["tools"].error == "The template refuses this conversation: This format knows no tools."
    assert any("Duplicate BOS" in finding for finding in tests["a question, BOS added by the server"].findings)
    assert any("parsed" in finding for finding in tests["special tokens in a message"].findings)


def test_a_template_that_ignores_tools_needs_as_many_tokens_without_them(registry):
    tests = results(registry, "qwen3", CHATML)
    assert tests["a question"].tokens == tests["tools"].tokens > 0
    shipped = results(registry, "qwen3", None)
    assert shipped["tools"].tokens > shipped["a question"].tokens + 50


def test_a_mistake_is_named_with_its_line(registry):
    tests = results(registry, "qwen3", "{{ messages[0].content }}\n{{ nothing.at.all }}")
    assert {test.error for test in tests.values()} == {"The template fails in line 2 with UndefinedError."}


@pytest.mark.parametrize("template", ["", "a\nb", CHATML])
def test_an_unchanged_template_has_no_difference(template):
    assert difference(template, template) == []


def test_only_lines_around_a_change_are_shown():
    before = [f"line {number}" for number in range(20)]
    after = [*before[:10], "new", *before[11:]]
    assert difference("\n".join(before), "\n".join(after)) == [
        ("same", "line 8"),
        ("same", "line 9"),
        ("removed", "line 10"),
        ("added", "new"),
        ("same", "line 11"),
        ("same", "line 12"),
    ]


def test_very_long_templates_are_not_compared():
    assert difference("\n" * (MAX_LINES + 1), "a") is None
