"""Texts that show what the stages of well-known pipelines do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the tokenizer that it shows; `options` are fields of the page."""

    id: str
    title: str
    tokenizer: str
    text: str
    pair: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


EXAMPLES = (
    Example("bert", "BERT: lower case, no accents", "bert-base-uncased", "Héllo,  WÖRLD! Tokenization isn’t hard."),
    Example("gpt-4", "GPT-4o: pattern and bytes", "o200k_base", "Hello, 🌍! 你好! It's 2024."),
    Example("t5", "T5: character map and ▁", "t5", "The ﬁrst  cafe\u0301 №\u00a03"),
    Example("gemma", "Gemma 4: spaces as ▁, bytes as fallback", "gemma4", "Once upon a time … 𐎀 <bos>"),
    Example("clip", "CLIP: ends of words", "clip", "A PHOTO of  a café"),
    Example(
        "pair",
        "Pair, truncated and padded",
        "bert-base-uncased",
        "Which stage drops the spaces between the words of a text?",
        "The pre-tokenizer does, and the decoder puts them back.",
        {"max_length": 16, "stride": 2, "pad": "fixed", "length": 20},
    ),
)
