"""Rules of vendors by model: caches, pictures and instructions for tools, from `rules.toml`, which explains them."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from .targets import TargetModel

RuleKind = Literal["cache", "tiles", "patches", "tools"]
RULES: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())


def find_rule(kind: RuleKind, model: TargetModel) -> dict[str, Any] | None:
    """Return the first rule of a kind that is one of a model, or None."""
    return next((rule for rule in RULES[kind] if any(fnmatchcase(model.plain, one) for one in rule["models"])), None)
