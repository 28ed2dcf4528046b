"""GET /languages: how many tokens each language needs for the same text, as charts and as a table."""

from functools import partial
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid
from ...lab.languages import premiums
from ...lab.languages.atlas import Atlas, add_trained_columns, read_atlas
from ...lab.languages.declarations import declarations, other_names, source
from ...lab.languages.premiums import by_script, coastlines
from ...lab.languages.table import MEASURES, REGIONS, SHADES, TITLES, TableParams, table
from ...lab.models import canonical
from ...lab.option_schema import with_values
from ...lab.pictures import premiums_picture
from ...registry import Registry
from ...settings import ROOT
from ..body import JSONResponse
from ..forms import Form, read_query
from ..page_params import read_params, write_address
from ..picker import picker_rows
from ..pictures import picture
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)

DEFAULT_TOKENIZER = "o200k_base"


def table_params(form: Form, atlas: Atlas, registry: Registry) -> TableParams:
    """Return the parameters in a query. Raises `Invalid` with a pointer to the field."""
    chosen = tuple(dict.fromkeys(canonical(registry, name) for name in form.getall("tokenizer") if name))
    tokenizers = chosen or (DEFAULT_TOKENIZER,) if atlas.columns else ()
    script = form.get_choice("script", ["", *scripts(atlas)], "")
    return read_params(form, TableParams, tokenizers=tokenizers, script=script)


def scripts(atlas: Atlas) -> list[str]:
    """Return the names of all scripts, sorted."""
    return sorted({language.script for language in atlas.languages})


def link(params: TableParams, **changes: Any) -> str:
    """Return the address of the page with these parameters and changes, without those that have their defaults."""
    target = with_values(params, **changes)
    # Without a direction, a column sorts as its kind does (names rising, figures falling), so it is kept with a column.
    return write_address("/languages", target, always=("order",) if target.sort else ())


def context(request: Request, form: Form) -> dict[str, Any]:
    """Return the context of the templates."""
    store = get_services(request).settings.store
    atlas = add_trained_columns(read_atlas(store), get_services(request).registry)
    params = table_params(form, atlas, get_services(request).registry)
    lead = next(iter(atlas.select(params.tokenizers)), None)
    shared = {"atlas": atlas, "params": params, "link": partial(link, params), "lead": lead}
    shared |= {"table": table(atlas, params)}
    choices = {"scripts": scripts(atlas), "measures": MEASURES, "titles": TITLES, "shades": SHADES, "regions": REGIONS}
    rows = picker_rows(request, only=[column.id for column in atlas.columns])
    return shared | choices | rows | {"premiums": premiums, "source": source(store)}


@router.get("/languages")
def page(request: Request) -> HTMLResponse:
    return render(request, "languages", context(request, read_query(request)))


@router.get("/languages/premiums.svg")
@router.get("/languages/premiums.png")
@router.get("/languages/premiums.pdf")
def premiums_file(request: Request) -> Response:
    """The premiums by script in the first tokenizer of the page, as a picture to be saved."""
    shown = context(request, read_query(request))
    if shown["lead"] is None:
        raise Invalid("There is no table of languages in this store.")
    title = f"Tokens of each language in {shown['lead'].title}, by those of English"
    drawing = premiums_picture(title, by_script(shown["atlas"], shown["lead"]))
    return picture(drawing, "premiums", request.url.path)


@router.get("/languages/names.json")
def names(request: Request) -> JSONResponse:
    """The other names of languages by code, by which the page finds them as one types."""
    languages = declarations(get_services(request).settings.store).values()
    return JSONResponse({one.code: other for one in languages if (other := other_names(one.iso))})


@router.get("/languages/land.svg")
def land() -> Response:
    """The coastlines of the map, which every version of the page shares."""
    path = f'<svg xmlns="http://www.w3.org/2000/svg"><path id="land" d="{coastlines(ROOT)}"/></svg>'
    return Response(path, media_type="image/svg+xml", headers={"Cache-Control": "public, max-age=86400"})
