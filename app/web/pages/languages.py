"""GET /languages: one text in every language through the tokenizers, in pictures and as a table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.web.forms import Form, read_query
from app.web.render import render

if TYPE_CHECKING:
    from app.lab.languages.atlas import Atlas
    from app.lab.languages.rows import Asked

router = APIRouter(include_in_schema=False)

DEFAULT = "o200k_base"
ORDERS = ("falling", "rising")


def asked(form: Form, atlas: Atlas) -> Asked:
    """Read a query. Raises `Invalid` with the field's name."""
    from app.lab.languages.regions import Region
    from app.lab.languages.rows import MEASURES, Asked

    chosen = tuple(dict.fromkeys(filter(None, form.getall("tokenizer"))))
    return Asked(
        tokenizers=chosen or (DEFAULT,) if atlas.columns else (),
        measure=form.one_of("measure", MEASURES, "premium"),
        script=form.one_of("script", ["", *scripts(atlas)], ""),
        region=form.one_of("region", ("", *get_args(Region)), ""),
        seek=form.get("seek"),
        sort=form.get("sort"),
        rising=form.one_of("order", ORDERS, "falling") == "rising",
    )


def scripts(atlas: Atlas) -> list[str]:
    """The scripts that there are, by name."""
    return sorted({language.script for language in atlas.languages})


def link(now: Asked, **changes: Any) -> str:
    """The address of what is asked for, with these changes; what is as it would be anyway is left out."""
    wanted = replace(now, **changes)
    told = {name: getattr(wanted, name) for name in ("measure", "script", "region", "seek", "sort")}
    told["order"] = "rising" if wanted.rising else "falling"
    usual = {"measure": "premium", "order": "" if wanted.sort else "falling"}
    kept = [(name, value) for name, value in told.items() if value and value != usual.get(name)]
    return "/languages?" + urlencode([*(("tokenizer", id) for id in wanted.tokenizers), *kept])


def context(request: Request, form: Form) -> dict[str, Any]:
    """What the templates need."""
    from app.lab.languages import premiums, published
    from app.lab.languages.record import recorded, with_trained
    from app.lab.languages.regions import REGIONS
    from app.lab.languages.rows import MEASURES, SHADES, TITLES, table
    from app.lab.languages.texts import source

    store = request.app.state.settings.store
    atlas = with_trained(recorded(store), request.app.state.registry)
    now = asked(form, atlas)
    lead = next(iter(atlas.chosen(now.tokenizers)), None)
    shared = {"atlas": atlas, "asked": now, "link": partial(link, now), "table": table(atlas, now), "lead": lead}
    choices = {"scripts": scripts(atlas), "measures": MEASURES, "titles": TITLES, "shades": SHADES, "regions": REGIONS}
    return shared | choices | {"premiums": premiums, "published": published, "source": source(store)}


@router.get("/languages")
def page(request: Request) -> HTMLResponse:
    return render(request, "languages", context(request, read_query(request)))
