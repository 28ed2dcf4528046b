r"""Pre-tokenization: a regular expression splits a text into pre-tokens, and no token ever crosses their borders.

It keeps `dog` and `dog!` from becoming unrelated tokens, and it decides how numbers are grouped. GPT-2 brought the
idea that a word takes the space in front of it along (Radford et al. 2019). What the pattern does not match is lost.
"""

from collections.abc import Iterator

import regex  # unlike `re`, it knows \p{L}, the letters of all scripts, and \p{N}, the numbers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""Contractions, words, numbers and punctuation, each with one space before it; then the other whitespace."""
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""At most three digits make one pre-token, counted from the left."""


def pretokenize(text: str, pattern: str = GPT2) -> Iterator[tuple[int, str]]:
    r"""Yield the pre-tokens of a text, each with the position of its first character.

    >>> [word for _, word in pretokenize("I'll take  two dogs!")]
    ['I', "'ll", ' take', ' ', ' two', ' dogs', '!']
    >>> [word for _, word in pretokenize("12345 + 9.11", LLAMA3)]
    ['123', '45', ' +', ' ', '9', '.', '11']
    >>> list(pretokenize("say: no", r"\w+"))
    [(0, 'say'), (5, 'no')]
    """
    for match in regex.finditer(pattern, text, regex.DOTALL):
        if match.group():  # a pattern may also match nothing at all
            yield match.start(), match.group()
