"""GGUF, the model file of llama.cpp: the tokenizer in its header, without the tensors that follow.

A header is a list of key-value pairs; a value has a type, and an array has a length and one type for all items. Only
the values under `tokenizer.` are kept. Written for hostile files: every length is compared with the bytes that are
left before anything is read. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from mmap import mmap
from struct import Struct, calcsize, unpack_from
from typing import Any

from ...errors import BadFile, plural
from ...scratch.compat.sentencepiece.charsmap import CharsMap, load_charsmap
from ..sentencepiece.model import KINDS, Kind

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_PAIRS = 100_000
MAX_TOKENS = 1_000_000
MAX_MERGES = 4_000_000
MAX_ITEMS = 10_000_000
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The types of numbers, as format characters of `struct`."""
STRING = 8
ARRAY = 9
SIZE = Struct("<Q")
PREFIX = "tokenizer."
GGML = "tokenizer.ggml."


@dataclass(frozen=True, slots=True)
class GgufTokenizer:
    """The tokenizer of a GGUF file.

    - `model`: the algorithm, as llama.cpp names it: gpt2 (byte-level BPE), llama (SentencePiece BPE), t5 (unigram),
      bert (WordPiece), rwkv, gemma4 …; `pre`: the name of the pre-tokenizer, "" if the file has none.
    - `tokens`, `kinds`, `scores`: by id; `scores` may be empty. Tokens of gpt2 are spelled in GPT-2's byte alphabet.
    - `merges`: pairs of tokens, by priority.
    - `ids`: special tokens by role (`bos`, `eos`, `unknown`, `padding`, …).
    - `options`: true or false by name (`add_bos_token`, `add_space_prefix`, …).
    """

    model: str
    tokens: tuple[str, ...]
    kinds: tuple[Kind, ...]
    pre: str = ""
    scores: tuple[float, ...] = ()
    merges: tuple[tuple[str, str], ...] = ()
    ids: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, bool] = field(default_factory=dict)
    charsmap: CharsMap | None = None
    chat_template: str | None = None


def load_gguf(data: bytes | mmap) -> GgufTokenizer:
    """Read the tokenizer of a file, which may end after its header.

    Raises `BadFile`, with the byte or the key, for a file that is no GGUF, of another version, truncated, too large, or
    inconsistent; and for one without a tokenizer.
    """
    pairs = _Header(data).pairs()
    tokens = _array(pairs, GGML + "tokens", str, MAX_TOKENS)
    if not tokens:
        raise BadFile(f"The file has no tokenizer: the key {GGML}tokens is missing or empty.")
    kinds = [KINDS.get(kind) for kind in _array(pairs, GGML + "token_type", int, len(tokens)) or [1] * len(tokens)]
    scores = _array(pairs, GGML + "scores", float, len(tokens))
    if len(kinds) != len(tokens) or (scores and len(scores) != len(tokens)):
        has = f"{plural(len(tokens), 'token')}, {plural(len(kinds), 'type')} and {plural(len(scores), 'score')}"
        raise BadFile(f"The file has {has}.")
    if None in kinds:
        raise BadFile(f"Token {kinds.index(None)} has no valid type; valid types are 1 to 6.")
    if not all(map(isfinite, scores)):
        raise BadFile("A score is not a finite number.")
    template = pairs.get(PREFIX + "chat_template")
    return GgufTokenizer(
        model=_text(pairs, GGML + "model"),
        tokens=tuple(tokens),
        kinds=tuple(kind for kind in kinds if kind),
        pre=_text(pairs, GGML + "pre", ""),
        scores=tuple(scores),
        merges=tuple(_merges(_array(pairs, GGML + "merges", str, MAX_MERGES))),
        ids=_ids(pairs, len(tokens)),
        options={key.removeprefix(GGML): value for key, value in pairs.items() if type(value) is bool},
        charsmap=_charsmap(pairs),
        chat_template=template if isinstance(template, str) else None,
    )


class _Header:
    """A position in the header of a file."""

    def __init__(self, data: bytes | mmap) -> None:
        self.data = data
        self.at = 0

    def pairs(self) -> dict[str, Any]:
        """Return the pairs whose keys begin with `tokenizer.`."""
        if self.data[:4] != MAGIC:
            raise BadFile("The file does not begin with GGUF.")
        self.at = 4
        version = self.number("I")
        if version not in VERSIONS:
            raise BadFile(f"The file is of GGUF version {version}; versions 2 and 3 in little-endian order are read.")
        _tensors = self.number("Q")
        count = self.number("Q")
        if count > MAX_PAIRS:
            raise BadFile(f"The header declares {count} pairs; at most {MAX_PAIRS} are read.", limit=MAX_PAIRS)
        pairs: dict[str, Any] = {}
        for _ in range(count):
            start = self.at
            key = self.text()
            if key in pairs:
                raise BadFile(f"The key {key[:80]!r} at byte {start} is repeated.")
            value = self.value(self.number("I"), kept=key.startswith(PREFIX))
            if key.startswith(PREFIX):
                pairs[key] = value
        return pairs

    def value(self, kind: int, *, kept: bool) -> Any:
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        if kind == STRING:
            return "".join(self.texts(1, kept=kept))
        if kind != ARRAY:
            raise BadFile(f"Byte {self.at} begins a value of type {kind}; valid types are 0 to 12.")
        start = self.at
        kind = self.number("I")
        size = self.number("Q")
        if kept and size > MAX_ITEMS:
            raise BadFile(f"The array at byte {start} has {size} items; at most {MAX_ITEMS} are read.", limit=MAX_ITEMS)
        if kind in NUMBERS:
            form = f"<{self.check_count(size, calcsize(NUMBERS[kind]), start)}{NUMBERS[kind]}"
            items = list(unpack_from(form, self.data, self.at)) if kept else []
            self.at += calcsize(form)
            return items
        if kind != STRING:  # no tokenizer has arrays of arrays
            raise BadFile(f"Byte {start} begins an array of the type {kind}, which is not supported.")
        return self.texts(self.check_count(size, 8, start), kept=kept)

    def number(self, number_format: str) -> Any:
        end = self.at + calcsize(f"<{number_format}")
        if end > len(self.data):
            raise BadFile(f"The file ends at byte {len(self.data)}, inside its header.")
        (value,) = unpack_from(f"<{number_format}", self.data, self.at)
        self.at = end
        return value

    def texts(self, count: int, *, kept: bool) -> list[str]:
        """Read many texts, without a call for each: a vocabulary has half a million."""
        data, at, end = self.data, self.at, len(self.data)
        size_at = SIZE.unpack_from
        texts = []
        for _ in range(count):
            if at + 8 > end or (size := size_at(data, at)[0]) > end - at - 8:
                raise BadFile(f"The text at byte {at} does not end before the file, at byte {end}.")
            at += 8 + size
            if kept:
                try:
                    texts.append(data[at - size : at].decode())
                except UnicodeDecodeError:
                    raise BadFile(f"The text at byte {at - size} is not UTF-8.") from None
        self.at = at
        return texts

    def text(self) -> str:
        (text,) = self.texts(1, kept=True)
        return text

    def check_count(self, count: int, size: int, start: int) -> int:
        """Return the count of items of some bytes at least. Raises `BadFile` if they end beyond the file."""
        if count * size > len(self.data) - self.at:
            raise BadFile(f"The value at byte {start} has {count} items, but the file ends at byte {len(self.data)}.")
        return count


def _array(pairs: Mapping[str, Any], key: str, kind: type, limit: int) -> list[Any]:
    items = pairs.get(key, [])
    if not isinstance(items, list) or not all(type(item) is kind for item in items):
        raise BadFile(f"The key {key} is not a list of {kind.__name__}.")
    if len(items) > limit:
        raise BadFile(f"The key {key} has {len(items)} items; at most {limit} are read.", limit=limit)
    return items


def _text(pairs: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = pairs.get(key, default)
    if not isinstance(value, str):
        raise BadFile(f"The key {key} is missing or not a text.")
    return value


def _merges(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for number, line in enumerate(lines):
        left, _, right = line.partition(" ")  # spaces inside tokens are spelled Ġ or ▁
        if not left or not right or " " in right:
            raise BadFile(f"Merge {number} is not two tokens with a space between them.")
        yield left, right


def _ids(pairs: Mapping[str, Any], size: int) -> dict[str, int]:
    """Return the ids of special tokens by role; files say `seperator`."""
    ids = {}
    for key, value in pairs.items():
        if key.startswith(GGML) and key.endswith("_token_id"):
            role = key.removeprefix(GGML).removesuffix("_token_id").replace("seperator", "separator")
            if not isinstance(value, int) or not 0 <= value < 2**32:
                raise BadFile(f"The key {key} is not an id.")
            if value < size:  # 2³²−1 and other ids that no token has stand for none
                ids[role] = value
    return ids


def _charsmap(pairs: Mapping[str, Any]) -> CharsMap | None:
    key = GGML + "precompiled_charsmap"
    values = _array(pairs, key, int, MAX_ITEMS)
    if not all(-128 <= value < 256 for value in values):
        raise BadFile(f"The key {key} has a value that is no byte.")
    blob = bytes(value & 0xFF for value in values)
    return load_charsmap(blob, "The character map") if blob else None
