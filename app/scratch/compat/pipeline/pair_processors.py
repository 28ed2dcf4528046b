"""The post-processors of Hugging Face `tokenizers` (0.23) for one text and for two, with type ids and masks.

`post_processors` does it for the ids of one text alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ....errors import Invalid
from .batches import MAX_TOKENS, PipelineEncoding, PipelineToken, Truncation, truncate_pair
from .post_processors import trim_spaces


class PostProcessor(Protocol):
    """Adds special tokens to one text or two, which stay apart until the last post-processor has acted."""

    def count_added_tokens(self, pair: bool) -> int:
        """Return the number of tokens that it adds."""

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        """Change the encodings; `add_special_tokens`: add special tokens."""


@dataclass(frozen=True, slots=True)
class ByteLevelPostProcessor:
    """Removes spaces from the ends of spans."""

    trim: bool = True
    prefix_space: bool = True

    def count_added_tokens(self, pair: bool) -> int:
        return 0

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        return [_trim(one, prefix_space=self.prefix_space) for one in encodings] if self.trim else encodings


def _trim(encoded: PipelineEncoding, *, prefix_space: bool) -> PipelineEncoding:
    rows = [(token.id, token.start, token.end) for token in encoded.tokens]
    rows = trim_spaces(prefix_space=prefix_space)(rows, [token.text for token in encoded.tokens], False)
    tokens = tuple(
        token._replace(start=start, end=end) for token, (_, start, end) in zip(encoded.tokens, rows, strict=True)
    )
    return PipelineEncoding(tokens, tuple(_trim(part, prefix_space=prefix_space) for part in encoded.overflowing))


@dataclass(frozen=True, slots=True)
class BertPostProcessor:
    """`[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]` with the type id 1 for B and its end (Devlin et al. 2019)."""

    cls: tuple[str, int]
    sep: tuple[str, int]

    def count_added_tokens(self, pair: bool) -> int:
        return 3 if pair else 2

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        cls, sep = (_special(*one) for one in (self.cls, self.sep))
        return [
            _surround(one, [sep._replace(type_id=1)] if i else [sep], [] if i else [cls]) if add_special_tokens else one
            for i, one in enumerate(encodings)
        ]


@dataclass(frozen=True, slots=True)
class RobertaPostProcessor:
    """`<s> A </s>`, and `<s> A </s></s> B </s>`; every type id is 0 (Liu et al. 2019)."""

    cls: tuple[str, int]
    sep: tuple[str, int]
    trim: bool = True
    prefix_space: bool = True

    def count_added_tokens(self, pair: bool) -> int:
        return 4 if pair else 2

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        parts = ByteLevelPostProcessor(self.trim, self.prefix_space).process(encodings, add_special_tokens)
        parts = [replace(one.with_type_id(0), overflowing=one.overflowing) for one in parts]
        if not add_special_tokens:
            return parts
        cls, sep = (_special(*one) for one in (self.cls, self.sep))
        around_parts = [_surround(one, [sep], [sep] if i else [cls]) for i, one in enumerate(parts)]
        return [_set_type_ids(one, 0) for one in around_parts]


@dataclass(frozen=True, slots=True)
class TemplateStep:
    """A step of a template: the name of a special token, or the text A or B as 0 or 1; with a type id."""

    what: str | int
    type_id: int = 0


@dataclass(frozen=True, slots=True)
class TemplatePostProcessor:
    """Writes special tokens and texts in the order of a template; `tokens` are ids and spellings by name."""

    single: tuple[TemplateStep, ...]
    pair: tuple[TemplateStep, ...]
    tokens: Mapping[str, tuple[tuple[int, str], ...]]

    def count_added_tokens(self, pair: bool) -> int:
        steps = self.pair if pair else self.single
        return sum(len(self.tokens[step.what]) for step in steps if isinstance(step.what, str))

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        parts: list[PipelineEncoding] = []
        steps = self.pair if len(encodings) > 1 else self.single
        texts = [step.what for step in steps if isinstance(step.what, int)]
        if encodings and (not texts or max(texts) >= len(encodings)):
            detail = "The template has no text, or more texts than there are."
            raise Invalid(detail, pointer="/post_processor")  # the library panics, or drops the text
        for step in steps:
            if isinstance(step.what, int):
                encodings[step.what] = encodings[step.what].with_type_id(step.type_id)
                parts.append(encodings[step.what])
            elif add_special_tokens:
                parts.append(
                    PipelineEncoding(tuple(_special(text, id, step.type_id) for id, text in self.tokens[step.what]))
                )
        return parts


def _special(text: str, id: int, type_id: int = 0) -> PipelineToken:
    return PipelineToken(id=id, text=text, start=0, end=0, type_id=type_id, special=True)


def _surround(
    encoded: PipelineEncoding, after: Sequence[PipelineToken], before: Sequence[PipelineToken]
) -> PipelineEncoding:
    overflowing = tuple(_surround(part, after, before) for part in encoded.overflowing)
    inner = [token._replace(special=False) for token in encoded.tokens]  # the library writes the mask anew
    return PipelineEncoding((*before, *inner, *after), overflowing)


def _set_type_ids(encoded: PipelineEncoding, type_id: int) -> PipelineEncoding:
    return PipelineEncoding(
        encoded.with_type_id(type_id).tokens, tuple(_set_type_ids(part, type_id) for part in encoded.overflowing)
    )


def apply_post_processors(
    encodings: Sequence[PipelineEncoding],
    processors: Sequence[PostProcessor],
    *,
    truncation: Truncation | None = None,
    add_special_tokens: bool = True,
) -> list[list[PipelineEncoding]]:
    """Return the encodings of a text (and its pair) after truncation, and after each post-processor.

    `joined` makes one of the last. Raises `Invalid` if the special tokens alone are longer than an encoding may be.
    """
    states = [[*encodings]]
    if truncation is not None:
        added = sum(one.count_added_tokens(len(encodings) > 1) for one in processors) if add_special_tokens else 0
        if truncation.max_length < added:  # the library truncates nothing then: its number wraps around
            detail = f"max_length must be at least {added}, the number of special tokens."
            raise Invalid(detail, pointer="/max_length")
        states[0] = truncate_pair(encodings, truncation.max_length - added, truncation)
        counts = [1 + len(one.overflowing) for one in states[0]]
        if len(counts) > 1 and min(counts) > 1 and counts[0] * counts[1] * truncation.max_length > MAX_TOKENS:
            raise Invalid(f"Truncation of both texts makes {counts[0] * counts[1]:,} combinations of their parts.")
    for processor in processors:
        states.append(processor.process([*states[-1]], add_special_tokens))
    return states
