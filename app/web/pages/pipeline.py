"""GET and POST /pipeline: a text through each stage of a tokenizer, whose components can be changed on cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson
from fastapi import Request
from pydantic import Field
from starlette.responses import HTMLResponse, Response

from ...errors import EngineFailed, Invalid, TooLarge
from ...lab.compare.options import POLICIES
from ...lab.examples import get_example
from ...lab.option_schema import AnyValue, Options, declare, get_option_fields, with_values
from ...lab.pipeline import cards, layout, parameters, view
from ...lab.pipeline.cards import Parts, check_tokens, collect_changes, read_cards, read_options, with_own_map
from ...lab.pipeline.changes import Changes
from ...lab.pipeline.parameters import component_docs
from ...lab.pipeline.reasons import MAX_CHANGES, TokenChange, explain_changes
from ...lab.pipeline.run import MAX_TEXT, PipelineInput, PipelineRun, agrees, before, run
from ...lab.pipeline.sources import PipelineCache, PipelineSource, has_pipeline, pad_token
from ...lab.pipeline.view import EXAMPLES, draw_pipeline
from ...scratch.compat.pipeline.batches import Padding, Truncation
from ...serialize.problem import Problem
from ..forms import Form, LongForm, read_query
from ..offered import list_offered
from ..page_params import drop_long_address, read_params, write_address
from ..picker import picker_rows, tokenizer_id
from ..pictures import KINDS, picture
from ..policy import RoutePolicy, always
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
DEFAULT_TOKENIZER = "bert-base-uncased"
STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
MAX_PADDED = 10_000
Side = Literal["right", "left"]
Strategy = Literal["longest_first", "only_first", "only_second"]
READINGS = {"text": POLICIES["text"], "parse": POLICIES["parse"]}
SIDES = {"right": "right", "left": "left"}
STRATEGIES = {"longest_first": "longest first", "only_first": "only first", "only_second": "only second"}
PADS = {"": "no padding", "longest": "longest of batch", "fixed": "fixed length"}
TRUNCATED = ({"max_length": AnyValue()},)
PADDED = ({"pad": ("longest", "fixed")},)


class PipelineParams(Options):
    """Parameters of the page, with the defaults of a first visit; `stages` and `model` have what was changed."""

    tokenizer: str = declare("Tokenizer", DEFAULT_TOKENIZER)
    text: str = declare("Text", "")
    pair: str = declare("Second text of a pair", "")
    batch: str = declare("Further texts of the batch, one a line", "")
    special: Literal["text", "parse"] = declare("Special tokens in the text", "parse", choices=READINGS)
    around: bool = declare("Add special tokens around the text", True)
    max_length: int | None = declare("Maximum length", None)
    stride: int = declare("Stride", 0, used_by=TRUNCATED)
    cut: Side = declare("Cut at the", "right", choices=SIDES, used_by=TRUNCATED)
    strategy: Strategy = declare("Strategy", "longest_first", choices=STRATEGIES, used_by=TRUNCATED)
    pad: Literal["", "longest", "fixed"] = declare("Pad to", "", choices=PADS)
    length: int | None = declare("Fixed length", None, used_by=PADDED)
    multiple: int | None = declare("Multiple of", None, used_by=PADDED)
    side: Side = declare("Pad at the", "right", choices=SIDES, used_by=PADDED)
    stages: dict[str, Any] = Field(default_factory=dict)
    model: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(cls, form: Form, *, posted: bool) -> PipelineParams:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""
        stages = {stage: _stage(form, stage) for stage in STAGES if stage in form.fields}
        return read_params(form, cls, posted=posted, stages=stages, model=_model(form))

    @property
    def address(self) -> str:
        """The address of the page with these parameters; "" if it would be too long."""
        changed = self.stages | ({"model": self.model} if self.model else {})
        others = {name: orjson.dumps(value).decode() for name, value in changed.items()}
        always = ("tokenizer", "cut", "strategy", "side")
        return drop_long_address(write_address("/pipeline", self, always=always, **others))


def _json(form: Form, name: str) -> Any:
    """Return the components of a stage in an address, None for none. Raises `Invalid`."""
    text = form.get(name)
    try:
        value = orjson.loads(text) if text else None
    except orjson.JSONDecodeError:
        raise Invalid(f"{name} is not JSON.", pointer=f"/{name}") from None
    return value


def _stage(form: Form, stage: str) -> list[dict[str, Any]]:
    value = _json(form, stage) or []
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise Invalid(f"{stage} is a JSON list of components.", pointer=f"/{stage}")
    return value


def _model(form: Form) -> dict[str, Any]:
    value = _json(form, "model") or {}
    if not isinstance(value, dict):
        raise Invalid("model is a JSON object of options.", pointer="/model")
    return value


def question(params: PipelineParams, source: PipelineSource, changes: Changes) -> PipelineInput:
    """Return what the parameters ask of a pipeline. Raises `Invalid`."""
    truncation = padding = None
    if params.max_length is not None:
        truncation = Truncation(params.max_length, params.stride, params.strategy, params.cut)
    if params.pad:
        if (params.length or 0) > MAX_PADDED or (params.multiple or 0) > MAX_PADDED:
            raise Invalid(f"Padding fills up to {MAX_PADDED:,} tokens.", pointer="/length", limit=MAX_PADDED)
        length = (params.length or 0) if params.pad == "fixed" else None
        pad_id, token = pad_token(source.vocabulary)
        padding = Padding(
            length=length,
            direction=params.side,
            pad_to_multiple_of=params.multiple,
            pad_id=pad_id,
            pad_type_id=0,
            pad_token=token,
        )
    return PipelineInput(
        tokenizer=params.tokenizer,
        text=params.text,
        pair=params.pair or None,
        batch=tuple(line for line in params.batch.split("\n") if line),
        special=params.special == "parse",
        add_special_tokens=params.around,
        truncation=truncation,
        padding=padding,
        changes=changes,
    )


@dataclass(frozen=True)
class PipelineRunView:
    """A run and what the page shows beside it: the unchanged pipeline's, and whether the tokenizer's engine agrees.

    `changes` has the tokens that differ from those of the unchanged pipeline, with the reasons.
    """

    run: PipelineRun
    before: PipelineRun | None
    agrees: bool | None
    changes: Sequence[TokenChange] = ()


def respond(request: Request, params: PipelineParams, form: Form | None = None) -> HTMLResponse:
    """Return the page; an error of a component or an option is part of it, so that nothing that was typed is lost."""
    services = get_services(request)
    params = with_values(params, tokenizer=tokenizer_id(request, params.tokenizer))
    shown = problem = source = None
    parts: Parts = {}
    options: dict[str, Any] = params.model
    try:
        source = services.cache(PipelineCache).get(services.registry, params.tokenizer)
        parts = own_parts(source, params)  # which are shown if those of the form cannot be read
        parts, options = read_parts(source, params, form)
        check_tokens(parts)
        shown = _show_run(request, params, source, collect_changes(source, parts, options))
    except (Invalid, TooLarge, EngineFailed) as error:
        problem = Problem.of(error)
    if source is not None:
        changed = collect_changes(source, parts, options).stages
        params = with_values(params, stages={stage: [*parts[stage]] for stage in changed}, model=options)
    context: dict[str, Any] = {
        "params": params,
        "shown": shown,
        "problem": problem,
        "source": source,
        "parts": parts,
        "options": {**(source.options if source else {}), **options},
        "address": params.address,
        "fields": get_option_fields(PipelineParams),
        "examples": EXAMPLES,
        "max_text": MAX_TEXT,
        **view_helpers(),
    }
    context |= picker_rows(request, [params.tokenizer], only=with_pipeline(request))
    return render(request, "pipeline", context, status=problem.status if problem else 200)


def read_parts(source: PipelineSource, params: PipelineParams, form: Form | None) -> tuple[Parts, dict[str, Any]]:
    """Return the components and the options of the model, of the form if it has those of this tokenizer."""
    if form is not None and form.get("of") == params.tokenizer and form.get("do") != "reset":
        return read_form_cards(source, form)
    return own_parts(source, params), params.model


def own_parts(source: PipelineSource, params: PipelineParams) -> Parts:
    """Return the components of a tokenizer, and in their place those of the address."""
    own = {stage: [with_own_map(part) for part in source.parts[stage] or ()] for stage in STAGES}
    return {**own, **params.stages}


def read_form_cards(source: PipelineSource, form: Form) -> tuple[Parts, dict[str, Any]]:
    """Return the components and the options of the model that the cards of a form have. Raises `Invalid`."""

    def get(name: str) -> str | None:
        return form.get(name) if name in form.fields else None

    return read_cards(get, source.vocabulary, source.parts), read_options(get, source)


def view_helpers() -> dict[str, Any]:
    """Return the functions that the templates call."""
    names = {"titles": layout.TITLES, "components": parameters.COMPONENTS, "max_shown": layout.MAX_SHOWN}
    names |= {"max_changes": MAX_CHANGES, "tables": layout.tables, "view": view}
    return names | {"cards_of": cards.cards, "fields_of": cards.model_fields, "docs_of": component_docs}


def _show_run(request: Request, params: PipelineParams, source: PipelineSource, changes: Changes) -> PipelineRunView:
    registry = get_services(request).registry
    cache = get_services(request).cache(PipelineCache)
    asked = question(params, source, changes)
    result = run(registry, cache, asked)
    if not changes:
        return PipelineRunView(result, None, agrees(registry, result))
    old = before(registry, cache, asked)
    return PipelineRunView(result, old, None, explain_changes(old, result))


def with_pipeline(request: Request) -> list[str]:
    """Return the ids of the tokenizers that may be said as a pipeline."""
    return [info.id for info in list_offered(request) if has_pipeline(info)]


@router.get("/pipeline")
@RoutePolicy(untrusted=always)
def page(request: Request, example: str = "") -> HTMLResponse:
    form = read_query(request)
    if example or "text" not in form.fields:
        one = get_example(example or EXAMPLES[0].id, EXAMPLES)
        chosen = form.get("tokenizer") or one.tokenizer
        params = with_values(PipelineParams.of(form, posted=False), text=one.text, tokenizer=chosen)
        params = with_values(params, pair=one.pair or params.pair, **dict(one.options)) if example else params
    else:
        params = PipelineParams.of(form, posted=False)
    return respond(request, params)


def read_posted(form: Form) -> PipelineParams:
    """Return the parameters in a posted form, whose components its cards have. Raises `Invalid`."""
    others = {name: value for name, value in form.fields.items() if name not in (*STAGES, "model")}
    return PipelineParams.of(replace(form, fields=others), posted=True)


@router.post("/pipeline")
@RoutePolicy(untrusted=always)
def post(request: Request, form: LongForm) -> HTMLResponse:
    return respond(request, read_posted(form), form)


@router.post("/pipeline/download")
@RoutePolicy(untrusted=always)
def download(request: Request, form: LongForm) -> Response:
    kind = form.get_choice("format", KINDS, "svg")
    params = read_posted(form)
    services = get_services(request)
    source = services.cache(PipelineCache).get(services.registry, tokenizer_id(request, params.tokenizer))
    parts, options = read_parts(source, params, form)
    check_tokens(parts)
    shown = _show_run(request, params, source, collect_changes(source, parts, options))
    return picture(draw_pipeline(shown.run), "pipeline", kind, form)
