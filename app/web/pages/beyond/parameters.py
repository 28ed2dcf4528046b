"""GET and POST /beyond/parameters: a layer whose parameters are tokens, how it grows, and its training."""

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid
from ....lab.beyond.laboratories import LABORATORIES, ask_growth
from ....lab.beyond.parameters import layer, view
from ....lab.beyond.parameters.layer import GrowthOptions, race
from ....lab.beyond.parameters.view import as_csv
from ....lab.learn.answers import judge
from ....lab.option_schema import declare, get_option_fields
from ....serialize.problem import Problem
from ...downloads import as_file
from ...forms import AskedForm, SentForm
from ...page_params import read_params, write_address
from ...render import render
from ...routing import Router

router = Router(include_in_schema=False)


class ParametersParams(GrowthOptions):
    """Parameters of the page: the layer, how it grows and is trained, and the input that is shown.

    `predict` asks for the rule that leaves the output as it was before the differences are shown; `guess` answers.
    """

    steps: int = declare("Steps of training, before and after", 150, ge=10, le=layer.MAX_STEPS)
    input: int = declare("Input", 1, ge=1, le=layer.INPUTS)
    predict: bool = declare("Predict what stays first", False)
    guess: str = declare(
        "Answer", "", choices=dict.fromkeys(("", *layer.RULES, "shown"), ""), used_by=({"predict": (True,)},)
    )

    @property
    def address(self) -> str:
        """The address of the page with these parameters."""
        return write_address("/beyond/parameters", self, always=NUMBERS)


FIELDS = get_option_fields(ParametersParams)
NUMBERS = [name for name, one in FIELDS.items() if one.kind == "integer"]


@router.post("/beyond/parameters")
@router.get("/beyond/parameters")
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page. An error is a part of it."""
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


@router.post("/beyond/parameters/download")
def download(form: SentForm) -> Response:
    params = read_params(form, ParametersParams)
    return as_file(as_csv(race(params.seed, params.pairs, params.more, params.steps)), "training.csv")
