"""The questions of the laboratories: one right choice, in a place that what it is about decides."""

from tokenarium.lab.beyond.laboratories import ask_doubling, ask_growth


def test_the_place_of_the_right_choice_follows_what_the_question_is_about():
    grown = [ask_growth(seed, 8, 8) for seed in range(30)]
    assert {question.answer for question in grown} == {0, 1, 2}
    assert {question.right.value for question in grown} == {"kept"}
    assert ask_growth(3, 8, 8).id == ask_growth(3, 8, 8).id


def test_twice_the_sides_is_four_times_the_patches_and_twice_is_explained():
    question = ask_doubling("ViT", 256, 1024)
    assert question.right.value == "4.0"
    assert question.right.reason == "256 tokens become 1,024. Four times the area has four times the patches."
    (twice,) = [choice for choice in question.choices if choice.value == "2.0"]
    assert twice.reason == "Both sides double, so that the area is four times as large."
