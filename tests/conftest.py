"""What every test shares: one registry, a fresh app, and Hypothesis profiles that are the same everywhere."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import httpx
import pytest
from hypothesis import HealthCheck, settings

from app.main import create_app
from app.registry import Registry
from app.settings import Settings

LOCAL = TemporaryDirectory()
os.environ["TOKENARIUM_LOCAL"] = LOCAL.name
"""Where tokenizers are kept that tests train, also in processes that they start."""
ROOMY = Settings(max_loaded=10**12, slots=0, local=Path(LOCAL.name))

common = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": False}
settings.register_profile("ci", max_examples=2000, derandomize=True, database=None, **common)
settings.register_profile("long", max_examples=100_000, **common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def registry() -> Registry:
    """All tokenizers of the store, none evicted."""
    return Registry(ROOMY)


Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(registry: Registry) -> Ask:
    """Send one request to a fresh app: `ask("POST", "/tokenize", json=…)`."""
    return asker(registry)


def asker(registry: Registry, **changes: object) -> Ask:
    """An `ask` over an app with these settings changed; tokenizers already loaded are shared."""
    app = create_app(replace(ROOMY, **changes))
    app.state.registry = registry

    def ask(method: str, path: str, **options: object) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
                return await client.request(method, path, **options)

        return anyio.run(send)

    return ask
