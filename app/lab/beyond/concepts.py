"""A text as sentences, the concepts of a Large Concept Model, beside its tokens, patches and bytes.

The sentences are those of `sentencex` of the Wikimedia Foundation, which has rules for some 300 languages: signs that
end sentences, abbreviations that do not, and quotations, in which none ends. `MISTAKES` are texts that it cuts wrongly.
"""

from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from pydantic import ConfigDict

from ...errors import EngineFailed, Invalid
from ...registry import Registry
from ...scratch.concepts import Concept, concepts
from ..option_schema import Items, Options, declare, declare_tokenizers, validate
from ..tokenize import check_length
from . import bytes as patches

MAX_BYTES = patches.MAX_BYTES
VECTOR = 1024
"""Numbers of a vector in SONAR's space, which LCM reads and writes."""
LANGUAGES = (
    *(("en", "English"), ("ar", "Arabic"), ("bn", "Bengali"), ("zh", "Chinese"), ("nl", "Dutch"), ("fi", "Finnish")),
    *(("fr", "French"), ("de", "German"), ("el", "Greek"), ("he", "Hebrew"), ("hi", "Hindi"), ("it", "Italian")),
    *(("ja", "Japanese"), ("ko", "Korean"), ("fa", "Persian"), ("pl", "Polish"), ("pt", "Portuguese")),
    *(("ru", "Russian"), ("es", "Spanish"), ("sv", "Swedish"), ("ta", "Tamil"), ("th", "Thai"), ("tr", "Turkish")),
    *(("uk", "Ukrainian"), ("ur", "Urdu"), ("vi", "Vietnamese")),
)
"""Codes and names of the languages to choose from."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A text that the library cuts wrongly: how many sentences it has, and why the library finds others."""

    language: str
    text: str
    right: int
    why: str


MISTAKES = (
    Mistake("en", "He lives approx. 5 km away.", 1, "approx. is not among its abbreviations."),
    Mistake("en", "I work at Yahoo! It is fun.", 2, "Yahoo! is among the words whose sign ends no sentence."),
    Mistake("en", "“Stop. Look both ways.” She waited.", 3, "Within quotation marks no sentence ends."),
    Mistake("fr", "Selon l’art. 5 du code, oui.", 1, "The abbreviation of article is not in its French list."),
    Mistake("hi", "कल डॉ. शर्मा आए।", 1, "The abbreviation of doctor is not in its Hindi list."),
    Mistake("ru", "Купил хлеб, соль и т. д. Потом уехал.", 2, "и т. д., etc., can end a sentence, too."),
    Mistake("ja", "「そうですか。」と彼は言った。", 1, "A quotation is only a part of the sentence around it."),
    Mistake("th", "สวัสดีครับ วันนี้อากาศดี", 2, "Thai ends a sentence with a space, or not at all."),
)


class ConceptOptions(Options):
    """A text to be split into sentences."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"text": "Dr. Smith left. She lives approx. 5 km away.", "tokenizers": ["o200k_base"]}
        }
    )

    text: str = declare("Text", help="The text, of at most 20,000 bytes.")
    language: str = declare("Language", "en", help="The language of the text, such as `en`, `fr` or `ja`.")
    cap: int = declare("Longest concept, characters", 256, ge=16, le=10_000)
    context: int = declare("Context, units", 2048, ge=1, le=10_000_000, help="Units that a model reads at once.")
    tokenizers: Items[str] = declare_tokenizers("Compare with the tokens of", max_length=patches.MAX_TOKENIZERS)


@dataclass(frozen=True, slots=True)
class UnitCount:
    """A kind of unit: how many of them the text has, and the characters of such a text that a context of them holds."""

    id: str
    name: str
    count: int
    bytes_per_unit: float | None
    held: float | None
    operations: float


@dataclass(frozen=True, slots=True)
class ConceptStudy:
    """A text as concepts, and the same in other units."""

    question: ConceptOptions
    concepts: tuple[Concept, ...]
    sentences: int
    units: tuple[UnitCount, ...]


def study(registry: Registry, store: Path, question: ConceptOptions) -> ConceptStudy:
    """Return a text as concepts and other units. Raises `Invalid`, `TooLarge`, and what loading a tokenizer raises."""
    check(question)
    found = tuple(concepts(question.text, partial(sentences, language=question.language), cap=question.cap))
    whole = len(sentences(question.text, question.language))
    cuts = patches.study(registry, store, patches.PatchOptions(text=question.text, tokenizers=question.tokenizers)).cuts
    counts = [("concepts", "Concepts: sentences", len(found))]
    counts += [(cut.id, cut.name, sum(end > start for start, end in cut.spans)) for cut in cuts if cut.kind == "tokens"]
    counts += [("patches", "Patches by entropy", len(cuts[0].spans)), ("bytes", "Bytes", len(question.text.encode()))]
    return ConceptStudy(question, found, whole, tuple(_unit(question, *one) for one in counts))


def _unit(question: ConceptOptions, id: str, name: str, count: int) -> UnitCount:
    size = len(question.text.encode())
    length = len(question.text)
    each, held = (size / count, length / count * question.context) if count else (None, None)
    return UnitCount(
        id=id, name=name, count=count, bytes_per_unit=each, held=held, operations=patches.count_operations(count)
    )


def check(question: ConceptOptions) -> None:
    """Raise `TooLarge` or `Invalid` for a question that is beyond the limits."""
    check_length([question.text], limit=MAX_BYTES)
    if question.language not in dict(LANGUAGES):
        raise Invalid("language is one of " + ", ".join(dict(LANGUAGES)) + ".", pointer="/language")
    validate(question)


def sentences(text: str, language: str) -> list[str]:
    r"""Return the sentences of a text, which join to it; white space belongs to the sentence before it.

    >>> sentences("Dr. Smith came. He left.\n\nYes?", "en")
    ['Dr. Smith came. ', 'He left.\n\n', 'Yes?']
    """
    joined: list[str] = []
    for part in _segments(text, language):
        if joined and not part.strip():
            joined[-1] += part
        else:
            joined.append(part)
    if len(joined) > 1 and not joined[0].strip():
        joined[:2] = ["".join(joined[:2])]
    return joined


def _segments(text: str, language: str) -> list[str]:
    from sentencex import segment  # type: ignore[import-untyped]  # in Rust, on first use

    try:
        found: list[str] = segment(language, text)
    except BaseException as error:  # pyo3's PanicException is no Exception and cannot be imported
        if type(error).__name__ != "PanicException":
            raise
        raise EngineFailed("sentencex failed on this text.") from None
    return found


def library() -> str:
    """Return the name and version of the library that finds the sentences."""
    return f"sentencex {version('sentencex')}"


@dataclass(frozen=True, slots=True)
class MistakeResult:
    """What the library makes of a text that it cuts wrongly."""

    mistake: Mistake
    sentences: tuple[str, ...]


def mistakes() -> list[MistakeResult]:
    """Return what the library makes of the texts that it cuts wrongly, computed anew."""
    return [MistakeResult(one, tuple(sentences(one.text, one.language))) for one in MISTAKES]
