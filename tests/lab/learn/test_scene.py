"""Steps that only repeat are joined: few neighbours say the same of other tokens and numbers."""

import re
from itertools import groupby

import pytest
from tokenarium.lab.learn.chapters import CHAPTERS
from tokenarium.lab.learn.scene import choose_scene_regions, to_plain_text, trace_scene
from tokenarium.lab.steps.measures import ROW
from tokenarium.lab.steps.regions import measure_height

MOST = 3
LATER = [lesson.scene for chapter in CHAPTERS[2:] for lesson in chapter.lessons if not lesson.scene.every_step]
"""The scenes of chapters 3 to 7 whose steps may be joined."""


def pattern(step):
    """The sentence of a step without its tokens and numbers."""
    return re.sub(r"\d[\d,.]*", "#", "".join(part if isinstance(part, str) else "#" for part in step.sentence))


@pytest.mark.parametrize("one", LATER, ids=lambda one: one.id)
def test_at_most_three_neighbours_differ_only_in_tokens_and_numbers(registry, one):
    for text in (one.text, *(broken.text for broken in one.broken)):
        steps = trace_scene(one, text, registry).steps
        runs = [(sentence, len([*run])) for sentence, run in groupby(map(pattern, steps))]
        assert [run for run in runs if run[1] > MOST] == [], text


@pytest.mark.parametrize(
    ("id", "shows"), [("wordpiece", "una is in the vocabulary: taken."), ("vocabulary-size", "65,536")]
)
def test_the_answer_is_shown_by_a_step_that_stays(registry, id, shows):
    trace = trace_scene(next(one for one in LATER if one.id == id), "unaffable", registry, kind="choose")
    step = trace.steps[trace.question.shown_at]
    cells = [row.cells[0] for row in step.table.rows] if step.table else []
    assert shows in (to_plain_text(step.sentence), *cells)


def test_no_merge_and_no_way_is_left_out(registry):
    scenes = {lesson.scene.id: lesson.scene for chapter in CHAPTERS for lesson in chapter.lessons}
    steps = {id: trace_scene(scenes[id], scenes[id].text, registry).steps for id in ("bpe", "new-word", "unigram")}
    made = [to_plain_text(step.sentence).rpartition("it makes ")[2] for step in steps["bpe"][1:-1]]
    assert made == ["as.", "id.", "se.", "ide."]
    assert {id: len(shown) for id, shown in steps.items()} == {"bpe": 6, "new-word": 6, "unigram": 12}


def test_the_number_of_a_question_stands_in_one_line_and_numbers_that_are_left_out_are_counted(registry):
    numbers = next(one for one in LATER if one.id == "numbers")
    trace = trace_scene(numbers, numbers.text, registry)
    regions = choose_scene_regions(trace)
    assert measure_height(trace.question.given, regions) == regions.letters * ROW
    many = trace_scene(numbers, "1+2+3+4+5+6+7", registry).steps[0]
    assert to_plain_text(many.sentence) == "You see the first 6 of 7 numbers, digit by digit."
