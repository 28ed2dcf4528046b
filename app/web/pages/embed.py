"""GET /embed: a text and its tokens, for an <iframe> on any site. The page has no script and no form."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from ...lab.option_schema import with_values
from ..forms import read_query
from ..picker import tokenizer_id
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router
from .tokenize import TokenizeParams, tokenization_view

router = Router(include_in_schema=False)


@router.get("/embed")
@RoutePolicy(framed=True)
def page(request: Request) -> HTMLResponse:
    params = TokenizeParams.of(read_query(request), posted=False)
    chosen = with_values(params, tokenizer=tokenizer_id(request, params.tokenizer))
    return render(request, "embed", context(request, chosen), fragment="page")


def context(request: Request, params: TokenizeParams) -> dict[str, Any]:
    """Return the context of the template, without the table: its rows are buttons, and the page has no form."""
    views = [view for view in params.views if view != "table"] or ["text"]
    shown = with_values(params, views=views, window=0, token=None)
    return {
        "params": shown,
        "views": views,
        "view": tokenization_view(request, shown),
        "link": f"/#{pack_params(params)}",
    }


def pack_params(params: TokenizeParams) -> str:
    """Return the fragment of a link that opens the playground with these parameters; static/js/link.js reads it."""
    state = {
        "t": params.tokenizer,
        "e": params.engine,
        "s": params.special,
        "m": int(params.template),
        "x": params.text,
    }
    state |= {"v": params.views, "w": int(params.spaces)}
    small = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    data = small.compress(json.dumps(state).encode()) + small.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")
