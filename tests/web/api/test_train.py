"""POST /api/train and /api/jobs: order a training, watch it, cancel it, take it away."""

import asyncio
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import httpx
from anyio.to_thread import current_default_thread_limiter
from tokenarium.lab.train.progress import TrainingProgress
from tokenarium.web.services import get_services

from tests.support import training_app
from tests.support.corpora import ENGLISH, long_text
from tests.support.training_app import ended

app, ask = training_app.app, training_app.ask


def train(ask, **wanted):
    fast = {"size": 300, "baseline": "bytes"}  # which takes no time to load
    return ask("POST", "/api/train", json={"texts": [ENGLISH], **fast, **wanted})


def test_a_job_is_accepted_and_ends_in_files(ask):
    answer = train(ask)
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/api/jobs/{answer.json()['id']}"
    job = ended(ask, answer.json()["id"])
    assert (job["state"], job["pieces"], job["kept"], job["problem"]) == ("finished", 300, None, None)
    assert job["summary"]["measured"]["tokens"] > 0
    file = ask("GET", next(name for name in job["files"] if name.endswith("tokenizer.json")))
    assert len(file.json()["model"]["vocab"]) == 300
    assert 'filename="tokenizer.json"' in file.headers["Content-Disposition"]
    assert ask("GET", next(name for name in job["files"] if name.endswith("README.md"))).text.startswith("# ")
    answer = ask("GET", f"/api/jobs/{job['id']}/download/passwd")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-file")


def test_a_named_one_is_kept_and_at_once_in_the_registry(ask):
    job = ended(ask, train(ask, name="Mine").json()["id"])
    assert job["kept"].startswith("mine-")
    sent = {"tokenizer": job["kept"], "text": "freedom"}
    assert ask("POST", "/tokenize", json=sent).json()["tokenizer"] == job["kept"]


def test_where_none_is_kept_it_can_still_be_taken_away(tmp_path, ask, app):
    get_services(app).settings = replace(get_services(app).settings, keep=False)
    job = ended(ask, train(ask, name="Mine").json()["id"])
    assert job["kept"] is None
    assert ask("GET", job["files"][0]).status_code == 200


def test_events_are_sent_in_order_and_can_be_taken_up_again(ask):
    id = train(ask).json()["id"]
    whole = ask("GET", f"/api/jobs/{id}/events")
    assert whole.headers["Content-Type"].startswith("text/event-stream")
    parts = [part for part in whole.text.strip().split("\n\n") if not part.startswith(":")]
    messages = [dict(line.split(": ", 1) for line in part.split("\n")) for part in parts]
    kinds = [json.loads(message["data"])["kind"] for message in messages]
    assert (kinds[0], kinds[-1]) == ("started", "finished")
    assert [message["event"] for message in messages] == kinds
    last = messages[-1]["id"]
    assert "event: " not in ask("GET", f"/api/jobs/{id}/events", headers={"Last-Event-ID": last}).text
    again = ask("GET", f"/api/jobs/{id}/events", headers={"Last-Event-ID": "no number"}).text
    assert again == ask("GET", f"/api/jobs/{id}/events").text
    told = [json.loads(part.split("data: ")[1].split("\n")[0]) for part in again.strip().split("\n\n")]
    kinds = [event["kind"] for event in told if event["kind"] != "note"]
    assert (kinds[0], kinds[-1], len(kinds)) == ("started", "finished", len(set(kinds)))
    assert TrainingProgress.from_events(told).pieces == 300


def test_a_job_is_cancelled(ask):
    id = train(ask, texts=[long_text()], size=100_000).json()["id"]
    assert ask("DELETE", f"/api/jobs/{id}").json()["state"] == "cancelled"
    assert ask("GET", f"/api/jobs/{id}/download/tokenizer.json").status_code == 409


def test_files_come_by_a_form(ask):
    files = [("file", ("a.txt", ENGLISH.encode())), ("file", ("b.txt", b"more words, more words"))]
    answer = ask(
        "POST", "/api/train/form", files=files, data={"size": "300", "corpus": "udhr:shn", "baseline": "bytes"}
    )
    assert answer.status_code == 202
    assert ended(ask, answer.json()["id"])["corpus"] == "a.txt, b.txt (1), UDHR in Shan"


def test_more_than_may_is_told_to_wait(ask, app):
    get_services(app).trainings.limit = 0
    answer = train(ask)
    assert (answer.status_code, answer.json()["code"]) == (503, "overloaded")


class Turns:
    """Workers of which none is ever free."""

    waiting = 0

    async def run(self, *args, **options):
        self.waiting += 1
        await asyncio.Event().wait()


def test_trainings_that_wait_for_a_turn_occupy_no_thread(app):
    turns = get_services(app).workers = Turns()

    async def check():
        threads = current_default_thread_limiter()
        threads.total_tokens = 2
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 123))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=None) as client:
            wanted = {"texts": [ENGLISH], "pattern": r"\w+", "baseline": "bytes"}
            waiting = [asyncio.create_task(client.post("/api/train", json=wanted)) for _ in range(4)]
            async with asyncio.timeout(60):
                while turns.waiting < len(waiting):
                    await asyncio.sleep(0.01)
            assert threads.borrowed_tokens == 0
            for one in waiting:
                one.cancel()
            await asyncio.wait(waiting)

    asyncio.run(check())


def test_a_finished_training_has_a_picture(ask):
    job = ended(
        ask, train(ask, texts=["low low lower lowest newer newest"] * 40, size=270, baseline="gpt2").json()["id"]
    )
    answer = ask("GET", f"/train/jobs/{job['id']}/picture.svg")
    assert answer.headers["content-disposition"] == 'attachment; filename="vocabulary.svg"'
    root = ElementTree.fromstring(answer.content)
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert re.match(
        r"A vocabulary of 2\d\d tokens: held-out text in [\d.]+ % (fewer|more) tokens than gpt2\.", root[0].text
    )
    assert {"tokens per character", "␣newest"} <= {*texts}
    pdf = ask("POST", f"/train/jobs/{job['id']}/picture", data={"format": "pdf"})
    assert (pdf.headers["content-type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
