"""Tokenize one text with one tokenizer: the function behind the playground, the API and the command line.

`tokenize` returns a `Tokenization`, which holds the text, the tokenizer and an `Encoding`. An encoding is columnar: one
numpy array a property (ids, spans, flags) with one row a token, because a megabyte of text has about 280,000 tokens.
`Tokenization.tokens` builds readable `Token` objects, only for the rows that are accessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from ..errors import EngineFailed, Invalid, LoneSurrogate, TooLarge, join_names, plural
from ..files.spans import concatenate_encodings, count_uncovered, find_gap
from ..files.vocab_entries import make_raw_entry
from ..registry import Registry
from ..types import INSERTED, SPECIAL, Bytewise, Encoding, SpecialPolicy, Token, Tokenizer, VocabEntry


@dataclass(frozen=True)
class Tokenization:
    """A text, the tokenizer that was used, and the resulting encoding.

    `notes` are sentences that every reader of the result must see, for example that another engine answered.
    """

    text: str
    tokenizer: Tokenizer
    encoding: Encoding
    notes: tuple[str, ...] = ()

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8. Byte spans index it."""
        return self.text.encode()

    def entry(self, id: int) -> VocabEntry:
        """Return the vocabulary entry of an id. Raises `UnknownId`."""
        # A tokenizer such as `words` has no fixed vocabulary: its entries are the words of this text.
        grown = self.encoding.grown
        return make_raw_entry(id, grown[id]) if 0 <= id < len(grown) else self.tokenizer.entry(id)

    def tokens(self, start: int = 0, stop: int | None = None) -> Iterator[Token]:
        """Yield the rows from start to stop as `Token` objects."""
        e = self.encoding
        rows = slice(start, stop)
        columns = (e.ids, e.byte_starts, e.byte_ends, e.char_starts, e.char_ends, e.flags)
        entries: dict[int, VocabEntry] = {}
        # One `tolist` a column is much faster than reading numpy scalars row by row.
        lists = (column[rows].tolist() for column in columns)
        for index, (id, b0, b1, c0, c1, flags) in enumerate(zip(*lists, strict=True), start):
            entry = entries.get(id) or entries.setdefault(id, self.entry(id))
            yield Token(
                index=index,
                entry=entry,
                byte_start=b0,
                byte_end=b1,
                char_start=c0,
                char_end=c1,
                inserted=bool(flags & INSERTED),
            )


def tokenize(
    registry: Registry,
    text: str,
    *,
    tokenizer: str,
    engine: str | None = None,
    special: SpecialPolicy = "text",
    add_special_tokens: bool = False,
) -> Tokenization:
    """Tokenize a text.

    `engine` is the reference library of the tokenizer unless one is named. `special` says whether special tokens in
    the text (`<|endoftext|>`) are plain text, parsed as special tokens, or an error. `add_special_tokens` adds
    those that the tokenizer's models expect around a text, such as `[CLS]` and `[SEP]`.

    >>> from tokenarium.registry import Registry
    >>> from tokenarium.settings import Settings
    >>> tokenization = tokenize(Registry(Settings()), "né", tokenizer="bytes")
    >>> tokenization.encoding.ids.tolist(), tokenization.encoding.byte_starts.tolist()
    ([110, 195, 169], [0, 1, 2])

    Raises `UnknownTokenizer`, `UnknownEngine`, `SpecialTokenRefused`, `LoneSurrogate`, `Unavailable`, and `Invalid` for
    another `special`.
    """
    utf8_length(text, pointer="/text")  # raises before a library sees half of a surrogate pair
    check_special(special)
    loaded = registry.get(tokenizer, engine)
    loaded, encoding, notes = encode_whole(registry, loaded, text, special=special)
    if add_special_tokens:
        encoding = with_special_tokens(encoding, loaded, size=(len(text.encode()), len(text)))
    return Tokenization(text, loaded, encoding, notes)


def check_special(special: str, valid: Sequence[str] = get_args(SpecialPolicy)) -> None:
    """Raise `Invalid` for another treatment of special tokens than the valid ones."""
    if special not in valid:
        raise Invalid(f"special must be one of {join_names(valid)}, not {special!r:.40}.", pointer="/special")


def encode_whole(
    registry: Registry, tokenizer: Tokenizer, text: str, *, special: SpecialPolicy
) -> tuple[Tokenizer, Encoding, tuple[str, ...]]:
    """Encode a text by another engine of the tokenizer if its own fails, or loses text although it is lossless.

    Returns who answered, and notes that say so. Raises `EngineFailed` if all fail.
    """
    # Libraries fail on some inputs (tiktoken on a million spaces); the engine written here does not.
    others = [one for one in ("scratch", *tokenizer.info.engines) if one in tokenizer.info.engines]
    failures: list[EngineFailed] = []
    incomplete: tuple[Tokenizer, Encoding] | None = None
    for name in dict.fromkeys((tokenizer.engine, *others)):
        try:
            answering = registry.get(tokenizer.info.id, name) if failures else tokenizer
            encoding = answering.encode(text, special=special)
            lossless = tokenizer.info.lossless
            at = find_gap(encoding, utf8_length(text)) if lossless else None
            if at is not None:
                incomplete = incomplete or (answering, encoding)
                raise EngineFailed(f"{_name_engine(name)} lost text from byte {at:,} on.")
        except EngineFailed as failure:
            failures.append(failure)
        else:
            answer = f"{_name_engine(name)} answered, with the same vocabulary."
            notes = [f"{failure.detail} {answer}" for failure in failures[:1]]
            return answering, encoding, (*notes, *([] if lossless else describe_uncovered(encoding, text)))
    if incomplete is None:
        raise failures[0]
    return *incomplete, (failures[0].detail,)  # every view shows the gap


def describe_uncovered(encoding: Encoding, text: str) -> Iterator[str]:
    """Yield a sentence on the characters of a text that no token covers, if there are some."""
    if lost := count_uncovered(encoding, text):
        number = sum(lost.values())
        shown = ", ".join(f"{char!r}" for char in [*lost][:5])
        yield f"No token stands for {plural(number, 'character')} of the text: {shown}{', …' * (len(lost) > 5)}."


def _name_engine(engine: str) -> str:
    return "The from-scratch engine" if engine == "scratch" else engine


def tokenize_bytes(registry: Registry, data: bytes, *, tokenizer: str, engine: str | None = None) -> Tokenization:
    """Tokenize bytes that need not be UTF-8; the spans are in bytes only, and special tokens are read as plain text.

    Raises `Invalid` for a tokenizer that reads text, if the bytes are none; otherwise what `tokenize` raises.
    """
    try:
        return tokenize(registry, data.decode(), tokenizer=tokenizer, engine=engine)
    except UnicodeDecodeError as error:
        at = error.start
    loaded = registry.get(tokenizer, engine)
    encode = loaded.encode_bytes if isinstance(loaded, Bytewise) else None
    if encode is None:
        message = f"{loaded.info.title} on {loaded.engine} reads text, and byte {at} is not UTF-8."
        raise Invalid(message, pointer="/bytes_base64")
    ids = np.array(encode(data), np.uint32)
    lengths = np.array([len(loaded.entry(id).raw) for id in ids.tolist()], np.int32)
    ends = np.cumsum(lengths, dtype=np.int32)
    none = np.zeros(len(ids), np.int32)
    encoding = Encoding(
        ids=ids,
        byte_starts=ends - lengths,
        byte_ends=ends,
        char_starts=none,
        char_ends=none,
        flags=np.zeros(len(ids), np.uint8),
    )
    return Tokenization(data.decode(errors="replace"), loaded, encoding)


def with_special_tokens(encoding: Encoding, tokenizer: Tokenizer, *, size: tuple[int, int]) -> Encoding:
    """Return an encoding with the tokenizer's prefix and suffix tokens (BOS, EOS, `[CLS]`, `[SEP]`) added.

    `size` is the length of the encoded text in bytes and in code points. The added tokens have empty spans, at 0 and at
    the end of the text.
    """
    info = tokenizer.info
    before, after = ([info.special_tokens[token] for token in side] for side in (info.prefix, info.suffix))
    return concatenate_encodings(
        [_encode_inserted(before), encoding, _encode_inserted(after)], [(0, 0), (0, 0), size], encoding.grown
    )


def _encode_inserted(ids: Sequence[int]) -> Encoding:
    """Return special tokens that cover no input."""
    zeros = np.zeros(len(ids), np.int32)
    flags = np.full(len(ids), SPECIAL | INSERTED, np.uint8)
    return Encoding(
        ids=np.array(ids, np.uint32),
        byte_starts=zeros,
        byte_ends=zeros,
        char_starts=zeros,
        char_ends=zeros,
        flags=flags,
    )


def utf8_length(text: str, *, pointer: str | None = None) -> int:
    """Return the length of a text in UTF-8 bytes.

    >>> utf8_length("é")
    2

    Raises `LoneSurrogate` with the offset of the first one; `pointer` names the field of the request.
    """
    if text.isascii():  # a flag of the string, so the characters are not read
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise LoneSurrogate(error.start, pointer=pointer) from None


def check_batch(batch: Sequence[object], *, limit: int, pointer: str = "/text") -> None:
    """Raise `TooLarge` if a batch has more than `limit` inputs."""
    if len(batch) > limit:
        raise TooLarge(f"The batch has {len(batch):,} inputs; the limit is {limit:,}.", pointer=pointer, limit=limit)


def check_length(texts: Sequence[str], *, limit: int, pointer: str = "/text") -> None:
    """Raise `TooLarge` if texts have more than `limit` UTF-8 bytes in total, `LoneSurrogate` if one is not valid."""
    batch = len(texts) > 1
    size = sum(utf8_length(text, pointer=f"{pointer}/{i}" if batch else pointer) for i, text in enumerate(texts))
    if size > limit:
        raise TooLarge(f"The text has {size:,} bytes; the limit is {limit:,}.", limit=limit)
