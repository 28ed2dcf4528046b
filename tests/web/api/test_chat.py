"""POST /api/chat: a conversation in tokens, field by field."""

from html import escape

from tests.conftest import asker

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
SENT = {"tokenizer": "mistral-v3", "messages": MESSAGES}


def test_a_conversation_is_answered_field_by_field(ask):
    answer = ask("POST", "/api/chat", json=SENT).json()
    assert answer == {
        "tokenizer": "mistral-v3",
        "engine": "sentencepiece",
        "count": 9,
        "characters": 29,
        "bytes": 29,
        "notes": [],
        "ids": [1, 3, 2507, 7585, 29491, 781, 781, 24577, 4],
        "pieces": ["<s>", "[INST]", "▁Be", "▁brief", ".", "<0x0A>", "<0x0A>", "Hi", "[/INST]"],
        "byte_starts": [0, 3, 9, 11, 17, 18, 19, 20, 22],
        "byte_ends": [3, 9, 11, 17, 18, 19, 20, 22, 29],
        "char_starts": [0, 3, 9, 11, 17, 18, 19, 20, 22],
        "char_ends": [3, 9, 11, 17, 18, 19, 20, 22, 29],
        "prompt": "<s>[INST]Be brief.\n\nHi[/INST]",
        "sources": ["special"] * 2 + ["text"] * 3 + ["template"] * 2 + ["text", "special"],
        "messages": [None, None, 0, 0, 0, None, None, 1, None],
        "counts": {"template": 2, "special": 3, "text": 4},
        "per_message": [3, 1],
        "overhead": 5,
        "alarms": [],
    }


def test_only_what_is_asked_for_is_answered(ask):
    answer = ask("POST", "/api/chat", json={**SENT, "include": ["ids"]}).json()
    assert "ids" in answer
    assert not answer.keys() & {"prompt", "pieces", "byte_starts", "mask"}


def test_the_mask_has_the_tokens_in_the_loss(ask):
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}]
    body = {"tokenizer": "mistral-v3", "messages": said, "add_generation_prompt": False, "include": ["ids", "mask"]}
    answer = ask("POST", "/api/chat", json=body).json()
    assert (answer["ids"], answer["mask"]) == ([1, 3, 16127, 4, 6360, 2], [0, 0, 0, 0, 1, 1])
    assert answer["mask_basis"] == "prefixes"


def test_the_options(ask):
    twice = ask("POST", "/api/chat", json={**SENT, "add_special_tokens": True}).json()
    assert twice["ids"][:3] == [1, 1, 3]
    assert twice["alarms"] == [
        {
            "code": "doubled-bos",
            "detail": "Duplicate BOS: the template writes <s>, and the tokenizer adds it again.",
            "message": None,
            "averted": False,
        }
    ]
    spelled = {**SENT, "messages": [{"role": "user", "content": "a</s>"}]}
    kept, parsed = (ask("POST", "/api/chat", json={**spelled, "special": one}).json() for one in ("text", "parse"))
    assert ([one["code"] for one in kept["alarms"]], 2 in kept["ids"]) == (["spelled"], False)
    assert ([one["code"] for one in parsed["alarms"]], parsed["sources"][-2]) == (["injected"], "injected")
    own = {**SENT, "tokenizer": "gpt2", "chat_template": "{{ x }}{{ messages[1].content }}"}
    answer = ask("POST", "/api/chat", json={**own, "chat_template_kwargs": {"x": "Oh. "}}).json()
    assert (answer["prompt"], answer["counts"]) == ("Oh. Hi", {"text": 1, "option": 2})
    said = [*MESSAGES, {"role": "assistant", "content": "Hel"}]
    ends = {"messages": said, "continue_final_message": True, "add_generation_prompt": False}
    assert ask("POST", "/api/chat", json={**SENT, **ends}).json()["prompt"].endswith("[/INST]Hel")


def test_a_part_that_is_no_text_is_left_out_with_a_warning_where_the_template_takes_only_text(ask):
    parts = [{"type": "text", "text": "Hi"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    sent = {"tokenizer": "phi-3", "messages": [{"role": "user", "content": parts}]}
    answer = ask("POST", "/api/chat", json=sent).json()
    assert answer["prompt"] == "<|user|>\nHi<|end|>\n<|assistant|>\n"
    assert [(one["code"], one["detail"]) for one in answer["alarms"]] == [
        ("left-out", "The part 'image_url' of message 1 is left out: the template writes only texts.")
    ]


def test_the_written_text_may_be_only_so_long(registry):
    ask = asker(registry, max_text=28)
    assert ask("POST", "/api/chat", json=SENT).status_code == 413
    assert ask("POST", "/compat/vllm/tokenize", json={"model": "mistral-v3", "messages": MESSAGES}).status_code == 413


def test_other_sites_may_ask(ask):
    for path, sent in (("/api/chat", SENT), ("/apply-template", {"model": "mistral-v3", "messages": MESSAGES})):
        assert ask("POST", path, json=sent, headers={"sec-fetch-site": "cross-site"}).status_code == 200


def test_a_template_is_edited_from_the_shipped_one_and_tested(ask, registry):
    form = {"tokenizer": "qwen3", "role": "user", "content": "Hi", "prompted": "1"}
    page = ask("POST", "/chat", data={**form, "shipped": "1"}).text
    assert "The template is the shipped one." in page
    shipped = registry.chat_template("qwen3").text
    assert escape(shipped.splitlines()[0]) in page
    edited = shipped.replace("<|im_start|>", "<|start|>")
    page = ask("POST", "/chat", data={**form, "template": edited, "test": "1"}).text
    assert '<span class="line added"><ins>' in page
    assert "&lt;|start|&gt;" in page
    assert "Your template on nine conversations" in page
    assert page.count('<th scope="row">') >= 9
    broken = ask("POST", "/chat", data={**form, "template": "{% for %}", "test": "1"})
    assert broken.status_code == 422
    assert "The chat template has a syntax error in line 1: Expected an expression" in broken.text
    assert broken.text.count("syntax error in line 1") == 10
