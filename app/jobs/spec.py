"""What the process of a job is given, on standard input."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from ..settings import Settings


class Spec(Protocol):
    """What a job is given: the command that runs it, and what that reads on standard input."""

    @property
    def command(self) -> str: ...

    def dump(self) -> bytes: ...


def plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def parse_settings(values: Mapping[str, Any]) -> Settings:
    paths = ("store", "local", "metrics", "catalogue")
    changes: dict[str, Any] = {name: Path(values[name]) for name in paths if values[name] is not None}
    changes |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}  # JSON has no tuples
    return Settings(**{**values, **changes})
