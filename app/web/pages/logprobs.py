"""GET /logprobs: the tokens of an answer with log probabilities. The browser reads it; nothing is sent."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ..policy import RoutePolicy
from ..render import render
from ..routing import Router

router = Router(include_in_schema=False)

EXAMPLE = """{"choices": [{"logprobs": {"content": [
  {"token": "The", "logprob": -0.02, "top_logprobs": [{"token": "The", "logprob": -0.02}, {"token": "It", "logprob": -4.1}]},
  {"token": " capital", "logprob": -0.31, "top_logprobs": [{"token": " capital", "logprob": -0.31}, {"token": " city", "logprob": -1.4}]},
  {"token": " is", "logprob": -0.001, "top_logprobs": [{"token": " is", "logprob": -0.001}, {"token": ",", "logprob": -7.2}]},
  {"token": " Canberra", "logprob": -0.92, "top_logprobs": [{"token": " Canberra", "logprob": -0.92}, {"token": " Sydney", "logprob": -0.53}, {"token": " Melbourne", "logprob": -4.6}]},
  {"token": ".", "logprob": -0.05, "top_logprobs": [{"token": ".", "logprob": -0.05}, {"token": ",", "logprob": -3.2}]}
]}}]}"""  # noqa: E501
"""Made up, in the format of chat completions."""


@router.get("/logprobs")
@RoutePolicy(run="server")
def page(request: Request) -> HTMLResponse:
    return render(request, "logprobs", {"example": EXAMPLE}, fragment="page")
