"""Numbers as they are shown: ranks, scores, probabilities."""


def score(rank: float) -> str:
    """The score that a rank stands for, which has the opposite sign.

    >>> score(385.0), score(0.0), score(2.5)
    ('−385', '0', '−2.5')
    """
    text = f"{-rank:,.3f}".rstrip("0").rstrip(".").replace("-", "−")
    return "0" if text == "−0" else text


def weight(symbols: bytes | str, rank: float) -> str:
    """What a merge is weighed by: a rank where bytes are merged, a score where characters are.

    >>> weight(b"the", 290), weight("the", 44.0)
    ('rank 290', 'score −44')
    """
    return f"rank {rank:,}" if isinstance(symbols, bytes) else f"score {score(rank)}"


def number(value: float) -> str:
    """A sum of scores.

    >>> number(-3.91202), number(0.0)
    ('−3.912', '0')
    """
    return f"{value:,.3f}".replace("-", "−") if value else "0"


def percent(share: float) -> str:
    """A probability.

    >>> percent(0.8333), percent(0.00004)
    ('83.3 %', '< 0.1 %')
    """
    return f"{100 * share:.1f} %" if share >= 0.001 else "< 0.1 %"
