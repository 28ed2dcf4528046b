"""Files of every kind become a record that each of its engines loads, with equal tokens."""

import json
from functools import cache

import pytest
from tokenarium.errors import BadFile, EngineFailed
from tokenarium.formats.sentencepiece_model import load_model
from tokenarium.formats.tiktoken_ranks import dump_ranks
from tokenarium.imported import record_from_files
from tokenarium.lab.conformance import same_encoding
from tokenarium.registry import LOADERS

from tests.support import sentencepiece_models, tokenizers_trained
from tests.support.records import KINDS, LETTERS, RANKS, claude, gpt2_files
from tests.support.strings import NASTY


def spelled(raw):
    return "".join(LETTERS[byte] for byte in raw)


ENGINES = {
    "sentencepiece bpe": ("sentencepiece", "scratch"),
    "sentencepiece unigram": ("sentencepiece", "scratch"),
    **dict.fromkeys(("ranks", "ranks of qwen", "tekken", "tekken, old", "claude"), ("tiktoken", "scratch")),
    "minbpe": ("scratch",),
}


@cache
def record(kind):
    return record_from_files(kind, KINDS[kind]())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_loaded_by_its_engines_with_equal_tokens(kind):
    made = record(kind)
    assert made.info.engines == ENGINES.get(kind, ("tokenizers", "scratch"))
    assert not made.trusted
    theirs, *others = [LOADERS[engine](made) for engine in made.info.engines]
    for ours in others:
        for text in [*NASTY.values(), "Hello world, hellos the", *made.info.special_tokens]:
            for policy in ("text", "parse"):
                try:
                    expected = theirs.encode(text, special=policy)
                except EngineFailed:  # tiktoken, where its pattern drops text
                    continue
                assert same_encoding(ours.encode(text, special=policy), expected), ascii(text)
                assert ours.decode(expected.ids.tolist()) == theirs.decode(expected.ids.tolist())
        size = made.info.vocab_size
        assert ours.entry(size - 1) == theirs.entry(size - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_can_be_described_in_toml_and_says_where_its_specials_stand(kind):
    made = record(kind)
    assert json.loads(json.dumps(made.spec)) == made.spec
    assert {*made.info.prefix, *made.info.suffix} <= {*made.info.special_tokens}
    assert {*made.spec["files"]} <= {*made.data}


def test_the_tokens_around_a_text_are_those_of_the_files():
    assert (record("bert").info.prefix, record("bert").info.suffix) == (("[CLS]",), ("[SEP]",))
    assert (record("roberta").info.prefix, record("roberta").info.suffix) == (("<s>",), ("</s>",))
    assert record("tekken").info.prefix == ("<s>",)


def ids(made, text, engine="scratch"):
    return LOADERS[engine](made).encode(text).ids.tolist()


def test_literal_ids():
    assert ids(record("bert"), "Hello worlds!") == [5, 6, 7, 9]
    assert ids(record("bert cased"), "Hello worlds!") == [11, 6, 7, 9]
    assert ids(record("ranks"), "hello world") == [259, 264]
    assert ids(record("tekken"), "hello world") == [262, 267]
    assert ids(record("minbpe"), "hel") == [257]
    assert ids(record("clip"), "HELLO") == [515]
    assert ids(record("gpt1"), "Hello") == [18]


def test_what_a_user_should_know_is_noted():
    assert record("bert").info.notes == ("Text is lowercased, as the vocabulary suggests.",)
    assert record("ranks of qwen").info.notes == (
        "The pattern is that of Qwen 2, chosen by the tokenizer_class Qwen2Tokenizer.",
    )
    assert "guess" in record("ranks").info.notes[0]
    assert record_from_files("x", KINDS["ranks"](), pattern=r"\w|\W").info.notes == ()
    assert record_from_files("x", KINDS["ranks"](), pattern=r"\w|\W").spec["pattern"] == r"\w|\W"


def test_the_chat_template_is_the_one_of_its_own_file_before_that_of_the_config():
    config = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": {"content": "</s>"}, "chat_template": "{{ eos_token }}"}
    files = gpt2_files(**config)
    template = record_from_files("x", files).chat_template()
    assert (template.text, template.variables) == ("{{ eos_token }}", {"eos_token": "</s>"})
    own = record_from_files("x", files | {"chat_template.jinja": b"{% if messages %}a{% endif %}"}).chat_template()
    assert own.text == "{% if messages %}a{% endif %}"
    named = {"chat_template": [{"name": "tool_use", "template": "b"}, {"name": "default", "template": "{{ a }}"}]}
    made = record_from_files("x", gpt2_files(**named))
    assert made.chat_template().text == "{{ a }}"
    assert "Of 2 chat templates, the one named default is used." in made.info.notes


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"vocab.json": b'{"a": 0}', "merges.txt": b"#version: 0.2\na b\n"}, "spells neither bytes"),
        ({"vocab.json": gpt2_files()["vocab.json"], "merges.txt": b"#version: 0.2\na b c\n"}, "Line 2 of the merges"),
        ({"x": b"IQ== 0\n"}, "The byte 0x00 is missing"),
        ({"x": dump_ranks(RANKS), "y": b"{"}, None),
        ({"x": b"GGUF\x03\x00"}, "The file ends at byte 6"),
        ({"x": b'{"config": {}, "vocab": []}'}, "no valid default_vocab_size"),
        ({"x": b'{"model": {"vocab": 1}}'}, None),
        ({"x": b'{"explicit_n_vocab": 1, "pat_str": 1, "bpe_ranks": 1}'}, "The file has no pat_str"),
    ],
)
def test_bad_files_are_refused_with_the_cause(files, message):
    if message is None:
        assert record_from_files("x", files)
        return
    with pytest.raises(BadFile, match=message):
        record_from_files("x", files)


def test_a_pattern_that_is_too_complex_is_refused_before_it_is_compiled():
    with pytest.raises(BadFile, match="multiply to too much"):
        record_from_files("x", KINDS["ranks"](), pattern="(?:a{1000}){1000}")


def test_a_character_map_survives_being_written():
    from tokenarium.formats.sentencepiece_model import dump_model

    model = load_model(sentencepiece_models.trained("unigram nmt_nfkc_cf"))
    assert load_model(dump_model(model)).charsmap.values == model.charsmap.values
    assert [*load_model(dump_model(model)).charsmap.units] == [*model.charsmap.units]


def test_the_file_of_claude_is_applied_to_text_in_nfkc_as_its_library_does():
    top = json.loads(claude()["claude.json"])
    top["special_tokens"] = {"<EOT>": 290}
    made = record_from_files("x", {"claude.json": json.dumps(top).encode()})
    assert (made.info.lossless, made.info.notes) == (False, ())
    for engine in ("tiktoken", "scratch"):
        tokenizer = LOADERS[engine](made)
        assert tokenizer.encode("ｈｅ").ids.tolist() == tokenizer.encode("he").ids.tolist() == [256]


def test_a_template_may_have_options_of_other_components_which_the_library_ignores():
    top = json.loads(tokenizers_trained.file("gpt2"))
    template = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}], "special_tokens": {}}
    options = {"pair": template["single"] * 2, "add_prefix_space": False, "trim_offsets": False}
    top["post_processor"] = {**template, **options}
    made = record_from_files("x", {"a.json": json.dumps(top).encode()})
    assert made.info.engines == ("tokenizers", "scratch"), made.info.notes
    assert same_encoding(*(LOADERS[engine](made).encode("the other") for engine in made.info.engines))
