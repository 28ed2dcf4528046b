"""Texts with letters that no bundled font has: a browser paints them in its own fonts."""

from collections.abc import Mapping, Sequence

from ..lab.steps.drawing import Drawing
from ..lab.typefaces import Face, is_foreign

ForeignText = tuple[str, Face, bool]
"""A text, its typeface, and whether it is bold."""
Images = Mapping[ForeignText, bytes]
"""Foreign texts as PNG."""


def list_foreign(drawings: Sequence[Drawing]) -> list[ForeignText]:
    """Return the texts of drawings that a browser has to paint, each once."""
    texts = (text for drawing in drawings for text in drawing.all_texts if is_foreign(text.text, text.face))
    return [*dict.fromkeys((text.text, text.face, text.bold) for text in texts)]
