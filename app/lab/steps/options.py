"""The options of a run through an algorithm, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...scratch.learn_bpe import TieRule
from ...types import Algorithm, Unit
from ..option_schema import Condition, option
from .frames import Branch

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


@dataclass(frozen=True, slots=True)
class StepsOptions:
    """Everything that decides a run: a text, or a corpus to train on, and the options."""

    text: str
    branch: Branch = field(
        default="learn",
        metadata=option("Mode", help="learn trains on the text, encode tokenizes it.", choices=BRANCHES),
    )
    algorithm: Algorithm = field(
        default="bpe", metadata=option("Algorithm", help="For training.", choices=ALGORITHMS, used_by=(TRAIN,))
    )
    unit: Unit = field(
        default="characters",
        metadata=option(
            "Base units",
            help="For training BPE: the symbols that the first merges join; marked ends each word with </w>.",
            choices=UNITS,
            used_by=({**TRAIN, "algorithm": ("bpe",)},),
        ),
    )
    pattern: str = field(
        default="spaces",
        metadata=option(
            "Pre-tokenization",
            help="For training: how the corpus is split into words.",
            choices=PATTERNS,
            used_by=(TRAIN,),
        ),
    )
    ties: TieRule = field(
        default="first-seen",
        metadata=option(
            "Tie-breaking",
            help="For training: which of the pairs with the same count is merged first.",
            choices=TIES,
            used_by=(MERGING,),
        ),
    )
    merges: int = field(
        default=50,
        metadata=option(
            "Maximum number of merges",
            help="For training; for Unigram, the number of tokens kept besides the characters.",
            min=1,
            max=2000,
            used_by=(TRAIN,),
        ),
    )
    table: bool = field(
        default=False,
        metadata=option(
            "The corpus is a table of words and counts",
            help="For training: each line has a word and its count.",
            used_by=(TRAIN,),
        ),
    )
    tokenizer: str = field(
        default="o200k_base",
        metadata=option("Tokenizer", help="For encoding: an id from /api/tokenizers.", used_by=(ENCODE,)),
    )
    special: bool = field(
        default=False,
        metadata=option("Parse special tokens in the input", help="For encoding.", used_by=(ENCODE,)),
    )
    temperature: float | None = field(
        default=None,
        metadata=option(
            "Temperature",
            help="For encoding with Unigram: also sample a segmentation; α of Kudo 2018. "
            "A high value makes the best segmentation likelier.",
            above=0,
            max=100,
            presets=(0.1, 0.2, 0.5, 1, 2),
            used_by=(ENCODE,),
        ),
    )
    seed: int = field(
        default=0,
        metadata=option(
            "Seed", help="For encoding with Unigram: of the sample.", min=0, max=2**32 - 1, used_by=(ENCODE,)
        ),
    )
