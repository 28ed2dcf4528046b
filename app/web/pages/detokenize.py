"""GET /detokenize: ids, their text, and the ids that the tokenizer gives for it."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import TokenariumError
from ...lab.canonical import MAX_STEPS, IdsOptions, describe_ids, examine_ids
from ...lab.display_runs import runs
from ...lab.examples import TextExample, find_example
from ...lab.option_schema import declare, from_mapping, get_option_fields, with_values
from ...lab.steps.tiles import log_score, percent
from ...lab.vocabulary.search import RecentVocabularies
from ...lab.vocabulary.token_view import token_view
from ...serialize.ids import WrongId, read_values, sort_ids
from ...serialize.problem import Problem
from ..forms import AskedForm, Form
from ..page_params import read_params
from ..picker import picker_rows, tokenizer_id
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
EXAMPLES_TOKENIZER = "o200k_base"
"""The tokenizer that the ids of the examples are of."""
MAX_SHOWN = 500
"""Tokens that are shown of a list of ids."""
MAX_WRONG = 20
"""Wrong ids that are named."""
MAX_TEXT = 4000
"""Characters of the decoded text that are shown."""
EXAMPLES = (
    TextExample("split", "GPT-5: a split word", "The text is one token; these ids are two.", "[4161, 746, 11, 2375]"),
    TextExample(
        "whole", "GPT-5: as the tokenizer gives them", "The ids of a text as it is tokenized.", "[24912, 11, 2375]"
    ),
    TextExample(
        "emoji", "GPT-5: an emoji in two tokens", "The first three bytes are held back.", "[13225, 130321, 235, 0]"
    ),
    TextExample(
        "cut", "GPT-5: cut inside a character", "A limit on tokens can end an answer there.", "[13225, 130321]"
    ),
)


class IdsParams(IdsOptions):
    """Parameters of the page, with the defaults of a first visit; `text` are the ids as they were typed."""

    text: str = declare("Ids", EXAMPLES[0].text)
    tokenizer: str = declare("Tokenizer", EXAMPLES_TOKENIZER)

    @classmethod
    def of(cls, form: Form) -> "IdsParams":
        """Return the parameters in a form or an address. Raises `Invalid`."""
        params = read_params(form, cls)
        chosen = find_example(form.get("example"), EXAMPLES)
        return with_values(params, text=chosen.text, tokenizer=EXAMPLES_TOKENIZER) if chosen else params


@router.post("/detokenize/ids")
@router.get("/detokenize")
def page(request: Request, form: AskedForm) -> HTMLResponse:
    """The page: what is no id is named, and the others are decoded."""
    params = IdsParams.of(form)
    services = get_services(request)
    found = problem = None
    wrong = list[WrongId]()
    try:
        tokenizer = tokenizer_id(request, params.tokenizer)
        ids, wrong = sort_ids(read_values(params.text), services.registry.get(tokenizer))
        if ids:
            options = from_mapping(IdsOptions, {"tokenizer": tokenizer, "ids": ids, "seed": params.seed})
            found = examine_ids(services.registry, services.cache(RecentVocabularies), options)
    except TokenariumError as error:
        problem = Problem.of(error)
    context = {
        "params": params,
        "found": found,
        "wrong": wrong,
        "verdict": found and describe_ids(found),
        "view": lambda ids: [token_view(found.tokenizer.entry(id)) for id in ids[:MAX_SHOWN]] if found else [],
        "token_view": token_view,
        "runs": runs,
        "log_score": log_score,
        "percent": percent,
        "problem": problem,
        "most": {"tokens": MAX_SHOWN, "steps": MAX_STEPS, "wrong": MAX_WRONG, "text": MAX_TEXT},
        "fields": get_option_fields(IdsParams),
        "examples": EXAMPLES,
        "examples_tokenizer": EXAMPLES_TOKENIZER,
        **picker_rows(request, [params.tokenizer]),
    }
    return render(request, "detokenize", context, status=problem.status if problem else 200)
