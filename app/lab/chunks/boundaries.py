"""Where a text may be divided into chunks: between tokens, sentences, paragraphs, Markdown blocks, definitions in code.

A boundary is a position in code points at which a chunk may end and the next one begin. All of them are edges of
grapheme clusters (UAX #29), so that no chunk begins or ends inside of what a reader sees as one character.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import regex
from markdown_it import MarkdownIt
from numpy.typing import NDArray

from ...types import Encoding
from ..beyond.concepts import sentences
from ..cells import CLUSTER

At = Literal["token", "sentence", "paragraph", "heading", "code"]
AT: tuple[At, ...] = get_args(At)
BoundaryKind = Literal[
    "heading", "block", "definition", "paragraph", "line", "sentence", "word", "token", "grapheme", "end"
]
FINER: Mapping[At, tuple[BoundaryKind, ...]] = {
    "token": ("token", "grapheme"),
    "sentence": ("sentence", "word", "token", "grapheme"),
    "paragraph": ("paragraph", "sentence", "word", "token", "grapheme"),
    "heading": ("heading", "block", "sentence", "word", "token", "grapheme"),
    "code": ("definition", "paragraph", "line", "word", "token", "grapheme"),
}
"""The kinds of boundaries at which chunks end: the first where one fits, or else the next finer one."""
Positions = NDArray[np.int64]

PIECE = 1 << 14
"""Characters in which sentences are found at a time."""
ALONE = r"\p{GCB=Other}\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}"
JOINED = regex.compile(rf"[^{ALONE}]++(?:[{ALONE}]{{1,8}}+[^{ALONE}]++)*+")
"""Characters that may join one beside them, and the few between them."""
CRLF = re.compile(r"\r\n")
LINE = re.compile(r"\r\n|\r|\n")
BLANK_LINES = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*")
WORD_END = re.compile(r"(?<=\S)(?=\s)")
NO_DEFINITION = re.compile(r"[\s)\]}]|(?:else|elif|except|finally|catch|case|end|fi|done|then|in)\b|$")
"""What begins a line that belongs to the one before it."""
CLOSES = re.compile(r"[\s)\]}]")


def find_graphemes(text: str) -> NDArray[np.bool_]:
    r"""Return, by position, True where a grapheme cluster begins, and at the end of the text.

    >>> find_graphemes("ae\u0301!\r\n").tolist()
    [True, True, False, True, True, False, True]
    """
    edges = np.ones(len(text) + 1, np.bool_)
    for run in JOINED.finditer(text):  # elsewhere each character is a cluster, but for CR and LF
        start, end = max(0, run.start() - 1), min(len(text), run.end() + 1)
        edges[start + 1 : end] = False
        edges[[match.end() for match in CLUSTER.finditer(text, start, end)]] = True
    edges[[match.start() + 1 for match in CRLF.finditer(text)]] = False
    return edges


class TextBoundaries:
    """The boundaries of a text by kind, each found when it is first used.

    `encoding` is that of the whole text, `language` the code of the one whose sentences are found.

    >>> import numpy as np
    >>> none = np.zeros(0, np.int32)
    >>> encoding = Encoding(np.zeros(0, np.uint32), none, none, none, none, np.zeros(0, np.uint8))
    >>> boundaries = TextBoundaries("One. Two.\\n\\nThree", encoding, "en")
    >>> boundaries.positions("sentence").tolist(), boundaries.positions("paragraph").tolist()
    ([5, 11, 16], [11, 16])
    """

    def __init__(self, text: str, encoding: Encoding, language: str) -> None:
        self._text = text
        self._encoding = encoding
        self._language = language
        self._found: dict[BoundaryKind, Positions] = {}

    def positions(self, kind: BoundaryKind) -> Positions:
        """Return the boundaries of a kind in rising order, the end of the text the last, without its beginning."""
        if kind not in self._found:
            self._found[kind] = self._at_graphemes(FINDERS[kind](self))
        return self._found[kind]

    @cached_property
    def graphemes(self) -> NDArray[np.bool_]:
        """See `find_graphemes`."""
        return find_graphemes(self._text)

    def _at_graphemes(self, found: Iterable[int] | Positions) -> Positions:
        places = np.zeros(len(self._text) + 1, np.bool_)
        places[found if isinstance(found, np.ndarray) else np.fromiter(found, np.int64)] = True
        places &= self.graphemes
        places[0] = False
        places[-1] = True
        return np.flatnonzero(places)

    def _sentences(self) -> Iterator[int]:
        """Yield the ends of sentences, found piece by piece: the library takes quadratic time for some texts."""
        position = 0
        while position < len(self._text):
            piece = self._text[position : position + PIECE]
            found = sentences(piece, self._language)
            if len(found) > 1 and position + len(piece) < len(self._text):
                found.pop()  # the piece may end inside of it, so the next one begins with it
            for sentence in found:
                position += len(sentence)
                yield position

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE.finditer(self._text))]

    @cached_property
    def _markdown(self) -> list[tuple[int, bool]]:
        """The first line of each block of the document, and whether it is a heading."""
        parser = MarkdownIt("commonmark").enable("table")
        parser.core.ruler.enableOnly(["normalize", "block"])
        tokens = (token for token in parser.parse(self._text) if token.level == 0 and token.nesting >= 0)
        return [(token.map[0], token.type == "heading_open") for token in tokens if token.map]

    def _definitions(self) -> Iterator[int]:
        """Yield the beginnings of lines without indentation after an empty or indented line, or a closing bracket."""
        before = ""
        for start in self._line_starts:
            if not NO_DEFINITION.match(self._text, start) and (not before or CLOSES.match(before)):
                yield start
            before = LINE.split(self._text[start : start + 80], maxsplit=1)[0]


FINDERS: Mapping[BoundaryKind, Callable[[TextBoundaries], Iterable[int] | Positions]] = {
    "heading": lambda text: [text._line_starts[line] for line, heading in text._markdown if heading],
    "block": lambda text: [text._line_starts[line] for line, _ in text._markdown],
    "definition": TextBoundaries._definitions,
    "paragraph": lambda text: (match.end() for match in BLANK_LINES.finditer(text._text)),
    "line": lambda text: text._line_starts,
    "sentence": TextBoundaries._sentences,
    "word": lambda text: (match.start() for match in WORD_END.finditer(text._text)),
    "token": lambda text: text._encoding.char_starts.astype(np.int64),
    "grapheme": lambda text: np.flatnonzero(text.graphemes),
}
