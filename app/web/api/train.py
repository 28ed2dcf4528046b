"""POST /api/train and /api/jobs: train a tokenizer, watch it being trained, take it away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.responses import Response

from app.lab.train.jobs import Job
from app.lab.train.options import Options, Trainer
from app.scratch.counting import Digits
from app.scratch.ties import TieRule
from app.scratch.train_merges import Weighing
from app.types import Algorithm, Unit
from app.web.answer import JSONResponse
from app.web.body import StrictRoute
from app.web.following import followed
from app.web.forms import Form, read_long_form
from app.web.orders import from_form, order

if TYPE_CHECKING:
    from app.lab.train.order import Order

router = APIRouter(route_class=StrictRoute, tags=["train"])
Sent = Annotated[Form, Depends(read_long_form)]
EXAMPLE: dict[str, JsonValue] = {"corpora": ["udhr:shn"], "algorithm": "bpe", "size": 1000, "name": "Shan"}
FORM: dict[str, JsonValue] = {
    "required": True,
    "content": {"multipart/form-data": {"schema": {"type": "object", "example": {"corpus": "udhr:shn"}}}},
}
"""A form is all text, whatever is in it: there are no types to tell of."""
SIZE = "How many pieces the vocabulary shall have, special tokens and the alphabet among them."
PATTERN = "What cuts words: usual, gpt2, cl100k, o200k, llama3, bert, spaces, or a regular expression."


class TrainRequest(BaseModel):
    """What to learn from, and how."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra={"example": EXAMPLE})

    texts: list[str] = Field([], description="Texts to learn from; each is a document.")
    corpora: list[str] = Field([], description="Built-in ones: udhr: and a code of /api/languages, or source.")
    name: str = Field("", description="Keep the tokenizer under this name, where the server keeps any.")
    algorithm: Algorithm = "bpe"
    engine: Trainer = Field("scratch", description="Who learns: the trainer written here, or a library's.")
    size: int = Field(8000, description=SIZE)
    unit: Unit = Field("bytes", description="What BPE begins with.")
    pattern: str = Field("usual", description=PATTERN)
    special_tokens: list[str] = []
    at_least: int = Field(2, description="A pair that comes less often is not merged.")
    longest: int | None = Field(None, description="Symbols of the longest piece.")
    digits: Digits = Field("pattern", description="Runs of digits: as the pattern has it, single, or up to three.")
    lowercase: bool = False
    ties: TieRule = Field("smallest", description="Which of equally frequent pairs is merged.")
    weighing: Weighing = Field("count", description="How WordPiece weighs pairs.")
    bytes_too: bool = Field(False, description="Fall back to bytes for characters that the vocabulary lacks.")
    as_sentencepiece: bool = Field(False, description="Begin Unigram with the pieces that SentencePiece begins with.")
    held_out: float = Field(0.1, strict=False, description="The share that is measured on and not learned from.")

    def options(self) -> Options:
        """What decides the training."""
        told = self.model_dump(exclude={"texts", "corpora", "name", "special_tokens"})
        return Options(**told, special_tokens=tuple(self.special_tokens))


def job_of(id: str, request: Request) -> Job:
    found: Job = request.app.state.jobs.get(id)
    return found


Asked = Annotated[Job, Depends(job_of)]


def accepted(request: Request, wanted: Order) -> JSONResponse:
    """202, with the job as it stands."""
    job = request.app.state.jobs.start(wanted)
    return JSONResponse(described(job), 202, headers={"Location": f"/api/jobs/{job.id}"})


@router.post("/api/train", summary="Train a tokenizer", status_code=202)
def post(body: TrainRequest, request: Request) -> JSONResponse:
    """Begins a training and answers at once with the job; `events` is where it tells how far it is."""
    texts = {f"text {number}": text for number, text in enumerate(body.texts, 1)}
    settings = request.app.state.settings
    return accepted(request, order(settings, texts, body.corpora, body.options(), name=body.name))


@router.post(
    "/api/train/form", summary="Train a tokenizer on files", status_code=202, openapi_extra={"requestBody": FORM}
)
def post_form(form: Sent, request: Request) -> JSONResponse:
    """The same from a form: any number of `file`, `text`, `corpus`, and the options by name."""
    return accepted(request, from_form(form, request.app.state.settings))


@router.get("/api/jobs/{id}", summary="How a training stands")
def get(job: Asked) -> JSONResponse:
    """The state, how far it is, and once it has finished, the metrics and the files that can be taken away."""
    return JSONResponse(described(job))


@router.get("/api/jobs/{id}/events", summary="Watch a training", response_class=EventSourceResponse)
async def events(
    job: Asked, last_event_id: Annotated[str, Header(description="Where to go on.")] = "0"
) -> AsyncIterator[ServerSentEvent]:
    """Every event of the training from the first, then each as it is told, until the last; `kind` says which it is."""
    after = int(last_event_id) if last_event_id.isdecimal() and len(last_event_id) < 16 else 0
    async for told in followed(job, after):
        for event in told.events:
            yield ServerSentEvent(data=event, event=event["kind"], id=str(told.end))


@router.delete("/api/jobs/{id}", summary="Cancel a training")
def delete(id: str, request: Request) -> JSONResponse:
    """Ends the training at once, if it has not ended; nothing of it is kept."""
    return JSONResponse(described(request.app.state.jobs.cancel(id)))


@router.get("/api/jobs/{id}/download/{file}", summary="Take a trained tokenizer away")
def download(job: Asked, file: str) -> Response:
    """One of the files that the finished job lists."""
    from app.lab.train.finished import file as made
    from app.lab.train.formats import MEDIA_TYPES

    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(made(job, file), media_type=MEDIA_TYPES[file], headers=headers)


def described(job: Job) -> dict[str, Any]:
    """A job as plain data."""
    from app.lab.train.progress import Progress

    state = job.state()
    now = Progress.of_events(job.events()[0])
    told: dict[str, Any] = {"id": job.id, "state": state, "doing": now.says, "share": now.share}
    told |= {"pieces": now.pieces, "of": now.of, "rate": now.rate, "remaining": now.remaining}
    told |= {"options": now.started.get("options"), "corpus": now.corpus, "notes": now.notes, "problem": now.problem}
    told |= {"summary": now.summary, "kept": now.kept}
    place = f"/api/jobs/{job.id}"
    files = [f"{place}/download/{name}" for name in (*now.files, "README.md")] if state == "finished" else []
    return told | {"events": f"{place}/events", "files": files}
