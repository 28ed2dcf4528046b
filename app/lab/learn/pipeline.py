"""Scenes about what is around the model: ▁ and normalization, the stages, and special tokens."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from unicodedata import normalize as unicode_normalize

from ...scratch.sentencepiece import marking
from ...types import Staged, Tokenizer
from ..steps.frames import Row, Tile
from ..steps.tiles import MAX_TILES, NO_ID, character_row, plural
from .code import lit
from .scene import Claim, Moment, Play, Question, Scene, Table, TableRow, Words, choices

if TYPE_CHECKING:
    from ...registry import Registry

# 10. SentencePiece

MODEL = "t5"
OTHERS = (("T5", "t5"), ("Mistral 7B", "mistral-v1"), ("BERT", "bert-base-uncased"), ("GPT-2", "gpt2"))
SAYS = {
    "normalized": "Characters become others that mean the same, by T5’s own table. That cannot be undone.",
    "collapsed": "Several spaces become one, and those at the ends go. That cannot be undone either.",
    "marked": "Each space becomes ▁, one more in front: now a space is a character of the vocabulary.",
}


def marks(text: str, registry: Registry) -> Play:
    """Play what SentencePiece does to a text with T5’s model, and what comes back."""
    tokenizer = registry.get(MODEL, "scratch")
    assert isinstance(tokenizer, Staged)
    staged = tokenizer
    typed = character_row(text, "typed")
    moments = [Moment(("The text as it was typed.",), (typed,))]

    def normalize(text: str) -> str:
        return " ".join(_characters(staged, part) for part in text.split(" "))

    for line, step in lit("sentencepiece.marking", marking(text, normalize)):
        symbols = frozenset({"normalize"} if step.done != "marked" else {"marks"})
        moments.append(Moment((SAYS[step.done],), (typed, character_row(step.text, "now")), line, symbols=symbols))
    ids = tokenizer.encode(text).ids.tolist()
    tiles = tuple(Tile(tokenizer.entry(id).piece, id, at) for at, id in enumerate(ids[:MAX_TILES]))
    tokens = Row(tiles, "tokens", left_out_after=max(0, len(ids) - MAX_TILES))
    back = _back(tokenizer, text)
    says = "the same text." if back == text else "another text."
    rows = (typed, tokens, character_row(back, "back"))
    says = f"{plural(len(ids), 'token')}. Joined, with spaces for ▁, they give {says}"
    moments.append(Moment((says,), rows, symbols=frozenset({"back"})))
    moments.append(Moment(("What other tokenizers give back.",), table=_others(text, registry)))
    return Play(moments, _comes_back(text, back))


def _characters(tokenizer: Staged, part: str) -> str:
    """Return a part of a text without spaces after the model's character map alone: the q keep its ends."""
    (normal,) = tokenizer.stages(f"q{part}q")["normalize"]
    return normal.removeprefix("▁")[1:-1].replace("▁", " ")


def _back(tokenizer: Tokenizer, text: str) -> str:
    return tokenizer.decode(tokenizer.encode(text).ids.tolist()).decode(errors="replace")


def _others(text: str, registry: Registry) -> Table:
    """Return what encoding and decoding gives back, by tokenizer."""
    rows = []
    for model, id in OTHERS:
        back = _back(registry.get(id, "scratch"), text)
        rows.append(TableRow((model, (_whole(back),), "the same" if back == text else "changed"), back == text))
    return Table("Encoded and decoded again", ("tokenizer", "text", ""), tuple(rows))


def _whole(text: str) -> Tile:
    return Tile(text, NO_ID)


def _comes_back(text: str, back: str) -> Question:
    collapsed, composed = " ".join(text.split()), unicode_normalize("NFKC", text)
    same = "Nothing in it is changed by normalization, and ▁ becomes a space again."
    changed = "Decoding gives the normalized text; no token holds what was typed."
    if "⁇" in back:
        changed += " A character that T5 lacks was the unknown token, and comes back as ⁇."
    reason = same if back == text else changed
    wrong: list[tuple[Words, str]] = [
        ((_whole(text),), "Normalization comes first, and decoding cannot know what was there before."),
        ((_whole(collapsed),), "The spaces are right, but T5’s character map changes characters too."),
        ((_whole(composed),), "The characters are right, but several spaces become one."),
        ((_whole(text.replace(" ", "")),), "Spaces are kept, as ▁, at the beginning of tokens."),
        ((_whole("▁" + collapsed.replace(" ", "▁")),), "So the model sees it; decoding puts the spaces back."),
    ]
    asks = "What comes back if T5 encodes it and decodes it again?"
    return Question((asks,), choices((_whole(back),), reason, wrong))


def sample_spaced(random: Random) -> str:
    """Return a short text with several spaces or a character that normalization changes."""
    words = random.sample(("café", "ﬁrst", "１２", "Ｔea", "x²", "time", "№ 5", "two", "hello", "ﬂy"), 3)
    return random.choice(("  ", " ")).join(words)


MARKS = Scene(
    "sentencepiece",
    "SentencePiece",
    Claim("SentencePiece writes each space as ▁ and needs no words: joining its tokens gives the text back."),
    (
        Claim(
            "It needs no pre-tokenizer, so it suits languages without spaces as well.",
            "source",
            "kudo-richardson-2018",
        ),
        Claim("It gives back the normalized text. What normalization changes is lost before the model begins."),
    ),
    "Ｔhe  ﬁrst №  x²",
    "A text",
    marks,
    (
        ("a▁b", "Who types ▁ gets a space: the mark cannot be told from the character."),
        ("def f(x):\n    return x", "Line breaks and indentation become single spaces. For code, this is fatal."),
    ),
    ("sentencepiece.marking", "sentencepiece.unmarked"),
    sample_spaced,
    needs=("pretokenize", "unigram"),
    opens=(("Playground", "/?tokenizer=t5"), ("Compare", "/compare")),
    equation=True,
)
