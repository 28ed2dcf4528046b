"""The table template × property of the templates that come with the project: computed once, and kept in the store.

To compute it loads every vocabulary, which takes minutes; a test computes the rows again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from ...atomic_files import write_whole
from ...registry import Registry
from .properties import TemplateProperties, examine_template

RECORD = "turns.json"
"""The file of the table in the store."""
ROWS = TypeAdapter(list[TemplateProperties])


def list_templates(registry: Registry) -> list[tuple[str, str]]:
    """Return the models whose templates are here, each with its tokenizer, sorted."""
    bundled = [info.id for info in registry.infos() if info.origin == "bundled"]
    own = [(id, id) for id in registry.chat_templates(bundled)]
    further = {entry["model"]: id for id in bundled for entry in registry.further_templates(id)}
    known = {template.model for id, _ in own if (template := registry.chat_template(id))}
    others = [(model, id) for model, id in further.items() if model not in known]
    return sorted([*own, *others], key=lambda pair: pair[0].casefold())


def examine_templates(registry: Registry) -> Iterator[TemplateProperties]:
    """Yield the row of each template."""
    for model, tokenizer in list_templates(registry):
        yield examine_template(registry, tokenizer, model)


def save_table(store: Path, rows: Sequence[TemplateProperties]) -> None:
    """Write the rows, one on each line."""
    lines = ",\n".join(json.dumps(asdict(row), ensure_ascii=False) for row in rows)
    write_whole(store / RECORD, f"[\n{lines}\n]\n".encode())


def load_table(store: Path) -> list[TemplateProperties]:
    """Return the rows that were kept; an empty list without a table."""
    path = store / RECORD
    return ROWS.validate_json(path.read_bytes()) if path.exists() else []
