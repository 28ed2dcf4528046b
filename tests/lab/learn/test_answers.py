"""Answers that are chosen, typed, marked or ordered: what is right, what is answered by name, and what is no answer."""

import pytest
from tokenarium.lab.learn.answers import Answer, join_values, judge
from tokenarium.lab.learn.course import SCENES, practice, scene
from tokenarium.lab.learn.scene import KINDS, trace_scene

BY_KIND = {kind: [one.id for one in SCENES if kind in one.kinds] for kind in KINDS if kind != "merge"}


def ask(registry, id, text, kind):
    question = trace_scene(scene(id), text, registry, kind=kind).question
    assert question.kind == kind
    return question


def test_every_kind_is_asked_and_six_scenes_open_without_choices():
    assert BY_KIND["choose"] == [one.id for one in SCENES]
    assert BY_KIND["mark"] == ["new-word", "wordpiece", "unigram", "numbers"]
    assert BY_KIND["order"] == ["learn-bpe", "bpe"]
    assert len(BY_KIND["type"]) > 10
    assert len(BY_KIND["estimate"]) > 6
    assert [one.id for one in SCENES if one.kinds[0] != "choose"] == [
        *("words", "byte-fallback", "new-word", "wordpiece", "pipeline", "budget")
    ]


def test_every_scene_has_one_to_three_hints_that_are_sentences():
    assert all(1 <= len(one.hints) <= 3 for one in SCENES)
    assert all(hint[-1] in ".?" for one in SCENES for hint in one.hints)


@pytest.mark.parametrize("kind", BY_KIND)
def test_the_right_answer_is_right_and_a_misconception_is_called_by_name(registry, kind):
    one = scene(BY_KIND[kind][-1])
    question = ask(registry, one.id, one.text, kind)
    sent = {"type": " 5 ", "mark": "3,6", "order": "1,0,2", "estimate": "2,000"}.get(kind, f"{question.answer}")
    assert judge(question, sent).right
    for number, choice in enumerate(question.choices):
        wrong = choice.value or (f"{number}" if kind == "choose" else choice.label[0])
        assert choice.right or judge(question, wrong).reason == choice.reason


def test_boundaries_of_bert_and_of_the_ways_to_be_wrong(registry):
    question = ask(registry, "wordpiece", "unaffable", "mark")
    assert judge(question, "3,6") == Answer("3,6", 0, True, question.right.reason)
    assert judge(question, "3").reason == "You found 1 of the 2 boundaries, and marked 0 others."
    assert judge(question, "3,5").reason.startswith("You looked for the rest among the tokens that begin words.")
    assert judge(question, "1,2,3,4,5,6,7,8").reason.startswith("You cut it into letters.")


def test_merges_are_put_in_the_order_in_which_they_are_made(registry):
    question = ask(registry, "bpe", "seaside", "order")
    assert (question.parts, question.right.value) == (("i d", "a s", "s e"), "1,0,2")
    assert judge(question, "2,1,0").reason.startswith("You went from left to right.")
    assert judge(question, "1,2,0").reason == "1 of the 3 is in place."
    assert [row.cells[0] for row in question.given.table.rows] == ["i d", "a s", "s e"]  # which says nothing
    trained = ask(registry, "learn-bpe", "buns 1\nhere 2\nher 4\nthen 3", "order")
    assert trained.right.label == ("h e, then he r, then her </w>",)


@pytest.mark.parametrize(
    ("sent", "right", "reason"),
    [
        ("2,080", True, ""),
        ("1900", True, ""),
        ("960", False, "You left the pictures out."),
        ("3000", False, "That is too high."),
        ("20", False, "That is too low."),
        ("many", False, "That is not a number."),
    ],
)
def test_an_estimate_is_right_within_a_tenth(registry, sent, right, reason):
    answer = judge(ask(registry, "budget", scene("budget").text, "estimate"), sent)
    assert (answer.right, answer.right or answer.reason) == (right, right or reason)


def test_a_word_is_typed_and_no_answer_is_none(registry):
    question = ask(registry, "wordpiece", "unaffable", "type")
    assert judge(question, " una ").right
    assert judge(question, "fable").reason == "It is something else."
    assert judge(question, "  ") is None
    assert judge(None, "1") is None
    assert judge(question, "shown") == Answer("shown")


def test_fields_are_joined_to_one_answer(registry):
    marked = ask(registry, "wordpiece", "unaffable", "mark")
    ordered = ask(registry, "bpe", "seaside", "order")
    assert join_values(marked, ["6", "3", "x", ""]) == "3,6"
    assert join_values(ordered, ["0", "1", ""]) == ""
    assert join_values(ordered, ["0", "1", "2"]) == "0,1,2"
    assert join_values(None, ["1"]) == ""


@pytest.mark.parametrize("id", ["learn-bpe", "wordpiece", "numbers", "budget"])
def test_practice_takes_the_kinds_of_a_scene_by_turns(registry, id):
    kinds = scene(id).kinds
    asked = [one.question.kind for seed in (1, 2) for one in practice(scene(id), registry, seed=seed)]
    assert asked == [kinds[number % len(kinds)] for number in range(6)]


def test_practice_asks_about_a_text_of_the_learner(registry):
    (one,) = practice(scene("bpe"), registry, seed=1, text="heater", kind="order")
    assert (one.text, one.question.kind, len(one.question.parts)) == ("heater", "order", 3)
    assert practice(scene("bpe"), registry, seed=1, text="a") == []


def test_the_tokens_of_a_new_word_are_typed_or_marked(registry):
    text = "low 5\nlowest 2\nnew 6\nwidest 3\nnewest"
    typed = ask(registry, "new-word", text, "type")
    assert judge(typed, " new   est ").right
    assert judge(typed, "newest").reason == "The list has no merge that makes the whole word."
    assert judge(typed, "n e w e s t").reason.startswith("You left the letters alone.")
    assert judge(typed, "newes t").reason == "It is something else."
    assert judge(ask(registry, "new-word", text, "mark"), "3").right
    longest = ask(registry, "new-word", "as 5\nsea 3\nseas", "type")
    assert judge(longest, "sea s").reason.startswith("You took the longest token from the left.")
