"""GET and POST /beyond/concepts: a text in sentences, as a model of concepts reads it, beside its other units."""

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ....csv_text import csv_text
from ....errors import EngineFailed, Invalid, TooLarge
from ....lab.beyond.bytes import MAX_TOKENIZERS
from ....lab.beyond.concepts import LANGUAGES, MAX_BYTES, VECTOR, ConceptOptions, library, mistakes, study
from ....lab.beyond.laboratories import LABORATORIES, ask_sentences
from ....lab.beyond.texts import CONCEPT_EXAMPLES
from ....lab.examples import get_example
from ....lab.learn.answers import judge
from ....lab.option_schema import Items, declare, declare_tokenizers, with_values
from ....lab.pipeline.view import direction
from ....serialize.beyond import serialize_concepts
from ....serialize.problem import Problem
from ...downloads import as_file
from ...forms import SentForm, read_query
from ...option_models import read_options
from ...page_params import drop_long_address, write_address
from ...picker import list_tokenizer_ids, picker_rows
from ...render import render
from ...routing import Router
from ...services import get_services

router = Router(include_in_schema=False)


class ConceptsParams(ConceptOptions):
    """Parameters of the page, with the defaults of a first visit; `predict` hides the sentences until a `guess`."""

    text: str = declare("Text", CONCEPT_EXAMPLES[0].text)
    tokenizers: Items[str] = declare_tokenizers("Compare with the tokens of", ["o200k_base"], max_length=MAX_TOKENIZERS)
    guess: str = declare("Answer", "")
    predict: bool = declare("Predict the number of sentences first", False)

    def address(self, **changes: Any) -> str:
        """Return the address of the page with these parameters and changes; empty if it is too long."""
        target = with_values(self, **changes)
        return drop_long_address(write_address("/beyond/concepts", target, always=("text", "tokenizers")))


def respond(request: Request, params: ConceptsParams) -> HTMLResponse:
    """Return the page; an error is part of it, so that nothing that was typed is lost."""
    services = get_services(request)
    shown = problem = None
    try:
        params = with_values(params, tokenizers=list_tokenizer_ids(request, params.tokenizers))
        shown = study(services.registry, services.settings.store, params)
    except (Invalid, TooLarge, EngineFailed) as error:
        problem = Problem.of(error)
    question = ask_sentences(shown) if shown and shown.sentences and params.predict else None
    context: dict[str, Any] = {
        "params": params,
        "shown": shown,
        "problem": problem,
        "question": question,
        "answer": judge(question, params.guess),
        "languages": LANGUAGES,
        "names": dict(LANGUAGES),
        "mistakes": mistakes(),
        "vector": VECTOR,
        "library": library(),
        "direction": direction(params.text),
        "examples": CONCEPT_EXAMPLES,
        "laboratories": LABORATORIES,
        "max_bytes": MAX_BYTES,
    }
    context |= picker_rows(request, params.tokenizers)
    return render(request, "beyond/concepts", context, status=problem.status if problem else 200)


@router.get("/beyond/concepts")
def page(request: Request, example: str = "") -> HTMLResponse:
    params = read_options(read_query(request), ConceptsParams, posted=True)
    if example:
        params = with_values(params, text=get_example(example, CONCEPT_EXAMPLES).text)
    return respond(request, params)


@router.post("/beyond/concepts")
def post(request: Request, form: SentForm) -> HTMLResponse:
    return respond(request, read_options(form, ConceptsParams, posted=True))


@router.post("/beyond/concepts/download")
def download(request: Request, form: SentForm) -> Response:
    """The concepts as CSV, or all of the page as JSON."""
    kind = form.get_choice("format", ("csv", "json"), "csv")
    services = get_services(request)
    params = read_options(form, ConceptsParams, posted=True)
    params = with_values(params, tokenizers=list_tokenizer_ids(request, params.tokenizers))
    shown = study(services.registry, services.settings.store, params)
    if kind == "json":
        return as_file(serialize_concepts(shown), "concepts.json")
    rows = ((number, one.start, len(one.text), int(one.whole), one.text) for number, one in enumerate(shown.concepts))
    table = csv_text([("concept", "start", "characters", "whole_sentence", "text"), *rows], line_end="\n")
    return as_file(table, "concepts.csv")
