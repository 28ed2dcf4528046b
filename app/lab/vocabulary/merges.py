"""How the tokens of a BPE vocabulary are made: the merges that a file lists, or those that its ranks or scores imply.

A vocabulary of ranks does not list its merges. They are recovered by running BPE on the bytes of a token alone: the
last merge is of the two parts that make it. Where several tokens are left, merging does not lead to it, mostly because
no two earlier tokens make it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...files.minbpe import load_minbpe
from ...files.sentencepiece.model import load_model
from ...files.tokenizer_json.models import JsonModel
from ...files.tokenizer_json.packed import NAME, load_packed
from ...files.tokenizer_json.read import load_tokenizer_json
from ...store import Record
from .columns import VocabularyColumns

Symbol = str | bytes
RankOf = Callable[[Symbol, Symbol], float | None]
Source = Literal["listed", "ranks", "scores", "none", "unread"]
"""Where merges come from: a list in the file · recovered from ranks · the scores of pieces · the model has none · files
that only a library has read."""
Column = NDArray[np.int64]
MAX_SYMBOLS = 300
"""The longest token, in symbols, whose merges are followed."""
MAX_TRIED = 5_000
"""Tokens that are tried for whether they are made of another, where the file does not list merges."""


@dataclass(frozen=True, slots=True)
class SymbolNode:
    """A symbol, with the two that were merged into it. `id` is None for one that is no token by itself."""

    symbol: Symbol
    id: int | None
    parts: "tuple[SymbolNode, ...]" = ()


@dataclass(frozen=True, eq=False)
class Merges:
    """The merges of a vocabulary.

    - `ids`: the id of each symbol: bytes, or the spelling in the file; `symbols`: the symbol of each id.
    - `get_rank`: the rank of the merge of two symbols, None if they do not merge.
    - `suffix`: what the last symbol of a word ends with, such as `</w>`.
    - `pairs`: (what it makes, length of its left part) of each merge that is listed, by rank; else None.
    - `scores`: those of a SentencePiece or unigram model by id; empty for another.
    """

    source: Source
    ids: Mapping[Symbol, int] = field(default_factory=dict)
    symbols: Mapping[int, Symbol] = field(default_factory=dict)
    rank_of: RankOf = field(default=lambda left, right: None)
    suffix: str = ""
    pairs: tuple[Column, Column] | None = None
    scores: Sequence[float] = ()
    nbytes: int = 0

    def tree(self, id: int) -> tuple[SymbolNode, ...]:
        """Return the tree of a token: one node if merging gives it, else several, where merging stops.

        Empty for a token that merging does not concern: a special token, one that is too long, another model.
        """
        symbol = self.symbols.get(id)
        if symbol is None or len(symbol) > MAX_SYMBOLS:
            return ()
        nodes = self.merge_alone(symbol)
        return tuple(nodes) if len(nodes) == 1 else self._build_listed_tree(id, symbol) or tuple(nodes)

    def merge_alone(self, symbol: Symbol) -> list[SymbolNode]:
        """Return what merging makes of a symbol by itself: one node if it gives the symbol."""
        units = [SymbolNode(one, self.ids.get(one)) for one in self._units(symbol)]
        return merge_nodes(units, self.rank_of, self.ids)

    def _build_listed_tree(self, id: int, symbol: Symbol) -> tuple[SymbolNode, ...]:
        """Return the tree of a token that its own symbols do not merge to, by the first merge that lists it."""
        made, left = self.pairs or (np.zeros(0, np.int64),) * 2
        for start in left[made == id].tolist():
            both = [self.ids[symbol[:start]], self.ids[symbol[start:]]]
            parts = [self.tree(one) for one in both]
            return (SymbolNode(symbol, id, tuple(one for part in parts for one in part)),)
        return ()

    def _units(self, symbol: Symbol) -> list[Symbol]:
        """Return the symbols that a token begins as: bytes or characters, the last with the end-of-word mark."""
        if isinstance(symbol, bytes):
            return [symbol[at : at + 1] for at in range(len(symbol))]
        end = self.suffix if self.suffix and symbol.endswith(self.suffix) and symbol != self.suffix else ""
        units: list[Symbol] = [*symbol.removesuffix(end)] if end else [*symbol]
        return [*units[:-1], f"{units[-1]!s}{end}"]

    def rank(self, id: int) -> int | None:
        """Return the rank of a token, or of the listed merge that makes it; None where it has none."""
        if self.source == "ranks":
            return id if id in self.symbols else None
        (root, *more) = self.tree(id) or (None,)
        if self.source != "listed" or root is None or more or len(root.parts) != 2:
            return None
        rank = self.rank_of(root.parts[0].symbol, root.parts[1].symbol)
        return None if rank is None else int(rank)

    def orphan(self, id: int) -> bool:
        """Return whether a token of several symbols is not the union of any two that merge before it."""
        symbol = self.symbols.get(id)
        if symbol is None or id in self._made or len(self._units(symbol)) == 1:
            return False
        if self.pairs is not None:
            return True
        own = self._place(symbol)
        splits = ((symbol[:at], symbol[at:]) for at in range(1, len(symbol)))
        return not any(self._before(left, own) and self._before(right, own) for left, right in splits)

    @cached_property
    def _made(self) -> frozenset[int]:
        """The ids that the listed merges make."""
        return frozenset(() if self.pairs is None else self.pairs[0].tolist())

    def _before(self, symbol: Symbol, place: float) -> bool:
        """Return whether a symbol is one that merging begins with, or a token that merges before a place."""
        return symbol in self.ids and (len(symbol) == 1 or self._place(symbol) < place)

    def _place(self, symbol: Symbol) -> float:
        """Return the rank of a token, infinity without one."""
        rank = self.rank_of(symbol, symbol[:0])
        return inf if rank is None else rank

    def list_products(self, id: int) -> tuple[list[int], bool]:
        """Return the tokens that a token is merged into directly, by id, and whether these are all."""
        symbol = self.symbols.get(id)
        if symbol is None:
            return [], True
        if self.pairs is not None:
            return self._list_products(symbol, *self.pairs), True
        kind = type(symbol)
        candidates = [
            (other, name)
            for other, name in self.symbols.items()
            if isinstance(name, kind)
            and len(symbol) < len(name) <= MAX_SYMBOLS
            and (name.startswith(symbol) or name.endswith(symbol))  # type: ignore[arg-type]
        ]
        tried = sorted(candidates)[:MAX_TRIED]
        trees = ((other, self.tree(other)) for other, _ in tried)
        made = [id for id, tree in trees if len(tree) == 1 and any(part.symbol == symbol for part in tree[0].parts)]
        return made, len(tried) == len(candidates)

    @cached_property
    def _lengths(self) -> Column:
        """The length of each symbol by id."""
        lengths = np.zeros(max(self.symbols, default=-1) + 1, np.int64)
        lengths[[*self.symbols]] = [len(name) for name in self.symbols.values()]
        return lengths

    def _list_products(self, symbol: Symbol, made: Column, left: Column) -> list[int]:
        """Return the ids that the listed merges make of a symbol and another one."""
        assert isinstance(symbol, str)
        size = len(symbol)
        first = made[left == size]
        second = made[self._lengths[made] - left == size]
        names = self.symbols
        begun = {id for id in first.tolist() if str(names[id]).startswith(symbol)}
        return sorted(begun | {id for id in second.tolist() if str(names[id]).endswith(symbol)})


def merge_nodes(nodes: list[SymbolNode], get_rank: RankOf, ids: Mapping[Symbol, int]) -> list[SymbolNode]:
    """Merge the pair of the lowest rank, the leftmost of equal ranks, until none merges.

    >>> ranks = {"ab": 1, "abc": 2}
    >>> root, = merge_nodes([SymbolNode(one, None) for one in "abc"], lambda a, b: ranks.get(a + b), {})
    >>> root.symbol, [part.symbol for part in root.parts]
    ('abc', ['ab', 'c'])
    """
    ranks = [get_rank(left.symbol, right.symbol) for left, right in pairwise(nodes)]
    while any(rank is not None for rank in ranks):
        at = min((rank, place) for place, rank in enumerate(ranks) if rank is not None)[1]
        left, right = nodes[at : at + 2]
        symbol: Symbol = left.symbol + right.symbol  # type: ignore[operator]
        nodes[at : at + 2] = [SymbolNode(symbol, ids.get(symbol), (left, right))]
        ranks[at : at + 1] = []
        for place in (at - 1, at):
            if 0 <= place < len(ranks):
                ranks[place] = get_rank(nodes[place].symbol, nodes[place + 1].symbol)
    return nodes


def load_merges(record: Record, columns: VocabularyColumns) -> Merges:
    """Return the merges of a tokenizer, read from its files. Raises `BadFile`."""
    spec = record.spec
    files = record.spec.get("files", {})
    if "ranks" in spec:
        added = {*record.info.special_tokens.values(), *record.info.added_tokens.values()}
        rows = zip(columns.ids.tolist(), columns.raws, strict=True)
        return _merges_from_ranks({id: raw for id, raw in rows if id not in added})
    if "minbpe" in spec:
        return _merges_from_pairs(load_minbpe(record.only_file()).merges)
    if NAME in files:
        packed = load_packed(record.only_file())
        model = packed.unpack().model
        return _merges_from_list(model, np.array(packed.made, np.int64), np.array(packed.left, np.int64))
    if "tokenizer.json" in files:
        return _merges_from_json(load_tokenizer_json(record.only_file()).model)
    if record.info.engines[0] == "sentencepiece":
        return _merges_from_sentencepiece(record.only_file())
    return Merges("unread" if record.info.engines[0] == "transformers" else "none")


def _merges_from_ranks(symbols: dict[int, Symbol]) -> Merges:
    ids = {raw: id for id, raw in symbols.items()}
    get = ids.get
    return Merges("ranks", ids, symbols, lambda left, right: get(left + right), nbytes=180 * len(ids))  # type: ignore[operator]


def _merges_from_pairs(pairs: Iterable[tuple[int, int]]) -> Merges:
    """Return merges of pairs of ids, which are named by their bytes as long as no two are equal."""
    symbols: dict[int, Symbol] = {byte: bytes([byte]) for byte in range(256)}
    ranks: dict[tuple[Symbol, Symbol], int] = {}
    for id, (left, right) in enumerate(pairs, 256):
        symbols[id] = symbols[left] + symbols[right]  # type: ignore[operator]
        ranks.setdefault((symbols[left], symbols[right]), id - 256)
    ids = {symbol: id for id, symbol in reversed(symbols.items())}
    return Merges("listed", ids, symbols, lambda left, right: ranks.get((left, right)), nbytes=400 * len(ids))


def _merges_from_json(model: JsonModel) -> Merges:
    if model.type != "BPE" or model.prefix:
        scores = dict(zip(model.vocabulary.values(), model.scores, strict=False))
        return Merges("none", scores=[scores.get(id, 0.0) for id in range(max(scores, default=-1) + 1)])
    made = [model.vocabulary[left + right] for left, right in model.pairs]
    return _merges_from_list(
        model, np.array(made, np.int64), np.array([len(left) for left, _ in model.pairs], np.int64)
    )


def _merges_from_list(model: JsonModel, made: Column, left: Column) -> Merges:
    """Return the merges of a tokenizer.json; columns, since a dictionary of half a million pairs takes 100 MB."""
    ids: dict[Symbol, int] = {piece: id for piece, id in model.vocabulary.items()}  # noqa: C416
    order = np.argsort(made, kind="stable")
    sorted_made = made[order]

    def get_rank(one: Symbol, other: Symbol) -> float | None:
        if (id := ids.get(one + other)) is None:  # type: ignore[operator]
            return None
        first, last = np.searchsorted(sorted_made, (id, id + 1))
        # Of equal merges, the last gives the rank.
        return max((rank for rank in order[first:last].tolist() if left[rank] == len(one)), default=None)

    symbols = {id: piece for piece, id in ids.items()}
    nbytes = 200 * len(ids) + 40 * len(made)
    return Merges(
        source="listed",
        ids=ids,
        symbols=symbols,
        rank_of=get_rank,
        suffix=model.suffix,
        pairs=(made, left),
        nbytes=nbytes,
    )


def _merges_from_sentencepiece(data: bytes) -> Merges:
    model = load_model(data)
    scores = [piece.score for piece in model.pieces]
    if model.algorithm != "bpe":
        return Merges("none", scores=scores if model.algorithm == "unigram" else ())
    ids: dict[Symbol, int] = {piece.text: id for id, piece in enumerate(model.pieces) if piece.kind == "normal"}
    ranks: dict[Symbol, float] = {piece: -scores[id] for piece, id in ids.items()}
    symbols = {id: piece for piece, id in ids.items()}
    rank_of: RankOf = lambda left, right: ranks.get(left + right)  # type: ignore[operator]  # noqa: E731
    return Merges("scores", ids, symbols, rank_of, scores=scores, nbytes=300 * len(ids))
