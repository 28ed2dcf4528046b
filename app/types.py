"""The words of the field: what a tokenizer is, and what encoding a text gives. Imports nothing of app."""

from __future__ import annotations  # numpy is only named here, so that the server starts without it

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Family = Literal["bpe", "wordpiece", "unigram", "byte", "character", "word", "other"]
Engine = Literal["tiktoken", "sentencepiece", "tokenizers", "transformers", "scratch"]
SpecialPolicy = Literal["text", "parse", "refuse"]
Stage = Literal["normalize", "pre-tokenize", "model", "post-process"]
Kind = Literal["normal", "special", "unknown", "byte"]

SPECIAL, UNKNOWN, BYTE_FALLBACK, INSERTED = 1, 2, 4, 8
"""Bits of `Encoding.flags`: a special token · an unknown one · one byte of a character the
vocabulary lacks · a token that stands for no input (a beginning-of-text mark, a dummy prefix)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a tokenizer's files come from."""

    package: str = ""
    version: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class TokenizerInfo:
    """What is known of a tokenizer without loading it.

    `engines` lists the engines that can run it, the reference first. `vocab_size` is one more than
    the largest id, or None where it is not known before loading; a vocabulary that `grows` starts
    empty with each text. `lossless` says whether the
    tokens' raw bytes join back to the input; where they do not, `normalization` says in words what
    they join to instead. `prefix` and `suffix` are the special tokens its models expect around a text.
    `trained` says that it was trained and kept here, and may be deleted.
    """

    id: str
    title: str
    family: Family
    engines: tuple[Engine, ...]
    vocab_size: int | None
    lossless: bool
    grows: bool = False
    normalization: str = ""
    models: tuple[str, ...] = ()
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()
    source: Source = Source()
    trained: bool = False


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """How a tokenizer’s models want a conversation written out: a template in Jinja, and the tokens it knows by name.

    `marks` are what the format writes in plain text, so that nothing tells them from the same in a message.
    """

    text: str
    variables: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text's tokens in columns, one row a token.

    `ids` is uint32. The spans are half-open and lie in the input: bytes of its UTF-8 form, and code
    points rounded outward, so that the two halves of one emoji have the same character span. A row
    flagged INSERTED has an empty span. `grown` is the vocabulary a growing tokenizer built for this
    text, by id.
    """

    ids: NDArray[np.uint32]
    byte_starts: NDArray[np.int32]
    byte_ends: NDArray[np.int32]
    char_starts: NDArray[np.int32]
    char_ends: NDArray[np.int32]
    flags: NDArray[np.uint8]
    grown: tuple[bytes, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class VocabEntry:
    """One entry of a vocabulary: `piece` as the vocabulary spells it (`▁the`, `##ing`), `raw` the bytes it stands for.

    Bytes that are no valid UTF-8 have no spelling: `piece` is then their hex, in `<0x…>` per byte.
    """

    id: int
    piece: str
    raw: bytes
    kind: Kind = "normal"


@dataclass(frozen=True, slots=True)
class Token:
    """The readable view of one row of an `Encoding`, made on demand for what is shown."""

    index: int
    entry: VocabEntry
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    inserted: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """The smallest run of input that splits neither a token nor a grapheme cluster.

    Without tokens it is a gap: input that the tokenizer dropped. With several, they share one
    cluster, such as the two halves of an emoji.
    """

    text: str
    tokens: tuple[Token, ...] = ()


class Tokenizer(Protocol):
    """What every adapter makes."""

    @property
    def info(self) -> TokenizerInfo: ...

    @property
    def engine(self) -> Engine: ...

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, estimated."""

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        """Cut a text. Raises `LoneSurrogate`, `SpecialTokenRefused`, or `EngineFailed` where the library gives up."""

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes that ids stand for, as the tokenizer's own decoder joins them. Raises `UnknownId`."""

    def entry(self, id: int) -> VocabEntry:
        """One vocabulary entry. Raises `UnknownId`."""


@runtime_checkable
class Staged(Protocol):
    """An adapter that can show what becomes of a text before the model cuts it."""

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """By stage, the words there are after it; a text that has not been cut yet is one."""


Merge = tuple[float, int, int, int]
"""A merge: its rank, and where in the word the joined pair begins, parts and ends."""
Attempts = tuple[int, int, int, int | None]
"""Pieces looked up that begin at one place: the place, the ends of the longest and of the last, and the id of the
last, or None where the vocabulary has none of them."""
Method = Literal["merges", "attempts", "lattice", "units"]
"""How a model cuts a word: by merging · by looking up ever shorter pieces · by the best of all paths · not at all."""


@dataclass(frozen=True, slots=True, eq=False)
class CutWord:
    """A word as a model cut it, and what was done to it. Places count its symbols: bytes, or characters.

    `tokens` are (id, start, end); those that are the bytes of one character share its span. `whole` says that the
    vocabulary holds the word, so that its merges only tell how it could have been made. `lacking` are the spans of
    characters that the vocabulary lacks, `sum` is the sum of scores that a path through the word begins with.
    """

    symbols: bytes | str
    tokens: Sequence[tuple[int, int, int]]
    merges: Sequence[Merge] = ()
    attempts: Sequence[Attempts] = ()
    whole: bool = False
    lacking: Sequence[tuple[int, int]] = ()
    sum: float = 0.0
    special: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TracedWord:
    """A word of a text, and the bytes of the input it lies in. Words that are cut alike share one `CutWord`."""

    cut: CutWord
    byte_start: int
    byte_end: int


class Arcs(Protocol):
    """A unigram model. Its sums have 32 bits or 64, by `size`, "f" or "d", and begin anew below the `lowest`."""

    @property
    def size(self) -> str: ...

    @property
    def lowest(self) -> float: ...

    @property
    def longest(self) -> int:
        """Characters of the longest piece."""

    def edges(self, text: str, start: int) -> Iterator[tuple[int, float, int]]:
        """The pieces that begin at a place of a text: where each ends, its score, its id."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What became of a text step by step, and what it takes to explain it.

    `normal` is the text that the model saw. `ranks` are those of the merges, or scores with the opposite sign, and
    `ids` the vocabulary, by symbols. What it lacks becomes `unknown`, or the tokens for its bytes where there are
    `byte_ids`. `prefix` marks a piece within a word.
    """

    method: Method
    words: Sequence[TracedWord]
    normal: str = ""
    pattern: str = ""
    ranks: Mapping[Any, float] = field(default_factory=dict)
    ids: Mapping[Any, int] = field(default_factory=dict)
    arcs: Arcs | None = None
    unknown: int = -1
    byte_ids: Sequence[int] = ()
    prefix: str = ""


@runtime_checkable
class Traced(Protocol):
    """An adapter that can tell step by step how it cuts a text."""

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> Trace:
        """The words of a text, in order, and what was done to each. Raises what `encode` raises."""


Algorithm = Literal["bpe", "wordpiece", "unigram"]
Unit = Literal["characters", "marked", "bytes"]
"""What words are made of before anything is learned: characters · characters, and `</w>` behind the last · bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A vocabulary as a trainer leaves it, and what it takes to cut a text by it.

    `pieces` are in the order of their ids, as the vocabulary spells them, special tokens among them; bytes are spelled
    as GPT-2 does. Learned from bytes, the ids are those of minbpe and of tiktoken's ranks: the 256 bytes by value, the
    merges in their order, the special tokens last. Otherwise the special tokens come first, `unknown` among them.
    `merges` are pairs of ids in the order in which they were learned; WordPiece and Unigram cut without them. `scores`
    are the log-probabilities of a unigram vocabulary, by id; those of special tokens and of bytes say nothing.

    `pattern` is the regular expression whose matches are the words; what it does not match is left out, and without
    one a text is a single word. With `marks_spaces` there is none: a space is seen as ▁, and one is put in front of
    the text, as SentencePiece does. `bytes_too` says that a character which the vocabulary lacks becomes its bytes,
    `<0x00>` to `<0xFF>`. In the unit "marked" the last character of a word carries the mark.
    """

    algorithm: Algorithm
    unit: Unit
    pieces: tuple[str, ...]
    merges: tuple[tuple[int, int], ...] = ()
    scores: tuple[float, ...] = ()
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    unknown: str | None = None
    pattern: str = ""
    lowercase: bool = False
    bytes_too: bool = False
    marks_spaces: bool = False
