"""GET and POST /turns: which ids each turn loses, and why; GET /turns/templates: what chat templates do."""

from typing import Any, Self

import orjson
from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import Invalid, TokenariumError
from ...lab.examples import find_example
from ...lab.model_facts import list_template_names
from ...lab.option_schema import declare, get_option_fields, with_values
from ...lab.request.values import hide_secrets, parse_json
from ...lab.turns.mends import Mend
from ...lab.turns.overview import list_rows
from ...lab.turns.report import TurnsOptions, examine_turns
from ...lab.turns.table import load_table
from ...lab.turns.trajectory import read_trajectories
from ...lab.turns.view import EXAMPLES, TurnsView
from ...serialize.problem import Problem
from ..forms import AskedForm, Form
from ..page_params import read_params
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)


class TurnsParams(TurnsOptions):
    """Parameters of the page: a text with conversations, the `number` of the one that is shown, from 1, and that of the
    turn that is shown whole; 0 shows a row for each of several. `arguments` are those of the template as they were
    typed, and `mend` is the title of what is to be used of what was tried."""

    text: str = EXAMPLES[0].text
    number: int = declare("Conversation", 0, field="conversation", le=100_000)
    whole: int = declare("Turn shown whole", 0, le=1_000)
    arguments: str = ""
    mend: str = ""

    @classmethod
    def of(cls, form: Form) -> Self:
        """Return the parameters in a form. Raises `Invalid` with a pointer to the field."""
        chosen = find_example(form.get("example"), EXAMPLES)
        text = chosen.text if chosen else form.text if "text" in form.fields or form.files else EXAMPLES[0].text
        template = form.get("chat_template")
        others: dict[str, Any] = {
            "chat_template": template if template.strip() else None,
            "arguments": form.get("arguments"),
            "mend": form.get("mend"),
        }
        return read_params(form, cls, text=text, **others)

    @property
    def options(self) -> TurnsOptions:
        """How the conversation is read. Raises `Invalid` if the arguments are no JSON object."""
        try:
            values = parse_json(self.arguments) if self.arguments.strip() else {}
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise Invalid('Arguments are a JSON object, such as {"enable_thinking": false}.', pointer="/arguments")
        return TurnsOptions(model=self.model.strip(), chat_template=self.chat_template, chat_template_kwargs=values)

    def adopt(self, mend: Mend) -> Self:
        """Return the parameters with the argument or the template of a mend."""
        if mend.kind == "template":
            return with_values(self, model=mend.name)
        values = {**self.options.chat_template_kwargs, mend.name: mend.value}
        return with_values(self, arguments=orjson.dumps(values).decode())


def compare(request: Request, params: TurnsParams) -> dict[str, Any]:
    """Return the conversations of a text and the view of one, or of several the rows; nothing of an empty text.

    The parameters are those with the mend that was chosen. Raises as `examine_turns`.
    """
    if not params.text.strip():
        return {}
    log = read_trajectories(params.text)
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    count = len(log.trajectories)
    if count > 1 and not params.number:
        return {"log": log, "rows": list_rows(registry, log, params.options, limit=limit)}
    number = min(max(1, params.number), count)
    chosen = log.trajectories[number - 1]
    report = examine_turns(registry, chosen, params.options, limit=limit)
    if mend := next((one for one in report.mends if one.title == params.mend), None):
        params = params.adopt(mend)
        report = examine_turns(registry, chosen, params.options, limit=limit)
    return {"log": log, "number": number, "view": TurnsView(report, params.whole), "params": params}


@router.post("/turns")
@router.get("/turns")
@RoutePolicy(untrusted=lambda arguments: bool(arguments["form"].get("chat_template").strip()))
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page; an error is part of it, so that what was pasted stays."""
    registry = get_services(request).registry
    params = TurnsParams.of(form)
    problem = None
    compared: dict[str, Any] = {}
    try:
        compared = compare(request, params)
    except TokenariumError as error:
        if error.status >= 500:
            raise
        problem = Problem.of(error)
    context: dict[str, Any] = {"log": None, "number": 0, "view": None, "rows": (), "params": params, **compared}
    context |= {
        "fields": get_option_fields(TurnsParams),
        "problem": problem,
        "examples": EXAMPLES,
        "models": list_template_names(registry),
        # What is written into the page may be kept by a browser.
        "written": hide_secrets(params.text)[0],
    }
    return render(request, "turns", context, status=problem.status if problem else 200)


@router.get("/turns/templates")
def templates(request: Request) -> HTMLResponse:
    rows = load_table(get_services(request).settings.store)
    return render(request, "turns", {"rows": rows}, fragment="templates")
