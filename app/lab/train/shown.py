"""What a training came to, in words and numbers for people."""

from collections.abc import Mapping
from typing import Any


def measures(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The measures of held-out text, a name and a value each; one that cannot be had is left out.

    >>> measured = {"characters": 400, "bytes": 500, "words": 80, "tokens": 100, "baseline": "o200k_base",
    ...             "baseline_tokens": 125, "saved": 0.2}
    >>> for name, value in measures(measured):
    ...     print(name, value)
    tokens 100
    characters per token 4.00
    bytes per token 5.00
    tokens per word 1.25
    o200k_base 125 tokens
    tokens saved 20.0 %
    """
    told = [
        ("tokens", f"{found['tokens']:,}"),
        ("characters per token", f"{found['characters'] / found['tokens']:.2f}"),
        ("bytes per token", f"{found['bytes'] / found['tokens']:.2f}"),
    ]
    if found.get("unknown"):
        told.append(("unknown", f"{found['unknown']:,} of them"))
    if found["words"]:
        told.append(("tokens per word", f"{found['tokens'] / found['words']:.2f}"))
    if found["saved"] is not None:
        told.append((found["baseline"], f"{found['baseline_tokens']:,} tokens"))
        told.append(("tokens saved", f"{100 * found['saved']:.1f} %".replace("-", "−")))
    return told
