"""What agents may ask for over the Model Context Protocol: counts, tokens, comparisons, reasons, texts that fit."""

from importlib import import_module
from typing import Any

from ..errors import Unavailable


def load_module(name: str) -> Any:
    """Return a module of this package, which most starts are spared. Raises `Unavailable` if the SDK is missing."""
    try:
        return import_module(f".{name}", __package__)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise Unavailable("mcp is not installed; pip install tokenarium[mcp] brings it.") from None
