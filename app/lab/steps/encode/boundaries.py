"""Why a word begins where it does: the answers of what happens before the model. Those of the model are in `inside`."""

import regex

from app.lab.steps.encode.tiles import token, word
from app.lab.steps.frames import Boundary, Tile
from app.scratch.alternatives import alternatives, which
from app.scratch.normalize import CJK
from app.scratch.words import PUNCTUATION
from app.types import Trace

ENDING = "an ending behind an apostrophe"
LETTERS = "letters, with the space or the sign before them"
SIGNS = "signs, with the space before them and line breaks behind"
UPPER, LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
KNOWN = {
    r"'(?i:[sdmt]|ll|ve|re)": ENDING,
    r"'(?:[sdmt]|ll|ve|re)": ENDING,
    r"[^\r\n\p{L}\p{N}]?\p{L}+": LETTERS,
    rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]*[{LOWER}]+": LETTERS,
    rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]+[{LOWER}]*": f"capital {LETTERS}",
    r" ?\p{L}+": "letters, with the space before them",
    r"\p{N}{1,3}": "up to three digits",
    r"\p{N}": "a digit",
    r" ?\p{N}+": "digits, with the space before them",
    r" ?[^\s\p{L}\p{N}]+": "signs, with the space before them",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*": SIGNS,
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*": SIGNS,
    r"\s+$": "white space at the end of the text",
    r"\s*[\r\n]": "white space up to a line break",
    r"\s*[\r\n]+": "white space up to line breaks",
    r"\s+(?!\S)": "white space, but for what goes with the next piece",
    r"\s": "a white space character",
    r"\s+": "white space",
    r"\w+": "letters, digits and underscores",
    r".": "one character of any other kind",
}
"""What the alternatives of known patterns match, in words; possessive quantifiers are written as plain ones."""
CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
POSSESSIVE = regex.compile(r"(?<!\\)([?*+]|\{\d+(?:,\d*)?\})\+")


def beginning(text: str, trace: Trace, index: int) -> Boundary:
    """Why a word of a text begins where it does.

    >>> from app.types import CutWord, TracedWord
    >>> words = [TracedWord(CutWord(text, [(id, 0, 1)]), id, id + 1) for id, text in enumerate((b"a", b"1"))]
    >>> beginning("a1", Trace("merges", words, "a1", r"\\p{L}+|\\p{N}{1,3}"), 1).reason[4]
    ': up to three digits.'
    """
    cut = trace.words[index].cut
    right = token(trace, cut, 0)
    if not index:
        return Boundary(None, right, ("The text begins here.",))
    before = trace.words[index - 1].cut
    left = token(trace, before, len(before.tokens) - 1)
    named = right if cut.special else left if before.special else None
    if named:
        return Boundary(left, right, (named, " is found by its name before all else: nothing joins with it."))
    if trace.pattern:
        return Boundary(left, right, _cut(text, trace, index))
    if trace.method == "attempts":
        return Boundary(left, right, (_split(text, trace, index),))
    if trace.method == "units":
        return Boundary(left, right, ("Nothing joins here: each is a token by itself.",))
    return Boundary(left, right, ("No piece of the vocabulary reaches over this place.",))


def _cut(text: str, trace: Trace, index: int) -> tuple[str | Tile, ...]:
    left, right = (word(trace.words[i].cut) for i in (index - 1, index))
    before, here = (_kind(text, trace, i) for i in (index - 1, index))
    cut = "The pattern cuts here, and nothing joins across a cut. "
    if before == here:
        return (cut, left, " and ", right, f", each: {here}.")
    return (cut, left, f": {before}; ", right, f": {here}.")


def _kind(text: str, trace: Trace, index: int) -> str:
    """What a word is to the pattern that cut it."""
    words, data = trace.words, text.encode()
    first = last = index
    while first and not words[first - 1].cut.special:
        first -= 1
    while last + 1 < len(words) and not words[last + 1].cut.special:
        last += 1
    begins = words[first - 1].byte_end if first else 0
    ends = words[last + 1].byte_start if last + 1 < len(words) else len(data)
    before = data[begins : words[index].byte_start].decode()
    inside = data[words[index].byte_start : words[index].byte_end].decode()
    stretch = data[begins:ends].decode()
    found = which(trace.pattern, stretch, len(before), len(before) + len(inside))
    return "what the pattern matches" if found is None else described(alternatives(trace.pattern)[found])


def described(alternative: str) -> str:
    r"""What an alternative matches: in words if it is a known one, else the alternative itself.

    >>> described(r"\p{N}{1,3}+"), described("[aeiou]+")
    ('up to three digits', 'what [aeiou]+ matches')
    """
    plain = POSSESSIVE.sub(r"\1", alternative).removeprefix("(?s)").removesuffix(CONTRACTION)
    return KNOWN.get(plain) or KNOWN.get(alternative) or f"what {alternative} matches"


def _split(text: str, trace: Trace, index: int) -> str:
    """What parts two words of BERT."""
    before, here = trace.words[index - 1], trace.words[index]
    between = text.encode()[before.byte_end : here.byte_start].decode()
    if any(char.isspace() for char in between):
        return "White space parts the two words, and is dropped."
    sides = f"{before.cut.symbols!s}"[-1:] + f"{here.cut.symbols!s}"[:1]
    if PUNCTUATION.search(sides):
        return "Each punctuation character is a word of its own."
    if CJK.search(sides):
        return "Each Chinese character is a word of its own."
    return "The text is split into words here."
