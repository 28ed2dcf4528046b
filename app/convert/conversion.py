"""What the files of a user become: files that an engine reads, and what is known of them without loading."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from ..types import Engine, Family, TokenRule

AS_DEFINED = "As its own files define."


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of converting files; the fields are those of `TokenizerInfo`, and `files` and `spec` of `Record`."""

    family: Family
    engines: tuple[Engine, ...]
    files: Mapping[str, bytes]
    vocab_size: int
    lossless: bool = False
    normalization: str = AS_DEFINED
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    token_rules: Mapping[str, Sequence[TokenRule]] = field(default_factory=dict)
    gaps: int = 0
    spec: Mapping[str, Any] = field(default_factory=dict)
    chat_template: str | None = None


def name_rules(rules: Mapping[str, Mapping[str, Any]], tokens: Iterable[str]) -> dict[str, list[TokenRule]]:
    """Return the rules that are set of each token that has any.

    >>> name_rules({"<mask>": {"lstrip": True, "rstrip": False}}, ["<mask>", "<s>"])
    {'<mask>': ['lstrip']}
    """
    names: tuple[TokenRule, ...] = get_args(TokenRule)
    named = {token: [name for name in names if rules.get(token, {}).get(name) is True] for token in tokens}
    return {token: on for token, on in named.items() if on}
