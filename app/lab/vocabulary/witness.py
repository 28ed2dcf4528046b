"""Witnesses: for each token a shortest text whose encoding contains it, found by encoding candidates.

A candidate counts only if the tokenizer itself gives the token for exactly this text. Candidates are, from short to
long: the token's text, also without its space, which some tokenizers put in front of a text; every character that
Unicode assigns, alone; the text between other characters; for a token that is part of a character, characters that
complete it; and for a small vocabulary, every short text over its own characters. What is found on the way, a token in
the encoding of another's candidate, counts as well.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import count, islice, product

from ...errors import TokenariumError
from ...types import Batched, Tokenizer
from .columns import VocabularyColumns

BATCH = 4096
"""Texts that are encoded at once."""
STEP = 61
"""Of all characters, every 61st is tried first: that reaches nearly all bytes and blocks."""
RARE = "\ue000\U00040000\U00080000\U00100000"
"""Characters that are private or not assigned, whose first bytes no assigned character has."""
SIDES = "a 1.\nAé中я'-_(\"/se\t=のاก한"
"""Characters that are put before and after the text of a token, each of another kind, the most useful first."""
PAIRS = (
    "  ", "a ", "\n\n", " a", "\n ", "th", "xy", "qz", "1 ", ". ",
    "'s", "中文", "zz", "\r\n", "T", "S", "M", "ll", "re", "LL",
)  # fmt: skip
"""Longer texts that are put before or after it."""
SMALL = 5_000
SPELLED = 20_000
"""Of a vocabulary of fewer tokens, so many texts over its own characters are tried, the shortest."""
COMPLETIONS = 64
"""Characters of each side that are tried to complete a token that is part of characters."""
NEIGHBOURS = 400
MAX_TRIED = 200_000
"""Other tokens that are tried beside a token; texts of all tokens together, in contexts and beside tokens."""


def encode_texts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Sequence[int]]:
    """Return the ids of each text; none for one that the tokenizer cannot encode."""
    if isinstance(tokenizer, Batched):
        try:
            return tokenizer.ids_of_many(texts)
        except TokenariumError:  # some text of them
            pass
    return [_ids(tokenizer, text) for text in texts]


def _ids(tokenizer: Tokenizer, text: str) -> list[int]:
    try:
        ids: list[int] = tokenizer.encode(text).ids.tolist()
    except TokenariumError:
        return []
    return ids


class WitnessSearch:
    """The witnesses of a vocabulary, by row; None where none is found yet. `tried` counts the texts by row."""

    def __init__(self, tokenizer: Tokenizer, columns: VocabularyColumns) -> None:
        self.tokenizer = tokenizer
        self.columns = columns
        self.found: list[str | None] = [None] * len(columns)
        self.tried: defaultdict[int, int] = defaultdict(int)
        self.others = 0  # texts that were tried for all rows alike
        top = int(columns.ids[-1]) + 1 if len(columns) else 0
        self._row = [-1] * top
        for row, id in enumerate(columns.ids.tolist()):
            self._row[id] = row

    def list_missing(self, rows: Iterable[int]) -> list[int]:
        """Return those of the rows that have no witness yet."""
        return [row for row in rows if self.found[row] is None]

    def count_tried(self, row: int) -> int:
        """Return the number of texts that were tried for a row, with those for all rows alike."""
        return self.tried[row] + self.others

    def try_texts(self, texts: Iterable[str]) -> Iterator[int]:
        """Encode texts, and keep each as witness of its tokens if it is the shortest; yield how many were encoded."""
        found = self.found
        row_of = self._row
        stream = iter(texts)
        while batch := [*islice(stream, BATCH)]:
            for text, ids in zip(batch, encode_texts(self.tokenizer, batch), strict=True):
                for id in ids:
                    row = row_of[id] if id < len(row_of) else -1
                    if row >= 0 and ((known := found[row]) is None or len(text) < len(known)):
                        found[row] = text
            yield len(batch)

    def own_texts(self, rows: Sequence[int]) -> Iterator[int]:
        """Try the text of each token, and that without its space where a text gets one in front."""
        texts = self.columns.texts
        if self.inserts_space:
            yield from self._for_rows(rows, (texts[row].removeprefix(" ") for row in rows))
            rows = self.list_missing(rows)
        yield from self._for_rows(rows, (texts[row] for row in rows))

    @property
    def inserts_space(self) -> bool:
        """True if the tokenizer puts a space in front of a text."""
        rows = (self._row[id] for id in _ids(self.tokenizer, "a") if id < len(self._row))
        return any(self.columns.prefix_space[row] for row in rows if row >= 0)

    def _for_rows(self, rows: Sequence[int], texts: Iterable[str]) -> Iterator[int]:
        for row in rows:
            self.tried[row] += 1
        yield from self.try_texts(texts)

    def characters(self, rows: Sequence[int]) -> Iterator[int]:
        """Try single characters while some of the rows have no witness: first a few of each block, then all."""
        every = list_assigned_characters()
        for texts in (every[::STEP] + RARE, every):
            if self.list_missing(rows):
                self.others += len(texts)
                yield from self.try_texts(texts)

    def contexts(self, rows: Sequence[int]) -> Iterator[int]:
        """Try the texts of tokens between other characters: one side, longer on one side, then both sides.

        It ends where there are too many texts for the time.
        """
        texts = self.columns.texts
        left = MAX_TRIED
        for sides in ([*_one_side(SIDES)], [*_one_side(PAIRS)], [*product(SIDES[:10], SIDES[:10])]):
            for some in (sides[at : at + 4] for at in range(0, len(sides), 4)):
                rows = self.list_missing(rows)
                if (left := left - len(rows) * len(some)) < 0:
                    return
                for row in rows:
                    self.tried[row] += len(some)
                yield from self.try_texts(f"{before}{texts[row]}{after}" for row in rows for before, after in some)

    def try_spellings(self, rows: Sequence[int]) -> Iterator[int]:
        """Try all texts over the characters of a small vocabulary, from short to long, as many as there is time for."""
        characters = dict.fromkeys("".join(text for text in self.columns.texts if text))
        if rows and len(self.columns) < SMALL and len(characters) > 1:
            texts = [*islice(_over([*characters]), SPELLED)]
            self.others += len(texts)
            yield from self.try_texts(texts)

    def neighbours(self, rows: Sequence[int]) -> Iterator[int]:
        """Try the texts of tokens behind and before other tokens, as many as there is time for."""
        texts = self.columns.texts
        count = min(NEIGHBOURS, MAX_TRIED // (2 * len(rows) + 1))
        others = [text for text in texts if text and len(text) <= 4]
        others = others[:: max(1, len(others) // (count + 1))]
        for row in rows:
            self.tried[row] += 2 * len(others)
        pairs = ((texts[row], other) for row in rows for other in others)
        yield from self.try_texts(text for own, other in pairs for text in (other + own, own + other))

    def completions(self, rows: Sequence[int]) -> Iterator[int]:
        """Try texts around tokens that begin or end within a character, alone and behind other characters."""
        for before in ("", "a", " ", "中", "\n"):
            for row in self.list_missing(rows):
                texts = [*complete_characters(self.columns.raws[row], before)]
                self.tried[row] += len(texts)
                yield from self.try_texts(texts)


def _one_side(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        yield text, ""
        yield "", text


def _over(characters: Sequence[str]) -> Iterator[str]:
    """Yield all texts over some characters, from short to long.

    >>> [*islice(_over("ab"), 6)]
    ['a', 'b', 'aa', 'ab', 'ba', 'bb']
    """
    for length in count(1):
        yield from map("".join, product(characters, repeat=length))


@cache
def list_assigned_characters() -> str:
    """Every character that Unicode assigns, without private ones."""
    return "".join([char for char in map(chr, range(0x110000)) if unicodedata.category(char) not in ("Cn", "Cs", "Co")])


def divide_bytes(raw: bytes) -> tuple[bytes, str, bytes] | None:
    r"""Divide bytes that are not UTF-8: the end of a character, a text, the beginning of a character.

    None if no UTF-8 text contains them.

    >>> divide_bytes(b"\x98a\xf0\x9f"), divide_bytes(b"\xff"), divide_bytes(b"\xc3\x28")
    ((b'\x98', 'a', b'\xf0\x9f'), None, None)
    """
    head = raw[: len(raw) - len(raw.lstrip(bytes(range(0x80, 0xC0))))]
    if len(head) > 3:
        return None
    rest = raw[len(head) :]
    for size in range(4):
        text = rest[: len(rest) - size]
        tail = rest[len(rest) - size :]
        if tail and not _beginnings(tail):
            continue
        try:
            return head, text.decode(), tail
        except UnicodeDecodeError:
            continue
    return None


def _beginnings(tail: bytes) -> Sequence[str]:
    """Return characters whose UTF-8 is longer than some bytes and begins with them."""
    return _sides()[0].get(tail) or _list_unassigned(tail)


@cache
def _sides() -> tuple[dict[bytes, list[str]], dict[bytes, list[str]]]:
    """Return all characters by the bytes that their UTF-8 begins with, and by those that it ends with."""
    begin = defaultdict[bytes, list[str]](list)
    end = defaultdict[bytes, list[str]](list)
    for char in list_assigned_characters():
        data = char.encode()
        for size in range(1, len(data)):
            begin[data[:size]].append(char)
            end[data[-size:]].append(char)
    return dict(begin), dict(end)


@cache
def _list_unassigned(tail: bytes) -> tuple[str, ...]:
    """Return a few characters that Unicode has not assigned, by how their UTF-8 begins."""
    found = []
    for missing in range(1, 4):
        for more in product(range(0x80, 0xC0, 5), repeat=missing):
            try:
                found.append((tail + bytes(more)).decode())
            except UnicodeDecodeError:
                continue
            if len(found) == COMPLETIONS:
                break
    return tuple(char for char in found if len(char) == 1)


def complete_characters(raw: bytes, before: str = "") -> Iterator[str]:
    """Yield texts that contain some bytes which begin or end within a character."""
    parts = divide_bytes(raw)
    if parts is None:
        return
    head, text, tail = parts
    firsts = _spread(_sides()[1].get(head, ())) if head else [""]
    lasts = _spread(_beginnings(tail)) if tail else [""]
    if head and tail:
        firsts = firsts[::4]
        lasts = lasts[::4]
    for first, last in product(firsts, lasts):
        yield f"{before}{first}{text}{last}"


def _spread(characters: Sequence[str]) -> list[str]:
    """Return at most so many of the characters, from all parts of the list."""
    return [*characters[:: max(1, len(characters) // COMPLETIONS)]][: 2 * COMPLETIONS]
