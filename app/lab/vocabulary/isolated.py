"""Tokens by themselves: what the merges of a BPE model, or the best path of a unigram model, make of a token's symbols.

This can prove that no text gives a token. Let a BPE tokenizer give token t somewhere in a word. No merge has crossed
the edges of t, for what a merge has joined stays joined. So the merges inside of t were made among the symbols of t
alone. At each of them the pair had the lowest rank of all pairs in the word, and was the leftmost of equal ones, hence
also among the pairs inside of t: merging the symbols of t by themselves makes the same merges in the same order, and
ends with t. If it ends with anything else, no word that is merged contains t. Two ways remain: tiktoken, and tokenizers
with `ignore_merges`, look a whole word up before they merge it; and added tokens are matched in the text.

In the same way, if a unigram model segments the text of t better than as t, then every path through t gets better by
that segmentation, and the best path never contains t.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from ...files.minbpe import load_minbpe
from ...files.sentencepiece.model import SentencePieceModel, load_model
from ...files.tiktoken.ranks import read_ranks
from ...files.tokenizer_json.models import JsonModel
from ...files.tokenizer_json.read import TokenizerJson
from ...scratch.fast.bpe.encode import merge
from ...scratch.fast.bpe.encode_pairs import merge_pairs
from ...store import Record
from .columns import VocabularyColumns

MARGIN = 0.1
"""By how much a segmentation must be better to be a proof: sums of scores are rounded, those of long texts more."""
Parts = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class IsolatedTokens:
    """What a model makes of tokens by themselves; rows are those of the columns.

    - `parts`: returns, for those rows among some whose symbols by themselves do not give the token, the ids that they
      give.
    - `orphans`: rows of tokens that no two earlier tokens make.
    - `whole_words`: a word that is a token is not merged, so that also these tokens may occur, each as a whole word.
    - `cause`: "merge order" or "score".
    """

    parts: Callable[[Iterable[int]], Parts] = lambda rows: {}
    orphans: frozenset[int] = frozenset()
    whole_words: bool = False
    cause: str = "merge order"


def isolate_tokens(record: Record, columns: VocabularyColumns, file: TokenizerJson | None) -> IsolatedTokens:
    """Return the ids into which a model encodes the text of each of its tokens alone; none for an unknown model.

    `file`: its tokenizer.json, if it has one.
    """
    spec = record.spec
    if isinstance(spec.get("ranks"), str):
        return _by_ranks(read_ranks(record), columns)
    if "minbpe" in spec:
        return _by_minbpe(record.only_file(), columns)
    if file:
        return _by_json(file.model, columns)
    if "sentencepiece" in record.info.engines:
        return _by_pieces(load_model(record.only_file()), columns)
    return IsolatedTokens()


def _normal(columns: VocabularyColumns) -> list[int]:
    return [row for row, kind in enumerate(columns.kinds.tolist()) if kind == 0]


def _by_ranks(ranks: Mapping[bytes, int], columns: VocabularyColumns) -> IsolatedTokens:
    """Ranks as of tiktoken: the merge of two parts has the rank of the token that they are together."""
    own = {row for row in _normal(columns) if ranks.get(columns.raws[row]) == columns.ids[row]}

    def parts(rows: Iterable[int]) -> Parts:
        chosen = [row for row in rows if row in own]
        merged = _merge_words(ranks, [columns.raws[row] for row in chosen])
        return {row: ids for row, ids in zip(chosen, merged, strict=True) if len(ids) > 1}

    orphans = frozenset(row for row in own if _is_orphan(columns.raws[row], ranks))
    return IsolatedTokens(parts, orphans, whole_words=True)


def _merge_words(ranks: Mapping[bytes, int], words: Sequence[bytes]) -> list[tuple[int, ...]]:
    """Return the ids of words after all merges, without looking up whole words."""
    return [tuple(ranks[part] for part in merge(word, ranks) if part in ranks) for word in words]


def _is_orphan(token: Any, ranks: Mapping[Any, float]) -> bool:
    """True if no two tokens of lower ranks make a token; a single symbol needs none.

    >>> ranks = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "bca": 5}
    >>> _is_orphan("abc", ranks), _is_orphan("bca", ranks), _is_orphan("a", ranks)
    (False, True, False)
    """
    own = ranks[token]
    get = ranks.get
    if len(token) < 2:
        return False
    return not any(get(token[:i], inf) < own and get(token[i:], inf) < own for i in range(1, len(token)))


def _by_minbpe(data: bytes, columns: VocabularyColumns) -> IsolatedTokens:
    """Merges of pairs of ids, from bytes."""
    merges = {pair: (id, id) for id, pair in enumerate(load_minbpe(data).merges, 256)}

    def symbols(row: int) -> list[Any]:
        return [*columns.raws[row]]

    return IsolatedTokens(partial(_by_pairs, columns, merges, symbols, lambda id: id))


def _by_pairs(
    columns: VocabularyColumns,
    merges: Mapping[Any, tuple[int, Any]],
    symbols: Callable[[int], list[Any]],
    id_of: Callable[[Any], int | None],
    rows: Iterable[int],
) -> Parts:
    found = dict[int, tuple[int, ...]]()
    for row in rows:
        if columns.kinds[row] == 0:
            ids = [id_of(symbol) for symbol, _ in merge_pairs(symbols(row), merges)]
            if ids != [columns.ids[row]]:
                found[row] = tuple(id for id in ids if id is not None)
    return found


def _by_json(model: JsonModel, columns: VocabularyColumns) -> IsolatedTokens:
    """The model of a tokenizer.json; its rows are those that the model spells, without added tokens."""
    if model.type == "Unigram":
        scores = dict(zip(model.vocabulary, model.scores, strict=True))
        return IsolatedTokens(partial(_by_scores, columns, scores, model.vocabulary), cause="score")
    if model.type != "BPE":
        return IsolatedTokens()
    spelled = {id: piece for piece, id in model.vocabulary.items()}
    rows = {row: spelled[id] for row in _normal(columns) if (id := int(columns.ids[row])) in spelled}
    made = {*model.made} or {model.vocabulary[a + b.removeprefix(model.prefix)] for a, b in model.pairs}
    orphans = frozenset(row for row, piece in rows.items() if columns.ids[row] not in made and len(piece) > 1)
    merges: dict[tuple[str, str], tuple[int, str]] = {}

    def parts(wanted: Iterable[int]) -> Parts:
        chosen = [row for row in wanted if row in rows]
        if chosen and not merges:  # half a million merges, which only tokens without a witness need
            for rank, (left, right) in enumerate(model.pairs):
                merges[left, right] = rank, left + right.removeprefix(model.prefix)
        return _by_pairs(columns, merges, lambda row: _symbols(rows[row], model), model.vocabulary.get, chosen)

    # Tokens of one symbol are made by no merge, nor are those of bytes.
    bytewise = {row for row, piece in rows.items() if len(piece) == 6 and piece.startswith("<0x")}
    single = {row for row, piece in rows.items() if len(_symbols(piece, model)) == 1}
    return IsolatedTokens(parts, orphans - single - bytewise, whole_words=model.ignore_merges)


def _symbols(piece: str, model: JsonModel) -> list[Any]:
    """Return the symbols that a word of this piece consists of before the first merge.

    >>> _symbols("the</w>", JsonModel("BPE", {}, suffix="</w>"))
    ['t', 'h', 'e</w>']
    """
    start = len(model.prefix) if model.prefix and piece.startswith(model.prefix) else 0
    end = len(piece) - len(model.suffix) if model.suffix and piece.endswith(model.suffix) else len(piece)
    symbols: list[Any] = [*piece[start:end]]
    if not symbols:
        return [piece]
    if start:
        symbols[0] = piece[: start + 1]
    if model.prefix:
        symbols[1:] = [f"{model.prefix}{symbol}" for symbol in symbols[1:]]
    if end < len(piece):
        symbols[-1] = f"{symbols[-1]}{model.suffix}"
    return symbols


def _by_pieces(model: SentencePieceModel, columns: VocabularyColumns) -> IsolatedTokens:
    """A SentencePiece model. One whose unused or user-defined pieces change what is merged proves nothing."""
    kinds = {piece.kind for piece in model.pieces}
    ids = {piece.text: id for id, piece in enumerate(model.pieces)}
    scores = {piece.text: piece.score for piece in model.pieces if piece.kind == "normal"}
    if model.algorithm not in ("bpe", "unigram") or "unused" in kinds:
        return IsolatedTokens()
    verbatim = {piece.text for piece in model.pieces if piece.kind == "user_defined"}
    if model.algorithm == "unigram":
        return IsolatedTokens(partial(_by_scores, columns, scores, ids, verbatim), cause="score")
    ranks = {text: -score for text, score in scores.items()}

    def parts(rows: Iterable[int]) -> Parts:
        found = dict[int, tuple[int, ...]]()
        for row in rows:
            piece = columns.pieces[row]
            if piece in ranks and not any(text in piece for text in verbatim):
                pieces = merge(piece, ranks)
                if pieces != [piece]:
                    found[row] = tuple(ids[part] for part in pieces if part in ids)
        return found

    earlier = ranks | dict.fromkeys(
        {char for text in ranks for char in text}, -inf
    )  # characters are merged from the first
    own = [row for row in _normal(columns) if columns.pieces[row] in ranks]
    orphans = frozenset(row for row in own if _is_orphan(columns.pieces[row], earlier))
    return IsolatedTokens(parts, orphans)


def _by_scores(
    columns: VocabularyColumns,
    scores: Mapping[str, float],
    ids: Mapping[str, int],
    verbatim: Iterable[str] = (),
    rows: Iterable[int] = (),
) -> Parts:
    """Return the better segmentations of tokens that a unigram model gives."""
    found = dict[int, tuple[int, ...]]()
    longest = max(map(len, scores), default=0)
    for row in rows:
        piece = columns.pieces[row]
        if piece in scores and not any(text in piece for text in verbatim):
            total, cut = _best_without(piece, scores, longest)
            if total > scores[piece] + MARGIN:
                found[row] = tuple(ids[part] for part in cut)
    return found


def _best_without(piece: str, scores: Mapping[str, float], longest: int) -> tuple[float, list[str]]:
    """Return the best sum of scores of a segmentation of a piece into other pieces, and that segmentation.

    >>> _best_without("abc", {"a": -1.0, "b": -1.5, "bc": -2.0, "c": -3.0, "abc": -9.0}, 3)
    (-3.0, ['a', 'bc'])
    """
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(piece) + 1):
        starts = range(1 if end == len(piece) else 0, end)
        sums = ((best[at][0] + scores.get(piece[at:end], -inf), at) for at in starts if end - at <= longest)
        best.append(max(sums, default=(-inf, 0)))
    cut = list[str]()
    end = len(piece)
    while end and best[-1][0] > -inf:
        cut.insert(0, piece[best[end][1] : end])
        end = best[end][1]
    return best[-1][0], cut
