"""What a report of surgery says in short: a headline, and lines of figures, for the page and the command line."""

from collections.abc import Mapping
from typing import Any


def headline(report: Mapping[str, Any]) -> str:
    """Return what was done, in a sentence.

    >>> headline({"options": {"operation": "prune"}, "tokens": {"before": 9, "after": 4, "kept": 4, "new": 0}})
    '4 of 9 tokens are left'
    """
    tokens = report["tokens"]
    operation = report["options"]["operation"]
    if operation == "prune":
        return f"{tokens['kept']:,} of {tokens['before']:,} tokens are left"
    if operation == "extend":
        learned = tokens["new"] - tokens["special"]
        return f"{learned:,} new tokens"
    return f"{tokens['new']:,} new special tokens, {len(report['renamed']):,} renamed"


def lines(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of a report, each with its name.

    >>> report = {
    ...     "size": {"before": 9, "after": 4},
    ...     "tokens": {"before": 9, "after": 4, "kept": 4, "new": 0},
    ...     "unreachable": {"before": 0, "after": 0, "became": 0},
    ...     "laws": {"coverage": {"unit": "bytes", "before": 256, "after": 256}, "round_trips": 5, "same_tokens": 0,
    ...              "agreement": 100},
    ...     "measured": {"before": 10, "after": 12, "saved": -0.2, "unknown": {"before": 0, "after": 0}},
    ... }
    >>> for name, value in lines(report):
    ...     print(name, value)
    ids 9 → 4
    tokens kept 4
    tokens removed 5
    new tokens 0
    unreachable tokens 0 → 0
    held-out text 10 → 12 tokens (20.0 % more)
    bytes encodable 256 → 256
    texts decoded as before 5
    texts on which engines agree 100
    """
    size = report["size"]
    tokens = report["tokens"]
    laws = report["laws"]
    rows = [
        ("ids", f"{size['before']:,} → {size['after']:,}"),
        ("tokens kept", f"{tokens['kept']:,}"),
        ("tokens removed", f"{tokens['before'] - tokens['kept']:,}"),
        ("new tokens", f"{tokens['new']:,}"),
        ("unreachable tokens", f"{report['unreachable']['before']:,} → {report['unreachable']['after']:,}"),
    ]
    if measured := report["measured"]:
        rows.append(("held-out text", f"{measured['before']:,} → {measured['after']:,} tokens ({change(measured)})"))
        unknown = measured["unknown"]
        if any(unknown.values()):
            rows.append(("unknown tokens in it", f"{unknown['before']:,} → {unknown['after']:,}"))
    cover = laws["coverage"]
    rows.append((f"{cover['unit']} encodable", f"{cover['before']:,} → {cover['after']:,}"))
    rows.append(("texts decoded as before", f"{laws['round_trips']:,}"))
    if laws["same_tokens"]:
        rows.append(("texts with the same tokens", f"{laws['same_tokens']:,}"))
    return [*rows, ("texts on which engines agree", f"{laws['agreement']:,}")]


def change(measured: Mapping[str, Any]) -> str:
    """Return by how much a text became shorter or longer.

    >>> change({"saved": 0.25}), change({"saved": -0.1}), change({"saved": 0.0})
    ('25.0 % fewer', '10.0 % more', 'the same')
    """
    saved = measured["saved"] or 0.0
    if not saved:
        return "the same"
    return f"{abs(saved) * 100:.1f} % {'fewer' if saved > 0 else 'more'}"
