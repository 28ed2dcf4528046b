"""GET /vocabulary/{id}/summary: the figures of a vocabulary, or the progress of the analysis that computes them."""

from typing import Any
from urllib.parse import quote

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse

from ..api.analysis import Outcome, forget_failure, get_outcome
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router

router = Router(include_in_schema=False)
POLICY = RoutePolicy(run="server")
LENGTHS = (
    ("characters", "Tokens by length in characters, without special tokens and fragments"),
    ("bytes", "Tokens by length in bytes, without special tokens"),
)


def context(outcome: Outcome) -> dict[str, Any]:
    """Return the context of the templates."""
    info = outcome.record.info
    shown = {"figures": outcome.figures, "progress": outcome.progress, "problem": outcome.progress.get("problem")}
    return {"info": info, "address": f"/vocabulary/{quote(info.id)}", "lengths": LENGTHS, **shown}


@router.get("/vocabulary/{id:path}/summary")
@POLICY
async def summary(id: str, request: Request) -> HTMLResponse:
    outcome = await get_outcome(request, id)
    problem = outcome.progress.get("problem")
    status = problem["status"] if problem else 200
    return render(request, "vocabulary", context(outcome), page="summary", status=status)


@router.post("/vocabulary/{id:path}/summary")
@POLICY
async def again(id: str, request: Request) -> RedirectResponse:
    """Analyse a vocabulary again after that has failed."""
    chosen = await run_in_threadpool(forget_failure, request, id)
    return RedirectResponse(f"/vocabulary/{quote(chosen)}/summary", 303)
