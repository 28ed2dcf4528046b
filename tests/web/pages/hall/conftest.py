"""Halls whose limits do not depend on how long a test takes."""

from dataclasses import fields

import pytest
from tokenarium.main import create_app
from tokenarium.web.services import get_services

from tests.conftest import ROOMY
from tests.support.asking import asking


@pytest.fixture
def app(registry):
    """A fresh app, where no turn comes back soon."""
    app = create_app(ROOMY, registry=registry)
    limits = get_services(app).halls.limits
    for limit in fields(limits):
        getattr(limits, limit.name).rate = 1e-6
    return app


@pytest.fixture
def ask(app):
    """Send one request to the app."""
    return asking(app)
