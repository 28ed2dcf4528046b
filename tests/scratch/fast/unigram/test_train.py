"""A whole unigram vocabulary: the one sentencepiece trains from the same text, and what becomes of odd input."""

from functools import partial
from io import BytesIO
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenarium.errors import Invalid
from tokenarium.lab.languages.declarations import declarations
from tokenarium.scratch.fast.unigram.encode import Unigram
from tokenarium.scratch.fast.unigram.lattice import likelihood
from tokenarium.scratch.fast.unigram.train import count_unigram_words, divide_rare, train_unigram
from tokenarium.settings import ROOT, Settings

from tests.conftest import TIER
from tests.support.strings import TEXTS


def learned(texts, **options):
    run = train_unigram(count_unigram_words(texts, special_tokens=options.get("special_tokens", ())), **options)
    try:
        while True:
            next(run)
    except StopIteration as end:
        return end.value


def reference(text, size, **options):
    """The pieces that sentencepiece learns, with their scores."""
    model = BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(text.split("\n")), model_writer=model, vocab_size=size, model_type="unigram",
        byte_fallback=True, normalization_rule_name="identity", max_sentence_length=100_000, num_threads=1,
        hard_vocab_limit=False, minloglevel=2, **options,
    )  # fmt: skip
    processor = SentencePieceProcessor(model_proto=model.getvalue())
    return {processor.id_to_piece(id): processor.get_score(id) for id in range(processor.get_piece_size())}


def measured(scores, words):
    """Log-likelihood a character, and tokens a word."""
    model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores, wide=True)
    told = sum(count * likelihood(model, word) for word, count in words.items())
    tokens = sum(count * len(model.best(word, 0.0).pieces) for word, count in words.items())
    return told / sum(len(word) * count for word, count in words.items()), tokens / words.total()


def source_code():
    """The project's own, before a commit some of it, with every tenth line held out."""
    lines = "\n".join(path.read_text() for path in sorted((ROOT / "app").rglob("*.py"))).split("\n")
    lines = lines if TIER == "nightly" else lines[:20_000]
    return "\n".join(line for number, line in enumerate(lines) if number % 10), "\n".join(lines[::10])


def rights(script, most):
    """The declaration in languages of a script, with every fifth article held out."""
    found = [each for each in declarations(Settings().store).values() if each.script == script][:most]
    kept = "\n".join(each.of([number for number in each.articles if number % 5]) for each in found)
    return kept, "\n".join(each.of([number for number in each.articles if not number % 5]) for each in found)


@pytest.mark.parametrize(
    ("texts", "size", "options"),
    [
        pytest.param(source_code, 2_000, {}, marks=pytest.mark.nightly),
        (partial(rights, "Latin", 25), 2_000, {}),
        pytest.param(partial(rights, "Cyrillic", 20), 2_000, {}, marks=pytest.mark.nightly),
        pytest.param(partial(rights, "Devanagari", 99), 900, {}, marks=pytest.mark.nightly),
        (partial(rights, "Han", 99), 2_500, {}),
        (
            partial(rights, "Latin", 9),
            1_500,
            {"split_digits": True, "character_coverage": 1.0, "max_sentencepiece_length": 8},
        ),
    ],
)
def test_held_out_text_is_as_likely_and_as_long_as_by_sentencepiece(texts, size, options):
    text, held_out = texts()
    theirs = reference(text, size, **options)
    special = {piece for piece, score in theirs.items() if score == 0.0}
    names = {"split_digits": "single_digits", "character_coverage": "coverage", "max_sentencepiece_length": "longest"}
    ours = learned([text], size=size, **{names[name]: value for name, value in options.items()})
    ours = dict(zip(ours.pieces, ours.scores, strict=True))
    assert len(special & ours.keys()) == 259
    assert len(ours.keys() & theirs.keys()) >= 0.97 * max(len(ours), len(theirs))
    words = count_unigram_words([held_out.replace("\n", " ")])
    pairs = [
        measured({piece: score for piece, score in each.items() if piece not in special}, words)
        for each in (ours, theirs)
    ]
    for one, other in zip(*pairs, strict=True):
        assert isclose(one, other, rel_tol=0.01)


def test_begun_with_whole_words_it_is_more_likely_where_sentencepiece_goes_by_bytes():
    text, held_out = rights("Ethiopic", 9)
    words = count_unigram_words([held_out.replace("\n", " ")])
    tokens = []
    for as_sentencepiece in (True, False):
        made = learned([text], size=800, as_sentencepiece=as_sentencepiece)
        pairs = [*zip(made.pieces, made.scores, strict=True)][259:]
        tokens.append(measured(dict(pairs), words)[1])
    assert tokens[1] < 0.8 * tokens[0]


def test_special_tokens_stand_first_and_bytes_behind_them():
    made = learned(["a b ab<x>ab"] * 5, size=300, special_tokens=["<x>", "<unk>", "<y>", "<x>"], unknown="<unk>")
    assert made.special_tokens == {"<unk>": 0, "<x>": 1, "<y>": 2}
    assert made.pieces[:5] == ("<unk>", "<x>", "<y>", "<0x00>", "<0x01>")
    assert made.scores[:259] == (0.0,) * 259
    assert all("x" not in piece for piece in made.pieces[259:])
    assert (made.algorithm, made.unit, made.unknown, made.byte_fallback) == ("unigram", "characters", "<unk>", True)
    scores = made.scores[259:]
    assert [*scores] == sorted(scores, reverse=True)


def test_without_bytes_there_are_none():
    made = learned(["a b ab"] * 5, size=9, special_tokens=[], byte_fallback=False)
    assert made.pieces[0] == "<unk>"
    assert {*made.pieces[1:]} >= {"▁", "a", "b"}
    assert not made.byte_fallback


@pytest.mark.parametrize("texts", [[], [""], ["  \n \n"], ["\0\t▅"]])
def test_a_corpus_without_words_is_refused(texts):
    with pytest.raises(Invalid, match="no words") as caught:
        learned(texts, size=1_000)
    assert caught.value.pointer == "/text"


@pytest.mark.parametrize("size", [-1, 0, 262])
def test_a_size_without_room_for_what_must_be_in_is_refused_with_both_numbers(size):
    with pytest.raises(Invalid) as caught:
        learned(["to be or not to be"], size=size)
    assert caught.value.detail == f"size is {size:,}; 266 are needed for 7 characters and 259 special tokens and bytes."
    assert (caught.value.limit, caught.value.pointer) == (266, "/size")


def test_more_than_the_words_can_fill_is_less():
    assert len(learned(["to be or not to be"] * 4, size=2**62).pieces) < 300


def test_a_word_of_four_hundred_thousand_letters_is_learned_from_in_parts():
    words = divide_rare(count_unigram_words(["a" * 400_000]), 1.0)
    assert {len(word) for word in words.counts} == {1_000, 1}
    assert len(learned(["ab" * 200_000], size=300).pieces) > 260


@given(st.lists(TEXTS, max_size=3))
def test_any_text_is_counted_whole_or_in_pieces_and_learned_from(texts):
    counts = count_unigram_words(texts)
    assert counts == count_unigram_words(["\n".join(texts)])
    assert all(word.startswith("▁") and " " not in word for word in counts)
    if any(char.isalpha() for text in texts for char in text):
        made = learned(texts, size=2_000)
        assert len(set(made.pieces)) == len(made.pieces) <= 2_000
