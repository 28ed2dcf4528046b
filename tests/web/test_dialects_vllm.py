"""vLLM's dialect: its requests, answers, defaults and errors, field by field."""

import json

import pytest

GREETING = "Hello, 🌍! 你好!"
IDS = [13225, 11, 130321, 235, 0, 220, 177519, 0]
RAW = ["Hello", ",", "ĠðŁĮ", "į", "!", "Ġ", "ä½łå¥½", "!"]


def assert_refused(response, status, kind, param=None):
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    told = response.json()
    assert told.keys() == {"error"}
    assert told["error"].keys() == {"message", "type", "param", "code"}
    assert (told["error"]["type"], told["error"]["param"], told["error"]["code"]) == (kind, param, status)
    assert told["error"]["message"]


def test_a_prompt_is_answered_field_by_field(ask):
    for fields in ({}, {"model": "gpt-4o"}, {"model": "o200k_base"}, {"model": None}):
        answer = ask("POST", "/compat/vllm/tokenize", json={**fields, "prompt": GREETING}).json()
        assert answer == {"count": 8, "max_model_len": None, "tokens": IDS, "token_strs": None}


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


def test_the_body_without_a_prefix_differs_only_in_an_integer_for_the_length(ask):
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


@pytest.mark.parametrize("path", ["/tokenize", "/compat/vllm/tokenize"])
def test_the_chat_form_is_refused_for_want_of_a_template(ask, path):
    chat = {"model": "mistral-v3", "messages": [{"role": "user", "content": "secret"}]}
    response = ask("POST", path, json=chat)
    assert_refused(response, 400, "BadRequestError", "messages")
    assert "no chat template" in response.json()["error"]["message"]
    assert "secret" not in response.text
    both = {**chat, "continue_final_message": True, "add_generation_prompt": True}
    assert "exclude each other" in ask("POST", path, json=both).json()["error"]["message"]
    one = {**chat, "continue_final_message": True}
    assert "no chat template" in ask("POST", path, json=one).json()["error"]["message"]


@pytest.mark.parametrize("path", ["/tokenize", "/compat/vllm/tokenize"])
@pytest.mark.parametrize(
    ("sent", "param"),
    [
        ({"prompt": 7}, "prompt"),
        ({"prompt": None}, "prompt"),
        ({"prompt": "a", "add_special_tokens": "yes"}, "add_special_tokens"),
        ({"prompt": "a", "model": 7}, "model"),
        ({"messages": "a"}, "messages"),
        ({"messages": [1]}, "messages.0"),
    ],
)
def test_values_of_a_wrong_type_are_bad_requests(ask, path, sent, param):
    assert_refused(ask("POST", path, json=sent), 400, "BadRequestError", param)


def test_a_body_without_a_form_is_a_bad_request(ask):
    assert_refused(ask("POST", "/compat/vllm/tokenize", json={"model": "gpt2"}), 400, "BadRequestError", "prompt")


@pytest.mark.parametrize("id", ["-1", "4294967296", str(2**70), "true", '"65"', "65.0", "9" * 5000, "null"])
def test_ids_are_strict_whole_numbers(ask, id):
    sent = f'{{"model": "gpt2", "tokens": [1, {id}]}}'
    response = ask("POST", "/compat/vllm/detokenize", content=sent, headers={"content-type": "application/json"})
    assert_refused(response, 400, "BadRequestError", "tokens.1")


def test_unknown_ids_models_and_addresses(ask):
    sent = {"model": "gpt2", "tokens": [1, 50257]}
    assert_refused(ask("POST", "/compat/vllm/detokenize", json=sent), 400, "BadRequestError", "tokens.1")
    for path in ("/tokenize", "/compat/vllm/tokenize"):
        response = ask("POST", path, json={"model": "gpt-4p", "prompt": "a"})
        assert_refused(response, 404, "NotFoundError", "model")
        assert "gpt-4" in response.json()["error"]["message"]
    assert_refused(ask("GET", "/compat/vllm/nothing"), 404, "NotFoundError")
    assert_refused(ask("GET", "/compat/vllm/tokenize"), 405, "MethodNotAllowedError")


def test_bodies_that_are_no_json_are_told_in_the_dialect(ask):
    headers = {"content-type": "application/json"}
    response = ask("POST", "/compat/vllm/tokenize", content=b"{", headers=headers)
    assert_refused(response, 400, "BadRequestError")
    response = ask("POST", "/compat/vllm/tokenize", content=rb'{"prompt": "\ud800"}', headers=headers)
    assert_refused(response, 400, "BadRequestError", "prompt")
    response = ask("POST", "/compat/vllm/tokenize", content=b"{}", headers={"content-type": "text/plain"})
    assert_refused(response, 415, "UnsupportedMediaTypeError")


def test_errors_never_echo_the_input(ask):
    secret = "correct horse battery staple"
    for sent in ({"model": secret, "prompt": "a"}, {"prompt": {secret: secret}}, {"messages": [secret]}):
        for path in ("/tokenize", "/compat/vllm/tokenize"):
            assert secret not in ask("POST", path, content=json.dumps(sent)).text
            assert secret not in ask("POST", path, json=sent).text


def test_other_sites_may_ask(ask):
    headers = {"sec-fetch-site": "cross-site"}
    assert ask("POST", "/compat/vllm/tokenize", json={"prompt": "a"}, headers=headers).status_code == 200


def test_the_tokenizer_is_described_without_file_names(ask):
    told = ask("GET", "/compat/vllm/tokenizer_info", params={"model": "mistral-v1"}).json()
    assert told == {
        "name_or_path": "mistral-v1",
        "tokenizer_class": "SentencePieceTokenizer",
        "chat_template": None,
        "added_tokens_decoder": {
            "1": {"content": "<s>", "special": True},
            "2": {"content": "</s>", "special": True},
        },
    }
    assert ask("GET", "/compat/vllm/tokenizer_info").json()["name_or_path"] == "o200k_base"
