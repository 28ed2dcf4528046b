"""GET and POST /doctor: what is wrong with the files of a tokenizer, how every engine reads them, and conversion."""

from pathlib import PurePosixPath
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ...errors import BadFile
from ...files.archives import zip_files
from ...lab.doctor.conversion import CORRECTIONS, MendedFiles
from ...lab.doctor.report import DoctorReport, identify
from ...lab.doctor.samples import NASTY, PATIENTS, Patient, find_patient
from ..downloads import as_file
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router
from ..services import get_services
from ..uploads import Upload, answer_upload, convert_upload, examine_upload, list_codes, mend_upload

router = Router(include_in_schema=False)
MAX_IDS = 40
"""Number of ids of each engine that are shown."""


def context(request: Request, report: DoctorReport | None = None, text: str = "") -> dict[str, Any]:
    """Return the context of the templates, without a report before files are sent."""
    differing = [row for row in report.rows if not row.agrees] if report else []
    limit = get_services(request).settings.max_upload
    return {
        "report": report,
        "differing": differing,
        "text": text,
        "limit": limit,
        "shown": MAX_IDS,
        "difficult": len(NASTY),
        "patients": PATIENTS,
        "patient": None,
        "cause": "",
        "files": [],
        "corrections": CORRECTIONS,
        "mended": None,
        "codes": [],
    }


@router.get("/doctor")
@RoutePolicy(run="server")
def page(request: Request) -> HTMLResponse:
    return render(request, "doctor", context(request))


@router.post("/doctor")
@RoutePolicy(run="server", upload=True)
async def post(request: Request) -> Response:
    return await answer_upload(request, report)


def report(request: Request, upload: Upload) -> HTMLResponse:
    patient, upload = choose_patient(upload)
    text = upload.fields.get("text", "")
    codes = list_codes(upload)
    mended: MendedFiles | None = None
    try:
        if codes:
            mended = mend_upload(upload)
            upload = Upload(upload.fields, {**mended.files})
        shared = context(request, examine_upload(upload), text)
    except BadFile as error:  # which is what a doctor is asked
        shared = context(request, text=text) | {"cause": error.detail, "files": identify(upload.files)}
    return render(request, "doctor", shared | {"patient": patient, "mended": mended, "codes": codes})


def choose_patient(upload: Upload) -> tuple[Patient | None, Upload]:
    """Return the sample patient of a form without files, and the upload with its files."""
    patient = None if upload.files else find_patient(upload.fields.get("patient", ""))
    return patient, Upload(upload.fields, {**patient.make()}) if patient else upload


@router.post("/doctor/mend")
@RoutePolicy(run="server", upload=True)
async def mend(request: Request) -> Response:
    return await answer_upload(request, corrected)


def corrected(request: Request, upload: Upload) -> Response:
    mended = mend_upload(choose_patient(upload)[1])
    if not mended.corrected:
        raise BadFile("There is nothing in these files that can be corrected safely.")
    (name, *more) = mended.corrected
    data = zip_files({one: mended.files[one] for one in mended.corrected}) if more else mended.files[name]
    return as_file(data, "corrected.zip") if more else as_file(data, PurePosixPath(name).name, "application/json")


@router.post("/doctor/convert")
@RoutePolicy(run="server", upload=True)
async def convert(request: Request) -> Response:
    return await answer_upload(request, archive)


def archive(request: Request, upload: Upload) -> Response:
    return as_file(zip_files(convert_upload(upload).files), "converted.zip")
