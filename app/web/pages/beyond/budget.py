"""GET and POST /beyond/budget: text, pictures, sound and video of one prompt as tokens of a model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid, TooLarge
from ....lab.beyond import budget_view
from ....lab.beyond.budget import BUDGET_MODELS, Image, Prompt, PromptBudget, budget, budget_model
from ....lab.beyond.budget_view import as_csv
from ....lab.beyond.laboratories import LABORATORIES
from ....lab.option_schema import Options, declare, from_mapping, get_option_fields, with_values
from ....serialize.problem import Problem
from ...downloads import as_file
from ...forms import AskedForm, Form, SentForm
from ...option_models import read_options
from ...page_params import drop_long_address, read_params, write_address
from ...render import render
from ...routing import Router
from ...services import get_services

router = Router(include_in_schema=False)
DETAILS = {one.id: [detail for detail in one.images if detail] for one in BUDGET_MODELS}
"""The details in which each model reads a picture, its default first; none where it knows only one."""


class BudgetParams(Options):
    """Parameters of the page as they were typed; a picture is its width, height and detail."""

    model: str = declare("Model", "gpt-4o")
    text: str = declare("Text", "")
    audio: str = declare("Sound, seconds", "")
    video: str = declare("Video, seconds", "")
    fps: str = declare("Frames a second", "1")
    images: Sequence[tuple[str, str, str]] = ()

    @classmethod
    def of(cls, form: Form) -> BudgetParams:
        """Return the parameters in a form or an address, unchecked; a detail that the model lacks is its default."""
        if not form.fields:
            return OPENING
        params = read_params(form, cls)
        others = DETAILS.get(params.model, [])[1:]
        columns = (form.getall(name) for name in ("w", "h", "d"))
        images = tuple(
            (w.strip(), h.strip(), d if d in others else "")
            for w, h, d in zip_longest(*columns, fillvalue="")
            if w or h
        )
        return with_values(params, images=images, fps=params.fps or "1")

    @property
    def unfinished(self) -> list[int]:
        """The numbers of the pictures with only one of their sides: they are still being typed."""
        return [number for number, (width, height, _) in enumerate(self.images, 1) if not (width and height)]

    @property
    def address(self) -> str:
        """The address of the page with these parameters; "" if it would be too long."""
        sides = urlencode([pair for image in self.images for pair in zip(("w", "h", "d"), image, strict=True)])
        address = write_address("/beyond/budget", self, always=("model",))
        return drop_long_address(f"{address}&{sides}" if sides else address)


OPENING = BudgetParams(
    text="Which of these two pictures shows the larger dog, and how can you tell?",
    images=(("1024", "1024", ""), ("640", "480", "low")),
)
"""What the page shows before anything is typed."""


def make_prompt(params: BudgetParams, form: Form) -> Prompt:
    """Return the prompt that the parameters describe. Raises `Invalid` with a pointer to the field."""
    images = []
    for number, (width, height, detail) in enumerate(params.images):
        if number + 1 in params.unfinished:
            continue
        if not all(side.isascii() and side.isdecimal() and len(side) < 8 for side in (width, height)):
            message = f"Width and height of picture {number + 1} are whole numbers of pixels."
            raise Invalid(message, pointer=f"/images/{number}")
        images.append(from_mapping(Image, {"width": int(width), "height": int(height), "detail": detail}))
    return read_options(form, Prompt, text=params.text, images=images)


def compute_budget(request: Request, params: BudgetParams, form: Form) -> PromptBudget:
    """Return the budget of the parameters. Raises `Invalid` and `TooLarge`."""
    return budget(get_services(request).registry, budget_model(params.model), make_prompt(params, form))


@router.post("/beyond/budget")
@router.get("/beyond/budget")
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page. An error is a part of it, and what was typed stays."""
    rows = 4 if request.method == "POST" and form.get("do") == "add" else 2  # of empty pictures
    params = BudgetParams.of(form)
    shown = None
    problem = None
    try:
        shown = compute_budget(request, params, form)
    except (Invalid, TooLarge) as error:
        problem = Problem.of(error)
    context: dict[str, Any] = {
        "params": params,
        "fields": get_option_fields(BudgetParams),
        "shown": shown,
        "problem": problem,
        "models": [(one.id, one.name) for one in BUDGET_MODELS],
        "details": DETAILS,
        "images": [*params.images, *[("", "", "")] * rows],
        "view": budget_view,
        "laboratories": LABORATORIES,
    }
    return render(request, "beyond/budget", context, status=problem.status if problem else 200)


@router.post("/beyond/budget/download")
def download(request: Request, form: SentForm) -> Response:
    return as_file(as_csv(compute_budget(request, BudgetParams.of(form), form)), "budget.csv")
