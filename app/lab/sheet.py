"""The sheet: all that the playground shows of one tokenization, one window of it cut and the rest as plain text."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.lab.counts import Counts, counts
from app.lab.details import Details, details
from app.lab.faces import Face, Row, cursive, faces, rows
from app.lab.marks import Run, plain
from app.lab.tokenize import Tokenization
from app.lab.windows import Window, windows
from app.types import TokenizerInfo

FAMILIES = (
    ("Byte-pair encoding", ("bpe",)),
    ("WordPiece", ("wordpiece",)),
    ("Unigram", ("unigram",)),
    ("Plain units", ("character", "byte", "word")),
    ("From a folder or a hub", ("other",)),
)


@dataclass(frozen=True)
class Sheet:
    """A tokenization on the page; `open` is the window whose tokens are shown, `token` one that is looked at."""

    key: str
    done: Tokenization
    open: int = 0
    token: int | None = None

    @cached_property
    def windows(self) -> list[Window]:
        return windows(self.done)

    @cached_property
    def opened(self) -> int:
        """The window to show: the one that holds the token, or the one asked for as far as it exists."""
        if self.token is not None:
            starts = [window.start for window in self.windows]
            return max(0, int(np.searchsorted(starts, self.token, side="right")) - 1)
        return min(max(self.open, 0), len(self.windows) - 1)

    @cached_property
    def counts(self) -> Counts:
        return counts(self.done)

    @cached_property
    def details(self) -> Details | None:
        return None if self.token is None else details(self.done, self.token)

    @property
    def info(self) -> TokenizerInfo:
        return self.done.tokenizer.info

    def text(self, window: Window) -> list[Run]:
        """A window that waits to be cut."""
        return plain(window.text(self.done.data))

    def cursive(self, window: Window) -> bool:
        return cursive(window.text(self.done.data))

    def faces(self, window: Window) -> Iterator[Face]:
        return faces(self.done, window)

    def rows(self, window: Window) -> list[Row]:
        return list(rows(self.done, window))


def families(infos: Iterable[TokenizerInfo]) -> list[tuple[str, list[TokenizerInfo]]]:
    """Tokenizers under the names of their families, those trained here apart; groups without any are left out."""
    known = list(infos)
    grouped = [
        (title, [info for info in known if info.family in members and not info.trained]) for title, members in FAMILIES
    ]
    grouped.append(("Trained here", [info for info in known if info.trained]))
    return [(title, members) for title, members in grouped if members]
