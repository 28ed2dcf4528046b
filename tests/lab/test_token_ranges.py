"""Claude as a range with a source, the same wherever tokens are counted; where ids are needed, a sentence."""

import json

import pytest

NAMES = ("claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0")
TEXT = "Hello, 🌍! 你好!"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["/api/count", "/tokenize", "/api/tokenize"])
def test_a_count_of_claude_is_a_range_with_its_source(ask, path, name):
    include = {} if path == "/api/count" else {"include": ["counts"]}
    answer = ask("POST", path, json={"tokenizer": name, "text": TEXT, **include}).json()
    assert (answer["count"], answer["tokenizer"], answer["bytes"]) == (None, None, 20)
    assert (answer["range"]["low"], answer["range"]["high"], answer["range"]["of"]) == (9, 11, "o200k_base")
    assert answer["range"]["address"].startswith("https://")
    assert answer["notes"] == [
        "Claude 3 to Opus 4.6: 1.16 to 1.30 times the tokens of GPT-4o; no tokenizer is published."
    ]


def test_a_batch_has_a_range_for_each_text(ask):
    answers = ask("POST", "/api/count", json={"tokenizer": "claude", "text": [TEXT, ""]}).json()
    assert [(one["range"]["low"], one["range"]["high"]) for one in answers] == [(9, 15), (0, 0)]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tokenize", {"tokenizer": "claude", "text": TEXT}),
        ("/v1/messages/count_tokens", {"model": "claude-opus-5", "messages": [{"role": "user", "content": "a"}]}),
    ],
)
def test_where_one_number_or_ids_are_needed_a_sentence_says_where_the_range_is(ask, path, body):
    answer = ask("POST", path, json=body)
    assert answer.status_code == 404
    assert (
        "Anthropic publishes no tokenizer for Claude 3 and later; /compare, /api/count and tokenarium count give "
        "a range with its source." in json.dumps(answer.json())
    )
