"""Count the tokens of a long text part by part, in memory that does not grow with it, on all cores.

A text is cut before a space between two letters or digits, if no token of the tokenizer can reach across such a place:
the numbers of tokens of its parts then add up to that of the text. Tokenizers of which this is not known count the
text as a whole. So do unigram models of SentencePiece (T5, uMT5, XLM-R), whose sums of scores are rounded and run
through all of a text: which of two nearly equal segmentations wins can depend on what stands before them.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain

import regex

from ..adapters.segment_rules import find_no_split_characters, is_cut_after_words, may_be_counted_apart
from ..errors import BadEncoding
from ..formats.rwkv_vocab import load_rwkv_vocab
from ..formats.sentencepiece_model import load_model
from ..formats.tokenizer_json import TokenizerJson
from ..registry import Registry
from ..scratch.fast.segments import ends_before_spaces
from ..settings import CORES
from ..store import Record
from ..types import Engine, SpecialPolicy
from .tokenize import tokenize

PART = 1 << 19
"""Characters of a part, at least: what each thread needs some megabytes for."""
ALNUM = r"[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}--\p{Grapheme_Cluster_Break=Prepend}]"
LAST_CUT = regex.compile(rf"(?r)(?<={ALNUM}) (?={ALNUM})", regex.V1)
"""The last place where a text may be cut; the space begins the next part."""
BEGINS_OR_ENDS = regex.compile(rf"{ALNUM}.*|.*{ALNUM}", regex.V1 | regex.S)
CUT = regex.compile(rf"{ALNUM} {ALNUM}", regex.V1)
MARKED_CUT = regex.compile(rf"{ALNUM}▁{ALNUM}", regex.V1)
BEFORE_SPACE = re.compile(rb"[0-9A-Za-z\x80-\xff] ")
"""Bytes that may end a letter or a digit, and a space: a token that contains them reaches across a cut."""
WORDS = r"(?s)\w+|."
"""A pattern whose matches are words without spaces, or single characters."""
INTERSECTION = regex.compile(r"&&\[\^(?:\\.|[^\[\]\\])*\]")
"""What removes characters from a set of a pattern."""


@dataclass(frozen=True, slots=True)
class Count:
    """The counts of a text; `characters` are code points, `bytes` those of its UTF-8."""

    tokenizer: str
    engine: Engine
    count: int
    characters: int
    bytes: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextSplitter:
    """How a text is cut.

    `keeps_space`: the space that begins a part is tokenized. If not, the tokenizer puts one in front of every text.
    """

    keeps_space: bool

    def parts(self, texts: Iterable[str], *, size: int = PART) -> Iterator[str]:
        """Yield the parts of a text that comes in pieces, each of `size` characters or somewhat more.

        >>> [*TextSplitter(keeps_space=True).parts(["one two", " three"], size=5)]
        ['one', ' two', ' three']
        """
        rest = ""
        searched = 0
        for text in texts:
            rest += text
            if len(rest) < size:
                continue
            match = LAST_CUT.search(rest, max(0, searched - 2))
            searched = len(rest)
            if match is not None:
                yield rest[: match.start()]
                rest = rest[match.start() :]
                searched = 0
        if rest:
            yield rest


def count_tokens(
    registry: Registry,
    texts: Iterable[str],
    *,
    tokenizer: str,
    engine: str | None = None,
    special: SpecialPolicy = "text",
    add_special_tokens: bool = False,
    size: int = PART,
) -> Count:
    """Count the tokens of a text that comes in pieces; the options are those of `tokenize`, as are the exceptions.

    `size`: the characters of a part, at least.

    >>> from tokenarium.settings import Settings
    >>> count_tokens(Registry(Settings()), ["n", "é"], tokenizer="bytes").count
    3
    """
    info = registry.info(tokenizer)
    pieces = iter(texts)
    used = registry.get(tokenizer, engine).engine

    def count(text: str, *, add_special_tokens: bool = False) -> Count:
        tokenization = tokenize(
            registry, text, tokenizer=tokenizer, engine=engine, special=special, add_special_tokens=add_special_tokens
        )
        return Count(
            tokenizer=info.id,
            engine=tokenization.tokenizer.engine,
            count=len(tokenization.encoding),
            characters=len(text),
            bytes=len(tokenization.data),
            notes=tokenization.notes,
        )

    head = [*_until(pieces, 2 * size)]
    cut = None
    if (after := next(pieces, None)) is not None:  # a short text has no use for a cut
        head.append(after)
        cut = find_splitter(registry, tokenizer, used, special)
    if cut is None:
        return count("".join([*head, *pieces]), add_special_tokens=add_special_tokens)
    skipped = 0 if cut.keeps_space else 1

    def count_part(numbered: tuple[int, str]) -> Count:
        number, part = numbered
        counted = count(part[skipped:] if number else part)
        return replace(counted, characters=len(part), bytes=len(part.encode()))

    parts = cut.parts(chain(head, pieces), size=size)
    # Python's engines are not faster in threads, where the time limit of a pattern would count the work of all.
    each = map if used == "scratch" else _in_threads
    total = reduce(_add, each(count_part, enumerate(parts)))
    return replace(total, count=total.count + add_special_tokens * len((*info.prefix, *info.suffix)))


def _until(texts: Iterator[str], size: int) -> Iterator[str]:
    """Yield pieces of a text until together they have a number of characters."""
    while size > 0 and (text := next(texts, None)) is not None:
        size -= len(text)
        yield text


def _add(a: Count, b: Count) -> Count:
    """Return the counts of two parts of a text; if another engine answered for one, it is named."""
    notes = tuple(dict.fromkeys((*a.notes, *b.notes)))
    sums = {name: getattr(a, name) + getattr(b, name) for name in ("count", "characters", "bytes")}
    return replace(a if a.notes or not b.notes else b, notes=notes, **sums)


def _in_threads(function: Callable[[tuple[int, str]], Count], parts: Iterable[tuple[int, str]]) -> Iterator[Count]:
    """Yield the results of numbered parts, in order, of which few are in memory at a time.

    Threads share one vocabulary, and the libraries release the GIL.
    """
    pending: deque[Future[Count]] = deque()
    with ThreadPoolExecutor(CORES) as threads:
        for part in parts:
            pending.append(threads.submit(function, part))
            if len(pending) > CORES:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def find_splitter(registry: Registry, id: str, engine: Engine, special: SpecialPolicy) -> TextSplitter | None:
    """Return how texts may be cut for a tokenizer on one of its engines; None if not at all, or not known."""
    record = registry.record(id)
    info = record.info
    if special == "refuse" or engine == "transformers" or not record.spec:  # a refusal names the place in the text
        return None
    if any(CUT.search(token) for token in (*info.special_tokens, *info.added_tokens)):
        return None
    if (file := record.tokenizer_json()) is not None:
        return TextSplitter(keeps_space=True) if _is_separable(file) else None
    if "minbpe" not in record.spec and "ranks" not in record.spec and info.family in ("bpe", "unigram"):
        return TextSplitter(keeps_space=False) if _is_scored_bpe(record) else None
    if info.family in ("byte", "character", "wordpiece") or record.spec.get("pattern") == WORDS:
        return TextSplitter(keeps_space=True)
    if info.family == "longest-match":  # the longest token is looked for from where the last one ends
        crossing = any(map(BEFORE_SPACE.search, load_rwkv_vocab(record.only_file())))
        return None if crossing else TextSplitter(keeps_space=True)
    pattern = INTERSECTION.sub("", record.spec.get("pattern", ""))  # larger sets match no less
    return TextSplitter(keeps_space=True) if pattern and ends_before_spaces(pattern) else None


def _is_separable(file: TokenizerJson) -> bool:
    """True if no component of a pipeline reaches across a cut, nor puts something in front of each part."""
    separable = find_no_split_characters(file) is not None or is_cut_after_words(file)
    return separable and may_be_counted_apart(file) and all(part.type != "Prepend" for part in file.normalizers)


def _is_scored_bpe(record: Record) -> bool:
    """True for a SentencePiece BPE model that puts a space in front of each text, and of which no token crosses."""
    model = load_model(record.only_file())
    tokens = (*record.info.special_tokens, *record.info.added_tokens)
    plain = model.add_dummy_prefix and model.escape_whitespaces and not model.whitespace_as_suffix
    crossing = any(MARKED_CUT.search(piece.text) for piece in model.pieces)
    # Beside a token that is matched in the text, a part would not get the space that was cut away.
    return model.algorithm == "bpe" and plain and not crossing and not any(BEGINS_OR_ENDS.fullmatch(t) for t in tokens)


def decode_stream(data: Iterable[bytes]) -> Iterator[str]:
    """Yield the text of UTF-8 bytes that come in pieces. Raises `BadEncoding` with the place of the first bad byte.

    >>> [*decode_stream([b"n\\xc3", b"\\xa9"])]
    ['n', 'é', '']
    """
    decoder = getincrementaldecoder("utf-8")()
    position = 0
    for piece in chain(data, [b""]):
        before = len(decoder.getstate()[0])
        try:
            yield decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            raise BadEncoding(f"Byte {position - before + error.start} is not UTF-8.") from None
        position += len(piece)
