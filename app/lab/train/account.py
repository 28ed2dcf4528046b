"""The account of a training: what is told of it beside what was learned."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

from app import __version__
from app.errors import Invalid
from app.lab.tokenize import utf8_length

LONGEST_TITLE = 100


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """Who trained on what, how, when, and how well. `corpus` is its name for people; the settings and the metrics are
    JSON; `date` is a day such as 2026-11-21."""

    title: str
    trainer: str = "scratch"
    corpus: str = ""
    corpus_sha256: str = ""
    corpus_bytes: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    date: str = ""

    @property
    def versions(self) -> dict[str, str]:
        """What the trainer was, by its release."""
        own = {"tokenarium": __version__}
        return own if self.trainer == "scratch" else own | {self.trainer: version(self.trainer)}


def check_title(title: str) -> str:
    """A title on one line. Raises `Invalid` for one that is empty or too long, `LoneSurrogate`.

    >>> check_title(" Shan,\\n bytes ")
    'Shan, bytes'
    """
    utf8_length(title, pointer="/title")
    line = " ".join(title.split())
    if not 1 <= len(line) <= LONGEST_TITLE:
        raise Invalid(f"A title has 1 to {LONGEST_TITLE} characters.", pointer="/title", limit=LONGEST_TITLE)
    return line


def dumped(account: Account, refusals: Mapping[str, str]) -> bytes:
    """The account and the formats that could not be had, as JSON."""
    told = {"account": asdict(account), "versions": account.versions, "refusals": dict(refusals)}
    return json.dumps(told, ensure_ascii=False, indent=1).encode() + b"\n"


def loaded(data: bytes) -> tuple[Account, dict[str, str]]:
    """What was dumped."""
    told = json.loads(data)
    return Account(**told["account"]), told["refusals"]
