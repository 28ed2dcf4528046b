"""Tokenarium: the place to look at tokens.

`load`, `count`, `is_canonical`, `chunks`, `truncate`, `show`, `compare`, `chat` and `steps` are the Python API,
documented in `tokenarium.notebook`.
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
