"""The post-processors of Hugging Face `tokenizers` (0.23): change the tokens of one text or two after the model.

They add special tokens, type ids and masks. `ByteLevel` is also a pre-tokenizer, and stands there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from ....errors import BadFile, Invalid
from .batches import MAX_TOKENS, PipelineEncoding, PipelineToken, Truncation, truncate_pair
from .component import PostProcessorComponent, initial
from .normalizers import WHITE

TRIMMED = "Ġ" + WHITE
"""What `trim_offsets` takes off the ends of a token."""
SpecialToken = tuple[str, int]
SpecialTokens = Mapping[str, tuple[tuple[int, str], ...]]
"""The ids and spellings of special tokens by the names that a template has for them."""


def trim_spaces(encoded: PipelineEncoding, *, prefix_space: bool) -> PipelineEncoding:
    """Remove spaces from the ends of byte-level spans; with `prefix_space`, a first one may be inserted.

    >>> tokens = (PipelineToken(5, "Ġhi", 0, 2), PipelineToken(6, "Ġyo", 2, 5))
    >>> [(token.start, token.end) for token in trim_spaces(PipelineEncoding(tokens), prefix_space=True).tokens]
    [(0, 2), (3, 5)]
    """
    tokens = []
    for i, token in enumerate(encoded.tokens):
        id, text, start, end, type_id, special, attended, sequence = token
        lead = len(text) - len(text.lstrip(TRIMMED))
        trail = len(text) - len(text.rstrip(TRIMMED))
        # A single leading space of the first token may be the inserted one, which is not part of the input.
        if lead and (lead != 1 or not prefix_space or (i > 0 and start > 0)):
            start = min(start + lead, end)
        if trail and end >= trail:
            end = max(end - trail, start)
        if lead or trail:
            token = PipelineToken(id, text, start, end, type_id, special, attended, sequence)
        tokens.append(token)
    overflowing = tuple(trim_spaces(part, prefix_space=prefix_space) for part in encoded.overflowing)
    return PipelineEncoding(tuple(tokens), overflowing)


class BertProcessing(PostProcessorComponent):
    """`[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]` with the type id 1 for B and its end (Devlin et al. 2019)."""

    sep: SpecialToken = field(metadata=initial(""))
    cls: SpecialToken = field(metadata=initial("", first=True))
    is_local = True

    def count_added_tokens(self, pair: bool) -> int:
        return 3 if pair else 2

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        cls, sep = (_special(*one) for one in (self.cls, self.sep))
        return [
            _surround(one, [sep._replace(type_id=1)] if i else [sep], [] if i else [cls]) if add_special_tokens else one
            for i, one in enumerate(encodings)
        ]


class RobertaProcessing(PostProcessorComponent):
    """`<s> A </s>`, and `<s> A </s></s> B </s>`; every type id is 0 (Liu et al. 2019)."""

    sep: SpecialToken = field(metadata=initial(""))
    cls: SpecialToken = field(metadata=initial("", first=True))
    trim_offsets: bool = True
    add_prefix_space: bool = True
    is_local = True

    @property
    def changes_tokens(self) -> bool:
        return self.trim_offsets

    def count_added_tokens(self, pair: bool) -> int:
        return 4 if pair else 2

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        if self.trim_offsets:
            encodings = [trim_spaces(one, prefix_space=self.add_prefix_space) for one in encodings]
        encodings = [one.with_type_id(0) for one in encodings]
        if not add_special_tokens:
            return encodings
        cls, sep = (_special(*one) for one in (self.cls, self.sep))
        parts = [_surround(one, [sep], [sep] if i else [cls]) for i, one in enumerate(encodings)]
        return [_set_type_ids(one, 0) for one in parts]


@dataclass(frozen=True, slots=True)
class TemplateStep:
    """A step of a template: the name of a special token, or the text A or B as 0 or 1; with a type id.

    A step is None that a file has and that is neither.
    """

    what: str | int | None
    type_id: Any = 0


Template = tuple[TemplateStep, ...]
PairTemplate = Annotated[Template, "checked when it is used"]


def _text_step(name: str, type_id: int) -> Mapping[str, Any]:
    return {"Sequence": {"id": name, "type_id": type_id}}


BYTE_LEVEL_OPTIONS = ("add_prefix_space", "trim_offsets", "use_regex")
"""Options that files have in a template too, where the library ignores them."""


class TemplateProcessing(PostProcessorComponent, kw_only=True, legacy=BYTE_LEVEL_OPTIONS):
    """Writes special tokens and texts in the order of a template, which may repeat them. Raises `BadFile`.

    The library repeats the text also without special tokens.

    >>> steps = TemplateStep("<s>"), TemplateStep(0), TemplateStep(0)
    >>> twice = TemplateProcessing(single=steps, special_tokens={"<s>": ((7, "<s>"),)})
    >>> text = PipelineEncoding((PipelineToken(1, "a"),))
    >>> [token.id for one in twice.process([text], True) for token in one.tokens]
    [7, 1, 1]
    >>> [token.id for one in twice.process([text], False) for token in one.tokens]
    [1, 1]
    """

    single: Template = field(metadata=initial([_text_step("A", 0)]))
    pair: PairTemplate = field(default=(), metadata=initial([_text_step("A", 0), _text_step("B", 1)]))
    special_tokens: SpecialTokens = field(metadata=initial({}))

    def __post_init__(self) -> None:
        if lacking := {step.what for step in self.single if isinstance(step.what, str)} - {*self.special_tokens}:
            raise BadFile(f"The template uses {min(lacking)[:40]!r}, which is not among its special tokens.")

    @property
    def is_local(self) -> bool:
        return not self.changes_tokens

    @property
    def changes_tokens(self) -> bool:
        return sum(step.what == 0 for step in self.single) != 1

    def has_step(self, step: TemplateStep) -> bool:
        """True for a text, and for a special token that there is."""
        return step.what in (0, 1) or step.what in self.special_tokens

    def _steps(self, pair: bool) -> Template:
        return self.pair if pair else self.single

    def has_text(self, pair: bool) -> bool:
        """True if a text is part of the template. Otherwise the library panics, or drops the text."""
        return any(isinstance(step.what, int) for step in self._steps(pair))

    def count_added_tokens(self, pair: bool) -> int:
        return sum(len(self.special_tokens[step.what]) for step in self._steps(pair) if isinstance(step.what, str))

    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]:
        parts: list[PipelineEncoding] = []
        for step in self._steps(len(encodings) > 1):
            if isinstance(step.what, int):
                parts += [one.with_type_id(step.type_id) for one in encodings[step.what : step.what + 1]]
            elif add_special_tokens and step.what is not None:
                tokens = (_special(text, id, step.type_id) for id, text in self.special_tokens[step.what])
                parts.append(PipelineEncoding(tuple(tokens)))
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
    overflowing = tuple(_set_type_ids(part, type_id) for part in encoded.overflowing)
    return replace(encoded.with_type_id(type_id), overflowing=overflowing)


def apply_post_processors(
    encodings: Sequence[PipelineEncoding],
    processors: Sequence[PostProcessorComponent],
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
        if isinstance(processor, TemplateProcessing) and not processor.has_text(len(states[-1]) > 1):
            detail = "The template has no text, or more texts than there are."
            raise Invalid(detail, pointer="/post_processor")
        states.append(processor.process([*states[-1]], add_special_tokens))
    return states
