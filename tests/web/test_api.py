"""The JSON routes, called as a program calls them."""

import base64
import json

import pytest

GREETING = {"tokenizer": "o200k_base", "text": "Hello, 🌍! 你好!"}


@pytest.mark.parametrize("path", ["/api/tokenize", "/tokenize"])
def test_tokenize_answers_in_columns(ask, path):
    assert ask("POST", path, json=GREETING).json() == {
        "tokenizer": "o200k_base",
        "engine": "tiktoken",
        "count": 8,
        "characters": 13,
        "bytes": 20,
        "notes": [],
        "ids": [13225, 11, 130321, 235, 0, 220, 177519, 0],
        "pieces": ["Hello", ",", {"bytes_hex": "20f09f8c"}, {"bytes_hex": "8d"}, "!", " ", "你好", "!"],
        "byte_starts": [0, 5, 6, 10, 11, 12, 13, 19],
        "byte_ends": [5, 6, 10, 11, 12, 13, 19, 20],
        "char_starts": [0, 5, 6, 7, 8, 9, 10, 12],
        "char_ends": [5, 6, 8, 8, 9, 10, 12, 13],
    }


def test_a_text_is_counted_without_its_tokens(ask):
    counted = {"tokenizer": "o200k_base", "engine": "tiktoken", "count": 8, "characters": 13, "bytes": 20, "notes": []}
    assert ask("POST", "/api/count", json=GREETING).json() == counted
    batch = ask("POST", "/api/count", json={"tokenizer": "bytes", "text": ["", "ab"]}).json()
    assert [one["count"] for one in batch] == [0, 2]


@pytest.mark.parametrize("path", ["/api/tokenize", "/api/count"])
def test_the_native_routes_read_no_other_dialect(ask, path):
    assert ask("POST", path, json={"model": "gpt2", "prompt": "a"}).status_code == 422


def test_include_chooses_the_columns(ask):
    answer = ask("POST", "/tokenize", json={**GREETING, "include": ["flags"]}).json()
    assert "ids" not in answer
    assert (answer["special"], answer["unknown"], answer["byte_fallback"], answer["inserted"]) == ([], [], [], [])
    sent = {"tokenizer": "bert-base-uncased", "text": "🌍", "template": True, "include": ["ids", "flags"]}
    answer = ask("POST", "/tokenize", json=sent).json()
    assert (answer["ids"], answer["special"], answer["unknown"], answer["inserted"]) == (
        [101, 100, 102],
        [0, 2],
        [1],
        [0, 2],
    )


def test_a_list_is_answered_with_a_list(ask):
    answer = ask("POST", "/tokenize", json={"tokenizer": "bytes", "text": ["", "ab"]}).json()
    assert [one["ids"] for one in answer] == [[], [97, 98]]
    assert ask("POST", "/tokenize", json={"tokenizer": "bytes", "text": []}).json() == []


def test_the_engine_can_be_chosen(ask):
    for engine, used in (("reference", "tiktoken"), ("tiktoken", "tiktoken"), ("scratch", "scratch")):
        answer = ask("POST", "/tokenize", json={**GREETING, "engine": engine}).json()
        assert (answer["engine"], answer["count"]) == (used, 8)


def test_a_growing_vocabulary_is_spelled_from_its_text(ask):
    first = ask("POST", "/tokenize", json={"tokenizer": "words", "text": "to be to"}).json()
    second = ask("POST", "/tokenize", json={"tokenizer": "words", "text": "or not or"}).json()
    assert (first["ids"], first["pieces"]) == ([0, 1, 2, 1, 0], ["to", " ", "be", " ", "to"])
    assert (second["ids"], second["pieces"]) == ([0, 1, 2, 1, 0], ["or", " ", "not", " ", "or"])


def test_the_list_of_tokenizers_describes_all_and_loads_none(ask):
    found = {one["id"]: one for one in ask("GET", "/api/tokenizers").json()}
    assert {"gpt2", "o200k_harmony", "p50k_edit", "bert-base-uncased", "tekken", "udhr-unigram-16k", "words"} <= {
        *found
    }
    assert sum(not one["trained"] for one in found.values()) == 37
    gpt2 = ask("GET", "/api/tokenizers/gpt2").json()
    assert gpt2 == found["gpt2"]
    assert (gpt2["vocab_size"], gpt2["family"], gpt2["engines"]) == (50257, "bpe", ["tiktoken", "scratch"])
    assert gpt2["source"] == {"package": "npm:tiktoken", "version": "1.0.22", "licence": "MIT"}


def test_a_tokenizer_is_described_by_the_name_of_a_model_too(ask):
    assert ask("GET", "/api/tokenizers/gpt-4o").json() == ask("GET", "/api/tokenizers/o200k_base").json()


@pytest.mark.parametrize("path", ["/", "/learn", "/healthz", "/api/tokenizers"])
def test_head_asks_for_the_header_alone(ask, path):
    names = ("content-type", "content-length", "content-security-policy", "cache-control")
    head, get = ask("HEAD", path), ask("GET", path)
    assert head.status_code == 200
    assert [head.headers.get(name) for name in names] == [get.headers.get(name) for name in names]
    assert ask("HEAD", "/tokenize").headers["allow"] == "POST"
    assert ask("POST", "/healthz").headers["allow"] == "GET, HEAD"


def test_a_parameter_that_no_operation_knows_is_refused(ask):
    answer = ask("GET", "/api/languages?tokeniser=gpt2").json()
    assert (answer["status"], answer["code"]) == (422, "invalid")
    assert answer["detail"] == "A parameter of the query is not known; known here: tokenizer."
    assert ask("GET", "/?campaign=spring").status_code == 200


def test_health_says_what_is_loaded(ask, registry):
    registry.get("gpt2")
    answer = ask("GET", "/healthz").json()
    assert answer["status"] == "ok"
    assert {"tokenizer": "gpt2", "engine": "tiktoken"} in answer["loaded"]


def test_the_description_names_every_json_route(ask):
    openapi = ask("GET", "/openapi.json").json()
    assert sorted(openapi["paths"]) == [
        "/api/beyond/actions",
        "/api/beyond/bytes",
        "/api/beyond/bytes/languages",
        "/api/beyond/concepts",
        "/api/beyond/parameters",
        "/api/beyond/pictures",
        "/api/beyond/sound",
        "/api/beyond/sound/file",
        "/api/budget",
        "/api/chat",
        "/api/chunk",
        "/api/compare",
        "/api/compare/columns",
        "/api/compare/sets",
        "/api/compare/sets/{id}",
        "/api/compare/vocabularies",
        "/api/conformance",
        "/api/costs",
        "/api/count",
        "/api/doctor",
        "/api/doctor/convert",
        "/api/fetches",
        "/api/fetches/{id}",
        "/api/ids",
        "/api/jobs/{id}",
        "/api/jobs/{id}/download/{file}",
        "/api/jobs/{id}/events",
        "/api/languages",
        "/api/pipeline",
        "/api/regex",
        "/api/regex/presets",
        "/api/request",
        "/api/surgery",
        "/api/surgery/form",
        "/api/surgery/{id}",
        "/api/surgery/{id}/download/{file}",
        "/api/surgery/{id}/events",
        "/api/tokenize",
        "/api/tokenize-stream",
        "/api/tokenizers",
        "/api/tokenizers/{id}",
        "/api/tokenizers/{id}/card",
        "/api/tokenizers/{id}/download/{name}",
        "/api/trace",
        "/api/train",
        "/api/train/form",
        "/api/turns",
        "/api/vocabulary/{id}",
        "/api/vocabulary/{id}/tokens",
        "/api/vocabulary/{id}/tokens/{token}",
        "/api/vocabulary/{id}/variants",
        "/apply-template",
        "/compat/llamacpp/apply-template",
        "/compat/llamacpp/detokenize",
        "/compat/llamacpp/tokenize",
        "/compat/sglang/detokenize",
        "/compat/sglang/tokenize",
        "/compat/sglang/v1/detokenize",
        "/compat/sglang/v1/tokenize",
        "/compat/tei/decode",
        "/compat/tei/tokenize",
        "/compat/vllm/detokenize",
        "/compat/vllm/tokenize",
        "/compat/vllm/tokenizer_info",
        "/compat/vllm/v1/chat/completions/render",
        "/decode",
        "/detokenize",
        "/get_model_info",
        "/health",
        "/healthz",
        "/info",
        "/load",
        "/model_info",
        "/ping",
        "/props",
        "/slots",
        "/tokenize",
        "/tokenizer_info",
        "/v1/chat/completions/render",
        "/v1/detokenize",
        "/v1/messages/count_tokens",
        "/v1/models",
        "/v1/models/{model}",
        "/v1/models/{model}:countTokens",
        "/v1/responses/input_tokens",
        "/v1/tokenize",
        "/v1beta/models/{model}:countTokens",
        "/version",
    ]


def test_every_schema_has_a_short_name_of_its_own(ask):
    assert not [name for name in ask("GET", "/openapi.json").json()["components"]["schemas"] if "__" in name]


def test_every_example_of_a_dialect_is_answered_as_it_stands(ask):
    openapi = ask("GET", "/openapi.json").json()
    sent = []
    for path, methods in openapi["paths"].items():
        if methods.get("post", {}).get("tags") == ["dialects"] and path != "/ping":  # which has no body
            schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
            for one in schema.get("anyOf", [schema])[:1]:
                example = openapi["components"]["schemas"][one["$ref"].rpartition("/")[2]]["example"]
                sent.append((path, ask("POST", path.replace("{model}", "gpt-4o"), json=example).status_code))
    assert len(sent) == 21
    assert {status for _, status in sent} == {200}


@pytest.mark.parametrize("route", ["/tokenize", "/detokenize"])
def test_the_examples_of_the_reference_page_work_as_they_stand(ask, route):
    schemas = ask("GET", "/openapi.json").json()["components"]["schemas"]
    schema = schemas["TokenizeRequest" if route == "/tokenize" else "DetokenizeRequest"]
    assert ask("POST", route, json=schema["example"]).status_code == 200


def test_the_reference_page_shows_every_route_and_nothing_from_elsewhere(ask):
    page = ask("GET", "/docs").text
    for route in ("/tokenize", "/detokenize", "/api/languages", "/api/tokenizers/{id}", "/healthz"):
        assert f"</b> {route}</code>" in page
    assert "//" not in page.replace("</", "").partition("<body>")[2].replace("https://", "")


@pytest.mark.parametrize("key", ["as", "as ", "as TokenizeRequest", "as q", "as VllmChatRequest"])
def test_a_field_that_is_called_like_a_form_of_the_body_is_refused_like_any_other(ask, key):
    for path in ("/tokenize", "/detokenize", "/api/trace", "/v1/tokenize", "/decode"):
        assert ask("POST", path, json={key: 1}).status_code in (400, 422)
    assert ask("POST", "/tokenize", json={**GREETING, key: 1}).json()["code"] == "invalid"


def test_the_reference_page_lets_the_query_be_filled_in(ask):
    openapi = ask("GET", "/openapi.json").json()["paths"]
    page = ask("GET", "/docs").text
    for path in ("/api/languages", "/compat/vllm/tokenizer_info"):
        (parameter,) = openapi[path]["get"]["parameters"]
        form = page.partition(f'data-path="{path}"')[2].partition("</form>")[0]
        assert f'<input name="{parameter["name"]}"' in form


def test_pasted_text_is_never_logged(ask, caplog, capfd):
    secret = "correct horse battery staple"
    with caplog.at_level("DEBUG"):
        ask("POST", "/tokenize", json={**GREETING, "text": secret})
        ask("POST", "/", data={**GREETING, "text": secret})
        ask("POST", "/tokenize", content=json.dumps({"text": secret}), headers={"content-type": "application/json"})
    out, err = capfd.readouterr()
    assert secret not in caplog.text + out + err


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tokenize", {"tokenizer": "gpt-4o", "text": "a b"}),
        ("/detokenize", {"tokenizer": "gpt-4o", "ids": [64]}),
        ("/api/compare", {"tokenizers": ["gpt-4o"], "text": "a b"}),
        ("/api/trace", {"branch": "encode", "tokenizer": "gpt-4o", "text": "a b"}),
    ],
)
def test_the_name_of_a_model_is_the_name_of_its_tokenizer(ask, path, body):
    by_id = {name: {"gpt-4o": "o200k_base"}.get(str(value), value) for name, value in body.items()}
    by_id |= {"tokenizers": ["o200k_base"]} if "tokenizers" in body else {}
    answer = ask("POST", path, json=body)
    assert answer.status_code == 200
    assert answer.json() == ask("POST", path, json=by_id).json()


@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("GET", "/embed", "tokenizer"),
        ("GET", "/conformance", "tokenizer"),
        ("GET", "/", "tokenizer"),
        ("POST", "/", "tokenizer"),
        ("POST", "/v1/tokenize", "model"),
        ("POST", "/tokenize", "model"),
    ],
)
def test_a_provider_before_a_name_changes_nothing(ask, method, path, field):
    def count(name):
        sent = {field: name, "text" if field == "tokenizer" else "prompt": "a b"}
        place = "params" if method == "GET" else "data" if field == "tokenizer" else "json"
        answer = ask(method, path, **{place: sent})
        return answer.status_code, answer.text.count("o200k_base")

    assert count("openrouter/OpenAI/gpt-4o") == count("o200k_base")
    assert count("o200k_base")[0] == 200


def test_a_wrong_name_is_answered_by_names_that_are_near_it(ask):
    near = {
        name: ask("POST", "/tokenize", json={"tokenizer": name, "text": "a"}).json() for name in ("llama3", "gpt2x")
    }
    assert near["llama3"]["detail"].startswith("The tokenizer of Llama 3 is not part of this server")
    assert near["gpt2x"]["detail"] == "There is no tokenizer of this name. Nearest: gpt2, gpt2-xl, gpt-2."
    assert near["gpt2x"]["pointer"] == "/tokenizer"


def test_bytes_that_are_not_utf_8_have_ids_and_spans_in_bytes(ask):
    """The bytes are those of a test of tiktoken: a space, a letter of Hangul, and the beginning of another."""
    for engine in ("reference", "scratch"):
        body = {"tokenizer": "cl100k_base", "bytes_base64": "IOyLpO0=", "engine": engine}
        answer = ask("POST", "/tokenize", json=body).json()
        assert (answer["ids"], answer["pieces"]) == ([62085], [{"bytes_hex": "20ec8ba4ed"}])
        assert (answer["bytes"], answer["byte_starts"], answer["byte_ends"]) == (5, [0], [5])
        assert not {"characters", "char_starts", "char_ends"} & answer.keys()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"bytes_base64": "é"}, "/bytes_base64"),
        ({"bytes_base64": "/w==", "tokenizer": "mistral-v3"}, "/bytes_base64"),
        ({"tokenizer": "nothing"}, "/tokenizer"),
        ({"text": "a"}, "not known"),
    ],
)
def test_bad_bytes_are_refused_with_the_field(ask, change, named):
    answer = ask("POST", "/tokenize", json={"tokenizer": "cl100k_base", "bytes_base64": "/w==", **change})
    assert answer.status_code in (404, 422)
    assert named in answer.text


def test_bytes_above_the_limit_are_too_large(ask):
    data = base64.b64encode(b"\xff" * 2_000_001).decode()
    assert ask("POST", "/tokenize", json={"tokenizer": "cl100k_base", "bytes_base64": data}).status_code == 413
