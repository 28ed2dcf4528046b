"""An option is declared once: the form, the JSON and the command line take the same values and refuse the same ones."""

import argparse
import re

import pytest
from tokenarium.commands.option_arguments import add_options, options_from
from tokenarium.errors import Invalid
from tokenarium.lab.beyond.bytes import PatchOptions
from tokenarium.lab.compare.options import CompareOptions
from tokenarium.lab.option_schema import from_mapping, get_option_fields, list_ignored_options, validate, with_aliases
from tokenarium.lab.steps.options import StepsOptions
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.web.forms import Form
from tokenarium.web.option_models import read_options

from tests.conftest import asker

FORMER = {
    "at_least": "min_frequency",
    "longest": "max_token_length",
    "weighing": "scoring",
    "bytes_too": "byte_fallback",
}
VALUES = {
    "algorithm": ("wordpiece", "wordpiece"),
    "engine": ("tokenizers", "tokenizers"),
    "size": (500, "500"),
    "unit": ("characters", "characters"),
    "pattern": ("gpt2", "gpt2"),
    "special_tokens": (["<s>", "</s>"], "<s> </s>"),
    "min_frequency": (5, "5"),
    "max_token_length": (7, "7"),
    "superwords_after": (7000, "7000"),
    "digits": ("single", "single"),
    "lowercase": (True, "1"),
    "ties": ("first-seen", "first-seen"),
    "scoring": ("score", "score"),
    "byte_fallback": (True, "1"),
    "as_sentencepiece": (True, "1"),
    "held_out": (0.25, "25"),
    "baseline": ("gpt2", "gpt2"),
}
"""By option, a value that is not the default: in JSON, and in a form."""


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    add_options(parser, TrainingOptions)
    return options_from(parser.parse_args(arguments), TrainingOptions)


def arguments(name, value):
    flag = f"--{name.replace('_', '-')}"
    return [flag] if value is True else [flag, *map(str, value if isinstance(value, list) else [value])]


def test_every_field_is_an_option_with_a_label():
    assert [*get_option_fields(TrainingOptions)] == [*TrainingOptions.model_fields] == [*VALUES]
    for schema in (TrainingOptions, StepsOptions, CompareOptions):
        assert all(option.label for option in get_option_fields(schema).values())


@pytest.mark.parametrize("name", VALUES)
def test_json_form_and_command_line_read_the_same_value(name):
    value, text = VALUES[name]
    wanted = from_mapping(TrainingOptions, {name: value})
    assert wanted != TrainingOptions()
    assert TrainingOptions.model_validate({name: value}) == wanted
    assert read_options(Form({name: [text]}), TrainingOptions) == wanted
    assert parsed(*arguments(name, value)) == wanted


def test_nothing_given_is_every_default():
    assert read_options(Form({}), TrainingOptions) == parsed() == TrainingOptions()


@pytest.mark.parametrize("alias", FORMER)
def test_a_former_name_is_read_everywhere_and_a_contradiction_is_refused(alias):
    name = FORMER[alias]
    value, text = VALUES[name]
    wanted = from_mapping(TrainingOptions, {name: value})
    other = {"at_least": 9, "longest": 9, "weighing": "count", "bytes_too": False}[alias]
    assert TrainingOptions.model_validate({alias: value}) == wanted
    assert read_options(Form({alias: [text]}), TrainingOptions) == wanted
    assert parsed(*arguments(alias, value)) == wanted
    assert TrainingOptions.model_validate({alias: value, name: value}) == wanted
    with pytest.raises(Invalid) as raised:
        TrainingOptions.model_validate({alias: other, name: value})
    assert raised.value.pointer == f"/{alias}"
    assert f"{alias} is the former name of {name}" in raised.value.detail
    assert with_aliases({name: value}, TrainingOptions) == {name: value, alias: value}


@pytest.mark.parametrize(
    ("schema", "changes", "rule"),
    [
        (TrainingOptions, {"size": 0}, "size must be a whole number from 1 to 1,000,000."),
        (TrainingOptions, {"max_token_length": 1001}, "max_token_length must be a whole number from 1 to 1,000."),
        (TrainingOptions, {"held_out": 0.6}, "held_out must be a number from 0 to 0.5."),
        (
            TrainingOptions,
            {"ties": "last"},
            "ties must be one of smallest, first-seen, lexicographic, lexicographically-greatest.",
        ),
        (
            TrainingOptions,
            {"special_tokens": ["a", "a"]},
            "special_tokens must be at most 1,000 different texts of 1 to 200 characters.",
        ),
        (StepsOptions, {"text": "", "merges": 2001}, "merges must be a whole number from 1 to 2,000."),
        (StepsOptions, {"text": "", "merges": 0}, "merges must be a whole number from 1 to 2,000."),
        (StepsOptions, {"text": "", "merges": 2.5}, "merges must be a whole number from 1 to 2,000."),
        (StepsOptions, {"text": "", "algorithm": "lzw"}, "algorithm must be one of bpe, wordpiece, unigram."),
        (StepsOptions, {"text": "", "unit": "words"}, "unit must be one of characters, marked, bytes."),
        (
            StepsOptions,
            {"text": "", "pattern": "none"},
            "pattern must be one of spaces, whole, gpt2, cl100k, o200k, llama3.",
        ),
        (StepsOptions, {"text": "", "temperature": 0.0}, "temperature must be a number above 0 to 100."),
        (CompareOptions, {"special": "drop"}, "special must be one of text, parse, refuse."),
        (PatchOptions, {"text": "", "typo": "x"}, "typo must be one of swap, drop, double."),
    ],
)
def test_a_message_names_the_option_and_its_valid_values(schema, changes, rule):
    with pytest.raises(Invalid) as raised:
        validate(from_mapping(schema, changes))
    (name,) = {*changes} - {"text"}
    assert (raised.value.detail, raised.value.pointer) == (rule, f"/{name}")


@pytest.mark.parametrize("text", ["-1", "1.5", "1e3", "٣", "9" * 16, "x"])
def test_a_number_of_a_form_is_read_strictly(text):
    with pytest.raises(Invalid) as raised:
        read_options(Form({"size": [text]}), TrainingOptions)
    assert (raised.value.pointer, raised.value.limit) == ("/size", 1_000_000)
    assert text not in raised.value.detail or text in "1,000,000"


@pytest.mark.parametrize(
    ("changes", "ignored"),
    [
        ({"algorithm": "unigram", "min_frequency": 5, "ties": "first-seen"}, ["min_frequency", "ties"]),
        ({"engine": "sentencepiece", "unit": "characters", "pattern": "gpt2"}, ["unit", "pattern"]),
        ({"algorithm": "unigram", "digits": "single"}, []),
        ({"algorithm": "unigram", "digits": "three"}, ["digits"]),
        ({"algorithm": "wordpiece", "engine": "tokenizers", "max_token_length": 9}, ["max_token_length"]),
        ({"scoring": "score", "as_sentencepiece": True}, ["scoring", "as_sentencepiece"]),
    ],
)
def test_options_without_effect_are_those_that_the_trainer_does_not_use(changes, ignored):
    assert list_ignored_options(TrainingOptions(**changes)) == ignored


def test_the_description_has_bounds_choices_and_former_names():
    described = TrainingOptions.model_json_schema()["properties"]
    assert (described["size"]["minimum"], described["size"]["maximum"], described["size"]["default"]) == (
        1,
        10**6,
        8000,
    )
    assert described["ties"]["enum"] == ["first-seen", "smallest", "lexicographic", "lexicographically-greatest"]
    assert "usual, gpt2, cl100k, o200k, llama3, bert, spaces, or a custom regex" in described["pattern"]["description"]
    assert [name for name, one in described.items() if one.get("deprecated")] == [*FORMER]


def test_the_pages_have_a_control_for_each_option(registry):
    ask = asker(registry)
    pages = {"/train": TrainingOptions, "/steps": StepsOptions}
    for path, schema in pages.items():
        page = ask("GET", path).text
        names = {*re.findall(r'<(?:input|select)[^>]* name="([a-z_]+)"', page)}
        assert {*get_option_fields(schema)} <= names
    page = ask("GET", "/train?min_frequency=7&held_out=20&pattern=own&expression=a%2B&at_least=7").text
    assert re.search(r'name="min_frequency" min="1" max="1000000000" value="7"', page)
    assert re.search(r'name="held_out" min="0" max="50" value="20"', page)
    assert '<option value="own" selected>custom regex</option>' in page
    assert 'name="expression" value="a+"' in page
