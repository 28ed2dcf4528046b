"""How often each language is drawn when a vocabulary is trained: its share of the corpus, raised to a power.

Lample and Conneau 2019 draw sentences so, with α = 0.5; Conneau et al. 2020 (XLM-R) with α = 0.3. α = 1 is the corpus
as it is, and α = 0 takes as much of every language.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class LanguageShare(NamedTuple):
    """A language, how much text there is, and the share with which it is drawn."""

    language: str
    size: float
    share: float


def iter_shares(sizes: Mapping[str, float], alpha: float) -> Iterator[LanguageShare]:
    """Yield the share of each language.

    >>> for alpha in (1, 0.5, 0):
    ...     print([round(share, 2) for _, _, share in iter_shares({"English": 100, "Burmese": 1}, alpha)])
    [0.99, 0.01]
    [0.91, 0.09]
    [0.5, 0.5]
    """
    total = sum(sizes.values())
    powers = {language: (size / total) ** alpha for language, size in sizes.items()}
    for language, size in sizes.items():
        yield LanguageShare(language, size, powers[language] / sum(powers.values()))
