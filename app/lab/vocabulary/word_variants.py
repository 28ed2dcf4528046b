"""The tokens that spell a word in any case, with and without a space in front: what a `logit_bias` has to name.

A bias that names `word` alone leaves " word" and "Word" as they are. A variant of several tokens has no id of its own:
a bias of one of them changes other words, too, so they are told and not named.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ConfigDict, Field

from ...types import Tokenizer
from ..option_schema import Options, declare
from .columns import VocabularyColumns

MAX_WORD = 100
"""Characters of the longest word."""


class VariantOptions(Options):
    """A word, and the bias that its tokens get."""

    model_config = ConfigDict(strict=False)  # an address has texts alone

    word: str = Field(min_length=1, max_length=MAX_WORD, description="A word, with or without a space in front.")
    bias: float = declare("Bias", -100.0, ge=-100, le=100, help="−100 bans a token, 100 all others")


@dataclass(frozen=True, slots=True)
class WordVariant:
    """A way to write a word: the ids of the tokens that spell it alone, and those that it becomes if there are none."""

    text: str
    ids: tuple[int, ...]
    parts: tuple[int, ...] = ()


def list_forms(word: str) -> list[str]:
    """Return a word as it is written, in lower case, with a capital, in capitals; and each with a space in front.

    >>> list_forms(" the")
    ['the', 'The', 'THE', ' the', ' The', ' THE']
    """
    bare = word.removeprefix(" ")
    cases = dict.fromkeys((bare, bare.lower(), bare[:1].upper() + bare[1:].lower(), bare.upper()))
    return [f"{space}{form}" for space in ("", " ") for form in cases if form or space]


def find_variants(tokenizer: Tokenizer, columns: VocabularyColumns, word: str) -> list[WordVariant]:
    """Return the variants of a word. Raises what encoding raises."""
    found = []
    for form in list_forms(word):
        ids = tuple(int(columns.ids[row]) for row in columns.find_rows(form.encode()))
        parts = () if ids else tuple(tokenizer.encode(form).ids.tolist())
        found.append(WordVariant(form, ids, parts))
    return found


def make_logit_bias(variants: Sequence[WordVariant], bias: float) -> dict[str, float]:
    """Return the `logit_bias` of a request to OpenAI or vLLM: each id, as JSON has it, with its bias.

    >>> make_logit_bias([WordVariant("the", (3086,)), WordVariant(" the", (290,))], -100)
    {'3086': -100, '290': -100}
    """
    return {str(id): bias for variant in variants for id in variant.ids}
