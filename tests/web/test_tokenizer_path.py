"""The tokenizer of a request in a dialect: from the path, the model, or the server's default, and never a guess."""

import pytest
from tokenarium import __version__
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.conftest import asker

GREETING = "Hello, 🌍! 你好!"
WITHOUT_MODEL = [
    ("/tokenize", {"prompt": "a"}, ("error", "message")),
    ("/tokenize", {"messages": [{"role": "user", "content": "a"}]}, ("error", "message")),
    ("/tokenize", {"prompt": ["a"]}, ("message",)),
    ("/tokenize", {"inputs": "a"}, ("error",)),
    ("/tokenize", {"content": "a"}, ("error", "message")),
    ("/detokenize", {"tokens": [64]}, ("error", "message")),
    ("/decode", {"ids": [64]}, ("error",)),
    ("/v1/tokenize", {"model": "default", "prompt": "a"}, ("message",)),
    ("/compat/llamacpp/apply-template", {"messages": []}, ("error", "message")),
]


@pytest.fixture
def bare(registry):
    """An `ask` for a server without a default."""
    return asker(registry, default=None)


@pytest.mark.parametrize(("path", "body", "keys"), WITHOUT_MODEL)
def test_without_any_tokenizer_the_error_says_how_to_name_one(bare, path, body, keys):
    answer = bare("POST", path, json=body)
    assert answer.status_code in (400, 422)
    message = answer.json()
    for key in keys:
        message = message[key]
    assert "Set `model`" in message
    assert "/t/" in message
    assert "--default" in message


@pytest.mark.parametrize("path", ["/tokenizer_info", "/info", "/props"])
def test_without_any_tokenizer_nothing_is_described(bare, path):
    assert bare("GET", path).status_code in (400, 422)


def test_the_default_of_the_server_is_a_tokenizer_or_a_model(registry):
    for default, count in (("gpt2", 12), ("gpt-4o", 8), ("bert-base-uncased", 9)):
        ask = asker(registry, default=default)
        assert ask("POST", "/tokenize", json={"prompt": GREETING}).json()["count"] == count
        assert ask("POST", "/tokenize", json={"prompt": "Hello world", "model": "mistral-v1"}).json()["count"] == 3


def test_the_path_names_the_tokenizer_of_every_dialect(ask):
    gpt2 = [15496, 11, 12520, 234, 235, 0, 220, 19526, 254, 25001, 121, 0]
    assert ask("POST", "/t/gpt2/tokenize", json={"prompt": GREETING}).json()["tokens"] == gpt2
    assert ask("POST", "/t/gpt2/v1/tokenize", json={"prompt": [GREETING]}).json()["tokens"] == [gpt2]
    assert ask("POST", "/t/gpt2/tokenize", json={"content": GREETING}).json()["tokens"] == gpt2
    rows = ask("POST", "/t/gpt2/tokenize", json={"inputs": GREETING}).json()
    assert [token["id"] for token in rows[0]] == gpt2
    assert ask("POST", "/t/gpt2/decode", json={"ids": gpt2}).json() == [GREETING]
    assert ask("POST", "/t/gpt2/compat/vllm/detokenize", json={"tokens": gpt2}).json() == {"prompt": GREETING}
    assert ask("GET", "/t/gpt2/tokenizer_info").json()["name_or_path"] == "gpt2"
    count = {"model": "any", "input": GREETING}
    assert ask("POST", "/t/gpt2/v1/responses/input_tokens", json=count).json()["input_tokens"] == 12


def test_the_path_comes_before_the_model_of_the_body(ask):
    body = {"model": "o200k_base", "prompt": GREETING}
    assert ask("POST", "/t/gpt2/tokenize", json=body).json()["count"] == 12


def test_a_model_whose_name_has_a_slash_is_escaped_in_the_path(ask):
    answer = ask("GET", "/t/openai-community%2Fgpt2/tokenizer_info").json()
    assert answer["name_or_path"] == "gpt2"


def test_an_unknown_tokenizer_in_the_path_is_told_in_the_dialect(ask):
    answer = ask("POST", "/t/nothing/tokenize", json={"prompt": "a"})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == 404


@pytest.mark.parametrize(
    "path", ["/t/gpt2/", "/t/gpt2/steps", "/t/gpt2/api/tokenizers", "/t/gpt2", "/t//tokenize", "/t/"]
)
def test_other_addresses_have_no_such_prefix(ask, path):
    assert ask("GET", path).status_code == 404


def test_a_cross_site_client_may_use_the_prefix(ask):
    headers = {"Origin": "https://a.example", "Sec-Fetch-Site": "cross-site"}
    answer = ask("POST", "/t/gpt2/tokenize", json={"prompt": "a"}, headers=headers)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")


def test_vllms_body_gets_exactly_vllms_answer(ask):
    assert ask("POST", "/detokenize", json={"model": "gpt2", "tokens": [15496]}).json() == {"prompt": "Hello"}


def test_a_tokenizer_is_described_with_its_special_roles(ask):
    roles = ("bos_token", "eos_token", "pad_token", "unk_token")

    def described(id):
        info = ask("GET", f"/t/{id}/tokenizer_info").json()
        return {role: info[role] for role in roles if role in info}

    assert described("gpt2") == {"eos_token": "<|endoftext|>"}
    assert described("mistral-v3") == {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    assert described("bert-base-uncased") == {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    harmony = {"bos_token": "<|startoftext|>", "eos_token": "<|return|>", "pad_token": "<|endoftext|>"}
    assert described("o200k_harmony") == harmony


def test_the_server_says_what_other_servers_say_of_themselves(ask):
    assert ask("GET", "/health").json() == {"status": "ok"}
    models = ask("GET", "/v1/models").json()
    assert models["object"] == "list"
    assert {"id": "gpt2", "object": "model", "created": 0, "owned_by": "tokenarium"} in models["data"]
    info = ask("GET", "/t/bert-base-uncased/info").json()
    assert (info["model_id"], info["max_client_batch_size"]) == ("bert-base-uncased", 32)
    props = ask("GET", "/t/mistral-v3/props").json()
    assert (props["model_path"], props["bos_token"], props["eos_token"]) == ("mistral-v3", "<s>", "</s>")
    assert "[INST]" in props["chat_template"]


def test_a_model_is_described_by_the_name_that_a_client_sends(ask):
    for name in ("gpt2", "gpt-4o", "openai-community/gpt2"):
        expected = {"id": name, "object": "model", "created": 0, "owned_by": "tokenarium"}
        assert ask("GET", f"/v1/models/{name}").json() == expected
        assert ask("GET", f"/v1/models/{name.replace('/', '%2F')}").json() == expected
    for name in ("nothing", "no%0Athing"):
        answer = ask("GET", f"/v1/models/{name}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")
    assert ask("GET", "/t/gpt2/v1/models/any").json()["id"] == "any"


def test_vllm_sglang_and_llamacpp_describe_themselves(ask):
    assert ask("GET", "/version").json() == {"version": __version__}
    for method in ("GET", "POST"):
        answer = ask(method, "/ping")
        assert (answer.status_code, answer.content) == (200, b"")
    assert ask("GET", "/load").json() == {"server_load": 0}
    for path in ("/t/gpt2/get_model_info", "/t/gpt2/model_info"):
        assert ask("GET", path).json() == {
            "model_path": "gpt2",
            "tokenizer_path": "gpt2",
            "is_generation": False,
            "preferred_sampling_params": None,
            "weight_version": __version__,
            "has_image_understanding": False,
            "has_audio_understanding": False,
            "model_type": None,
            "architectures": None,
        }
    assert ask("GET", "/slots").json() == []


def test_each_worker_is_a_slot_of_llamacpp():
    slots = asker(Registry(Settings()), workers=2, max_text=1000)("GET", "/slots").json()
    free = {"n_ctx": 1000, "speculative": False, "is_processing": False}
    assert slots == [{"id": 0, **free}, {"id": 1, **free}]
