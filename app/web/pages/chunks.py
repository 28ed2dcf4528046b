"""GET and POST /chunks: a text in chunks of at most some tokens, their lines in the text and their sizes."""

from dataclasses import asdict

import orjson
from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid, TooLarge
from ...lab.chunks.chunking import ChunkOptions
from ...lab.chunks.view import MAX_DIFFERENCES, ChunksView
from ...lab.examples import EXAMPLES, find_example
from ...lab.option_schema import declare, get_option_fields, with_values
from ...lab.tokenize import tokenize
from ...serialize.problem import Problem
from ..api.chunks import divide
from ..downloads import as_file
from ..forms import AskedForm, Form, SentForm
from ..page_params import read_params
from ..picker import picker_rows, tokenizer_id
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
TEXT = """# Chunks

A model reads only so many tokens at once, so a long text is divided. Each part should stand on its own: Dr. Smith’s
question in one part is of no use without the answer.

```python
def answer(question):

    return 42
```

## What is kept whole

Headings begin a part; sentences, blocks of code and emoji like 👩‍🚀 are not torn apart.
日本語の文も、文の終わりで区切られます。空白がなくても大丈夫です。
"""


class ChunksParams(ChunkOptions):
    """Parameters of the page, with the defaults of a first visit."""

    text: str = declare("Text", TEXT)
    tokenizer: str = declare("Tokenizer", "o200k_base")


def read(request: Request, form: Form) -> ChunksParams:
    """Return the parameters in a form or an address. Raises `Invalid` and `UnknownTokenizer`."""
    params = read_params(form, ChunksParams)
    if chosen := find_example(form.get("example"), EXAMPLES):
        params = with_values(params, text=chosen.text)
    if not form.fields:  # the first visit shows headings of its text
        params = with_values(params, size=32, at="heading", add_special_tokens=True)
    return with_values(params, tokenizer=tokenizer_id(request, params.tokenizer))


@router.post("/chunks")
@router.get("/chunks")
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page; an error of the options or the text is part of it, so that nothing that was typed is lost."""
    params = read(request, form)
    shown = problem = None
    try:
        chunks = divide(request, params)
        whole = tokenize(get_services(request).registry, params.text, tokenizer=params.tokenizer)
        shown = ChunksView(whole, chunks, params.size) if chunks else None
    except (Invalid, TooLarge) as error:
        problem = Problem.of(error)
    context = {
        "params": params,
        "shown": shown,
        "problem": problem,
        "fields": get_option_fields(ChunksParams),
        "examples": EXAMPLES,
        "listed": MAX_DIFFERENCES,
        **picker_rows(request, [params.tokenizer]),
    }
    return render(request, "chunks", context, status=problem.status if problem else 200)


@router.post("/chunks/download")
def download(request: Request, form: SentForm) -> Response:
    """The chunks as JSON Lines, as /api/chunk has them."""
    lines = b"".join(orjson.dumps(asdict(one)) + b"\n" for one in divide(request, read(request, form)))
    return as_file(lines, "chunks.jsonl")
