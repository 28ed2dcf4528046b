"""A tokenization as the columns of a JSON answer, without one Python object a token where it can be helped."""

from collections.abc import Collection
from typing import Any

from app.lab.tokenize import Tokenization
from app.types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN
from app.web.spelling import pieces

FLAGS = {"special": SPECIAL, "unknown": UNKNOWN, "byte_fallback": BYTE_FALLBACK, "inserted": INSERTED}
OFFSETS = ("byte_starts", "byte_ends", "char_starts", "char_ends")


def columns(done: Tokenization, include: Collection[str] = ("ids", "pieces", "offsets")) -> dict[str, Any]:
    """The counts, and of ids, pieces, offsets and flags those to include; flags are lists of token indexes."""
    encoding = done.encoding
    answer: dict[str, Any] = {
        "tokenizer": done.tokenizer.info.id,
        "engine": done.tokenizer.engine,
        "count": len(encoding),
        "characters": len(done.text),
        "bytes": len(done.data),
        "notes": done.notes,
    }
    if "ids" in include:
        answer["ids"] = encoding.ids
    if "pieces" in include:
        answer["pieces"] = pieces(done)
    if "offsets" in include:
        answer |= {name: getattr(encoding, name) for name in OFFSETS}
    if "flags" in include:
        answer |= {name: (encoding.flags & bit).nonzero()[0] for name, bit in FLAGS.items()}
    return answer
