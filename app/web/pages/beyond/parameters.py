"""GET and POST /beyond/parameters: a layer whose parameters are tokens, how it grows, and its training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid
from ....lab.beyond.laboratories import LABORATORIES, ask_growth
from ....lab.beyond.parameters import layer, view
from ....lab.beyond.parameters.layer import race
from ....lab.beyond.parameters.view import as_csv
from ....lab.learn.answers import judge
from ....lab.option_schema import get_option_fields, option
from ....serialize.problem import Problem
from ...downloads import as_file
from ...forms import Form, read_form, read_query
from ...page_params import read_params, write_address
from ...render import render
from ...routing import Router

router = Router(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]


@dataclass(frozen=True)
class ParametersParams:
    """Parameters of the page: the layer, by how much it grows, the input that is shown, and the steps of training.

    `predict` asks for the rule that leaves the output as it was before the differences are shown; `guess` answers.
    """

    seed: int = field(default=1, metadata=option("Seed of all random numbers", min=0, max=999_999))
    pairs: int = field(default=8, metadata=option("Pairs of key and value", min=2, max=16))
    more: int = field(default=8, metadata=option("Pairs to add, with zero keys", min=1, max=64))
    input: int = field(default=1, metadata=option("Input", min=1, max=5))
    steps: int = field(default=150, metadata=option("Steps of training, before and after", min=10, max=1000))
    predict: bool = field(default=False, metadata=option("Predict what stays first"))
    guess: str = field(
        default="",
        metadata=option(
            "Answer", choices=dict.fromkeys(("", *layer.RULES, "shown"), ""), used_by=({"predict": (True,)},)
        ),
    )

    @property
    def address(self) -> str:
        """The address of the page with these parameters."""
        return write_address("/beyond/parameters", self, always=NUMBERS)


FIELDS = get_option_fields(ParametersParams)
NUMBERS = [name for name, one in FIELDS.items() if one.kind == "integer"]


def respond(request: Request, form: Form) -> HTMLResponse:
    """Return the page. An error is a part of it."""
    params = ParametersParams()
    problem = None
    try:
        params = read_params(form, ParametersParams)
    except Invalid as error:
        problem = Problem.of(error)
    typed = {name: form.get(name, str(getattr(params, name))) for name in NUMBERS}
    question = ask_growth(params.seed, params.pairs, params.more) if params.predict and not problem else None
    context = {
        "params": params,
        "question": question,
        "answer": judge(question, params.guess),
        "typed": typed,
        "fields": FIELDS,
        "problem": problem,
        "growth": None if problem else layer.grow(params.seed, params.pairs, params.more),
        "race": None if problem else race(params.seed, params.pairs, params.more, params.steps),
        "view": view,
        "laboratories": LABORATORIES,
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
    params = read_params(form, ParametersParams)
    return as_file(as_csv(race(params.seed, params.pairs, params.more, params.steps)), "training.csv")
