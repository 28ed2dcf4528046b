"""POST /mcp answers each request alone, in a worker, with the limits of every other request."""

import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tokenarium.main import create_app

from tests.conftest import ROOMY

ACCEPT = {"accept": "application/json, text/event-stream"}


def call(ask, name, arguments, **headers):
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return ask("POST", "/mcp", json=body, headers=ACCEPT | headers)


def test_the_client_of_the_sdk_calls_the_tools(registry):
    transport = httpx2.ASGITransport(create_app(ROOMY, registry=registry))

    async def run():
        async with (
            httpx2.AsyncClient(transport=transport) as http,
            Client(streamable_http_client("http://127.0.0.1:8000/mcp", http_client=http)) as client,
        ):
            names = [tool.name for tool in (await client.list_tools()).tools]
            counted = await client.call_tool("count", {"text": "Hello, 🌍! 你好!"})
            refused = await client.call_tool("count", {"text": "a", "tokenizer": "none"})
            return names, counted.structured_content, refused

    names, counted, refused = asyncio.run(run())
    assert names == ["count", "tokenize", "compare", "explain_boundary", "fit", "request", "turns"]
    assert (counted["tokenizer"], counted["count"]) == ("o200k_base", 8)
    assert refused.is_error


def test_any_page_may_call_it(ask):
    answer = call(ask, "count", {"text": "Hello", "tokenizer": "bytes"}, origin="https://example.com")
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.json()["result"]["structuredContent"]["count"] == 5


def test_no_tool_of_the_server_reads_files(ask):
    assert "Unknown tool" in call(ask, "du", {}).text


def test_what_is_no_message_is_refused(ask):
    assert ask("POST", "/mcp", content=b"{", headers=ACCEPT | {"content-type": "application/json"}).status_code == 400
    assert ask("GET", "/mcp").status_code == 405
