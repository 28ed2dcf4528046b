"""POST /api/conformance: a line for each pair of engines, in the order in which they are ready."""

from tokenarium.serialize.json import parse

TWO = ["gpt2", "bert-base-uncased"]


def test_each_pair_has_a_line(ask):
    answer = ask("POST", "/api/conformance", json={"text": "Hello, 🌍!", "tokenizers": TWO})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson")
    lines = sorted(map(parse, answer.content.splitlines()), key=lambda line: line["index"])
    assert lines == [
        {
            "index": 0,
            "tokenizer": "gpt2",
            "reference": "tiktoken",
            "agrees": True,
            "tokens": 6,
            "difference": None,
            "reason": "",
        },
        {
            "index": 1,
            "tokenizer": "bert-base-uncased",
            "reference": "tokenizers",
            "agrees": True,
            "tokens": 4,
            "difference": None,
            "reason": "",
        },
    ]
