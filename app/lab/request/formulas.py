"""The formulas by which the tokens of a request are counted where no tokenizer writes the whole prompt.

Each has its source, the day on which it was read, and the error to expect. What nobody has published has none of these:
its tokens are a range, or are not counted.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..chat.templates import TemplateFit

READ = "2026-11-22"


@dataclass(frozen=True, slots=True)
class Formula:
    """A rule for tokens that a vendor adds: what it says, who says so and when, and the error to expect."""

    title: str
    text: str
    error: str
    source: str = ""
    address: str = ""
    date: str = READ


FORMULAS = {
    id: Formula(**entry) for id, entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text()).items()
}
"""The formulas by id."""


def describe_template(fit: TemplateFit) -> Formula:
    """Return how a prompt is counted that a chat template writes, and what is known of its error."""
    error = "None" if fit.exact else "Not known"
    return Formula(
        "Chat template",
        "The prompt as the chat template writes it, tokenized whole.",
        f"{error}: {fit.text}. A server with a template of its own may differ.",
        "The chat template of the tokenizer",
        "/chat",
    )
