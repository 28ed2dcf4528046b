"""The log of an operation: each step once, in the order of the plan, and seconds that are left."""

import pytest
from tokenarium.lab.surgery.jobs import ProgressReporter, SurgeryProgress, expect_seconds
from tokenarium.lab.surgery.operation import operate
from tokenarium.lab.surgery.options import SurgeryOptions

from tests.support.corpora import ENGLISH
from tests.support.own_record import own

OPERATIONS = {
    "prune": SurgeryOptions(proof=100),
    "scripts": SurgeryOptions(by="scripts", scripts=["Latin"], proof=100),
    "extend": SurgeryOptions(operation="extend", tokens=5, proof=100),
    "tokens": SurgeryOptions(operation="tokens", multiple=64, proof=100),
}


@pytest.mark.parametrize("options", OPERATIONS.values(), ids=[*OPERATIONS])
def test_the_steps_of_an_operation_are_those_of_its_plan(options):
    events = []
    operate(own(), [ENGLISH], options, report=events.append)
    plan = expect_seconds(options, tokens=600, characters=len(ENGLISH), converted=False)
    steps = [event["what"] for event in events if event["kind"] == "step"]
    assert steps == [*plan]
    assert all(event["left"] >= 0 for event in events if event["kind"] == "doing")
    assert SurgeryProgress.from_events(events).steps[-2]["result"] == "100 texts, no difference"


def test_what_is_left_is_the_plan_at_first_and_ends_with_it():
    events = []
    progress = ProgressReporter(events.append, {"a": 100.0, "b": 50.0})
    progress.start("a")
    assert events[-1]["left"] == 150
    progress.start("b")
    assert events[-2] == {"kind": "step", "what": "a", "result": "", "seconds": 0.0}
    assert events[-1]["left"] == 10  # this machine is much faster, but no more than five times
    progress.end()
    assert events[-1]["what"] == "b"


def test_without_a_plan_nothing_is_known_of_the_time_left():
    events = []
    ProgressReporter(events.append).start("a")
    assert events == [{"kind": "doing", "what": "a", "share": None, "left": None}]
