"""POST /api/beyond/bytes: the entropy of each byte of a text and its patches; and the figures of all languages."""

from dataclasses import asdict

from fastapi import Request

from ....lab.beyond.byte_model import load_figures
from ....lab.beyond.bytes import PatchOptions, study
from ....lab.models import resolve_models
from ....lab.option_schema import with_values
from ....serialize.beyond import serialize_study
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...routing import Router
from ...services import get_services

router = Router(prefix="/api/beyond", tags=["beyond"])


@router.post("/bytes", operation_id="cut_into_patches", summary="Cut a text into patches of bytes")
@RoutePolicy(cors=True)
def post(body: PatchOptions, request: Request) -> JSONResponse:
    """The entropy of each byte in nats, the limit that it must exceed for a patch to begin, and the text in patches by
    the rule, of fixed size and after spaces, and in tokens. With a typo, which units of the changed text are new."""
    services = get_services(request)
    question = with_values(body, tokenizers=resolve_models(services.registry, body.tokenizers))
    shown = study(services.registry, services.settings.store, question)
    return JSONResponse(serialize_study(shown))


@router.get("/bytes/languages", operation_id="list_patches_by_language", summary="List bytes per patch by language")
def languages(request: Request) -> JSONResponse:
    """Bits per byte of the model, and bytes per patch by some rules, on articles 25 to 30 of the Universal Declaration
    of Human Rights, which the model has not seen, in every language."""
    return JSONResponse([asdict(one) for one in load_figures(get_services(request).settings.store)])
