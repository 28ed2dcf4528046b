"""What a worker does for a request and between requests, and that every kind of work ends."""

import asyncio
import re
from dataclasses import replace
from functools import partial

import anyio
import httpx
import pytest
from fastapi.dependencies.utils import get_flat_params
from tokenarium.errors import OverLimit
from tokenarium.jobs.atomic_store import put, remove
from tokenarium.lab.chat.limits import LENGTH_TOGETHER, keep_texts
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.web.execution import call, forget_deleted, run_work
from tokenarium.web.routing import list_routes
from tokenarium.web.services import get_services
from tokenarium.workers import Workers

from tests.support import work
from tests.support.shelves import folder


def test_what_was_deleted_is_dropped_without_a_request(tmp_path):
    settings = replace(Settings(workers=0), local=tmp_path)
    registry = Registry(settings)
    id, files = folder("One", (97, 98))
    put(tmp_path, id, files, quota=10**9)
    registry.get(id, "scratch")
    registry.get("bytes")
    remove(tmp_path, id)  # as the server does
    assert (id, "scratch") in registry.list_loaded()
    assert forget_deleted(get_services(create_app(settings, registry=registry))) is None
    assert registry.list_loaded() == [("bytes", "scratch")]


def test_whatever_a_worker_is_asked_for_ends_at_the_limit_of_time(tmp_path):
    """Each route that a worker answers is asked; the workers never do anything."""
    settings = Settings(workers=1, max_seconds=0.01, max_wait=1000.0, local=tmp_path)
    app = create_app(settings)
    workers = get_services(app).workers = Workers(settings, work.never)

    async def ask(path, route):
        """The code of the answer, and how many workers were killed for it; a body is refused in the wrong format."""
        (method,) = route.methods
        field = route.body_field and route.body_field.field_info.annotation
        example = getattr(field, "model_config", {}).get("json_schema_extra", {}).get("example", [])
        required = {one.alias for one in get_flat_params(route.dependant) if one.field_info.is_required()}
        query = dict.fromkeys(required.intersection(route.query_names), "1")
        before = workers.overtime
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=None) as client:
            for body in [{}] if method == "GET" else [{"json": example}, {"data": {"text": "a"}}]:
                answer = await client.request(method, re.sub(r"{.*?}", "1", path), params=query, **body)
                if answer.status_code != 415:
                    break
        return answer.json().get("code"), workers.overtime - before

    async def ask_all():
        try:
            routes = [(path, route) for path, route in list_routes(app) if route.policy.run == "worker"]
            return {(path, *route.methods): await ask(path, route) for path, route in routes}
        finally:
            await workers.stop()

    answers = asyncio.run(asyncio.wait_for(ask_all(), 100))
    assert len(answers) > 100
    assert {route: answer for route, answer in answers.items() if answer != ("over-limit", 1)} == {}


def test_the_work_of_each_request_has_its_own_limits_on_renderings():
    services = get_services(create_app(Settings(workers=0)))

    def keep(_, *lengths):
        return [keep_texts(length) for length in lengths]

    def in_worker(*lengths):
        return call(services, False, keep, lengths)

    for run in (in_worker, partial(anyio.run, run_work, services, keep)):
        assert [run(LENGTH_TOGETHER), run(LENGTH_TOGETHER)] == [[None]] * 2
        with pytest.raises(OverLimit):
            run(LENGTH_TOGETHER, 1)
