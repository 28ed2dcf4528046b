"""Tokenize many documents with gigatoken, which reads byte-level and SentencePiece BPE and keeps no offsets.

Its tokens must be checked against those of the reference library: where its tables for a pattern or a file differ, it
gives other tokens without an error. https://github.com/marcelroed/gigatoken
"""

import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Unavailable, naming_extra
from .ranks import CL100K, GPT2, KIMI, O200K

SCHEMES: Mapping[str, str] = {
    GPT2: "gpt2",
    CL100K: "cl100k",
    O200K: "o200k",
    KIMI: "kimi",
    "r50k_base.tiktoken": "gpt2",
    "p50k_base.tiktoken": "gpt2",
    "multilingual.tiktoken": "gpt2",
    "cl100k_base.tiktoken": "cl100k",
    "o200k_base.tiktoken": "o200k",
    "kimi-k2.tiktoken": "kimi",
}
"""Its names for the patterns of ranks, by pattern and by the file of the store, where some are spelled possessively."""


class Gigatoken:
    """A tokenizer of documents as UTF-8, in which special tokens are plain text."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def encode(self, documents: Sequence[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the ids of all documents in one array, and the offsets at which each begins, and the last ends."""
        import gigatoken

        text = getattr(documents, "text", None)  # lines of one text, which it divides faster than Python
        source = [*documents] if text is None else gigatoken.BytesSource([text], separator=b"\n")
        rows = self._library.encode_batch(source, parallel=False)  # one thread: the caller has processes
        layout = rows.layout
        offsets = np.asarray(layout.offsets.data, np.int64)
        ids = np.asarray(layout.content.data, np.uint32)
        return ids[offsets[0] : offsets[-1]], offsets - offsets[0]


def find_scheme(ranks: str, pattern: str) -> str | None:
    """Return gigatoken's name for a pattern, or for that of a ranks file of the store; None if it has none.

    >>> find_scheme("r50k_base.tiktoken", ""), find_scheme("", O200K), find_scheme("", ".")
    ('gpt2', 'o200k', None)
    """
    return SCHEMES.get(ranks) or SCHEMES.get(pattern)


def remove_specials(document: bytes) -> bytes:
    """Return a tokenizer.json without special tokens, which gigatoken would always parse, and post-processor."""
    top = json.loads(document)
    top["added_tokens"] = [token for token in top.get("added_tokens") or () if not token.get("special")]
    return json.dumps({**top, "post_processor": None}, ensure_ascii=False).encode()


def version() -> str:
    """Return the version of gigatoken, or "" if it is not installed."""
    try:
        return metadata.version("gigatoken")
    except metadata.PackageNotFoundError:
        return ""


def load(path: Path) -> Gigatoken:
    """Return the tokenizer of a tokenizer.json, or of ranks whose file is named `NAME.SCHEME.tiktoken`.

    Raises `Unavailable` if gigatoken is not installed or cannot read it.
    """
    with naming_extra():
        import gigatoken
    import awkward  # noqa: F401  its results, which it imports only with the first: here for all that are forked

    try:
        if path.suffix == ".json":
            return Gigatoken(gigatoken.Tokenizer.from_json(path.read_bytes()))
        # Without special tokens, which it would always parse.
        return Gigatoken(gigatoken.Tokenizer.from_tiktoken(path, path.name.split(".")[1], {}))
    except BaseException as error:  # its panics are no Exceptions
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
            raise
        cause = " ".join(str(error).split())[:200]
        raise Unavailable(f"gigatoken cannot read this vocabulary: {cause}.") from None
