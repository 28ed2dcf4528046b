"""POST /train/delete: delete a tokenizer that was trained here."""

from fastapi import Request
from starlette.responses import RedirectResponse

from ...lab.tokenizers.saving import delete
from ..forms import SentForm
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)


@router.post("/train/delete")
@RoutePolicy(run="server")
def post(request: Request, form: SentForm) -> RedirectResponse:
    delete(get_services(request).settings, form.get("id"))
    return RedirectResponse("/train#kept", 303)
