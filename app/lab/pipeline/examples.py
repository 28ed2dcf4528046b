"""Texts that show what the stages of well-known pipelines do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PipelineExample:
    """A text with the tokenizer that it shows; `options` are fields of the page."""

    id: str
    title: str
    tokenizer: str
    text: str
    pair: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


EXAMPLES = (
    PipelineExample(
        "bert", "BERT: lower case, no accents", "bert-base-uncased", "Héllo,  WÖRLD! Tokenization isn’t hard."
    ),
    PipelineExample("gpt-4", "GPT-4o: pattern and bytes", "o200k_base", "Hello, 🌍! 你好! It's 2024."),
    PipelineExample("t5", "T5: character map and ▁", "t5", "The ﬁrst  cafe\u0301 №\u00a03"),
    PipelineExample("gemma", "Gemma 4: spaces as ▁, bytes as fallback", "gemma4", "Once upon a time … 𐎀 <bos>"),
    PipelineExample("clip", "CLIP: ends of words", "clip", "A PHOTO of  a café"),
    PipelineExample(
        id="pair",
        title="Pair, truncated and padded",
        tokenizer="bert-base-uncased",
        text="Which stage drops the spaces between the words of a text?",
        pair="The pre-tokenizer does, and the decoder puts them back.",
        options={"max_length": 16, "stride": 2, "pad": "fixed", "length": 20},
    ),
)
