"""Where two pictures of a page differ: in places of a few letters, so that how edges are smoothed does not matter."""

import numpy as np
from PIL import Image, ImageChops, ImageDraw

WIDTH = 480
"""Pixels of a stored picture, at most."""
PLACE = 16
"""Pixels of the side of a place."""
APART = 8
"""Of 255, by how much the mean of a place differs in a colour. Fewer colours make up to 5, other smoothing 2."""


def shrink(picture):
    """Return a picture of a screen, at most as wide as it is stored."""
    picture = picture.convert("RGB")
    size = min(WIDTH, picture.width), picture.height * min(WIDTH, picture.width) // picture.width
    return picture.resize(size, Image.Resampling.BOX)


def store(picture, file):
    """Write a picture in few colours, about 15 KB."""
    picture.quantize(96, kmeans=3, dither=Image.Dither.NONE).save(file, optimize=True)


def differing_places(stored, seen):
    """Return the left and upper edges of the places that differ, of two pictures of one size."""
    one, other = (picture.convert("RGB").reduce(PLACE) for picture in (stored, seen))
    apart = np.asarray(ImageChops.difference(one, other)).max(axis=2)
    return [(PLACE * int(x), PLACE * int(y)) for y, x in np.argwhere(apart > APART)]


def show_differences(stored, seen, places):
    """Return a picture of what was stored, and beside it of what is seen, with the places that differ outlined."""
    both = Image.new("RGB", (stored.width + seen.width, max(stored.height, seen.height)))
    both.paste(stored.convert("RGB"))
    both.paste(seen.convert("RGB"), (stored.width, 0))
    draw = ImageDraw.Draw(both)
    for x, y in places:
        for left in (x, stored.width + x):
            draw.rectangle((left, y, left + PLACE, y + PLACE), outline="red")
    return both
