"""The models `word` and `char` of SentencePiece, which look up every word, or every character, of a normalized text."""

import re
from collections.abc import Collection, Mapping

from .encode import MARK, Pieces


class LookupModel:
    """A model that merges and scores nothing; a user-defined symbol is one character of `char`.

    >>> ids = {"<unk>": 0, "▁the": 1, "▁": 2, "t": 3, "he": 4}
    >>> [*LookupModel(ids, words=True).pieces("▁the▁▁cat")]
    [(1, 4), (2, 1), (0, 4)]
    >>> [*LookupModel(ids, words=False, user_defined=["he"]).pieces("▁the")]
    [(2, 1), (3, 1), (4, 2)]
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        *,
        words: bool,
        unknown: int = 0,
        user_defined: Collection[str] = (),
    ) -> None:
        self.ids = ids
        self.unknown = unknown
        symbols = [re.escape(symbol) for symbol in sorted(user_defined, key=len, reverse=True)]
        pattern = f"{MARK}[^{MARK}]*|[^{MARK}]+" if words else "|".join([*symbols, "."])
        self._split = re.compile(pattern, re.DOTALL).findall

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each part of a normalized text."""
        return ((self.ids.get(part, self.unknown), len(part)) for part in self._split(text))
