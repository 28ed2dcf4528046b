"""One token of a vocabulary: what it is made of and what is made of it, its neighbours, its variants, its witness."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...errors import UnknownId
from ...files.vocab_entries import spell_raw
from ...registry import Registry
from ...types import VocabEntry
from ..cell_views import clip_text, hex_bytes
from ..display_runs import DisplayRun, runs
from ..tokenization_view import code_points
from .analysis import Analysis, Class, Reason
from .columns import KINDS, SCRIPTS, VocabularyColumns
from .merges import Merges, Source, SymbolNode
from .search import RecentVocabularies
from .token_view import TokenView, token_view
from .word_variants import list_forms

MAX_SHOWN = 256
"""Characters, or bytes, of the token itself that are shown."""
MAX_LINKS = 40
"""Tokens of a list that are shown; all are counted."""
NEIGHBOURS = 6
"""Tokens before and after it that are shown."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the tree of merges; `token` has the id -1 where it is no token of the vocabulary."""

    token: TokenView
    parts: "tuple[TreeNode, ...]" = ()


@dataclass(frozen=True, slots=True)
class TokenList:
    """The first few of `count` tokens; not `complete` where only some were tried."""

    tokens: tuple[TokenView, ...]
    count: int
    complete: bool = True


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """All about a token.

    - `source`: where its merges come from; `tree`: one node, or where merging stops; empty without merges.
    - `orphan`: it is not the union of any two tokens that merge before it.
    - `rank`: that of the token or of the listed merge that makes it; `score`: of a SentencePiece or unigram model.
    - `made`: what is merged of it directly; `containing`: all tokens whose bytes contain its own.
    - `neighbours`, `variants`: by id; of space and case. They contain the token itself.
    - `token_class`, `reason`, `witness`: of the analysis, None before that has been computed.
    """

    token: TokenView
    entry: VocabEntry
    hex: str
    code_points: str
    characters: int
    script: str
    source: Source
    tree: tuple[TreeNode, ...]
    orphan: bool
    rank: int | None
    score: float | None
    made: TokenList
    containing: TokenList
    neighbours: tuple[TokenView, ...]
    variants: tuple[TokenView, ...]
    token_class: Class | None = None
    reason: Reason | None = None
    instead: tuple[TokenView, ...] = ()
    witness: str | None = None

    @property
    def witness_runs(self) -> list[DisplayRun]:
        return runs(clip_text(self.witness or "", MAX_SHOWN))


def find_token_entry(
    vocabularies: RecentVocabularies, registry: Registry, id: str, token: int, analysis: Analysis | None = None
) -> TokenEntry:
    """Return all about a token by its id. Raises `UnknownId`, and what `RecentVocabularies.merges` raises."""
    columns = vocabularies.columns(registry, id)
    if (row := columns.index(token)) is None:
        raise UnknownId(token, vocab_size=int(columns.ids[-1]) + 1, pointer="/token")
    return token_entry(columns, vocabularies.merges(registry, id), row, analysis)


def token_entry(columns: VocabularyColumns, merges: Merges, row: int, analysis: Analysis | None = None) -> TokenEntry:
    """Return all about the token of a row."""
    entry = columns.entry(row)
    characters = int(columns.characters[row])
    reason = analysis.get_reason(entry.id) if analysis else None
    made, complete = merges.list_products(entry.id)
    around = range(max(0, row - NEIGHBOURS), min(len(columns), row + NEIGHBOURS + 1))
    return TokenEntry(
        token=token_view(entry, max_length=MAX_SHOWN),
        entry=entry,
        hex=hex_bytes(entry.raw, max_length=MAX_SHOWN),
        code_points=code_points(columns.texts[row]) if characters else "",
        characters=characters,
        script=SCRIPTS[columns.scripts[row]],
        source=merges.source,
        tree=tuple(_tree(columns, merges.tree(entry.id))),
        orphan=merges.orphan(entry.id),
        rank=merges.rank(entry.id),
        score=merges.scores[entry.id] if entry.kind == "normal" and entry.id < len(merges.scores) else None,
        made=TokenList(tuple(_views(columns, made[:MAX_LINKS])), len(made), complete),
        containing=_find_containing(columns, row),
        neighbours=tuple(token_view(columns.entry(other)) for other in around),
        variants=tuple(token_view(columns.entry(other)) for other in variants(columns, row)),
        token_class=analysis.get_class(entry.id) if analysis else None,
        reason=reason,
        instead=tuple(_views(columns, reason.instead[:MAX_LINKS])) if reason else (),
        witness=analysis.get_witness(entry.id) if analysis else None,
    )


def _tree(columns: VocabularyColumns, nodes: Iterable[SymbolNode]) -> Iterator[TreeNode]:
    for node in nodes:
        row = None if node.id is None else columns.index(node.id)
        raw = node.symbol if isinstance(node.symbol, bytes) else node.symbol.encode()
        piece = node.symbol if isinstance(node.symbol, str) else spell_raw(raw)
        entry = VocabEntry(-1, piece, raw) if row is None else columns.entry(row)
        yield TreeNode(token_view(entry), tuple(_tree(columns, node.parts)))


def _views(columns: VocabularyColumns, ids: Iterable[int]) -> Iterator[TokenView]:
    for id in ids:
        if (row := columns.index(id)) is not None:
            yield token_view(columns.entry(row))


def _find_containing(columns: VocabularyColumns, row: int) -> TokenList:
    """Return the other tokens whose bytes contain those of a row."""
    raw = columns.raws[row]
    rows = [other for other, part in enumerate(columns.raws) if raw in part and other != row] if raw else []
    return TokenList(tuple(token_view(columns.entry(other)) for other in rows[:MAX_LINKS]), len(rows))


def variants(columns: VocabularyColumns, row: int) -> list[int]:
    """Return the rows of the same text with and without a space in front and in other cases, and of the same bytes."""
    if columns.kinds[row] != KINDS.index("normal") or not columns.characters[row]:
        return columns.find_rows(columns.raws[row])
    return [other for form in list_forms(columns.texts[row]) for other in columns.find_rows(form.encode())]
