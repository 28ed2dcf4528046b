"""The language atlas: the number of tokens of the declaration in every language, for every tokenizer.

The text of a language is all its articles, separated by an empty line; /compare opens the same text. The premium of a
language is relative to the English text of the same articles.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from ... import __version__
from ...atomic_files import write_whole
from ...errors import TokenariumError, UnknownTokenizer, join_names
from ...registry import Registry
from ...settings import Settings
from ...types import UNKNOWN, Batched, Tokenizer
from ..metrics import bytes_per_token, fertility, premium
from .declarations import Declaration, Language, declarations, get_pinned_sha256, language

ENGLISH = "eng"
STORED = "languages.json"
"""The file of counts in the store. `tokenarium atlas` writes it; the page needs neither texts nor tokenizers."""
MAX_UNKNOWN = 0.1
"""Share of unknown characters above which a tokenizer does not support a language (Petrov et al. 2023)."""
Measure = Literal["premium", "tokens", "bytes_per_token", "tokens_per_word"]


@dataclass(frozen=True, slots=True)
class AtlasCell:
    """The counts of one language and one tokenizer.

    >>> cell = AtlasCell(tokens=300, english=100, bytes=1200, words=150, unknown=0.0)
    >>> cell.premium, cell.bytes_per_token, cell.tokens_per_word
    (3.0, 4.0, 2.0)

    `english` is the number of tokens of the same articles in English, `unknown` the share of characters that become
    unknown tokens, from 0 to 1. `words` is None if the script does not separate words.
    """

    tokens: int
    english: int
    bytes: int
    words: int | None
    unknown: float

    @property
    def premium(self) -> float | None:
        """Tokens relative to English, as `metrics.premium`."""
        return premium(self.tokens, english=self.english)

    @property
    def bytes_per_token(self) -> float | None:
        """Compression in bytes per token, as `metrics.bytes_per_token`."""
        return bytes_per_token(self.bytes, tokens=self.tokens)

    @property
    def tokens_per_word(self) -> float | None:
        """Fertility, as `metrics.fertility`; None if the script does not separate words."""
        return fertility(self.tokens, words=self.words or 0)

    @property
    def unread(self) -> bool:
        """True if the tokenizer does not support the language: too many characters are unknown."""
        return self.unknown > MAX_UNKNOWN


@dataclass(frozen=True, slots=True)
class AtlasColumn:
    """A column of the atlas: a tokenizer and its counts, one number for each language in the order of the rows.

    `version` is that of the library `engine`, `sha256` the hash of the tokenizer's one file, or empty. `english` counts
    tokens of the same articles in English, `unknown` characters.
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
    """The rows and columns, the hash of the texts, and the version of the `regex` package that counted."""

    sha256: str
    regex: str
    languages: tuple[Language, ...] = field(hash=False)
    columns: tuple[AtlasColumn, ...] = field(hash=False)

    def select(self, ids: Collection[str]) -> list[AtlasColumn]:
        """Return the columns of these tokenizers. Raises `UnknownTokenizer` for one that is not in the atlas."""
        column_ids = [column.id for column in self.columns]
        if {*ids} - {*column_ids}:
            raise UnknownTokenizer(f"The atlas has no tokenizer of this name. Known: {join_names(column_ids)}.")
        return [column for column in self.columns if column.id in ids]

    def cell(self, row: int, column: AtlasColumn) -> AtlasCell:
        """Return the counts of the language in this row and the tokenizer of this column."""
        # Made on demand: of 500 languages times 15 tokenizers a page shows a few columns.
        language = self.languages[row]
        unknown = column.unknown[row] / language.characters
        return AtlasCell(column.tokens[row], column.english[row], language.bytes, language.words, unknown)


def columns(settings: Settings, *, workers: int = 2) -> Iterator[AtlasColumn]:
    """Count every tokenizer of the store in worker processes, and yield each column when it is ready.

    Tokenizers that were trained here bring their counts along.
    """
    with ProcessPoolExecutor(workers) as pool:
        ids = [info.id for info in Registry(settings).infos() if not info.trained]
        futures = [pool.submit(_whole_column, settings, id) for id in ids]
        for future in as_completed(futures):
            yield future.result()


def _whole_column(settings: Settings, id: str) -> AtlasColumn:
    texts = declarations(settings.store)
    return column(Registry(settings), id, list(texts.values()), texts[ENGLISH])


def column(registry: Registry, id: str, rows: Sequence[Declaration], english: Declaration) -> AtlasColumn:
    """Count the tokens of a tokenizer in these languages. Raises what loading and encoding raise."""
    return count_column(registry.get(id), rows, english, sha256=registry.sha256(id))


def count_column(
    tokenizer: Tokenizer, rows: Sequence[Declaration], english: Declaration, *, sha256: str
) -> AtlasColumn:
    """Count the tokens of a loaded tokenizer in these languages; `sha256` is the hash of its file."""
    counts = _count_all(tokenizer, [row.text for row in rows])
    # Many languages have the same articles, so English is tokenized once for each set of them.
    sets = [*{frozenset(row.articles) for row in rows}]
    english_counts = dict(zip(sets, _count_all(tokenizer, [english.of(numbers) for numbers in sets]), strict=True))
    return AtlasColumn(
        id=tokenizer.info.id,
        title=tokenizer.info.title,
        engine=tokenizer.engine,
        version=__version__ if tokenizer.engine == "scratch" else version(tokenizer.engine),
        sha256=sha256,
        tokens=tuple(tokens for tokens, _ in counts),
        english=tuple(english_counts[frozenset(row.articles)][0] for row in rows),
        unknown=tuple(unknown for _, unknown in counts),
    )


def _count_all(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the number of tokens of each text, and of its characters that are unknown, for which alone spans count."""
    if not isinstance(tokenizer, Batched):
        return [_count(tokenizer, text) for text in texts]
    ids = tokenizer.ids_of_many(texts)
    unknown = {id for id in {*chain.from_iterable(ids)} if tokenizer.entry(id).kind == "unknown"}
    return [
        (len(row), 0) if unknown.isdisjoint(row) else _count(tokenizer, text)
        for text, row in zip(texts, ids, strict=True)
    ]


def _count(tokenizer: Tokenizer, text: str) -> tuple[int, int]:
    """Return the number of tokens of a text, and of its characters that are unknown."""
    encoding = tokenizer.encode(text)
    lengths = (encoding.char_ends - encoding.char_starts)[encoding.flags & UNKNOWN != 0]
    return len(encoding), int(lengths.sum())


def save(store: Path, columns: Sequence[AtlasColumn]) -> None:
    """Write the counts of these tokenizers to the store, in one atomic step."""
    atlas = Atlas(
        sha256=get_pinned_sha256(store),
        regex=version("regex"),
        languages=tuple(map(language, declarations(store).values())),
        columns=tuple(sorted(columns, key=lambda column: column.id)),
    )
    write_whole(store / STORED, dump_atlas(atlas).encode())


def dump_atlas(atlas: Atlas) -> str:
    """Return the atlas as JSON with one language or tokenizer a line, so that changes are readable in a diff."""
    lists = ((name, [asdict(row) for row in getattr(atlas, name)]) for name in ("languages", "columns"))
    parts = (f' "{name}": [\n{_lines(rows)}\n ]' for name, rows in lists)
    head = f'{{\n "sha256": "{atlas.sha256}",\n "regex": "{atlas.regex}",\n'
    return head + ",\n".join(parts) + "\n}\n"


def load_atlas(text: str) -> Atlas:
    """Return the atlas from the JSON of `dump_atlas`.

    >>> load_atlas(dump_atlas(Atlas("", "", (), ())))
    Atlas(sha256='', regex='', languages=(), columns=())
    """
    fields = json.loads(text)
    return Atlas(
        fields["sha256"],
        fields["regex"],
        tuple(Language(**_tuples(row)) for row in fields["languages"]),
        tuple(AtlasColumn(**_tuples(row)) for row in fields["columns"]),
    )


def dump_column(column: AtlasColumn, texts: str) -> bytes:
    """Return the JSON of one column, with the hash of the texts that were counted."""
    return json.dumps({"texts": texts, "column": asdict(column)}, separators=(",", ":")).encode()


def add_trained_columns(atlas: Atlas, registry: Registry) -> Atlas:
    """Return the atlas with the columns of tokenizers that were trained here and counted on the same texts."""
    columns = []
    for info in registry.list_trained():
        try:
            stored = json.loads(registry.file(info.id, STORED))
        except (KeyError, TokenariumError):  # never counted, or deleted since the list was made
            continue
        if stored["texts"] == atlas.sha256:  # counts of other texts cannot be compared
            columns.append(AtlasColumn(**_tuples(stored["column"])))
    return replace(atlas, columns=(*atlas.columns, *columns))


def read_atlas(store: Path) -> Atlas:
    """Return the stored atlas; an empty one if there is none."""
    path = store / STORED
    return _read(path, path.stat().st_mtime_ns) if path.exists() else Atlas("", "", (), ())


@lru_cache(maxsize=1)
def _read(path: Path, _modified: int) -> Atlas:  # the time of modification is part of the cache's key
    return load_atlas(path.read_text(encoding="utf-8"))


def _lines(rows: Sequence[dict[str, Any]]) -> str:
    return ",\n".join("  " + json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
