"""Published patterns to start from, each read from where this project has it, and texts on which engines differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import regex

from ...files.tiktoken.ranks import QWEN2
from ...files.tokenizer_json.packed import NAME, load_packed
from ...scratch.pretokenize import GPT2, LLAMA3
from ...scratch.words import WORD
from ...store import Record, read_store

Flavor = Literal["tiktoken", "tokenizers"]
"""The library as which a pattern is read: fancy-regex, dropping what no match covers; or Oniguruma, keeping it."""
WHITESPACE = r"\w+|[^\w\s]+"
"""What `Whitespace` of `tokenizers` splits at."""


@dataclass(frozen=True, slots=True)
class PatternPreset:
    """Published patterns, applied one after the other, and the library that they are written for."""

    id: str
    title: str
    patterns: tuple[str, ...]
    dialect: Flavor = "tiktoken"
    note: str = ""

    @property
    def pattern(self) -> str:
        """The patterns as they stand in the form, one a line."""
        return "\n".join(self.patterns)


@dataclass(frozen=True, slots=True)
class DialectDifference:
    """A pattern and a text in which two engines find different matches."""

    id: str
    title: str
    pattern: str
    text: str


DIFFERENCES = (
    DialectDifference("next-line", r"\s and U+001C, U+0085", r"\s", "a\x85b\x1cc"),
    DialectDifference("word", r"\w and ², U+200D", r"\w+", "²a_\u200dz½"),
    DialectDifference("digit", r"\w, \d and Ⅷ, ①", r"\w+|\d+", "1²٣Ⅷ①"),
    DialectDifference("h", r"\h: hex digit or blank", r"\h+", "cafe \t x"),
    DialectDifference("possessive", "{1,2}+: possessive or repeated", "a{1,2}+a", "aaaa"),
    DialectDifference("atomic", "(?>…): atomic", "(?>a|ab)c", "abc ac"),
    DialectDifference("lookbehind", "(?<=…): of any length", "(?<=a+)b", "aab"),
    DialectDifference("case", "(?i:…) and ß", "(?i:ss)", "ßSSẞ"),
    DialectDifference("lines", "^ and $: of a line or of the text", "^a|b$", "ab\nab"),
    DialectDifference("end", r"\Z: before a last line break, or at the end", r"a\Z", "aa\n"),
    DialectDifference("dot", ".: with or without line breaks", ".", "a\n"),
    DialectDifference("intersection", "[…&&…]: intersection", r"[\w&&[^\d]]+", "ab12&"),
    DialectDifference("named", "(?P<…>): refused by Oniguruma", r"(?P<letter>\p{L})", "ab"),
    DialectDifference("empty", "a*: empty matches", "a*", "baac"),
)
"""What the libraries, and our two implementations, read differently. The page shows for each what it is."""
LISTED: tuple[tuple[str, str], ...] = (
    ("cl100k_base", "GPT-4"),
    ("o200k_base", "GPT-4o"),
    ("qwen3.5", "Qwen 3.5"),
    ("deepseek-v3", "DeepSeek V3"),
    ("gemma4", "Gemma 4"),
    ("kimi-k2", "Kimi K2"),
    ("tekken", "Mistral Tekken"),
    ("claude-2", "Claude 2"),
)
"""Tokenizers of the store whose patterns are offered."""
GEMMA = "Gemma replaces spaces by ▁ before it splits, so this matches nothing there: merges may cross words."

INTERSECTS = "Its sets intersect, which our reading as tiktoken does not know; our reading as tokenizers does."


@lru_cache(maxsize=2)
def presets(store: Path) -> tuple[PatternPreset, ...]:
    """Return all presets; those of stored tokenizers are read from the store.

    >>> from tokenarium.settings import Settings
    >>> [len(one.patterns) for one in presets(Settings().store) if one.id in ("gpt2", "deepseek-v3")]
    [1, 3]
    """
    made = [
        PatternPreset("gpt2", "GPT-2", (GPT2,)),
        PatternPreset("llama3", "Llama 3", (LLAMA3,)),
        PatternPreset("qwen2", "Qwen 2", (QWEN2,)),
    ]
    made += [PatternPreset("whitespace", "Whitespace", (WHITESPACE,), "tokenizers", "The pre-tokenizer of that name.")]
    made += [
        PatternPreset("words", "Words, or one sign", (WORD.pattern,), "tokenizers", "The tokenizer of words has it.")
    ]
    records = {record.info.id: record for record in read_store(store)}
    stored = [_load_preset(records[id], title) for id, title in LISTED if id in records]
    order = ["gpt2", "cl100k_base", "o200k_base", "llama3", "qwen2", "qwen3.5", "deepseek-v3", "gemma4"]
    return tuple(sorted([*made, *stored], key=lambda one: order.index(one.id) if one.id in order else len(order)))


def _load_preset(record: Record, title: str) -> PatternPreset:
    """Return the patterns of a tokenizer of the store."""
    id = record.info.id
    if NAME not in record.spec.get("files", {}):
        if "portable_pattern" in record.spec:
            return PatternPreset(id, title, (record.spec["pattern"],), "tokenizers", INTERSECTS)
        return PatternPreset(id, title, (record.spec["pattern"],))
    header = load_packed(record.only_file()).header
    found = tuple(list_split_patterns(header.get("pre_tokenizer") or {}))
    return PatternPreset(id, title, found, "tokenizers", GEMMA if id == "gemma4" else "")


def list_split_patterns(part: Any) -> Iterator[str]:
    """Yield the patterns of the `Split`s of a pre-tokenizer in a `tokenizer.json`, each on one line, a literal escaped.

    >>> [*list_split_patterns({"type": "Split", "pattern": {"String": " "}})]
    [' ']
    """
    if part.get("type") == "Split":
        literal = part["pattern"].get("String")
        source = part["pattern"]["Regex"] if literal is None else regex.escape(literal, literal_spaces=True)
        yield source.replace("\n", r"\n").replace("\r", r"\r")
    for inner in part.get("pretokenizers", ()):
        yield from list_split_patterns(inner)
