"""Core data types and the `Tokenizer` protocol. Imports nothing of app.

`Tokenizer.encode` returns an `Encoding`: one row per token, in columns. `Token` and `Cell` are views of its rows for
display. `Traced.trace` returns an `EncodingTrace`: how each word was segmented, step by step. `TrainedVocab` is what
training returns.
"""

from __future__ import annotations  # numpy is imported for type checking only, so that the server starts without it

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Tokenizers

Family = Literal["bpe", "wordpiece", "unigram", "byte", "character", "word", "longest-match", "other"]
Engine = Literal["tiktoken", "sentencepiece", "tokenizers", "transformers", "scratch"]
"""The library that runs a tokenizer, or `scratch` for the Python implementation of this project."""
SpecialPolicy = Literal["text", "parse", "refuse"]
"""Special tokens spelled out in the input: treat as plain text · parse as special tokens · raise an error."""
Origin = Literal["bundled", "trained", "added", "fetched", "configured"]
"""Part of the store · trained on this server · a file that a user brought · fetched on request · named by a setting."""
TokenRule = Literal["lstrip", "rstrip", "single_word"]
"""A token takes in the white space on its left · on its right · is matched only beside what is no part of a word."""
Stage = Literal["normalize", "pre-tokenize", "model", "post-process"]


@dataclass(frozen=True, slots=True)
class Source:
    """The package that a tokenizer's files were taken from."""

    package: str = ""
    version: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class TokenizerInfo:
    """Metadata of a tokenizer, available without loading its vocabulary.

    - `engines`: the engines that can run it, the reference library first.
    - `vocab_size`: the largest id + 1; None if unknown before loading.
    - `gaps`: how many ids below it have no token.
    - `grows`: the vocabulary is built anew from each text.
    - `lossless`: the tokens' raw bytes join back to the input. If not, `normalization` describes the difference.
    - `prefix`, `suffix`: the special tokens that its models expect around a text, such as `[CLS]` and `[SEP]`.
    - `added_tokens`: tokens that are matched in every text before the model, such as `<think>`; not special.
    - `token_rules`: of special and added tokens, by spelling, how they are matched if not just where they are spelled.
    - `origin`: how it came to this server.
    - `split_special_tokens`: special tokens in a text and in a chat are ordinary text, unless a user chooses otherwise.
    - `notes`: sentences about a tokenizer from a user's files: what was changed to read it, what is unusual.
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
    origin: Origin = "bundled"
    notes: tuple[str, ...] = ()
    added_tokens: Mapping[str, int] = field(default_factory=dict)
    token_rules: Mapping[str, Sequence[TokenRule]] = field(default_factory=dict)
    gaps: int = 0
    split_special_tokens: bool = False

    @property
    def tokens(self) -> int | None:
        """The number of tokens, special ones too, wherever a size of the vocabulary is said; None if not known.

        o200k_base has 200,000: 199,998 and 2 special ones, with ids up to 200,018.
        """
        return None if self.vocab_size is None else self.vocab_size - self.gaps

    @property
    def usual_special(self) -> Literal["text", "parse"]:
        """What is done with special tokens in a prompt, unless a user chooses otherwise."""
        return "text" if self.split_special_tokens else "parse"

    @property
    def trained(self) -> bool:
        """True if it was trained on this server."""
        return self.origin == "trained"

    @property
    def local(self) -> bool:
        """True if it is kept on this server and not part of the store, so that it may change and be deleted."""
        return self.origin in ("trained", "added", "fetched")


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A chat template in Jinja, with the variables it is rendered with (`bos_token` …).

    `marks` are delimiters of the format that are plain text, not special tokens, so a message can contain them too.
    `model` is whose template it is, and `names` a pattern of the names of the models that have it. `equals` is the
    function or library that writes the same prompt for them; "" for a template that was edited. `named` are further
    templates by name, of which `tool_use` is for conversations with tools. `sha256` is the hash of the file, which for
    an author's template is that of the author's file. `provenance` is the package that the file is from, and its name
    there. `trains` is the hash of a template that this one replaces in training. `reasoning` are the variables with
    which the model reasons, if it does not without them.
    """

    text: str
    variables: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    source: str = ""
    model: str = ""
    names: str = ""
    equals: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    sha256: str = ""
    provenance: str = ""
    trains: str = ""
    reasoning: Mapping[str, Any] = field(default_factory=dict)


# Tokens

Kind = Literal["normal", "special", "unknown", "byte"]

SPECIAL = 1
UNKNOWN = 2
BYTE_FALLBACK = 4
INSERTED = 8
"""Bits of `Encoding.flags`: a special token · the unknown token · one byte of a character that is not in the
vocabulary · a token that covers no input (a BOS token, a dummy prefix)."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """The tokens of a text as columns: six arrays of shape `(n,)`, one row per token.

    Spans are half-open ranges of the *input*. Byte spans count bytes of its UTF-8 form. Character spans count code
    points and are rounded outward: the two tokens of one emoji have different byte spans and the same character span.
    Rows flagged INSERTED have empty spans.

    Columns, not objects, because a text of 1 MB has about 280,000 tokens.
    """

    ids: NDArray[np.uint32]
    byte_starts: NDArray[np.int32]
    byte_ends: NDArray[np.int32]
    char_starts: NDArray[np.int32]
    char_ends: NDArray[np.int32]
    flags: NDArray[np.uint8]
    grown: tuple[bytes, ...] = ()
    """The vocabulary by id, for a tokenizer that builds one from each text; else empty."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def char_spans(self) -> list[tuple[int, int]]:
        """The code points of the text that each token covers, half-open."""
        return [*zip(self.char_starts.tolist(), self.char_ends.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class VocabEntry:
    """One token of a vocabulary.

    `piece` is its spelling in the vocabulary (`▁the`, `##ing`), `raw` the bytes it stands for. A byte-level token that
    is not valid UTF-8 is spelled in hex, `<0xF0><0x9F>`.
    """

    id: int
    piece: str
    raw: bytes
    kind: Kind = "normal"

    @property
    def text(self) -> str | None:
        """The text of its bytes; None where they are not UTF-8 by themselves."""
        try:
            return self.raw.decode()
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True, slots=True)
class Token:
    """One row of an `Encoding` as an object, created only for the tokens that are displayed."""

    index: int
    entry: VocabEntry
    byte_start: int
    byte_end: int
    char_start: int
    char_end: int
    inserted: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """The smallest part of the input that splits neither a token nor a grapheme cluster.

    A cell with several tokens is one cluster they share, such as an emoji. A cell without tokens is a gap: input that
    the tokenizer dropped.
    """

    text: str
    tokens: tuple[Token, ...] = ()


class Tokenizer(Protocol):
    """The interface of every adapter."""

    @property
    def info(self) -> TokenizerInfo: ...

    @property
    def engine(self) -> Engine: ...

    @property
    def nbytes(self) -> int:
        """Estimated memory use after loading, in bytes: measured for each engine, not for each tokenizer."""

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        """Tokenize a text, without adding special tokens around it.

        Raises `LoneSurrogate`, `SpecialTokenRefused`, or `EngineFailed` if the library fails on the text.
        """

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the bytes that ids stand for, joined by the tokenizer's own decoder. Raises `UnknownId`."""

    def entry(self, id: int) -> VocabEntry:
        """Return one token of the vocabulary. Raises `UnknownId`."""


@runtime_checkable
class Staged(Protocol):
    """A tokenizer that can show a text after each stage that precedes the model."""

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the words after each stage; before pre-tokenization the whole text is one word."""


@runtime_checkable
class Bytewise(Protocol):
    """A tokenizer of a library or algorithm that may read bytes."""

    @property
    def encode_bytes(self) -> Callable[[bytes], Sequence[int]] | None:
        """A function from bytes that need not be UTF-8 to ids whose bytes they are; None for one that reads text."""


@runtime_checkable
class Batched(Protocol):
    """A tokenizer whose library gives ids without spans, of a text or of many, in less time than `encode`."""

    def ids(self, text: str) -> Sequence[int]:
        """Return the ids that `encode` gives a text. Raises what `encode` raises."""

    def ids_of_many(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids that `encode` gives each text, without spans. Raises what `encode` raises."""


# Traces: how a text was tokenized, step by step

Merge = tuple[float, int, int, int]
"""One BPE merge: (rank, start, middle, end). It joined symbols `start:middle` and `middle:end` of the word."""
LongestMatch = tuple[int, int, int, int | None]
"""The lookups that begin at one position: (start, end of the longest candidate, end of the last candidate, id). Each
candidate is one symbol shorter than the one before; `id` is that of the last, None if none matched. In a trie, the
longest candidate is where the walk ends: no token begins with more."""
Method = Literal["merges", "attempts", "walks", "lattice", "units"]
"""How the model segments a word: BPE merges · WordPiece's longest match · the longest match on a walk through a trie ·
the best path through a unigram lattice · no algorithm, each token is a word."""


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """A word (pre-token) segmented by the model, and the steps that led there.

    All positions count symbols of the word: bytes if `symbols` is bytes, else characters.

    - `tokens`: (id, start, end). The byte tokens of one character share its span.
    - `merges`, `attempts`: the steps of BPE or of a longest match; a unigram path is recomputed from `Trace.lattice`.
    - `whole`: the word itself is in the vocabulary; its merges only show how it could have been built.
    - `unknown_spans`: (start, end) of characters that are not in the vocabulary.
    - `initial_score`: the running sum of scores with which SentencePiece enters the word, see `Unigram.pieces`.
    - `special`: the word is a special token spelled out in the text.
    """

    symbols: bytes | str
    tokens: Sequence[tuple[int, int, int]]
    merges: Sequence[Merge] = ()
    attempts: Sequence[LongestMatch] = ()
    whole: bool = False
    unknown_spans: Sequence[tuple[int, int]] = ()
    initial_score: float = 0.0
    special: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TracedWord:
    """A word at its place in the input. Equal words share one `Segmentation`."""

    segmentation: Segmentation
    byte_start: int
    byte_end: int


class UnigramSums(NamedTuple):
    """By position of a text, the best sum of scores up to there, the second best, and where the last piece begins."""

    best: list[float]
    second: list[float]
    starts: list[int]
    restarted: bool


class UnigramLattice(Protocol):
    """The pieces and scores of a unigram model, from which the lattice of any word can be drawn."""

    @property
    def longest(self) -> int:
        """The length of the longest piece, in characters."""

    def edges(self, text: str, start: int) -> Iterable[tuple[int, float, int]]:
        """Return (end, score, id) of each piece that begins at a position of the text."""

    def forward(self, text: str, sum_: float) -> UnigramSums:
        """Return the best sums to each position, from the sum of scores before the text."""


class PairRanks(Protocol):
    """The merges of a BPE model that lists pairs: a rank belongs to two parts, not to what they make."""

    def id(self, symbols: bytes | str, start: int, end: int) -> int | None:
        """Return the id of a part of a word, None if it is no token."""

    def rank(self, symbols: bytes | str, start: int, middle: int, end: int) -> float | None:
        """Return the rank of the merge of two adjacent parts of a word, None if the pair is not listed."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodingTrace:
    """How a text was tokenized, word by word, with what is needed to explain each step.

    - `normal`: the normalized text, as the model sees it; `pattern`: the regular expression that splits it into words.
    - `ranks`: by symbols, the rank of each merge; for SentencePiece BPE, the negated score.
    - `ids`: the vocabulary, by symbols.
    - `pairs`: of a model that lists pairs, instead of `ranks` and `ids`.
    - `unknown`: the id for what is not in the vocabulary, -1 for none; with `byte_ids`, the 256 byte tokens instead.
    - `prefix`, `suffix`: the marks of a piece that continues a word (`##`), and of one that ends it (`</w>`).
    - `pretokenized`: the text was split into words, if not by one `pattern`.
    """

    method: Method
    words: Sequence[TracedWord]
    normal: str = ""
    pattern: str = ""
    ranks: Mapping[Any, float] = field(default_factory=dict)
    ids: Mapping[Any, int] = field(default_factory=dict)
    lattice: UnigramLattice | None = None
    unknown: int = -1
    byte_ids: Sequence[int] = ()
    prefix: str = ""
    suffix: str = ""
    pairs: PairRanks | None = None
    pretokenized: bool = False

    def id(self, symbols: bytes | str, start: int, end: int) -> int | None:
        """Return the id of a part of a word, None if it is no token."""
        return self.pairs.id(symbols, start, end) if self.pairs else self.ids.get(symbols[start:end])

    def rank(self, symbols: bytes | str, start: int, middle: int, end: int) -> float | None:
        """Return the rank of the merge of two adjacent parts of a word, None if they do not merge.

        >>> EncodingTrace("merges", (), ranks={b"low": 2}).rank(b"low", 0, 2, 3)
        2
        """
        return self.pairs.rank(symbols, start, middle, end) if self.pairs else self.ranks.get(symbols[start:end])


@runtime_checkable
class Traced(Protocol):
    """A tokenizer that can trace how it tokenizes a text."""

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> EncodingTrace:
        """Return the words of a text, in order, with the steps of each. Raises what `encode` raises."""


# Training

Algorithm = Literal["bpe", "wordpiece", "unigram"]
Unit = Literal["characters", "marked", "bytes"]
"""The base units that words consist of before training: characters · characters with `</w>` at the end · bytes."""
Weighing = Literal["count", "score"]
"""What WordPiece ranks pairs by: their count, as in `tokenizers` · the published score."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainedVocab:
    """The result of training: a vocabulary, and the settings needed to tokenize with it.

    - `pieces`: the spelling of each token in the order of ids, special tokens included; bytes are spelled as in GPT-2.
      With the unit "bytes" the ids are those of minbpe and tiktoken: the 256 bytes by value, the merges in training
      order, the special tokens last. Otherwise special tokens come first, `unknown` among them.
    - `merges`: pairs of ids in training order; empty for WordPiece and Unigram, which do not need them.
    - `scores`: log-probabilities by id, for Unigram, or the scores of BPE that SentencePiece trained; those of special
      tokens and of bytes have no meaning.
    - `pattern`: the regular expression whose matches are the words. The text between matches is dropped. Without a
      pattern the whole text is one word.
    - `marks_spaces`: instead of a pattern, write spaces as ▁ and put one in front of the text, as SentencePiece does.
    - `byte_fallback`: a character that is not in the vocabulary becomes its bytes, the tokens `<0x00>` to `<0xFF>`.
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
    byte_fallback: bool = False
    marks_spaces: bool = False
