"""What each token of a vocabulary is good for: its class, and a text that gives it, or why none does.

The classes are those of Land and Bartolo, "Fishing for Magikarp" (2024). "Under-trained" is none of them: that takes
the embeddings of a model, and is never claimed here.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from .columns import find_row

Class = Literal["ok", "special", "unreachable special", "undecodable", "unreachable"]
CLASSES: tuple[Class, ...] = ("ok", "special", "unreachable special", "undecodable", "unreachable")
"""What `Analysis.classes` are indices of. A text gives it · a special token · what is or looks like a special token,
and no text gives · a token that is not UTF-8 by itself · any other token that no text gives."""
CAUSES: Mapping[str, str] = {
    "special": "A special token: a text gives it only where special tokens are parsed.",
    "not parsed": "A special token that not even its own spelling gives where special tokens are parsed.",
    "unknown": "Stands for what is not in the vocabulary; every character that was tried is.",
    "fragment": "A part of one or several characters: its bytes are not UTF-8 by themselves.",
    "not UTF-8": "No UTF-8 text has these bytes in a row.",
    "empty": "It stands for no bytes.",
    "added token": "An added token is part of its text, and is matched before anything else.",
    "orphan": "No merge of two earlier tokens makes it.",
    "merge order": "Its own symbols merge to other tokens, since other pairs have lower ranks.",
    "score": "Its text has a segmentation of a higher score.",
    "byte fallback": "Every character with this byte is in the vocabulary, so that none falls back to it.",
    "normalizer": "The normalizer changes its text.",
    "pattern": "The pre-tokenizer divides its text.",
    "other tokens": "Its text becomes other tokens, wherever it was tried.",
}
"""Why a token has no witness, or only one of another kind; with the words for people."""
CODES = ("", *CAUSES)
"""What `Analysis.causes` are indices of."""
_MERGED = ("orphan", "merge order")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why no text gives a token, or only a special one does.

    - `cause`: a key of `CAUSES`; `proven`: no text at all can give it. Else it was not found in `tried` texts.
    - `instead`: the ids that its own text, or its own symbols, give.
    - `found`: some text does give it, as the cause says.
    """

    cause: str
    proven: bool = False
    tried: int = 0
    instead: tuple[int, ...] = ()
    found: bool = False

    @property
    def detail(self) -> str:
        """The reason in words.

        >>> Reason("pattern", tried=120).detail
        'The pre-tokenizer divides its text. Not found in 120 texts.'
        """
        if self.found:
            looked_up = " It occurs only as a whole word, which is looked up before any merge."
            return CAUSES[self.cause] + looked_up * (self.cause in _MERGED and bool(self.instead))
        tried = f" Not found in {self.tried:,} texts." if self.tried else ""
        return CAUSES[self.cause] + (" This is proven." if self.proven else tried)


@dataclass(frozen=True, eq=False)
class Analysis:
    """The analysis of a vocabulary, in columns of the shape `(n,)` and in the order of `VocabularyColumns`.

    `causes` are indices of the causes, 0 for none; `ends` those of the witnesses in `texts`, -1 for a token without.
    """

    ids: NDArray[np.uint32]
    classes: NDArray[np.uint8]
    causes: NDArray[np.uint8]
    proven: NDArray[np.bool_]
    tried: NDArray[np.uint32]
    texts: bytes
    ends: NDArray[np.int64]
    instead: Mapping[int, tuple[int, ...]]
    figures: Mapping[str, Any]

    def row(self, id: int) -> int | None:
        """Return the row of an id, or None if it has no token."""
        return find_row(self.ids, id)

    def get_class(self, id: int) -> Class | None:
        """Return the class of a token; None for an id without one."""
        row = self.row(id)
        return None if row is None else CLASSES[self.classes[row]]

    def get_reason(self, id: int) -> Reason | None:
        """Return why no text gives a token, or what is special about those that do; None for an ordinary one."""
        row = self.row(id)
        if row is None or not self.causes[row]:
            return None
        cause = CODES[self.causes[row]]
        found = bool(self.ends[row] >= 0)
        instead = self.instead.get(id, ())
        return Reason(cause, bool(self.proven[row]), int(self.tried[row]), instead, found)

    def get_witness(self, id: int) -> str | None:
        """Return a shortest text whose encoding was seen to contain a token; None if no such text is known.

        That of a special token gives it where special tokens are parsed.
        """
        row = self.row(id)
        if row is None or self.ends[row] < 0:
            return None
        return self.texts[self._starts[row] : self.ends[row]].decode()

    @property
    def nbytes(self) -> int:
        """An estimate of the memory that this takes, in bytes."""
        return 40 * len(self.ids) + len(self.texts) + 200 * len(self.instead)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where each witness begins: at the end of the last before it."""
        return np.concatenate(([0], np.maximum.accumulate(np.maximum(self.ends, 0))[:-1]))

    def dump(self) -> bytes:
        """Return the analysis as a file."""
        extra = {"instead": {str(id): ids for id, ids in self.instead.items()}, "figures": self.figures}
        stream = io.BytesIO()
        np.savez_compressed(
            stream,
            ids=self.ids,
            classes=self.classes,
            causes=self.causes,
            proven=self.proven,
            tried=self.tried,
            texts=np.frombuffer(self.texts, np.uint8),
            ends=self.ends,
            extra=np.frombuffer(orjson.dumps(extra), np.uint8),
        )
        return stream.getvalue()

    @classmethod
    def load(cls, data: bytes) -> "Analysis":
        """Read what `dump` wrote. Raises what numpy and zip files raise for anything else."""
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            columns = {name: file[name] for name in ("ids", "classes", "causes", "proven", "tried", "ends")}
            extra = orjson.loads(file["extra"].tobytes())
            texts = file["texts"].tobytes()
        instead = {int(id): tuple(ids) for id, ids in extra["instead"].items()}
        return cls(**columns, texts=texts, instead=instead, figures=extra["figures"])
