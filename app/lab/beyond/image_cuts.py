"""The rules by which models cut an image: how it is resized, what is laid over it, and how the tokens add up."""

from dataclasses import dataclass
from math import ceil, floor, sqrt

from ...errors import Invalid


@dataclass(frozen=True, slots=True)
class ImageLayout:
    """An image as a model cuts it: its size after resizing, the cells laid over it, and the tokens of all of them.

    `cell_width` and `cell_height` are in pixels of the resized image; where the model does not say how it cuts, there
    are no cells (`columns` is 0). `steps` says what was done, with the numbers, and `sum` how the tokens add up.
    """

    width: int
    height: int
    cell_width: float
    cell_height: float
    columns: int
    rows: int
    tokens: int
    steps: tuple[str, ...]
    sum: str


def whole_patches(width: int, height: int, *, patch: int) -> ImageLayout:
    """Cut into whole patches, without resizing: a plain vision transformer."""
    columns = width // patch
    rows = height // patch
    steps = [f"{columns} × {rows} whole patches of {patch} × {patch} pixels"]
    if width % patch or height % patch:
        steps.append(f"at the edge, {width % patch} columns and {height % patch} rows of pixels are left out")
    return ImageLayout(
        width=width,
        height=height,
        cell_width=patch,
        cell_height=patch,
        columns=columns,
        rows=rows,
        tokens=columns * rows,
        steps=tuple(steps),
        sum=f"{columns} × {rows}",
    )


def _shrunk(width: int, height: int, ratio: float) -> tuple[int, int]:
    """Return both sides times `ratio`, rounded, at least a pixel; unchanged when the ratio is 1 or more."""
    return (width, height) if ratio >= 1 else (max(1, round(width * ratio)), max(1, round(height * ratio)))


def _describe_resize(before: tuple[int, int], after: tuple[int, int], why: str) -> tuple[str, ...]:
    """Return the step that resized the image, or nothing if it did not."""
    if before == after:
        return ()
    return (f"{why}: {before[0]} × {before[1]} becomes {after[0]} × {after[1]}",)


def tiles_of_512(width: int, height: int, *, base: int = 85, tile: int = 170) -> ImageLayout:
    """Fit into 2,048², shortest side to 768, tiles of 512²: GPT-4o, whose tokens for the whole and a tile are the
    defaults."""
    inside = _shrunk(width, height, 2048 / max(width, height))
    size = _shrunk(*inside, 768 / min(inside))
    columns = ceil(size[0] / 512)
    rows = ceil(size[1] / 512)
    steps = (
        *_describe_resize((width, height), inside, "fit into 2,048 × 2,048"),
        *_describe_resize(inside, size, "shortest side to 768"),
        f"{columns} × {rows} tiles of 512 × 512 pixels, {tile} tokens each, and {base} for the whole image",
    )
    total = base + tile * columns * rows
    return ImageLayout(*size, 512, 512, columns, rows, total, steps, f"{base} + {tile} × {columns} × {rows}")


def one_view(width: int, height: int, *, side: int, tokens: int, says: str) -> ImageLayout:
    """Cut nothing: one view of a fixed number of tokens."""
    size = _shrunk(width, height, side / max(width, height))
    steps = (*_describe_resize((width, height), size, f"fit into {side} × {side}"), says)
    return ImageLayout(*size, *size, 1, 1, tokens, steps, str(tokens))


def patches_of_32(width: int, height: int, *, factor: float) -> ImageLayout:
    """Cut into at most 1,536 patches of 32², times a factor: GPT-4.1 mini and nano."""
    size = (float(width), float(height))
    if ceil(width / 32) * ceil(height / 32) > 1536:
        ratio = sqrt(32 * 32 * 1536 / (width * height))
        across = width * ratio / 32
        down = height * ratio / 32
        # A side shorter than a patch cannot be brought to a whole number of them: it still takes one.
        ratio *= min(floor(across) / across if across >= 1 else 1, floor(down) / down if down >= 1 else 1)
        size = (width * ratio, height * ratio)
    across, down = (round(side / 32, 6) for side in size)
    columns = max(1, ceil(across))
    rows = max(1, ceil(down))
    patches = min(columns * rows, 1536)
    whole = (max(1, ceil(across * 32)), max(1, ceil(down * 32)))  # a part of a pixel needs a patch, too
    steps = (
        *_describe_resize((width, height), whole, "at most 1,536 patches"),
        f"{columns} × {rows} = {patches:,} patches of 32 × 32 pixels, times {factor}",
    )
    return ImageLayout(*whole, 32, 32, columns, rows, ceil(patches * factor), steps, f"⌈{factor} × {columns} × {rows}⌉")


def patches_of_28(width: int, height: int, *, edge: int, limit: int) -> ImageLayout:
    """Find the largest size within both limits, cut into patches of 28²: Claude. Raises `Invalid`."""
    if max(width, height) > 8000:
        raise Invalid("Claude refuses images with a side of more than 8,000 pixels.", pointer="/width")

    def fits(across: int, down: int) -> bool:
        columns = ceil(across / 28)
        rows = ceil(down / 28)
        return max(columns, rows) * 28 <= edge and columns * rows <= limit

    def at(long: int) -> tuple[int, int]:
        short = max(1, round(long / (max(width, height) / min(width, height))))
        return (long, short) if width >= height else (short, long)

    fitting, beyond = (max(width, height), 0) if fits(width, height) else (1, max(width, height))
    while fitting + 1 < beyond:  # the longest long edge that fits both limits, by halving
        middle = (fitting + beyond) // 2
        fitting, beyond = (middle, beyond) if fits(*at(middle)) else (fitting, middle)
    size = (width, height) if not beyond else at(fitting)
    columns = ceil(size[0] / 28)
    rows = ceil(size[1] / 28)
    steps = (
        *_describe_resize((width, height), size, f"at most {limit:,} tokens and {edge:,} pixels along an edge"),
        f"padded to {columns * 28} × {rows * 28}, which is {columns} × {rows} patches of 28 × 28 pixels",
    )
    return ImageLayout(*size, 28, 28, columns, rows, columns * rows, steps, f"{columns} × {rows}")


def tiles_of_768(width: int, height: int) -> ImageLayout:
    """Cut into tiles as long as the shorter side by 1.5: Gemini 2."""
    if max(width, height) <= 384:
        return ImageLayout(
            width=width,
            height=height,
            cell_width=width,
            cell_height=height,
            columns=1,
            rows=1,
            tokens=258,
            steps=("both sides are at most 384 pixels: one tile",),
            sum="258",
        )
    unit = max(1, floor(min(width, height) / 1.5))
    columns = ceil(width / unit)
    rows = ceil(height / unit)
    steps = (
        f"tiles of {unit} × {unit} pixels: the shorter side by 1.5, rounded down",
        f"{columns} × {rows} tiles, each resized to 768 × 768 pixels, 258 tokens each",
    )
    return ImageLayout(
        width=width,
        height=height,
        cell_width=unit,
        cell_height=unit,
        columns=columns,
        rows=rows,
        tokens=258 * columns * rows,
        steps=steps,
        sum=f"258 × {columns} × {rows}",
    )


def by_level(width: int, height: int, *, tokens: int) -> ImageLayout:
    """Take the number of tokens of a level, whatever the size: Gemini 3."""
    says = f"at most {tokens:,} tokens at this level, whatever the size; how they lie on the image is not published"
    return ImageLayout(
        width=width,
        height=height,
        cell_width=0,
        cell_height=0,
        columns=0,
        rows=0,
        tokens=tokens,
        steps=(says,),
        sum=f"{tokens}",
    )


def round_sides(width: int, height: int, *, factor: int, least: int, most: int) -> ImageLayout:
    """Round both sides to a factor, within two limits of pixels: Qwen-VL. Raises `Invalid`."""
    if max(width, height) > 200 * min(width, height):
        raise Invalid("Qwen-VL refuses images more than 200 times as long as wide.", pointer="/width")
    # Python's round goes to the even neighbour of a half, and so does theirs.
    size = (round(width / factor) * factor, round(height / factor) * factor)
    says = "sides rounded"
    if size[0] * size[1] > most:
        shrink = sqrt(width * height / most)
        size = (max(factor, _down(width / shrink, factor)), max(factor, _down(height / shrink, factor)))
        says = f"at most {most:,} pixels, sides rounded down"
    elif size[0] * size[1] < least:
        grow = sqrt(least / (width * height))
        size = (ceil(width * grow / factor) * factor, ceil(height * grow / factor) * factor)
        says = f"at least {least:,} pixels, sides rounded up"
    columns = size[0] // factor
    rows = size[1] // factor
    steps = (
        *_describe_resize((width, height), size, f"{says} to multiples of {factor}"),
        f"2 × 2 patches of {factor // 2} pixels merge into one token: {columns} × {rows} tokens",
    )
    return ImageLayout(*size, factor, factor, columns, rows, columns * rows, steps, f"{columns} × {rows}")


def _down(side: float, factor: int) -> int:
    return floor(side / factor) * factor


def rows_with_breaks(width: int, height: int) -> ImageLayout:
    """Cut into patches of 16², with a token at the end of each row: Pixtral."""
    ratio = max(width, height) / 1024
    size = (max(1, floor(width / ratio)), max(1, floor(height / ratio))) if ratio > 1 else (width, height)
    columns = ceil(size[0] / 16)
    rows = ceil(size[1] / 16)
    steps = (
        *_describe_resize((width, height), size, "longest side to 1,024"),
        f"{columns} × {rows} patches of 16 × 16 pixels",
        "a token [IMG_BREAK] after each row, and [IMG_END] after the last",
    )
    return ImageLayout(*size, 16, 16, columns, rows, (columns + 1) * rows, steps, f"({columns} + 1) × {rows}")


def one_square(width: int, height: int, *, side: int, patch: int) -> ImageLayout:
    """Resize to a square of patches: LLaVA-1.5."""
    across = side // patch
    steps = (f"the image becomes {side} × {side}, whatever its size", f"{across} × {across} patches of {patch} pixels")
    return ImageLayout(
        width=side,
        height=side,
        cell_width=patch,
        cell_height=patch,
        columns=across,
        rows=across,
        tokens=across * across,
        steps=steps,
        sum=f"{across} × {across}",
    )
