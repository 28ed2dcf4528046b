"""/turns: the verdict, the lanes, what is typed in place of it, and what does not come back."""

import json
import re

import pytest

CHAT = [
    {"role": "user", "content": "Who wrote Faust?"},
    {"role": "assistant", "content": "Goethe.", "reasoning_content": "A play."},
    {"role": "user", "content": "And Egmont?"},
]
KEY = "sk-proj-abcdefghijklmnop0123456789"


def compare(ask, value, **fields):
    text = value if isinstance(value, str) else json.dumps(value)
    return ask("POST", "/turns", data={"text": text, **fields})


def facts(page):
    """What stands beside each lane, without tags."""
    found = re.findall(r'<span class="turn-facts">(.*?)</span>', page)
    return [re.sub(r"<.*?>", "", one) for one in found]


@pytest.mark.parametrize(
    ("example", "fourth", "cause"),
    [
        ("qwen3", "353 ids, 243 kept, 105 lost", "The reasoning of message 3 (assistant) is dropped."),
        ("mistral-v3", "308 ids, 1 kept, 293 lost", "The tools moved"),
        ("gpt-oss-120b", "267 ids, 165 kept, 102 lost", "The reasoning of message 3 (assistant) is dropped."),
    ],
)
def test_an_example_loses_ids_at_the_second_question(ask, example, fourth, cause):
    page = ask("GET", "/turns", params={"example": example}).text
    assert facts(page)[3] == fourth
    assert f"<strong>{cause}" in page
    assert page.count('<details class="turn" open') == sum("lost" in one for one in facts(page))


def test_the_page_opens_with_the_verdict(ask):
    page = ask("GET", "/turns").text
    assert "Turn 4 loses 105 of 348 ids of the prompt before it." in page
    assert "105 of 348 ids of the prompt before and 119 of 362 ids of the turn before are lost." in page
    assert "A prompt cache serves at most 243 of 353 ids; 105 ids that it has are read again" in page


def test_lanes_are_folded_to_the_first_difference_until_one_is_shown_whole(ask):
    page = ask("GET", "/turns").text
    assert "231 ids …" in page
    assert "… 73 ids" in page
    whole = ask("GET", "/turns", params={"whole": "4"}).text
    assert "… 73 ids" not in whole
    assert len(re.findall(r"data-i=", whole)) > len(re.findall(r"data-i=", page)) + 300


def test_a_conversation_needs_a_model_and_keeps_its_text(ask):
    page = compare(ask, CHAT)
    assert page.status_code == 422
    assert "The request names no model. Enter one, such as" in page.text
    assert "Who wrote Faust?" in page.text
    assert "The reasoning of message 2 (assistant) is dropped." in compare(ask, CHAT, model="qwen3").text


def test_several_conversations_are_rows_of_which_one_is_opened_and_bad_lines_are_named(ask):
    rows = [{"messages": CHAT[:2]}, {"messages": [*CHAT, {"role": "assistant", "content": "Him, too."}]}]
    text = "\n".join([json.dumps(rows[0]), "broken", json.dumps(rows[1])])
    page = compare(ask, text, model="qwen3").text
    assert "1 of 2 conversations loses ids." in page
    assert "1 line has no conversation. Line 2: Not JSON" in page
    table = re.findall(r"<tr>(.*?)</tr>", page.partition("<tbody>")[2], re.DOTALL)
    cells = [[re.sub(r"<.*?>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in table]
    assert cells[0] == ["1", "1", "qwen3", "1", "0", ""]
    assert cells[1][:4] == ["2", "3", "qwen3", "2"]
    assert cells[1][5] == "The reasoning of message 2 (assistant) is dropped."
    opened = compare(ask, text, model="qwen3", conversation="2").text
    assert "Conversation 2 of 2" in opened
    assert f"Turn 2 loses {cells[1][4]} ids of the turn before it." in opened
    assert len(facts(opened)) == 2


def test_a_conversation_that_cannot_be_rendered_has_its_reason_in_its_row(ask):
    lines = [json.dumps({"model": model, "messages": CHAT}) for model in ("qwen3", "claude-opus-4-5")]
    page = compare(ask, "\n".join(lines)).text
    assert "1 of 2 conversations loses ids." in page
    assert "Anthropic has published no chat template of this model." in page


def test_what_mends_a_template_is_chosen_by_its_button(ask):
    page = ask("GET", "/turns").text
    (mend,) = {*re.findall(r'name="mend" value="(.*?)"', page)}
    mended = ask("POST", "/turns", data={"example": "qwen3", "mend": mend}).text
    assert "Each of 5 turns begins with the ids of what came before." in mended
    assert 'name="model" list="turns-models" value="TRL’s training template of Qwen3"' in mended
    fields = {"example": "qwen3", "model": "GLM-4.7-Flash", "mend": "clear_thinking=false"}
    argument = ask("POST", "/turns", data=fields)
    assert "Each of 5 turns begins with the ids of what came before." in argument.text
    assert 'value="{&#34;clear_thinking&#34;:false}"' in argument.text


def test_a_template_of_ones_own_takes_the_place_of_the_models(ask):
    template = "{% for m in messages %}{{ m.role }}:{{ m.content }}\n{% endfor %}"
    page = compare(ask, CHAT, model="qwen3", chat_template=template).text
    assert "Each of 2 turns begins with the ids of what came before." in page
    assert "Arguments are a JSON object" in compare(ask, CHAT, model="qwen3", arguments="[1]").text


def test_tokens_of_a_key_are_not_shown(ask):
    keyed = [{"role": "user", "content": f"Use {KEY}"}, *CHAT[1:]]
    page = compare(ask, keyed, model="qwen3").text
    assert "with a key, not shown" in page
    shown = "".join(re.findall(r'<div class="window.*?</div></div>', page, re.DOTALL))
    assert "sk-proj" not in re.sub(r"<.*?>", "", shown)
    assert KEY not in page


def test_an_empty_box_is_no_error(ask):
    assert "Nothing is compared yet" in compare(ask, "").text


def test_the_table_has_a_row_for_each_template(ask):
    page = ask("GET", "/turns/templates").text
    row = page.partition('<a href="/turns?model=qwen3">qwen3</a></th>')[2].partition("</tr>")[0]
    cells = [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row)]
    assert cells[:4] == ["kept", "−105 of 348", "−119 of 362", "kept"]
    assert cells[4:8] == ["−33", "yes, yes, no", "as they are", "spaced JSON"]
    assert '<td colspan="10">The template refuses this conversation: This format knows no tools.</td>' in page
