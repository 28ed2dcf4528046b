"""POST /api/regex: a pattern on a text, in every engine; GET /api/regex/presets: published patterns."""

from dataclasses import asdict
from typing import Any

from fastapi import Request

from ...lab.models import resolve_model
from ...lab.option_schema import with_values
from ...lab.regex.effect import Effect
from ...lab.regex.examination import ATTACK_TIMES, Examination, ExaminedPattern, PatternOptions, examine
from ...lab.regex.presets import presets
from ...lab.regex.words import PatternSplit
from ...lab.steps.patterns import describe
from ..body import JSONResponse
from ..policy import RoutePolicy, always
from ..routing import Router
from ..services import get_services

router = Router(prefix="/api", tags=["patterns"])


@router.post("/regex", operation_id="try_pattern", summary="Try a pre-tokenization pattern")
@RoutePolicy(cors=True, untrusted=always)
def post(body: PatternOptions, request: Request) -> JSONResponse:
    """The words and the alternative that matched each, what no match covers, what every engine finds and where that
    first differs, the pattern in words, and the string on which an engine takes longest."""
    registry = get_services(request).registry
    id = resolve_model(registry, body.tokenizer, pointer="/tokenizer") if body.tokenizer else ""
    return JSONResponse(serialize_examination(examine(registry, with_values(body, tokenizer=id))))


@router.get("/regex/presets", operation_id="list_patterns", summary="List published patterns")
def index(request: Request) -> JSONResponse:
    """The patterns of published tokenizers; several of one tokenizer are applied one after the other."""
    return JSONResponse([asdict(preset) for preset in presets(get_services(request).settings.store)])


def serialize_examination(done: Examination) -> dict[str, Any]:
    """Return an examination: words, engines, explanation, backtracking; the other pattern and tokens if requested.

    Positions count code points.
    """
    answer: dict[str, Any] = {
        "patterns": list(done.patterns),
        "dialect": done.dialect,
        "note": " ".join(filter(None, (done.note, done.only_ours))),
        **_serialize_split(done.reading),
        "engines": [asdict(row) for row in done.engines],
        "examined": [_serialize_examined(one) for one in done.examined],
    }
    if done.other is not None:
        answer["other"] = _serialize_split(done.other)
        answer["differences"] = [asdict(place) for place in done.differences]
    if done.effect is not None:
        answer["tokens"] = _effect(done.effect)
    return answer


def _serialize_split(reading: PatternSplit) -> dict[str, Any]:
    text = reading.text
    words = [{"text": text[word.start : word.end], **asdict(word)} for word in reading.words]
    described_alternatives = [
        {"source": one.source, "step": one.step, "meaning": describe(one.source), "words": uses}
        for one, uses in zip(reading.alternatives, reading.uses, strict=True)
    ]
    return {"words": words, "alternatives": described_alternatives, "empty_matches": reading.empty}


def _serialize_examined(one: ExaminedPattern) -> dict[str, Any]:
    worst = one.backtracking
    attack = worst.attack if worst else None
    return {
        "pattern": one.pattern,
        "parts": [asdict(part) for part in one.parts],
        "problem": one.problem,
        "backtracking": {
            "growth": worst.growth,
            "degree": worst.degree,
            "engine": worst.engine,
            "seconds": list(worst.seconds),
            "tried": worst.tried,
            "text": attack.text(ATTACK_TIMES) if attack else None,
            "attack": asdict(attack) if attack else None,
            "engines": [{"name": name, "problem": problem} for name, problem in one.outcomes],
        }
        if worst
        else None,
    }


def _effect(effect: Effect) -> dict[str, Any]:
    own, changed = effect.differing
    return {
        "tokenizer": effect.own.tokenizer.info.id,
        "own": {"ids": effect.own.encoding.ids, "differing": sum(own)},
        "changed": {"ids": effect.changed.encoding.ids, "differing": sum(changed), "dropped_bytes": effect.dropped},
    }
