"""GET and POST /beyond/actions: a movement through the stages of FAST, and its download."""

from typing import Self

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid, TooLarge
from ....lab.beyond.actions import view
from ....lab.beyond.actions.analysis import MAX_NUMBERS, ActionAnalysis, analyse, format_csv, parse_csv
from ....lab.beyond.actions.movements import EXAMPLES, example
from ....lab.beyond.actions.view import as_csv
from ....lab.beyond.laboratories import LABORATORIES, ask_tokens
from ....lab.learn.answers import judge
from ....lab.option_schema import Options, declare, with_values
from ....serialize.problem import Problem
from ...downloads import as_file
from ...forms import AskedForm, Form, SentForm
from ...page_params import drop_long_address, read_params, write_address
from ...render import render
from ...routing import Router

router = Router(include_in_schema=False)
FIRST = "pick"


class ActionsParams(Options):
    """Parameters of the page: the movement as CSV, or the example that it is, and the scale before rounding.

    `predict` asks for the number of tokens before it is shown, and `guess` is the answer.
    """

    example: str = declare("Example", "", choices={"": "", **{one.id: one.title for one in EXAMPLES}})
    seed: int = declare("Seed", 1, used_by=({"example": [one.id for one in EXAMPLES]},))
    numbers: str = declare("Numbers", "", used_by=({"example": ("",)},))
    scale: int = declare("Scale before rounding", 10, ge=1, le=100)
    predict: bool = declare("Predict the tokens first", False)
    guess: str = declare("Answer", "", used_by=({"predict": (True,)},))

    @classmethod
    def of(cls, form: Form) -> Self:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""
        params = read_params(form, cls)
        params = with_values(params, seed=params.seed or 1)
        if name := params.example or ("" if "numbers" in form.fields else FIRST):
            one = example(name)
            made = format_csv(one.make(params.seed), one.dimensions)
            own = params.numbers not in ("", made)
            return with_values(params, example="" if own else name, numbers=params.numbers or made)
        return params

    @property
    def address(self) -> str:
        """The address of the page with these parameters; "" if it would be too long."""
        return drop_long_address(write_address("/beyond/actions", self, safe=","))


def analysis(params: ActionsParams) -> ActionAnalysis:
    """Return the movement of the parameters and its tokens. Raises `Invalid` and `TooLarge`."""
    series, names = parse_csv(params.numbers)
    return analyse(series, names, params.scale)


@router.post("/beyond/actions")
@router.get("/beyond/actions")
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page. An error is a part of it, and what was typed stays."""
    shown = problem = None
    params = ActionsParams(numbers=form.get("numbers"))
    try:
        params = ActionsParams.of(form)
        shown = analysis(params)
    except (Invalid, TooLarge) as error:
        problem = Problem.of(error)
    question = ask_tokens(shown) if shown and params.predict else None
    context = {
        "params": params,
        "shown": shown,
        "question": question,
        "answer": judge(question, params.guess),
        "problem": problem,
        "view": view,
        "examples": EXAMPLES,
        "laboratories": LABORATORIES,
        "max_numbers": MAX_NUMBERS,
    }
    return render(request, "beyond/actions", context, status=problem.status if problem else 200)


@router.post("/beyond/actions/download")
def download(form: SentForm) -> Response:
    kind = form.get_choice("format", ("movement.csv", "curve.csv"), "movement.csv")
    return as_file(as_csv(analysis(ActionsParams.of(form)), kind), kind)
