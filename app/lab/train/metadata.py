"""The metadata of a training, and the vocabulary itself, as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from typing import Any

from ... import __version__
from ...errors import BadFile, Invalid
from ...types import TrainedVocab
from ..tokenize import utf8_length

MAX_TITLE = 100
"""Characters of a title."""
STORED_KEYS = {"byte_fallback": "bytes_too"}
"""Fields of `TrainedVocab` that the stored file spells otherwise, so that old files stay readable."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingMetadata:
    """The trainer, the corpus, the options and the metrics of a training. `corpus` is a name for people; `settings`
    and `metrics` are plain data; `date` is a day such as 2026-11-21."""

    title: str
    trainer: str = "scratch"
    corpus: str = ""
    corpus_sha256: str = ""
    corpus_bytes: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    date: str = ""

    @property
    def versions(self) -> dict[str, str]:
        """The releases of this project and of the library that trained, by name."""
        own = {"tokenarium": __version__}
        return own if self.trainer == "scratch" else own | {self.trainer: version(self.trainer)}


def check_title(title: str) -> str:
    """The title on one line. Raises `Invalid` for one that is empty or too long, `LoneSurrogate`.

    >>> check_title(" Shan,\\n bytes ")
    'Shan, bytes'
    """
    utf8_length(title, pointer="/title")
    line = " ".join(title.split())
    if not 1 <= len(line) <= MAX_TITLE:
        raise Invalid(f"A title must have 1 to {MAX_TITLE} characters.", pointer="/title", limit=MAX_TITLE)
    return line


def dump_metadata(metadata: TrainingMetadata, refusals: Mapping[str, str]) -> bytes:
    """The metadata, and the formats that cannot express the vocabulary, as JSON."""
    # "account" is what the stored files of earlier releases call it.
    data = {"account": asdict(metadata), "versions": metadata.versions, "refusals": dict(refusals)}
    return json.dumps(data, ensure_ascii=False, indent=1).encode() + b"\n"


def load_metadata(data: bytes) -> tuple[TrainingMetadata, dict[str, str]]:
    """Read what `dump_metadata` wrote."""
    loaded = json.loads(data)
    return TrainingMetadata(**loaded["account"]), loaded["refusals"]


def dump_learned(learned: TrainedVocab) -> bytes:
    """A vocabulary as JSON, field by field.

    >>> learned = TrainedVocab("bpe", "characters", ("a", "b", "ab"), ((0, 1),))
    >>> dump_learned(load_learned(dump_learned(learned))) == dump_learned(learned)
    True
    """
    stored = {STORED_KEYS.get(name, name): value for name, value in asdict(learned).items()}
    return json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode()


def load_learned(data: bytes) -> TrainedVocab:
    """Read what `dump_learned` wrote. Raises `BadFile` for other bytes."""
    try:
        loaded = json.loads(data)
        values = {one.name: loaded[STORED_KEYS.get(one.name, one.name)] for one in fields(TrainedVocab)}
        values["merges"] = tuple((a, b) for a, b in values["merges"])
        return TrainedVocab(**{**values, "pieces": tuple(values["pieces"]), "scores": tuple(values["scores"])})
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile("This is not a trained vocabulary.") from error
