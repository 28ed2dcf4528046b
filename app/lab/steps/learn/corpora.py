"""What a vocabulary is learned from: a text cut into words, or a table of words and how often each comes."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

import regex

from app.errors import Invalid, TooLarge, listed
from app.lab.tokenize import utf8_length
from app.scratch.pretokenize import finder
from app.settings import Settings

LIMIT = 200_000
"""Bytes of a corpus."""
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
STORED = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}
PATTERNS = {
    "whole": "the text as one word",
    "spaces": "what lies between white space",
    "gpt2": "GPT-2’s words",
    "cl100k": "GPT-4’s words",
    "o200k": "GPT-4o’s words",
    "llama3": "Llama 3’s words",
}
"""The ways to cut a text into words, by name."""
ENTRY = regex.compile(r"\s*(\S+?)(?:\s*[:,=]\s*|\s+)([0-9]{1,9})\s*")


def counted(text: str, *, pattern: str, table: bool) -> Mapping[str, int]:
    """The words of a corpus, in the order in which they are first met, and how often each comes.

    >>> counted("to be or not to be", pattern="spaces", table=False)
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    >>> counted("low 5\\nlower: 2", pattern="spaces", table=True)
    {'low': 5, 'lower': 2}

    Raises `TooLarge`, `LoneSurrogate`, and `Invalid` for an unknown pattern, a corpus without words, and a line of a
    table that is no word and its count.
    """
    if pattern not in PATTERNS:
        raise Invalid(f"pattern is one of {listed(PATTERNS)}.", pointer="/pattern")
    size = utf8_length(text, pointer="/text")
    if size > LIMIT:
        raise TooLarge(f"The corpus has {size:,} bytes; the limit is {LIMIT:,}.", limit=LIMIT, pointer="/text")
    found = _table(text) if table else dict(Counter(_words(text, pattern)))
    if not found:
        raise Invalid("The corpus has no words in it; at least one is needed.", pointer="/text")
    return found


def _words(text: str, pattern: str) -> Iterable[str]:
    if pattern == "whole":
        return [text] * bool(text)
    return text.split() if pattern == "spaces" else finder(expression(pattern))(text)


@lru_cache
def expression(pattern: str) -> str:
    """The regular expression of a named pattern; those of the store's tokenizers are read there.

    >>> expression("cl100k")[:21]
    "'(?i:[sdmt]|ll|ve|re)"
    """
    if pattern == "llama3":
        return LLAMA3
    spec = tomllib.loads((Settings().store / STORED[pattern] / "tokenizer.toml").read_text())
    return str(spec["pattern"])


def _table(text: str) -> dict[str, int]:
    """A word and its count in each line that is not blank; a word that comes again is added up."""
    found: Counter[str] = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        entry = ENTRY.fullmatch(line)
        if not entry or not int(entry[2]):
            detail = f"Line {number} is no word with its count, as “low 5” or “low: 5”; a count is 1 to 999,999,999."
            raise Invalid(detail, pointer="/text")
        found[entry[1]] += int(entry[2])
    return dict(found)
