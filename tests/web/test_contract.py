"""The description of the API is true: Schemathesis asks every operation in valid and in broken ways, many times."""

from dataclasses import replace

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

from tests.conftest import ROOMY, SCHEMATHESIS_CASES

CHECKS = ChecksConfig(
    # What a schema cannot say: which ids a vocabulary has, which engines a tokenizer, what a corpus must hold, how many
    # numbers all rows may have together.
    positive_data_acceptance=PositiveDataAcceptanceConfig(expected_statuses=["2xx", 400, 404, 413, 414, 422, 503]),
    # Of trainings, two may be under way.
    not_a_server_error=NotAServerErrorConfig(expected_statuses=["2xx", "4xx", 503]),
)
GENERATION = GenerationConfig(max_examples=SCHEMATHESIS_CASES, deterministic=True)
CONFIG = schemathesis.Config(
    seed=0, projects=ProjectsConfig(default=ProjectConfig(checks=CHECKS, generation=GENERATION))
)
APP = create_app(replace(ROOMY, allowed_hosts=("testserver",), max_text=20_000))
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", APP, config=CONFIG)


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return str(value).encode(errors="replace")


@SCHEMA.parametrize()
def test_every_answer_is_as_it_is_described(case):
    response = case.call_and_validate()
    assert response.status_code != 503 or response.json()["code"] == "overloaded"
