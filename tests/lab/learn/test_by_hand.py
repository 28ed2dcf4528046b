"""BPE by hand: the machine is the teaching file, and the learner may do better or worse."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.learn.by_hand import HandOptions, play
from tokenarium.scratch.learn_bpe import learn

BANANA = "a banana and a bandana in a cabana"
SHORT = ["n a", "a na", "b ana", "a n", "an d"]


@given(st.text("abc ", min_size=1, max_size=30))
def test_whoever_follows_the_machine_gets_its_training(text):
    merges = []
    while (advice := play(HandOptions(text=text, merges=merges, size=300)).advice) is not None:
        merges = [*merges, " ".join(advice.pair)]
    game = play(HandOptions(text=text, merges=merges, size=300))
    assert [turn.verdict for turn in game.turns] == ["same"] * len(game.machine)
    assert [turn.merge for turn in game.turns] == [*game.machine]
    assert [(*merge.pair, merge.count) for merge in game.machine] == learn(Counter(text.split()))


def test_other_merges_can_end_with_fewer_tokens_than_the_most_frequent_ones():
    game = play(HandOptions(text=BANANA, merges=SHORT, goal=15, size=20))
    assert [merge.tokens for merge in game.machine] == [21, 18, 16]
    assert [turn.merge.tokens for turn in game.turns] == [23, 20, 18, 16, 14]
    assert (game.took, game.needs, game.outcome) == (5, None, "won")


def test_a_race_is_lost_with_more_merges_and_even_with_as_many():
    text = "low low lower newer"
    assert play(HandOptions(text=text, merges=["w e", "l o", "lo w"], goal=10)).outcome == "lost"
    assert play(HandOptions(text=text, merges=["l o", "lo w"], goal=10)).outcome == "even"
    assert play(HandOptions(text=text, merges=["l o"], goal=10)).outcome == ""


def test_merges_that_a_changed_text_does_not_have_are_left_out():
    game = play(HandOptions(text="low slow", merges=["l o", "t h", "lo w"]))
    assert game.merges == ("l o", "lo w")
    assert [[tile.text for tile in word] for word in game.words] == [["low"], ["s", "low"]]
