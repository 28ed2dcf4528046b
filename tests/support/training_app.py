"""An app that trains in a folder of its own; fixtures for the tests that name them."""

import time
from dataclasses import replace

import pytest
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.services import get_services

from tests.support.asking import asking
from tests.support.shelves import OwnRegistry, few_languages


@pytest.fixture
def app(tmp_path, registry):
    settings = replace(Settings(), store=few_languages(), local=tmp_path / "local", workers=0)
    made = create_app(settings, registry=OwnRegistry(settings, registry))
    yield made
    for job in get_services(made).trainings.all():
        get_services(made).trainings.cancel(job.id)


@pytest.fixture
def ask(app):
    """Send one request to the app."""
    return asking(app)


def ended(ask, id):
    """The job, once it is not running any more; the time limit of the test ends one that never does."""
    while (job := ask("GET", f"/api/jobs/{id}").json())["state"] == "running":
        time.sleep(0.02)
    return job
