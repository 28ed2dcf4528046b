"""GET and POST /beyond/sound: log-mel frames of a sound, and its tokens in residual codebooks learned on the spot."""

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ....errors import Invalid, TokenariumError, TooLarge
from ....lab.beyond.laboratories import LABORATORIES, ask_codebooks
from ....lab.beyond.sound_tokens import BUDGETS, MAX_CODEBOOKS, SIZES, quantize
from ....lab.beyond.sound_view import SoundView, quantize_sound, sound_view
from ....lab.beyond.sounds import MAX_SECONDS, SOUNDS, read_wav, wav
from ....lab.learn.answers import judge
from ....lab.option_schema import Options, declare, with_values
from ....serialize.problem import Problem
from ...forms import Form, read_query
from ...page_params import read_params, write_address
from ...policy import RoutePolicy
from ...render import render
from ...routing import Router
from ...uploads import Upload, answer_upload

router = Router(include_in_schema=False)
ADDRESS = "/beyond/sound"


class SoundParams(Options):
    """Parameters of the page: the sound, the size of a codebook, and how many of them are used."""

    sound: str = declare("Sound", "phrase")
    size: int = declare("Sounds in each codebook", 64)
    codebooks: int = declare("Codebooks", 3)
    predict: bool = declare("Predict all codebooks first", False)
    guess: str = declare("Answer", "")

    def listen(self, codebooks: int) -> str:
        """Return the address of the sound made from some codebooks, or of the sound itself for none of them."""
        target = with_values(self, codebooks=codebooks, predict=False, guess="")
        return write_address(f"{ADDRESS}/listen.wav", target, always=("sound", "size", "codebooks"))


def view_sound(params: SoundParams) -> SoundView:
    """Return what the page shows of a sound made here. Raises `Invalid`."""
    sound = quantize_sound(params.sound, params.size)
    return sound_view(sound, check_codebooks(params.codebooks))


def check_codebooks(count: int, *, least: int = 1) -> int:
    """Return a number of codebooks. Raises `Invalid`."""
    if not least <= count <= MAX_CODEBOOKS:
        raise Invalid(f"There are {least} to {MAX_CODEBOOKS} codebooks.", pointer="/codebooks")
    return count


def respond(
    request: Request, params: SoundParams, view: SoundView | None, error: TokenariumError | None = None
) -> HTMLResponse:
    """Return the page; what is refused is said on it, and the form keeps what was chosen."""
    context: dict[str, Any] = {"params": params, "view": view, "sounds": SOUNDS, "budgets": BUDGETS}
    context["labels"] = [(size, f"{size:,}: {size.bit_length() - 1} bits") for size in SIZES]
    context |= {"problem": Problem.of(error) if error else None, "max_seconds": MAX_SECONDS}
    question = ask_codebooks(view) if view and (params.predict or params.guess) else None
    context |= {"laboratories": LABORATORIES, "question": question, "answer": judge(question, params.guess)}
    return render(request, "beyond/sound", context, status=error.status if error else 200)


@router.get(ADDRESS)
@RoutePolicy(sounds=True)
def page(request: Request) -> HTMLResponse:
    params = read_params(read_query(request), SoundParams)
    try:
        return respond(request, params, view_sound(params))
    except Invalid as error:
        return respond(request, params, None, error)


@router.get(f"{ADDRESS}/listen.wav")
def listen(request: Request) -> Response:
    params = read_params(read_query(request), SoundParams)
    count = check_codebooks(params.codebooks, least=0)
    sound = quantize_sound(params.sound, params.size)
    return Response(wav(sound.sound(count) if count else sound.samples), media_type="audio/wav")


@router.post(ADDRESS)
@RoutePolicy(run="server", upload=True, sounds=True)
async def post(request: Request) -> Response:
    return await answer_upload(request, respond_to_upload)


def respond_to_upload(request: Request, upload: Upload) -> HTMLResponse:
    """Return the page of the sound in an upload, or of why it is refused."""
    params = SoundParams()
    try:
        params = read_params(Form({name: [value] for name, value in upload.fields.items()}), SoundParams)
        if not upload.files:
            return respond(request, params, view_sound(params))
        sound = quantize(read_wav(next(iter(upload.files.values()))), size=params.size)
        return respond(request, params, sound_view(sound, check_codebooks(params.codebooks), inline=True))
    except (Invalid, TooLarge) as error:
        return respond(request, params, None, error)
