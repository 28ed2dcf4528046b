"""POST /api/beyond/sound: a sound as tokens of residual codebooks, and what each codebook adds."""

from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from ....errors import Invalid
from ....lab.beyond.sound_tokens import MAX_CODEBOOKS, STEP, QuantizedSound, quantize
from ....lab.beyond.sound_view import quantize_sound
from ....lab.beyond.sounds import RATE, read_wav
from ...body import JSONResponse
from ...forms import describe_form
from ...policy import RoutePolicy
from ...routing import Router
from ...uploads import Upload, answer_upload

router = Router(tags=["beyond"])
Size = Literal[16, 32, 64, 128, 256, 512, 1024]
FIELDS: dict[str, Any] = {
    "file": {"type": "string", "format": "binary", "description": "A WAV of at most ten seconds."},
    "size": {"type": "string", "enum": ["16", "32", "64", "128", "256", "512", "1024"], "default": "64"},
}


class SoundRequest(BaseModel):
    """A sound that is made here, and the codebooks to learn from it."""

    model_config = ConfigDict(
        strict=True, extra="forbid", json_schema_extra={"example": {"sound": "phrase", "size": 64, "codebooks": 3}}
    )

    sound: Literal["phrase", "tone", "chirp"]
    size: Size = Field(64, description="Vectors of a codebook.")
    codebooks: Annotated[int, Field(ge=1, le=8)] = Field(8, description="Codebooks whose tokens are returned.")


@router.post("/api/beyond/sound", operation_id="tokenize_sound", summary="Turn a sound into tokens")
@RoutePolicy(cors=True)
def post(body: SoundRequest) -> JSONResponse:
    """`tokens` has a list for every codebook, with a token for every frame of 4 ms. A level says how much larger the
    sound is than the error that is left after its codebook, in decibels: on the frames that the codebooks were learned
    from, and on every fifth quarter of a second, which was held out."""
    return JSONResponse(serialize_sound(quantize_sound(body.sound, body.size), body.codebooks))


@router.post(
    "/api/beyond/sound/file",
    operation_id="tokenize_sound_file",
    summary="Turn a WAV into tokens",
    openapi_extra={"requestBody": describe_form(required=["file"], properties=FIELDS)},
)
@RoutePolicy(run="server", upload=True)
async def post_file(request: Request) -> Response:
    """As /api/beyond/sound, for a WAV of 8, 16, 24 or 32 bits or floats, which is not kept."""
    return await answer_upload(request, tokens_of_upload)


def tokens_of_upload(request: Request, upload: Upload) -> JSONResponse:
    """Return the tokens of the WAV in an upload. Raises what `read_wav` and `quantize` raise."""
    if len(upload.files) != 1:
        raise Invalid("Send one file.", pointer="/file")
    size = upload.fields.get("size", "64")
    if not (size.isascii() and size.isdecimal() and len(size) < 5):
        raise Invalid("size is the number of vectors of a codebook.", pointer="/size")
    sound = quantize(read_wav(*upload.files.values()), size=int(size))
    return JSONResponse(serialize_sound(sound, MAX_CODEBOOKS))


def serialize_sound(sound: QuantizedSound, codebooks: int) -> dict[str, Any]:
    """Return a sound as JSON, with the tokens of the first codebooks."""
    return {
        "seconds": sound.seconds,
        "rate": RATE,
        "frame": STEP,
        "positions": sound.positions,
        "log_mel_frames": len(sound.samples) // 160,
        "size": sound.size,
        "levels": [
            {
                "codebooks": number,
                "used": level.used,
                "learned_decibels": level.learned,
                "held_out_decibels": level.held_out,
                "bits_per_second": sound.bits_per_second(number),
            }
            for number, level in enumerate(sound.levels, 1)
        ],
        "tokens": [level.tokens.tolist() for level in sound.levels[:codebooks]],
    }
