"""Examples to start from: published worked examples, texts whose tokens people ask about, and two toy tokenizers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from pathlib import Path

from ...files.conversion import Metadata
from ...files.sentencepiece.model import ScoredPiece, SentencePieceModel
from ...files.sentencepiece.scratch import ScratchPieceTokenizer
from ...files.sentencepiece.scratch import load as load_sentencepiece
from ...files.tokenizer_json.read import load_tokenizer_json
from ...files.tokenizer_json.scratch import PipelineTokenizer
from ...files.tokenizer_json.scratch import load as load_pipeline
from ...files.transformers.vocab_files import from_wordpiece
from ...types import TokenizerInfo
from .options import StepsOptions


@dataclass(frozen=True, slots=True)
class StepsExample:
    """Options with an id and a title; `shows` says what to look for."""

    id: str
    title: str
    shows: str
    options: StepsOptions


TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
EXAMPLES = tuple(
    StepsExample(id, table["title"], table["shows"], StepsOptions(**table["options"])) for id, table in TABLES.items()
)


TOY_PROBABILITIES = {"the": 0.08, "there": 0.02, "re": 0.05, "th": 0.06, "e": 0.07, "r": 0.03, "t": 0.02, "h": 0.02}


def toy_wordpiece() -> PipelineTokenizer:
    """Return a WordPiece tokenizer with the tokens `play` and `##ing`.

    >>> toy_wordpiece().encode("playing play pay").ids.tolist()
    [1, 2, 1, 0]
    """
    file = from_wordpiece(b"[UNK]\nplay\n##ing", Metadata()).files["tokenizer.json"]
    info = TokenizerInfo("toy-wordpiece", "toy WordPiece (2 tokens)", "wordpiece", ("scratch",), 3, lossless=False)
    return load_pipeline(info, file=load_tokenizer_json(file))


def toy_unigram() -> ScratchPieceTokenizer:
    """Return a unigram tokenizer with eight tokens, of which `there` is likelier than `the` and `re` together.

    >>> toy_unigram().encode("there the!").ids.tolist()
    [2, 0, 1, 0]
    """
    pieces = (
        ScoredPiece("<unk>", 0.0, "unknown"),
        *(ScoredPiece(text, log(p)) for text, p in TOY_PROBABILITIES.items()),
    )
    info = TokenizerInfo("toy-unigram", "toy Unigram (8 tokens)", "unigram", ("scratch",), 9, lossless=False)
    model = SentencePieceModel(
        pieces, "unigram", add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False
    )
    return load_sentencepiece(info, model=model)


TOYS: Mapping[str, Callable[[], ScratchPieceTokenizer | PipelineTokenizer]] = {
    "toy-wordpiece": toy_wordpiece,
    "toy-unigram": toy_unigram,
}
"""The toy tokenizers by id."""
