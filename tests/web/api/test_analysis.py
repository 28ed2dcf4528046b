"""The figures of a vocabulary: computed by a job on the first request, kept, deleted with the tokenizer."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from tokenarium.__main__ import main
from tokenarium.atomic_files import hash_owner
from tokenarium.jobs.atomic_store import read_owner
from tokenarium.jobs.events import LOCK
from tokenarium.lab.vocabulary.analysing import analyse_vocabulary
from tokenarium.lab.vocabulary.analysis import load_analysis, load_figures, save_analysis
from tokenarium.lab.vocabulary.analysis_process import AnalysisSpec
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.web.services import get_services

from tests.conftest import ROOMY, asker
from tests.support.asking import asking
from tests.support.faulty_files import GOOD
from tests.support.shelves import OwnRegistry

HTMX = {"HX-Request": "true"}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "local"


@pytest.fixture
def ask(place, registry):
    """Send requests to an app that keeps in a folder of this test."""
    settings = replace(ROOMY, local=place)
    return asker(OwnRegistry(settings, registry), local=place)


def added(ask, **fields):
    """Add a small tokenizer of WordPiece, and return its id."""
    files = [("file", (name, data, "application/octet-stream")) for name, data in GOOD.items()]
    answer = ask("POST", "/api/tokenizers", files=files, data={"name": "small", **fields})
    assert answer.status_code == 201
    return answer.json()["id"]


def figures(ask, id):
    """Ask until the figures are there; return them and the states on the way."""
    states = []
    while (answer := ask("GET", f"/api/vocabulary/{id}")).status_code == 202:
        assert answer.headers["Retry-After"] == "1"
        states.append(answer.json())
        time.sleep(0.1)
    assert answer.status_code == 200, answer.text
    return answer.json(), states


def test_the_first_request_starts_the_analysis_and_later_ones_get_the_figures(ask, place):
    id = added(ask)
    answer, states = figures(ask, id)
    assert states[0] == {"id": id, "state": "running", "doing": "Starting", "share": 0.0, "problem": None}
    shares = [state["share"] for state in states]
    assert shares == sorted(shares)
    assert answer["id"] == id
    assert sum(answer["classes"].values()) == answer["tokens"]
    assert ask("GET", f"/api/vocabulary/{id}").json() == answer
    # They lie beside the files and go with them.
    assert [path.suffix for path in sorted((place / id).glob("analysis-*"))] == [".json", ".npz"]
    assert ask("DELETE", f"/api/tokenizers/{id}").status_code == 204
    assert not (place / id).exists()
    assert ask("GET", f"/api/vocabulary/{id}").status_code == 404


def test_the_page_shows_progress_and_then_the_figures_without_a_script(ask):
    id = added(ask)
    page = ask("GET", f"/vocabulary/{id}/summary")
    assert page.status_code == 200
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page.text
    assert f'hx-get="/vocabulary/{id}/summary" hx-trigger="every 700ms"' in page.text
    figures(ask, id)
    page = ask("GET", f"/vocabulary/{id}/summary").text
    assert "refresh" not in page
    assert "hx-trigger" not in page
    assert "Tokens any text can produce" in page
    assert "under-trained" not in page
    part = ask("GET", f"/vocabulary/{id}/summary", headers=HTMX).text
    assert part.lstrip().startswith('<div id="summary">')


def test_a_private_tokenizer_is_analysed_and_its_hour_is_not_prolonged(ask, place):
    id = added(ask, keep="0")
    folder = place / ".private" / id
    before = folder.stat().st_mtime_ns
    answer, _ = figures(ask, id)
    assert answer["id"] == id
    assert len([*folder.glob("analysis-*")]) == 2
    assert folder.stat().st_mtime_ns == before


def test_an_analysis_waits_while_as_many_run_as_may(place):
    app = create_app(replace(ROOMY, local=place))
    get_services(app).analyses.limit = 0
    ask = asking(app)
    id = added(ask)
    answer = ask("GET", f"/api/vocabulary/{id}")
    waiting = {"state": "waiting", "doing": "Waiting for other analyses to end", "share": 0.0, "problem": None}
    assert (answer.status_code, answer.json()) == (202, {"id": id, **waiting})
    page = ask("GET", f"/vocabulary/{id}/summary")
    assert page.status_code == 200
    assert 'hx-trigger="every 700ms"' in page.text
    get_services(app).analyses.limit = 1
    assert figures(ask, id)[0]["id"] == id


def test_an_analysis_counts_for_the_address_that_asks_for_it(place):
    app = create_app(replace(ROOMY, local=place))
    ask, analyses = asking(app, address="192.0.2.1"), get_services(app).analyses
    figures(ask, added(ask))
    (job,) = analyses.all()
    assert read_owner(job.folder) == hash_owner(analyses.folder, "192.0.2.1")


@pytest.mark.nightly
def test_the_id_of_a_tokenizer_may_contain_slashes(tmp_path, place):
    for name in ("one", "two"):
        folder = tmp_path / name / "same"
        folder.mkdir(parents=True)
        for file, data in GOOD.items():
            (folder / file).write_bytes(data)
    settings = replace(ROOMY, local=place, hub=tuple(str(tmp_path / name / "same") for name in ("one", "two")))
    ask = asker(Registry(settings), local=place, hub=settings.hub)
    answer, _ = figures(ask, "two/same")
    assert answer["id"] == "two/same"
    assert ask("GET", "/vocabulary/two/same/summary").status_code == 200
    # Changed files have another analysis.
    (tmp_path / "two" / "same" / "tokenizer.json").write_bytes(GOOD["tokenizer.json"].replace(b'"the"', b'"tha"'))
    assert ask("GET", "/api/vocabulary/two/same").status_code == 202


def test_where_nothing_can_be_written_the_figures_are_computed_at_once(tmp_path, registry):
    (tmp_path / "file").write_text("no folder")
    ask = asker(registry, local=tmp_path / "file" / "local")
    answer = ask("GET", "/api/vocabulary/udhr-unigram-16k")
    assert answer.status_code == 200
    assert answer.json()["classes"]["ok"] == 15787
    assert "15,787" in ask("GET", "/vocabulary/udhr-unigram-16k/summary").text


@pytest.mark.parametrize(
    ("id", "status", "code"), [("nonesuch", 404, "unknown-tokenizer"), ("words", 422, "invalid"), ("a/b", 404, None)]
)
def test_what_has_no_vocabulary_is_refused_with_the_reason(ask, id, status, code):
    answer = ask("GET", f"/api/vocabulary/{id}")
    assert answer.status_code == status
    assert code in (None, answer.json()["code"])
    page = ask("GET", f"/vocabulary/{id}/summary", headers={"Accept": "text/html"})
    assert page.status_code == status
    assert "<h1" in page.text


def test_a_failure_is_shown_and_tried_again_on_request(place):
    settings = replace(ROOMY, local=place, job_seconds=0)
    ask = asker(Registry(settings), local=place, job_seconds=0)
    id = added(ask)
    while (answer := ask("GET", f"/api/vocabulary/{id}")).status_code == 202:
        time.sleep(0.1)
    assert answer.status_code == 422
    assert answer.json()["problem"]["code"] == "over-limit"
    page = ask("GET", f"/vocabulary/{id}/summary")
    assert page.status_code == 422
    assert "This takes more than 0 seconds." in page.text
    answer = ask("POST", f"/vocabulary/{id}/summary", headers={"Origin": "http://127.0.0.1:8000"})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/vocabulary/{id}/summary")
    assert ask("GET", f"/api/vocabulary/{id}").status_code == 202


def test_an_analysis_that_dies_is_interrupted_and_not_started_anew(place):
    app = create_app(replace(ROOMY, local=place))
    ask = asker(get_services(app).registry, local=place)
    id = added(ask)
    assert ask("GET", f"/api/vocabulary/{id}").status_code == 202
    (job,) = get_services(app).analyses.all()
    os.kill(int((job.folder / LOCK).read_text()), signal.SIGKILL)
    while not (events := job.events()) or events[-1]["kind"] != "interrupted":
        time.sleep(0.02)
    for _ in range(2):
        answer = ask("GET", f"/api/vocabulary/{id}")
        assert (answer.status_code, answer.json()["state"]) == (500, "interrupted")
        assert answer.json()["problem"]["code"] == "interrupted"
    assert len([*get_services(app).analyses.all()]) == 1


def test_a_picture_of_another_site_starts_no_analysis(ask, place):
    id = added(ask)
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    for path in (f"/api/vocabulary/{id}", f"/vocabulary/{id}/summary"):
        assert ask("GET", path, headers=image).status_code == 403
    assert not (place / ".analysing").exists()
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert ask("GET", f"/vocabulary/{id}/summary", headers=link).status_code == 200
    assert (place / ".analysing").exists()


@pytest.mark.nightly
def test_a_damaged_file_counts_as_none(place, registry):
    settings, record = replace(ROOMY, local=place), registry.record("mistral-v1")
    save_analysis(
        settings, record, analyse_vocabulary(registry.record("udhr-unigram-16k"), registry.get("udhr-unigram-16k"))
    )
    assert load_figures(settings, record)["id"] == "udhr-unigram-16k"
    for path in (place / ".analyses").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert load_figures(settings, record)["id"] == "mistral-v1"  # as it is recorded in the store
    assert load_analysis(settings, registry, "mistral-v1") is None


def test_figures_of_the_store_are_there_at_once_and_the_tokens_follow(ask, place):
    first = ask("GET", "/api/vocabulary/udhr-unigram-16k")
    assert (first.status_code, first.json()["classes"]["ok"]) == (200, 15787)
    while 'name="class"' not in ask("GET", "/vocabulary/udhr-unigram-16k").text:
        time.sleep(0.2)
    assert ask("GET", "/api/vocabulary/udhr-unigram-16k/tokens/300").json()["class"] == "ok"


def test_the_command_keeps_the_figures_of_a_folder(place, tmp_path, monkeypatch, capfd):
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, data in GOOD.items():
        (folder / name).write_bytes(data)
    monkeypatch.setenv("TOKENARIUM_LOCAL", str(place))
    monkeypatch.setenv("TOKENARIUM_MODELS", str(folder))
    main(["vocabulary", "mine"])
    assert "Classes (Land and Bartolo 2024)" in capfd.readouterr().out
    assert len([*(place / ".analyses").iterdir()]) == 2


def test_the_command_prints_the_report(place, monkeypatch, capfd):
    monkeypatch.setenv("TOKENARIUM_LOCAL", str(place))
    main(["vocabulary", "udhr-unigram-16k"])
    first = capfd.readouterr().out
    assert "udhr-unigram-16k: 16,000 tokens, ids 0 to 15999, 0 of them unused" in first
    assert "       84  no text found: No character that was tried falls back to this byte." in first
    assert "No text found among 147,142 tries." in first
    assert not place.exists()  # it was recorded
    main(["vocabulary", "udhr-unigram-16k", "--json"])
    assert json.loads(capfd.readouterr().out)["classes"]["ok"] == 15787


def test_a_job_ends_with_the_process_that_started_it(place):
    folder = place / "job"
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tokenarium", "job", "analysis", str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, "TOKENARIUM_LOCAL": str(place)})
    process.stdin.write(AnalysisSpec(id="gemma4", settings=Settings(local=place)).dump())
    process.stdin.close()
    assert process.wait() == 1
