"""What Hugging Face `tokenizers` (0.23) does with the tokens of a text: pairs, truncation, special tokens, padding.

`post_processors` does it for the ids of one text; here tokens keep all that a model reads: type ids, the attention
mask, the mask of special tokens, and the parts of a text that truncation cuts off (`overflowing`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Literal, NamedTuple, Protocol

from ...errors import Invalid
from .post_processors import trim_spaces

Side = Literal["left", "right"]
Strategy = Literal["longest_first", "only_first", "only_second"]
MAX_TOKENS = 1_000_000
"""The maximum number of tokens of all overflowing parts together, or of a padded batch."""


class Token(NamedTuple):
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
class Encoded:
    """The tokens of a text or a pair, and the parts that were cut off, each as long as the tokens with its overlap."""

    tokens: tuple[Token, ...] = ()
    overflowing: tuple["Encoded", ...] = ()

    def __len__(self) -> int:
        return len(self.tokens)

    def typed(self, type_id: int) -> "Encoded":
        """Return it with one type id; that of overflowing parts stays, as in the library."""
        return replace(self, tokens=tuple(token._replace(type_id=type_id) for token in self.tokens))


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


def truncated(encoded: Encoded, max_length: int, *, stride: int = 0, direction: Side = "right") -> Encoded:
    """Return the first tokens, or the last with the direction "left"; the others are `overflowing`.

    >>> part = truncated(Encoded(tuple(Token(id, "") for id in range(5))), 3, stride=1)
    >>> [token.id for token in part.tokens], [[token.id for token in rest.tokens] for rest in part.overflowing]
    ([0, 1, 2], [[2, 3, 4]])

    Raises `Invalid` for a stride that is not shorter than what is kept.
    """
    size = len(encoded)
    if max_length >= size:
        return encoded
    if max_length == 0:
        return Encoded((), (encoded,))
    if stride >= max_length:
        raise Invalid(f"A stride of {stride} leaves nothing new in a part of {max_length} tokens.", pointer="/stride")
    spans = [*_parts(size, max_length, max_length - stride, direction)]
    if len(spans) * max_length > MAX_TOKENS:
        raise Invalid(f"Truncation makes {len(spans):,} parts of {max_length:,} tokens, which are too many.")
    first, *others = (Encoded(encoded.tokens[start:stop]) for start, stop in spans)
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


def truncated_pair(encodings: Sequence[Encoded], limit: int, options: Truncation) -> list[Encoded]:
    """Truncate a text, or a text and its pair, to `limit` tokens together. Raises `Invalid`."""
    total = sum(map(len, encodings))
    cut = partial(truncated, stride=options.stride, direction=options.direction)
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
        short, long = limit // 2, limit - limit // 2
    return [long, short] if lengths[0] > lengths[1] else [short, long]


def merged(one: Encoded, other: Encoded) -> Encoded:
    """Return the tokens of both; as in the library, the overflowing parts of each are combined with the other."""
    overflowing: list[Encoded] = []
    for part in one.overflowing:
        overflowing += [merged(part, other), *(merged(part, rest) for rest in other.overflowing)]
    overflowing += [merged(one, rest) for rest in other.overflowing]
    return Encoded(one.tokens + other.tokens, tuple(overflowing))


def joined(encodings: Iterable[Encoded]) -> Encoded:
    """Return several encodings as one."""
    return reduce(merged, encodings, Encoded())


def padded(encoded: Encoded, length: int, options: Padding) -> Encoded:
    """Fill up to a length, the overflowing parts too.

    >>> [(token.text, token.attended) for token in padded(Encoded((Token(7, "a"),)), 2, Padding()).tokens]
    [('a', True), ('[PAD]', False)]
    """
    token = Token(options.pad_id, options.pad_token, 0, 0, options.pad_type_id, True, False)
    filling = (token,) * max(0, length - len(encoded))
    tokens = filling + encoded.tokens if options.direction == "left" else encoded.tokens + filling
    return Encoded(tokens, tuple(padded(part, length, options) for part in encoded.overflowing))


def padded_batch(batch: Sequence[Encoded], options: Padding) -> list[Encoded]:
    """Fill up every encoding of a batch to the same length; overflowing parts do not count for the longest.

    Raises `Invalid` if that makes too many tokens.
    """
    length = max(map(len, batch), default=0) if options.length is None else options.length
    multiple = options.pad_to_multiple_of
    if multiple:
        length += -length % multiple
    if length * sum(map(_count, batch)) > MAX_TOKENS:
        raise Invalid(f"Padding to {length:,} tokens makes more than {MAX_TOKENS:,} of them.", pointer="/padding")
    return [padded(one, length, options) for one in batch]


def _count(encoded: Encoded) -> int:
    return 1 + sum(map(_count, encoded.overflowing))


class PostProcessor(Protocol):
    """Adds special tokens to one text or two, which stay apart until the last post-processor has acted."""

    def added_tokens(self, pair: bool) -> int:
        """Return the number of tokens that it adds."""

    def process(self, encodings: list[Encoded], around: bool) -> list[Encoded]:
        """Change the encodings; `around`: add special tokens."""


@dataclass(frozen=True, slots=True)
class ByteLevel:
    """Removes spaces from the ends of spans."""

    trim: bool = True
    prefix_space: bool = True

    def added_tokens(self, pair: bool) -> int:
        return 0

    def process(self, encodings: list[Encoded], around: bool) -> list[Encoded]:
        return [_trimmed(one, prefix_space=self.prefix_space) for one in encodings] if self.trim else encodings


def _trimmed(encoded: Encoded, *, prefix_space: bool) -> Encoded:
    rows = [(token.id, token.start, token.end) for token in encoded.tokens]
    rows = trim_spaces(prefix_space=prefix_space)(rows, [token.text for token in encoded.tokens], False)
    tokens = tuple(
        token._replace(start=start, end=end) for token, (_, start, end) in zip(encoded.tokens, rows, strict=True)
    )
    return Encoded(tokens, tuple(_trimmed(part, prefix_space=prefix_space) for part in encoded.overflowing))


@dataclass(frozen=True, slots=True)
class Bert:
    """`[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]` with the type id 1 for B and its end (Devlin et al. 2019)."""

    cls: tuple[str, int]
    sep: tuple[str, int]

    def added_tokens(self, pair: bool) -> int:
        return 3 if pair else 2

    def process(self, encodings: list[Encoded], around: bool) -> list[Encoded]:
        cls, sep = (_special(*one) for one in (self.cls, self.sep))
        return [
            _surrounded(one, [sep._replace(type_id=1)] if i else [sep], [] if i else [cls]) if around else one
            for i, one in enumerate(encodings)
        ]


@dataclass(frozen=True, slots=True)
class Roberta:
    """`<s> A </s>`, and `<s> A </s></s> B </s>`; every type id is 0 (Liu et al. 2019)."""

    cls: tuple[str, int]
    sep: tuple[str, int]
    trim: bool = True
    prefix_space: bool = True

    def added_tokens(self, pair: bool) -> int:
        return 4 if pair else 2

    def process(self, encodings: list[Encoded], around: bool) -> list[Encoded]:
        parts = ByteLevel(self.trim, self.prefix_space).process(encodings, around)
        parts = [replace(one.typed(0), overflowing=one.overflowing) for one in parts]
        if not around:
            return parts
        cls, sep = (_special(*one) for one in (self.cls, self.sep))
        around_parts = [_surrounded(one, [sep], [sep] if i else [cls]) for i, one in enumerate(parts)]
        return [_all_typed(one, 0) for one in around_parts]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a template: the name of a special token, or the text A or B as 0 or 1; with a type id."""

    what: str | int
    type_id: int = 0


@dataclass(frozen=True, slots=True)
class Template:
    """Writes special tokens and texts in the order of a template; `tokens` are ids and spellings by name."""

    single: tuple[Step, ...]
    pair: tuple[Step, ...]
    tokens: Mapping[str, tuple[tuple[int, str], ...]]

    def added_tokens(self, pair: bool) -> int:
        steps = self.pair if pair else self.single
        return sum(len(self.tokens[step.what]) for step in steps if isinstance(step.what, str))

    def process(self, encodings: list[Encoded], around: bool) -> list[Encoded]:
        parts: list[Encoded] = []
        steps = self.pair if len(encodings) > 1 else self.single
        texts = [step.what for step in steps if isinstance(step.what, int)]
        if encodings and (not texts or max(texts) >= len(encodings)):
            detail = "The template has no text, or more texts than there are."
            raise Invalid(detail, pointer="/post_processor")  # the library panics, or drops the text
        for step in steps:
            if isinstance(step.what, int):
                encodings[step.what] = encodings[step.what].typed(step.type_id)
                parts.append(encodings[step.what])
            elif around:
                parts.append(Encoded(tuple(_special(text, id, step.type_id) for id, text in self.tokens[step.what])))
        return parts


def _special(text: str, id: int, type_id: int = 0) -> Token:
    return Token(id, text, 0, 0, type_id, True)


def _surrounded(encoded: Encoded, after: Sequence[Token], before: Sequence[Token]) -> Encoded:
    overflowing = tuple(_surrounded(part, after, before) for part in encoded.overflowing)
    return Encoded((*before, *encoded.tokens, *after), overflowing)


def _all_typed(encoded: Encoded, type_id: int) -> Encoded:
    return Encoded(encoded.typed(type_id).tokens, tuple(_all_typed(part, type_id) for part in encoded.overflowing))


def finished(
    encodings: Sequence[Encoded],
    processors: Sequence[PostProcessor],
    *,
    truncation: Truncation | None = None,
    around: bool = True,
) -> list[list[Encoded]]:
    """Return the encodings of a text (and its pair) after truncation, and after each post-processor.

    `joined` makes one of the last. Raises `Invalid` if the special tokens alone are as long as an encoding may be.
    """
    states = [[*encodings]]
    if truncation is not None:
        added = sum(one.added_tokens(len(encodings) > 1) for one in processors) if around else 0
        if added and truncation.max_length <= added:
            raise Invalid(f"max_length must be above {added}, the number of special tokens.", pointer="/max_length")
        states[0] = truncated_pair(encodings, truncation.max_length - added, truncation)
        counts = [1 + len(one.overflowing) for one in states[0]]
        if len(counts) > 1 and min(counts) > 1 and counts[0] * counts[1] * truncation.max_length > MAX_TOKENS:
            raise Invalid(f"Truncation of both texts makes {counts[0] * counts[1]:,} combinations of their parts.")
    for processor in processors:
        states.append(processor.process([*states[-1]], around))
    return states
