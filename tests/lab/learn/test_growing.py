"""The scene of the next token: a cut at the end of a text takes the context away."""

import pytest
from tokenarium.lab.learn.growing import trace_next_token
from tokenarium.lab.learn.scene import to_plain_text


@pytest.mark.parametrize(
    ("text", "used", "first"),
    [
        ("Everyone has the right to", "2", " freedom"),
        ("Everyone has the right to ", "0", " the"),
        ("Everyone has the rig", "0", " the"),
        ("Article 12", "1", " No"),
    ],
)
def test_a_cut_decides_what_the_model_knows(registry, text, used, first):
    trace = trace_next_token(text, registry)
    assert to_plain_text(trace.question.right.label) == used
    assert to_plain_text(trace.steps[-1].table.rows[0].cells[0]) == first
