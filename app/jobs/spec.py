"""What the process of a job is given, on standard input: no text of a corpus is written to a disk."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TypeVar, get_args, get_type_hints

from ..settings import Settings

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """The settings of the server and the texts of a corpus; each kind adds fields of its own, and names its process."""

    settings: Settings
    texts: tuple[str, ...] = ()
    process: ClassVar[str]

    def dump(self) -> bytes:
        """A line of JSON, then the texts, whose sizes in bytes are in the line."""
        texts = [text.encode() for text in self.texts]
        head = {one.name: getattr(self, one.name) for one in fields(self)} | {"texts": [*map(len, texts)]}
        return b"".join([json.dumps(head, default=_plain).encode(), b"\n", *texts])

    @classmethod
    def read(cls: type[Read], stream: BinaryIO) -> Read:
        """Read what `dump` wrote, and nothing behind it: the stream stays open.

        >>> from io import BytesIO
        >>> spec = JobSpec(settings=Settings(), texts=("é", "a"))
        >>> JobSpec.read(BytesIO(spec.dump())) == spec
        True
        """
        head = json.loads(stream.readline())
        return _from_plain(cls, head | {"texts": [stream.read(size).decode() for size in head["texts"]]})


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else asdict(value)


def _from_plain(kind: type[Read], values: Mapping[str, Any]) -> Read:
    """Return a dataclass from JSON, which has no paths, tuples or dataclasses."""
    hints = get_type_hints(kind)
    made = dict(values)
    for name, value in values.items():
        if is_dataclass(hints[name]):
            made[name] = _from_plain(hints[name], value)
        elif isinstance(value, list):
            made[name] = tuple(value)
        elif isinstance(value, str) and Path in (hints[name], *get_args(hints[name])):
            made[name] = Path(value)
    return kind(**made)
