"""Halls whose limits do not depend on how long a test takes."""

from dataclasses import fields

import pytest
from tokenarium.main import create_app
from tokenarium.web.services import get_services

from tests.conftest import ROOMY
from tests.support.asking import asking


@pytest.fixture
def ask(registry):
    """Send one request to a fresh app, where no turn comes back with time."""
    app = create_app(ROOMY, registry=registry)
    limits = get_services(app).halls.limits
    for limit in fields(limits):
        getattr(limits, limit.name).rate = 0
    return asking(app)
