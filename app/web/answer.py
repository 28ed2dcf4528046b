"""JSON answers: orjson over numpy columns, no Python object a token where it can be helped."""

from typing import Any

import orjson
from starlette.responses import Response

from app.lab.tokenize import Tokenization
from app.types import BYTE_FALLBACK, INSERTED, SPECIAL, UNKNOWN, TokenizerInfo
from app.web.spelling import pieces

OPTIONS = orjson.OPT_SERIALIZE_NUMPY
FLAGS = {"special": SPECIAL, "unknown": UNKNOWN, "byte_fallback": BYTE_FALLBACK, "inserted": INSERTED}


class JSONResponse(Response):
    """JSON from plain data and numpy arrays."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content, option=OPTIONS)


def columns(done: Tokenization, include: frozenset[str]) -> dict[str, Any]:
    """A tokenization as columns; `pieces` has `{"bytes_hex": …}` where a token's bytes are no UTF-8."""
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
        answer |= {name: getattr(encoding, name) for name in ("byte_starts", "byte_ends", "char_starts", "char_ends")}
    if "flags" in include:
        answer |= {name: (encoding.flags & bit).nonzero()[0] for name, bit in FLAGS.items()}
    return answer


def described(info: TokenizerInfo) -> dict[str, Any]:
    """What is known of a tokenizer without loading it."""
    return {
        "id": info.id,
        "title": info.title,
        "family": info.family,
        "engines": info.engines,
        "models": info.models,
        "vocab_size": info.vocab_size,
        "grows": info.grows,
        "lossless": info.lossless,
        "normalization": info.normalization,
        "special_tokens": dict(info.special_tokens),
        "prefix": info.prefix,
        "suffix": info.suffix,
        "source": {"package": info.source.package, "version": info.source.version, "licence": info.source.licence},
    }
