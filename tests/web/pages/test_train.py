"""/train: the form, the page of a job as it goes on, and what it ends in; all of it without a script, too."""

import re

import pytest

from tests.support import training_app
from tests.support.corpora import ENGLISH, long_text
from tests.support.training_app import ended

app, ask = training_app.app, training_app.ask


@pytest.fixture
def order(ask):
    """Order a training by the form; gives the id of the job."""

    def order(**fields):
        answer = ask("POST", "/train", data={"text": ENGLISH, "size": "300", "baseline": "bytes", **fields})
        assert answer.status_code == 303
        return answer.headers["Location"].removeprefix("/train/jobs/")

    return order


def test_the_form_has_what_an_address_asks_for(ask):
    page = ask("GET", "/train?corpus=udhr:shn&algorithm=unigram&size=2000").text
    assert re.search(r'value="udhr:shn" checked', page)
    assert re.search(r'value="unigram" checked', page)
    assert 'name="size" min="1" max="1000000" value="2000"' in page
    assert page.count('name="corpus"') == 5  # four languages, and none


def test_a_training_is_followed_to_its_end(ask, order):
    id = order(baseline="o200k_base")
    stream = ask("GET", f"/train/jobs/{id}/stream").text
    assert stream.rstrip().endswith("event: done\ndata:")
    assert 'data-count="pieces">300<' in stream
    page = ask("GET", f"/train/jobs/{id}").text
    assert "hx-sse:connect" not in page
    assert page.count("<h1>") == page.count("<h1>Training finished</h1>") == 1
    assert "too small to say what a doubling saves" in page
    assert "tokenizer.json</a>" in page
    assert "o200k_base" in page


def test_while_it_runs_the_page_reloads_without_a_script_and_cancels(ask, order):
    id = order(text=long_text(), size="100000")
    page = ask("GET", f"/train/jobs/{id}").text
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    assert f'action="/train/jobs/{id}/cancel"' in page
    assert ask("POST", f"/train/jobs/{id}/cancel").status_code == 303
    page = ask("GET", f"/train/jobs/{id}").text
    assert "<h1>Training cancelled</h1>" in page
    assert "refresh" not in page


def test_it_is_kept_when_it_is_named_later(ask, order):
    id = order()
    ended(ask, id)
    assert ask("POST", f"/train/jobs/{id}/keep", data={"name": "<script>mine"}).status_code == 303
    kept = ended(ask, id)["kept"]
    page = ask("GET", f"/train/jobs/{id}").text
    assert f'Saved as <a href="/?tokenizer={kept}">' in page
    assert "<script>mine" not in page
    assert f'name="tokenizer" value="{kept}"' in page


def test_a_page_of_htmx_is_sent_on_and_a_refusal_stays_with_the_form(ask):
    htmx = {"HX-Request": "true"}
    answer = ask("POST", "/train", data={"text": "low lower"}, headers=htmx)
    assert answer.status_code == 204
    assert answer.headers["HX-Redirect"].startswith("/train/jobs/")
    answer = ask("POST", "/train", data={"text": " "}, headers=htmx)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_line_ends_of_pasted_text_are_folded(ask, order):
    id = order(text="low\r\nlower\r\n" * 20)
    assert ended(ask, id)["notes"][-1].startswith("Measured on the last 4 of 40 lines")
