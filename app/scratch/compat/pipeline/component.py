"""What the components of a `tokenizer.json` have in common: each is one class that says everything about it.

A component is a frozen dataclass whose fields are the options in the file. From their types and defaults,
`formats.json_options` checks a file and `lab.pipeline.parameters` makes the form. A component has a method for each
stage that it may stand in: `normalize`, `pre_tokenize`, `process`, `decode`. `components.COMPONENTS` lists all of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol

from ..aligned import AlignedText
from .batches import PipelineEncoding

Char = Annotated[str, "one character"]
Length = Annotated[int, "at least 1"]
Normalizer = Callable[[AlignedText], AlignedText]
Splitter = Callable[[AlignedText], Iterable[AlignedText]]
Decoder = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class PipelineComponent:
    """A component.

    - `type`: its name in a file, that of the class if not given; `legacy`: options of older versions, without effect.
    - `without_form`: the stages in which none of its options has an effect.
    """

    type: ClassVar[str]
    legacy: ClassVar[frozenset[str]]
    without_form: ClassVar[Sequence[str]] = ()

    def __init_subclass__(cls, *, type: str = "", legacy: Sequence[str] = ()) -> None:
        cls.type = type or cls.__name__
        cls.legacy = frozenset(legacy)

    @property
    def is_local(self) -> bool:
        """True if it never reaches across a space that begins a segment (`segmented`). False if in doubt."""
        return False

    @property
    def ends_words(self) -> bool:
        """True for a pre-tokenizer whose words always end where a segment does."""
        return False

    @property
    def respells_spaces(self) -> bool:
        """True for a normalizer after which spaces are other characters."""
        return False


class NormalizerComponent(Protocol):
    """A component that changes a text before it is split."""

    @property
    def type(self) -> str: ...
    @property
    def is_local(self) -> bool: ...
    @property
    def respells_spaces(self) -> bool: ...
    @property
    def normalize(self) -> Normalizer: ...


class PreTokenizerComponent(Protocol):
    """A component that splits a text into words."""

    @property
    def type(self) -> str: ...
    @property
    def is_local(self) -> bool: ...
    @property
    def ends_words(self) -> bool: ...
    @property
    def pre_tokenize(self) -> Splitter: ...


class PostProcessorComponent(Protocol):
    """A component that changes the tokens of one text or two, which stay apart until the last one has acted.

    `changes_tokens`: also without special tokens.
    """

    @property
    def type(self) -> str: ...
    @property
    def is_local(self) -> bool: ...
    @property
    def changes_tokens(self) -> bool: ...
    def count_added_tokens(self, pair: bool) -> int: ...
    def process(self, encodings: list[PipelineEncoding], add_special_tokens: bool) -> list[PipelineEncoding]: ...


class DecoderComponent(Protocol):
    """A component that makes text of the spellings of tokens."""

    @property
    def type(self) -> str: ...
    @property
    def decode(self) -> Decoder: ...


def initial(value: Any, *, first: bool = False, **by_stage: Any) -> Mapping[str, Any]:
    """Return the metadata of a field: its value in a component that a form adds, as JSON, in any stage or in one.

    A form has a field that is `first` before the others.
    """
    return {"initial": value, "first": first, **by_stage}
