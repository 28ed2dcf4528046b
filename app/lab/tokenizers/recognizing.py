"""Recognize a vocabulary of the catalogue in files of a user, by the hash of its ranks."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping

from ...scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from .catalogue import CatalogueEntry


def recognize(
    vocabularies: Iterable[CatalogueEntry], files: Mapping[str, bytes]
) -> tuple[CatalogueEntry, bytes] | None:
    """Return the vocabulary that one of the files is, and its file as the catalogue has it, or None."""
    by_hash = {one.sha256: one for one in vocabularies}
    for name, data in files.items():
        for form in (data, write_ranks(data)) if name.endswith(".json") else (data,):
            if form and (one := by_hash.get(hashlib.sha256(form).hexdigest())):
                return one, form
    return None


def write_ranks(data: bytes) -> bytes:
    r"""Return the vocabulary of a byte-level `tokenizer.json` as a file of tiktoken's ranks, nothing for another file.

    >>> write_ranks(b'{"model": {"type": "BPE", "vocab": {"\\u0120a": 1, "a": 0}}}')
    b'YQ== 0\nIGE= 1\n'
    """
    try:
        vocabulary: dict[str, int] = json.loads(data)["model"]["vocab"]
        ids = sorted(vocabulary, key=vocabulary.__getitem__)
        lines = [f"{b64encode(bytes(map(BYTE_OF.__getitem__, piece))).decode()} {vocabulary[piece]}\n" for piece in ids]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return b""
    return "".join(lines).encode()
