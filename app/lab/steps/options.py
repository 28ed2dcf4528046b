"""The options of a run through an algorithm, step by step."""

from collections.abc import Mapping

from pydantic import Field

from ...scratch.learn_bpe import TieRule
from ...types import Algorithm, Unit
from ..option_schema import Condition, Options, declare
from .step import Branch

BRANCHES: Mapping[Branch, str] = {"learn": "Train", "encode": "Encode"}
ALGORITHMS: Mapping[Algorithm, str] = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "Unigram"}
UNITS: Mapping[Unit, str] = {
    "characters": "characters",
    "marked": "characters, with the end-of-word mark </w>",
    "bytes": "bytes",
}
TIES: Mapping[TieRule, str] = {
    "first-seen": "first seen",
    "smallest": "smallest token ids, as in tokenizers",
    "lexicographic": "first in lexicographic order",
    "lexicographically-greatest": "lexicographically greatest, as in Stanford’s CS336",
}
PATTERNS: Mapping[str, str] = {
    "spaces": "at white space",
    "whole": "none: the text is one word",
    "gpt2": "as GPT-2",
    "cl100k": "as GPT-4",
    "o200k": "as GPT-4o",
    "llama3": "as Llama 3",
}
TRAIN: Condition = {"branch": ("learn",)}
ENCODE: Condition = {"branch": ("encode",)}
MERGING = {**TRAIN, "algorithm": ("bpe", "wordpiece")}


class StepsOptions(Options):
    """Everything that decides a run: a text, or a corpus to train on, and the options."""

    text: str = Field(description="The text to encode, or the corpus to train on.")
    branch: Branch = declare("Mode", "learn", help="learn trains on the text, encode tokenizes it.", choices=BRANCHES)
    algorithm: Algorithm = declare("Algorithm", "bpe", help="For training.", choices=ALGORITHMS, used_by=(TRAIN,))
    unit: Unit = declare(
        "Base units",
        "characters",
        help="For training BPE: the symbols that the first merges join; marked ends each word with </w>.",
        choices=UNITS,
        used_by=({**TRAIN, "algorithm": ("bpe",)},),
    )
    pattern: str = declare(
        "Pre-tokenization",
        "spaces",
        help="For training: how the corpus is split into words.",
        choices=PATTERNS,
        used_by=(TRAIN,),
    )
    ties: TieRule = declare(
        "Tie-breaking",
        "first-seen",
        help="For training: which of the pairs with the same count is merged first.",
        choices=TIES,
        used_by=(MERGING,),
    )
    merges: int = declare(
        "Maximum number of merges",
        50,
        help="For training; for Unigram, the number of tokens kept besides the characters.",
        ge=1,
        le=2000,
        used_by=(TRAIN,),
    )
    table: bool = declare(
        "The corpus is a table of words and counts",
        False,
        help="For training: each line has a word and its count.",
        used_by=(TRAIN,),
    )
    tokenizer: str = declare(
        "Tokenizer", "o200k_base", help="For encoding: an id from /api/tokenizers.", used_by=(ENCODE,)
    )
    special: bool = declare("Recognize special tokens in the text", False, help="For encoding.", used_by=(ENCODE,))
    temperature: float | None = declare(
        "Temperature",
        None,
        help="For encoding with Unigram: also sample a segmentation; α of Kudo 2018. "
        "A high value makes the best segmentation likelier.",
        gt=0,
        le=100,
        presets=(0.1, 0.2, 0.5, 1, 2),
        used_by=(ENCODE,),
    )
    seed: int = declare(
        "Seed", 0, help="For encoding with Unigram: of the sample.", ge=0, le=2**32 - 1, used_by=(ENCODE,)
    )
