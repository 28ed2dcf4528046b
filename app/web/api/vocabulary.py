"""GET /api/vocabulary/{id}/tokens: search through the tokens of one vocabulary, as JSON page by page or as CSV."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Query, Request
from pydantic import JsonValue
from starlette.responses import Response

from ...lab.models import resolve_model
from ...lab.vocabulary.analysis import load_analysis
from ...lab.vocabulary.entry import find_token_entry
from ...lab.vocabulary.search import Query as Search
from ...lab.vocabulary.search import RecentVocabularies, scripts_in
from ...serialize.vocabulary import entry_data, token_data, vocabulary_csv
from ..body import JSONResponse
from ..downloads import as_file
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["vocabulary"])
MAX_LIMIT = 1000
MAX_OFFSET = 10_000_000
EXAMPLE: dict[str, JsonValue] = {
    "id": "o200k_base",
    "total": 1,
    "offset": 0,
    "scripts": {"Latin": 134872, "Cyrillic": 14209},
    "tokens": [
        {
            "id": 290,
            "piece": " the",
            "text": " the",
            "bytes_hex": "20746865",
            "length": 4,
            "characters": 4,
            "kind": "normal",
            "script": "Latin",
            "prefix_space": True,
            "class": None,
        }
    ],
}
ANSWERS: dict[str, JsonValue] = {
    "application/json": {"example": EXAMPLE},
    "text/csv": {"schema": {"type": "string"}},
}
ENTRY: dict[str, JsonValue] = {
    "id": 290,
    "piece": " the",
    "bytes_hex": "20746865",
    "kind": "normal",
    "script": "Latin",
    "merges": "ranks",
    "rank": 290,
    "score": None,
    "tree": [{"id": 290, "parts": [{"id": 260, "parts": []}, {"id": 273, "parts": []}]}],
    "orphan": False,
    "made": {"count": 24, "complete": True, "ids": [991, 1043]},
    "containing": {"count": 300, "complete": True, "ids": [991, 1043]},
    "variants": [3086, 976, 290, 623],
    "class": None,
    "witness": None,
    "reason": None,
}
Id = Annotated[str, Path(description="An id from /api/tokenizers, or the name of a model.", examples=["o200k_base"])]
Token = Annotated[int, Path(ge=0, lt=2**32, description="The id of a token.", examples=[290])]
Text = Annotated[str, Query(max_length=2000, description="What to search for; without it, every token.")]
By = Annotated[
    Literal["text", "bytes", "id", "regex"],
    Query(description="What `q` is: a text, bytes in hex, ids such as `17, 100-120`, or a regular expression."),
]
Match = Annotated[Literal["contains", "begins", "ends", "exact"], Query(description="How text or bytes are compared.")]
Sort = Annotated[Literal["id", "bytes", "characters", "text", "script"], Query(description="Equal ones follow by id.")]
Script = Annotated[str, Query(description="A name from `scripts`: `Latin`, `digits`, `bytes` …")]
Kind = Annotated[Literal["", "normal", "special", "unknown", "byte"], Query(description="The type of token.")]
Space = Annotated[Literal["", "yes", "no"], Query(description="Whether the token begins with a space.")]
TokenClass = Annotated[
    Literal["", "ok", "special", "unreachable special", "undecodable", "unreachable"],
    Query(alias="class", description="The class of the token, once the vocabulary has been analysed."),
]
Length = Annotated[int, Query(ge=0, le=10**6, description="The least length in bytes.")]
Longest = Annotated[int | None, Query(ge=0, le=10**6, description="The greatest length in bytes.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="How many of the tokens found to pass over.")]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many tokens to return.")]
Format = Annotated[Literal["json", "csv"], Query(description="`csv` has every token found, without pages.")]


@router.get(
    "/api/vocabulary/{id:path}/tokens/{token}",
    operation_id="get_token",
    summary="Describe one token of a vocabulary",
    responses={200: {"content": {"application/json": {"example": ENTRY}}}},
)
def token(request: Request, id: Id, token: Token) -> JSONResponse:
    """A token with the tree of merges that make it, the tokens that are merged of it, and its variants of space and
    case; once the vocabulary has been analysed, also its class, and a text that gives it (`witness`) or the reason why
    none does. `merges` says where merges come from: `listed`, recovered from `ranks` or `scores`,
    `none`, or `unread`.
    """
    services = get_services(request)
    chosen = resolve_model(services.registry, id, pointer="/id")
    analysis = load_analysis(services.settings, services.registry, chosen)
    return JSONResponse(
        entry_data(find_token_entry(services.cache(RecentVocabularies), services.registry, chosen, token, analysis))
    )


@router.get(
    "/api/vocabulary/{id:path}/tokens",
    operation_id="search_vocabulary",
    summary="Search a vocabulary",
    responses={200: {"content": ANSWERS}},
)
@RoutePolicy(untrusted=lambda arguments: arguments["by"] == "regex")
def tokens(
    request: Request,
    id: Id,
    q: Text = "",
    by: By = "text",
    match: Match = "contains",
    ignore_case: bool = False,
    sort: Sort = "id",
    descending: bool = False,
    script: Script = "",
    kind: Kind = "",
    space: Space = "",
    shortest: Length = 0,
    longest: Longest = None,
    offset: Offset = 0,
    token_class: TokenClass = "",
    limit: Limit = 100,
    format: Format = "json",
) -> Response:
    """The tokens whose text, bytes or id are searched for, with spelling, bytes in hex, length, type and script; how
    many there are; and the scripts of the vocabulary. A regular expression may take two seconds."""
    registry = get_services(request).registry
    chosen = resolve_model(registry, id, pointer="/id")
    query = Search(
        q=q,
        by=by,
        match=match,
        ignore_case=ignore_case,
        sort=sort,
        descending=descending,
        script=script,
        kind=kind,
        space=space,
        shortest=shortest,
        longest=longest,
        token_class=token_class,
    )
    analysis = load_analysis(get_services(request).settings, registry, chosen)
    classes = analysis.classes if analysis else None
    columns, rows = get_services(request).cache(RecentVocabularies).search(registry, chosen, query, classes)
    if format == "csv":
        return as_file(vocabulary_csv(columns, rows, classes), "tokens.csv")
    page = token_data(columns, rows[offset : offset + limit], classes)
    scripts = dict(scripts_in(columns))
    return JSONResponse({"id": chosen, "total": len(rows), "offset": offset, "scripts": scripts, "tokens": page})
