"""The model that a request names: its family, how its text is counted, its price and its context window."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from ...errors import Invalid
from ...registry import Registry
from ..chat.model_templates import find_template
from ..costs import UNPUBLISHED
from ..model_names import list_spellings
from ..models import resolve_model
from ..prices import PricedModel, TokenRange, load_prices
from ..token_ranges import find_range
from .recognition import ApiFormat

Family = Literal["measured", "openai", "claude", "gemini", "phi", "open", "vocabulary"]
"""An OpenAI model whose format was measured · one of which it was not · Claude · Gemini · phi-4 · with a chat template
here · without any format."""
MEASURED = ("gpt-3.5*", "gpt-35*", "gpt-4", "gpt-4-*", "gpt-4o", "gpt-4o-*", "chatgpt-4o*")
OPENAI = (*MEASURED, "gpt-[45][.-]*", "gpt-5", "o[134]", "o[134]-*", "codex-*")
PHI = ("phi-4", "phi4", "phi4:*")
DATED = re.compile(r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest|\d{4})|-v\d+:\d+|:\d+)+$")
SAME_PRICE = {"gpt-4": "gpt-4-0613", "gpt-4-turbo": "gpt-4-turbo-2024-04-09"}


@dataclass(frozen=True, slots=True)
class TargetModel:
    """A model that reads a request. `tokenizer` counts its texts, or those that its tokens are a `range` of."""

    name: str
    family: Family
    tokenizer: str
    money: PricedModel
    range: TokenRange | None = None

    @property
    def plain(self) -> str:
        """The name as `rules.toml` has it: without a vendor, and with dashes for the points of Claude’s."""
        name = self.name.casefold().rpartition("/")[2].removeprefix("ft:").removeprefix("anthropic.")
        return name.replace(".", "-") if self.family == "claude" else name

    @property
    def own(self) -> bool:
        """True if the tokenizer is the model's own."""
        return self.range is None

    @property
    def reason(self) -> str:
        """How the count comes about where that is not obvious."""
        return f"{UNPUBLISHED} {self.range.text}" if self.range else self.money.note


def find_target(
    registry: Registry, name: str, format: ApiFormat = "chat", *, ratio: tuple[float, float] | None = None
) -> TargetModel:
    """Return the model of a request; `ratio` replaces the published range of a model without a public tokenizer.

    Raises `Invalid` if there is no name, and `UnknownTokenizer`.
    """
    if not name:
        if format != "gemini":
            raise Invalid("The request names no model. Enter one, such as gpt-4o or qwen3.", pointer="/model")
        return TargetModel("Gemini 2.5", "gemini", "gemma4", find_price("gemini-2.5-pro"))
    *_, short = list_spellings(name) or (name,)
    if one := find_range(name):
        return TargetModel(name, "claude", one.of, find_price(short), one.measure(ratio))
    tokenizer = resolve_model(registry, name)
    family = _family(registry, short, tokenizer)
    return TargetModel(name, family, tokenizer, find_price(short))


def _family(registry: Registry, name: str, tokenizer: str) -> Family:
    if name.casefold().startswith("gemini"):
        return "gemini"
    if find_template(registry, tokenizer, name) is not None:
        return "open"
    folded = name.casefold().removeprefix("ft:")
    families: tuple[tuple[Family, tuple[str, ...]], ...] = (
        ("measured", MEASURED),
        ("openai", OPENAI),
        ("phi", PHI),
    )
    return next((one for one, names in families if any(fnmatchcase(folded, name) for name in names)), "vocabulary")


def find_price(name: str) -> PricedModel:
    """Return the price and the context window of a model by its name at its vendor; both are None if not known.

    >>> find_price("gpt-4o-2024-08-06").price, find_price("claude-sonnet-4-5-20250929").name, find_price("own").price
    (2.5, 'Claude Sonnet 4.5', None)
    """
    plain = _plain(SAME_PRICE.get(name, name))
    for model in load_prices():
        if plain and plain in (_plain(model.offer.rpartition(" at ")[0]), _plain(model.id)):
            return model
    return PricedModel(name)


def _plain(name: str) -> str:
    return DATED.sub("", name.casefold().rpartition("/")[2]).replace(".", "-").replace(" ", "-")
