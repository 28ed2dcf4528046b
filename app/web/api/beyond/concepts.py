"""POST /api/beyond/concepts: a text in sentences, long ones in parts, beside its tokens, patches and bytes."""

from fastapi import Request

from ....lab.beyond.concepts import ConceptOptions, study
from ....lab.models import resolve_models
from ....lab.option_schema import with_values
from ....serialize.beyond import serialize_concepts
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from ...services import get_services

router = Router(prefix="/api/beyond", tags=["beyond"])


@router.post("/concepts", operation_id="split_into_concepts", summary="Split a text into sentences as concepts")
@RoutePolicy(cors=True)
def post(body: ConceptOptions, request: Request) -> JSONResponse:
    """The sentences as the library sentencex finds them, those longer than `cap` in parts; and the number of concepts,
    tokens, patches and bytes, with the characters of such a text that a context of so many units holds (`held`). No
    vectors are computed."""
    services = get_services(request)
    question = with_values(body, tokenizers=resolve_models(services.registry, body.tokenizers))
    shown = study(services.registry, services.settings.store, question)
    return JSONResponse(serialize_concepts(shown))
