"""GET and POST /beyond/sound: log-mel frames of a sound, and its tokens in residual codebooks learned on the spot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid, TokenariumError, TooLarge
from ....serialize.problem import Problem
from ....workers.process import loading
from ...forms import Form, read_query
from ...policy import RoutePolicy
from ...render import render
from ...uploads import read_upload, run_on_upload
from .overview import laboratories

if TYPE_CHECKING:
    from ....lab.beyond.sound_view import SoundView

router = APIRouter(include_in_schema=False)
ADDRESS = "/beyond/sound"


@dataclass(frozen=True)
class PageParams:
    """Parameters of the page: the sound, the size of a codebook, and how many of them are used."""

    sound: str = "phrase"
    size: int = 64
    codebooks: int = 3
    guess: str = ""

    @classmethod
    def of(cls, form: Form) -> PageParams:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""
        size, codebooks = form.number("size"), form.number("codebooks")
        return cls(
            form.get("sound", "phrase"),
            64 if size is None else size,
            3 if codebooks is None else codebooks,
            form.get("guess"),
        )

    @property
    def address(self) -> str:
        """The address of the page with these parameters."""
        return f"{ADDRESS}?{urlencode({'sound': self.sound, 'size': self.size, 'codebooks': self.codebooks})}"

    def listen(self, codebooks: int) -> str:
        """Return the address of the sound made from some codebooks, or of the sound itself for none of them."""
        query = urlencode({"sound": self.sound, "size": self.size, "codebooks": codebooks})
        return f"{ADDRESS}/listen.wav?{query}"


def shown(params: PageParams) -> SoundView:
    """Return what the page shows of a sound made here. Raises `Invalid`."""
    from ....lab.beyond.sound_view import quantized, sound_view

    sound = quantized(params.sound, params.size)
    return sound_view(sound, check_codebooks(params.codebooks))


def check_codebooks(count: int, *, least: int = 1) -> int:
    """Return a number of codebooks. Raises `Invalid`."""
    from ....lab.beyond.sound_tokens import MAX_CODEBOOKS

    if not least <= count <= MAX_CODEBOOKS:
        raise Invalid(f"There are {least} to {MAX_CODEBOOKS} codebooks.", pointer="/codebooks")
    return count


def respond(
    request: Request, params: PageParams, view: SoundView | None, error: TokenariumError | None = None
) -> HTMLResponse:
    """Return the page; what is refused is said on it, and the form keeps what was chosen."""
    from ....lab.beyond.sound_tokens import BUDGETS, SIZES
    from ....lab.beyond.sounds import MAX_SECONDS, SOUNDS

    context: dict[str, Any] = {"params": params, "view": view, "sounds": SOUNDS, "budgets": BUDGETS}
    context["labels"] = [(size, f"{size:,}: {size.bit_length() - 1} bits") for size in SIZES]
    context |= {"problem": Problem.of(error) if error else None, "max_seconds": MAX_SECONDS}
    context |= laboratories(request)
    return render(request, "beyond/sound", context, status=error.status if error else 200)


@router.get(ADDRESS)
@RoutePolicy(same_worker=True, sounds=True)
def page(request: Request) -> HTMLResponse:
    params = PageParams.of(read_query(request))
    try:
        return respond(request, params, shown(params))
    except Invalid as error:
        return respond(request, params, None, error)


@router.get(f"{ADDRESS}/listen.wav")
@RoutePolicy(same_worker=True)
def listen(request: Request) -> Response:
    from ....lab.beyond.sound_view import quantized
    from ....lab.beyond.sounds import wav

    params = PageParams.of(read_query(request))
    count = check_codebooks(params.codebooks, least=0)
    sound = quantized(params.sound, params.size)
    return Response(wav(sound.sound(count) if count else sound.samples), media_type="audio/wav")


@router.post(ADDRESS)
@RoutePolicy(run="server", upload=True, sounds=True)
async def post(request: Request) -> HTMLResponse:
    params, view, refused = await run_on_upload(request, learn_in_worker)
    return await run_in_threadpool(respond, request, params, view, refused)


def learn_in_worker(app: FastAPI, path: Path, media: str) -> Iterator[Any]:
    """Yield the parameters of a multipart form, and what the page shows of the sound in it, or why it is refused."""
    from ....lab.beyond.sound_tokens import quantize
    from ....lab.beyond.sound_view import sound_view
    from ....lab.beyond.sounds import read_wav

    with loading():
        upload = read_upload(path, media)
        params, view, refused = PageParams(), None, None
        try:
            params = PageParams.of(Form({name: [value] for name, value in upload.fields.items()}))
            if upload.files:
                sound = quantize(read_wav(next(iter(upload.files.values()))), size=params.size)
                view = sound_view(sound, check_codebooks(params.codebooks), inline=True)
            else:
                view = shown(params)
        except (Invalid, TooLarge) as error:
            refused = error
    yield params, view, refused
