"""Texts to train on: short ones, and one that takes a while."""

from functools import cache
from random import Random

from tokenarium.lab.train.corpora import load_built_in
from tokenarium.settings import Settings

SHAN = load_built_in(Settings().store, "udhr:shn")[1]
ENGLISH = load_built_in(Settings().store, "udhr:eng")[1]


@cache
def long_text(size=1_500_000):
    """Words of random letters, which take some seconds to learn from."""
    source = Random(7)
    return " ".join("".join(source.choices("abcdefghij", k=source.randint(3, 12))) for _ in range(size // 8))
