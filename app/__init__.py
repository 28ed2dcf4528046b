"""Tokenarium: the place to look at tokens.

>>> import tokenarium as tk
>>> tk.count("Hello, world", "gpt-4o")
3
>>> t = tk.load("bert")
>>> t.encode("Hello, world"), t.tokens("Hello, world"), t.offsets("Hello, world")
([7592, 1010, 2088], ['hello', ',', 'world'], [(0, 5), (5, 6), (7, 12)])

- `load` returns a tokenizer by a model's name or its id. It has `encode`, `decode`, `count`, `tokens`, `offsets`, the
  same of many by `encode_batch`, `decode_batch` and `count_batch`, `iter_encode` of a text in pieces, and `show`.
- `count` is the number of tokens of a text, and `is_canonical` tells whether ids are those of their text.
- `chunks` are the parts of a text of at most some tokens, and `truncate` the longest such part.
- `show`, `compare`, `chat` and `steps` are displayed by notebooks and terminals.

Errors are `tokenarium.errors.TokenariumError`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .notebook.display import chat, compare, show, steps
    from .notebook.loading import count, load
    from .notebook.parts import chunks, is_canonical, truncate

__version__ = "0.1.0"
__all__ = ["__version__", "chat", "chunks", "compare", "count", "is_canonical", "load", "show", "steps", "truncate"]

_MODULES = {
    **dict.fromkeys(("count", "load"), "loading"),
    **dict.fromkeys(("chunks", "is_canonical", "truncate"), "parts"),
    **dict.fromkeys(("chat", "compare", "show", "steps"), "display"),
}


def __getattr__(name: str) -> Any:
    # Imported on first use: a program that counts does not load what only notebooks need.
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.notebook.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]
