"""GET /api/vocabulary/{id}/tokens: search through a vocabulary, as JSON page by page or as CSV; a token; a word."""

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import Path, Query, Request
from pydantic import Field, JsonValue
from starlette.responses import Response

from ...lab.models import resolve_model
from ...lab.option_schema import validate
from ...lab.vocabulary.analysis import load_analysis
from ...lab.vocabulary.entry import find_token_entry
from ...lab.vocabulary.search import Query as Search
from ...lab.vocabulary.search import RecentVocabularies, scripts_in
from ...lab.vocabulary.word_variants import VariantOptions, find_variants, make_logit_bias
from ...serialize.vocabulary import entry_data, token_data, vocabulary_csv
from ..body import JSONResponse
from ..downloads import as_file
from ..option_models import get_options
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


class TokenSearch(Search):
    """A search, and the page of its results."""

    offset: int = Field(0, ge=0, le=MAX_OFFSET, description="How many of the tokens found to pass over.")
    limit: int = Field(100, ge=1, le=MAX_LIMIT, description="How many tokens to return.")
    format: Literal["json", "csv"] = Field("json", description="`csv` has every token found, without pages.")


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
    "/api/vocabulary/{id:path}/variants",
    operation_id="get_word_variants",
    summary="Find the tokens of a word for logit_bias",
)
def variants(request: Request, id: Id, wanted: Annotated[VariantOptions, Query()]) -> JSONResponse:
    """The variants of a word in case and with a space in front, each with the `ids` of the tokens that spell it alone,
    or else with the `parts` that it becomes; and the `logit_bias` that names all of these ids. Parts are not among
    them: a bias of one changes other words, too."""
    services = get_services(request)
    validate(wanted)
    chosen = resolve_model(services.registry, id, pointer="/id")
    columns = services.cache(RecentVocabularies).columns(services.registry, chosen)
    found = find_variants(services.registry.get(chosen), columns, wanted.word)
    answer = {"id": chosen, "word": wanted.word, "logit_bias": make_logit_bias(found, wanted.bias)}
    return JSONResponse({**answer, "variants": [asdict(one) for one in found]})


@router.get(
    "/api/vocabulary/{id:path}/tokens",
    operation_id="search_vocabulary",
    summary="Search a vocabulary",
    responses={200: {"content": ANSWERS}},
)
@RoutePolicy(untrusted=lambda arguments: arguments["wanted"].by == "regex")
def tokens(request: Request, id: Id, wanted: Annotated[TokenSearch, Query()]) -> Response:
    """The tokens whose text, bytes or id are searched for, with spelling, bytes in hex, length, type and script; how
    many there are; and the scripts of the vocabulary. A regular expression may take two seconds."""
    services = get_services(request)
    chosen = resolve_model(services.registry, id, pointer="/id")
    query = get_options(wanted, Search)
    analysis = load_analysis(services.settings, services.registry, chosen)
    classes = analysis.classes if analysis else None
    columns, rows = services.cache(RecentVocabularies).search(services.registry, chosen, query, classes)
    if wanted.format == "csv":
        return as_file(vocabulary_csv(columns, rows, classes), "tokens.csv")
    page = token_data(columns, rows[wanted.offset : wanted.offset + wanted.limit], classes)
    scripts = dict(scripts_in(columns))
    return JSONResponse({"id": chosen, "total": len(rows), "offset": wanted.offset, "scripts": scripts, "tokens": page})
