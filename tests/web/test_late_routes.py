"""Capabilities are imported when a request needs them, and nothing shows which of them were before."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest
from fastapi.routing import iter_route_contexts
from tokenarium.web.late_routes import is_below
from tokenarium.web.policy import get_policy
from tokenarium.web.routes import CAPABILITIES, create_routes
from tokenarium.web.services import get_services

from tests.conftest import ROOMY

WHOLE = get_services(create_routes(ROOMY)).routes
WHOLE.load()
UNKNOWN_PATHS = ["/nothing", "/api/nothing", "/v1/nothing", "/v1/messages/nothing", "/compat/nothing"]
UNKNOWN_PATHS += ["/compat/tei/nothing", "/compat/sglang/v1/nothing", "/v1beta/models/nothing", "/v1/models/a/b"]


def fresh():
    return get_services(create_routes(ROOMY)).routes


def folder(path):
    return path.rpartition("/")[0]


@pytest.mark.parametrize("name", CAPABILITIES)
def test_every_route_of_a_capability_is_below_one_of_its_prefixes(name):
    for route in iter_route_contexts(import_module(f"tokenarium.web.{name}").router.routes):
        path = route.path_format
        fixed = path.partition("{")[0]
        assert is_below(fixed.removesuffix("/") or path, CAPABILITIES[name])
        if get_policy(route.endpoint).dialect and folder(path):
            assert is_below(folder(path), CAPABILITIES[name])


@pytest.mark.parametrize("name", CAPABILITIES)
def test_every_prefix_of_a_capability_has_a_route(name):
    paths = [route.path_format for route in iter_route_contexts(import_module(f"tokenarium.web.{name}").router.routes)]
    assert [prefix for prefix in CAPABILITIES[name] if not any(is_below(path, (prefix,)) for path in paths)] == []


def found(routes, method, path):
    entry = routes.find(method, path)
    return entry.template, entry.methods, entry.policy


def test_a_path_has_the_same_route_in_whatever_order_one_asks():
    routes = fresh()
    for entry in reversed(WHOLE.entries):
        path = entry.template.replace("{", "").replace("}", "")
        for method in ("GET", "POST", "DELETE"):
            assert found(routes, method, path) == found(WHOLE, method, path)


@pytest.mark.parametrize("before", ["/", "/v1/tokenize", "/v1/models", "/decode", "/health", "/compat/tei/decode"])
def test_a_path_without_a_route_has_the_same_dialect_whatever_was_asked_for_before(before):
    for path in UNKNOWN_PATHS:
        routes = fresh()
        routes.find("GET", before)
        assert found(routes, "POST", path) == found(WHOLE, "POST", path)


def test_only_what_may_answer_is_imported():
    routes = fresh()
    routes.find("POST", "/train/delete")
    assert {entry.template.split("/")[1] for entry in routes.table.entries} == {
        *("train", "healthz", "openapi.json", "metrics", "static")
    }


def test_the_order_of_the_routes_is_that_of_the_list_whoever_asks_first():
    routes = fresh()
    prefixes = [prefix for prefixes in CAPABILITIES.values() for prefix in prefixes]
    with ThreadPoolExecutor(8) as threads:
        [*threads.map(routes.load, [*reversed(prefixes), None, *prefixes])]
    listed = [(entry.template, entry.methods) for entry in WHOLE.entries]
    assert [(entry.template, entry.methods) for entry in routes.entries] == listed
