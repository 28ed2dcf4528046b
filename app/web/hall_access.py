"""Who asks for what in a hall: the hall of a code, the phone or the lecturer that a cookie names, and limits."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from ..errors import NotAllowed, TooOften, UnknownHall
from ..hall.halls import Halls, RateLimit, matches, new_phone, read_code, read_phone
from ..hall.live import LiveHall
from ..hall.store import KEPT_SECONDS
from .concurrency import get_client
from .services import get_services

PHONE = "hall_phone"
LEAD = "hall_lead"
"""Cookies of a phone and of the lecturer. Both are sent to the addresses of their hall alone."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A request to a hall, and the name of the phone that sent it, or ""."""

    hall: LiveHall
    phone: str


def get_halls(request: Request) -> Halls:
    """Return the halls of the app that a request is made to."""
    return get_services(request).halls


async def find_hall(request: Request, code: str) -> LiveHall:
    """Return the hall with the code in a path. Raises `UnknownHall`, and `TooOften` after many wrong codes.

    A phone that is in the hall already is answered all the same.
    """
    halls, address, code = get_halls(request), get_client(request.scope), read_code(code)
    known = halls.known(code)
    inside = known is not None and read_phone(request.cookies.get(PHONE, ""), known.state.key)
    if not inside and not halls.limits.wrong_codes.has(address):
        raise TooOften("Too many wrong codes came from here. Try again in a minute.")
    try:
        if not code:
            raise UnknownHall("A code has at least five letters and digits, such as K7X2P.")
        return await halls.get(code)
    except UnknownHall:
        halls.limits.wrong_codes.take(address)
        raise


async def find_visitor(request: Request, hall: Annotated[LiveHall, Depends(find_hall)]) -> Visitor:
    """Return the phone or the page that sends a request, with its hall."""
    return Visitor(hall, read_phone(request.cookies.get(PHONE, ""), hall.state.key))


async def require_phone(request: Request, visitor: Annotated[Visitor, Depends(find_visitor)]) -> Visitor:
    """Return a phone that does something. Raises `NotAllowed` where it is none, `TooOften` where it does too much."""
    if not visitor.phone:
        raise NotAllowed("Open the page of the hall first, and allow its cookie: it keeps each phone to one vote.")
    take_turn(get_halls(request).limits.actions, (visitor.hall.code, visitor.phone))
    return visitor


async def require_lead(request: Request, hall: Annotated[LiveHall, Depends(find_hall)]) -> LiveHall:
    """Return the hall that a request leads. Raises `NotAllowed`."""
    if not matches(request.cookies.get(LEAD, ""), hall.state.leader):
        raise NotAllowed("Another browser leads this hall.")
    return hall


def take_turn(limit: RateLimit, key: object) -> None:
    """Raise `TooOften` if a limit has no turn left."""
    if not limit.take(key):
        raise TooOften("This was too often. Try again in a moment.")


def join(request: Request, response: Response, hall: LiveHall) -> None:
    """Give a phone its token. Raises `TooOften`."""
    take_turn(get_halls(request).limits.joins, get_client(request.scope))
    set_cookie(request, response, hall, PHONE, new_phone(hall.state.key))


def give_lead(request: Request, response: Response, hall: LiveHall, secret: str) -> None:
    """Let the browser that gets a response lead a hall."""
    set_cookie(request, response, hall, LEAD, secret)


def set_cookie(request: Request, response: Response, hall: LiveHall, name: str, value: str) -> None:
    """Set a cookie for the addresses of a hall."""
    response.set_cookie(
        name,
        value,
        max_age=round(2 * KEPT_SECONDS),
        path=f"/hall/{hall.code}",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


Found = Annotated[LiveHall, Depends(find_hall)]
Here = Annotated[Visitor, Depends(find_visitor)]
Phone = Annotated[Visitor, Depends(require_phone)]
Led = Annotated[LiveHall, Depends(require_lead)]
