"""GET and POST /regex: a pre-tokenization pattern on a text, in every engine, beside another one, and its tokens."""

from typing import Any, Self

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import Invalid, RegexTimeout, TokenariumError, TooLarge
from ...lab.display_runs import runs
from ...lab.option_schema import declare, get_option_fields, with_values
from ...lab.regex.effect import has_ranks
from ...lab.regex.examination import MAX_TEXT, PatternOptions, examine, split_text
from ...lab.regex.presets import DIFFERENCES, PatternPreset, presets
from ...lab.regex.view import PatternView, WordReasons, explain_word
from ...lab.regex.words import PatternTest, check, lines, run_tests
from ..forms import AskedForm, Form, SentForm
from ..page_params import read_params
from ..picker import picker_rows, tokenizer_id
from ..policy import RoutePolicy, always
from ..render import render, wants_fragment
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)

OPENING = "cl100k_base"
"""The preset that the page opens with."""
TEXT = "In 2024, we’ll pay $1,234.56!\n\n\tDON'T  cut x² = 17689 in “ninths” 👩‍🚀\n"


class PatternsParams(PatternOptions):
    """Parameters of the page, with the defaults of a first visit."""

    pattern: str = declare("Pattern", "")
    text: str = declare("Text", TEXT)
    tokenizer: str = declare("Tokens of", "gpt2")
    tests: str = declare("Tests", "")

    @classmethod
    def of(cls, form: Form, opening: PatternPreset) -> Self:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""
        params = read_params(form, cls)
        if "pattern" in form.fields:
            return params
        dialect = params.dialect if "dialect" in form.fields else opening.dialect
        return with_values(params, pattern=opening.pattern, dialect=dialect)


def apply_choice(params: PatternsParams, form: Form, presets: tuple[PatternPreset, ...]) -> PatternsParams:
    """Return the parameters after a press of a button that fills in a pattern. Raises `Invalid` for an unknown one."""
    by_id = {preset.id: preset for preset in presets}
    if id := form.get_choice("preset", ("", *by_id), ""):
        params = with_values(params, pattern=by_id[id].pattern, dialect=by_id[id].dialect)
    if id := form.get_choice("second", ("", *by_id), ""):
        params = with_values(params, other=by_id[id].pattern)
    examples = {one.id: one for one in DIFFERENCES}
    if id := form.get_choice("example", ("", *examples), ""):
        params = with_values(params, pattern=examples[id].pattern, text=examples[id].text)
    return params


def answer(request: Request, form: Form, fragment: str | None = None) -> HTMLResponse:
    """Return the page; one whose pattern is refused has the form as it was sent, and the status of the error.

    For htmx, the words alone, which it asks for at each key; the fragment `_checks` has what takes longer.
    """
    services = get_services(request)
    known = presets(services.settings.store)
    opening = next((preset for preset in known if preset.id == OPENING), known[0])
    params = apply_choice(PatternsParams.of(form, opening), form, known)
    quick = wants_fragment(request) and not fragment
    shown: PatternView | None = None
    tests: list[PatternTest] = []
    error: TokenariumError | None = None
    try:
        id = tokenizer_id(request, params.tokenizer) if params.tokenizer else ""
        params = with_values(params, tokenizer=id)
        if lines(params.pattern):
            question = with_values(params, text=params.text[:MAX_TEXT])
            shown = PatternView(split_text(question) if quick else examine(services.registry, question))
            tests = [*run_tests(lines(params.pattern), params.tests, shown.done.dialect)]
    except RegexTimeout as slow:  # without the text, the page says what makes the pattern slow
        error = slow
        if not quick:
            shown = PatternView(examine(services.registry, with_values(params, text="", other="", tokenizer="")))
    except (Invalid, TooLarge) as refused:
        error = refused
    context: dict[str, Any] = {"params": params, "shown": shown, "tests": tests, "error": error}
    context |= {
        "presets": known,
        "differences": DIFFERENCES,
        "fields": get_option_fields(PatternsParams),
        "limit": MAX_TEXT,
    }
    if not quick:
        # Those into which another pattern can be put.
        ranked = [info.id for info in services.registry.infos() if has_ranks(services.registry, info.id)]
        context |= picker_rows(request, [params.tokenizer], only=ranked)
    return render(request, "regex", context, fragment=fragment, status=error.status if error else 200)


@router.post("/regex")
@router.get("/regex")
@RoutePolicy(untrusted=always)
def page(request: Request, form: AskedForm) -> HTMLResponse:
    return answer(request, form)


@router.post("/regex/checks")
@RoutePolicy(untrusted=always)
def checks(request: Request, form: SentForm) -> HTMLResponse:
    """Answer with engines, tokens and backtracking, as a part of the page."""
    return answer(request, form, "_checks")


@router.post("/regex/word")
@RoutePolicy(untrusted=always)
def word(request: Request, form: SentForm) -> HTMLResponse:
    """Answer why the word at the character `at` is what it is, as a part of the page."""
    params = read_params(form, PatternsParams)
    patterns = lines(params.pattern)
    reasons: WordReasons | None = None
    error: TokenariumError | None = None
    try:
        check(patterns)
        reasons = explain_word(patterns, params.text[:MAX_TEXT], form.number("at") or 0, params.dialect)
    except (Invalid, RegexTimeout) as refused:
        error = refused
    shown = {"reasons": reasons, "error": error, "text": params.text, "runs": runs}
    return render(request, "regex", shown, fragment="_word", status=error.status if error else 200)
