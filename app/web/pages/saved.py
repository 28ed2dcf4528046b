"""POST /train/delete: delete a tokenizer that was trained here."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import RedirectResponse

from ...lab.tokenizers.saving import delete
from ..forms import Form, read_form
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)


@router.post("/train/delete")
@RoutePolicy(run="server")
def post(request: Request, form: Annotated[Form, Depends(read_form)]) -> RedirectResponse:
    delete(get_services(request).settings, form.get("id"))
    return RedirectResponse("/train#kept", 303)
