"""The n best cuts are those of sentencepiece, and draws come as often as their likelihood says."""

from collections import Counter
from math import exp
from random import Random

import pytest
import sentencepiece
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.scratch.fast.unigram.encode import Unigram
from tokenarium.scratch.fast.unigram.lattice import n_best, sample

from tests.support.sentencepiece_models import trained


@pytest.fixture(scope="module")
def pair():
    model = load_model(trained("unigram identity"))
    ids = {piece.text: id for id, piece in enumerate(model.pieces)}
    scores = {piece.text: piece.score for piece in model.pieces if piece.kind == "normal"}
    return Unigram(ids, scores), sentencepiece.SentencePieceProcessor(model_proto=trained("unigram identity"))


def test_the_n_best_cuts_are_those_of_the_library(pair):
    ours, library = pair
    for text in ("the other", "wonder into", "user_defined café", "lowest 12345", "🌍 the"):
        theirs = library.nbest_encode(text, nbest_size=8)
        found = n_best(ours, library.normalize(text), 8)
        scores = {tuple(id for id, _ in cut): score for score, cut in n_best(ours, library.normalize(text), 40)}
        assert [score for score, _ in found] == pytest.approx([scores[tuple(cut)] for cut in theirs], abs=1e-3)


def test_the_best_of_n_is_the_best(pair):
    ours, _ = pair
    for text in ("▁wonder▁into▁the▁end", "▁newer▁offer"):
        (_, cut), *_ = n_best(ours, text, 3)
        assert cut == [*ours.pieces(text)]


@pytest.mark.parametrize("temperature", [0.2, 1.0])
def test_cuts_are_drawn_as_often_as_their_likelihood_says(temperature):
    scores = {"the": -2.53, "there": -3.91, "re": -3.0, "t": -1.9, "h": -1.2, "e": -0.7, "r": -1.5}
    model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    weights = {tuple(cut): exp(temperature * score) for score, cut in n_best(model, "there", 99)}
    source = Random(5)
    drawn = Counter(tuple(sample(model, "there", temperature=temperature, source=source)) for _ in range(4000))
    assert len(weights) == 5
    for cut, weight in weights.items():
        assert drawn[cut] / 4000 == pytest.approx(weight / sum(weights.values()), abs=0.03)
