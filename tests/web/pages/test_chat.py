"""The page of conversations without script: lines added and taken away, tokens and their sources, alarms, refusals."""

import html
import re

import pytest
from tokenarium.lab.chat.examples import EXAMPLES

from tests.support.strings import NASTY

FORM = {"tokenizer": "mistral-v3", "role": ["system", "user"], "content": ["Be brief.", "Hi"], "prompted": "1"}
FRAGMENT = {"HX-Request": "true"}


def shown(ask, status=200, **changes):
    answer = ask("POST", "/chat", data=FORM | changes, headers=FRAGMENT)
    assert answer.status_code == status, answer.text
    return answer.text


def plain(markup):
    markup = re.sub(r'<bdi class="chip" data-label="NUL[^"]*" data-code="0" data-times="(\d+)"></bdi>', "\0", markup)
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def prompt(text):
    """What stands in the box of the written conversation."""
    found = re.search(r'<div class="text chat-prompt"[^>]*>(.*?)</div>', text, re.DOTALL)
    return plain(found[1]).replace("\r", "")


def counts(text):
    return {name: int(count) for name, count in re.findall(r'<dd data-count="(\w+)">(\d+)</dd>', text)}


def legend(text):
    found = re.findall(r'<li><span class="chat-(\w+) [^>]*>abc</span>.*?chat-count">(\d+)', text)
    return {name: int(count) for name, count in found}


def lines(text):
    """Roles and texts in the editor."""
    editor = re.findall(r'<select name="role".*?</select>', text, re.DOTALL)
    roles = [re.search(r'value="(\w+)" selected', one)[1] for one in editor]
    texts = re.findall(r'<textarea name="content"[^>]*>\n(.*?)</textarea>', text, re.DOTALL)
    return list(zip(roles, map(html.unescape, texts), strict=True))


def test_the_page_opens_with_a_conversation_in_tokens(ask):
    answer = ask("GET", "/chat")
    assert ("/chat", "Chat") in re.findall(r'href="(/\w+)" data-carry aria-current="page">(\w+)', answer.text)
    assert prompt(answer.text).startswith("<s>[INST]Who wrote Faust?[/INST]Johann")
    assert counts(answer.text) == {"tokens": 34, "text": 26, "overhead": 8}


def test_tokens_say_where_they_come_from_and_add_up(ask):
    text = shown(ask)
    assert prompt(text) == "<s>[INST]Be brief.\n\nHi[/INST]"
    assert counts(text) == {"tokens": 9, "text": 4, "overhead": 5}
    assert legend(text) == {"template": 2, "special": 3, "text": 4}
    parts = re.findall(r'<span class="chat-(\w+)(?: t\d)?"(?: data-label="(\d+)")? title', text)
    assert parts == [("special", ""), ("text", "1"), ("template", ""), ("text", "2"), ("special", "")]
    rows = re.findall(r'<span class="chat-number t\d">(\d)</span></th><td>(\w+)</td><td class="number">(\d+)', text)
    assert rows == [("1", "system", "3"), ("2", "user", "1")]


def test_a_line_is_added_for_whoever_comes_next_and_taken_away(ask):
    added = ask("POST", "/chat", data=FORM | {"add": "1"}).text
    assert lines(added) == [("system", "Be brief."), ("user", "Hi"), ("assistant", "")]
    assert added.count("autofocus") == 1
    taken = ask("POST", "/chat", data=FORM | {"remove": "0"}).text
    assert lines(taken) == [("user", "Hi")]
    assert prompt(taken) == "<s>[INST]Hi[/INST]"
    assert prompt(added) == prompt(shown(ask))
    full = FORM | {"role": ["user"] * 20, "content": ["a"] * 20, "add": "1"}
    assert ask("POST", "/chat", data=full).text.count('name="content"') == 20


def test_a_call_of_a_tool_is_a_line(ask):
    script = {"role": ["user", "call", "tool"], "content": ["?", 'add({"a": 1})', "3"]}
    assert '[TOOL_CALLS][{"name": "add", "arguments": {"a": 1}, "id": "call00002"}]</s>' in prompt(shown(ask, **script))
    assert '{"content": 3, "call_id": "call00002"}' in prompt(shown(ask, **script))


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.id)
def test_every_example_shows_what_it_says(ask, one):
    answer = ask("GET", "/chat", params={"example": one.id})
    assert answer.status_code == 200
    codes = re.findall(r'class="chat-(\w+)"(?: role="alert")? data-code="([\w-]+)"', answer.text)
    expected = {
        "injection": [("alarm", "injected")],
        "imitation": [("alarm", "imitated"), ("averted", "spelled")],
        "twice": [("alarm", "doubled-bos")],
    }
    assert codes == expected.get(one.id, [])
    assert ("tools" in legend(answer.text)) == (one.id == "tool")


def test_what_is_wrong_stands_on_the_page_beside_what_was_typed(ask):
    answer = ask("POST", "/chat", data=FORM | {"template": "\n{% for %}"})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert "line 2" in answer.text
    assert "Be brief." in answer.text


def test_a_model_whose_template_is_not_published_has_an_estimate_and_stays_chosen(ask):
    answer = ask("POST", "/chat", data=FORM | {"tokenizer": "o200k_base"})
    assert answer.status_code == 200
    assert "OpenAI publishes no chat template of GPT-5" in answer.text
    assert prompt(answer.text) == prompt(shown(ask, tokenizer="o200k_harmony"))
    assert '<option value="o200k_base" selected' in answer.text
    assert "An estimate." not in shown(ask, tokenizer="o200k_harmony")
    refused = ask("POST", "/chat", data=FORM | {"tokenizer": "gpt2"})
    assert refused.status_code == 422
    assert "No chat template of GPT-2 is published. Choose a model that has one" in refused.text
    assert '<option value="gpt2" selected' in refused.text


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("tokenizer", ["tekken", "o200k_harmony"])
def test_stripping_the_tags_gives_the_written_conversation_back(ask, tokenizer, text):
    sent = {"tokenizer": tokenizer, "role": ["user"], "content": [text]}
    folded = text.replace("\r\n", "\n").replace("\r", "\n")
    assert folded in prompt(shown(ask, **sent))


def test_the_options_of_the_form(ask):
    assert prompt(shown(ask, tokenizer="o200k_harmony")).endswith("<|start|>assistant")
    assert prompt(shown(ask, tokenizer="o200k_harmony", prompted="")).endswith("Hi<|end|>")
    said = {"role": ["user", "assistant"], "content": ["Hi", "Well"], "continued": "1"}
    assert prompt(shown(ask, **said)).endswith("[/INST]Well")
    assert counts(shown(ask, twice="1"))["tokens"] == 10
    own = shown(ask, tokenizer="gpt2", template="{{ messages[1].content }}!")
    assert prompt(own) == "Hi!"


def test_a_model_is_rendered_by_its_own_template_whatever_tokenizer_is_chosen(ask):
    text = shown(ask, model="QwQ-32B")
    assert "QwQ-32B has the tokenizer qwen3. Rendered with the template of QwQ-32B, an edit by llama.cpp" in text
    assert prompt(text).endswith("<|im_start|>assistant\n<think>\n</think>")
    assert '"tokenizer":"QwQ-32B"' in html.unescape(text)
    begun = ask("POST", "/chat", data=FORM | {"model": "QwQ-32B", "shipped": "1"}).text
    assert "The template is the shipped one." in begun
    assert "There is no tokenizer for this model." in shown(ask, status=404, model="a name of nobody")


def test_the_loss_is_marked_and_counted_where_one_asks_for_it(ask):
    answered = {"role": ["user", "assistant"], "content": ["Hi", "Yes"], "prompted": "0"}
    assert "loss" not in counts(shown(ask, **answered))
    text = shown(ask, **answered, loss="1")
    assert counts(text)["loss"] == 2
    assert re.findall(r'<span class="chat-(\w+)(?: t\d)? chat-loss"', text) == ["text", "special"]
    assert "in the loss, found by prefixes" in text
    assert '"mask"' in html.unescape(text)
