"""Requests to an app in this process: all in one event loop, which runs in a thread of its own."""

import httpx
from anyio.from_thread import BlockingPortalProvider

LOOP = BlockingPortalProvider()
"""The loop; the session holds it from its first test to its last."""


def asking(app, *, address="127.0.0.1", cookies=None):
    """A function that sends one request to an app from an address: `ask("POST", "/tokenize", json=…)`."""

    def ask(method, path, **options):
        async def send():
            transport = httpx.ASGITransport(app, client=(address, 123))
            async with httpx.AsyncClient(
                transport=transport, base_url="http://127.0.0.1:8000", cookies=cookies
            ) as client:
                answer = await client.request(method, path, **options)
                if cookies is not None:
                    cookies.update(client.cookies)
                return answer

        with LOOP as portal:
            return portal.call(send)

    return ask
