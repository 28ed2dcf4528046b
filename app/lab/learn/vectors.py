"""A scene about rows that mean something: vectors of tokens from the declaration of human rights in four languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random

import numpy as np

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.embedding import make_untrained_row
from ...scratch.token_vectors import Numbers, VectorStage, cosines, iter_vector_stages
from ...settings import Settings
from ...types import Tokenizer
from ..languages.declarations import declarations
from ..steps.step import Fact, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import make_row, two_decimals
from .code import trace_lines
from .prose import say
from .scene import Question, Trace, ask

MODEL = "o200k_base"
LANGUAGES = {"eng": "English", "fra": "French", "deu_1996": "German", "spa": "Spanish"}
WIDTH = 16
"""Numbers of a vector."""
LEAST = 2
MOST_ARTICLES = 15
"""A token has a vector if it occurs so often at least, and in so many of the 30 articles at most."""
SHOWN_ROWS, SHOWN_TILES = 8, 5
"""Rows of a table, and tiles of a row."""
WORD = re.compile(r"(?<= )\w{4,}")


@dataclass(frozen=True, slots=True)
class TokenSpace:
    """The tokens that have vectors, the articles of each by index, and the stages in which the vectors were made."""

    ids: tuple[int, ...]
    counts: Numbers
    untrained: Numbers
    stages: tuple[tuple[tuple[str, int], VectorStage], ...]

    @property
    def vectors(self) -> Numbers:
        return self.stages[-1][1].numbers

    def articles(self, row: int) -> list[int]:
        """Return the numbers of the articles that have a token."""
        return [int(at) + 1 for at in np.flatnonzero(self.counts[row])]


def read_articles() -> Mapping[int, str]:
    """Return each article of the declaration in all languages of the scene, by number, without headings."""
    known = declarations(Settings().store)
    texts: dict[int, str] = {}
    for code in LANGUAGES:
        for number, article in known[code].articles.items():
            texts[number] = f"{texts.get(number, '')}\n{article.partition(chr(10))[2]}"
    return {number: texts[number] for number in range(1, 31)}


@lru_cache(maxsize=1)
def _train(articles: tuple[tuple[int, ...], ...]) -> TokenSpace:
    counted = [Counter(ids) for ids in articles]
    totals = sum(counted, Counter[int]())
    in_articles = Counter(id for ids in counted for id in ids)
    ids = tuple(id for id, count in totals.items() if count >= LEAST and in_articles[id] <= MOST_ARTICLES)
    counts = np.array([[float(article[id]) for article in counted] for id in ids])
    untrained = np.array([make_untrained_row(id, WIDTH) for id in ids])
    stages = trace_lines(iter_vector_stages(counts, width=WIDTH))
    return TokenSpace(ids, counts, untrained, tuple(stages))


def trace_vectors(text: str, registry: Registry) -> Trace:
    """Trace how the first token of a word gets its vector, with its neighbours before and after."""
    tokenizer = registry.get(MODEL, "scratch")
    space = _train(tuple(tuple(tokenizer.encode(article).ids.tolist()) for article in read_articles().values()))
    row = _find_row(text, tokenizer, space)
    token = _tile(space, row, tokenizer)
    shown: tuple[TileRow, ...] = (TileRow((token,), "token"),)
    near, table = _nearest(space, space.untrained, row, tokenizer, "Nearest rows before training")
    steps = [Step(say("vectors.steps.start", token=token), (*shown, near), table=table)]
    for line, stage in space.stages:
        if stage.name == "expected":
            articles = plural(len(space.articles(row)), "article")
            sentence = say("vectors.steps.expected", token=token, articles=articles)
            table = _by_article(space, stage.numbers, row, "by chance")
        elif stage.name == "ppmi":
            sentence = say("vectors.steps.ppmi")
            table = _by_article(space, stage.numbers, row, "PPMI")
        else:
            sentence = say("vectors.steps.vectors", token=token, width=WIDTH)
            near, table = _nearest(space, stage.numbers, row, tokenizer, "Nearest rows after training")
            shown = (*shown, near)
        rows, width = Fact("tokens with a row", f"{len(space.ids):,}"), stage.numbers.shape[1]
        steps.append(Step(sentence, shown, line, table, (rows, Fact("numbers in a row", f"{width}"))))
    return Trace(steps, _ask_neighbour(space, row, token, tokenizer))


def _find_row(text: str, tokenizer: Tokenizer, space: TokenSpace) -> int:
    """Return the row of the first token of a text that has one. Raises `Invalid`."""
    for spelled in (f" {text.strip()}", text.strip()):
        for id in tokenizer.encode(spelled).ids.tolist():
            if id in space.ids:
                return space.ids.index(id)
    raise Invalid("No token of this text has a row here. Try law, freedom, Arbeit or país.", pointer="/text")


def _neighbours(space: TokenSpace, vectors: Numbers, row: int, tokenizer: Tokenizer) -> list[tuple[int, float]]:
    """Return the rows of tokens that begin a word, the most similar first, with their cosines."""
    similar = cosines(vectors, row)
    order = np.argsort(-similar, kind="stable").tolist()
    named = {other: tokenizer.entry(space.ids[other]).piece for other in order}
    words = [other for other in order if other != row and named[other].startswith(" ") and len(named[other]) > 3]
    return [(other, float(similar[other])) for other in words]


def _nearest(space: TokenSpace, vectors: Numbers, row: int, tokenizer: Tokenizer, title: str) -> tuple[TileRow, Table]:
    """Return the nearest tokens as a row of tiles, and as a table with their cosines."""
    found = [(_tile(space, one, tokenizer), cosine) for one, cosine in _neighbours(space, vectors, row, tokenizer)]
    rows = (((tile,), two_decimals(cosine)) for tile, cosine in found)
    table = tabulate(title, ("token", "cosine"), rows, chosen=(0,), most=SHOWN_ROWS)
    return make_row((tile for tile, _ in found[:SHOWN_TILES]), "nearest"), table


def _by_article(space: TokenSpace, numbers: Numbers, row: int, head: str) -> Table:
    columns = [(one, space.counts[row, one - 1], float(numbers[row, one - 1])) for one in space.articles(row)]
    rows = ((f"{one}", f"{count:.0f}", two_decimals(number)) for one, count, number in columns)
    return tabulate("Where the token occurs", ("article", "times", head), rows, most=SHOWN_ROWS)


def _tile(space: TokenSpace, row: int, tokenizer: Tokenizer) -> Tile:
    return Tile(tokenizer.entry(space.ids[row]).piece, space.ids[row])


def _ask_neighbour(space: TokenSpace, row: int, token: Tile, tokenizer: Tokenizer) -> Question | None:
    """Return the question which token gets the most similar row; the wrong ones share no article with it."""
    order = [other for other, _ in _neighbours(space, space.vectors, row, tokenizer)]
    mine = {*space.articles(row)}
    apart = [other for other in order if mine.isdisjoint(space.articles(other))]
    if not apart or mine.isdisjoint(space.articles(order[0])):
        return None
    tiles = {other: _tile(space, other, tokenizer) for other in (row, *order)}
    begins = token.text.strip()[:2].lower()
    alike = [other for other in apart if tiles[other].text.strip().lower().startswith(begins)]
    random = Random(token.text)
    wrong = [*alike[:1], *random.sample(apart, min(4, len(apart)))]
    asked = [order[0], *wrong]
    random.shuffle(asked)
    rows = (((tiles[one],), ", ".join(map(str, space.articles(one)))) for one in (row, *dict.fromkeys(asked)))
    return ask(
        "vectors.question",
        tiles[order[0]],
        [(tiles[one], "spelled" if one in alike else "apart") for one in wrong],
        (TileRow((token,), "token"),),
        table=tabulate("Where tokens occur", ("token", "articles"), rows),
        shown_at=-1,
    )


@cache
def sample_words() -> tuple[str, ...]:
    """Return the words that practice asks about, each in several articles or twice in one."""
    counts = Counter(word for article in read_articles().values() for word in WORD.findall(article))
    return tuple(sorted(word for word, count in counts.items() if 2 <= count <= 12))


def sample_word_of_law(random: Random) -> str:
    """Return a word of the declaration in one of the languages."""
    return random.choice(sample_words())
