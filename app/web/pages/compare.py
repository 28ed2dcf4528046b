"""GET and POST /compare: one text in several tokenizers, side by side; its downloads; and many texts at once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request
from pydantic import Field
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid
from ...lab.compare.comparison import Comparison, compare, count_texts, total
from ...lab.compare.options import CompareOptions
from ...lab.compare.texts import EXAMPLES, SETS, text_set
from ...lab.compare.view import ComparisonView
from ...lab.examples import HELLO, find_example, get_example
from ...lab.languages.declarations import declaration
from ...lab.option_schema import Items, declare
from ...lab.pictures import agreement_picture, summary_picture, tokens_picture
from ...serialize.comparison import agreement_csv, summary_csv
from ..downloads import as_file
from ..forms import Form, read_form
from ..page_params import read_params
from ..picker import list_tokenizer_ids, picker_rows
from ..pictures import KINDS, picture
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]
Chosen = Annotated[list[str] | None, Query()]

View = Literal["text", "places"]
VIEWS = {"text": "Whole text", "places": "Differences only"}
FORMATS = (
    *("summary.csv", "agreement.csv"),
    *(f"{name}.{kind}" for name in ("tokens", "summary", "agreement") for kind in KINDS),
)
CHOSEN = ("o200k_base", "gemma4", "deepseek-v3", "qwen3.5", "tekken")
"""The tokenizers of a first visit: those of the models that people choose between today."""
PRICE = "price:"
OPENING = "hello"
"""The example that the page opens with: the text of the playground."""


class CompareParams(CompareOptions):
    """Parameters of a comparison, with the defaults of a first visit."""

    text: str = HELLO
    tokenizers: Items[str] = Field(default=[*CHOSEN])
    view: View = declare("Show", "text", choices=VIEWS)
    place: int = declare("Difference", 0)
    versus: str = declare("Compared with the baseline", "")
    calls: int = declare("Calls", 1000)
    prices: dict[str, float] = Field(default_factory=dict)
    price: float | None = declare("Price", None, field="own-price")
    window: int | None = declare("Context window", None, field="own-window")
    file_name: str | None = None

    @classmethod
    def of(cls, form: Form) -> CompareParams:
        """Return the parameters in a form. Raises `Invalid` with a pointer to the field."""
        chosen = find_example(form.get("example"), EXAMPLES)
        removed = form.get("remove")
        order = form.get("order").split()
        ticked = [id for id in dict.fromkeys(form.getall("tokenizer")) if id != removed]
        named = [name for name in form.fields if name.startswith(PRICE)]
        amounts = {name.removeprefix(PRICE): form.amount(name) for name in named}
        return read_params(
            form,
            cls,
            text=chosen.text if chosen else form.text,
            tokenizers=sorted(ticked, key=lambda id: order.index(id) if id in order else len(order)),
            prices={name: amount for name, amount in amounts.items() if amount is not None},
            file_name=form.file_name,
        )


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


def context(request: Request, params: CompareParams) -> dict[str, Any]:
    """Return the context of the templates."""
    result = comparison(request, params)
    shown = ComparisonView(result, params) if result else None
    shared = {"params": params, "page": shown, "examples": EXAMPLES, "sets": SETS, "many": None}
    return shared | picker_rows(request, params.tokenizers)


@router.get("/compare")
def page(request: Request, example: str = OPENING, language: str = "", tokenizer: Chosen = None) -> HTMLResponse:
    store = get_services(request).settings.store
    text = declaration(store, language).text if language else get_example(example, EXAMPLES).text
    chosen = list_tokenizer_ids(request, tokenizer) if tokenizer else CHOSEN
    return render(request, "compare", context(request, CompareParams(text=text, tokenizers=[*chosen])))


@router.post("/compare")
def post(request: Request, form: Sent) -> HTMLResponse:
    return render(request, "compare", context(request, CompareParams.of(form)))


@router.post("/compare/set")
def whole_set(request: Request, form: Sent) -> HTMLResponse:
    params = CompareParams.of(form)
    services = get_services(request)
    texts = text_set(form.get("set"), store=services.settings.store).texts
    counted = list(count_texts(services.registry, texts, params.tokenizers, limit=services.settings.max_text))
    many = {"set": form.get("set"), "rows": counted, "total": total(counted)}
    return render(request, "compare", context(request, params) | {"many": many}, fragment="page")


@router.post("/compare/download")
def download(request: Request, form: Sent) -> Response:
    kind = form.get_choice("format", FORMATS, "summary.csv")
    result = comparison(request, CompareParams.of(form))
    if result is None:
        raise Invalid("Choose at least one tokenizer.", pointer="/tokenizer")
    name, _, suffix = kind.partition(".")
    if suffix == "csv":
        table = summary_csv(result) if name == "summary" else agreement_csv(result)
        return as_file(table, kind)
    label = picker_rows(request)["models"].label
    if name == "tokens":
        drawing = tokens_picture([column.tokenization for column in result.tokenizations])
    else:
        drawing = (summary_picture if name == "summary" else agreement_picture)(result, label)
    return picture(drawing, name, suffix, form)
