"""Who asks for what in a hall: the hall of a code, the phone or the lecturer that a cookie names, and limits."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import Response

from ..errors import NotAllowed, UnknownHall
from ..hall.halls import Halls, matches, new_phone, read_code, read_phone
from ..hall.live import LiveHall
from ..hall.store import KEPT_SECONDS
from .concurrency import SIZE, Address, get_client
from .services import get_services

PHONE = "hall_phone"
LEAD = "hall_lead"
"""Cookies of a phone and of the lecturer. Both are sent to the addresses of their hall alone."""
EACH = 10_000
"""Bytes for which each thing that the lecturer does counts besides its own: all phones are told."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A request to a hall, the name of the phone that sent it, or "", and its address."""

    hall: LiveHall
    phone: str
    address: Address

    async def append(self, kind: str, **fields: Any) -> None:
        """Add an event of the phone. Raises what `LiveHall.append_of_phone` raises."""
        await self.hall.append_of_phone(self.phone, kind, self.address, **fields)


def get_halls(request: Request) -> Halls:
    """Return the halls of the app that a request is made to."""
    return get_services(request).halls


async def find_hall(request: Request, code: str) -> LiveHall:
    """Return the hall with the code in a path. Raises `UnknownHall`, and `TooOften` after many wrong codes.

    The right code is let in all the same, as an audience may share its address with who tries codes.
    """
    halls, code = get_halls(request), read_code(code)
    try:
        if not code:
            raise UnknownHall("A code has at least five letters and digits, such as K7X2P.")
        return await halls.get(code)
    except UnknownHall:
        halls.limits.wrong_codes.take(get_client(request.scope), "Too many wrong codes came from here.")
        raise


async def find_visitor(request: Request, hall: Annotated[LiveHall, Depends(find_hall)]) -> Visitor:
    """Return the phone or the page that sends a request, with its hall."""
    phone = read_phone(request.cookies.get(PHONE, ""), hall.state.key)
    return Visitor(hall, phone, get_client(request.scope))


async def require_phone(request: Request, visitor: Annotated[Visitor, Depends(find_visitor)]) -> Visitor:
    """Return a phone that does something. Raises `NotAllowed` where it is none, `TooOften` where it does too much."""
    if not visitor.phone:
        raise NotAllowed("Open the page of the hall first, and allow its cookie: it keeps each phone to one vote.")
    get_halls(request).limits.actions.take((visitor.hall.code, visitor.phone))
    return visitor


async def require_lead(request: Request, hall: Annotated[LiveHall, Depends(find_hall)]) -> LiveHall:
    """Return the hall that a request leads. Raises `NotAllowed`."""
    if not matches(request.cookies.get(LEAD, ""), hall.state.leader):
        raise NotAllowed("Another browser leads this hall.")
    return hall


async def require_stage(request: Request, hall: Annotated[LiveHall, Depends(require_lead)]) -> LiveHall:
    """Return the hall that a request leads, and that has room for what it sends now. Raises `TooOften`."""
    get_halls(request).limits.slides.take(get_client(request.scope), amount=request.scope[SIZE] + EACH)
    return hall


def join(request: Request, response: Response, hall: LiveHall) -> None:
    """Give a phone its token. Raises `TooOften`."""
    get_halls(request).limits.joins.take((hall.code, get_client(request.scope)), "Many phones came from here.")
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
Staged = Annotated[LiveHall, Depends(require_stage)]
