"""GET and POST /beyond/parameters: a layer whose parameters are tokens, how it grows, and its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid
from ....serialize.problem import Problem
from ...forms import Form, read_form, read_query
from ...render import render
from .overview import laboratories

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]
BOUNDS = {"seed": (0, 999_999), "pairs": (2, 16), "more": (1, 64), "input": (1, 5), "steps": (10, 1000)}


@dataclass(frozen=True)
class ParametersParams:
    """Parameters of the page: the layer, by how much it grows, the input that is shown, and the steps of training.

    `predict` asks for the rule that leaves the output as it was before the differences are shown; `guess` answers.
    """

    seed: int = 1
    pairs: int = 8
    more: int = 8
    input: int = 1
    steps: int = 150
    predict: bool = False
    guess: str = ""

    @classmethod
    def of(cls, form: Form) -> ParametersParams:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""
        numbers: dict[str, Any] = {}
        for name, (least, most) in BOUNDS.items():
            number = form.number(name)
            if number is not None and not least <= number <= most:
                raise Invalid(f"{name} is a whole number from {least} to {most:,}.", pointer=f"/{name}", limit=most)
            numbers |= {name: number} if number is not None else {}
        guess = form.get_choice("guess", ("", "kept", "rescaled", "softmax"), "")
        return cls(**numbers, predict=bool(form.get("predict")), guess=guess)

    @property
    def address(self) -> str:
        """The address of the page with these parameters."""
        values: dict[str, Any] = {name: getattr(self, name) for name in BOUNDS}
        values |= {"predict": "1" if self.predict else "", "guess": self.guess if self.predict else ""}
        return "/beyond/parameters?" + urlencode({name: value for name, value in values.items() if value != ""})


def respond(request: Request, form: Form) -> HTMLResponse:
    """Return the page. An error is a part of it."""
    from ....lab.beyond.parameters import layer, view
    from ....lab.beyond.parameters.training import race

    params = ParametersParams()
    problem = None
    try:
        params = ParametersParams.of(form)
    except Invalid as error:
        problem = Problem.of(error)
    typed = {name: form.get(name, str(getattr(params, name))) for name in BOUNDS}
    context = {
        "params": params,
        "typed": typed,
        "bounds": BOUNDS,
        "problem": problem,
        "growth": None if problem else layer.grow(params.seed, params.pairs, params.more),
        "race": None if problem else race(params.seed, params.pairs, params.more, params.steps),
        "rules": layer.RULES,
        "view": view,
        **laboratories(request),
    }
    return render(request, "beyond/parameters", context, status=problem.status if problem else 200)


@router.get("/beyond/parameters")
def page(request: Request) -> HTMLResponse:
    return respond(request, read_query(request))


@router.post("/beyond/parameters")
def post(request: Request, form: Sent) -> HTMLResponse:
    return respond(request, form)


@router.post("/beyond/parameters/download")
def download(form: Sent) -> Response:
    from ....lab.beyond.parameters.training import race
    from ....lab.beyond.parameters.view import as_csv

    params = ParametersParams.of(form)
    headers = {"Content-Disposition": 'attachment; filename="training.csv"'}
    body = as_csv(race(params.seed, params.pairs, params.more, params.steps))
    return Response(body, media_type="text/csv; charset=utf-8", headers=headers)
