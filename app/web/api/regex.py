"""POST /api/regex: a pattern on a text, in every engine; GET /api/regex/presets: published patterns."""

from dataclasses import asdict
from typing import Literal

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ...lab.models import resolve_model
from ...lab.regex.examination import examine
from ...lab.regex.presets import presets
from ...serialize.patterns import serialize_examination
from ..body import JSONResponse
from ..policy import RoutePolicy, always
from ..routing import Router
from ..services import get_services

router = Router(prefix="/api", tags=["patterns"])
EXAMPLE: dict[str, JsonValue] = {
    "pattern": r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "text": "In 2024, x² = 17689!",
    "tokenizer": "cl100k_base",
}


class RegexRequest(BaseModel):
    """A pattern, or several on a line each, which are applied one after the other; and the text."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    pattern: str = Field(description="A regular expression; of several lines, each splits the words of the one before.")
    text: str = Field(description="The text that is split, of at most 5,000 characters.")
    dialect: Literal["tiktoken", "tokenizers"] = Field(
        "tiktoken",
        description="As which library the pattern is read: fancy-regex in tiktoken, Oniguruma in tokenizers.",
    )
    other: str = Field("", description="A second pattern, to be compared with the first.")
    tokenizer: str = Field(
        "", description="A byte-level BPE tokenizer whose tokens are shown with its own pattern and with this one."
    )


@router.post("/regex", operation_id="try_pattern", summary="Try a pre-tokenization pattern")
@RoutePolicy(cors=True, untrusted=always)
def post(body: RegexRequest, request: Request) -> JSONResponse:
    """The words and the alternative that matched each, what no match covers, what every engine finds and where that
    first differs, the pattern in words, and the string on which a search takes the most steps."""
    registry = get_services(request).registry
    id = resolve_model(registry, body.tokenizer, pointer="/tokenizer") if body.tokenizer else ""
    done = examine(registry, body.pattern, body.text, dialect=body.dialect, other=body.other, tokenizer=id)
    return JSONResponse(serialize_examination(done))


@router.get("/regex/presets", operation_id="list_patterns", summary="List published patterns")
def index(request: Request) -> JSONResponse:
    """The patterns of published tokenizers; several of one tokenizer are applied one after the other."""
    return JSONResponse([asdict(preset) for preset in presets(get_services(request).settings.store)])
