"""Runs to start from: the field's worked examples, and texts whose cuts people ask about."""

from dataclasses import dataclass

from app.lab.examples import HELLO
from app.lab.steps.options import Options

PYTHON = """\
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
"""


@dataclass(frozen=True, slots=True)
class Example:
    """Options under a name; `shows` says what to look for."""

    id: str
    title: str
    shows: str
    options: Options


EXAMPLES = (
    Example(
        "gage",
        "Gage 1994",
        "Byte pair encoding as it was invented, to compress: two merges, then no pair comes twice.",
        Options("cddcdycdyc", pattern="whole", merges=10),
    ),
    Example(
        "mistake",
        "Find the mistake",
        "An exercise. A published walk-through of this string replaces only two of the three ac, and so finds aa to be "
        "the next pair. Where does it go wrong, and what should come next?",
        Options("aabacaacbacb", pattern="whole", merges=3),
    ),
    Example(
        "sennrich",
        "Sennrich 2016",
        "Words with their counts, and a mark where each ends: (w, </w>) comes 11 times and is first.",
        Options("low 5\nlowest 2\nnew 6\nwidest 3", unit="marked", table=True, merges=10),
    ),
    Example(
        "newer",
        "Low, lower, new, newer",
        "Without the mark: two words’ worth of merges, and ties at every turn.",
        Options("low 5\nlower 2\nnew 6\nnewer 3", table=True, merges=4),
    ),
    Example(
        "hat",
        "The cat in the hat",
        "Over bytes: the first new symbol has the id 256, and the space becomes part of a token.",
        Options("the cat in the hat", unit="bytes", pattern="whole", merges=3),
    ),
    Example(
        "wordpiece",
        "WordPiece by score",
        "The most frequent pair need not win: its count is divided by those of its parts.",
        Options("play 5\nplaying 3\nplayed 2\nsing 4\nsinging 2", algorithm="wordpiece", table=True, merges=10),
    ),
    Example(
        "unigram",
        "Unigram prunes",
        "It begins with too much, and takes away what costs the least likelihood.",
        Options("the 8\nthere 5\nthese 3\nhere 4\nher 2\nthree 2", algorithm="unigram", table=True, merges=4),
    ),
    Example(
        "hello",
        "Hello, 🌍!",
        "The globe is four bytes, and o200k joins three of them with the space before it.",
        Options(HELLO, branch="encode"),
    ),
    Example(
        "strawberry",
        "strawberry",
        "Why a model cannot count the letters: it never sees them.",
        Options("strawberry", branch="encode", tokenizer="cl100k_base"),
    ),
    Example(
        "numbers",
        "9.11 and 9.9",
        "The pattern cuts digits in groups of up to three, from the left.",
        Options("9.11 and 9.9", branch="encode", tokenizer="cl100k_base"),
    ),
    Example(
        "python",
        "A Python function",
        "Four spaces of indentation leave one with the word behind them.",
        Options(PYTHON, branch="encode", tokenizer="o200k_base"),
    ),
    Example(
        "playing",
        "playing, longest match",
        "WordPiece does not merge: it looks up the longest beginning, then the longest rest.",
        Options("playing", branch="encode", tokenizer="toy-wordpiece"),
    ),
    Example(
        "there",
        "there, most likely",
        "Unigram weighs all cuts: there alone is likelier than the and re.",
        Options("there", branch="encode", tokenizer="toy-unigram"),
    ),
    Example(
        "fallback",
        "Byte fallback",
        "A character that the vocabulary lacks becomes its bytes.",
        Options("Hello, 🌍! ꙮ", branch="encode", tokenizer="mistral-v1"),
    ),
)
