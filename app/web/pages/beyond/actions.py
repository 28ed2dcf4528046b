"""GET and POST /beyond/actions: a movement through the stages of FAST, and its download."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid, TooLarge
from ....serialize.problem import Problem
from ...forms import Form, read_form, read_query
from ...render import render
from .overview import laboratories

if TYPE_CHECKING:
    from ....lab.beyond.actions.analysis import ActionAnalysis

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]
MAX_LINK = 6_000
"""Characters of the longest address that carries a movement."""
FIRST = "pick"


@dataclass(frozen=True)
class ActionsParams:
    """Parameters of the page: the movement as CSV, or the example that it is, and the scale before rounding.

    `predict` asks for the number of tokens before it is shown, and `guess` is the answer.
    """

    numbers: str = ""
    example: str = ""
    seed: int = 1
    scale: int = 10
    predict: bool = False
    guess: int | None = None

    @classmethod
    def of(cls, form: Form) -> ActionsParams:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""
        from ....lab.beyond.actions.analysis import MAX_SCALE, format_csv
        from ....lab.beyond.actions.movements import EXAMPLES, example

        numbers = form.get("numbers").replace("\r\n", "\n").replace("\r", "\n")
        name = form.get_choice(
            "example", ("", *(one.id for one in EXAMPLES)), "" if "numbers" in form.fields else FIRST
        )
        seed = form.number("seed") or 1
        scale = form.number("scale")
        if scale is not None and not 1 <= scale <= MAX_SCALE:
            raise Invalid(f"scale is a whole number from 1 to {MAX_SCALE}.", pointer="/scale", limit=MAX_SCALE)
        if name:
            one = example(name)
            made = format_csv(one.make(seed), one.dimensions)
            name = name if numbers in ("", made) else ""
            numbers = numbers or made
        return cls(
            numbers=numbers,
            example=name,
            seed=seed,
            scale=scale or 10,
            predict=bool(form.get("predict")),
            guess=form.number("guess"),
        )

    def link(self, **changes: Any) -> str:
        """Return the address of the page with these parameters, some of them changed; "" if it would be too long."""
        one = replace(self, **changes)
        values: dict[str, Any] = {"example": one.example, "seed": one.seed if one.seed != 1 else ""}
        if not one.example:
            values = {"numbers": one.numbers}
        values |= {"scale": one.scale if one.scale != 10 else "", "predict": "1" if one.predict else ""}
        values |= {"guess": one.guess if one.predict and one.guess is not None else ""}
        address = "/beyond/actions?" + urlencode({name: value for name, value in values.items() if value}, safe=",")
        return address if len(address) <= MAX_LINK else ""


def analysis(params: ActionsParams) -> ActionAnalysis:
    """Return the movement of the parameters and its tokens. Raises `Invalid` and `TooLarge`."""
    from ....lab.beyond.actions.analysis import analyse, parse_csv

    series, names = parse_csv(params.numbers)
    return analyse(series, names, params.scale)


def respond(request: Request, form: Form) -> HTMLResponse:
    """Return the page. An error is a part of it, and what was typed stays."""
    from ....lab.beyond.actions import movements, view

    shown = problem = None
    params = ActionsParams(form.get("numbers"))
    try:
        params = ActionsParams.of(form)
        shown = analysis(params)
    except (Invalid, TooLarge) as error:
        problem = Problem.of(error)
    context = {
        "params": params,
        "shown": shown,
        "problem": problem,
        "view": view,
        "examples": movements.EXAMPLES,
        **laboratories(request),
    }
    return render(request, "beyond/actions", context, status=problem.status if problem else 200)


@router.get("/beyond/actions")
def page(request: Request) -> HTMLResponse:
    return respond(request, read_query(request))


@router.post("/beyond/actions")
def post(request: Request, form: Sent) -> HTMLResponse:
    return respond(request, form)


@router.post("/beyond/actions/download")
def download(form: Sent) -> Response:
    from ....lab.beyond.actions.view import as_csv

    kind = form.get_choice("format", ("movement.csv", "curve.csv"), "movement.csv")
    body = as_csv(analysis(ActionsParams.of(form)), kind)
    headers = {"Content-Disposition": f'attachment; filename="{kind}"'}
    return Response(body, media_type="text/csv; charset=utf-8", headers=headers)
