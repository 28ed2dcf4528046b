"""Surgery as a page and an API: a job, a report, files, a tokenizer under a name; refusals with the cause."""

import csv
import html
import io
import json
import re
import time
from dataclasses import replace

import httpx
import pytest
from tokenarium.files.archives import unzip_files
from tokenarium.jobs.atomic_store import OWNER
from tokenarium.lab.surgery.jobs import result_file
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.services import get_services
from tokenizers import Tokenizer

from tests.support.asking import asking
from tests.support.corpora import ENGLISH, SHAN, long_text
from tests.support.own_record import own
from tests.support.shelves import OwnRegistry, few_languages

FORM = {"sent": "1", "keep_characters": "1", "renumber": "1", "add_characters": "1", "proof": "100", "held_out": "10"}


def app_with(registry, **changes):
    settings = replace(Settings(), store=few_languages(), workers=0, **changes)
    return create_app(settings, registry=OwnRegistry(settings, registry))


@pytest.fixture
def app(tmp_path, registry):
    made = app_with(registry, local=tmp_path / "local")
    yield made
    for job in get_services(made).surgeries.all():
        get_services(made).surgeries.cancel(job.id)


@pytest.fixture
def ask(app):
    return asking(app, cookies=httpx.Cookies())


@pytest.fixture
def mine(ask):
    """The id of a small tokenizer that a user has added."""
    data = own().file("tokenizer.json")
    answer = ask("POST", "/api/tokenizers", files=[("file", ("tokenizer.json", data))], data={"name": "Mine"})
    return answer.json()["id"]


def ended(ask, id):
    """The job, once it is not running any more; the time limit of the test ends one that never does."""
    while (job := ask("GET", f"/api/surgery/{id}").json())["state"] == "running":
        time.sleep(0.02)
    return job


def start(ask, **wanted):
    body = json.dumps({"proof": 100, **wanted})  # which spells half a surrogate pair as an escape
    return ask("POST", "/api/surgery", content=body, headers={"Content-Type": "application/json"})


def test_a_job_ends_in_a_report_files_and_a_tokenizer_that_works(ask, mine):
    options = {"operation": "extend", "tokens": 50, "multiple": 64, "name": "Mine for Shan"}
    answer = start(ask, tokenizer=mine, texts=[SHAN], **options)
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/api/surgery/{answer.json()['id']}"
    job = ended(ask, answer.json()["id"])
    assert (job["state"], job["problem"], job["report"]["size"]) == ("finished", None, {"before": 600, "after": 704})
    names = ["tokenizer.json", "tokenizer_config.json", "ids.csv", "ids.json", "embeddings.py", "report.json"]
    assert [file.rpartition("/")[2] for file in job["files"]] == [*names, "surgery.zip"]
    text = SHAN[-500:]
    tokenized = ask("POST", "/tokenize", json={"text": text, "tokenizer": job["kept"]}).json()
    before = ask("POST", "/tokenize", json={"text": text, "tokenizer": mine}).json()
    assert tokenized["count"] < before["count"] / 2
    library = Tokenizer.from_buffer(ask("GET", job["files"][0]).content)
    assert tokenized["ids"] == library.encode(text).ids
    listed = {one["id"]: one for one in ask("GET", "/api/tokenizers").json()}
    assert listed[job["kept"]]["title"] == "Mine for Shan"


def test_a_job_leaves_a_log_of_its_steps_and_files_and_the_original_as_it_was(ask, app, mine):
    original = ask("GET", f"/api/tokenizers/{mine}").content
    job = ended(ask, start(ask, tokenizer=mine, texts=[ENGLISH], operation="prune").json()["id"])
    assert ask("GET", f"/api/tokenizers/{mine}").content == original
    assert job["kept"] is None
    assert [step["what"] for step in job["steps"]][:3] == ["Loading the tokenizer", "Reading the corpus", "Pruning"]
    assert job["steps"][0]["result"] == "600 tokens"
    events = ask("GET", f"/api/surgery/{job['id']}/events").text
    assert events.count("event: step\n") == len(job["steps"]) == 7
    stream = ask("GET", f"/surgery/jobs/{job['id']}/stream").text
    assert "data-ended" in stream
    assert stream.endswith("event: done\ndata: \n\n")
    assert "100 texts, no difference" in ask("GET", f"/surgery/jobs/{job['id']}").text
    answers = [ask("GET", file) for file in job["files"]]
    assert [answer.status_code for answer in answers] == [200] * 7
    assert answers[2].headers["content-type"] == "text/csv; charset=utf-8"
    assert answers[2].headers["content-disposition"] == 'attachment; filename="ids.csv"'
    rows = [*csv.DictReader(io.StringIO(answers[2].text))]
    assert len(rows) == job["report"]["size"]["after"]
    assert json.loads(answers[5].content) == job["report"]
    assert unzip_files(answers[6].content)["tokenizer.json"] == answers[0].content
    assert ask("GET", f"/api/surgery/{job['id']}/download/other").status_code == 404
    (get_services(app).surgeries.get(job["id"]).result() / "ids.csv").unlink()
    assert ask("GET", f"/api/surgery/{job['id']}/download/ids.csv").status_code == 404


def test_the_page_takes_a_form_with_files_and_shows_the_report(ask, mine):
    fields = {**FORM, "tokenizer": mine, "operation": "extend", "tokens": "30", "name": "<b>Mine"}
    answer = ask("POST", "/surgery", data=fields, files=[("file", ("shan.txt", SHAN.encode()))])
    assert answer.status_code == 303
    place = answer.headers["Location"]
    job = ended(ask, place.rpartition("/")[2])
    page = ask("GET", place).text
    assert "30 new tokens; held-out text takes" in page
    assert f'<a href="/?tokenizer={job["kept"]}"><bdi>&lt;b&gt;Mine</bdi></a>' in page
    assert "256 of 256 bytes can still be encoded" in page
    assert "shan.txt" in page
    assert "refresh" not in page


def test_the_form_has_what_an_address_says(ask):
    page = ask("GET", "/surgery?tokenizer=qwen3&operation=prune&by=scripts&scripts=Latin+Greek&corpus=udhr:shn").text
    assert '<option value="scripts" selected>' in page
    assert 'name="scripts" value="Latin Greek"' in page
    assert 'value="udhr:shn" checked' in page
    assert 'name="renumber" value="1" checked' in page


def test_a_running_job_reloads_and_can_be_cancelled(ask, app):
    id = start(ask, tokenizer="gpt2", texts=[long_text(400_000)], proof=100_000, name="Never").json()["id"]
    page = ask("GET", f"/surgery/jobs/{id}").text
    assert '<noscript><meta http-equiv="refresh" content="1"></noscript>' in page
    assert f'hx-sse:connect="/surgery/jobs/{id}/stream"' in page
    assert ask("POST", f"/surgery/jobs/{id}/cancel").status_code == 303
    page = ask("GET", f"/surgery/jobs/{id}").text
    assert "Cancelled" in page
    assert "Nothing was kept" in page
    assert ask("GET", f"/api/surgery/{id}").json()["state"] == "cancelled"
    assert ask("GET", f"/api/surgery/{id}/download/tokenizer.json").status_code == 409
    answer = ask("GET", f"/api/surgery/{id}/download/surgery.zip")
    assert (answer.status_code, answer.json()["code"]) == (409, "not-finished")
    assert "Never" not in ask("GET", "/api/tokenizers").text
    with pytest.raises(Exception, match="nothing to download"):
        result_file(get_services(app).surgeries.get(id), "ids.csv")


def test_only_some_run_at_a_time(ask):
    slow = {"tokenizer": "gpt2", "texts": [long_text(400_000)], "proof": 100_000}
    first = [start(ask, **slow) for _ in range(2)]
    assert [answer.status_code for answer in first] == [202, 202]
    third = start(ask, **slow)
    assert (third.status_code, third.json()["code"]) == (503, "overloaded")
    assert third.json()["detail"] == "2 of 2 operations are running; wait for one to end."
    assert [ask("DELETE", f"/api/surgery/{one.json()['id']}").status_code for one in first] == [200, 200]


def test_where_nothing_is_kept_the_result_is_private(tmp_path, registry):
    ask = asking(app_with(registry, local=tmp_path / "local", keep=False), cookies=httpx.Cookies())
    fields = {**FORM, "tokenizer": "bert-base-uncased", "operation": "tokens", "multiple": "64", "name": "BERT 64"}
    place = ask("POST", "/surgery", data=fields).headers["Location"]
    job = ended(ask, place.rpartition("/")[2])
    assert job["kept"].startswith("private-")
    ask("GET", place)
    assert "BERT 64" in ask("GET", "/surgery").text  # in the picker of this browser
    assert job["kept"] not in ask("GET", "/api/tokenizers").text
    count = ask("POST", "/tokenize", json={"text": "the man", "tokenizer": job["kept"]}).json()["ids"]
    assert count == [1996, 2158]


def test_what_is_kept_shares_the_room_by_the_address_of_who_started_the_job(app, mine):
    marks = []
    for number, host in enumerate((1, 1, 2)):
        ask = asking(app, address=f"192.0.2.{host}")
        fields = {**FORM, "tokenizer": mine, "operation": "tokens", "multiple": "64", "name": f"Mine {number}"}
        place = ask("POST", "/api/surgery/form", data=fields).headers["Location"]
        kept = ended(ask, place.rpartition("/")[2])["kept"]
        marks.append((get_services(app).settings.local / kept / OWNER).read_text())
    assert marks[0] == marks[1] != marks[2]


def test_a_preview_answers_in_place_and_starts_nothing(ask, app, mine):
    fields = {**FORM, "tokenizer": mine, "operation": "extend", "tokens": "30", "sample": SHAN[:40]}
    files = [("file", ("shan.txt", SHAN.encode()))]
    page = ask("POST", "/surgery/preview", data=fields, files=files).text
    assert "Mine</bdi> would have 630 tokens instead of 600" in page
    part = ask("POST", "/surgery/preview", data=fields, files=files, headers={"HX-Request": "true"}).text
    assert "<html" not in part
    assert "<strong>30</strong> are new" in part
    assert "<td>is new</td>" in part
    assert [*get_services(app).surgeries.all()] == []


def test_a_refused_preview_names_the_field(ask, mine):
    fields = {**FORM, "tokenizer": mine, "keep_ids": "600", "text": ENGLISH}
    answer = ask("POST", "/surgery/preview", data=fields, headers={"HX-Request": "true", "HX-Request-Type": "partial"})
    assert answer.status_code == 200
    assert 'data-pointer="/keep_ids"' in answer.text


def test_a_sample_patient_shows_its_preview_at_once(ask):
    page = ask("GET", "/surgery").text
    links = re.findall('href="(/surgery[?][^"]+&amp;preview=1)"', page)
    assert len(links) == 5
    assert 'hx-trigger="click, load"' not in page
    assert all('hx-trigger="click, load"' in ask("GET", link.replace("&amp;", "&")).text for link in links)


def test_a_change_is_undone_by_going_on_from_the_version_before(ask, mine):
    made = ended(ask, start(ask, tokenizer=mine, operation="tokens", multiple=64, name="Padded").json()["id"])["kept"]
    page = ask("GET", f"/surgery?tokenizer={made}").text
    assert f'<a href="/surgery?tokenizer={mine}"><bdi>Mine</bdi></a>' in page
    assert 'name="name" value="Padded, version 2"' in page
    part = ask("GET", f"/surgery/versions?tokenizer={mine}").text
    assert "<strong><bdi>Mine</bdi></strong>" in part
    assert f'href="/surgery?tokenizer={made}"' in part
    assert "Versions" not in ask("GET", "/surgery/versions?tokenizer=gpt2").text
    assert ask("GET", "/surgery/versions?tokenizer=nothing").status_code == 200


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"keep_ids": ["600"]}, "No token has the id 600; the largest id is 599."),
        pytest.param({"operation": "extend", "texts": ["ab"]}, "there is nothing to learn", marks=pytest.mark.nightly),
        pytest.param({"add_tokens": ["th"]}, "The name 'th' is taken", marks=pytest.mark.nightly),
    ],
)
def test_what_fails_later_says_why_and_keeps_nothing(ask, app, mine, wanted, reason):
    before = ask("GET", "/api/tokenizers").json()
    answer = start(ask, **{"tokenizer": mine, "texts": [ENGLISH], "name": "Half", **wanted})
    job = ended(ask, answer.json()["id"])
    assert (job["state"], job["files"], job["kept"]) == ("failed", [], None)
    assert reason in job["problem"]["detail"]
    page = ask("GET", f"/surgery/jobs/{job['id']}").text
    assert "Nothing was kept, and the original is as it was." in page
    assert 'role="alert"' in page
    (again,) = re.findall('<a href="(/surgery[?][^"]+)">Build again', page)
    form = ask("GET", again.replace("&amp;", "&")).text
    assert f'data-pointer="{job["problem"]["pointer"]}"' in form
    assert reason in html.unescape(form)
    assert 'name="name" value="Half"' in form
    assert 'name="proof" min="100" max="100000" value="100"' in form
    assert ask("GET", "/api/tokenizers").json() == before
    folder = get_services(app).surgeries.get(job["id"]).folder
    assert sorted(path.name for path in folder.iterdir()) == ["events.ndjson", "lock"]


def test_htmx_is_sent_on_and_a_refusal_stays_with_the_form(ask, mine):
    htmx = {"HX-Request": "true"}
    answer = ask("POST", "/surgery", data={**FORM, "tokenizer": mine, "text": ENGLISH}, headers=htmx)
    assert answer.status_code == 204
    ended(ask, answer.headers["HX-Redirect"].rpartition("/")[2])
    answer = ask("POST", "/surgery", data={**FORM, "tokenizer": mine, "text": " "}, headers=htmx)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
