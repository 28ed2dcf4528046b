"""The record of the atlas: what the command counted last, kept in the store with the versions that made it.

The page reads this and neither the texts nor a tokenizer.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from app.errors import TokenariumError
from app.lab.languages.atlas import Atlas, Column, Language, language
from app.lab.languages.texts import declarations, pinned
from app.registry import Registry

NAME = "languages.json"


def save(store: Path, columns: Sequence[Column]) -> None:
    """Keep the counts of all languages; the file is whole at all times."""
    atlas = Atlas(
        sha256=pinned(store),
        regex=version("regex"),
        languages=tuple(map(language, declarations(store).values())),
        columns=tuple(sorted(columns, key=lambda column: column.id)),
    )
    part = store / f"{NAME}.part"
    part.write_text(dumped(atlas), encoding="utf-8")
    os.replace(part, store / NAME)


def dumped(atlas: Atlas) -> str:
    """JSON, one language or tokenizer a line."""
    lists = ((name, [asdict(one) for one in getattr(atlas, name)]) for name in ("languages", "columns"))
    parts = (f' "{name}": [\n{_lines(rows)}\n ]' for name, rows in lists)
    head = f'{{\n "sha256": "{atlas.sha256}",\n "regex": "{atlas.regex}",\n'
    return head + ",\n".join(parts) + "\n}\n"


def loaded(text: str) -> Atlas:
    """The atlas that was dumped.

    >>> loaded(dumped(Atlas("", "", (), ())))
    Atlas(sha256='', regex='', languages=(), columns=())
    """
    told = json.loads(text)
    return Atlas(
        told["sha256"],
        told["regex"],
        tuple(Language(**_tupled(row)) for row in told["languages"]),
        tuple(Column(**_tupled(row)) for row in told["columns"]),
    )


def dumped_column(column: Column, texts: str) -> bytes:
    """The counts of one tokenizer, with the hash of the texts that it cut."""
    return json.dumps({"texts": texts, "column": asdict(column)}, separators=(",", ":")).encode()


def with_trained(atlas: Atlas, registry: Registry) -> Atlas:
    """The atlas with the tokenizers that were trained here, as far as the same texts were counted."""
    columns = []
    for info in registry.trained():
        try:
            told = json.loads(registry.file(info.id, NAME))
        except (KeyError, TokenariumError):  # not counted, or deleted in between
            continue
        if told["texts"] == atlas.sha256:
            columns.append(Column(**_tupled(told["column"])))
    return replace(atlas, columns=(*atlas.columns, *columns))


def recorded(store: Path) -> Atlas:
    """The atlas that is kept; empty where none was counted yet."""
    path = store / NAME
    return _read(path, path.stat().st_mtime_ns) if path.exists() else Atlas("", "", (), ())


@lru_cache(maxsize=1)
def _read(path: Path, _changed: int) -> Atlas:
    return loaded(path.read_text(encoding="utf-8"))


def _lines(rows: Sequence[dict[str, Any]]) -> str:
    return ",\n".join("  " + json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)


def _tupled(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
