"""Routes with JSON bodies: which endpoints are called without FastAPI's dependencies, and with what."""

import asyncio

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import PlainTextResponse
from tokenarium.web.body import StrictRoute
from tokenarium.web.policy import RouteEntry


class Sent(BaseModel):
    text: str


def route_of(endpoint):
    router = APIRouter(route_class=StrictRoute)
    router.post("/texts/{number}" if endpoint is numbered else "/texts")(endpoint)
    (route,) = router.routes
    return route


def shouted(asked: Request, sent: Sent) -> PlainTextResponse:
    return PlainTextResponse(sent.text.upper() + asked.headers["mark"])


def numbered(number: int, body: Sent, request: Request) -> PlainTextResponse:
    return PlainTextResponse(body.text * number)


def alone(body: Sent) -> PlainTextResponse:
    return PlainTextResponse(body.text)


def test_an_endpoint_is_plain_by_what_its_parameters_are_and_not_by_their_names():
    assert [route_of(one).plain for one in (shouted, numbered, alone)] == [True, False, False]


def test_a_plain_endpoint_gets_its_body_and_the_request_by_their_names():
    async def receive():
        return {"type": "http.request", "body": b'{"text": "ab"}', "more_body": False}

    headers = [(b"content-type", b"application/json"), (b"mark", b"!")]
    scope = {"type": "http", "method": "POST", "headers": headers, "tokenarium.route": RouteEntry("/texts")}
    answer = asyncio.run(route_of(shouted).get_route_handler()(Request(scope, receive)))
    assert answer.body == b"AB!"
