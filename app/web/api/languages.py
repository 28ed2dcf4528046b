"""GET /api/languages: the atlas as data."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request

from app.web.answer import JSONResponse

if TYPE_CHECKING:
    from app.lab.languages.atlas import Atlas, Column

router = APIRouter(tags=["languages"])
Chosen = Annotated[list[str] | None, Query(description="An id from /api/tokenizers, or several; without it, all.")]


@router.get("/api/languages", summary="What every language pays")
def index(request: Request, tokenizer: Chosen = None) -> JSONResponse:
    """The Universal Declaration of Human Rights in every language through the tokenizers: tokens, bytes per token,
    tokens per word where words are told apart, and the premium over English for the same articles."""
    from app.lab.languages.record import recorded, with_trained

    store = request.app.state.settings.store
    return JSONResponse(data(with_trained(recorded(store), request.app.state.registry), store, tokenizer))


def data(atlas: Atlas, store: Path, ids: list[str] | None) -> dict[str, Any]:
    """The atlas with some of its tokenizers, or with all. Raises `UnknownTokenizer`."""
    from app.lab.languages.texts import source

    columns = list(atlas.columns) if ids is None else atlas.chosen(ids)
    return {
        "texts": asdict(source(store)) | {"sha256": atlas.sha256},
        "tokenizers": [made(column) for column in columns],
        "languages": [described(atlas, place, columns) for place in range(len(atlas.languages))],
    }


def made(column: Column) -> dict[str, Any]:
    """A tokenizer, and what its counts were made with."""
    return {"id": column.id, "engine": column.engine, "version": column.version, "sha256": column.sha256 or None}


def described(atlas: Atlas, place: int, columns: list[Column]) -> dict[str, Any]:
    """A language with its cells."""
    from app.lab.languages.regions import region

    language = atlas.languages[place]
    names = ("code", "iso", "name", "script", "direction", "place", "articles", "bytes", "characters", "words")
    cells = {column.id: atlas.cell(place, column) for column in columns}
    measures = ("tokens", "english", "premium", "bytes_per_token", "tokens_per_word", "unknown")
    told = {id: {name: getattr(cell, name) for name in measures} for id, cell in cells.items()}
    return {name: getattr(language, name) for name in names} | {"region": region(language.place), "counts": told}
