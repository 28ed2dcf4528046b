"""GET and POST /costs: one text in all models that people pay for; and the strip of the playground."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid
from ...lab.costs import (
    COLUMNS,
    RecentCounts,
    TextCost,
    count_costs,
    find_paid,
    get_request_name,
    leave_uncounted,
    list_paid_models,
    list_strip_models,
    sort_costs,
    write_csv,
)
from ...lab.examples import EXAMPLES, HELLO, find_example
from ...lab.option_schema import Options, declare
from ...lab.prices import load_token_ranges
from ...serialize.costs import serialize_costs
from ..downloads import as_file
from ..forms import Form, read_form, read_query
from ..page_params import read_params
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]


class CostsParams(Options):
    """Parameters of the page, with the defaults of a first visit; `sort` is a column, after a minus falling."""

    text: str = HELLO
    output: int | None = declare("Expected output tokens", None, le=10_000_000)
    low: float | None = declare("Claude’s tokens for one of GPT-4o, from", None, le=100)
    high: float | None = declare("to", None, le=100)
    sort: str = declare("Sort", "")
    file_name: str | None = None

    @classmethod
    def of(cls, form: Form) -> CostsParams:
        """Return the parameters in a form. Raises `Invalid` with a pointer to the field."""
        chosen = find_example(form.get("example"), EXAMPLES)
        return read_params(form, cls, text=chosen.text if chosen else form.text, file_name=form.file_name)

    @property
    def ratio(self) -> tuple[float, float] | None:
        """The measured ratio, if both of its ends are given. Raises `Invalid`."""
        ends = [end for end in (self.low, self.high) if end is not None]
        if not ends:
            return None
        if not 0 < ends[0] <= ends[-1]:
            raise Invalid("The measured ratio runs from a number above 0 to one that is not smaller.", pointer="/low")
        return ends[0], ends[-1]


def count_all(request: Request, params: CostsParams) -> list[TextCost]:
    """Return the costs of the text in all paid models, sorted. Raises `Invalid` and `TooLarge`."""
    services = get_services(request)
    costs = count_costs(
        services.registry,
        params.text,
        list_paid_models(),
        limit=services.settings.max_text,
        output_tokens=params.output or 0,
        ratio=params.ratio,
        recent=services.cache(RecentCounts),
    )
    return sort_costs(costs, params.sort)


def make_context(params: CostsParams, costs: list[TextCost]) -> dict[str, Any]:
    """Return the context of the templates."""
    shared = {
        "columns": COLUMNS,
        "ranges": load_token_ranges().values(),
        "request_name": get_request_name,
        "examples": EXAMPLES,
    }
    return shared | {"params": params, "costs": costs}


@router.get("/costs")
def page(request: Request) -> HTMLResponse:
    form = read_query(request)
    if not form.fields:  # the page opens at once, and counts then
        return render(request, "costs", make_context(CostsParams(), leave_uncounted(list_paid_models())))
    params = CostsParams.of(form)
    return render(request, "costs", make_context(params, count_all(request, params)))


@router.post("/costs")
def post(request: Request, form: Sent) -> HTMLResponse:
    params = CostsParams.of(form)
    return render(request, "costs", make_context(params, count_all(request, params)))


@router.post("/costs/download")
def download(request: Request, form: Sent) -> Response:
    kind = form.get_choice("format", ("csv", "json"), "csv")
    costs = count_all(request, CostsParams.of(form))
    return as_file(write_csv(costs) if kind == "csv" else serialize_costs(costs), f"costs.{kind}")


@router.post("/costs/strip")
def strip(request: Request, form: Sent) -> Response:
    """The strip of the playground for the text of a form."""
    services = get_services(request)
    chosen = find_paid(form.get("models").split()) or list_strip_models()
    costs = count_costs(
        services.registry, form.text, chosen, limit=services.settings.max_text, recent=services.cache(RecentCounts)
    )
    return render(request, "costs", {"costs": costs, "request_name": get_request_name}, fragment="_strip")
