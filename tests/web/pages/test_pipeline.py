"""The pipeline's page and API: every stage with spans, changed components, and errors that lose nothing."""

import html
import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from tokenarium.lab.pipeline.parameters import COMPONENTS
from tokenarium.lab.pipeline.view import EXAMPLES
from tokenarium.serialize.json import parse

from tests.conftest import UNLIKE
from tests.support.strings import NASTY

WITHOUT = {"bytes", "characters", "words", "rwkv-world", "mistral-v3", "mistral-v7"}
"""Tokenizers that have no pipeline, or none that a tokenizer.json can say."""


def api(ask, **body):
    answer = ask("POST", "/api/pipeline", json={"tokenizer": "bert-base-uncased", "text": "Héllo", **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def stage(answer, name):
    return [one for one in answer["stages"] if one["stage"] == name]


@pytest.mark.parametrize("id", sorted({*UNLIKE, *WITHOUT}))
def test_every_tokenizer_that_can_be_said_as_a_pipeline_agrees_with_its_engine(ask, id):
    text = "Héllo  wörld ﬁn 🌍 don't! <|endoftext|> [CLS] 你好 2024\n x</s>"
    answer = ask("POST", "/api/pipeline", json={"tokenizer": id, "text": text})
    if id in WITHOUT:
        assert (answer.status_code, answer.json()["pointer"]) == (422, "/tokenizer")
        return
    assert (answer.status_code, answer.json()["agrees"]) == (200, True), answer.text[:300]


@pytest.mark.parametrize("id", ["bert-base-uncased", "o200k_base", "t5", "gpt-neox"])
def test_every_nasty_string_has_its_stages(ask, id):
    for text in NASTY.values():
        answer = parse(ask("POST", "/api/pipeline", json={"tokenizer": id, "text": text}).content)
        assert answer["agrees"] is True, ascii(text)
        for one in answer["stages"]:
            for start, end in zip(one["starts"], one["ends"], strict=True):
                assert 0 <= start <= end <= len(text)


def test_the_api_answers_each_stage_with_spans(ask):
    answer = api(ask, text="Héllo!")
    (normalizer,) = stage(answer, "normalizer")
    assert (normalizer["type"], normalizer["index"]) == ("BertNormalizer", 0)
    assert [*zip(normalizer["texts"], normalizer["starts"], normalizer["ends"], normalizer["kinds"], strict=True)] == [
        ("he", 0, 2, "changed"),
        ("llo!", 2, 6, "kept"),
    ]
    (model,) = stage(answer, "model")
    assert (model["texts"], model["ids"], model["starts"], model["ends"]) == (
        ["hello", "!"],
        [7592, 999],
        [0, 5],
        [5, 6],
    )
    assert answer["encodings"][0]["ids"] == [101, 7592, 999, 102]
    assert (answer["decoded"], answer["round_trip"], answer["before"]) == ("hello!", False, None)
    assert answer["pipeline"]["pre_tokenizer"] == {"type": "BertPreTokenizer"}


def test_a_changed_component_is_answered_beside_the_old_encoding(ask):
    answer = api(ask, normalizer=None)
    assert (answer["changed"], answer["agrees"], stage(answer, "normalizer")) == (True, None, [])
    assert (answer["encodings"][0]["ids"], answer["before"]["ids"]) == ([101, 100, 102], [101, 7592, 102])


def test_each_token_that_changed_has_the_first_stage_that_differs(ask):
    (change,) = api(ask, normalizer=None)["changes"]
    assert (change["text"], change["old"], change["new"]) == ("Héllo", ["hello"], ["[UNK]"])
    assert change["reason"] == {
        "stage": "normalizer",
        "type": "BertNormalizer",
        "action": "off",
        "unit": "text",
        "old": ["hello"],
        "new": ["Héllo"],
    }


def test_options_of_the_model_are_changed(ask):
    text = "𐎀"
    fallback = api(ask, tokenizer="gemma4", text=text)
    assert len(stage(fallback, "model")[0]["ids"]) == 4
    without = api(ask, tokenizer="gemma4", text=text, model={"byte_fallback": False})
    assert stage(without, "model")[0]["texts"] == ["<unk>"]
    assert stage(without, "model")[0]["kinds"] == ["unknown"]


def test_pairs_truncation_and_padding_are_those_of_bert(ask):
    options = {"truncation": {"max_length": 7, "stride": 1}, "padding": {"length": 8}}
    (one,) = api(ask, text="the cat sat", pair="on the mat", **options)["encodings"]
    assert one["tokens"] == ["[CLS]", "the", "cat", "[SEP]", "on", "the", "[SEP]", "[PAD]"]
    assert one["type_ids"] == [0, 0, 0, 0, 1, 1, 1, 0]
    assert one["attention_mask"] == [1, 1, 1, 1, 1, 1, 1, 0]
    assert one["special_tokens_mask"] == [1, 0, 0, 1, 0, 0, 1, 1]
    cut = [part["tokens"] for part in one["overflowing"]]
    assert cut[0] == ["[CLS]", "cat", "sat", "[SEP]", "on", "the", "[SEP]", "[PAD]"]
    assert len(cut) == 3


def fields_of(page):
    """The fields of the page's form as a browser would send them, without buttons."""
    body = page.text[page.text.index('<form id="lab"') :]
    fields = {}
    for tag in re.findall(r"<input [^>]*>", body):
        found = dict(re.findall(r'(\S+?)="([^"]*)"', tag))
        ticked = found.get("type") != "checkbox" or " checked" in tag
        if "name" in found and ticked:
            fields[found["name"]] = html.unescape(found.get("value", ""))
    for name, inner in re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>\n?(.*?)</textarea>', body, re.DOTALL):
        fields[name] = html.unescape(inner)
    for name, inner in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', body, re.DOTALL):
        options = re.findall(r"<option((?:[^>\"]|\"[^\"]*\")*)>([^<]*)", inner)
        chosen = [option for option in options if " selected" in option[0]] or options[:1]
        for attributes, text in chosen:
            value = re.search(r'value="([^"]*)"', attributes)
            fields[name] = html.unescape(value[1] if value else text)
    return fields


def tokens_of(page):
    parts = re.findall(r'<p class="tokens" dir="auto">(.*?)</p>', page.text, re.DOTALL)
    return [re.findall(r'title="id (\d+)"', part) for part in parts]


@pytest.mark.parametrize("example", [one.id for one in EXAMPLES])
def test_an_example_is_shown_and_its_form_says_the_same_again(ask, example):
    page = ask("GET", "/pipeline", params={"example": example})
    assert (page.status_code, "changed pipeline" in page.text) == (200, False)
    again = ask("POST", "/pipeline", data=fields_of(page))
    assert (again.status_code, "changed pipeline" in again.text) == (200, False)
    assert tokens_of(again) == tokens_of(page)


def test_a_card_is_switched_off_moved_added_and_removed_without_a_script(ask):
    fields = fields_of(ask("GET", "/pipeline?tokenizer=bert-base-uncased&text=H%C3%A9llo%20you"))
    del fields["normalizer-0-on"]
    page = ask("POST", "/pipeline", data=fields)
    assert "changed pipeline" in page.text
    before, after = tokens_of(page)
    assert (before, after) == (["101", "7592", "2017", "102"], ["101", "100", "2017", "102"])
    page = ask("POST", "/pipeline", data={**fields_of(page), "do": "normalizer add", "normalizer-new": "Lowercase"})
    assert fields_of(page)["normalizer-1-type"] == "Lowercase"
    page = ask("POST", "/pipeline", data={**fields_of(page), "do": "normalizer up 1"})
    fields = fields_of(page)
    assert (fields["normalizer-0-type"], fields["normalizer-1-type"]) == ("Lowercase", "BertNormalizer")
    assert ("normalizer-0-on" in fields, "normalizer-1-on" in fields) == (True, False)
    page = ask("POST", "/pipeline", data={**fields, "do": "normalizer move 0 1"})
    assert fields_of(page)["normalizer-1-type"] == "Lowercase"
    page = ask("POST", "/pipeline", data={**fields, "do": "normalizer remove 0"})
    assert "normalizer-1-type" not in fields_of(page)
    page = ask("POST", "/pipeline", data={**fields_of(page), "do": "reset"})
    assert "changed pipeline" not in page.text


def test_the_address_has_the_whole_state(ask):
    fields = fields_of(ask("GET", "/pipeline?tokenizer=bert-base-uncased&text=H%C3%A9llo"))
    fields |= {"normalizer-0-type": "Strip", "pair": "yes", "max_length": "9", "pad": "fixed", "length": "12"}
    page = ask("POST", "/pipeline", data=fields)
    (address,) = re.findall(r'data-address="([^"]+)"', page.text)
    address = html.unescape(address)
    query = parse_qs(urlsplit(address).query)
    assert json.loads(query["normalizer"][0]) == [{"type": "Strip", "strip_left": True, "strip_right": True}]
    linked = ask("GET", address)
    assert tokens_of(linked) == tokens_of(page)
    assert re.findall(r'data-address="([^"]+)"', linked.text) == [html.escape(address)]


def test_an_error_of_a_card_keeps_what_was_typed(ask):
    fields = fields_of(ask("GET", "/pipeline?tokenizer=gpt2&text=one%20two"))
    fields["pre_tokenizer-0-pattern"] = "("
    page = ask("POST", "/pipeline", data=fields)
    assert (page.status_code, 'role="alert"' in page.text) == (422, True)
    again = fields_of(page)
    assert (again["pre_tokenizer-0-pattern"], again["text"]) == ("(", "one two")


def test_a_component_of_no_known_type_keeps_the_text(ask):
    fields = fields_of(ask("GET", "/pipeline?tokenizer=bert-base-uncased&text=one%20two"))
    page = ask("POST", "/pipeline", data={**fields, "normalizer-0-type": "zz"})
    assert (page.status_code, 'role="alert"' in page.text, fields_of(page)["text"]) == (422, True, "one two")
    assert fields_of(page)["normalizer-0-type"] == "BertNormalizer"


def test_a_token_that_there_is_not_and_a_number_that_is_none_stay_in_their_cards(ask):
    fields = fields_of(ask("GET", "/pipeline?tokenizer=bert-base-uncased&text=one"))
    page = ask("POST", "/pipeline", data={**fields, "post_processor-0-single": "[CLS] $A [NOPE]"})
    assert "[NOPE]&#39; is no token of this vocabulary." in page.text
    assert (page.status_code, fields_of(page)["post_processor-0-single"]) == (422, "[CLS] $A [NOPE]")
    page = ask("POST", "/pipeline", data={**fields, "do": "post_processor add", "post_processor-new": "BertProcessing"})
    fields = fields_of(page)
    assert (page.status_code, fields["post_processor-1-type"]) == (422, "BertProcessing")
    page = ask("POST", "/pipeline", data={**fields, "post_processor-1-cls": "[CLS]", "post_processor-1-sep": "[SEP]"})
    assert tokens_of(page)[-1] == ["101", "101", "102", "2028", "102", "102", "102"]
    page = ask("POST", "/pipeline", data={**fields, "model-max_input_chars_per_word": "many"})
    assert (page.status_code, fields_of(page)["model-max_input_chars_per_word"]) == (422, "many")


def test_the_cards_of_another_tokenizer_are_not_taken_over(ask):
    fields = fields_of(ask("GET", "/pipeline?tokenizer=gpt2&text=one%20two"))
    page = ask("POST", "/pipeline", data={**fields, "tokenizer": "bert-base-uncased"})
    assert fields_of(page)["normalizer-0-type"] == "BertNormalizer"
    assert "changed pipeline" not in page.text


STRANGE = [
    {"type": "Split", "pattern": 3},
    {"type": "TemplateProcessing", "single": [3, {"a": 1}, {"SpecialToken": {}}], "pair": {}},
    {"type": "BertProcessing", "cls": 3, "sep": []},
    {"type": "BertNormalizer", "strip_accents": [1]},
    {"type": ["NFC"]},
    {"off": 1},
]


@pytest.mark.parametrize("stage", COMPONENTS)
@pytest.mark.parametrize("part", STRANGE, ids=json.dumps)
def test_a_strange_component_in_an_address_is_refused_on_the_page(ask, stage, part):
    answer = ask("GET", "/pipeline", params={"text": "a", stage: json.dumps([part])})
    assert (answer.status_code, 'role="alert"' in answer.text) == (422, True) or part.get("off")


def test_every_component_can_be_added_to_a_pipeline(ask):
    fields = fields_of(ask("GET", "/pipeline?tokenizer=gpt2&text=one%20two"))
    for name, table in COMPONENTS.items():
        for kind in table:
            sent = {**fields, "do": f"{name} add", f"{name}-new": kind}
            page = ask("POST", "/pipeline", data=sent)
            refused = kind in ("Precompiled", "BertProcessing", "RobertaProcessing")
            assert page.status_code == (422 if refused else 200), (name, kind, page.text[:500])


@pytest.mark.parametrize("id", ["o200k_base", "bert-base-uncased", "t5"])
def test_without_a_text_the_stages_are_empty(ask, id):
    assert "From text to tokens" in ask("POST", "/pipeline", data={"tokenizer": id, "text": ""}).text
    stages = ask("POST", "/api/pipeline", json={"tokenizer": id, "text": ""}).json()["stages"]
    assert {tuple(stage["texts"]) for stage in stages if stage["stage"] == "normalizer"} <= {(), ("▁",)}


def test_a_text_is_escaped_in_every_band(ask):
    page = ask("GET", "/pipeline", params={"tokenizer": "gpt2", "text": "<script>alert(1)</script>"})
    assert "<script>alert" not in page.text


def test_a_long_text_is_shown_in_part_and_said_to_be(ask):
    page = ask("GET", "/pipeline", params={"tokenizer": "gpt2", "text": "word " * 900})
    assert "about the first 2,000 characters" in page.text
    answer = api(ask, tokenizer="gpt2", text="word " * 900)
    assert stage(answer, "model")[0]["ends"][-1] == 4500


def test_the_stages_are_saved_as_a_picture(ask):
    form = {"tokenizer": "bert-base-uncased", "text": "Café naïve", "around": "1"}
    answer = ask("POST", "/pipeline/download", data={**form, "format": "svg"})
    assert answer.headers["content-disposition"] == 'attachment; filename="pipeline.svg"'
    texts = re.findall(r">([^<>]+)</text>", answer.text)
    assert {"Input", "Normalizer", "BertNormalizer", "cafe", "naive", "[CLS]", "7668"} <= {*texts}
    assert ask("POST", "/pipeline/download", data={**form, "format": "pdf"}).content[:5] == b"%PDF-"
