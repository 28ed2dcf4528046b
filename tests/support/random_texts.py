"""Texts of parts that tokenizers treat each in its own way, at random."""

import random

from tests.support.sentencepiece_models import WORDS
from tests.support.strings import NASTY

ODD = [
    " ",
    "  ",
    "\n",
    "▁",
    "<s>",
    "</s>",
    " <mask> ",
    "[E] ",
    "the",
    "Zoé",
    "ZOÉ",
    "12345",
    "new new",
    "wholly",
    "<unk>",
]
PARTS = [
    *NASTY.values(),
    *WORDS,
    *ODD,
    "[UNK]",
    "[CLS]",
    "##s",
    "low</w>",
    "<0x41>",
    "é",
    "e\u0301",
    "😀",
    "İ",
    "ﬁ",
    "²",
]


def texts(seed, count, parts_of=PARTS, *, first=0):
    """Every nasty text, and `count` of parts and of characters from the first one on; equal seeds give equal texts."""
    source = random.Random(seed)
    yield from NASTY.values()
    for _ in range(count):
        parts = source.choices(parts_of, k=source.randint(1, 7))
        parts += map(chr, source.choices(range(first, 0xD800), k=source.randint(0, 3)))
        parts += map(chr, source.choices(range(0xE000, 0x110000), k=source.randint(0, 2)))
        source.shuffle(parts)
        yield source.choice(["", " "]).join(parts)
