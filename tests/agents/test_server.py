"""The MCP server, asked by the client of the official SDK."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters
from tokenarium.agents.server import make_server
from tokenarium.agents.tools import AgentTools, LocalTools
from tokenarium.settings import Settings

SETTINGS = Settings(max_text=1000, max_loaded=10**12)


def ask(server, *calls):
    """Return the answers of a server to calls of tools: the structured content, or the text of an error."""

    async def run():
        async with Client(server) as client:
            listed = await client.list_tools()
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
            return [tool.name for tool in listed.tools], results

    names, results = asyncio.run(run())
    return names, [one.content[0].text if one.is_error else one.structured_content for one in results]


@pytest.fixture
def said(registry):
    def said(*calls):
        return ask(make_server(AgentTools(registry, SETTINGS)), *calls)[1]

    return said


def test_the_tools_are_listed_and_only_a_local_server_reads_files(registry, tmp_path):
    shared = ask(make_server(AgentTools(registry, SETTINGS)))[0]
    assert shared == ["count", "tokenize", "compare", "explain_boundary", "fit", "request", "turns"]
    assert ask(make_server(LocalTools(registry, SETTINGS, str(tmp_path))))[0] == [*shared, "du"]


def test_texts_are_counted_tokenized_and_compared(said):
    text = "Hello, 🌍! 你好!"
    count, tokens, compared = said(
        ("count", {"text": text, "tokenizer": "gpt-5"}),
        ("tokenize", {"text": text}),
        ("compare", {"text": text, "tokenizers": ["gpt2", "o200k_base", "bytes"]}),
    )
    assert (count["tokenizer"], count["count"], count["characters"], count["bytes"]) == ("o200k_base", 8, 13, 20)
    assert tokens["ids"] == [13225, 11, 130321, 235, 0, 220, 177519, 0]
    assert tokens["pieces"][2] == {"bytes_hex": "20f09f8c"}
    assert [(row["tokenizer"], row["tokens"]) for row in compared["tokenizers"]] == [
        *(("o200k_base", 8), ("gpt2", 12), ("bytes", 20)),
    ]


def test_a_boundary_is_explained(said):
    split, inside = said(
        ("explain_boundary", {"text": "Hello world", "position": 5}),
        ("explain_boundary", {"text": "Hello world", "position": 7}),
    )
    assert (split["boundary"], split["token"]) == (True, " world")
    assert split["reason"].startswith("The pre-tokenization pattern splits here, and no merge crosses this boundary.")
    assert (inside["boundary"], inside["starts_at"]) == (False, 5)


def test_a_text_is_shortened_to_a_size(said):
    start, end = said(
        ("fit", {"text": "one two three", "size": 2}),
        ("fit", {"text": "one two three", "size": 2, "keep": "end"}),
    )
    assert start == {"tokenizer": "o200k_base", "text": "one two", "count": 2, "tokens_before": 3}
    assert end["text"] == " two three"


def test_the_parts_of_a_request_are_counted(said):
    chat = {"model": "gpt-4o", "messages": [{"role": "user", "content": '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]'}]}
    one, several = said(("request", {"request": chat}), ("request", {"request": [chat, chat], "model": "gpt-4"}))
    (counted,) = one["requests"]
    assert (counted["tokens"], counted["count"]) == ({"low": 32, "high": 32}, "formula")
    assert [part["name"] for part in counted["parts"]][:1] == ["1 · user"]
    assert {*counted["diet"][0]} == {"title", "part", "tokens", "saved", "proof"}
    assert [row["model"] for row in several["requests"]] == ["gpt-4", "gpt-4"]
    assert several["groups"][0]["requests"] == 2


def test_of_a_long_request_the_largest_parts_are_listed(said):
    messages = [{"role": "user", "content": "word " * (number + 1)} for number in range(205)]
    (answer,) = said(("request", {"request": {"model": "gpt-4o", "messages": messages}}))
    (counted,) = answer["requests"]
    assert len(counted["parts"]) == 200
    assert counted["parts_left_out"] == 7
    assert [part["message"] for part in counted["parts"][:2]] == [None, 204]


def test_claude_is_counted_as_a_range(said):
    (counted,) = said(("count", {"text": "Hello, 🌍! 你好!", "tokenizer": "claude-haiku-4-5"}))
    assert (counted["count"], counted["range"]["low"], counted["range"]["high"]) == (None, 9, 11)


def test_errors_say_what_to_do(said):
    unknown, long, outside = said(
        ("count", {"text": "a", "tokenizer": "gpt-five"}),
        ("count", {"text": "a" * 1001}),
        ("explain_boundary", {"text": "a", "position": 1}),
    )
    assert "There is no tokenizer for this model. Nearest: gpt-5, gpt-4.1, gpt-4o." in unknown
    assert "The text has 1,001 characters; the limit is 1,000." in long
    assert "The position is from 0 to 0, not 1." in outside


def test_the_command_answers_on_its_standard_streams(tmp_path):
    (tmp_path / "a.md").write_text("Hello, world!")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.md").write_text("Hello")
    command = [sys.executable, "-m", "tokenarium", "mcp", "--folder", str(tmp_path)]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    server = StdioServerParameters(command=command[0], args=command[1:], env=environment)
    names, (total, outside) = ask(server, ("du", {}), ("du", {"path": ".."}))
    assert "du" in names
    assert total["rows"] == [{"name": "a.md", "tokens": 4}, {"name": "sub", "tokens": 1}]
    assert "outside of the folder" in outside
    assert json.dumps(total)


def test_the_command_ends_with_an_interrupt_while_its_input_is_open(tmp_path):
    command = [sys.executable, "-m", "tokenarium", "mcp", "--folder", tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(signal.SIGINT)
        assert server.wait() == -signal.SIGINT


def test_turns_are_compared_without_their_ids(said):
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes", "reasoning": "Hm."}] * 2
    (answer,) = said(("turns", {"conversation": messages, "model": "qwen3"}))
    (one,) = answer["conversations"]
    assert one["verdict"] == (
        "Turn 2 loses 10 of 19 ids of the turn before it. The reasoning of message 2 (assistant) is dropped. "
        "With TRL’s training template of Qwen3 nothing is lost."
    )
    assert one["lanes"][1]["prompt"] == {"count": 21, "shared": 9}
