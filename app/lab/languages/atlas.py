"""The atlas: how many tokens every tokenizer makes of the declaration in every language.

The text of a language is its articles with an empty line between two, the same that /compare opens, so that the counts
are the same. What a language pays is told against the English of the same articles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from app import __version__
from app.errors import UnknownTokenizer, listed
from app.lab.languages.texts import Declaration, declarations
from app.lab.metrics import bytes_per_token, fertility, premium
from app.registry import Registry
from app.settings import Settings
from app.types import UNKNOWN, Tokenizer

ENGLISH = "eng"
UNREAD = 0.1
"""A tokenizer that does not know more than this share of a text's characters has not read it (Petrov et al. 2023)."""
Measure = Literal["premium", "tokens", "bytes_per_token", "tokens_per_word"]


@dataclass(frozen=True, slots=True)
class Language:
    """A row: a language and its text in figures. `words` is None where the script does not tell words apart."""

    code: str
    iso: str
    name: str
    script: str
    direction: str
    place: tuple[float, float] | None
    articles: int
    bytes: int
    characters: int
    words: int | None


@dataclass(frozen=True, slots=True)
class Cell:
    """A language through a tokenizer; `english` counts the tokens of the same articles in English.

    >>> cell = Cell(tokens=300, english=100, bytes=1200, words=150, unknown=0.0)
    >>> cell.premium, cell.bytes_per_token, cell.tokens_per_word
    (3.0, 4.0, 2.0)

    `unknown` is the share of characters that the tokenizer makes unknown tokens of. The metrics are those of `metrics`.
    """

    tokens: int
    english: int
    bytes: int
    words: int | None
    unknown: float

    @property
    def premium(self) -> float | None:
        return premium(self.tokens, english=self.english)

    @property
    def bytes_per_token(self) -> float | None:
        return bytes_per_token(self.bytes, tokens=self.tokens)

    @property
    def tokens_per_word(self) -> float | None:
        """The fertility, or None where words cannot be told apart."""
        return fertility(self.tokens, words=self.words or 0)

    @property
    def unread(self) -> bool:
        return self.unknown > UNREAD


@dataclass(frozen=True, slots=True)
class Column:
    """A tokenizer, what it was made of, and its counts by language.

    `version` is that of the library that cut; `sha256` that of its one file, or empty. `unknown` counts characters.
    """

    id: str
    title: str
    engine: str
    version: str
    sha256: str
    tokens: tuple[int, ...]
    english: tuple[int, ...]
    unknown: tuple[int, ...]


@dataclass(frozen=True)
class Atlas:
    """All of it: rows, columns, and the hash of the texts."""

    sha256: str
    regex: str
    languages: tuple[Language, ...]
    columns: tuple[Column, ...]

    def chosen(self, ids: Collection[str]) -> list[Column]:
        """Some of the columns. Raises `UnknownTokenizer` for one that is not here."""
        known = [column.id for column in self.columns]
        if {*ids} - {*known}:
            raise UnknownTokenizer(f"The atlas has no tokenizer of this name. It has {listed(known)}.")
        return [column for column in self.columns if column.id in ids]

    def cell(self, row: int, column: Column) -> Cell:
        language = self.languages[row]
        unknown = column.unknown[row] / language.characters
        return Cell(column.tokens[row], column.english[row], language.bytes, language.words, unknown)


def language(one: Declaration) -> Language:
    """The row of a declaration."""
    from app.lab.counts import word_count

    text = one.text
    return Language(
        code=one.code,
        iso=one.iso,
        name=one.name,
        script=one.script,
        direction=one.direction,
        place=one.place,
        articles=len(one.articles),
        bytes=len(text.encode()),
        characters=len(text),
        words=word_count(text) if one.spaced else None,
    )


def column(registry: Registry, id: str, rows: Sequence[Declaration], english: Declaration) -> Column:
    """One tokenizer through these languages. Raises what loading and encoding raise."""
    return counted(registry.get(id), rows, english, sha256=registry.sha256(id))


def counted(tokenizer: Tokenizer, rows: Sequence[Declaration], english: Declaration, *, sha256: str) -> Column:
    """A tokenizer that is loaded, with the hash of its file, through these languages."""
    found = [_counted(tokenizer, row.text) for row in rows]
    same = {
        numbers: _counted(tokenizer, english.of(numbers))[0] for numbers in {frozenset(row.articles) for row in rows}
    }
    return Column(
        id=tokenizer.info.id,
        title=tokenizer.info.title,
        engine=tokenizer.engine,
        version=__version__ if tokenizer.engine == "scratch" else version(tokenizer.engine),
        sha256=sha256,
        tokens=tuple(tokens for tokens, _ in found),
        english=tuple(same[frozenset(row.articles)] for row in rows),
        unknown=tuple(unknown for _, unknown in found),
    )


def columns(settings: Settings, *, workers: int = 2) -> Iterator[Column]:
    """Every tokenizer of the store through every language, each as it is done, in processes of their own.

    One that was trained here brings its counts along.
    """
    with ProcessPoolExecutor(workers) as pool:
        ids = [info.id for info in Registry(settings).infos() if not info.trained]
        waiting = [pool.submit(_whole_column, settings, id) for id in ids]
        for done in as_completed(waiting):
            yield done.result()


def _whole_column(settings: Settings, id: str) -> Column:
    texts = declarations(settings.store)
    return column(Registry(settings), id, list(texts.values()), texts[ENGLISH])


def _counted(tokenizer: Tokenizer, text: str) -> tuple[int, int]:
    """The tokens of a text, and the characters of it that are unknown."""
    encoding = tokenizer.encode(text)
    lengths = (encoding.char_ends - encoding.char_starts)[encoding.flags & UNKNOWN != 0]
    return len(encoding), int(lengths.sum())
