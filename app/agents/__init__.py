"""What agents may ask for over the Model Context Protocol: counts, tokens, comparisons, reasons, texts that fit."""

from importlib import import_module
from typing import Any

from ..errors import naming_extra


def load_module(name: str) -> Any:
    """Return a module of this package, which most starts are spared. Raises `Unavailable` if the SDK is missing."""
    with naming_extra():
        return import_module(f".{name}", __package__)
