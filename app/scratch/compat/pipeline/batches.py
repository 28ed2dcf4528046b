"""Truncation and padding of Hugging Face `tokenizers` (0.23): batches, pairs, and what overflows.

Tokens have all that a model reads: type ids, the attention mask, the mask of special tokens. `post_processors` adds the
special tokens between truncation and padding.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Literal, NamedTuple

from ....errors import Invalid

Side = Literal["left", "right"]
Strategy = Literal["longest_first", "only_first", "only_second"]
MAX_TOKENS = 1_000_000
"""The maximum number of tokens of all overflowing parts together, or of a padded batch."""


class PipelineToken(NamedTuple):
    """A token with its span in code points of its text; `sequence` is 0 for the first text, 1 for the second."""

    id: int
    text: str
    start: int = 0
    end: int = 0
    type_id: int = 0
    special: bool = False
    attended: bool = True
    sequence: int | None = None


@dataclass(frozen=True)
class PipelineEncoding:
    """The tokens of a text or a pair, and the parts that were cut off, each as long as the tokens with its overlap."""

    tokens: tuple[PipelineToken, ...] = ()
    overflowing: tuple["PipelineEncoding", ...] = ()

    def __len__(self) -> int:
        return len(self.tokens)

    def with_type_id(self, type_id: int) -> "PipelineEncoding":
        """Return it with one type id; that of overflowing parts stays, as in the library."""
        tokens = (token if token.type_id == type_id else token._replace(type_id=type_id) for token in self.tokens)
        return replace(self, tokens=tuple(tokens))


@dataclass(frozen=True, slots=True)
class Truncation:
    """How long an encoding may be, with special tokens; `stride` tokens of each part are repeated in the next."""

    max_length: int = 512
    stride: int = 0
    strategy: Strategy = "longest_first"
    direction: Side = "right"


@dataclass(frozen=True, slots=True)
class Padding:
    """How encodings are filled up: to a `length`, or else to the longest of the batch; then to a multiple."""

    length: int | None = None
    direction: Side = "right"
    pad_to_multiple_of: int | None = None
    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"


def truncate(
    encoded: PipelineEncoding, max_length: int, *, stride: int = 0, direction: Side = "right"
) -> PipelineEncoding:
    """Return the first tokens, or the last with the direction "left"; the others are `overflowing`.

    >>> part = truncate(PipelineEncoding(tuple(PipelineToken(id, "") for id in range(5))), 3, stride=1)
    >>> [token.id for token in part.tokens], [[token.id for token in rest.tokens] for rest in part.overflowing]
    ([0, 1, 2], [[2, 3, 4]])

    Raises `Invalid` for a stride that is not shorter than what is kept.
    """
    size = len(encoded)
    if max_length >= size:
        return encoded
    if max_length == 0:
        return PipelineEncoding((), (encoded,))
    if stride >= max_length:
        raise Invalid(f"A stride of {stride} leaves nothing new in a part of {max_length} tokens.", pointer="/stride")
    spans = [*_parts(size, max_length, max_length - stride, direction)]
    if len(spans) * max_length > MAX_TOKENS:
        raise Invalid(f"Truncation makes {len(spans):,} parts of {max_length:,} tokens, which are too many.")
    first, *others = (PipelineEncoding(encoded.tokens[start:stop]) for start, stop in spans)
    return replace(first, overflowing=tuple(others))


def _parts(size: int, length: int, step: int, direction: Side) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text until one reaches its other end."""
    if direction == "right":
        for start in range(0, size, step):
            yield start, min(start + length, size)
            if start + length >= size:
                return
    for stop in range(size, 0, -step):
        yield max(0, stop - length), stop
        if stop <= length:
            return


def truncate_pair(encodings: Sequence[PipelineEncoding], limit: int, options: Truncation) -> list[PipelineEncoding]:
    """Truncate a text, or a text and its pair, to `limit` tokens together. Raises `Invalid`."""
    total = sum(map(len, encodings))
    cut = partial(truncate, stride=options.stride, direction=options.direction)
    if limit and total <= limit:
        return [*encodings]
    if not limit or options.strategy == "longest_first":
        lengths = [0, 0] if not limit else _longest_first([*map(len, encodings)], limit)
        return [cut(one, length) for one, length in zip(encodings, lengths, strict=False)]
    chosen = int(options.strategy == "only_second")
    if chosen >= len(encodings):
        raise Invalid("There is no second text to truncate.", pointer="/strategy")
    kept = len(encodings[chosen]) - (total - limit)
    if kept <= 0:
        raise Invalid("The text to truncate is too short for what must be removed.", pointer="/strategy")
    return [cut(one, kept) if i == chosen else one for i, one in enumerate(encodings)]


def _longest_first(lengths: Sequence[int], limit: int) -> list[int]:
    """Return the lengths that are kept: the shorter text stays whole unless both are longer than half.

    >>> _longest_first([2, 9], 8), _longest_first([9, 7], 8)
    ([2, 6], [4, 4])
    """
    if len(lengths) == 1:
        return [limit]
    short, long = sorted(lengths)
    long = short if short > limit else max(short, limit - short)
    if short + long > limit:
        short = limit // 2
        long = limit - limit // 2
    return [long, short] if lengths[0] > lengths[1] else [short, long]


def merge_encodings(one: PipelineEncoding, other: PipelineEncoding) -> PipelineEncoding:
    """Return the tokens of both; as in the library, the overflowing parts of each are combined with the other."""
    overflowing: list[PipelineEncoding] = []
    for part in one.overflowing:
        overflowing += [merge_encodings(part, other), *(merge_encodings(part, rest) for rest in other.overflowing)]
    overflowing += [merge_encodings(one, rest) for rest in other.overflowing]
    return PipelineEncoding(one.tokens + other.tokens, tuple(overflowing))


def join_encodings(encodings: Iterable[PipelineEncoding]) -> PipelineEncoding:
    """Return several encodings as one."""
    return reduce(merge_encodings, encodings, PipelineEncoding())


def pad(encoded: PipelineEncoding, length: int, options: Padding) -> PipelineEncoding:
    """Fill up to a length, the overflowing parts too.

    >>> one = PipelineEncoding((PipelineToken(7, "a"),))
    >>> [(token.text, token.attended) for token in pad(one, 2, Padding()).tokens]
    [('a', True), ('[PAD]', False)]
    """
    token = PipelineToken(
        id=options.pad_id,
        text=options.pad_token,
        start=0,
        end=0,
        type_id=options.pad_type_id,
        special=True,
        attended=False,
    )
    filling = (token,) * max(0, length - len(encoded))
    tokens = filling + encoded.tokens if options.direction == "left" else encoded.tokens + filling
    return PipelineEncoding(tokens, tuple(pad(part, length, options) for part in encoded.overflowing))


def pad_batch(batch: Sequence[PipelineEncoding], options: Padding) -> list[PipelineEncoding]:
    """Fill up every encoding of a batch to the same length; overflowing parts do not count for the longest.

    Raises `Invalid` if that makes too many tokens.
    """
    length = max(map(len, batch), default=0) if options.length is None else options.length
    multiple = options.pad_to_multiple_of
    if multiple:
        length += -length % multiple
    if length * sum(map(_count, batch)) > MAX_TOKENS:
        raise Invalid(f"Padding to {length:,} tokens makes more than {MAX_TOKENS:,} of them.", pointer="/padding")
    return [pad(one, length, options) for one in batch]


def _count(encoded: PipelineEncoding) -> int:
    return 1 + sum(map(_count, encoded.overflowing))
