"""POST /api/regex: a pattern on a text, in every engine; GET /api/regex/presets: published patterns."""

from dataclasses import asdict

from fastapi import Request

from ...lab.models import resolve_model
from ...lab.option_schema import with_values
from ...lab.regex.examination import PatternOptions, examine
from ...lab.regex.presets import presets
from ...serialize.patterns import serialize_examination
from ..body import JSONResponse
from ..policy import RoutePolicy, always
from ..routing import Router
from ..services import get_services

router = Router(prefix="/api", tags=["patterns"])


@router.post("/regex", operation_id="try_pattern", summary="Try a pre-tokenization pattern")
@RoutePolicy(cors=True, untrusted=always)
def post(body: PatternOptions, request: Request) -> JSONResponse:
    """The words and the alternative that matched each, what no match covers, what every engine finds and where that
    first differs, the pattern in words, and the string on which a search takes the most steps."""
    registry = get_services(request).registry
    id = resolve_model(registry, body.tokenizer, pointer="/tokenizer") if body.tokenizer else ""
    return JSONResponse(serialize_examination(examine(registry, with_values(body, tokenizer=id))))


@router.get("/regex/presets", operation_id="list_patterns", summary="List published patterns")
def index(request: Request) -> JSONResponse:
    """The patterns of published tokenizers; several of one tokenizer are applied one after the other."""
    return JSONResponse([asdict(preset) for preset in presets(get_services(request).settings.store)])
