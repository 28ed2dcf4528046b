"""The description of the API is true: Schemathesis asks every operation in valid and in broken ways, many times."""

from dataclasses import replace

import pytest
import schemathesis
from schemathesis.config import (
    ChecksConfig,
    GenerationConfig,
    NotAServerErrorConfig,
    PositiveDataAcceptanceConfig,
    ProjectConfig,
    ProjectsConfig,
)
from tokenarium.main import create_app

from tests.conftest import ROOMY

CHECKS = ChecksConfig(
    # What a schema cannot say: which ids a vocabulary has, which engines a tokenizer, what a corpus must hold, how many
    # numbers all rows may have together, which tokenizers are bundled.
    positive_data_acceptance=PositiveDataAcceptanceConfig(expected_statuses=["2xx", 400, 403, 404, 413, 414, 422, 503]),
    # Of trainings, two may be under way.
    not_a_server_error=NotAServerErrorConfig(expected_statuses=["2xx", "4xx", 503]),
)
CHECKS.negative_data_rejection.expected_statuses += ["413", "414"]  # what is wrong may be too long as well
GENERATION = GenerationConfig(max_examples=500, deterministic=True)
CONFIG = schemathesis.Config(
    seed=0, projects=ProjectsConfig(default=ProjectConfig(checks=CHECKS, generation=GENERATION))
)
pytestmark = pytest.mark.timeout(1800)  # hundreds of requests to each operation
APP = create_app(replace(ROOMY, allowed_hosts=("testserver",), max_text=20_000))


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return str(value).encode(errors="replace")


@pytest.fixture(scope="module")
def schema():
    return schemathesis.openapi.from_asgi("/openapi.json", APP, config=CONFIG)


@pytest.fixture(autouse=True)
def node(request):
    """Schemathesis reads what pytest 9 has no more."""
    request.node._nodeid = request.node.nodeid


# Schemathesis makes the cases of a description that a fixture gives when the test runs, and those of any other while
# tests are collected, in each process that runs tests. Six tests share the operations, so that none takes long.
DESCRIBED = schemathesis.pytest.from_fixture("schema")
FIRST, OTHERS, DIALECTS = "^/api/[a-j]", "^/api/[^a-j]", "^/(?!api/)"
QUESTIONS = "^(?!POST$)"


@DESCRIBED.include(method_regex=QUESTIONS, path_regex=FIRST).parametrize()
def test_answers_to_questions_are_as_they_are_described(case):
    check(case)


@DESCRIBED.include(method_regex=QUESTIONS, path_regex=OTHERS).parametrize()
def test_answers_to_more_questions_are_as_they_are_described(case):
    check(case)


@DESCRIBED.include(method="POST", path_regex="^/api/b").parametrize()
def test_answers_beyond_text_are_as_they_are_described(case):
    check(case)


@DESCRIBED.include(method="POST", path_regex="^/api/[ac-j]").parametrize()
def test_answers_to_requests_are_as_they_are_described(case):
    check(case)


@DESCRIBED.include(method="POST", path_regex=OTHERS).parametrize()
def test_answers_to_more_requests_are_as_they_are_described(case):
    check(case)


@DESCRIBED.include(path_regex=DIALECTS).parametrize()
def test_answers_in_dialects_are_as_they_are_described(case):
    check(case)


def check(case):
    response = case.call_and_validate()
    assert response.status_code != 503 or response.json()["code"] == "overloaded"
    assert response.status_code != 403 or case.method == "DELETE"  # of a bundled tokenizer
