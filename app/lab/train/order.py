"""The order that a job is given on standard input: what to train, on which texts, and within which limits."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from app.lab.train.options import Options
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Order:
    """Everything a job needs: no text of a corpus is written to a disk."""

    texts: tuple[str, ...]
    options: Options
    name: str
    corpus: str
    settings: Settings

    def dumped(self) -> bytes:
        """A line that says what there is, and the texts behind it."""
        data = [text.encode() for text in self.texts]
        told = {
            "options": asdict(self.options),
            "name": self.name,
            "corpus": self.corpus,
            "settings": {name: _plain(value) for name, value in asdict(self.settings).items()},
            "sizes": [*map(len, data)],
        }
        return b"".join([json.dumps(told).encode(), b"\n", *data])

    @classmethod
    def read(cls, stream: BinaryIO) -> "Order":
        """The order from a stream, which is left open behind it.

        >>> from io import BytesIO
        >>> order = Order(("é", "a"), Options(), "mine", "two letters", Settings())
        >>> Order.read(BytesIO(order.dumped())) == order
        True
        """
        told = json.loads(stream.readline())
        texts = tuple(stream.read(size).decode() for size in told["sizes"])
        return cls(texts, options_of(told["options"]), told["name"], told["corpus"], _settings(told["settings"]))


def options_of(told: Mapping[str, Any]) -> Options:
    """Options from plain data."""
    return Options(**{**told, "special_tokens": tuple(told["special_tokens"])})


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def _settings(told: Mapping[str, Any]) -> Settings:
    changes: dict[str, Any] = {name: Path(told[name]) for name in ("store", "local")}
    changes |= {name: tuple(told[name]) for name in ("allowed_hosts", "hub")}
    return Settings(**{**told, **changes})
