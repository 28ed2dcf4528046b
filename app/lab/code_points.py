"""Classes of characters, looked up for a whole text at once; a character is looked at when it is first met."""

import numpy as np
import regex
from numpy.typing import NDArray

Codes = NDArray[np.uint8] | NDArray[np.uint32]


def codes(text: str) -> Codes:
    """The code points of a text, a number each.

    >>> codes("aé").tolist()
    [97, 233]
    """
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


class CharacterClass:
    r"""The characters that a pattern matches.

    >>> CharacterClass(r"\p{Nd}")(codes("a1"))
    array([False,  True])
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = regex.compile(pattern)
        self._known = np.zeros(0x110000, np.bool_)
        self._inside = np.zeros(0x110000, np.bool_)

    def __call__(self, chars: Codes) -> NDArray[np.bool_]:
        """By character: whether it is one of them."""
        met = np.zeros(int(chars.max(initial=0)) + 1, np.bool_)
        met[chars] = True
        for code in np.flatnonzero(met & ~self._known[: len(met)]).tolist():
            self._inside[code] = self._pattern.match(chr(code)) is not None
            self._known[code] = True
        return self._inside[chars]
