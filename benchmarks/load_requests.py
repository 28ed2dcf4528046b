"""The requests of a load test, each with its whole answer, taken from the routes in this process beforehand."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import httpx
import orjson
from tokenarium.main import create_app
from tokenarium.settings import Settings

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
class LoadRequest:
    """A request, how often it is sent for each of the rarest one (`weight`), and the response it must have."""

    name: str
    path: str
    body: bytes
    weight: int = 10
    media: str = "application/json"
    method: str = "POST"
    status: int = 0
    answer: bytes = b""


def load_requests(local: Path) -> list[LoadRequest]:
    """Return all requests with their answers; `local` is the folder of the server's trained tokenizers."""
    app = create_app(Settings(workers=0, local=local))

    async def answer_all() -> list[LoadRequest]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
            return [await answered(request, client) for request in (*good(), *bad())]

    return asyncio.run(answer_all())


async def answered(request: LoadRequest, client: httpx.AsyncClient) -> LoadRequest:
    headers = {"content-type": request.media}
    response = await client.request(request.method, request.path, content=request.body, headers=headers)
    return LoadRequest(
        request.name,
        request.path,
        request.body,
        request.weight,
        request.media,
        request.method,
        response.status_code,
        response.content,
    )


def good() -> list[LoadRequest]:
    """Requests of every size and engine, dialect and page."""
    texts = {"small": mixed(200), "10 KB": mixed(10_000), "1 MB": mixed(MEGABYTE)}
    native = [
        LoadRequest(
            f"{size}, {id}, {engine}",
            "/tokenize",
            json(tokenizer=id, engine=engine, text=text, include=["ids"]),
            weight,
        )
        for (size, text), weight in zip(texts.items(), (20, 10, 1), strict=True)
        for id, engine in ENGINES
    ]
    lines = b"".join(orjson.dumps({"id": n, "text": texts["small"]}) + b"\n" for n in range(100))
    return [
        *native,
        LoadRequest("columns", "/tokenize", json(tokenizer="o200k_base", text=texts["10 KB"])),
        LoadRequest("detokenize", "/detokenize", json(tokenizer="mistral-v3", ids=[*range(3, 2000)])),
        LoadRequest("vLLM", "/tokenize", json(model="gpt-4o", prompt=texts["small"])),
        LoadRequest("SGLang", "/compat/sglang/tokenize", json(model="mistral-v3", prompt=texts["small"])),
        LoadRequest("TEI", "/compat/tei/tokenize", json(model="bert-base-uncased", inputs=texts["small"])),
        LoadRequest("llama.cpp", "/compat/llamacpp/tokenize", json(model="gpt2", content=texts["small"])),
        LoadRequest(
            "compare", "/api/compare", json(tokenizers=COMPARED, text=texts["10 KB"], include=["ids", "agreement"]), 5
        ),
        LoadRequest("steps", f"/steps?{STEPS}", b"", 5, method="GET"),
        LoadRequest("stream", "/api/tokenize-stream?tokenizer=o200k_base", lines, 5, NDJSON),
    ]


def bad() -> list[LoadRequest]:
    """Requests that are answered by an error, each by another."""
    fine = json(tokenizer="gpt2", text="Hello")
    return [
        LoadRequest("malformed", "/tokenize", fine[:-1]),
        LoadRequest("not UTF-8", "/tokenize", fine.replace(b"Hello", b"\xff")),
        LoadRequest("lone surrogate", "/tokenize", fine.replace(b"Hello", b"\\ud800")),
        LoadRequest("unknown tokenizer", "/tokenize", fine.replace(b"gpt2", b"gpt2000")),
        LoadRequest("unknown id", "/detokenize", json(tokenizer="gpt2", ids=[10**6])),
        LoadRequest("wrong media", "/tokenize", fine, media="text/plain"),
        LoadRequest("too large", "/tokenize", bytes(Settings().max_body + 1), 1),
    ]


def json(**members: object) -> bytes:
    return orjson.dumps(members)
