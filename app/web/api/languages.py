"""GET /api/languages: the token counts of all languages."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query, Request

from ...lab.languages.atlas import Atlas, AtlasColumn, add_trained_columns, read_atlas
from ...lab.languages.declarations import source
from ...lab.languages.table import region
from ..body import JSONResponse
from ..routing import Router
from ..services import get_services

router = Router(tags=["languages"])
Chosen = Annotated[list[str] | None, Query(description="An id from /api/tokenizers, or several; without it, all.")]


@router.get("/api/languages", operation_id="compare_languages", summary="Count the tokens of every language")
def index(request: Request, tokenizer: Chosen = None) -> JSONResponse:
    """The Universal Declaration of Human Rights in every language through the tokenizers: tokens, bytes per token,
    tokens per word where words are separated, and the premium over English for the same articles."""
    store = get_services(request).settings.store
    return JSONResponse(data(add_trained_columns(read_atlas(store), get_services(request).registry), store, tokenizer))


def data(atlas: Atlas, store: Path, ids: list[str] | None) -> dict[str, Any]:
    """Return the atlas with some of its tokenizers, or with all. Raises `UnknownTokenizer`."""
    columns = list(atlas.columns) if ids is None else atlas.select(ids)
    return {
        "texts": asdict(source(store)) | {"sha256": atlas.sha256},
        "tokenizers": [provenance(column) for column in columns],
        "languages": [serialize_language(atlas, place, columns) for place in range(len(atlas.languages))],
    }


def provenance(column: AtlasColumn) -> dict[str, Any]:
    """Return a tokenizer, and the engine and file with which its counts were made."""
    return {"id": column.id, "engine": column.engine, "version": column.version, "sha256": column.sha256 or None}


def serialize_language(atlas: Atlas, place: int, columns: list[AtlasColumn]) -> dict[str, Any]:
    """Return a language with its counts in each tokenizer."""
    language = atlas.languages[place]
    cells = {column.id: atlas.cell(place, column) for column in columns}
    measures = ("tokens", "english", "premium", "bytes_per_token", "tokens_per_word", "unknown")
    counts = {id: {name: getattr(cell, name) for name in measures} for id, cell in cells.items()}
    return asdict(language) | {"region": region(language.place), "counts": counts}
