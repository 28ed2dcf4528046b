"""Adapters against their bare libraries, and the /tokenize handler against the tokenizer alone."""

import asyncio
from collections.abc import Iterator
from typing import Any

import orjson
from anyio import to_thread
from starlette.types import Message
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.measure import Figure, ratio
from benchmarks.text import english, mixed

OFFSETS = ["ids", "offsets"]


def figures() -> Iterator[Figure]:
    registry = Registry(Settings())
    for label, text in (("English", english()), ("mixed scripts", mixed())):
        yield adapter(registry, "o200k_base", text, label, most=1.10)
        yield adapter(registry, "mistral-v3", text, label, most=1.4)
        for include in (["ids"], OFFSETS, ["ids", "pieces", "offsets"]):
            yield handler(registry, text, include, label)


def adapter(registry: Registry, id: str, text: str, label: str, *, most: float) -> Figure:
    """Ids and spans by the adapter, against ids alone by the bare library."""
    tokenizer: Any = registry.get(id)
    bare = getattr(tokenizer.library, "encode_ordinary", tokenizer.library.encode)
    name = f"{tokenizer.engine} ids + spans / ids, {label}"
    return ratio(name, lambda: tokenizer.encode(text), lambda: bare(text), most=most)


def handler(registry: Registry, text: str, include: list[str], label: str) -> Figure:
    """The whole route, from the request's bytes to the answer's, without a socket."""
    app = create_app(Settings(workers=0), registry=registry)
    body = orjson.dumps({"tokenizer": "o200k_base", "text": text, "include": include})
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/tokenize", "query_string": b"", "headers": headers}
    gpt = registry.get("o200k_base")

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        assert message.get("status", 200) == 200

    async def post() -> None:
        await app(dict(scope), receive, send)

    async def alone() -> None:
        await to_thread.run_sync(gpt.encode, text)

    with asyncio.Runner() as runner:
        name = f"/tokenize {'+'.join(include)} / tokenizer on a thread, {label}"
        return ratio(
            name, lambda: runner.run(post()), lambda: runner.run(alone()), most=1.1 if "pieces" in include else 1.15
        )
