"""What is refused, as a table: method, paths, body, and the answer as `status code pointer-or-limit`."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.support.corpora import ENGLISH

JSON = {"content-type": "application/json"}
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = {"content-type": "multipart/form-data; boundary=b"}
HTML = {"accept": "text/html"}
EXPLODES = "(?:(?:a|a)+)+(?=c)|[^a]"


class Refusal(NamedTuple):
    """A request with the options of `ask`, its answer, part of the sentence, and the shape of the answer."""

    method: str
    path: str
    options: dict[str, Any]
    answer: str
    says: str
    shape: str


def rows(route: str, base: dict[str, Any], *cases: tuple[Any, ...], by: str = "json", shape: str = "problem") -> Iterator[Refusal]:
    """The refusals of `METHOD path…`: each case is what is changed in the base, the answer and part of the sentence.

    `by` says how it is sent: as JSON, a form, a query, or as `options` of the request themselves.
    """
    method, *paths = route.split()
    paths = paths or [""]
    for sent, answer, *says in cases:
        for path in paths:
            where = path + sent if isinstance(sent, str) else path
            yield Refusal(method, where, options(base, sent, by), answer, "".join(says), shape)


def options(base: dict[str, Any], sent: Any, by: str) -> dict[str, Any]:
    """The options of one request."""
    if isinstance(sent, str):
        return base if by == "options" else {}
    if by == "options":
        return base | sent
    if by == "page":
        return {"data": base | sent, "headers": HTML}
    if by != "json":
        return {{"form": "data", "query": "params"}[by]: base | sent}
    whole = base | sent if isinstance(sent, dict) else sent
    return {"content": whole if isinstance(whole, bytes) else json.dumps(whole), "headers": JSON}


def part(name: str, value: bytes, *, file: str = "") -> bytes:
    """One field of a multipart form, and its end."""
    head = f'--b\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode()
    return head + value + b"\r\n--b--\r\n"


def numbers(field: str, *values: str) -> list[bytes]:
    """A list of ids whose second is none: an integer of 32 bits in digits."""
    found = ("-1", "4294967296", str(2**70), "true", '"65"', "65.0", "9" * 5000, "null", *values)
    return [f'{{"model": "gpt2", "{field}": [1, {id}]}}'.encode() for id in found]


NO_UTF8 = (b"\xff", b"\xed\xa0\x80\xed\xb0\x80", b"\xc0\xaf", b"caf\xe9")
NO_NUMBERS = ("-1", "4294967296", str(2**70), "true", "65.0", "9" * 5000, "1e2", "٣")
A = {"tokenizer": "gpt2", "text": "a"}
TOKENIZE = [
    *rows(
        "POST /tokenize", A,
        (b'{"tokenizer": "gpt2"}', "422 invalid /text"),
        (b'{"text": "a"}', "422 invalid /tokenizer"),
        ({"text": None}, "422 invalid /text"),
        ({"text": [None]}, "422 invalid /text/0"),
        ({"text": ["a", 1]}, "422 invalid /text/1"),
        ({"text": {"a": 1}}, "422 invalid /text"),
        ({"text": {"secret": "secret"}}, "422 invalid /text"),
        ({"text": 7}, "422 invalid /text"),
        ({"tokenizer": 7}, "422 invalid /tokenizer"),
        ({"tokenizer": "secret"}, "404 unknown-tokenizer /tokenizer"),
        ({"tokenizer": "gtp2"}, "404 unknown-tokenizer /tokenizer", "gpt2"),
        ({"engine": "secret"}, "422 unknown-engine /engine"),
        ({"special": "secret"}, "422 invalid /special"),
        ({"template": "yes"}, "422 invalid /template"),
        ({"include": ["colours"]}, "422 invalid /include/0"),
        ({"txet": "a"}, "422 invalid"),
        ([1], "422 invalid"),
        (None, "422 invalid"),
        ({"text": "ab<|endoftext|>", "special": "refuse"}, "422 special-token"),
        # Of many faults the first is told.
        ({"text": [None] * 30_000}, "422 invalid /text/0"),
        ({"text": [1], "engine": 1, "include": [1], **{f"unknown {i}": 1 for i in range(10)}}, "422 invalid /include/0"),
        # What is no JSON in UTF-8.
        (b"", "400 malformed"),
        (b"{", "400 malformed"),
        (b'{"secret', "400 malformed"),
        (b'{"tokenizer": "gpt2", "text": "a",}', "400 malformed"),
        (b'{"tokenizer": "gpt2", "text": NaN}', "400 malformed"),
        (b'{"tokenizer": "gpt2", "text": Infinity}', "400 malformed"),
        (b'{"tokenizer": "gpt2", "text": "a\0b"}', "400 malformed"),
        (b'{"tokenizer": "gpt2", "text": "a", "text": "b"}', "400 malformed"),
        (b"[" * 100_000 + b"]" * 100_000, "400 malformed"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "400 malformed"),
        *((b'{"tokenizer": "gpt2", "text": "' + sent + b'"}', "400 bad-encoding") for sent in NO_UTF8),
        *((json.dumps(A).encode(name), "415 unsupported-media") for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32")),
        ({"text": "\ud800"}, "422 lone-surrogate /text", "Code point 0 "),
        ({"text": "ab\udfff"}, "422 lone-surrogate /text", "Code point 2 "),
        (rb'{"tokenizer": "gpt2", "text": "\ud83c\udf0d \ud83c"}', "422 lone-surrogate /text", "Code point 2 "),
        ({"text": ["a", "ab\udfff"]}, "422 lone-surrogate /text/1", "Code point 2 "),
    ),
    *rows(
        "POST /tokenize", {"content": json.dumps(A)},
        ({"headers": {"content-type": "text/plain"}}, "415 unsupported-media"),
        ({"headers": {"content-type": URLENCODED}}, "415 unsupported-media"),
        ({"headers": {}}, "415 unsupported-media"),
        ({"headers": {"content-type": "application/json; charset=utf-16"}}, "415 unsupported-media"),
        ({"headers": JSON | {"content-encoding": "gzip"}}, "415 unsupported-media"),
        by="options",
    ),
    *rows("GET /tokenize", {}, ({}, "405 method-not-allowed"), by="query"),
    *rows(
        "POST /detokenize", {"tokenizer": "gpt2"},
        *((sent.replace(b"model", b"tokenizer"), "422 invalid /ids/1") for sent in numbers("ids", "1e2")),
        ({"ids": [1, 2, 50257]}, "422 unknown-id /ids/2"),
        ({"tokenizer": "words", "ids": [0]}, "422 unknown-id /ids/0"),
        ({"ids": [None] * 30_000}, "422 invalid /ids/0"),
        ({"tokens": [1]}, "422 invalid"),
    ),
    *rows("GET /api/tokenizers/gpt3", {}, ({}, "404 unknown-tokenizer"), by="query"),
    *rows("GET /nothing", {}, ({}, "404 not-found"), by="query"),
    *rows(
        "GET /healthz", {},
        *(({"headers": {"host": host}}, "421 unknown-host") for host in (
            "evil.example", "127.0.0.1.evil.example", "localhost:8000@evil.example", "")),
        by="options",
    ),
]  # fmt: skip

PLAYGROUND = [
    *rows("POST /", A, *(({"window": number}, "422 invalid /window") for number in NO_NUMBERS), by="form"),
    *rows("POST /token", A, ({"token": "٣"}, "422 invalid /token"), ({}, "422 invalid /token"), by="form"),
    *rows("POST /steps", A, ({"merges": "true", "branch": "learn"}, "422 invalid /merges 2000"), by="form"),
    *rows("POST /compare", A, ({"calls": "65.0"}, "422 invalid /calls"), by="form"),
    *rows(
        "POST /", A,
        ({"tokenizer": "gtp2"}, "404 unknown-tokenizer", "gpt2"),
        ({"text": "ab<|endoftext|>", "special": "refuse"}, "422 special-token"),
        ({"special": "<b>"}, "422 invalid /special"),
        ({"token": "99999"}, "422 invalid /token"),
        ({f"f{i}": "1" for i in range(100)}, "413 too-large 64"),
        by="form",
    ),
    *rows(
        "POST /window /token", {"data": {"key": "other", "window": "1", "token": "0"}},
        ({"headers": {"HX-Request": "true"}}, "410"),
        by="options",
    ),
    *rows(
        "POST /", {"headers": MULTIPART},
        *(({"content": part("text", sent)}, "400 bad-encoding") for sent in NO_UTF8),
        *(({"content": part("file", sent, file='; filename="a"')}, "400 bad-encoding") for sent in NO_UTF8),
        ({"content": b"".join(part(f"f{i}", b"1").removesuffix(b"--b--\r\n") for i in range(100)) + b"--b--\r\n"}, "413 too-large 64"),
        ({"content": b"garbage"}, "400 malformed"),
        ({"content": b"--b\r\nnonsense"}, "400 malformed"),
        ({"content": part("text", b"a"), "headers": {"content-type": "multipart/form-data"}}, "400 malformed"),
        by="options",
    ),
    *rows(
        "POST /", {"headers": {"content-type": URLENCODED}},
        *(({"content": "text=" + "".join(f"%{byte:02x}" for byte in sent)}, "400 bad-encoding") for sent in NO_UTF8),
        by="options",
    ),
    *rows(
        "POST /", {"content": b"text=a"},
        ({"headers": {"content-type": "text/plain"}}, "415 unsupported-media"),
        ({"headers": JSON}, "415 unsupported-media"),
        ({"headers": {}}, "415 unsupported-media"),
        ({"headers": {"content-type": f"{URLENCODED}; charset=utf-16"}}, "415 unsupported-media"),
        ({"headers": {"content-type": URLENCODED, "content-encoding": "gzip"}}, "415 unsupported-media"),
        by="options",
    ),
    *rows("POST /window /steps /compare /conformance", {"content": b"text=a", "headers": JSON}, ({}, "415 unsupported-media"), by="options"),
    *rows(
        "GET ", {},
        *((f"/?q={sent}", "400 bad-encoding") for sent in ("%ff", "%ed%a0%80%ed%b0%80", "%c0%af", "caf%e9")),
        ("/languages?seek=%ff", "400 bad-encoding"),
        ("/embed?text=%ff", "400 bad-encoding"),
        ("/api/languages?tokenizer=%ff", "400 bad-encoding"),
        ("/steps?example=%ff", "400 bad-encoding"),
        ("/?q=" + "a" * 9000, "414 query-too-long 8192"),
        by="query",
    ),
]  # fmt: skip

CHAT = {"tokenizer": "mistral-v3", "messages": [{"role": "user", "content": "Hi"}]}
FORM = {"tokenizer": "mistral-v3", "role": ["system", "user"], "content": ["Be brief.", "Hi"], "prompted": "1"}
MESSAGES = [
    *rows(
        "POST /api/chat", CHAT,
        ({"messages": None}, "422 invalid /messages"),
        ({"messages": [None]}, "422 invalid /messages/0"),
        ({"special": "refuse"}, "422 invalid /special"),
        ({"tools": "none"}, "422 invalid /tools"),
        ({"unknown": 1}, "422 invalid"),
        ({"tokenizer": "secret"}, "404 unknown-tokenizer /tokenizer"),
        ({"tokenizer": "gpt2"}, "422 invalid /messages"),
        ({"messages": [{"role": "secret", "content": "secret"}]}, "422 bad-template /messages"),
        ({"chat_template": "{{ secret"}, "422 bad-template /chat_template"),
        ({"chat_template": "{{ 'secret' * 9999999 }}"}, "422 template-limit 4000000"),
        ({"continue_final_message": True}, "422 invalid /messages"),
        ({"messages": [{"role": "user", "content": "a\ud800"}]}, "422 lone-surrogate /messages"),
        ({"messages": [{}] * 20_001}, "422 over-limit 20000"),
        (json.dumps(CHAT).replace('"Hi"', "[" * 500 + "]" * 500).encode(), "422 bad-template /messages"),
    ),
    *rows(
        "POST /chat", FORM,
        ({"template": "\n{% for %}"}, "422 bad-template /chat_template", "line 2"),
        ({"tokenizer": "gpt2"}, "422 invalid /messages", "no chat template"),
        ({"tools": "{"}, "422 invalid /tools", "not valid JSON"),
        ({"tokenizer": "none"}, "404 unknown-tokenizer"),
        ({"role": ["user"]}, "422 invalid /role"),
        ({"role": ["user", "critic"]}, "422 invalid /role"),
        *(({"role": ["user", "call"], "content": ["?", broken]}, "422 invalid", "Message 2 calls a tool") for broken in (
            "add", "add(1)", "add({)")),
        by="form",
    ),
    *rows("POST /chat", {"data": FORM, "headers": {"sec-fetch-site": "cross-site"}}, ({}, "403 cross-site"), by="options"),
    *rows("GET /chat", {}, ({"example": "none"}, "422 invalid /example"), by="query"),
    *rows(
        "POST /request", {},
        ({"text": '{"a": }'}, "422 invalid /text", "line 1, column 7"),
        ({"text": '{"prompt": "Hi"}'}, "422 invalid /request", "looked for messages, input, contents"),
        ({"text": '{"messages": []}'}, "422 invalid /model", "names no model"),
        ({"text": '{"model": "no-such-9", "messages": []}'}, "404 unknown-tokenizer /model", "There is no tokenizer"),
        ({"text": json.dumps({"model": "gpt-4o", **CHAT, "messages": [{"role": "user", "content": "\ud800"}]})},
         "422 lone-surrogate /request", "lone surrogate"),
        ({"text": '{"contents": [{"role": "\\ud800", "parts": []}]}'}, "422 lone-surrogate /request", "lone surrogate"),
        by="form",
    ),
]  # fmt: skip

PATTERN = {"pattern": "a", "text": "a"}
LEARN = {"branch": "learn", "text": "ab"}
SPLIT = {"type": "Split", "behavior": "Removed"}
TEMPLATE = {"type": "TemplateProcessing", "single": [], "pair": [], "special_tokens": {}}
EXPERIMENTS = [
    *rows(
        "POST /api/regex", PATTERN,
        ({"pattern": ""}, "422 invalid /pattern 8"),
        ({"pattern": "a|(b+"}, "422 invalid /pattern"),
        ({"pattern": "(?V1)a"}, "422 invalid /pattern"),
        ({"pattern": "a" * 10_001}, "422 invalid /pattern 10000"),
        ({"other": "(?R)"}, "422 invalid /other"),
        ({"other": "[b"}, "422 invalid /other"),
        ({"text": "a" * 5_001}, "413 too-large 5000"),
        ({"text": "\ud800"}, "422 lone-surrogate /text"),
        ({"tokenizer": "bert-base-uncased"}, "422 invalid /tokenizer"),
        ({"tokenizer": "nothing"}, "404 unknown-tokenizer /tokenizer"),
        ({"dialect": "perl"}, "422 invalid /dialect"),
        ({"text": None}, "422 invalid /text"),
        ({"pattern": EXPLODES, "text": "a" * 28 + "b"}, "422 regex-timeout"),
    ),
    *rows("POST /regex", PATTERN, ({"preset": "no"}, "422 invalid /preset"), ({"tests": "a\n" * 51}, "422 invalid", "at most 50 tests"), by="form"),
    *rows("GET /regex", {}, ({"preset": "no"}, "422 invalid /preset"), by="query"),
    *rows("POST /regex/word", PATTERN, ({"at": "7"}, "422", "The text has no character 7"), by="form"),
    *rows("GET /steps", {"example": "gage"}, ({"example": "nothing"}, "422 invalid /example"),
          *(({"step": step}, "422 invalid /step") for step in ("-1", "x", "1e3", "99999999999")), by="query"),
    *rows("POST /steps/frames", {}, ({"key": "0" * 64, "step": "0"}, "410"), by="form"),
    *rows(
        "POST /api/trace", LEARN,
        ({"text": ""}, "422 invalid /text"),
        ({"text": " \n"}, "422 invalid /text"),
        ({"text": "low 5\nlowest", "table": True}, "422 invalid /text"),
        ({"merges": 0}, "422 invalid /merges 2000"),
        ({"merges": -1}, "422 invalid /merges 2000"),
        ({"merges": 2**62}, "422 invalid /merges 2000"),
        ({"merges": 2001}, "422 invalid /merges 2000"),
        ({"pattern": "nothing"}, "422 invalid /pattern"),
        ({"branch": "encode", "text": "a" * 20_001}, "413 too-large /text 20000"),
        ({"text": "ab " * 66_667}, "413 too-large /text 200000"),
        ({"text": "ab" * 2_501, "algorithm": "unigram"}, "413 too-large /text 5000"),
        ({"branch": "encode", "tokenizer": "o200k"}, "404 unknown-tokenizer /tokenizer"),
        ({"branch": "encode", "text": "a\ud800"}, "422 lone-surrogate /text"),
        ({"secret": 1}, "422 invalid"),
    ),
    *rows(
        "POST /steps", LEARN,
        ({"text": ""}, "422 invalid /text"),
        ({"text": "low 5\nlowest", "table": "1"}, "422 invalid /text"),
        ({"merges": "0"}, "422 invalid /merges 2000"),
        ({"merges": str(2**62)}, "422 invalid /merges 2000"),
        ({"pattern": "nothing"}, "422 invalid /pattern"),
        ({"branch": "encode", "text": "a" * 20_001}, "413 too-large /text 20000"),
        ({"text": "ab " * 66_667}, "413 too-large /text 200000"),
        ({"temperature": "3.7"}, "422 invalid /temperature"),
        by="form",
    ),
    *rows(
        "POST /api/pipeline", {"tokenizer": "bert-base-uncased", "text": "a"},
        ({"normalizer": {"type": "Nothing"}}, "422 invalid /normalizer"),
        ({"pre_tokenizer": SPLIT | {"pattern": {"Regex": "("}}}, "422 invalid /pre_tokenizer"),
        ({"pre_tokenizer": SPLIT | {"pattern": {"Regex": "a{100000}"}}}, "422 invalid /pre_tokenizer"),
        ({"normalizer": {"type": "Prepend", "prepend": "a" * 1000}}, "422 invalid /normalizer 100"),
        ({"normalizer": [{"type": "NFC"}] * 31}, "422 invalid /normalizer 30"),
        ({"normalizer": {"type": "Sequence", "normalizers": [3]}}, "422 invalid /normalizer"),
        ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "own"}}, "422 invalid /normalizer"),
        ({"post_processor": TEMPLATE | {"pair": 3}}, "422 invalid /post_processor"),
        ({"post_processor": TEMPLATE}, "422 invalid /post_processor"),
        ({"decoder": {"type": "Replace", "pattern": {"String": "a"}}}, "422 invalid /decoder"),
        ({"model": {"fuse_unk": True}}, "422 invalid /model"),
        ({"model": {"unk_token": None}}, "422 invalid /model/unk_token"),
        ({"model": {"max_input_chars_per_word": "9"}}, "422 invalid /model/max_input_chars_per_word"),
        ({"model": {"unk_token": "[NOTHING]"}, "text": "\U00010380"}, "422 invalid /model"),
        ({"normalizer": {"type": "Prepend", "prepend": "\ud800"}}, "422 invalid /normalizer"),
        ({"padding": {"pad_token": "\ud800"}}, "422 lone-surrogate /padding/pad_token"),
        ({"padding": {"length": 10000}, "batch": ["a"] * 100}, "422 invalid /padding"),
        ({"truncation": {"max_length": 1}}, "422 invalid /max_length"),
        ({"truncation": {"max_length": 3, "stride": 1}, "text": "a b c d"}, "422 invalid /stride"),
        ({"text": "a" * 100_001}, "413 too-large 100000"),
        ({"text": "a" * 100, "normalizer": [{"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 100}] * 4},
         "422 invalid /normalizer"),
        ({"tokenizer": "gpt2", "text": "a" * 40 + "b", "pre_tokenizer": SPLIT | {"pattern": {"Regex": EXPLODES}}},
         "422 regex-timeout"),
    ),
    *rows(
        "GET /pipeline", {"text": "a"},
        *(({"normalizer": value}, "422 invalid /normalizer") for value in ("3", "[3]", "{")),
        ({"model": "[1]"}, "422 invalid /model"),
        ({"special": "maybe"}, "422 invalid /special"),
        ({"max_length": "-1"}, "422 invalid /max_length"),
        by="query",
    ),
    *rows("GET /pipeline", {"text": "a"}, ({"tokenizer": "bytes"}, "422 invalid /tokenizer", "bytes has no pipeline"),
          ({"tokenizer": "nothing"}, "404 unknown-tokenizer /tokenizer"), by="query"),
    *rows(
        "GET /api/vocabulary/gpt2/tokens", {},
        ({"q": "xyz", "by": "bytes"}, "422 invalid /q"),
        ({"q": "5-1", "by": "id"}, "422 invalid /q"),
        ({"q": "999999", "by": "id"}, "422 unknown-id /q"),
        ({"q": "(a", "by": "regex"}, "422 invalid /q"),
        ({"q": "(?:a{1000}){1000}", "by": "regex"}, "422 invalid /q"),
        ({"script": "Klingon"}, "422 invalid /script"),
        ({"shortest": 5, "longest": 2}, "422 invalid /longest"),
        ({"by": "colour"}, "422 invalid /by"),
        ({"limit": 0}, "422 invalid /limit"),
        ({"q": "^(?:.|.)+(?:(?<=~)q|(?<=q)~)$", "by": "regex"}, "422 regex-timeout /q"),
        by="query",
    ),
    *rows("GET /api/vocabulary/words/tokens", {}, ({}, "422 invalid /tokenizer"), by="query"),
    *rows("GET /api/vocabulary/org/none/tokens", {}, ({}, "404 unknown-tokenizer /id"), by="query"),
    *rows("GET /vocabulary/org/none", {}, *((path, "404 unknown-tokenizer /tokenizer") for path in ("", "/5", "/rows", "/five")), by="query"),
    *rows("GET /vocabulary/gpt2", {}, ("/50257", "422 unknown-id /token"),
          ("?q=ing&at=1", "422 invalid", "The id 1 is not among the tokens found."), by="query"),
    *rows("GET /vocabulary/gpt2/compare", {}, ({"ids": ""}, "422 invalid", "whole numbers"),
          ({"ids": "1,2,3,4,5,6,7,8,9"}, "422 invalid", "At most 8"), ({"ids": "60000"}, "422 unknown-id", "the largest id is 50256"),
          by="query"),
    *rows("POST /api/chunk", {"text": "One. Two. Three.", "size": 4, "at": "sentence", "tokenizer": "gpt-4o"},
          ({"size": 0}, "422 invalid /size 10000000"), ({"overlap": 3}, "422 invalid /overlap 2"),
          ({"size": 1, "text": "👩‍🚀"}, "422 invalid /size"), ({"at": "page"}, "422 invalid /at"),
          ({"language": "xx"}, "422 invalid /language"), ({"text": "\ud800"}, "422 lone-surrogate /text")),
]  # fmt: skip

COMPARED = {"text": "a", "tokenizer": ["o200k_base", "bytes"], "order": ""}
NINE = ["bytes", "gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base", "characters", "words", "t5"]
BOTH = {"a": "gpt2", "b": "gpt2"}
COMPARISONS = [
    *rows("POST /compare", COMPARED, ({"calls": "many"}, "422 invalid /calls"), ({"price:GPT-4o": "-1"}, "422 invalid /price:GPT-4o"),
          ({"own-price": "1e3"}, "422 invalid /own-price"), ({"view": "x"}, "422 invalid /view"),
          ({"tokenizer": NINE}, "422 invalid /tokenizers 8", "1 to 8 tokenizers, not 9"), by="form"),
    *rows("POST /compare/download", {"text": "a"}, ({"format": "summary.csv"}, "422 invalid /tokenizer"),
          ({"tokenizer": "gpt2", "format": "summary.exe"}, "422 invalid /format"), by="form"),
    *rows("POST /compare/set", COMPARED, ({"set": "none"}, "422 invalid /set"), by="form"),
    *rows("GET /compare", {}, ({"example": "nothing"}, "422 invalid /example"), ({"language": "nothing"}, "422 invalid /language"), by="query"),
    *rows("GET /api/compare/sets/none", {}, ({}, "422 invalid /set"), by="query"),
    *rows(
        "POST /api/compare", {"text": "a", "tokenizers": ["bytes"]},
        ({"tokenizers": []}, "422 invalid /tokenizers 8"),
        ({"tokenizers": NINE}, "422 invalid /tokenizers 8"),
        ({"text": "\ud800"}, "422 lone-surrogate /text"),
        (b'{"text": "a"}', "422 invalid /tokenizers"),
        (b'{"tokenizers": ["bytes"]}', "422 invalid /text"),
        ({"text": 7}, "422 invalid /text"),
        ({"tokenizers": "bytes"}, "422 invalid /tokenizers"),
        ({"more": 1}, "422 invalid"),
        (b'{"text": "a", "text": "b", "tokenizers": ["bytes"]}', "400 malformed"),
        (b"[", "400 malformed"),
    ),
    *rows("POST /api/compare/columns", {"text": "a", "tokenizers": ["bytes"]}, ({"tokenizers": []}, "422 invalid /tokenizers 8"),
          ({"text": "\ud800"}, "422 lone-surrogate /text")),
    *rows("GET /api/compare/vocabularies", BOTH, ({"b": "words"}, "422 invalid /tokenizer"), ({"script": "Klingon"}, "422 invalid /script"),
          ({"a": "nothing"}, "404 unknown-tokenizer /a"), ({"text": "a" * 9_000}, "414 query-too-long 8192"),
          ({"format": "xml"}, "422 invalid /format"), ({"b": []}, "422 invalid /b"), by="query"),
    *rows("GET /compare/vocabularies", BOTH, ({"b": "words"}, "422 invalid"), ({"script": "Klingon"}, "422 invalid"),
          ({"a": "nothing"}, "404 unknown-tokenizer /tokenizer"), by="query"),
    *rows("POST /api/conformance", {"text": "a", "tokenizers": ["gpt2"]},
          ({"tokenizers": ["gpt2", "bytes"]}, "422 invalid /tokenizers/1"), ({"text": "a" * 100_001}, "413 too-large 100000")),
    *rows("GET /languages", {}, ({"tokenizer": "gtp2"}, "404 unknown-tokenizer", "The atlas has no tokenizer of this name"),
          *(({name: "none"}, f"422 invalid /{name}", "must be one of") for name in ("measure", "script", "region", "order")),
          by="query"),
    *rows("GET /api/languages", {}, ({"tokenizer": "gtp2"}, "404 unknown-tokenizer"), by="query"),
    *rows("GET /tokenizers", {}, ({"sort": "colour"}, "422 invalid /sort", "origin, title, family, tokens"), ("/gpt4x", "404 unknown-tokenizer", "earest"), by="query"),
    *rows("POST /costs", {"text": "a"}, ({"low": "2", "high": "1"}, "422 invalid /low"), ({"low": "0"}, "422 invalid /low"),
          ({"sort": "colour"}, "422 invalid /sort"), ({"output": "-1"}, "422 invalid /output 10000000"), by="form"),
    *rows("POST /costs/strip", {}, ({"key": "forgotten"}, "410"), by="form"),
    *rows("POST /api/costs", {"text": "a"}, ({"models": ["gpt-7"]}, "422 invalid /models")),
]  # fmt: skip

COURSE = [
    *rows("POST /learn/nothing", {"text": "a"}, ({}, "404 unknown-scene"), by="page"),
    *rows("POST /learn/bpe", {"text": "a"}, ({"text": ""}, "422 invalid"), ({"text": "a" * 401}, "422 invalid"), ({"step": "-1"}, "422 invalid"),
          ({"answer": "x"}, "422 invalid"), by="page"),
    *rows("POST /learn/by-hand", {"text": "a"}, ({"do": "cheat"}, "422 invalid /do"), by="form"),
    *rows("GET /learn", {}, ("/glossary/nothing", "404 unknown-term"), ("/nothing.ipynb", "404 unknown-scene"), by="query"),
    *rows("GET /learn/calculators", {}, ("/embedding?vocabulary=0", "422 invalid /vocabulary 10000000"), ("/embedding?vocabulary=x", "422 invalid /vocabulary 10000000"),
          ("/vocabulary?others=0", "422 invalid /others"), ("/cost?tokenizer=nothing", "404 unknown-tokenizer"), ("/cost?speed=0", "422 invalid /speed"),
          ("/length?tokens=99999999999", "422 invalid /tokens 100000000"), ("/length?format=xml", "422 invalid /format"), ("/nothing", "404 unknown-scene"), by="query"),
]  # fmt: skip

IMAGE = {"width": 5, "height": 5}
BEYOND = [
    *rows("POST /api/budget", {"model": "gpt-4o"}, ({"model": None}, "422 invalid /model"), ({"model": "gpt-9"}, "422 invalid /model"),
          ({"images": [IMAGE | {"width": 0}]}, "422 invalid /images/0/width"), ({"images": [IMAGE] * 51}, "413 too-large /images 50"),
          ({"images": [IMAGE | {"detail": "huge"}]}, "422 invalid /images/0/detail"), ({"audio_seconds": -1}, "422 invalid /audio_seconds"), ({"other": 1}, "422 invalid")),
    *rows("POST /api/beyond/actions", {"series": [[1.0], [2.0]]}, ({"series": []}, "422 invalid /series"), ({"series": [[]]}, "422 invalid /series"),
          ({"series": [[1.0], [2.0, 3.0]]}, "422 invalid /series"), ({"series": [[1.0]] * 2001}, "413 too-large /series 2000"),
          ({"series": [[1.0], [1e300]]}, "422 invalid /series"), ({"series": [[1.0], ["2"]]}, "422 invalid /series/1/0"), ({"scale": 0}, "422 invalid /scale"),
          ({"other": 1}, "422 invalid"), (b'{"series": [[1.0], [NaN]]}', "400 malformed")),
    *rows("POST /api/beyond/bytes", {"text": "The tokenizer reads strawberry as three tokens."},
          ({"text": "a" * 20_001}, "413 too-large 20000"), ({"threshold": 7}, "422 invalid /threshold"),
          ({"stride": 0}, "422 invalid /stride"), ({"rule": "bpe"}, "422 invalid /rule"),
          ({"at": 47, "typo": "swap"}, "422 invalid /at"), ({"tokenizers": ["nothing"]}, "404 unknown-tokenizer /tokenizers/0"),
          ({"tokenizers": ["gpt2"] * 5}, "422 invalid /tokenizers")),
    *rows("GET /beyond/bytes", {}, ({"language": "none"}, "422 invalid /language"), ({"rule": "none"}, "422 invalid /rule"), ({"example": "none"}, "422 invalid /example"), by="query"),
    *rows("POST /api/beyond/concepts", {"text": "One. Two."}, ({"text": "é" * 10_001}, "413 too-large 20000"),
          ({"language": "tlh"}, "422 invalid /language"), ({"cap": 3}, "422 invalid /cap"), ({"context": 0}, "422 invalid /context"),
          ({"tokenizers": ["nothing"]}, "404 unknown-tokenizer /tokenizers/0")),
    *rows("GET /beyond/pictures", {}, ({"width": "100001"}, "422 invalid /width"), ({"width": "-1"}, "422 invalid /width"), by="query"),
    *rows("POST /api/beyond/pictures", IMAGE, ({"width": 0}, "422 invalid /width"), ({"models": ["x"]}, "422 invalid /model"), (b'{"width": 1}', "422 invalid /height")),
    *rows("GET /beyond/sound", {}, ({"sound": "tone", "size": "64", "codebooks": "9"}, "422 invalid /codebooks"), ({"sound": "nothing"}, "422 invalid /sound"), by="query"),
    *rows("POST /api/beyond/sound", {"sound": "tone"}, ({"sound": "x"}, "422 invalid /sound"), ({"size": 3}, "422 invalid /size"), ({"codebooks": 0}, "422 invalid /codebooks")),
    *rows("POST /api/beyond/sound/file", {"data": {"size": "16"}}, ({"files": {"other": b""}}, "422 invalid /file"), by="options"),
    *rows("POST /api/beyond/parameters", {}, ({"pairs": 1}, "422 invalid /pairs"), ({"more": 65}, "422 invalid /more"), ({"steps": 1001}, "422 invalid /steps"),
          ({"seed": -1}, "422 invalid /seed"), ({"other": 1}, "422 invalid"), ({"pairs": "8"}, "422 invalid /pairs")),
]  # fmt: skip

TRAIN = {"texts": [ENGLISH], "size": 300}
SURGERY = {"tokenizer": "gpt2", "texts": ["a text"], "proof": 100}
FORMLESS = {"content": b"", "headers": MULTIPART}
JOBS = [
    *rows(
        "POST /api/train", TRAIN,
        ({"size": 0}, "422 invalid /size 1000000"),
        ({"size": -1}, "422 invalid /size 1000000"),
        ({"size": 2**62}, "422 invalid /size 1000000"),
        ({"size": 2**70}, "422 invalid /size 1000000"),
        ({"size": "300"}, "422 invalid /size"),
        ({"texts": []}, "422 invalid /texts"),
        ({"texts": [" "]}, "422 invalid /texts"),
        ({"texts": "a"}, "422 invalid /texts"),
        ({"texts": [None] * 30_000}, "422 invalid /texts/0"),
        ({"texts": ["a"] * 100_001}, "422 invalid /texts"),
        ({"corpora": ["udhr:nowhere"]}, "422 invalid /language"),
        ({"corpora": ["../../etc/passwd"]}, "422 invalid /corpora"),
        ({"algorithm": "lzw"}, "422 invalid /algorithm"),
        ({"pattern": "(a+"}, "422 invalid /pattern"),
        ({"vocab": 3}, "422 invalid"),
        ({f"unknown {i}": 1 for i in range(900)}, "422 invalid"),
        ({"name": "x" * 200}, "422 invalid /title 100"),
        ({"texts": ["a" * 10_000_001]}, "413 too-large 10000000"),
    ),
    *rows("POST /api/train", {"json": TRAIN, "headers": {"Sec-Fetch-Site": "cross-site"}}, ({}, "403 cross-site"), by="options"),
    *rows("POST /api/train/form", {}, ({"files": {"file": ("a.bin", b"\xff\xfe\x00\x01")}}, "400 bad-encoding"), by="options"),
    *rows(
        "POST /train", {"text": "low"},
        ({"text": ""}, "422 invalid /texts"),
        ({"size": "0"}, "422 invalid /size 1000000"),
        ({"size": "-1"}, "422 invalid /size 1000000"),
        ({"size": str(2**62)}, "422 invalid /size 1000000"),
        ({"algorithm": "lzw"}, "422 invalid /algorithm"),
        ({"pattern": "own", "expression": "("}, "422 invalid /pattern"),
        ({"corpus": "udhr:nowhere"}, "422 invalid /language"),
        ({"text": "a" * 10_000_001}, "413 too-large 10000000"),
        by="form",
    ),
    *rows("POST /train /api/train/form", {}, ({"files": [
        ("file", ("a.txt", b"a text")), ("file", ("b.bin", b"ab\xff")), ("file", ("c.txt", b"a text"))]},
        "400 bad-encoding", "Byte 2 of the file b.bin is not UTF-8."), by="options"),
    *rows("GET /api/jobs/AAAAAAAAAAAAAAAAAAAAAA", {}, *((path, "404 unknown-job") for path in (
        "", "/events", "/download/tokenizer.json")), by="query"),
    *rows(
        "POST /api/surgery", SURGERY,
        ({"texts": []}, "422 invalid /texts", "There is no corpus"),
        ({"texts": [" "]}, "422 invalid /texts", "There is no corpus"),
        ({"texts": ["a"] * 100_001}, "422 invalid /texts"),
        ({"tokenizer": "rwkv-world"}, "422 invalid /tokenizer", "has no vocabulary of BPE, Unigram or WordPiece"),
        ({"tokenizer": "t5", "operation": "extend"}, "422 invalid /tokenizer", "Only BPE goes on learning merges"),
        ({"tokenizer": "nothing"}, "404 unknown-tokenizer /tokenizer"),
        ({"name": "GPT-2"}, "422 invalid /name", "The name 'GPT-2' is taken"),
        ({"name": "x" * 101}, "422 invalid /title 100", "A title must have 1 to 100 characters."),
        ({"tokens": 0, "operation": "extend"}, "422 invalid /tokens 100000", "tokens must be a whole number from 1 to 100,000."),
        ({"keep_ids": ["-1"]}, "422 invalid /keep_ids", "'-1' is none"),
        ({"by": "scripts"}, "422 invalid /scripts", "Name the scripts"),
        ({"operation": "tokens", "rename_tokens": ["a=b=c"]}, "422 invalid /rename_tokens", "must be old=new"),
        ({"operation": "sew"}, "422 invalid /operation", "operation must be one of prune, extend, tokens."),
        ({"proof": 99}, "422 invalid /proof 100000", "proof must be a whole number from 100 to 100,000."),
        ({"add_tokens": ["<\ud800>"]}, "422 lone-surrogate /add_tokens", "is a lone surrogate"),
        ({"texts": ["\udfff"]}, "422 lone-surrogate /texts", "is a lone surrogate"),
        ({"corpora": ["udhr:none"]}, "422 invalid /language", "There is no language with this code"),
    ),
    *rows("POST /surgery", {"data": {"tokenizer": "gpt2", "sent": "1"}}, ({"files": {"file": ("bad.txt", b"caf\xe9")}}, "400 bad-encoding",
          "Byte 3 of the file bad.txt is not UTF-8."), by="options"),
    *rows("GET /surgery/jobs/none /api/surgery/none", {}, ("", "404 unknown-job"), by="query"),
    *rows(
        "POST /api/train /tokenize /detokenize /api/surgery /api/fetches", {},
        (b'{"texts":[' + b"1," * 2_000_000 + b"1]}", "413 too-large 1000000"),
        (b'{"texts":[' + b"[]," * 2_000_000 + b"{}]}", "413 too-large 1000000"),
        ({f"k{i}": 1 for i in range(1001)}, "413 too-large 1000"),
    ),
    *rows("POST /api/doctor", {}, *(({"files": {"file": ("x", contents)}}, "422 bad-file") for contents in (
        b"", b"hello", b"{}", b"\xff\xfe", b'{"model": []}')), ({"files": {"text": (None, "a")}}, "422 invalid /file"), by="options"),
    *rows("POST /api/doctor", {"headers": {"Content-Type": "multipart/form-data; boundary=b"}},
          ({"content": part("file", b"abc").removesuffix(b"\r\n--b--\r\n")}, "400 malformed"), by="options"),
]  # fmt: skip

HELLO = {"messages": [{"role": "user", "content": "Hello!"}]}
CONTENTS = {"contents": [{"parts": [{"text": "Hello"}]}]}
INVALID = "400 invalid_request_error"
BAD = "400 BadRequestError"
LONE = rb'{"model": "mistral-v3", "messages": [{"role": "user", "content": "a\ud800"}]}'
VLLM = [
    *rows(
        "POST /tokenize /compat/vllm/tokenize", {},
        ({"prompt": 7}, f"{BAD} prompt"),
        ({"prompt": None}, f"{BAD} prompt"),
        ({"prompt": {"secret": "secret"}}, f"{BAD} prompt"),
        ({"prompt": "a", "add_special_tokens": "yes"}, f"{BAD} add_special_tokens"),
        ({"prompt": "a", "model": 7}, f"{BAD} model"),
        ({"messages": "a"}, f"{BAD} messages"),
        ({"messages": ["secret"]}, f"{BAD} messages.0"),
        ({"model": "secret", "prompt": "a"}, "404 NotFoundError model"),
        ({"model": "gpt-4p", "prompt": "a"}, "404 NotFoundError model", "gpt-4"),
        shape="vllm",
    ),
    *rows(
        "POST /tokenize /compat/vllm/tokenize", {"model": "mistral-v3", "messages": [{"role": "user", "content": "secret"}]},
        ({"model": "gpt-4o"}, f"{BAD} messages", "no chat template"),
        ({"chat_template": "{% for %}"}, f"{BAD} chat_template", "line 1"),
        ({"chat_template": "\n\n{{ messages.a.b }}"}, f"{BAD} chat_template", "line 3"),
        ({"chat_template": "{{ raise_exception(messages[0].content) }}"}, f"{BAD} messages", "refuses"),
        ({"chat_template": "{{ ().__class__.__base__ }}"}, f"{BAD} chat_template", "SecurityError"),
        ({"chat_template": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"}, BAD, "steps"),
        ({"messages": [{"role": "secret", "content": "secret"}]}, f"{BAD} messages", "roles"),
        ({"messages": [], "continue_final_message": True}, f"{BAD} messages", "continue"),
        ({"chat_template": 7}, f"{BAD} chat_template", "string"),
        ({"tools": [7]}, f"{BAD} tools.0", "dictionary"),
        ({"add_generation_prompt": "yes"}, f"{BAD} add_generation_prompt", "boolean"),
        shape="vllm",
    ),
    *rows("POST /compat/vllm/tokenize", {"model": "gpt2"}, ({}, f"{BAD} prompt"), (b"{", BAD), (rb'{"prompt": "\ud800"}', f"{BAD} prompt"),
          (LONE, f"{BAD} messages"), shape="vllm"),
    *rows("POST /compat/vllm/tokenize", {}, ({"content": b"{}", "headers": {"content-type": "text/plain"}}, "415 UnsupportedMediaTypeError"),
          by="options", shape="vllm"),
    *rows("POST /compat/vllm/detokenize", {}, *((sent, f"{BAD} tokens.1") for sent in numbers("tokens", "50257")), shape="vllm"),
    *rows("GET /compat/vllm", {}, ("/nothing", "404 NotFoundError"), ("/tokenize", "405 MethodNotAllowedError"), by="query", shape="vllm"),
    *rows("GET /tokenizer_info /compat/vllm/tokenizer_info", {}, ({"model": "gpt-4p"}, "404 NotFoundError model"), by="query", shape="vllm"),
    *rows("POST /detokenize", {}, ({"tokens": [1, 200_019]}, f"{BAD} tokens.1"), ({"tokens": [[1], [2, -1]]}, f"{BAD} tokens.1.1"),
          ({"tokens": "a"}, f"{BAD} tokens"), shape="vllm"),
]  # fmt: skip

LLAMACPP = [
    *rows(
        "POST /tokenize /compat/llamacpp/tokenize", {},
        ({"content": 7}, INVALID),
        ({"content": None}, INVALID),
        *(({"content": ["a", item]}, INVALID) for item in (None, -1, 1.0, True, 2**32, 200_019)),
        ({"content": "a", "with_pieces": "yes"}, INVALID),
        ({"model": "llama", "content": "a"}, "404 not_found_error"),
        shape="llamacpp",
    ),
    *rows("POST /compat/llamacpp/nothing", {}, ({}, "404 not_found_error"), shape="llamacpp"),
    *rows("POST /compat/llamacpp/detokenize", {}, *((sent, INVALID) for sent in numbers("tokens", "50257")), shape="llamacpp"),
    *rows(
        "POST /apply-template /compat/llamacpp/apply-template", {},
        ({}, INVALID),
        ({"messages": "secret"}, INVALID),
        ({"model": "gpt2", **HELLO}, INVALID),
        ({"model": "secret", **HELLO}, "404 not_found_error"),
        ({"model": "mistral-v3", "messages": [{"role": "secret", "content": ""}]}, INVALID),
        (LONE, INVALID),
        shape="llamacpp",
    ),
]  # fmt: skip

SGLANG = [
    *rows(
        "POST /v1/tokenize /compat/sglang/tokenize", {},
        ({}, f"{BAD} prompt"),
        ({"prompt": None}, f"{BAD} prompt"),
        ({"prompt": ["a", 1]}, f"{BAD} prompt.1"),
        ({"prompt": "a", "add_special_tokens": 1}, f"{BAD} add_special_tokens"),
        ({"model": "q", "prompt": "a"}, "404 NotFoundError model"),
        shape="sglang",
    ),
    *rows("POST /tokenize", {}, ({"model": "q", "prompt": ["a"]}, "404 NotFoundError model"), shape="sglang"),
    *rows(
        "POST /v1/detokenize", {},
        *((sent, f"{BAD} tokens.1") for sent in numbers("tokens", "50257")),
        *((sent.replace(b"[1,", b"[[2], [1,").replace(b"]}", b"]]}"), f"{BAD} tokens.1.1") for sent in numbers("tokens", "50257")),
        shape="sglang",
    ),
]  # fmt: skip

BERT = {"model": "bert-base-uncased"}
TEI = [
    *rows(
        "POST /tokenize /compat/tei/tokenize", {},
        ({"inputs": 7}, "422 validation"),
        ({"inputs": None}, "422 validation"),
        ({"inputs": ["a", 1]}, "422 validation"),
        ({"inputs": "a", "add_special_tokens": 1}, "422 validation"),
        ({"inputs": "a", "prompt_name": "query"}, "422 validation"),
        ({"inputs": ["a"] * 33}, "422 validation"),
        ({"inputs": []}, "400 empty"),
        ({"inputs": "a", "model": "brt-base"}, "422 tokenizer"),
        shape="tei",
    ),
    *rows("POST /decode /compat/tei/decode", {}, ({"ids": [[64]] * 33}, "422 validation"), ({"ids": []}, "400 empty"), shape="tei"),
    *rows(
        "POST /decode", BERT,
        *((sent, "422 validation") for sent in numbers("ids", "[1]")),
        *((sent.replace(b"[1,", b"[[1,").replace(b"]}", b"]]}"), "422 validation") for sent in numbers("ids", "[1]")),
        ({"ids": [30522]}, "422 tokenizer"),
        (b"{", "400 validation"),
        shape="tei",
    ),
    *rows("POST /compat/tei/tokenize", {}, ({}, "422 validation"), shape="tei"),
    *rows("GET /compat/tei/nothing", {}, ({}, "404 validation"), by="query", shape="tei"),
]  # fmt: skip

ANTHROPIC = [
    *rows(
        "POST /v1/messages/count_tokens", {},
        ({"model": "claude-sonnet-4-5", **HELLO}, "404 not_found_error", "No estimate is made."),
        ({"model": "gpt-4o", **HELLO}, INVALID, "No estimate is made."),
        ({"model": "claude-sonnet-4-5"}, INVALID),
        (HELLO, INVALID),
        (LONE, INVALID),
        ({"model": "secret", "messages": [{"role": "secret"}]}, "404 not_found_error"),
        shape="anthropic",
    ),
    *rows(
        "POST /v1/messages/count_tokens", {"model": "mistral-v3", **HELLO},
        ({"messages": [{"role": "user", "content": [{"type": "image"}]}]}, INVALID, "Only texts"),
        ({"messages": [{"role": "user", "content": 7}]}, INVALID, "Only texts"),
        ({"tools": [{"type": "bash_20250124", "name": "bash"}]}, INVALID, "Only texts"),
        ({"messages": [{"role": "secret", "content": "a"}]}, INVALID, "roles"),
        shape="anthropic",
    ),
]  # fmt: skip

OPENAI = [
    *rows(
        "POST /v1/responses/input_tokens", {"model": "gpt-4o", "input": "a"},
        ({"model": "gpt-9"}, "404 model_not_found model"),
        ({"model": "default"}, "404 model_not_found model"),
        ({"model": "secret", "input": "secret"}, "404 model_not_found model"),
        ({"input": [{"role": "user", "content": "a"}]}, "400 None input"),
        ({"instructions": "b"}, "400 None input"),
        ({"tools": [{"type": "function"}]}, "400 None input"),
        ({"previous_response_id": "b"}, "400 None input"),
        (b'{"model": "gpt-4o"}', "400 None input"),
        (b'{"input": "a"}', "400 None model"),
        ({"model": "mistral-v3", "input": [{"type": "reasoning"}]}, "400 None input", "Only texts"),
        ({"model": "mistral-v3", "previous_response_id": "b"}, "400 None input", "Only texts"),
        ({"model": "mistral-v3", "tools": [{"type": "web_search"}]}, "400 None input", "Only texts"),
        shape="openai",
    ),
]  # fmt: skip

GEMINI = [
    *rows("POST /v1beta/models/gemini-1.5-pro:countTokens", CONTENTS, ({}, "404 NOT_FOUND", "No estimate is made."), shape="gemini"),
    *rows("POST /v1beta/models/secret:countTokens", CONTENTS, ({}, "404 NOT_FOUND"), shape="gemini"),
    *rows(
        "POST /v1beta/models/gpt-4o:countTokens", {},
        ({}, "400 INVALID_ARGUMENT"),
        ({"contents": []}, "400 INVALID_ARGUMENT"),
        ({"contents": CONTENTS["contents"] * 2}, "400 INVALID_ARGUMENT"),
        ({"contents": [{"parts": [{"text": "a"}, {"text": "b"}]}]}, "400 INVALID_ARGUMENT"),
        ({"contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": ""}}]}]}, "400 INVALID_ARGUMENT"),
        ({"contents": [{"parts": [{"text": "a", "thought": True}]}]}, "400 INVALID_ARGUMENT"),
        ({"contents": [{"parts": [{"text": 7}]}]}, "400 INVALID_ARGUMENT"),
        (CONTENTS | {"generateContentRequest": CONTENTS}, "400 INVALID_ARGUMENT"),
        ({"generateContentRequest": CONTENTS | {"systemInstruction": {"parts": [{"text": "b"}]}}}, "400 INVALID_ARGUMENT"),
        shape="gemini",
    ),
    *rows(
        "POST /v1beta/models/mistral-v3:countTokens", {},
        ({"contents": []}, "400 INVALID_ARGUMENT", "Only texts"),
        ({"contents": [{"role": "secret", "parts": [{"text": "a"}]}]}, "400 INVALID_ARGUMENT", "Only texts"),
        ({"contents": [{"parts": [{"functionCall": {"name": "secret"}}]}]}, "400 INVALID_ARGUMENT", "Only texts"),
        ({"generateContentRequest": CONTENTS | {"tools": [{"googleSearch": {}}]}}, "400 INVALID_ARGUMENT", "Only texts"),
        shape="gemini",
    ),
]  # fmt: skip

REFUSALS = [
    *(TOKENIZE + PLAYGROUND + MESSAGES + EXPERIMENTS + COMPARISONS + COURSE + BEYOND + JOBS),
    *(VLLM + LLAMACPP + SGLANG + TEI + ANTHROPIC + OPENAI + GEMINI),
]
