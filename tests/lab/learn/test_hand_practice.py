"""Questions for BPE by hand: each pair is held against the merge of the machine, which the text follows."""

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.learn.answers import judge
from tokenarium.lab.learn.hand_practice import ask_merges, draw_text

TEXT = "thinks pink ring sing sing"


def test_the_text_follows_the_machine():
    exercises = ask_merges(TEXT)
    assert [one.question.right.value for one in exercises] == ["i n", "in g", "in k", "s ing"]
    assert [[tile.text for tile in word] for word in exercises[-1].games[1].words] == [
        ["t", "h", "ink", "s"],
        ["p", "ink"],
        ["r", "ing"],
        ["sing"],
        ["sing"],
    ]


@pytest.mark.parametrize(
    ("number", "pair", "right", "reason"),
    [
        (0, "i n", True, "i n occurs 5 times, more often than any other pair."),
        (1, "t h", False, "t h occurs once."),
        (2, "s ing", False, "s ing occurs 2 times."),
        (2, "in k", True, "2 pairs occur 2 times; of these, in k comes first in the text."),
    ],
)
def test_a_pair_is_judged_by_count_and_by_the_tie_rule(number, pair, right, reason):
    answer = judge(ask_merges(TEXT)[number].question, pair)
    assert (answer.right, answer.reason) == (right, reason)


def test_a_text_in_which_no_pair_occurs_twice_has_no_question():
    assert ask_merges("the quick dog") == []


def test_a_number_gives_one_text_and_numbers_give_many():
    assert draw_text(3) == TEXT
    assert len({draw_text(seed) for seed in range(1, 31)}) == 30
    assert all(len(ask_merges(draw_text(seed))) == 4 for seed in range(1, 11))


def test_a_long_text_is_refused():
    with pytest.raises(Invalid, match="at most 200 characters"):
        ask_merges("a" * 201)
