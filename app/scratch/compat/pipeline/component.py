"""What the components of a `tokenizer.json` have in common: each is one class that says everything about it.

The fields of the class are the options in the file. From their types and defaults, `formats.json_options` checks a file
and `lab.pipeline.parameters` makes the form. The base classes are the stages in which a component may stand, each with
a method. `components.COMPONENTS` lists all of them.
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

    @property
    def is_local(self) -> bool:
        """True if it never reaches across a space that begins a segment (`segmented`). False if in doubt."""
        return False


class NormalizerComponent(PipelineComponent):
    """A component that changes a text before it is split; `respells_spaces`: its spaces become other characters."""

    @property
    def respells_spaces(self) -> bool:
        return False

    @abstractmethod
    def normalize(self, text: AlignedText) -> AlignedText: ...


class PreTokenizerComponent(PipelineComponent):
    """A component that splits a text into words; `ends_words`: a word always ends where a segment does."""

    @property
    def ends_words(self) -> bool:
        return False

    @abstractmethod
    def pre_tokenize(self, text: AlignedText) -> Iterable[AlignedText]: ...


class PostProcessorComponent(PipelineComponent):
    """A component that changes the tokens of one text or two, which stay apart until the last one has acted.

    `changes_tokens`: also without special tokens.
    """

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
