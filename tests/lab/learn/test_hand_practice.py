"""Practice for BPE by hand: each pick is held against the merge of the machine, whose merges the text follows."""

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.learn.hand_practice import HandPracticeOptions, draw_text, practise

TEXT = "thinks pink ring sing sing"


def test_the_text_follows_the_machine_whatever_is_picked():
    right = practise(HandPracticeOptions(text=TEXT, picks=["i n", "in g", "in k", "s ing"]))
    wrong = practise(HandPracticeOptions(text=TEXT, picks=["t h", "r in", "s ing", "p ink"]))
    assert [[tile.text for tile in word] for word in right.game.words] == [
        ["t", "h", "ink", "s"],
        ["p", "ink"],
        ["r", "ing"],
        ["sing"],
        ["sing"],
    ]
    assert wrong.game.words == right.game.words
    assert (right.done, right.right, wrong.done, wrong.right) == (True, 4, True, 0)


def test_a_pick_is_judged_by_count_and_by_the_tie_rule():
    picks = practise(HandPracticeOptions(text=TEXT, picks=["i n", "t h", "s ing"])).picks
    assert [(pick.verdict, pick.times, pick.machine.count, pick.equals) for pick in picks] == [
        ("right", 5, 5, 1),
        ("rarer", 1, 3, 1),
        ("tie", 2, 2, 2),
    ]


def test_a_pick_that_is_no_pair_of_the_text_is_left_out():
    assert practise(HandPracticeOptions(text=TEXT, picks=["x y", "in", "t h"])).picks[0].pair == ("t", "h")
    assert practise(HandPracticeOptions(text="the quick dog")).questions == 0


def test_a_number_gives_one_text_and_numbers_give_many():
    assert practise(HandPracticeOptions(seed=3)).text == TEXT
    assert len({draw_text(seed) for seed in range(1, 31)}) == 30
    assert all(practise(HandPracticeOptions(seed=seed)).questions == 4 for seed in range(1, 11))


def test_a_long_text_is_refused():
    with pytest.raises(Invalid, match="at most 200 characters"):
        practise(HandPracticeOptions(text="a" * 201))
