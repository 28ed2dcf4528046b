"""GET and POST /request: the parts of a request to a model in tokens, and its bill; or those of a log."""

from typing import Any, Self

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import TokenariumError
from ...lab.examples import find_example
from ...lab.model_facts import list_template_names
from ...lab.option_schema import Options, declare, get_option_fields
from ...lab.request.counting import count_request
from ...lab.request.diet import diet
from ...lab.request.log import read_requests
from ...lab.request.log_report import examine_log
from ...lab.request.values import hide_secrets
from ...lab.request.view import EXAMPLES, MODELS, RequestView
from ...serialize.problem import Problem
from ..forms import AskedForm, Form
from ..page_params import read_params
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
MAX_CALLS = 300
"""Requests of a log that the page counts; the command counts all."""


class RequestParams(Options):
    """Parameters of the page; `number` is the request of a log that is shown, from 1."""

    text: str = EXAMPLES[0].text
    model: str = declare("Model", "")
    low: float | None = declare("Claude tokens per GPT-4o token, from", None, le=100)
    high: float | None = declare("to", None, le=100)
    number: int = declare("Request", 1, ge=1, le=100_000)
    file_name: str | None = None

    @classmethod
    def of(cls, form: Form) -> Self:
        """Return the parameters in a form. Raises `Invalid` with a pointer to the field."""
        chosen = find_example(form.get("example"), EXAMPLES)
        return read_params(form, cls, text=chosen.text if chosen else form.text, file_name=form.file_name)

    @property
    def ratio(self) -> tuple[float, float] | None:
        """The measured ratio, if an end of it is given."""
        ends = [end for end in (self.low, self.high) if end]
        return (min(ends), max(ends)) if ends else None


def count(request: Request, params: RequestParams) -> dict[str, Any]:
    """Return the log, its report if it has several requests, and the request of it that is shown; nothing of an empty
    text. Raises what counting raises."""
    if not params.text.strip():
        return {}
    log = read_requests(params.text)
    services = get_services(request)
    options: dict[str, Any] = {"model": params.model.strip(), "ratio": params.ratio}
    options["limit"] = services.settings.max_text
    number = min(params.number, len(log.calls))
    report = examine_log(services.registry, log, **options, most=MAX_CALLS) if len(log.calls) > 1 else None
    counted = report.rows[number - 1].count if report and number <= len(report.rows) else None
    if counted is None:  # its error is that of the page
        counted = count_request(services.registry, log.calls[number - 1], **options)
    return {
        "log": log,
        "report": report,
        "number": number,
        "view": RequestView(counted, diet(services.registry, counted)),
    }


@router.post("/request")
@router.get("/request")
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page; an error is part of it, so that what was pasted stays."""
    params = RequestParams.of(form) if form.fields or form.files else RequestParams()
    problem = None
    counted: dict[str, Any] = {}
    try:
        counted = count(request, params)
    except TokenariumError as error:
        if error.status >= 500:
            raise
        problem = Problem.of(error)
    context: dict[str, Any] = {"log": None, "report": None, "number": 1, "view": None, **counted}
    context |= {
        "params": params,
        "fields": get_option_fields(RequestParams),
        "problem": problem,
        "examples": EXAMPLES,
        "models": dict.fromkeys([*MODELS, *list_template_names(get_services(request).registry)]),
        # What is written into the page may be kept by a browser.
        "written": hide_secrets(params.text)[0],
    }
    return render(request, "request", context, status=problem.status if problem else 200)
