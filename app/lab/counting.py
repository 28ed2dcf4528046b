"""Count the tokens of a long text part by part, in memory that does not grow with it, on all cores.

The numbers of tokens of its parts add up to that of the text, see `text_splitter`.
"""

from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain

from ..errors import BadEncoding, EngineFailed
from ..registry import Registry
from ..settings import CORES
from ..types import Batched, Engine, SpecialPolicy

PART = 1 << 19
"""Characters of a part, at least: what each thread needs some megabytes for."""


@dataclass(frozen=True, slots=True)
class Count:
    """The counts of a text; `characters` are code points, `bytes` those of its UTF-8."""

    tokenizer: str
    engine: Engine
    count: int
    characters: int
    bytes: int
    notes: tuple[str, ...] = ()


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
    loaded = registry.get(tokenizer, engine)
    used = loaded.engine

    def count(text: str, *, add_special_tokens: bool = False) -> Count:
        if special == "text" and info.lossless and isinstance(loaded, Batched):  # of no other part are there notes
            with suppress(EngineFailed, UnicodeEncodeError):
                number = len(loaded.ids(text)) + add_special_tokens * len((*info.prefix, *info.suffix))
                return Count(info.id, used, number, len(text), len(text.encode()))
        from .tokenize import tokenize  # with numpy, which a count is spared

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
        from .text_splitter import find_splitter  # with all that pipelines consist of, which a short text is spared

        head.append(after)
        cut = find_splitter(registry, tokenizer, used, special)
    if cut is None:
        return count("".join([*head, *pieces]), add_special_tokens=add_special_tokens)

    def count_part(numbered: tuple[int, str]) -> Count:
        number, part = numbered
        counted = count(cut.trim(number, part))
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
