"""GET /vocabulary/{id}: search the tokens of a tokenizer; GET /vocabulary/{id}/{token}: one of them."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import quote, urlencode

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse

from ...errors import Invalid
from ...lab.option_schema import get_option_fields
from ...lab.vocabulary.analysis import CLASSES, load_analysis
from ...lab.vocabulary.columns import KINDS, VocabularyColumns
from ...lab.vocabulary.entry import find_token_entry
from ...lab.vocabulary.search import Query, RecentVocabularies, Rows, parse_ranges, scripts_in
from ...lab.vocabulary.token_view import draw_minimap, token_rows
from ...serialize.problem import Problem
from ..forms import Form, read_query
from ..page_params import read_params
from ..picker import picker_rows, tokenizer_id
from ..policy import RoutePolicy, always
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
POLICY = RoutePolicy(untrusted=always)
DEFAULT_TOKENIZER = "o200k_base"
BLOCK = 100
"""Tokens of a page without a script; with one, tokens that are fetched at once."""
MAX_SCROLLED = 300_000
"""Tokens that scroll in one list: no browser shows an element of more than some 17 million pixels."""


EXAMPLES = (
    (
        "o200k_base",
        "sort=bytes&descending=1",
        "The longest tokens of GPT-5",
        "white space, rules of punctuation, pieces of code",
    ),
    (
        "o200k_base",
        "script=Han&sort=characters&descending=1",
        "Its longest Chinese tokens",
        "what was on the pages that it was trained on",
    ),
    (
        "o200k_base",
        "script=bytes",
        "Fragments of UTF-8",
        "tokens that are no whole characters and appear only together",
    ),
    ("cl100k_base", "q=^[0-9]%2B$&by=regex", "Numbers that are one token in GPT-4", "all of one, two and three digits"),
    ("gpt2", "q=SolidGold", "SolidGoldMagikarp in GPT-2", "a glitch token, found by Rumbelow and Watkins (2023)"),
    (
        "gemma4",
        "q=the&ignore_case=1&match=ends",
        "Words that end in “the” in Gemma",
        "with and without a space, in any case",
    ),
    (
        "bert-base-uncased",
        "q=%23%23&match=begins",
        "Pieces that continue a word in BERT",
        "they are spelled with ## in front",
    ),
)
"""Searches to begin with: tokenizer, search, title, what one sees."""


MAX_COMPARED = 8
"""Tokens that are compared side by side."""
OTHERS = (
    *("o200k_base", "cl100k_base", "qwen3", "deepseek-v3", "gemma4"),
    *("mistral-v3", "xlm-roberta", "bert-base-uncased"),
)
"""Vocabularies in which the bytes of a token can be looked up."""


def format_search(form: Form, *, without: Container[str] = ()) -> str:
    """Return the fields of a search as they stand in an address, without those that are empty or as by default."""
    usual = {one.field or one.name: str(one.default) for one in get_option_fields(Query).values()}
    values = {name: form.get(name) for name in usual if name not in without}
    return urlencode({name: value for name, value in values.items() if value not in ("", usual[name])})


@dataclass(frozen=True, slots=True)
class TokenListPart:
    """The tokens found that one list scrolls through, from `start` to `stop`, and the block of them that is shown.

    `place` is the token at the top of the view, in the block that begins at `offset`.
    """

    start: int
    stop: int
    offset: int
    place: int
    total: int

    @classmethod
    def of(cls, total: int, place: int) -> Self:
        """Return the part that a token of the search lies in."""
        place = max(0, min(place, total - 1))
        start = place // MAX_SCROLLED * MAX_SCROLLED
        return cls(start, min(total, start + MAX_SCROLLED), place // BLOCK * BLOCK, place, total)


def find_offset(form: Form, ids: Any, rows: Rows) -> int:
    """Return the position among the rows found at which a page begins: of the id `at`, or `offset`.

    Raises `Invalid` for an id that is not among them.
    """
    at = form.number("at")
    if at is None:
        return form.number("offset") or 0
    places = (ids[rows] == at).nonzero()[0]
    if not len(places):
        raise Invalid(f"The id {at} is not among the tokens found.", pointer="/at")
    return int(places[0])


def find_direct_id(form: Form, columns: VocabularyColumns) -> int | None:
    """Return the id that a search for a text is, if a token has it."""
    q = form.get("q")
    number = int(q) if q.isascii() and q.isdecimal() and len(q) < 10 else -1
    plain = form.get("by") in ("", "text")
    return number if plain and number >= 0 and columns.index(number) is not None else None


def get_shared_context(request: Request, id: str) -> dict[str, Any]:
    """Return the context that the templates of the list and of one token share."""
    form = read_query(request)
    address = f"/vocabulary/{quote(id)}"
    return {
        "info": get_services(request).registry.info(id),
        "address": address,
        "summary": f"{address}/summary",
        "form": form,
        "search": format_search(form),
        "unsorted": format_search(form, without=("sort", "descending")),
    }


def parse_compared(ids: str) -> list[int]:
    """Return the different ids in a list of them. Raises `Invalid` unless there are from one to `MAX_COMPARED`."""
    tokens = dict.fromkeys(token for first, last in parse_ranges(ids) for token in {first, last})
    if len(tokens) > MAX_COMPARED:
        detail = f"At most {MAX_COMPARED} tokens are compared side by side; these are {len(tokens)}."
        raise Invalid(detail, pointer="/ids", limit=MAX_COMPARED)
    return [*tokens]


def context(request: Request, id: str) -> dict[str, Any]:
    """Return the context of the list: the tokens found, or what is wrong with the search beside all that was typed."""
    services = get_services(request)
    common = get_shared_context(request, id)
    form = common["form"]
    registry = services.registry
    columns, every = services.cache(RecentVocabularies).search(registry, id, Query())
    scripts = scripts_in(columns)
    analysis = load_analysis(services.settings, registry, id)
    classes = analysis.classes if analysis else None
    common |= {
        "scripts": scripts,
        "kinds": [KINDS[code] for code in sorted({*columns.kinds.tolist()})],
        "classes": CLASSES if analysis else (),
        "count": len(every),
        "block": BLOCK,
        "status": 200,
        "direct": find_direct_id(form, columns),
    }
    try:
        query = read_params(form, Query, q=form.get("q"))
        _, rows = services.cache(RecentVocabularies).search(registry, id, query, classes)
        part = TokenListPart.of(len(rows), find_offset(form, columns.ids, rows))
    except Invalid as error:
        return common | {"problem": Problem.of(error), "part": None, "rows": (), "status": error.status}
    found = token_rows(columns, rows[part.offset : part.offset + BLOCK], part.offset, classes)
    minimap = draw_minimap(columns, rows, part.start, part.stop, [name for name, _ in scripts])
    return common | {"problem": None, "part": part, "rows": found, "minimap": minimap}


@router.get("/vocabulary")
@POLICY
def page(request: Request, tokenizer: str = DEFAULT_TOKENIZER) -> RedirectResponse:
    return RedirectResponse(f"/vocabulary/{quote(tokenizer_id(request, tokenizer))}", 303)


# Before the route of `{id:path}`, which matches these paths too, as the id of a tokenizer may contain slashes.
@router.get("/vocabulary/{id:path}/rows")
@POLICY
def rows(id: str, request: Request) -> HTMLResponse:
    shown = context(request, tokenizer_id(request, id))
    return render(request, "vocabulary", shown, fragment="_rows", status=shown["status"])


@router.get("/vocabulary/{id:path}/compare")
@POLICY
def compare(id: str, request: Request) -> HTMLResponse:
    services = get_services(request)
    chosen = tokenizer_id(request, id)
    shown = get_shared_context(request, chosen) | {"problem": None, "compared": (), "status": 200}
    analysis = load_analysis(services.settings, services.registry, chosen)
    vocabularies = services.cache(RecentVocabularies)
    try:
        tokens = parse_compared(shown["form"].get("ids"))
        shown["compared"] = [
            find_token_entry(vocabularies, services.registry, chosen, token, analysis) for token in tokens
        ]
    except Invalid as error:
        shown |= {"problem": Problem.of(error), "status": error.status}
    return render(request, "vocabulary", shown, fragment="compare", status=shown["status"])


@router.get("/vocabulary/{id:path}/{token}")
@POLICY
def entry(id: str, token: str, request: Request) -> HTMLResponse:
    services = get_services(request)
    if not (token.isascii() and token.isdecimal() and len(token) < 10) or f"{id}/{token}" in services.registry:
        return browse(f"{id}/{token}", request)  # a tokenizer whose name has a slash
    chosen = tokenizer_id(request, id)
    analysis = load_analysis(services.settings, services.registry, chosen)
    one = find_token_entry(services.cache(RecentVocabularies), services.registry, chosen, int(token), analysis)
    others = [services.registry.info(other) for other in OTHERS if other in services.registry and other != chosen]
    shown = get_shared_context(request, chosen) | {"one": one, "others": others}
    return render(request, "vocabulary", shown, page="entry")


@router.get("/vocabulary/{id:path}")
@POLICY
def browse(id: str, request: Request) -> HTMLResponse:
    chosen = tokenizer_id(request, id)
    shown = context(request, chosen) | picker_rows(request, [chosen]) | {"examples": EXAMPLES}
    return render(request, "vocabulary", shown, status=shown["status"])
