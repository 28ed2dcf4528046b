"""Pre-tokenization patterns: those that have a name, and what each alternative of a pattern matches, in words."""

import tomllib
from functools import lru_cache

import regex

from ...scratch.compat.unicode_versions import as_of_16
from ...scratch.fast.pretokenize import TIMEOUT_SECONDS, compile_regex
from ...scratch.pretokenize import LLAMA3
from ...settings import Settings

PATTERNS = {
    "whole": "the text as one word",
    "spaces": "split at white space",
    "gpt2": "GPT-2’s pattern",
    "cl100k": "GPT-4’s pattern",
    "o200k": "GPT-4o’s pattern",
    "llama3": "Llama 3’s pattern",
}
"""The named ways to split a corpus into words."""
STORED = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base", "qwen3": "qwen3"}
"""Patterns that the store holds, with the tokenizer each belongs to."""

CONTRACTION = "a contraction after an apostrophe"
LETTERS = "letters, with an optional preceding space or symbol"
SYMBOLS = "symbols, with an optional preceding space and following line breaks"
UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
NOT_HAN = r"(?:(?!\p{Han})"
KNOWN = {
    r"'(?i:[sdmt]|ll|ve|re)": CONTRACTION,
    r"'(?:[sdmt]|ll|ve|re)": CONTRACTION,
    **dict.fromkeys(("'s", "'t", "'re", "'ve", "'m", "'ll", "'d", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"), CONTRACTION),
    r"[^\r\n\p{L}\p{N}]?\p{L}+": LETTERS,
    rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]*[{LOWER}]+": LETTERS,
    rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]+[{LOWER}]*": f"capital {LETTERS}",
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+": LETTERS,
    r"\p{Han}+": "Chinese characters",
    rf"[^\r\n\p{{L}}\p{{N}}]?{NOT_HAN}[{UPPER}])*{NOT_HAN}[{LOWER}])+": f"{LETTERS}; none of them Chinese",
    rf"[^\r\n\p{{L}}\p{{N}}]?{NOT_HAN}[{UPPER}])+{NOT_HAN}[{LOWER}])*": f"capital {LETTERS}; none of them Chinese",
    r" ?\p{L}+": "letters, with an optional preceding space",
    r"\p{N}{1,3}": "up to three digits",
    r"\p{N}": "one digit",
    r" ?\p{N}+": "digits, with an optional preceding space",
    r" ?[^\s\p{L}\p{N}]+": "symbols, with an optional preceding space",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*": SYMBOLS,
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*": SYMBOLS,
    r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*": SYMBOLS,
    r"\s+$": "white space at the end of the text",
    r"\s*[\r\n]": "white space up to a line break",
    r"\s*[\r\n]+": "white space up to line breaks",
    r"\s+(?!\S)": "white space, except the last character before the next pre-token",
    r"\s": "one white space character",
    r"\s+": "white space",
    r"\w+": "letters, digits and underscores",
    r".": "one character of any other kind",
}
"""What the alternatives of known patterns match. Possessive quantifiers are spelled as greedy ones."""
CONTRACTION_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
POSSESSIVE = regex.compile(r"(?<!\\)([?*+]|\{\d+(?:,\d*)?\})\+")
PATTERN_PARTS = regex.compile(r"\\.|\[:\^?\w+:\]|\[\^?\]?|.", regex.DOTALL)
"""An escape, a POSIX class, the start of a class including a `]` that is its first member, or one character."""


ATOM = regex.compile(
    r"(?:\((?:[^()\\]|\\.)*\)|\[(?:[^\]\\]|\\.)*\]|\\[pP]\{\w+\}|\\.|.)(?:[?*+]|\{[\d,]+\})*", regex.DOTALL
)
"""A group, a class, an escape or a character with its quantifiers; a line does not break inside."""


@lru_cache
def expression(pattern: str) -> str:
    """Return the regular expression of a named pattern. Those of stored tokenizers are read from the store.

    >>> expression("cl100k")[:21]
    "'(?i:[sdmt]|ll|ve|re)"
    """
    if pattern == "llama3":
        return LLAMA3
    spec = tomllib.loads((Settings().store / STORED[pattern] / "tokenizer.toml").read_text())
    return str(spec["pattern"])


@lru_cache(maxsize=32)
def alternatives(pattern: str) -> tuple[str, ...]:
    r"""Split a pattern at the top-level `|`, that is, at those outside of classes and groups.

    >>> alternatives(r"'(?:s|t)|[^|\]]+|\||\s+")
    ("'(?:s|t)", '[^|\\]]+', '\\|', '\\s+')
    >>> alternatives(r"(?s)[]|a]|.")
    ('(?s)[]|a]', '.')
    """
    complete = []
    current = ""
    depth = 0
    in_class = False
    for part in PATTERN_PARTS.findall(pattern):
        if in_class:
            in_class = part != "]"
        elif part[0] == "[":
            in_class = True
        elif part == "|" and not depth:
            complete.append(current)
            current = ""
            continue
        else:
            depth += (part == "(") - (part == ")")
        current += part
    return (*complete, current)


def split_atoms(alternative: str) -> tuple[str, ...]:
    r"""Split an alternative into its atoms, between which a line can break.

    >>> split_atoms(r" ?[^\s\p{L}]++(?i:'s|'t)?\p{N}{1,3}")
    (' ?', '[^\\s\\p{L}]++', "(?i:'s|'t)?", '\\p{N}{1,3}')
    """
    return tuple(ATOM.findall(alternative))


@lru_cache(maxsize=32)
def _compile_alternatives(pattern: str) -> "tuple[regex.Pattern[str], ...]":
    whole = compile_regex(pattern)
    return tuple(regex.compile(alternative, whole.flags) for alternative in alternatives(whole.pattern))


def find_alternative(pattern: str, text: str, start: int, end: int) -> str | None:
    r"""Return the first alternative that matches exactly `text[start:end]`, or None if none does on its own.

    >>> find_alternative(r"\p{L}+|\p{N}{1,3}| ", "ab 12", 3, 5)
    '\\p{N}{1,3}'
    """
    # Characters newer than Unicode 16 count as unassigned, as they do for the tokenizer that split the text.
    readable = as_of_16(text)
    try:
        for candidate, alternative in zip(_compile_alternatives(pattern), alternatives(pattern), strict=True):
            match = candidate.match(readable, start, timeout=TIMEOUT_SECONDS)
            if match and match.end() == end:
                return alternative
    except (regex.error, TimeoutError):  # for example, a back-reference to a group of another alternative
        return None
    return None


def describe(alternative: str) -> str:
    r"""Return in words what an alternative matches; an unknown one is quoted.

    >>> describe(r"\p{N}{1,3}+"), describe("[aeiou]+")
    ('up to three digits', 'a match of [aeiou]+')
    """
    plain = POSSESSIVE.sub(r"\1", alternative).removeprefix("(?s)").removesuffix(CONTRACTION_SUFFIX)
    return KNOWN.get(plain) or KNOWN.get(alternative) or f"a match of {alternative}"
