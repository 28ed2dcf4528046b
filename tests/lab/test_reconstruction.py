"""A count beside Claude's range, by a package that the settings name: the same everywhere, and from a worker."""

import json
import os
import sys
from dataclasses import replace
from importlib import invalidate_caches

import httpx
import pytest
from tokenarium.agents.tools import AgentTools
from tokenarium.lab.reconstruction import reconstruct
from tokenarium.lab.token_ranges import find_range
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.web.services import get_services

from tests.conftest import ROOMY
from tests.support.asking import LOOP, asking

CODE = '''
import os

def token_count(text, version):
    """Seven tokens around the words, of which version 5.0 has two each; an empty message has one more."""
    if text == "hard":
        raise ValueError("no rule for\\nthis.")
    if text == "process":
        return 7 + os.getpid()
    return 7 + (len(text.split()) or 1) * (2 if version == "5.0" and text != "a" else 1)
'''
TEXT = "one two three"
WHAT = "reconstruction by wordly 0.7, not Anthropic’s"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The name of a package that is installed for a test."""
    (tmp_path / "wordly.py").write_text(CODE)
    (tmp_path / "bare.py").write_text("")
    metadata = tmp_path / "wordly-0.7.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: wordly\nVersion: 0.7\n")
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    yield "wordly"
    for name in ("wordly", "bare"):
        sys.modules.pop(name, None)


@pytest.fixture
def ask_beside(package):
    """Send one request to an app with the package: `ask_beside("POST", "/api/count", json=…)`."""
    return asking(create_app(replace(ROOMY, reconstruction=package)))


@pytest.mark.parametrize("path", ["/api/count", "/tokenize", "/api/tokenize"])
def test_the_api_gives_it_beside_the_range(ask_beside, path):
    include = {} if path == "/api/count" else {"include": ["counts"]}
    answer = ask_beside("POST", path, json={"tokenizer": "claude-sonnet-5", "text": TEXT, **include}).json()
    assert (answer["count"], answer["range"]["low"], answer["range"]["high"]) == (None, 3, 6)
    assert answer["reconstruction"] == {"count": 6, "by": "wordly 0.7"}
    assert answer["notes"][1:] == [f"≈ 6 · {WHAT}"]


def test_each_version_is_counted_as_its_own_and_an_empty_text_has_none(ask_beside):
    for model, counts in (("claude-sonnet-5", [6, 0]), ("claude-opus-4-7", [3, 0]), ("claude-3-haiku", [3, 0])):
        answers = ask_beside("POST", "/api/count", json={"tokenizer": model, "text": [TEXT, ""]}).json()
        assert [one["reconstruction"]["count"] for one in answers] == counts


def test_the_pages_show_it_below_the_range(ask_beside):
    rows = ask_beside("POST", "/models", data={"text": TEXT, "models": "gpt-5 claude-sonnet-5"}).text
    assert rows.count(WHAT) == 1
    assert "~ 3–6</td>" in rows
    assert f'<span class="model-tokens">≈ 6</span> · {WHAT}' in rows
    table = ask_beside("POST", "/compare", data={"text": TEXT, "tokenizer": ["o200k_base", "claude-sonnet-5"]}).text
    assert f'<span class="model-tokens">≈ 6</span> · {WHAT}' in table
    costs = ask_beside("POST", "/api/costs", json={"text": TEXT, "models": ["gpt-5", "claude-sonnet-5"]}).json()
    assert [one["reconstruction"] for one in costs["models"]] == [None, {"by": "wordly 0.7", "count": 6, "reason": ""}]


def test_the_command_and_the_agents_give_it(package, said, monkeypatch):
    monkeypatch.setenv("TOKENARIUM_RECONSTRUCTION", package)
    status, out, err = said("count", "-t", "claude-sonnet-5,gpt-4o", "-e", TEXT, "-e", "four")
    assert (status, err.splitlines()[1:]) == (0, [f"Note: {WHAT}"])
    assert [line.split()[:3] for line in out.splitlines()] == [
        ["claude-4.7", "o200k_base", "wordly"],
        ["3-6", "3", "6"],
        ["1-2", "1", "2"],
        ["4-8", "4", "8"],
    ]
    answer = json.loads(said("count", "-t", "claude-sonnet-5", "--json", "-e", TEXT)[1])
    assert answer["reconstruction"] == {"count": 6, "by": "wordly 0.7"}
    tools = AgentTools(Registry(replace(ROOMY, reconstruction=package)), ROOMY)
    assert tools.count(TEXT, "claude-sonnet-5")["reconstruction"] == {"count": 6, "by": "wordly 0.7"}


def test_what_the_package_cannot_count_keeps_its_range(ask_beside, said, monkeypatch):
    answer = ask_beside("POST", "/api/count", json={"tokenizer": "claude", "text": "hard"}).json()
    assert (answer["range"]["low"], answer["reconstruction"]["count"]) == (1, None)
    assert answer["notes"][1:] == ["No reconstruction by wordly 0.7: no rule for this"]
    rows = ask_beside("POST", "/models", data={"text": "hard", "models": "claude-sonnet-5"}).text
    assert "~ 1–2</td>" in rows
    assert "No reconstruction by wordly 0.7: no rule for this" in rows
    monkeypatch.setenv("TOKENARIUM_RECONSTRUCTION", "wordly")
    status, out, err = said("count", "-t", "claude", "-e", "hard")
    assert (status, out.split()[5:7], "no rule for this" in err) == (0, ["1-2", "nan"], True)


def test_a_text_that_would_take_long_keeps_its_range(package):
    registry = Registry(Settings(reconstruction=package))
    assert reconstruct(registry, find_range("claude"), "a " * 250_000).count == 250_000
    assert reconstruct(registry, find_range("claude"), "a " * 250_001).sentence == (
        "No reconstruction by wordly 0.7: The text has more than 500,000 characters."
    )


def test_it_runs_in_a_worker_and_never_in_the_server(package, tmp_path):
    async def send():
        app = create_app(Settings(workers=1, max_wait=1000.0, local=tmp_path, reconstruction=package))
        sent = [{"tokenizer": "claude", "text": text} for text in ("warm", "process", "process")]
        try:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
                return [(await client.post("/api/count", json=one, timeout=None)).json() for one in sent]
        finally:
            await get_services(app).workers.stop()

    with LOOP as portal:
        counts = {answer["reconstruction"]["count"] for answer in portal.call(send)[1:]}
    assert counts
    assert counts.isdisjoint({os.getpid(), None})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nonesuch", "No module named 'nonesuch'"),
        ("bare", "module 'bare' has no attribute 'token_count'"),
        ("wordly.nonesuch", "No module named 'wordly.nonesuch'; 'wordly' is not a package"),
    ],
)
def test_a_package_that_is_not_there_or_does_not_count_is_said_at_the_start(package, name, reason):
    with pytest.raises(SystemExit) as refusal:
        Settings.from_env({"TOKENARIUM_RECONSTRUCTION": name})
    must = "TOKENARIUM_RECONSTRUCTION must name an installed package with a function token_count(text, version)"
    assert str(refusal.value) == f"{must}: {reason}"
    assert Settings.from_env({"TOKENARIUM_RECONSTRUCTION": package}).reconstruction == "wordly"
