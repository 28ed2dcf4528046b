"""What the process of a job is given, on standard input: no text of a corpus is written to a disk."""

import json
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, TypeVar

from pydantic import TypeAdapter

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
        head = TypeAdapter(type(self)).dump_python(self, mode="json", exclude={"texts"})
        return b"".join([json.dumps(head | {"texts": [*map(len, texts)]}).encode(), b"\n", *texts])

    @classmethod
    def read(cls: type[Read], stream: BinaryIO) -> Read:
        """Read what `dump` wrote, and nothing behind it: the stream stays open.

        >>> from io import BytesIO
        >>> from ipaddress import ip_network
        >>> spec = JobSpec(settings=Settings(proxies=(ip_network("10.0.0.0/8"),)), texts=("é", "a"))
        >>> JobSpec.read(BytesIO(spec.dump())) == spec
        True
        """
        head = json.loads(stream.readline())
        return TypeAdapter(cls).validate_python(
            head | {"texts": [stream.read(size).decode() for size in head["texts"]]}
        )
