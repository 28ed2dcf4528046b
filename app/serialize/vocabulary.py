"""Tokens of a vocabulary as JSON and as CSV (RFC 4180)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..csv_text import csv_chunks
from ..lab.vocabulary.analysis import CLASSES
from ..lab.vocabulary.columns import KINDS, SCRIPTS, VocabularyColumns
from ..lab.vocabulary.entry import TokenEntry, TokenList, TreeNode
from ..lab.vocabulary.search import Rows

Classes = NDArray[np.uint8] | None

HEADER = ("id", "piece", "text", "bytes_hex", "length", "characters", "kind", "script", "prefix_space", "class")


def token_values(columns: VocabularyColumns, rows: Rows, classes: Classes) -> Iterator[tuple[Any, ...]]:
    """Yield the values of `HEADER` for each of some rows.

    `text` is None for a token that is not UTF-8 by itself, `class` before the vocabulary has been analysed.
    """
    for row in rows.tolist():
        characters = int(columns.characters[row])
        yield (
            int(columns.ids[row]),
            columns.pieces[row],
            columns.texts[row] if characters else None,
            columns.raws[row].hex(),
            int(columns.lengths[row]),
            characters,
            KINDS[columns.kinds[row]],
            SCRIPTS[columns.scripts[row]],
            bool(columns.prefix_space[row]),
            None if classes is None else CLASSES[classes[row]],
        )


def token_data(columns: VocabularyColumns, rows: Rows, classes: Classes = None) -> list[dict[str, Any]]:
    """Return some tokens as plain data, each with the names of `HEADER`."""
    return [dict(zip(HEADER, values, strict=True)) for values in token_values(columns, rows, classes)]


def vocabulary_csv(columns: VocabularyColumns, rows: Rows, classes: Classes = None) -> Iterator[str]:
    """Yield the CSV of some tokens."""
    return csv_chunks(HEADER, token_values(columns, rows, classes))


def entry_data(one: TokenEntry) -> dict[str, Any]:
    """Return all about one token as plain data; lists of tokens are shortened, and counted."""
    reason = one.reason and {"cause": one.reason.cause, "detail": one.reason.detail, "tried": one.reason.tried}
    return {
        "id": one.entry.id,
        "piece": one.entry.piece,
        "bytes_hex": one.entry.raw.hex(),
        "kind": one.entry.kind,
        "script": one.script,
        "merges": one.source,
        "rank": one.rank,
        "score": one.score,
        "tree": [_node(node) for node in one.tree],
        "orphan": one.orphan,
        "made": _tokens(one.made),
        "containing": _tokens(one.containing),
        "variants": [token.id for token in one.variants],
        "class": one.token_class,
        "witness": one.witness,
        "reason": reason,
    }


def _node(node: TreeNode) -> dict[str, Any]:
    """Return a node of a tree; one that is no token by itself has no id."""
    return {"id": None if node.token.id < 0 else node.token.id, "parts": [_node(part) for part in node.parts]}


def _tokens(tokens: TokenList) -> dict[str, Any]:
    ids = [token.id for token in tokens.tokens]
    return {"count": tokens.count, "complete": tokens.complete, "ids": ids}
