"""Tokenarium: the place to look at tokens.

`load`, `count`, `is_canonical`, `chunks`, `truncate`, `show`, `compare`, `chat` and `steps` are the Python API,
documented in `tokenarium.notebook`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .notebook import chat, chunks, compare, count, is_canonical, load, show, steps, truncate

__version__ = "0.1.0"
__all__ = ["__version__", "chat", "chunks", "compare", "count", "is_canonical", "load", "show", "steps", "truncate"]


def __getattr__(name: str) -> Any:
    # Imported on first use, so that the server and the command line do not load what only notebooks need.
    if name in __all__:
        from . import notebook

        return getattr(notebook, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]
