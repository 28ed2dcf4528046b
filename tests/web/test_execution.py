"""What a worker does between requests."""

from dataclasses import replace

from tokenarium.jobs.atomic_store import put, remove
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.web.execution import forget_deleted
from tokenarium.web.services import get_services

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
