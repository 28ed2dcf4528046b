"""The files of the store, unpacked."""

import lzma
from functools import cache

from tokenarium.settings import ROOT

STORE = ROOT / "tokenizers_store"


@cache
def stored(label: str) -> bytes:
    packed = STORE / f"{label}.xz"
    return lzma.decompress(packed.read_bytes()) if packed.exists() else (STORE / label).read_bytes()
