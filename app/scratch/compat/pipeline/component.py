"""What the components of a `tokenizer.json` have in common: each is one class that says everything about it.

The fields of the class are the options in the file. From their types and defaults, `files.tokenizer_json.options`
checks a file and `lab.pipeline.parameters` makes the form. The base classes are the stages in which a component may
stand, each with a method. `components.COMPONENTS` lists all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, dataclass_transform

from ..aligned import AlignedText
from .batches import PipelineEncoding

Char = Annotated[str, "one character"]
Length = Annotated[int, "at least 1"]
Normalizer = Callable[[AlignedText], AlignedText]
Splitter = Callable[[AlignedText], Iterable[AlignedText]]
Decoder = Callable[[Sequence[str]], list[str]]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class PipelineComponent(ABC):
    """A component, which is a frozen dataclass.

    - `type`: its name in a file, that of the class if not given; `legacy`: options of older versions, without effect.
    - `without_form`: the stages in which none of its options has an effect.
    """

    type: ClassVar[str]
    legacy: ClassVar[Sequence[str]]
    without_form: ClassVar[Sequence[str]] = ()

    def __init_subclass__(cls, *, type: str = "", legacy: Sequence[str] = (), kw_only: bool = False) -> None:
        dataclass(frozen=True, kw_only=kw_only)(cls)
        cls.type = type or cls.__name__
        cls.legacy = legacy


@dataclass(frozen=True, slots=True)
class SegmentBoundary:
    """A place where a text may be cut: after a character that is no space, before one.

    `spaces`: the characters of which one stands there, as they are spelled at a stage; `divided`: a word always begins
    there, or behind it, whatever the components after this one and the model do.
    """

    spaces: frozenset[str] = frozenset(" ")
    divided: bool = False


class NormalizerComponent(PipelineComponent):
    """A component that changes a text before it is split."""

    makes_spaces: ClassVar[bool] = True
    """True if a character other than white space and ▁ may become one that ends with either."""

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        """Return a boundary after the change; None if it may reach across, and if in doubt."""
        return None

    @abstractmethod
    def normalize(self, text: AlignedText) -> AlignedText: ...


class PreTokenizerComponent(PipelineComponent):
    """A component that splits a text into words."""

    drops_spaces: ClassVar[bool] = False
    """True if no word contains white space, so that it does not matter how much of it there is."""

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        """Return a boundary at which no word begins yet after the split; None if it may reach across or in doubt."""
        return None

    @abstractmethod
    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]: ...


class PostProcessorComponent(PipelineComponent):
    """A component that changes the tokens of one text or two, which stay apart until the last one has acted.

    `changes_tokens`: also without special tokens; `is_local`: it treats the tokens of each segment as those of a text.
    """

    @property
    def is_local(self) -> bool:
        return False

    @property
    def changes_tokens(self) -> bool:
        return False

    def count_added_tokens(self, pair: bool) -> int:
        """Return the number of special tokens that it adds."""
        return 0

    @abstractmethod
    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]: ...


class DecoderComponent(PipelineComponent):
    """A component that makes text of the spellings of tokens."""

    @abstractmethod
    def decode(self, tokens: Sequence[str]) -> list[str]: ...


def initial(value: Any, *, first: bool = False, **by_stage: Any) -> Mapping[str, Any]:
    """Return the metadata of a field: its value in a component that a form adds, as JSON, in any stage or in one.

    A form has a field that is `first` before the others.
    """
    return {"initial": value, "first": first, **by_stage}
