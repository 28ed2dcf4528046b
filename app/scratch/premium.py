"""The premium of a language: how many times as many tokens it takes to say the same as in English.

Everything that is counted in tokens grows with it: a price, the share of the context window, and the time to write an
answer token by token (Petrov et al. 2023).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple


class PremiumCost(NamedTuple):
    """What a text costs in a language: its tokens, the premium, and what follows from them.

    `fits` is how many such texts a context window holds, `dollars` the price of a thousand of them, None if it is not
    known, and `seconds` the time to write one.
    """

    language: str
    tokens: int
    premium: float
    fits: int
    dollars: float | None
    seconds: float


def compare_languages(
    texts: Mapping[str, str],
    encode: Callable[[str], Sequence[int]],
    *,
    english: str,
    window: int = 128_000,
    price: float | None = 2.5,
    rate: float = 50,
) -> Iterator[PremiumCost]:
    """Yield the cost of one text in each language.

    `price` is in dollars for a million tokens, None if it is not known, `rate` in tokens a second.

    >>> texts = {"English": "to be", "German": "zu sein"}
    >>> for cost in compare_languages(texts, str.encode, english="to be", rate=10):
    ...     print(cost.language, cost.tokens, cost.premium, cost.fits, cost.dollars, cost.seconds)
    English 5 1.0 25600 0.0125 0.5
    German 7 1.4 18285 0.0175 0.7
    """
    baseline = len(encode(english))
    for language, text in texts.items():
        tokens = len(encode(text))
        premium = tokens / baseline
        yield PremiumCost(
            language=language,
            tokens=tokens,
            premium=premium,
            fits=window // tokens,
            dollars=None if price is None else 1000 * tokens * price / 1e6,
            seconds=tokens / rate,
        )
