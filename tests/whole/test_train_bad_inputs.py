"""What cannot be learned from, and what there is no room for: the same by JSON, by a form of files and on the page."""

from dataclasses import replace
from html import escape

import pytest
from tokenarium.web.services import get_services

from tests.conftest import asker
from tests.support import training_app
from tests.support.corpora import ENGLISH
from tests.support.training_app import ended

app, ask = training_app.app, training_app.ask

WAYS = {
    "json": lambda text, **options: {"json": {"texts": [text], **options}},
    "files": lambda text, **options: {"files": [("file", ("a.txt", text.encode()))], "data": options},
    "page": lambda text, **options: {"data": {"text": text, **options}},
}
PLACES = {"json": "/api/train", "files": "/api/train/form", "page": "/train"}
PASSWD = "../../etc/<b>passwd"


@pytest.fixture(params=[way if way == "page" else pytest.param(way, marks=pytest.mark.nightly) for way in WAYS])
def order(request, ask):
    """Order a training in one of the ways; gives the answer. Each training starts a process."""
    return lambda text, **options: ask("POST", PLACES[request.param], **WAYS[request.param](text, **options))


def job(ask, answer):
    """The job that was ordered, at its end."""
    assert answer.status_code in (202, 303), answer.text
    return ended(ask, answer.headers["Location"].rpartition("/")[2])


def test_a_size_that_cannot_be_filled_is_capped_with_a_note(ask, order):
    done = job(ask, order("low lower", size=1000))
    assert (done["state"], done["pieces"]) == ("finished", 258)
    assert done["notes"][0].startswith("1,000 tokens were requested; the corpus yields 258")


def test_one_word_of_400_000_letters_ends(ask, order):
    done = job(ask, order("abcdefghij" * 40_000, algorithm="wordpiece", size=40))
    assert (done["state"], done["pieces"]) == ("finished", 40)


@pytest.mark.parametrize("way", WAYS)
def test_where_enough_are_under_way_one_is_told_to_wait(ask, app, way):
    get_services(app).trainings.limit = 0
    answer = ask("POST", PLACES[way], **WAYS[way](ENGLISH))
    assert (answer.status_code, answer.json()["limit"]) == (503, 0)
    assert answer.headers["Retry-After"]


@pytest.mark.parametrize("way", WAYS)
def test_where_the_folder_of_a_job_cannot_be_made_none_begins(tmp_path, registry, way):
    (tmp_path / "file").touch()
    send = asker(registry, local=tmp_path / "file" / "local")
    answer = send("POST", PLACES[way], **WAYS[way](ENGLISH, size=300))
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


def test_where_there_is_no_room_to_keep_it_nothing_is_kept(ask, app, order):
    get_services(app).settings = replace(get_services(app).settings, quota=1000)
    done = job(ask, order(ENGLISH, size=300, name="Too large"))
    assert (done["state"], done["problem"]["status"], done["problem"]["limit"]) == ("failed", 507, 1000)
    assert get_services(app).registry.list_trained() == []


def test_where_there_is_no_room_it_can_still_be_taken_away(ask, app):
    get_services(app).settings = replace(get_services(app).settings, quota=1000)
    done = job(ask, ask("POST", "/api/train", json={"texts": [ENGLISH], "size": 300}))
    answer = ask("POST", f"/train/jobs/{done['id']}/keep", data={"name": "Too large"})
    assert (answer.status_code, answer.json()["code"]) == (507, "no-space")
    assert get_services(app).registry.list_trained() == []
    assert ask("GET", done["files"][0]).status_code == 200


@pytest.mark.parametrize("place", ["/train", pytest.param("/api/train/form", marks=pytest.mark.nightly)])
def test_the_name_of_a_file_is_only_a_label(ask, app, place):
    answer = ask("POST", place, files=[("file", (PASSWD, ENGLISH.encode()))], data={"size": 300, "name": PASSWD})
    done = job(ask, answer)
    assert (done["corpus"], done["kept"].startswith("etc-b-passwd-")) == (PASSWD, True)
    for page in (ask("GET", f"/train/jobs/{done['id']}").text, ask("GET", "/train").text):
        assert escape(PASSWD) in page
        assert "<b>" not in page
    assert [path.name for path in get_services(app).settings.local.glob("[!.]*")] == [done["kept"]]


def test_what_has_no_effect_is_told(ask, order):
    done = job(ask, order(ENGLISH, algorithm="unigram", size=200, at_least=3, ties="first-seen"))
    assert done["notes"][0] == "Without effect on Unigram: min_frequency, ties."
    assert done["notes"][1].startswith("The smaller vocabularies of the curve are not trained:")


def test_train_pages_say_what_of_a_text_is_stored(registry):
    get = asker(registry)
    never = "it is never stored and never logged"
    assert never in get("GET", "/").text
    page = get("GET", "/train").text
    assert never not in page
    assert "until about an hour after its end" in page
