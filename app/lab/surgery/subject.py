"""The tokenizer that surgery is done on, loaded on the library and on the from-scratch engine."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...adapters.from_tokenizer_json import PipelineTokenizer
from ...adapters.from_transformers import HuggingFaceTokenizer
from ...convert.record_json import build_tokenizer_json
from ...errors import BadFile
from ...imported import record_from_files
from ...scratch.fast.bpe.encode_pairs import PairBPE
from ...store import Record
from ..tokenizers.adding import try_engines

Report = Callable[[int], None]
PART = 200_000
"""Characters that are encoded at once: a longer text is divided behind line ends."""


@dataclass(frozen=True)
class EditableTokenizer:
    """A tokenizer of a `tokenizer.json`: its file, and both engines, `reference` the library's and `scratch`."""

    data: bytes
    record: Record
    reference: HuggingFaceTokenizer
    scratch: PipelineTokenizer

    @property
    def model(self) -> Any:
        """The from-scratch model, which tokenizes one word at a time."""
        return self.scratch.pipeline.model

    @cached_property
    def added(self) -> frozenset[str]:
        """The spellings of the added tokens."""
        return frozenset(token.content for token in self.scratch.file.added)

    @cached_property
    def byte_ids(self) -> frozenset[int]:
        """The ids of the tokens to which a character falls back that is not in the vocabulary."""
        return frozenset(id for id in getattr(self.model, "bytes", ()) if id is not None)

    @property
    def unknown(self) -> int | None:
        """The id of the unknown token."""
        name = self.scratch.file.model.unknown
        return None if name is None else self.scratch.file.model.vocabulary.get(name)

    def words(self, text: str) -> Iterator[str]:
        """Yield the words that the model gets of a text, divided where no token crosses; added tokens are left out."""
        model = self.model
        divide = model.parts if isinstance(model, PairBPE) and len(self.byte_ids) == 256 else None
        for word in self.reference.stages(text)["pre-tokenize"]:
            if word not in self.added:
                yield from divide(word) if divide else (word,)


def load_subject(
    data: bytes, *, extras: Mapping[str, bytes] | None = None, title: str = "subject"
) -> EditableTokenizer:
    """Load a `tokenizer.json`, with the files beside it. Raises `BadFile` if not both engines can read it."""
    record = record_from_files("subject", {"tokenizer.json": data, **(extras or {})}, title=title)
    if record.info.engines != ("tokenizers", "scratch"):
        raise BadFile(record.info.notes[-1])
    loaded, findings = try_engines(record)
    if findings:
        raise BadFile(findings[0].detail)
    theirs, ours = loaded
    assert isinstance(theirs, HuggingFaceTokenizer)
    assert isinstance(ours, PipelineTokenizer)
    return EditableTokenizer(record.file("tokenizer.json"), record, theirs, ours)


def load_record(record: Record) -> EditableTokenizer:
    """Load a copy of a tokenizer of any format as a `tokenizer.json`. Raises `BadFile` for what that cannot say."""
    data = build_tokenizer_json(record)
    subject = load_subject(data, title=record.info.title)
    return replace(subject, record=replace(subject.record, spec={**subject.record.spec, "title": record.info.title}))


def count_words(subject: EditableTokenizer, texts: Iterable[str], report: Report = lambda read: None) -> Counter[str]:
    """Return how often each word occurs in texts; `report` is called with the number of characters that were read."""
    words = Counter[str]()
    read = 0
    for part in (part for text in texts for part in parts(text)):
        words.update(subject.words(part))
        read += len(part)
        report(read)
    return words


def parts(text: str) -> Iterator[str]:
    """Yield a text in parts of about `PART` characters, divided behind line ends.

    >>> [len(part) for part in parts("a" * 150_000 + "\\n" + "b" * 150_000)]
    [150001, 150000]
    """
    start = 0
    while len(text) - start > PART:
        end = text.rfind("\n", start, start + PART) + 1 or start + PART
        yield text[start:end]
        start = end
    yield text[start:]
