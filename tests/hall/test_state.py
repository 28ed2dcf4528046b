"""What a hall is after its events: votes count once, late ones never, and every order of reading gives the same."""

import pytest
from tokenarium.hall.polls import csv_rows
from tokenarium.hall.state import LOG_VERSION, HallState

OPENED = {"kind": "opened", "version": LOG_VERSION, "at": 0.0, "key": "key", "leader": "hash"}
ASKED = {
    "kind": "asked",
    "at": 10.0,
    "id": "q",
    "prompt": "Which?",
    "form": "choose",
    "choices": ["a", "b"],
    "pieces": [],
    "unit": "",
}
REVEALED = {"kind": "revealed", "at": 20.0, "id": "q", "right": "1", "reason": "Because."}


def after(*events):
    state = HallState()
    for event in (OPENED, *events):
        state.apply(event)
    return state


def vote(phone, choice, at=11.0):
    return {"kind": "vote", "at": at, "phone": phone, "poll": "q", "answer": f"{choice}"}


def step(at):
    return {"kind": "step", "key": f"{at}", "at": at, "title": "BPE", "caption": f"Step {at}"}


def slide(at, question=""):
    return step(at) | {"kind": "slide", "question": question, "address": f"/steps?at={at}"}


def counts(state):
    return [one.count for one in state.poll.tally()]


def test_events_of_another_version_change_nothing():
    state = HallState()
    for event in ({**OPENED, "version": 1}, {"kind": "asked", "old": True}, vote("a", 0)):
        state.apply(event)
    assert (state.version, state.events, state.poll) == (1, 3, None)


def test_each_phone_has_one_vote_and_the_last_one_counts():
    state = after(ASKED, vote("a", 0), vote("b", 0), vote("a", 1), vote("a", 1), vote("c", 1))
    assert counts(state) == [1, 2]
    assert len(state.poll.history) == 4


def test_a_vote_for_no_question_counts_nowhere():
    assert counts(after(ASKED, vote("a", 0) | {"poll": "other"})) == [0, 0]


@pytest.mark.parametrize(
    ("form", "sent", "answer"),
    [
        ("choose", ["1"], "1"),
        ("choose", ["3"], ""),
        ("choose", ["-1"], ""),
        ("choose", ["0", "1"], ""),
        ("choose", ["²"], ""),
        ("mark", ["2", "1"], "1,2"),
        ("mark", ["0"], ""),
        ("mark", ["3"], ""),
        ("order", ["2", "0", "1"], "2,0,1"),
        ("order", ["2", "0"], ""),
        ("order", ["0", "0", "1"], ""),
        ("type", ["  st raw "], "st raw"),
        ("type", [" "], ""),
        ("type", ["a" * 90], "a" * 80),
        ("estimate", ["1,200 tokens"], "1,200 tokens"),
        ("estimate", ["many"], ""),
        ("estimate", ["nan"], ""),
        ("estimate", ["1e999"], ""),
        ("estimate", [], ""),
    ],
)
def test_an_answer_is_read_by_the_form_of_its_question(form, sent, answer):
    assert after(ASKED | {"form": form, "choices": ["a", "b", "c"], "unit": "tokens"}).poll.read(sent) == answer


@pytest.mark.parametrize(
    ("form", "right", "answers", "tally"),
    [
        ("mark", "1", ["1", "1,2", "1"], [("a|bc", 2, True), ("a|b|c", 1, False)]),
        ("order", "1,0,2", ["0,1,2"], [("a, then b, then c", 1, False), ("b, then a, then c", 0, True)]),
        ("type", "17 dB", ["17", "15", "15 dB"], [("17 dB", 1, True), ("15 dB", 1, False), ("15 dB", 1, False)]),
        ("estimate", "100", ["91", "120"], [("91 dB", 1, True), ("120 dB", 1, False)]),
        ("choose", None, ["1"], [("a", 0, False), ("b", 1, False), ("c", 0, False)]),
    ],
)
def test_votes_are_counted_for_each_answer_and_the_right_one_is_always_among_them(form, right, answers, tally):
    asked = ASKED | {"form": form, "choices": ["a", "b", "c"], "unit": "dB"}
    votes = [vote(f"{number}", answer) for number, answer in enumerate(answers)]
    poll = after(asked, *votes, REVEALED | {"right": right}).poll
    assert [(one.label, one.count, one.right) for one in poll.tally()] == tally


def test_a_question_is_over_when_a_slide_is_shown_on_which_it_does_not_stand():
    asked = (ASKED, vote("a", 1), slide(1, "q"))
    assert after(*asked, slide(2, "q")).poll.id == "q"
    assert after(*asked, slide(2)).poll is None
    assert counts(after(*asked, slide(2), slide(1, "q"))) == [0, 1]


def test_a_written_question_that_is_shown_is_the_slide_until_the_next():
    question = {"kind": "question", "at": 5.0, "phone": "a", "id": "1", "text": "Why?"}
    shown = {"kind": "shown", "at": 7.0, "id": "1", "shown": True}
    assert after(question, shown).spotlight == "1"
    assert after(question, shown, shown | {"shown": False}).spotlight == ""
    assert after(question, shown, slide(2)).spotlight == ""


def test_after_the_answer_no_vote_counts():
    state = after(ASKED, vote("a", 0), REVEALED, vote("a", 1), vote("b", 1))
    assert (counts(state), state.poll.right, state.poll.reason) == ([1, 0], "1", "Because.")


def test_a_question_that_comes_again_keeps_its_votes_and_its_answer():
    other = ASKED | {"id": "r", "prompt": "And now?"}
    assert counts(after(ASKED, vote("a", 0), other, ASKED)) == [1, 0]
    again = after(ASKED, vote("a", 0), REVEALED, other, ASKED, REVEALED | {"right": "0"})
    assert (again.poll.id, again.poll.number, again.poll.right, again.poll.revealed) == ("q", 1, "1", 20.0)


def test_who_is_lost_is_counted_once_at_each_step_and_can_take_it_back():
    state = after(step(1), slide(1), step(2), slide(2), step(1), slide(1))
    first, second = state.steps
    lost = [{"kind": "lost", "at": 1.0, "phone": phone, "step": first, "lost": True} for phone in ("a", "b", "a")]
    for event in (*lost, lost[0] | {"step": second}, lost[1] | {"lost": False}, lost[0] | {"step": "nowhere"}):
        state.apply(event)
    assert [(step.at, len(step.phones)) for step in state.lost_steps()] == [(1, 1), (2, 1)]


def test_a_written_question_is_wanted_only_once_it_is_shown():
    question = {"kind": "question", "at": 5.0, "phone": "a", "id": "1", "text": "Why?"}
    upvote = {"kind": "upvote", "at": 6.0, "phone": "b", "id": "1"}
    shown = {"kind": "shown", "at": 7.0, "id": "1", "shown": True}
    state = after(question, upvote)
    assert (len(state.questions["1"].phones), state.ranked(shown=True)) == (1, [])
    state = after(question, shown, upvote, upvote, question | {"id": "2", "at": 8.0})
    assert [(one.id, len(one.phones)) for one in state.ranked(shown=False)] == [("1", 2), ("2", 1)]
    assert [one.id for one in state.ranked(shown=True)] == ["1"]


def test_events_of_phones_are_counted_by_kind_and_a_changed_vote_is_another_kind_than_a_vote():
    lost = {"kind": "lost", "at": 1.0, "phone": "a", "step": "1", "lost": True}
    state = after(ASKED, step(1), vote("a", 0), vote("b", 0), vote("a", 1), vote("a", 0), lost)
    assert state.taken == {"vote": 2, "change": 2, "lost": 1}


def test_of_the_lecturer_count_the_bytes_of_what_a_log_keeps():
    state = HallState()
    for event in (OPENED, slide(1), ASKED, vote("a", 0), {"kind": "asked", "id": "q"}, {"kind": "turned", "by": 1}):
        state.apply(event, 100)
    assert (state.led, state.poll.id) == (200, "q")  # the question and the turn


def test_a_closed_hall_takes_nothing_of_phones():
    assert counts(after(ASKED, {"kind": "closed", "at": 12.0}, vote("a", 1))) == [0, 0]


def test_phones_are_counted_by_name_whichever_processes_have_them_and_not_long_after():
    one = {"kind": "phones", "at": 100.0, "process": "one", "names": ["a", "b"]}
    state = after(one, one | {"process": "two", "names": ["b", "c"], "at": 120.0})
    assert [state.count_phones(now) for now in (121.0, 140.0, 200.0)] == [3, 2, 0]
    state.apply(one | {"at": 122.0, "names": ["b"]})
    assert state.count_phones(123.0) == 2


def test_votes_are_reported_over_time():
    state = after(ASKED, vote("a", 0, 11.0), vote("b", 1, 12.0), vote("a", 1, 13.5), REVEALED)
    assert (state.poll.changes, state.poll.times()) == (1, [(1.0, [1, 0]), (2.0, [1, 1]), (3.5, [0, 2])])
    rows = [*csv_rows(state)]
    assert rows[0] == ("kind", "number", "text", "choice", "right", "seconds", "count")
    assert [row[3:] for row in rows if row[0] == "votes"] == [("a", "no", None, 0), ("b", "yes", None, 2)]


def test_many_votes_are_reported_at_few_moments_the_last_of_them_after_all():
    state = after(ASKED, *(vote(str(number), number % 2, 10.0 + number) for number in range(1000)))
    times = state.poll.times()
    assert len(times) <= 24
    assert times[-1] == (999.0, [500, 500])
