"""POST /train/delete: the form that deletes what was trained here."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse

from app.web.forms import Form, read_form

router = APIRouter(include_in_schema=False)


@router.post("/train/delete")
def post(request: Request, form: Annotated[Form, Depends(read_form)]) -> RedirectResponse:
    from app.lab.train.keeping import delete

    delete(request.app.state.settings, form.get("id"))
    return RedirectResponse("/train#kept", 303)
