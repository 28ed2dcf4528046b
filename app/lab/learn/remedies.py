"""The scene about remedies for expensive languages: a vocabulary is trained for each, and the premiums are counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from ...errors import Invalid
from ...registry import Registry
from ...scratch.fast.bpe.encode import merge
from ...scratch.fast.bpe.train import train_bpe
from ...scratch.fast.word_counts import count_text_words
from ...scratch.language_shares import iter_shares
from ...scratch.pretokenize import pretokenize
from ...types import TrainedVocab
from ..languages.declarations import Declaration
from ..steps.patterns import expression
from ..steps.step import Row, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, make_row, percent, spell
from .code import trace_lines
from .prose import say
from .scene import Question, Trace, ask
from .sizes import read_ranks
from .texts import LANGUAGE_NAMES, article, draw_bars, draw_premiums, find_declaration

LINE = re.compile(r"\s*(.+?)[\s:]+(\d+(?:\.\d+)?)\s*")
MOST = 3
"""Languages beside English."""
SIZE = 1500
"""Tokens of each vocabulary, its 256 bytes among them."""
WORDS = 1_000_000
"""Words, about, of each corpus: a text is counted as often as its share asks for."""
MOST_TEXT = 10_000
MOST_SHOWN = 6
LONGEST = 8
"""Tokens of a row, and characters of a token, so that each row is a line."""
GPT2 = "gpt2"
REMEDIES = (("α = 1", 1.0, GPT2), ("α = 0.3", 0.3, GPT2), ("α = 0", 0.0, GPT2), ("α = 0.3, marks", 0.3, "o200k"))
"""What is tried: a name, the power of the shares, and the pattern that cuts words."""


class Written(NamedTuple):
    """A language of a mixture: its declaration, and how much text there is."""

    text: Declaration
    size: float


def read_mixture(text: str) -> dict[str, Written]:
    """Return the languages of a text by name, English first. Raises `Invalid`."""
    mixture = {"English": Written(find_declaration("eng"), 100.0)}
    for line in filter(str.strip, text.splitlines()):
        found = LINE.fullmatch(line)
        if not found or not 0.1 <= float(found[2]) <= MOST_TEXT:
            message = f"Type a language and a size from 0.1 to {MOST_TEXT:,} on each line, such as Burmese 1."
            raise Invalid(message, pointer="/text")
        one = find_declaration(found[1])
        name = "English" if one.code == "eng" else found[1][:20]
        mixture[name] = Written(one, float(found[2]))
    if not 1 < len(mixture) <= MOST + 1:
        raise Invalid(f"Type one to {MOST} languages besides English, one on each line.", pointer="/text")
    return mixture


@lru_cache(maxsize=64)
def train_mixture(shares: tuple[tuple[str, float], ...], pattern: str) -> Mapping[bytes, int]:
    """Return the ranks of BPE, trained on all of the declaration but Article 1, each language by its share."""
    counts = Counter[str]()
    for code, share in shares:
        words = _count_words(code, pattern)
        times = share * WORDS / max(1, words.total())
        counts.update({word: max(1, round(count * times)) for word, count in words.items()})
    *_, vocabulary = train_bpe(counts, size=SIZE)
    assert isinstance(vocabulary, TrainedVocab)
    return read_ranks(vocabulary)


@lru_cache(maxsize=64)
def _count_words(code: str, pattern: str) -> Counter[str]:
    texts = [text for number, text in find_declaration(code).articles.items() if number != 1]
    return count_text_words(texts, pattern=expression(pattern), trusted=True)


def trace_remedies(text: str, registry: Registry) -> Trace:
    """Trace the shares of languages by several powers, and what Article 1 then takes in each language."""
    mixture = read_mixture(text)
    sizes = {name: one.size for name, one in mixture.items()}
    poorest = min([*sizes][1:], key=lambda name: sizes[name])
    counts: dict[str, dict[str, int]] = {}
    premiums: dict[str, float] = {}
    rows: list[TileRow] = []
    start = say("remedies.steps.start", language=poorest)
    if sizes[poorest] >= sizes["English"]:
        start = say("remedies.steps.enough", language=poorest)
    title = "How much text there is"
    table = tabulate(title, ("language", "size"), ((name, f"{size:g}") for name, size in sizes.items()))
    steps = [Step(start, table=table, figure=draw_bars(sizes, title, "g", ()))]
    for name, alpha, pattern in REMEDIES:
        traced = [*trace_lines(iter_shares(sizes, alpha))]
        shares = {one.language: one.share for _, one in traced}
        ranks = train_mixture(tuple((mixture[one].text.code, share) for one, share in shares.items()), pattern)
        tokens = {one: _encode(article(mixture[one].text), ranks, pattern) for one in mixture}
        counts[name] = {one: len(found) for one, found in tokens.items()}
        premiums[name] = counts[name][poorest] / counts[name]["English"]
        rows.append(_row(tokens[poorest], name))
        sentence = _say(alpha, pattern, poorest, shares[poorest], premiums[name])
        line = traced[[*sizes].index(poorest)][0]
        figure = draw_premiums(premiums)
        steps.append(
            Step(sentence, (*rows[:1], *rows[1:][-1:]), line, _tabulate(counts), figure=figure, symbols=SYMBOLS)
        )
    return Trace(steps, _ask_share(sizes, poorest))


SYMBOLS = ("alpha", "share")


def _say(alpha: float, pattern: str, language: str, share: float, premium: float) -> Words:
    times = f"{premium:.2f}"
    if pattern != GPT2:
        return say("remedies.steps.marks", language=language, times=times)
    key = "corpus" if alpha == 1 else "power" if alpha else "even"
    return say(f"remedies.steps.{key}", language=language, share=percent(share), times=times)


def _encode(text: str, ranks: Mapping[bytes, int], pattern: str) -> list[bytes]:
    return [token for _, word in pretokenize(text, expression(pattern)) for token in merge(word.encode(), ranks)]


def _row(tokens: Sequence[bytes], label: str) -> TileRow:
    keys = {token: NO_ID + number for number, token in enumerate(dict.fromkeys(tokens))}
    texts = ((spell(token), keys[token]) for token in tokens)
    short = ((text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…", key) for text, key in texts)
    return make_row((Tile(text, key) for text, key in short), label, limit=MOST_SHOWN)


def _tabulate(counts: Mapping[str, Mapping[str, int]]) -> Table:
    _, *names = next(iter(counts.values()))
    rows = (
        (remedy, f"{found['English']}", *(f"{found[name] / found['English']:.2f}" for name in names))
        for remedy, found in counts.items()
    )
    heads = ("", "English, tokens", *(f"{name}, times" for name in names))
    return tabulate("Article 1, which was not trained on", heads, rows)


def _ask_share(sizes: Mapping[str, float], language: str) -> Question:
    """Return the question with which share a language is drawn if its power is 0.3.

    As decimals all choices have the same length; of percentages the right one would be among the longest.
    """

    def share(alpha: float) -> str:
        return f"{next(one.share for one in iter_shares(sizes, alpha) if one.language == language):.3f}"

    powers = tuple(Row((name, f"{size:g}", f"{size**0.3:.2f}")) for name, size in sizes.items())
    return ask(
        "remedies.question",
        share(0.3),
        [
            (share(1), "corpus"),
            (share(0), "even"),
            (f"{0.3 * sizes[language] / sum(sizes.values()):.3f}", "times"),
        ],
        table=Table("How much text there is", ("language", "size", "size to the power 0.3"), powers),
        shown_at=2,
        language=language,
        before=share(1),
        after=share(0.3),
    )


def sample_sizes(random: Random) -> str:
    """Return two languages with sizes."""
    return "\n".join(f"{name} {random.choice((1, 2, 5, 10, 20))}" for name in random.sample(LANGUAGE_NAMES, 2))
