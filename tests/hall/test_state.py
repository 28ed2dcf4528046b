"""What a hall is after its events: votes count once, late ones never, and every order of reading gives the same."""

import pytest
from tokenarium.hall.state import MAX_QUESTIONS, PHONE_EVENTS, HallState, count_over_time, csv_rows, report_polls

OPENED = {"kind": "opened", "at": 0.0, "key": "key", "leader": "hash"}
ASKED = {"kind": "asked", "at": 10.0, "id": "q", "prompt": "Which?", "choices": ["a", "b"]}
REVEALED = {"kind": "revealed", "at": 20.0, "id": "q", "answer": 1, "reason": "Because."}


def after(*events):
    state = HallState()
    for event in (OPENED, *events):
        state.apply(event)
    return state


def vote(phone, choice, at=11.0):
    return {"kind": "vote", "at": at, "phone": phone, "poll": "q", "choice": choice}


def slide(at):
    shown = {"kind": "slide", "at": at, "total": 9, "title": "BPE", "caption": f"Step {at}", "rows": []}
    return shown | {"address": f"/steps?at={at}"}


def test_each_phone_has_one_vote_and_the_last_one_counts():
    state = after(ASKED, vote("a", 0), vote("b", 0), vote("a", 1), vote("a", 1), vote("c", 1))
    assert state.poll.counts() == [1, 2]
    assert len(state.poll.history) == 4


@pytest.mark.parametrize("choice", [-1, 2, 99])
def test_a_vote_for_no_choice_or_no_question_counts_nowhere(choice):
    assert after(ASKED, vote("a", choice), vote("a", 0) | {"poll": "other"}).poll.counts() == [0, 0]


def test_after_the_answer_no_vote_counts():
    state = after(ASKED, vote("a", 0), REVEALED, vote("a", 1), vote("b", 1))
    assert (state.poll.counts(), state.poll.answer, state.poll.reason) == ([1, 0], 1, "Because.")


def test_a_question_that_comes_again_keeps_its_votes_and_its_answer():
    other = ASKED | {"id": "r", "prompt": "And now?"}
    assert after(ASKED, vote("a", 0), other, ASKED).poll.counts() == [1, 0]
    again = after(ASKED, vote("a", 0), REVEALED, other, ASKED, REVEALED | {"answer": 0})
    assert (again.poll.id, again.poll.answer, again.poll.revealed) == ("q", 1, 20.0)


def test_who_is_lost_is_counted_once_at_each_step_and_can_take_it_back():
    state = after(slide(1), slide(2))
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


def test_a_flood_of_phones_is_bounded_and_stops_no_lecturer():
    state = after(ASKED)
    for number in range(MAX_QUESTIONS + 1):
        state.apply({"kind": "question", "at": 5.0, "phone": "a", "id": str(number), "text": "Why?"})
    assert len(state.questions) == MAX_QUESTIONS
    state.phone_events = PHONE_EVENTS
    state.apply(vote("b", 1))
    state.apply(REVEALED)
    assert (state.poll.counts(), state.poll.answer) == ([0, 0], 1)


def test_a_closed_hall_takes_nothing_of_phones():
    assert after(ASKED, {"kind": "closed", "at": 12.0}, vote("a", 1)).poll.counts() == [0, 0]


def test_phones_that_a_process_has_counted_long_ago_are_gone():
    counted = {"kind": "phones", "at": 100.0, "process": "one", "count": 20}
    state = after(counted, counted | {"process": "two", "count": 3, "at": 120.0}, counted | {"count": 21})
    assert (state.count_phones(121.0), state.count_phones(140.0), state.count_phones(200.0)) == (24, 3, 0)


def test_votes_are_reported_over_time():
    state = after(ASKED, vote("a", 0, 11.0), vote("b", 1, 12.0), vote("a", 1, 13.5), REVEALED)
    (report,) = report_polls(state)
    assert (report.total, report.changes, report.times) == (2, 1, [(1.0, [1, 0]), (2.0, [1, 1]), (3.5, [0, 2])])
    rows = [*csv_rows(state)]
    assert rows[0] == ("kind", "number", "text", "choice", "right", "seconds", "count")
    assert [row[3:] for row in rows if row[0] == "votes"] == [("a", "no", None, 0), ("b", "yes", None, 2)]


def test_many_votes_are_reported_at_few_moments_the_last_of_them_after_all():
    state = after(ASKED, *(vote(str(number), number % 2, 10.0 + number) for number in range(1000)))
    times = count_over_time(state.poll)
    assert len(times) <= 24
    assert times[-1] == (999.0, [500, 500])
