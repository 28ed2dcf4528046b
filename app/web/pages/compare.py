"""GET and POST /compare: one text in several tokenizers, with costs; its downloads; and many texts at once."""

from typing import Any, Self

from fastapi import Request
from pydantic import Field
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid
from ...lab.compare.comparison import Comparison, compare, count_texts, total
from ...lab.compare.options import CompareOptions, PriceOptions
from ...lab.compare.texts import EXAMPLES, SETS, text_set
from ...lab.compare.view import ComparisonView, price_comparison
from ...lab.costs import TextCost, list_paid_models, write_csv
from ...lab.examples import HELLO, find_example, get_example
from ...lab.languages.declarations import declaration
from ...lab.models import canonical
from ...lab.option_schema import Items, declare
from ...lab.pictures import agreement_picture, summary_picture, tokens_picture
from ...lab.prices import load_prices, load_token_ranges
from ...serialize.comparison import agreement_csv, summary_csv
from ...serialize.costs import serialize_costs
from ..downloads import as_file
from ..forms import Form, SentForm, read_query
from ..page_params import read_params
from ..picker import picker_rows
from ..pictures import KINDS, picture
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)

FORMATS = (
    *("summary.csv", "agreement.csv", "costs.csv", "costs.json"),
    *(f"{name}.{kind}" for name in ("tokens", "summary", "agreement") for kind in KINDS),
)
CHOSEN = ("o200k_base", "claude-sonnet-5", "gemma4", "llama-4", "deepseek-v3", "qwen3.5")
"""The rows of a first visit: the models that people choose between today."""
PRICE = "price:"
OPENING = "hello"
"""The example that the page opens with: the text of the playground."""


class CompareParams(CompareOptions, PriceOptions):
    """Parameters of a comparison, with the defaults of a first visit."""

    text: str = HELLO
    tokenizers: Items[str] = Field(default=[*CHOSEN])
    part: int | None = declare("Part of the text", None)
    versus: str = declare("Compared with the baseline", "")
    mark: str = declare("Marked example", "")
    file_name: str | None = None

    @classmethod
    def of(cls, form: Form, **others: Any) -> Self:
        """Return the parameters in a form, with `others` for what it lacks. Raises `Invalid` with a pointer."""
        chosen = find_example(form.get("example"), EXAMPLES)
        order = form.get("order").split()
        ticked = [*dict.fromkeys(form.getall("tokenizer"))]
        named = [name for name in form.fields if name.startswith(PRICE)]
        amounts = {name.removeprefix(PRICE): form.amount(name) for name in named}
        listed = {model.name: model.price for model in load_prices()}
        values = {
            "text": chosen.text if chosen else form.text,
            "tokenizers": sorted(ticked, key=lambda id: order.index(id) if id in order else len(order)),
            "prices": {name: amount for name, amount in amounts.items() if amount not in (None, listed.get(name))},
            "file_name": form.file_name,
        }
        return read_params(form, cls, **values | others)


def comparison(request: Request, params: CompareParams) -> Comparison | None:
    """Return the comparison, or None without a tokenizer. Raises `TooLarge` and `Invalid`."""
    if not params.tokenizers:
        return None
    services = get_services(request)
    return compare(
        services.registry,
        params.text,
        params.tokenizers,
        limit=services.settings.max_text,
        baseline=params.baseline,
        spaces=params.spaces,
    )


def price(request: Request, params: CompareParams, result: Comparison) -> list[TextCost]:
    services = get_services(request)
    return price_comparison(services.registry, result, params, limit=services.settings.max_text)


def context(request: Request, params: CompareParams) -> dict[str, Any]:
    """Return the context of the templates."""
    rows = picker_rows(request, params.tokenizers)
    result = comparison(request, params)
    shown = None
    if result:
        costs = price(request, params, result)
        shown = ComparisonView(result, rows["models"], costs, params.versus, params.mark, params.part)
    ranged = [model for model in list_paid_models() if model.range]
    shared = {"params": params, "page": shown, "examples": EXAMPLES, "sets": SETS, "many": None, "ranged": ranged}
    return shared | {"ranges": load_token_ranges().values()} | rows


@router.get("/compare")
def page(request: Request, language: str = "") -> HTMLResponse:
    form = read_query(request)
    services = get_services(request)
    chosen = [canonical(services.registry, name) for name in form.getall("tokenizer")]
    others: dict[str, Any] = {"tokenizers": [*dict.fromkeys(chosen)] or [*CHOSEN]}
    if language:
        others["text"] = declaration(services.settings.store, language).text
    elif "text" not in form.fields:
        others["text"] = get_example(form.get("example", OPENING), EXAMPLES).text
    return render(request, "compare", context(request, CompareParams.of(form, **others)))


@router.post("/compare")
def post(request: Request, form: SentForm) -> HTMLResponse:
    return render(request, "compare", context(request, CompareParams.of(form)))


@router.post("/compare/set")
def whole_set(request: Request, form: SentForm) -> HTMLResponse:
    params = CompareParams.of(form)
    services = get_services(request)
    texts = text_set(form.get("set"), store=services.settings.store).texts
    here = [id for id in params.tokenizers if id in services.registry]  # the others have no count
    counted = list(count_texts(services.registry, texts, here, limit=services.settings.max_text))
    many = {"set": form.get("set"), "rows": counted, "total": total(counted)}
    return render(request, "compare", context(request, params) | {"many": many}, fragment="page")


@router.post("/compare/download")
def download(request: Request, form: SentForm) -> Response:
    kind = form.get_choice("format", FORMATS, "summary.csv")
    params = CompareParams.of(form)
    result = comparison(request, params)
    if result is None:
        raise Invalid("Choose at least one tokenizer.", pointer="/tokenizer")
    name, _, suffix = kind.partition(".")
    if name == "costs":
        costs = price(request, params, result)
        return as_file(write_csv(costs) if suffix == "csv" else serialize_costs(costs), kind)
    if suffix == "csv":
        table = summary_csv(result) if name == "summary" else agreement_csv(result)
        return as_file(table, kind)
    label = picker_rows(request)["models"].label
    if name == "tokens":
        drawing = tokens_picture([column.tokenization for column in result.tokenizations])
    else:
        drawing = (summary_picture if name == "summary" else agreement_picture)(result, label)
    return picture(drawing, name, suffix, form)
