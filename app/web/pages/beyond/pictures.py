"""GET and POST /beyond/pictures: how each model cuts a picture into tokens, drawn on it, and what that costs."""

from typing import Any, Self

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ....csv_text import csv_text
from ....errors import Invalid, TokenariumError, TooLarge
from ....lab.beyond.image_tokens import IMAGE_MODELS, image_tokens
from ....lab.beyond.images import PICTURES, OwnImage, count_tokens_doubled, grid, image_rows, read_image
from ....lab.beyond.laboratories import LABORATORIES, ask_doubling
from ....lab.learn.answers import judge
from ....lab.option_schema import Options, declare, get_option_fields, with_values
from ....lab.tokenize import tokenize
from ....serialize.problem import Problem
from ...downloads import as_file
from ...forms import Form, read_query
from ...page_params import read_params, write_address
from ...policy import RoutePolicy
from ...render import render
from ...routing import Router
from ...services import get_services
from ...uploads import Upload, answer_upload

router = Router(include_in_schema=False)
TEXT = "A harbour at dusk: houses in a row, a white sail, and the sun going down behind the hills."
"""A text of a first visit, to be compared with the picture that it describes."""
MAX_TEXT = 4000
"""Characters of a text: each link of the page repeats it."""
TOKENIZER = "o200k_base"
"""The tokenizer of the text, which is that of GPT-4o."""
CHOICES = {one.id: one.title for one in PICTURES} | {"own": "Your own picture"}
MODELS = {one.id: one.name for one in IMAGE_MODELS}


class PicturesParams(Options):
    """Parameters of the page: the size of the picture, another size beside it, and the model that cuts both."""

    picture: str = declare("Pictures", "harbour", choices=CHOICES)
    width: int = declare("Width of the picture", 1024)
    height: int = declare("Height of the picture", 1024)
    other_width: int = declare("Width of the other size", 512)
    other_height: int = declare("Height of the other size", 512)
    model: str = declare("Model", "gpt-4o-high", choices=MODELS)
    patch: int = declare("Patch of the ViT, in pixels", 14)
    price: float | None = declare("Price", None)
    window: int | None = declare("Context window", None)
    text: str = declare("A text to compare with", TEXT)
    predict: bool = declare("Predict a larger picture first", False)
    guess: str = declare("Answer", "")

    @classmethod
    def of(cls, form: Form) -> Self:
        """Return the parameters in a form or an address. Raises `Invalid`, `TooLarge` with a pointer to the field."""
        params = read_params(form, cls)
        if len(params.text) > MAX_TEXT:
            detail = f"The text has {len(params.text):,} characters; the limit is {MAX_TEXT:,}."
            raise TooLarge(detail, pointer="/text", limit=MAX_TEXT)
        drawn = next((one for one in PICTURES if one.id == params.picture), None)
        width, height = (drawn.width, drawn.height) if drawn else (1024, 1024)
        width = form.number("width") or width
        height = form.number("height") or height
        return with_values(
            params,
            width=width,
            height=height,
            other_width=form.number("other_width") or max(1, width // 2),
            other_height=form.number("other_height") or max(1, height // 2),
            patch=params.patch or 14,
            window=params.window or None,
        )

    @property
    def address(self) -> str:
        """The address of the page with these parameters."""
        always = [name for name in get_option_fields(PicturesParams) if name not in ("text", "predict", "guess")]
        return write_address("/beyond/pictures", self, always=always)

    def with_model(self, model: str) -> str:
        """Return the address of the page for another model, without a guess."""
        return with_values(self, model=model, guess="").address


def respond(
    request: Request, params: PicturesParams, own: OwnImage | None = None, refused: TokenariumError | None = None
) -> HTMLResponse:
    """Return the page; what a model or a limit refuses is said on it, and the form keeps what was typed."""
    error: TokenariumError | None = refused
    context: dict[str, Any] = {"params": params, "pictures": PICTURES, "models": IMAGE_MODELS, "own": own, "grid": grid}
    context |= {"drawn": next((one for one in PICTURES if one.id == params.picture), None)}
    context |= {"max_text": MAX_TEXT, "laboratories": LABORATORIES, "rows": (), "chosen": None}
    context |= {"text_tokens": 0, "question": None}
    try:
        one = (params.width, params.height)
        other = (params.other_width, params.other_height)
        rows = image_rows(one, other, patch=params.patch, price=params.price, window=params.window)
        chosen = next(row for row in rows if row.model.id == params.model)
        context |= {"rows": rows, "chosen": chosen}
        if (params.predict or params.guess) and (twice := count_tokens_doubled(chosen.model, *one)):
            context["question"] = ask_doubling(chosen.model.name, *twice)
        context["text_tokens"] = _tokens(request, params.text)
        image_tokens(chosen.model, *one)  # raises why the model refuses this size
    except (Invalid, TooLarge) as refusal:
        error = error or refusal
    context["answer"] = judge(context["question"], params.guess)
    context["problem"] = Problem.of(error) if error else None
    return render(request, "beyond/pictures", context, status=error.status if error else 200)


def _tokens(request: Request, text: str) -> int:
    return len(tokenize(get_services(request).registry, text, tokenizer=TOKENIZER).encoding.ids) if text else 0


@router.get("/beyond/pictures")
def page(request: Request) -> Response:
    form = read_query(request)
    params = PicturesParams.of(form)
    if form.get_choice("format", ("", "csv"), "") == "csv":
        return _csv(params)
    return respond(request, params)


def _csv(params: PicturesParams) -> Response:
    """Return the table of all models as a CSV file. Raises `Invalid`."""
    size = (params.width, params.height)
    other = (params.other_width, params.other_height)
    heads = ("model", "width", "height", "tokens", "sum", "formula", "source", "date")
    rows = [
        (row.model.name, *map(str, shown), str(count.tokens), count.cut.sum, count.formula, count.source, count.date)
        for row in image_rows(size, other, patch=params.patch)
        for shown, count in ((size, row.one), (other, row.other))
        if count
    ]
    return as_file(csv_text([heads, *rows]), "pictures.csv")


@router.post("/beyond/pictures")
@RoutePolicy(run="server", upload=True)
async def post(request: Request) -> Response:
    return await answer_upload(request, respond_to_upload)


def respond_to_upload(request: Request, upload: Upload) -> HTMLResponse:
    """Return the page of the image in an upload, or of why it is refused."""
    params = PicturesParams.of(
        Form({name: [value] for name, value in upload.fields.items()}, text=upload.fields.get("text", ""))
    )
    try:
        if len(upload.files) != 1:
            raise Invalid("Choose one image.", pointer="/file")
        own = read_image(*upload.files.values())
    except (Invalid, TooLarge) as error:
        return respond(request, params, refused=error)
    halved = with_values(params, other_width=max(1, own.width // 2), other_height=max(1, own.height // 2))
    return respond(request, with_values(halved, picture="own", width=own.width, height=own.height), own)
