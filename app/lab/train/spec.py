"""What a training is given: the corpus, the options and a name."""

import json
from dataclasses import asdict, dataclass
from typing import BinaryIO, ClassVar

from ...jobs.spec import parse_settings, plain
from ...settings import Settings
from ..option_schema import from_mapping
from .options import TrainingOptions


@dataclass(frozen=True, slots=True)
class TrainingSpec:
    """All that a job is given, on standard input: no text of a corpus is written to a disk. `corpus` is its name."""

    texts: tuple[str, ...]
    options: TrainingOptions
    name: str
    corpus: str
    settings: Settings
    command: ClassVar[str] = "train"

    def dump(self) -> bytes:
        """A line of JSON, then the texts, whose sizes in bytes are in the line."""
        data = [text.encode() for text in self.texts]
        head = {
            "options": asdict(self.options),
            "name": self.name,
            "corpus": self.corpus,
            "settings": {name: plain(value) for name, value in asdict(self.settings).items()},
            "sizes": [*map(len, data)],
        }
        return b"".join([json.dumps(head).encode(), b"\n", *data])

    @classmethod
    def read(cls, stream: BinaryIO) -> "TrainingSpec":
        """Read what `dump` wrote, and nothing behind it: the stream stays open.

        >>> from io import BytesIO
        >>> spec = TrainingSpec(("é", "a"), TrainingOptions(), "mine", "two letters", Settings())
        >>> TrainingSpec.read(BytesIO(spec.dump())) == spec
        True
        """
        head = json.loads(stream.readline())
        texts = tuple(stream.read(size).decode() for size in head["sizes"])
        options = from_mapping(TrainingOptions, head["options"])
        return cls(texts, options, head["name"], head["corpus"], parse_settings(head["settings"]))
