"""What the files of a user become: files that an engine reads, and what is known of them without loading."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..types import Engine, Family

AS_DEFINED = "As its own files define."


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of converting files; the fields are those of `TokenizerInfo`, and `files` and `spec` of `Record`."""

    family: Family
    engines: tuple[Engine, ...]
    files: Mapping[str, bytes]
    vocab_size: int
    lossless: bool = False
    normalization: str = AS_DEFINED
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    spec: Mapping[str, Any] = field(default_factory=dict)
    chat_template: str | None = None
