"""POST /api/beyond/concepts: a text in sentences, long ones in parts, beside its tokens, patches and bytes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ....lab.beyond.concepts import ConceptOptions, study
from ....lab.models import resolve_model
from ....serialize.patches import serialize_concepts
from ...body import Items, JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from ...services import get_services

router = Router(prefix="/api/beyond", tags=["beyond"])
EXAMPLE: dict[str, JsonValue] = {"text": "Dr. Smith left. She lives approx. 5 km away.", "tokenizers": ["o200k_base"]}


class ConceptsRequest(BaseModel):
    """A text to be split into sentences."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    text: str = Field(description="The text, of at most 20,000 bytes.")
    language: str = Field("en", description="The language of the text, such as `en`, `fr` or `ja`.")
    cap: Annotated[int, Field(ge=16, le=10_000)] = Field(256, description="Characters of the longest concept.")
    context: Annotated[int, Field(ge=1, le=10_000_000)] = Field(2048, description="Units that a model reads at once.")
    tokenizers: Annotated[Items[str], Field(max_length=4)] = Field(
        [], description="Ids from /api/tokenizers, or names of models, whose tokens are counted, too."
    )


@router.post("/concepts", operation_id="split_into_concepts", summary="Split a text into sentences as concepts")
@RoutePolicy(cors=True)
def post(body: ConceptsRequest, request: Request) -> JSONResponse:
    """The sentences as the library sentencex finds them, those longer than `cap` in parts; and the number of concepts,
    tokens, patches and bytes, with the characters of such a text that a context of so many units holds (`held`). No
    vectors are computed."""
    services = get_services(request)
    ids = (resolve_model(services.registry, name, pointer=f"/tokenizers/{i}") for i, name in enumerate(body.tokenizers))
    question = ConceptOptions(**{**body.model_dump(), "tokenizers": tuple(dict.fromkeys(ids))})
    shown = study(services.registry, services.settings.store, question)
    return JSONResponse(serialize_concepts(shown))
