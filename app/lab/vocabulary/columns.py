"""A whole vocabulary in columns: one row a token, in the order of ids. Search, analysis and surgery read these.

Columns, not objects, because a vocabulary has a quarter of a million tokens: to go through them all takes a second,
and to sort or to filter the columns milliseconds.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import regex
from numpy.typing import NDArray

from ...errors import Invalid
from ...files.vocab_entries import list_entries
from ...scratch.compat.sentencepiece.scripts import SCRIPTS as GROUPED
from ...types import Kind, Tokenizer, VocabEntry

KINDS: tuple[Kind, ...] = ("normal", "special", "unknown", "byte")
"""What `VocabularyColumns.kinds` are indices of."""
LETTERS = tuple(
    name.replace("_", " ")
    for group in GROUPED.split()
    for name in group.split("|")
    if name not in ("Common", "Inherited")
)
"""Scripts by their Unicode names."""
OTHER_LETTERS, DIGITS, PUNCTUATION, SYMBOLS, OTHERS, WHITE_SPACE, BYTES = (
    *("other letters", "digits", "punctuation", "symbols", "other characters"),
    *("white space", "bytes"),
)
SCRIPTS = (*LETTERS, OTHER_LETTERS, DIGITS, PUNCTUATION, SYMBOLS, OTHERS, WHITE_SPACE, BYTES)
"""What `VocabularyColumns.scripts` are indices of; `bytes` is a token that is not UTF-8 by itself, `other characters`
are control, format, private and unassigned ones."""
_CODES = {name: code for code, name in enumerate(SCRIPTS)}
# The first that matches a character says what it is; letters of newer scripts than these stay "other letters".
_CLASSES = (
    (DIGITS, r"\p{N}"),
    (WHITE_SPACE, r"[\p{Z}\t\n\v\f\r\x85]"),
    (PUNCTUATION, r"\p{P}"),
    (SYMBOLS, r"\p{S}"),
    (OTHERS, r"\p{C}"),
    *((name, rf"\p{{Script={name.replace(' ', '_')}}}") for name in LETTERS),
)


def find_row(ids: NDArray[np.uint32], id: int) -> int | None:
    """Return the row of an id in a column of ascending ids; None if it is not among them.

    >>> ids = np.array([0, 2, 5], np.uint32)
    >>> find_row(ids, 5), find_row(ids, 3), find_row(ids, -1)
    (2, None, None)
    """
    row = bisect_left(ids, id)  # numpy's search would copy the column, as numbers of 64 bits
    return row if row < len(ids) and ids[row] == id else None


@dataclass(frozen=True, eq=False)
class VocabularyColumns:
    """The tokens of a vocabulary, without the ids that have none. All columns have the shape `(n,)`.

    - `ids`: ascending. `pieces`: the spelling, `raws`: the bytes of each, as in `VocabEntry`.
    - `lengths`: bytes; `characters`: code points, 0 for a token that is not UTF-8 by itself.
    - `kinds`: indices of `KINDS`; `scripts`: indices of `SCRIPTS`, by the majority of a token's letters, or without any
      by the majority of its other characters.
    - `prefix_space`: True where the bytes begin with a space.
    """

    ids: NDArray[np.uint32]
    pieces: list[str]
    raws: list[bytes]
    lengths: NDArray[np.int32]
    characters: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    scripts: NDArray[np.uint8]
    prefix_space: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.pieces)

    def index(self, id: int) -> int | None:
        """Return the row of an id, or None if it has no token."""
        return find_row(self.ids, id)

    def entry(self, row: int) -> VocabEntry:
        """Return the token of a row."""
        return VocabEntry(int(self.ids[row]), self.pieces[row], self.raws[row], KINDS[self.kinds[row]])

    @cached_property
    def texts(self) -> list[str]:
        """The text that each token stands for, or "" for one that is not UTF-8 by itself."""
        every = zip(self.pieces, self.raws, self.characters.tolist(), strict=True)
        # A spelling that is the text itself is shared, which spares most of the memory.
        return [_share_string(piece, raw.decode()) if count else "" for piece, raw, count in every]

    @cached_property
    def spelled(self) -> dict[int, str]:
        """The spelling of each row where it is not the text: of a fragment, of `##ing`, of `▁the`."""
        both = zip(self.pieces, self.texts, strict=True)
        return {row: piece for row, (piece, text) in enumerate(both) if piece is not text}

    @cached_property
    def folded(self) -> tuple[list[str], dict[int, str]]:
        """`texts` and `spelled` without differences of case."""
        texts = [_share_string(text, text.casefold()) for text in self.texts]
        return texts, {row: piece.casefold() for row, piece in self.spelled.items()}

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """All rows in the order of their bytes, which is that of the code points."""
        return np.array(sorted(range(len(self)), key=self.raws.__getitem__), np.int32)

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """The place of each row in `order`."""
        result = np.empty(len(self), np.int32)
        result[self.order] = np.arange(len(self))
        return result

    def find_rows(self, raw: bytes) -> list[int]:
        """Return the rows of the tokens that stand for some bytes."""
        first, last = (find(self.order, raw, key=self.raws.__getitem__) for find in (bisect_left, bisect_right))
        return sorted(self.order[first:last].tolist())

    @cached_property
    def nbytes(self) -> int:
        """An estimate of the memory that this takes with what searches make of it, in bytes."""
        return 240 * len(self) + 3 * int(self.lengths.sum())


def _share_string(kept: str, made: str) -> str:
    return kept if kept == made else made


def load_columns(tokenizer: Tokenizer) -> VocabularyColumns:
    """Return the whole vocabulary of a tokenizer.

    Raises `Invalid` for one whose vocabulary is built anew from each text.
    """
    if tokenizer.info.grows or tokenizer.info.vocab_size is None:
        detail = f"{tokenizer.info.id} builds its vocabulary anew from each text, so there is none to look through."
        raise Invalid(detail, pointer="/tokenizer")
    return build_columns(list_entries(tokenizer))


def build_columns(entries: Iterable[VocabEntry]) -> VocabularyColumns:
    """Return the columns of some tokens, which come by ascending id."""
    ids = array("I")
    pieces = list[str]()
    raws = list[bytes]()
    kinds = bytearray()
    texts = list[str | None]()
    codes = {kind: code for code, kind in enumerate(KINDS)}
    for entry in entries:
        ids.append(entry.id)
        pieces.append(entry.piece)
        raws.append(entry.raw)
        kinds.append(codes[entry.kind])
        texts.append(entry.text)
    return VocabularyColumns(
        ids=np.array(ids, np.uint32),
        pieces=pieces,
        raws=raws,
        lengths=np.array([*map(len, raws)], np.int32),
        characters=np.array([len(text or "") for text in texts], np.int32),
        kinds=np.array(kinds, np.uint8),
        scripts=classify_scripts(texts),
        prefix_space=np.array([raw.startswith(b" ") for raw in raws], np.bool_),
    )


def classify_scripts(texts: Sequence[str | None]) -> NDArray[np.uint8]:
    """Return for each text the index in `SCRIPTS` of most of its letters; None stands for bytes that are not UTF-8.

    >>> [SCRIPTS[code] for code in classify_scripts([" the", "東タワー", "42 a", "...", "  ", None])]
    ['Latin', 'Katakana', 'Latin', 'punctuation', 'white space', 'bytes']
    """
    lengths = np.array([len(text or "") for text in texts], np.int64)
    points = np.frombuffer("".join(filter(None, texts)).encode("utf-32-le"), np.uint32)
    alphabet, places = np.unique(points, return_inverse=True)
    codes = classify_characters([*map(chr, alphabet.tolist())])[places]
    result = np.array([_CODES[BYTES if text is None else WHITE_SPACE] for text in texts], np.uint8)
    # Count the characters of each token and code; letters go before all else, and white space after it.
    keys, counts = np.unique(np.repeat(np.arange(len(texts)), lengths) * 256 + codes, return_counts=True)
    rows = keys // 256
    codes = keys % 256
    tiers = np.where(codes <= _CODES[OTHER_LETTERS], 2, codes != _CODES[WHITE_SPACE]).astype(np.int64)
    order = np.lexsort((-codes, counts, tiers, rows))  # the last of each row is the one that counts
    last = order[np.flatnonzero(np.diff(rows[order], append=-1))]
    result[rows[last]] = codes[last]
    return result


def classify_characters(alphabet: Sequence[str]) -> NDArray[np.int64]:
    """Return the index in `SCRIPTS` of each of some different characters, in order."""
    codes = dict.fromkeys(alphabet, _CODES[OTHER_LETTERS])
    left = "".join(alphabet)
    for name, pattern in _CLASSES:
        if not left:
            break
        codes.update(dict.fromkeys(regex.findall(pattern, left), _CODES[name]))
        left = regex.sub(pattern, "", left)
    return np.array([*codes.values()], np.int64)
