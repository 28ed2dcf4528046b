"""Pictures, sound and files of a request: their tokens where the vendor has published a rule, else a range or nothing.

A picture that the request carries in base64 has its size in its header. Of one that it only links the size is not
known: nothing is fetched, and its tokens lie between those of the smallest and the largest picture.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

from ...errors import Invalid
from ..beyond import image_cuts as cuts
from ..beyond.image_cuts import ImageLayout
from ..costs import Span
from ..token_ranges import find_claude_version
from .formulas import FORMULAS, READ, Formula
from .parts import RequestPart
from .pieces import PICTURES, PromptPiece
from .rules import find_rule
from .targets import TargetModel
from .values import mapping, text_of

MAX_SIDE = 100_000


@dataclass(frozen=True)
class PictureRule:
    """How a model counts pictures: its rule, the tokens of the smallest and the largest, and of one at low detail."""

    formula: Formula
    cut: Callable[[int, int], ImageLayout]
    limits: Span
    low: int | None = None


def _formula(text: str, source: str, address: str, *, error: str = "None if the documentation is right.") -> Formula:
    return Formula("Pictures", text, error, source, address, READ)


_OPENAI = ("OpenAI, Images and vision", "https://platform.openai.com/docs/guides/images-vision")
_CLAUDE = ("Anthropic, Vision", "https://platform.claude.com/docs/en/build-with-claude/vision")
_GEMINI = ("Google, Gemini API, Media resolution", "https://ai.google.dev/gemini-api/docs/media-resolution")
_LEVELS = {"LOW": 280, "MEDIUM": 560, "HIGH": 1120, "ULTRA_HIGH": 2240}


def find_picture_rule(model: TargetModel, body: Mapping[str, Any]) -> PictureRule | None:
    """Return the rule for the pictures of a request, or None if no source here has one."""
    if model.family == "claude":
        edge, limit = (2576, 4784) if (find_claude_version(model.plain) or (0, 0)) >= (4, 7) else (1568, 1568)
        text = f"⌈width ÷ 28⌉ × ⌈height ÷ 28⌉, at most {limit:,} tokens and {edge:,} pixels along an edge"
        cut: Callable[[int, int], ImageLayout] = partial(cuts.patches_of_28, edge=edge, limit=limit)
        return PictureRule(_formula(text, *_CLAUDE), cut, Span(1, limit))
    if model.family == "gemini":
        return _gemini(model.plain, body)
    if tiles := find_rule("tiles", model):
        base, tile = tiles["base"], tiles["tile"]
        text = f"{base} + {tile:,} for each tile of 512 × 512 pixels; {base:,} at low detail"
        cut = partial(cuts.tiles_of_512, base=base, tile=tile)
        return PictureRule(_formula(text, *_OPENAI), cut, Span(base + tile, base + 8 * tile), base)
    if patches := find_rule("patches", model):
        factor, newer = patches["factor"], patches.get("newer")
        text = f"⌈{factor} × ⌈width ÷ 32⌉ × ⌈height ÷ 32⌉⌉, at most 1,536 patches"
        older = f"An older version of the page has {factor}; the one read on {READ} has {newer}, which is less."
        formula = _formula(text, *_OPENAI, **({"error": older} if newer else {}))
        cut = partial(cuts.patches_of_32, factor=factor)
        return PictureRule(formula, cut, Span(ceil(factor), ceil(1536 * factor)))
    return None


def _gemini(name: str, body: Mapping[str, Any]) -> PictureRule:
    if not name.startswith("gemini-3"):
        text = "258 for a picture of at most 384 × 384 pixels, else for each tile; the documentation calls it rough"
        return PictureRule(_formula(text, *_GEMINI), cuts.tiles_of_768, Span(258, 258 * 16))
    settings = body.get("generationConfig")
    chosen = str(settings.get("mediaResolution", "")) if isinstance(settings, Mapping) else ""
    tokens = _LEVELS.get(chosen.removeprefix("MEDIA_RESOLUTION_"), 1120)
    return PictureRule(
        _formula(f"{tokens:,} for a picture at this level, the most", *_GEMINI),
        partial(cuts.by_level, tokens=tokens),
        Span(tokens, tokens),
    )


def count_piece(piece: PromptPiece, rule: PictureRule | None) -> RequestPart:
    """Return a part of a content that is no text: a picture, or what no source here tells the tokens of."""
    part = mapping(piece.value)
    if rule is None or part.get("type") not in PICTURES:
        return unknown_piece(piece)
    image = part.get("image_url")
    url = text_of(mapping(image).get("url")) or text_of(image)
    detail = text_of(mapping(image).get("detail")) or text_of(part.get("detail"))
    return count_picture(piece.name, rule, split_data_url(url), detail=detail, message=piece.message)


def count_picture(
    name: str, rule: PictureRule, data: str | None, *, detail: str = "", message: int | None = None
) -> RequestPart:
    """Return a picture as a part; `data` is its file in base64, None if the request only links it."""
    if detail == "low" and rule.low is not None:
        return RequestPart(
            "media", f"{name}, low detail", Span(rule.low, rule.low), "formula", rule.formula, message=message
        )
    size = image_size(data) if data else None
    if size is None:
        why = "The request only links it" if data is None else "Its header cannot be read"
        says = f"{why}: from the smallest to the largest picture."
        return RequestPart("media", name, rule.limits, "range", rule.formula, says, message=message)
    name = f"{name}, {size[0]:,} × {size[1]:,}"
    try:
        layout = rule.cut(*size)
    except Invalid as error:
        return RequestPart("media", name, None, "unknown", rule.formula, error.detail, message=message)
    steps = "; ".join((*layout.steps, f"{layout.sum} tokens"))
    return RequestPart(
        "media", name, Span(layout.tokens, layout.tokens), "formula", rule.formula, steps, message=message
    )


def unknown_piece(piece: PromptPiece, why: str = "") -> RequestPart:
    """Return a piece whose tokens no source here tells."""
    return RequestPart(
        piece.kind, piece.name, None, "unknown", FORMULAS["unknown-media"], detail=why, message=piece.message
    )


def split_data_url(url: Any) -> str | None:
    """Return the base64 of a data URL, or None for an address.

    >>> split_data_url("data:image/png;base64,iVBO"), split_data_url("https://example.org/a.png")
    ('iVBO', None)
    """
    if not isinstance(url, str) or not url.startswith("data:"):
        return None
    return url.partition(",")[2]


def image_size(data: str) -> tuple[int, int] | None:
    """Return width and height of a PNG, JPEG, GIF or WebP file in base64 by its header; None if it has none."""
    try:
        file = base64.b64decode(data)
        size = _read_size(file)
    except (binascii.Error, ValueError, struct.error, IndexError):
        return None
    return size if size and all(1 <= side <= MAX_SIDE for side in size) else None


def _read_size(file: bytes) -> tuple[int, int] | None:
    if file.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height = struct.unpack(">II", file[16:24])
    elif file[:6] in (b"GIF87a", b"GIF89a"):
        width, height = struct.unpack("<HH", file[6:10])
    elif file.startswith(b"\xff\xd8"):
        return _jpeg_size(file)
    elif file[:4] == b"RIFF" and file[8:12] == b"WEBP":
        return _webp_size(file)
    else:
        return None
    return width, height


def _jpeg_size(file: bytes) -> tuple[int, int] | None:
    """Return the size in the first frame header of a JPEG."""
    place = 2
    while place + 9 < len(file) and file[place] == 0xFF:
        marker = file[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", file[place + 5 : place + 9])
            return width, height
        place += 2 + struct.unpack(">H", file[place + 2 : place + 4])[0]
    return None


def _webp_size(file: bytes) -> tuple[int, int] | None:
    kind = file[12:16]
    if kind == b"VP8X":
        return int.from_bytes(file[24:27], "little") + 1, int.from_bytes(file[27:30], "little") + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", file[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        bits = int.from_bytes(file[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None
