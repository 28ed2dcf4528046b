"""vLLM's dialect: its requests, answers, defaults and errors, field by field."""

import pytest
from tokenarium.lab.chat.templates import portable

GREETING = "Hello, 🌍! 你好!"
IDS = [13225, 11, 130321, 235, 0, 220, 177519, 0]
RAW = ["Hello", ",", "ĠðŁĮ", "į", "!", "Ġ", "ä½łå¥½", "!"]


def test_a_prompt_is_answered_field_by_field(ask):
    for fields in ({}, {"model": "gpt-4o"}, {"model": "o200k_base"}, {"model": None}):
        answer = ask("POST", "/compat/vllm/tokenize", json={**fields, "prompt": GREETING}).json()
        assert answer == {"count": 8, "max_model_len": -1, "tokens": IDS, "token_strs": None}


def test_the_strings_are_in_the_vocabulary_form(ask):
    sent = {"prompt": GREETING, "return_token_strs": True}
    assert ask("POST", "/compat/vllm/tokenize", json=sent).json()["token_strs"] == RAW


@pytest.mark.parametrize(
    ("model", "prompt", "ids", "strings"),
    [
        ("bert-base-uncased", "Embeddings", [101, 7861, 8270, 4667, 2015, 102], "[CLS] em ##bed ##ding ##s [SEP]"),
        ("mistral-v1", "Hello world", [1, 22557, 1526], "<s> ▁Hello ▁world"),
        ("gpt2", "Hello world", [15496, 995], "Hello Ġworld"),
        ("tekken", "Hello world", [1, 22177, 4304], "<s> Hello Ġworld"),
        ("mistral-v1", "🫠", [1, 28705, 243, 162, 174, 163], "<s> ▁ <0xF0> <0x9F> <0xAB> <0xA0>"),
    ],
)
def test_each_kind_of_vocabulary_has_its_form(ask, model, prompt, ids, strings):
    sent = {"model": model, "prompt": prompt, "return_token_strs": True}
    answer = ask("POST", "/compat/vllm/tokenize", json=sent).json()
    assert (answer["tokens"], answer["token_strs"]) == (ids, strings.split())
    bare = ask("POST", "/compat/vllm/tokenize", json={**sent, "add_special_tokens": False}).json()
    around = {"bert-base-uncased": slice(1, -1), "gpt2": slice(0, None)}.get(model, slice(1, None))
    assert bare["tokens"] == ids[around]
    assert bare["count"] == len(ids[around])


def test_special_tokens_spelled_in_the_prompt_are_special(ask):
    sent = {"prompt": "a<|endoftext|>", "return_token_strs": True}
    answer = ask("POST", "/compat/vllm/tokenize", json=sent).json()
    assert (answer["tokens"], answer["token_strs"]) == ([64, 199999], ["a", "<|endoftext|>"])


def test_the_body_without_a_prefix_is_answered_the_same(ask):
    answer = ask("POST", "/tokenize", json={"prompt": GREETING, "return_token_strs": True}).json()
    assert answer == {"count": 8, "max_model_len": -1, "tokens": IDS, "token_strs": RAW}


def test_unknown_fields_are_ignored_but_not_by_us(ask):
    sent = {"prompt": "a", "priority": 3}
    for path in ("/tokenize", "/compat/vllm/tokenize"):
        assert ask("POST", path, json=sent).json()["tokens"] == [64]
    assert ask("POST", "/tokenize", json={"tokenizer": "gpt2", "prompt": "a"}).json()["code"] == "invalid"


def test_ids_are_read_back_with_special_tokens_kept(ask):
    sent = {"model": "bert-base-uncased", "tokens": [101, 7861, 8270, 4667, 2015, 102]}
    assert ask("POST", "/compat/vllm/detokenize", json=sent).json() == {"prompt": "[CLS] embeddings [SEP]"}
    assert ask("POST", "/compat/vllm/detokenize", json={"tokens": IDS}).json() == {"prompt": GREETING}
    assert ask("POST", "/compat/vllm/detokenize", json={"tokens": []}).json() == {"prompt": ""}


PATHS = pytest.mark.parametrize("path", ["/tokenize", "/compat/vllm/tokenize"])
CHAT = {"model": "mistral-v3", "messages": [{"role": "user", "content": "Hello world"}]}
FOR_EVER = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


@PATHS
def test_a_chat_is_answered_field_by_field(ask, path):
    answer = ask("POST", path, json=CHAT).json()
    tokens = {"count": 5, "max_model_len": -1, "tokens": [1, 3, 23325, 2294, 4], "token_strs": None}
    assert answer == {**tokens, "basis": "exact"}
    strings = ask("POST", path, json={**CHAT, "return_token_strs": True}).json()["token_strs"]
    assert strings == ["<s>", "[INST]", "▁Hello", "▁world", "[/INST]"]
    for same in ({"add_special_tokens": False}, {"add_generation_prompt": True}, {"tools": None}, {"priority": 3}):
        assert ask("POST", path, json={**CHAT, **same}).json() == answer
    for nothing in ({"chat_template": None}, {"chat_template_kwargs": None}, {"continue_final_message": False}):
        assert ask("POST", path, json={**CHAT, **nothing}).json() == answer


@PATHS
def test_special_tokens_of_the_template_and_those_added_both_stand(ask, path):
    assert ask("POST", path, json={**CHAT, "add_special_tokens": True}).json()["tokens"] == [1, 1, 3, 23325, 2294, 4]


@PATHS
def test_the_written_chat_is_parsed_whole(ask, path):
    chat = {"model": "mistral-v3", "messages": [{"role": "user", "content": "a[/INST]b"}]}
    assert ask("POST", path, json=chat).json()["tokens"] == [1, 3, 1032, 4, 1055, 4]


@PATHS
def test_the_generation_prompt_and_the_final_message_to_continue(ask, path):
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Well,"}]

    def end(model, messages, **fields):
        sent = {"model": model, "messages": messages, "return_token_strs": True, **fields}
        return ask("POST", path, json=sent).json()["token_strs"][-2:]

    assert end("mistral-v3", said) == [",", "</s>"]
    assert end("mistral-v3", said, continue_final_message=True) == ["▁Well", ","]
    assert end("gpt-oss-20b", said[:1]) == ["<|start|>", "assistant"]
    assert end("gpt-oss-20b", said[:1], add_generation_prompt=False) == ["Hi", "<|end|>"]
    assert end("gpt-oss-20b", said, continue_final_message=True) == ["Well", ","]
    sent = {"model": "mistral-v3", "messages": said}
    both = {**sent, "continue_final_message": True, "add_generation_prompt": True}
    response = ask("POST", path, json=both)
    assert (response.status_code, response.json()["error"]["param"]) == (400, "messages")
    assert "exclude each other" in response.json()["error"]["message"]


@PATHS
def test_a_template_that_is_sent_is_rendered_with_its_variables(ask, path):
    template = (
        "{{ bos_token }}{% for m in messages %}{{ m.role }}{{ sign }}{{ m.content }}{% endfor %}{{ tools | length }}"
    )
    sent = {**CHAT, "chat_template": template, "chat_template_kwargs": {"sign": ": "}, "tools": [WEATHER]}
    strings = ask("POST", path, json={**sent, "return_token_strs": True}).json()["token_strs"]
    assert "".join(strings) == "<s>▁user:▁Hello▁world1"
    other = {"model": "gpt2", "messages": CHAT["messages"], "chat_template": "{{ messages[0].content }}"}
    assert ask("POST", path, json=other).json()["tokens"] == [15496, 995]


@PATHS
def test_tools_are_written_where_the_format_has_them(ask, path):
    strings = ask("POST", path, json={**CHAT, "tools": [WEATHER], "return_token_strs": True}).json()["token_strs"]
    assert strings[:2] == ["<s>", "[AVAILABLE_TOOLS]"]
    assert strings[-5:] == ["[/AVAILABLE_TOOLS]", "[INST]", "▁Hello", "▁world", "[/INST]"]


@pytest.mark.parametrize("path", ["/tokenize", "/compat/vllm/tokenize"])
def test_tools_that_the_template_drops_are_noted(ask, path):
    sent = {"model": "phi-3", "messages": [{"role": "user", "content": "Hi"}]}
    bare, dropped = (ask("POST", path, json=one).json() for one in (sent, {**sent, "tools": [WEATHER]}))
    assert dropped == {**bare, "notes": ["The template writes nothing of the tool definitions."]}


def test_other_sites_may_ask(ask):
    headers = {"sec-fetch-site": "cross-site"}
    assert ask("POST", "/compat/vllm/tokenize", json={"prompt": "a"}, headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/tokenizer_info", "/compat/vllm/tokenizer_info"])
def test_the_tokenizer_is_described_without_file_names(ask, registry, path):
    told = ask("GET", path, params={"model": "mistral-v1"}).json()
    assert told == {
        "name_or_path": "mistral-v1",
        "tokenizer_class": "SentencePieceTokenizer",
        "chat_template": portable(registry.chat_template("mistral-v1")),
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "added_tokens_decoder": {
            "0": {"content": "<unk>", "special": True},
            "1": {"content": "<s>", "special": True},
            "2": {"content": "</s>", "special": True},
        },
    }
    plain = ask("GET", path).json()
    assert (plain["name_or_path"], plain["chat_template"]) == ("o200k_base", None)


@pytest.mark.parametrize("path", ["/v1/chat/completions/render", "/compat/vllm/v1/chat/completions/render"])
def test_a_chat_completion_is_rendered_as_a_request_for_tokens(ask, path):
    chat = {"model": "qwen3", "messages": [{"role": "user", "content": GREETING}]}
    answer = ask("POST", path, json={**chat, "temperature": 0.5, "max_tokens": 9, "user": "me"}).json()
    assert answer.pop("request_id").startswith("chatcmpl-")
    assert answer == {
        "token_ids": ask("POST", "/compat/vllm/tokenize", json=chat).json()["tokens"],
        "token_offsets": None,
        "features": None,
        "sampling_params": {"temperature": 0.5, "max_tokens": 9},
        "model": "qwen3",
        "stream": False,
        "priority": 0,
    }


def test_a_rendered_chat_has_the_spans_of_its_tokens_on_request(ask):
    chat = {"model": "qwen3", "messages": [{"role": "user", "content": "Hi"}], "return_token_offsets": True}
    answer = ask("POST", "/v1/chat/completions/render", json=chat).json()
    assert answer["token_offsets"][:3] == [[0, 12], [12, 16], [16, 17]]  # <|im_start|>, user, a line feed
    assert len(answer["token_offsets"]) == len(answer["token_ids"])


def test_the_reasoning_effort_of_a_chat_completion_reaches_the_template(ask):
    chat = {"model": "gpt-oss-120b", "messages": [{"role": "user", "content": "Hi"}]}
    low, high = (
        ask("POST", "/v1/chat/completions/render", json={**chat, "reasoning_effort": effort}).json()["token_ids"]
        for effort in ("low", "high")
    )
    assert [(a, b) for a, b in zip(low, high, strict=True) if a != b] == [(4465, 1932)]  # low, high


def test_a_chat_completion_without_messages_is_refused_in_the_dialect(ask):
    refused = ask("POST", "/v1/chat/completions/render", json={"model": "qwen3"})
    assert (refused.status_code, refused.json()["error"]["type"]) == (400, "BadRequestError")
