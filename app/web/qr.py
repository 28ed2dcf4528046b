"""QR codes as paths of SVG, which a template draws."""

from dataclasses import dataclass

import segno


@dataclass(frozen=True, slots=True)
class QRCode:
    """A QR code: its width in modules with the quiet zone around it, and the path of its dark modules."""

    width: int
    path: str


def draw_qr(text: str) -> QRCode:
    """Return the QR code of a text.

    >>> code = draw_qr("http://127.0.0.1:8000/hall/K7X2P")
    >>> code.width, code.path[:12]
    (33, 'M4 4h7v1h-7z')
    """
    code = segno.make(text, micro=False)
    rows = [*code.matrix_iter(border=4)]
    path = "".join(
        f"M{start} {y}h{width}v1h-{width}z" for y, row in enumerate(rows) for start, width in _runs(bytes(row))
    )
    return QRCode(len(rows), path)


def _runs(row: bytes) -> list[tuple[int, int]]:
    """Return the start and length of each run of ones."""
    runs = []
    start = row.find(1)
    while start >= 0:
        end = row.find(0, start)
        runs.append((start, end - start))
        start = row.find(1, end)
    return runs
