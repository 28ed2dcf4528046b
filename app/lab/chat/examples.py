"""Example conversations, each chosen to show one thing."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from .conversation import TranscriptLine


@dataclass(frozen=True, slots=True)
class ChatExample:
    """A transcript with a title, for a tokenizer; `shows` is what to look for.

    `twice` adds BOS a second time, `parse` parses special tokens in messages.
    """

    id: str
    title: str
    shows: str
    tokenizer: str
    script: tuple[TranscriptLine, ...]
    tools: str = ""
    template: str = ""
    twice: bool = False
    parse: bool = False


TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
EXAMPLES = tuple(
    ChatExample(id, **{**table, "script": tuple(TranscriptLine(*line) for line in table["script"])})
    for id, table in TABLES.items()
)
