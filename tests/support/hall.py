"""A hall over an `ask`: its lecturer and its phones, each with its cookie."""

import re
from dataclasses import dataclass, field
from typing import Any

from tokenarium.web.services import get_services

from tests.support.asking import LOOP

SLIDE = {
    "kind": "slide",
    "at": 3,
    "place": "3 of 9",
    "title": "Merge the most frequent pair",
    "caption": "The pair t h occurs 9 times.",
    "rows": [
        {
            "label": "×5",
            "tokens": [{"text": "th", "id": 400, "tone": 4, "mark": "new"}, {"text": " cat"}],
            "after": "+3 more",
        },
        {"tokens": [{"text": "<b>"}]},
    ],
    "tables": [{"title": "Pairs", "heads": ["pair", "count"], "rows": [{"cells": ["t h", "9"], "mark": "chosen"}]}],
    "address": "/steps?text=the+cat",
    "question": "q",
}
ASKED = {"kind": "asked", "id": "q", "prompt": "Which pair is next?", "choices": ["a t", "t h", "<i>"]}
REVEALED = {"kind": "revealed", "id": "q", "right": "1", "reason": "It occurs most often."}


@dataclass
class Visitor:
    """Somebody who keeps the cookies of one hall."""

    ask: Any
    code: str = ""
    cookies: dict[str, str] = field(default_factory=dict)

    def send(self, method, path, **options):
        """Send a request to the hall, or to a whole path."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        options["headers"] = {"Cookie": cookie} | options.get("headers", {})
        answer = self.ask(method, path if path.startswith("/") else f"/hall/{self.code}/{path}".rstrip("/"), **options)
        self.cookies |= dict(answer.cookies)
        return answer

    def get(self, path="", **options):
        return self.send("GET", path, **options)

    def post(self, path, **fields):
        return self.send("POST", path, data=fields)

    def stage(self, event, **changes):
        return self.send("POST", "stage", json={**event, **changes})


def open_hall(ask):
    """The lecturer of a new hall."""
    lecturer = Visitor(ask)
    answer = lecturer.send("POST", "/hall")
    assert answer.status_code == 200, answer.text
    lecturer.code = re.search(r'data-code="(\w+)"', answer.text)[1]
    return lecturer


def known_hall(app, code):
    """The hall of a code, as an app knows it."""
    with LOOP as portal:
        return portal.call(get_services(app).halls.get, code)


def enter(lecturer):
    """A phone that has opened the page of the hall of a lecturer or of another phone."""
    phone = Visitor(lecturer.ask, lecturer.code)
    assert phone.get().status_code == 200
    return phone
