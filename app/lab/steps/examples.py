"""Examples to start from: published worked examples, texts whose tokens people ask about, and two toy tokenizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from ...files.from_scratch_pieces import PieceTokenizer, bert, sentencepiece
from ...files.sentencepiece.model import ScoredPiece, SentencePieceModel
from ...types import TokenizerInfo
from ..examples import HELLO
from .options import StepsOptions

PYTHON = """\
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
"""


@dataclass(frozen=True, slots=True)
class StepsExample:
    """Options with an id and a title; `shows` says what to look for."""

    id: str
    title: str
    shows: str
    options: StepsOptions


EXAMPLES = (
    StepsExample(
        "gage-1994",
        "Gage 1994",
        "Byte pair encoding as it was invented, for compression, on Gage’s own string: AB occurs three times, then ABC "
        "twice; after two merges no pair occurs twice.",
        StepsOptions(text="ABABCABCD", pattern="whole", merges=10),
    ),
    StepsExample(
        "gage",
        "A variant of Gage’s string",
        "The same rule on another string: two merges, then no pair occurs twice.",
        StepsOptions(text="cddcdycdyc", pattern="whole", merges=10),
    ),
    StepsExample(
        "mistake",
        "Find the mistake",
        "A published walk-through replaces only two of the three ac, so it merges aa next. Replace all three: which "
        "pair is next?",
        StepsOptions(text="aabacaacbacb", pattern="whole", merges=3),
    ),
    StepsExample(
        "sennrich-2016",
        "Sennrich, Haddow and Birch 2016",
        "The words of their Algorithm 1, with an end-of-word mark </w>: the pair (e, s) occurs 9 times and is merged "
        "first.",
        StepsOptions(text="low 5\nlower 2\nnewest 6\nwidest 3", unit="marked", table=True, merges=10),
    ),
    StepsExample(
        "sennrich",
        "A variant of Sennrich’s words",
        "Other words with counts and the mark </w>: the pair (w, </w>) occurs 11 times and is merged first.",
        StepsOptions(text="low 5\nlowest 2\nnew 6\nwidest 3", unit="marked", table=True, merges=10),
    ),
    StepsExample(
        "newer",
        "Low, lower, new, newer",
        "Without an end-of-word mark: low and new become tokens, and tie-breaking decides two of the merges.",
        StepsOptions(text="low 5\nlower 2\nnew 6\nnewer 3", table=True, merges=4),
    ),
    StepsExample(
        "hat",
        "The cat in the hat",
        "Over bytes: the first new token has the id 256, and the space becomes part of a token.",
        StepsOptions(text="the cat in the hat", unit="bytes", pattern="whole", merges=3),
    ),
    StepsExample(
        "wordpiece",
        "WordPiece by score",
        "The most frequent pair is not always the best: its count is divided by the counts of its parts.",
        StepsOptions(
            text="play 5\nplaying 3\nplayed 2\nsing 4\nsinging 2", algorithm="wordpiece", table=True, merges=10
        ),
    ),
    StepsExample(
        "unigram",
        "Unigram prunes",
        "The vocabulary starts too large. Training removes the tokens the likelihood misses least, and then estimates "
        "the probabilities again: they sum to 1.",
        StepsOptions(text="the 8\nthere 5\nthese 3\nhere 4\nher 2\nthree 2", algorithm="unigram", table=True, merges=4),
    ),
    StepsExample(
        "hello",
        "Hello, 🌍!",
        "The globe is four bytes in UTF-8; o200k merges three of them with the space before it.",
        StepsOptions(text=HELLO, branch="encode"),
    ),
    StepsExample(
        "strawberry",
        "strawberry",
        "Why a model finds it hard to count the letters: it reads tokens, not letters.",
        StepsOptions(text="strawberry", branch="encode", tokenizer="o200k_base"),
    ),
    StepsExample(
        "numbers",
        "9.11 and 9.9",
        "The pre-tokenization pattern splits digits into groups of up to three, from the left.",
        StepsOptions(text="9.11 and 9.9", branch="encode", tokenizer="o200k_base"),
    ),
    StepsExample(
        "python",
        "A Python function",
        "Of four spaces of indentation, the last one goes with the word that follows.",
        StepsOptions(text=PYTHON, branch="encode", tokenizer="o200k_base"),
    ),
    StepsExample(
        "playing",
        "playing, longest match",
        "WordPiece does not merge. It looks up the whole word, then one character less each time: the first match is "
        "the longest, and the rest is looked up as ##….",
        StepsOptions(text="playing", branch="encode", tokenizer="toy-wordpiece"),
    ),
    StepsExample(
        "there",
        "there, most likely",
        "Unigram compares all segmentations: of therethe, there and the are the likeliest, ahead of the, re and the.",
        StepsOptions(text="therethe", branch="encode", tokenizer="toy-unigram"),
    ),
    StepsExample(
        "fallback",
        "Byte fallback",
        "A character that is not in the vocabulary becomes the tokens of its bytes.",
        StepsOptions(text="Hello, 🌍! ꙮ", branch="encode", tokenizer="mistral-v1"),
    ),
)


TOY_PROBABILITIES = {"the": 0.08, "there": 0.02, "re": 0.05, "th": 0.06, "e": 0.07, "r": 0.03, "t": 0.02, "h": 0.02}


def toy_wordpiece() -> PieceTokenizer:
    """Return a WordPiece tokenizer with the tokens `play` and `##ing`.

    >>> toy_wordpiece().encode("playing play pay").ids.tolist()
    [1, 2, 1, 0]
    """
    tokens = ("[UNK]", "play", "##ing")
    info = TokenizerInfo("toy-wordpiece", "toy WordPiece (2 tokens)", "wordpiece", ("scratch",), 3, lossless=False)
    return bert(info, vocabulary={token: id for id, token in enumerate(tokens)})


def toy_unigram() -> PieceTokenizer:
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
    return sentencepiece(info, model=model)


TOYS: Mapping[str, Callable[[], PieceTokenizer]] = {"toy-wordpiece": toy_wordpiece, "toy-unigram": toy_unigram}
"""The toy tokenizers by id."""
