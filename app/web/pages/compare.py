"""GET and POST /compare: one text through several tokenizers, side by side. Also its downloads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse, Response

from app.errors import Invalid
from app.lab.compare.examples import EXAMPLES, example
from app.lab.compare.sets import SETS, text_set
from app.lab.examples import named
from app.web.forms import Form, read_form
from app.web.render import render

if TYPE_CHECKING:
    from app.lab.compare.comparison import Comparison

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]
Chosen = Annotated[list[str] | None, Query()]

View = Literal["text", "places"]
Format = Literal["summary.csv", "summary.svg", "agreement.csv", "agreement.svg"]
CHOSEN = ("o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased")
PRICE = "price:"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form asks for, with the defaults of an empty page."""

    text: str = EXAMPLES[0].text
    tokenizers: tuple[str, ...] = CHOSEN
    baseline: str = ""
    spaces: bool = False
    view: View = "text"
    place: int = 0
    calls: int = 1000
    prices: dict[str, float] = field(default_factory=dict)
    price: float | None = None
    window: int | None = None
    file_name: str | None = None
    folded: bool = False

    @classmethod
    def of(cls, form: Form) -> Asked:
        """Read a form. Raises `Invalid` with the field's name."""
        chosen, calls = example(form.get("example")), form.number("calls")
        removed, order = form.get("remove"), form.get("order").split()
        ticked = [id for id in dict.fromkeys(form.getall("tokenizer")) if id != removed]
        named = [name for name in form.fields if name.startswith(PRICE)]
        amounts = {name.removeprefix(PRICE): form.amount(name) for name in named}
        return cls(
            text=chosen.text if chosen else form.text,
            tokenizers=tuple(sorted(ticked, key=lambda id: order.index(id) if id in order else len(order))),
            baseline=form.get("baseline"),
            spaces=bool(form.get("spaces")),
            view=form.one_of("view", get_args(View), "text"),
            place=form.number("place") or 0,
            calls=1000 if calls is None else calls,
            prices={name: amount for name, amount in amounts.items() if amount is not None},
            price=form.amount("own-price"),
            window=form.number("own-window"),
            file_name=form.file_name,
            folded=form.folded and not chosen,
        )


def compared(request: Request, asked: Asked) -> Comparison | None:
    """The comparison that is asked for, or None where no tokenizer is chosen."""
    from app.lab.compare.comparison import compare

    if not asked.tokenizers:
        return None
    state = request.app.state
    options = {"limit": state.settings.max_text, "baseline": asked.baseline, "spaces": asked.spaces}
    return compare(state.registry, asked.text, asked.tokenizers, **options)


def context(request: Request, asked: Asked) -> dict[str, Any]:
    """What the templates need."""
    from app.lab.compare.view import Page
    from app.lab.sheet import families

    state = request.app.state
    groups = families(state.registry.infos())
    found = compared(request, asked)
    shown = Page(found, asked) if found else None
    return {"asked": asked, "page": shown, "families": groups, "examples": EXAMPLES, "sets": SETS, "many": None}


@router.get("/compare")
def page(request: Request, example: str = EXAMPLES[0].id, language: str = "", tokenizer: Chosen = None) -> HTMLResponse:
    from app.lab.languages.texts import declaration

    store = request.app.state.settings.store
    text = declaration(store, language).text if language else named(example, EXAMPLES).text
    return render(request, "compare", context(request, Asked(text=text, tokenizers=tuple(tokenizer or CHOSEN))))


@router.post("/compare")
def post(request: Request, form: Sent) -> HTMLResponse:
    return render(request, "compare", context(request, Asked.of(form)))


@router.post("/compare/set")
def whole_set(request: Request, form: Sent) -> HTMLResponse:
    from app.lab.compare.many import rows, total

    asked, state = Asked.of(form), request.app.state
    texts = text_set(form.get("set"), store=state.settings.store).texts
    counted = list(rows(state.registry, texts, asked.tokenizers, limit=state.settings.max_text))
    many = {"set": form.get("set"), "rows": counted, "total": total(counted)}
    return render(request, "compare", context(request, asked) | {"many": many}, fragment="page")


@router.post("/compare/download")
def download(request: Request, form: Sent) -> Response:
    from app.lab.compare import table

    kind = form.one_of("format", get_args(Format), "summary.csv")
    found = compared(request, Asked.of(form))
    if found is None:
        raise Invalid("Choose at least one tokenizer.", pointer="/tokenizer")
    headers = {"Content-Disposition": f'attachment; filename="{kind}"'}
    name, _, suffix = kind.partition(".")
    if suffix == "csv":
        made = table.summary(found) if name == "summary" else table.agreement(found)
        return Response(made, media_type="text/csv; charset=utf-8", headers=headers)
    body = render(request, "compare", {"comparison": found}, fragment=f"{name}_svg").body
    return Response(body, media_type="image/svg+xml", headers=headers)
