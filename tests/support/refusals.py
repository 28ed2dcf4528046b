"""The table of refusals, `tests/whole/refusals.txt`, whose first lines say how it is written."""

import json
import re
from ast import literal_eval
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).parents[1] / "whole" / "refusals.txt"
JSON = {"content-type": "application/json"}
SENT = {
    "json": lambda body: {"content": json.dumps(body), "headers": JSON},
    "query": lambda body: {"params": body},
    "form": lambda body: {"data": body},
    "page": lambda body: {"data": body, "headers": {"accept": "text/html"}},
}
"""How the fields of a body are sent, as options of a request."""


class Block(NamedTuple):
    """The first line of a block."""

    method: str
    paths: list[str]
    way: str
    dialect: str | None
    fields: dict[str, Any]


class Refusal(NamedTuple):
    """A row of a block, to one of its paths."""

    block: Block
    path: str
    sent: str
    told: str

    @property
    def request(self) -> tuple[str, str, dict[str, Any]]:
        """Method, path and the options of `ask`; made when it is sent, as some bodies have megabytes."""
        method, way, fields = self.block.method, self.block.way, self.block.fields
        sent = re.sub("«(.+?)×([0-9]+)»", lambda found: found[1] * int(found[2]), self.sent)
        if sent.startswith("+"):
            return method, self.path + sent[1:], {}
        if sent.startswith("="):
            body = sent[1:].strip()
            content = literal_eval(body) if body.startswith("b'") else body.encode()
            return method, self.path, {"content": content, "headers": JSON}
        return method, self.path, SENT[way](fields | json.loads(sent))


def read_block(line: str) -> Block:
    """The first line of a block, in its parts."""
    head, brace, body = line.partition("{")
    method, *words = head.split()
    others = [word for word in words if not word.startswith("/")]
    way = next((word for word in others if word in SENT), "query" if method == "GET" else "json")
    dialect = next((word for word in others if word not in SENT), None)
    paths = [word for word in words if word.startswith("/")] or [""]
    return Block(method, paths, way, dialect, json.loads(brace + body or "{}"))


def read_refusals() -> list[Refusal]:
    """All rows in their order, one for each path and alternative."""
    rows, block = [], None
    for line in TABLE.read_text().splitlines():
        if line.startswith("  "):
            sent, _, told = line.strip().partition("→ ")
            start, between, rest = sent.strip().partition("‹")
            choices, _, end = rest.partition("›")
            rows += [
                Refusal(block, path, one, told)
                for one in ([f"{start}{choice}{end}" for choice in choices.split("|")] if between else [start])
                for path in block.paths
            ]
        elif not line.startswith("#"):
            block = read_block(line)
    return rows
