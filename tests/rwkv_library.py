"""RWKV's own tokenizer program as a reference, which is not an engine here: it takes 1.5 s and 300 MB to load.

`python -m tests.rwkv_library --n 1000000` compares and records, as `tokenarium conformance` does for other pairs.
"""

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rwkv.rwkv_tokenizer import TRIE_TOKENIZER
from tokenarium.files.spans import column, encode_tiles
from tokenarium.lab.conformance import compare, save
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.types import Encoding, TokenizerInfo

ID = "rwkv-world"


@dataclass(frozen=True)
class Library:
    """The program with the vocabulary of the store, as far as a comparison needs a `Tokenizer`."""

    info: TokenizerInfo
    program: Any
    engine: str = field(default="rwkv", init=False)

    def encode(self, text: str, *, special: str = "text") -> Encoding:
        ids, data = self.program.encode(text), text.encode()
        lengths = column([len(self.program.idx2token[id]) for id in ids])
        flags = np.zeros(len(ids), np.uint8)
        return encode_tiles(np.array(ids, np.uint32), lengths, text=text, data=data, flags=flags)


def load(registry: Registry) -> Library:
    """Load the program, which reads a file only by its name."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "vocab.txt")
        path.write_bytes(registry.record(ID).only_file())
        return Library(registry.info(ID), TRIE_TOKENIZER(str(path)))


class WithLibrary:
    """A registry in which the program is the reference of its tokenizer."""

    def __init__(self, registry: Registry) -> None:
        self.infos, self._get, self._library = registry.infos, registry.get, load(registry)

    def get(self, id: str, engine: str | None = None) -> Any:
        return self._library if (id, engine) == (ID, None) else self._get(id, engine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20_000, help="number of texts")
    settings = Settings()
    result = compare(WithLibrary(Registry(settings)), ID, n=parser.parse_args().n)
    save(settings.store, [result])
    print(f"{result.count} texts, {result.mismatches} differ  {result.versions}")


if __name__ == "__main__":
    main()
