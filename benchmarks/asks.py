"""What is asked of a server under load, and the whole answer to each: from the routes in this process, undisturbed."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import httpx
import orjson

from app.main import create_app
from app.settings import Settings
from benchmarks.text import MEGABYTE, mixed

ENGINES = (
    ("o200k_base", "reference"),
    ("mistral-v3", "reference"),
    ("bert-base-uncased", "reference"),
    ("gpt2", "scratch"),
    ("mistral-v3", "scratch"),
)
NDJSON = "application/x-ndjson"
STEPS = urlencode({"text": "low low low lower lowest", "merges": 10})
COMPARED = ("o200k_base", "gpt2", "mistral-v3", "bert-base-uncased")


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, how often it is made for one of the rarest, and once it is known, its answer."""

    name: str
    path: str
    body: bytes
    often: int = 10
    media: str = "application/json"
    method: str = "POST"
    status: int = 0
    answer: bytes = b""


def asks(local: Path) -> list[Ask]:
    """All of them with their answers; `local` is where the server keeps what it trains."""
    app = create_app(Settings(slots=0, local=local))

    async def answered() -> list[Ask]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
            return [await known(ask, client) for ask in (*good(), *bad())]

    return asyncio.run(answered())


async def known(ask: Ask, client: httpx.AsyncClient) -> Ask:
    headers = {"content-type": ask.media}
    response = await client.request(ask.method, ask.path, content=ask.body, headers=headers)
    return Ask(ask.name, ask.path, ask.body, ask.often, ask.media, ask.method, response.status_code, response.content)


def good() -> list[Ask]:
    """Requests of every size and engine, dialect and page."""
    texts = {"small": mixed(200), "10 KB": mixed(10_000), "1 MB": mixed(MEGABYTE)}
    native = [
        Ask(
            f"{size}, {id}, {engine}", "/tokenize", json(tokenizer=id, engine=engine, text=text, include=["ids"]), often
        )
        for (size, text), often in zip(texts.items(), (20, 10, 1), strict=True)
        for id, engine in ENGINES
    ]
    lines = b"".join(orjson.dumps({"id": n, "text": texts["small"]}) + b"\n" for n in range(100))
    return [
        *native,
        Ask("columns", "/tokenize", json(tokenizer="o200k_base", text=texts["10 KB"])),
        Ask("detokenize", "/detokenize", json(tokenizer="mistral-v3", ids=[*range(3, 2000)])),
        Ask("vLLM", "/tokenize", json(model="gpt-4o", prompt=texts["small"])),
        Ask("SGLang", "/compat/sglang/tokenize", json(model="mistral-v3", prompt=texts["small"])),
        Ask("TEI", "/compat/tei/tokenize", json(model="bert-base-uncased", inputs=texts["small"])),
        Ask("llama.cpp", "/compat/llamacpp/tokenize", json(model="gpt2", content=texts["small"])),
        Ask("compare", "/api/compare", json(tokenizers=COMPARED, text=texts["10 KB"], include=["ids", "agreement"]), 5),
        Ask("steps", f"/steps?{STEPS}", b"", 5, method="GET"),
        Ask("stream", "/api/tokenize-stream?tokenizer=o200k_base", lines, 5, NDJSON),
    ]


def bad() -> list[Ask]:
    """Requests that are refused, each for a reason of its own."""
    fine = json(tokenizer="gpt2", text="Hello")
    return [
        Ask("malformed", "/tokenize", fine[:-1]),
        Ask("not UTF-8", "/tokenize", fine.replace(b"Hello", b"\xff")),
        Ask("lone surrogate", "/tokenize", fine.replace(b"Hello", b"\\ud800")),
        Ask("unknown tokenizer", "/tokenize", fine.replace(b"gpt2", b"gpt2000")),
        Ask("unknown id", "/detokenize", json(tokenizer="gpt2", ids=[10**6])),
        Ask("wrong media", "/tokenize", fine, media="text/plain"),
        Ask("too large", "/tokenize", bytes(Settings().max_body + 1), 1),
    ]


def json(**members: object) -> bytes:
    return orjson.dumps(members)
