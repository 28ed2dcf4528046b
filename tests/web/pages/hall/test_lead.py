"""Who leads a hall: the browser that opened it, until it hands the hall over; and what it gets at the end."""

import csv
import re
from io import StringIO

import pytest

from tests.support.hall import ASKED, REVEALED, SLIDE, Visitor, enter, known_hall, open_hall

FIGURE = {"box": [0, 0, 10, 10], "shapes": [], "labels": []}


@pytest.fixture
def lecturer(ask):
    return open_hall(ask)


def test_a_new_hall_has_a_code_an_address_and_a_picture_of_it(ask):
    answer = ask("POST", "/hall")
    assert "<strong>127.0.0.1:8000/h</strong>" in answer.text
    assert "Phones cannot reach 127.0.0.1:8000" in answer.text
    code = re.search(r'class="hall-code">(\w{5,})<', answer.text)[1]
    assert f"Path=/hall/{code}; SameSite" in answer.headers["set-cookie"]
    assert '<path d="M4 4h7v1h-7z' in answer.text


def test_halls_are_apart(ask):
    first, second = open_hall(ask), open_hall(ask)
    first.stage(SLIDE)
    assert first.code != second.code
    assert SLIDE["title"] in enter(first).get().text
    assert SLIDE["title"] not in enter(second).get().text


def test_only_the_browser_that_opened_a_hall_leads_it(ask, lecturer):
    stranger = Visitor(ask, lecturer.code, open_hall(ask).cookies)
    assert stranger.stage(SLIDE).status_code == 403
    for path in ("lead", "screen", "end", "end.csv", "lead/events", "screen/events"):
        assert stranger.get(path).status_code == 403
    for path in ("show", "turn", "rotate", "handover", "close"):
        assert stranger.post(path, id="1").status_code == 403
    assert lecturer.stage(SLIDE).status_code == 204


@pytest.mark.parametrize(
    "event",
    [
        SLIDE | {"address": "//evil.example"},
        SLIDE | {"address": "https://evil.example"},
        SLIDE | {"address": "/\\evil.example"},
        SLIDE | {"address": "javascript:alert(1)"},
        SLIDE | {"rows": [{"tokens": [{"text": "a"}] * 600}, {"tokens": [{"text": "a"}]}]},
        SLIDE | {"rows": [{"tokens": [{"text": "a", "tone": 9}]}]},
        SLIDE | {"rows": [{"tokens": [{"text": "a", "mark": "press"}]}]},
        SLIDE | {"tables": [{"heads": [], "rows": [{"cells": ["a"] * 12}] * 60}]},
        SLIDE | {"figures": [FIGURE | {"shapes": [{"d": 'M0 0" onload="alert(1)'}]}]},
        SLIDE | {"figures": [FIGURE | {"shapes": [{"d": "M" * 20_001}] * 2}]},
        SLIDE | {"figures": [FIGURE | {"box": [0, 0, 10]}]},
        SLIDE | {"title": "a" * 301},
        SLIDE | {"at": 0},
        ASKED | {"choices": []},
        ASKED | {"kind": "asking"},
        ASKED | {"more": 1},
        ASKED | {"pieces": [[]]},
        REVEALED | {"right": 1},
        {"kind": "next", "shown": SLIDE, "notes": ""},
    ],
)
def test_what_is_no_event_of_a_stage_is_refused(lecturer, event):
    assert lecturer.stage(event).status_code == 422


def test_another_machine_continues_with_a_link_that_is_valid_once(ask, lecturer):
    key = re.search(r"take\?key=([\w-]+)", lecturer.post("handover").text)[1]
    other = Visitor(ask, lecturer.code)
    assert "Lead the hall here" in other.get(f"take?key={key}").text
    assert other.post("take", key="wrong").status_code == 403
    assert other.post("take", key=key).headers["location"] == f"/hall/{lecturer.code}/lead"
    assert (other.stage(SLIDE).status_code, lecturer.stage(SLIDE).status_code) == (204, 403)
    assert lecturer.post("take", key=key).status_code == 403


def test_a_new_secret_makes_the_old_one_and_all_links_invalid(ask, lecturer):
    key = re.search(r"take\?key=([\w-]+)", lecturer.post("handover").text)[1]
    before = Visitor(ask, lecturer.code, dict(lecturer.cookies))
    assert lecturer.post("rotate").status_code == 303
    assert (lecturer.stage(SLIDE).status_code, before.stage(SLIDE).status_code) == (204, 403)
    assert before.post("take", key=key).status_code == 403


def test_the_lecturer_sees_how_many_have_voted_and_the_votes_only_after_the_answer(lecturer):
    phones = [enter(lecturer) for _ in range(3)]
    lecturer.stage(SLIDE)
    lecturer.stage(ASKED)
    for phone, choice in zip(phones, (0, 1, 1), strict=True):
        phone.post("vote", poll="q", answer=choice)
    screen = lecturer.get("screen").text
    assert "3 of 3 have voted" in screen
    assert "data-count" not in screen
    lecturer.stage(REVEALED)
    bars = re.findall(r'data-count="(\d)" data-share="([\d.]+)"( class="right")?>([^<]+)', lecturer.get("screen").text)
    right = ' class="right"'
    assert bars == [("1", "0.3333", "", "a t"), ("2", "0.6667", right, "t h"), ("0", "0.0000", "", "&lt;i&gt;")]
    lecturer.stage(SLIDE | {"question": ""})
    assert "data-count" not in lecturer.get("screen").text


def test_the_page_to_lead_from_has_this_slide_the_next_the_notes_and_the_votes_and_turns_the_slides(lecturer):
    lecturer.stage(SLIDE)
    lecturer.stage(ASKED)
    enter(lecturer).post("vote", poll="q", answer=1)
    following = {"title": "What a model sees", "rows": [{"tokens": [{"text": "strawberry"}]}]}
    lecturer.stage({"kind": "next", "shown": following, "notes": "Ask the last row."})
    page = lecturer.get("lead").text
    for part in (SLIDE["title"], "3 of 9", "Ask the last row.", "Question 1: 1 of 1 have voted", "are no votes"):
        assert part in page
    assert "What a model sees" not in page  # which may be the answer
    lecturer.stage(REVEALED)
    lecturer.stage({"kind": "next", "shown": following, "notes": ""})
    assert re.search(r"Next.*What a model sees.*strawberry", lecturer.get("lead").text, re.DOTALL)
    assert "Ask the last row" not in enter(lecturer).get().text
    for by in (1, 1, -1):
        assert lecturer.post("turn", by=by).status_code == 303
    assert 'data-turned="1"' in lecturer.get("screen").text


def test_of_a_question_that_is_asked_and_answered_again_the_log_keeps_its_id(app, lecturer):
    phone = enter(lecturer)
    asked, other = ASKED | {"prompt": "x" * 2000}, ASKED | {"id": "r"}
    lecturer.stage(asked)
    phone.post("vote", poll="q", answer=1)
    lecturer.stage(REVEALED)
    before = known_hall(app, lecturer.code).state.led
    for _ in range(5):
        assert [lecturer.stage(event).status_code for event in (other, asked, REVEALED)] == [204] * 3
    assert "x" * 2000 in phone.get().text
    assert "· your vote" in phone.get().text
    assert known_hall(app, lecturer.code).state.led - before < 500


def test_a_hall_takes_500_questions_and_says_so(app, lecturer):
    polls = known_hall(app, lecturer.code).state.all_polls
    lecturer.stage(ASKED)
    polls |= dict.fromkeys(map(str, range(499)), polls["q"])
    answer = lecturer.stage(ASKED, id="one more")
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (429, "too-often", "60")
    assert lecturer.stage(ASKED).status_code == 204


def test_the_questions_of_a_hall_have_3000_choices_together(lecturer):
    answers = [lecturer.stage(ASKED, id=f"{number}", choices=["a"] * 120) for number in range(26)]
    assert [answer.status_code for answer in answers] == [204] * 25 + [429]


def test_slides_that_come_too_fast_are_refused_by_their_size(lecturer):
    large = SLIDE | {"texts": ["x" * 2000] * 40}
    answers = [lecturer.stage(large) for _ in range(60)]
    assert [answer.status_code for answer in answers] == [204] * 44 + [429] * 16
    assert int(answers[-1].headers["Retry-After"]) > 1
    assert lecturer.stage(SLIDE).status_code == 204


def test_after_many_steps_slides_are_shown_without_a_button_that_does_not_count(app, lecturer):
    lecturer.stage(SLIDE)
    phone = enter(lecturer)
    assert "I’m lost here" in phone.get().text
    steps = known_hall(app, lecturer.code).state.steps
    steps |= dict.fromkeys(map(str, range(1_999)), next(iter(steps.values())))
    assert lecturer.stage(SLIDE, title="One step more").status_code == 204
    assert "One step more" in phone.get().text
    assert "I’m lost here" not in phone.get().text


def test_a_question_of_the_audience_that_is_shown_is_the_slide_until_the_lecturer_goes_on(lecturer):
    lecturer.stage(SLIDE)
    lecturer.stage(ASKED)
    phone = enter(lecturer)
    phone.post("question", text="What is a pair?")
    id = re.search(r'name="id" value="(\w+)"', lecturer.get("lead").text)[1]
    lecturer.post("show", id=id, shown=1)
    for page in (phone.get().text, lecturer.get("screen").text, lecturer.get("lead").text):
        assert re.search(r"A question from the audience.*What is a pair\?", page, re.DOTALL)
    assert SLIDE["title"] not in phone.get().text
    assert ASKED["prompt"] not in phone.get().text
    lecturer.stage(SLIDE)
    assert "A question from the audience" not in lecturer.get("screen").text
    assert SLIDE["title"] in phone.get().text
    assert ASKED["prompt"] in phone.get().text


def test_the_end_has_every_question_its_votes_over_time_and_where_phones_were_lost(lecturer):
    phones = [enter(lecturer) for _ in range(2)]
    lecturer.stage(SLIDE)
    step = re.search(r'name="step" value="(\w+)"', phones[0].get().text)[1]
    lecturer.stage(ASKED)
    phones[0].post("vote", poll="q", answer=0)
    phones[1].post("vote", poll="q", answer=1)
    phones[0].post("vote", poll="q", answer=1)
    phones[0].post("lost", step=step, lost=1)
    phones[1].post("question", text="=1+1")
    lecturer.stage(REVEALED)
    assert lecturer.post("close").headers["location"] == f"/hall/{lecturer.code}/end"
    page = lecturer.get("end").text
    for part in (ASKED["prompt"], "(right answer)", "100%", "1 vote was changed", SLIDE["title"], "=1+1", "<polyline"):
        assert part in page
    rows = [*csv.DictReader(StringIO(lecturer.get("end.csv").text))]
    assert [(row["choice"], row["right"], row["count"]) for row in rows if row["kind"] == "votes"] == [
        ("a t", "no", "0"),
        ("t h", "yes", "2"),
        ("<i>", "no", "0"),
    ]
    assert [row["count"] for row in rows if row["kind"] == "lost"] == ["1"]
    assert [row["text"] for row in rows if row["kind"] == "question"] == ["'=1+1"]
    assert len([row for row in rows if row["kind"] == "votes over time"]) == 9


def test_a_closed_hall_takes_no_votes_and_no_slides(lecturer):
    lecturer.stage(ASKED)
    phone = enter(lecturer)
    lecturer.post("close")
    assert "The lecture is over" in phone.get().text
    assert phone.post("vote", poll="q", answer=0).status_code == 422
    assert lecturer.stage(SLIDE).status_code == 422
    assert "data-closed" in lecturer.get("screen").text


def test_an_address_opens_few_halls_at_once(ask):
    assert [ask("POST", "/hall").status_code for _ in range(12)] == [200] * 10 + [429] * 2
