"""GET /embed: a text and its tokens to be framed by a page of any site: nothing to type, nothing to send."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.web.forms import read_query
from app.web.pages.tokenize import Asked, cut
from app.web.render import render

router = APIRouter(include_in_schema=False)


@router.get("/embed")
def page(request: Request) -> HTMLResponse:
    return render(request, "embed", context(request, Asked.of(read_query(request))), fragment="page")


def context(request: Request, asked: Asked) -> dict[str, Any]:
    """What the template needs. The table is left to the playground: its rows are buttons."""
    views = tuple(view for view in asked.views if view != "table") or ("text",)
    shown = replace(asked, views=views, window=0, token=None)
    return {"asked": shown, "views": views, "sheet": cut(request, shown), "link": f"/#{packed(asked)}"}


def packed(asked: Asked) -> str:
    """What is asked for as the playground's own links carry it, behind the # that is never sent."""
    state = {"t": asked.tokenizer, "e": asked.engine, "s": asked.special, "m": int(asked.template), "x": asked.text}
    state |= {"v": asked.views, "w": int(asked.spaces)}
    small = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    data = small.compress(json.dumps(state).encode()) + small.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")
