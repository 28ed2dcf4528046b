"""One generator over all trainers: what it tells on the way, and what comes of it."""

import json

import pytest
from sentencepiece import SentencePieceProcessor
from tokenarium.errors import Invalid, LoneSurrogate
from tokenarium.lab.doctor.report import examine
from tokenarium.lab.train.corpora import TrainingCorpus, corpus
from tokenarium.lab.train.measuring import curve
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.lab.train.training import Baseline, TrainingResult, measure_held_out, train

from tests.support.corpora import ENGLISH, SHAN
from tests.support.shelves import tokenizer

EVERY = [
    TrainingOptions(size=600),
    TrainingOptions(size=300, unit="characters", pattern="spaces"),
    TrainingOptions(size=600, superwords_after=400, special_tokens=["<s>"]),
    TrainingOptions(size=300, unit="marked"),
    TrainingOptions(size=600, engine="tokenizers"),
    TrainingOptions(size=300, engine="tokenizers", unit="characters"),
    TrainingOptions(size=300, engine="sentencepiece"),
    TrainingOptions(algorithm="wordpiece", size=400, lowercase=True),
    TrainingOptions(algorithm="wordpiece", size=400, scoring="score"),
    TrainingOptions(algorithm="wordpiece", size=400, engine="tokenizers"),
    TrainingOptions(algorithm="unigram", size=300),
    TrainingOptions(algorithm="unigram", size=600, byte_fallback=True),
    TrainingOptions(algorithm="unigram", size=300, engine="tokenizers"),
    TrainingOptions(algorithm="unigram", size=600, engine="sentencepiece", byte_fallback=True, special_tokens=["<s>"]),
]


def run(texts, options):
    """The events of a training and what came of it."""
    *events, done = train(texts, options)
    assert isinstance(done, TrainingResult)
    return events, done


@pytest.mark.parametrize("options", EVERY, ids=lambda one: f"{one.algorithm}-{one.engine}-{one.unit}")
def test_every_trainer_tells_plain_data_and_ends_in_a_vocabulary(options):
    events, done = run([ENGLISH], options)
    assert json.loads(json.dumps([*events, done.summary])) is not None
    assert [event["kind"] for event in events][:2] == ["started", "counting"]
    learned = done.learned
    assert len({*learned.pieces}) == len(learned.pieces) <= options.size
    assert {learned.pieces[id]: id for id in learned.special_tokens.values()} == learned.special_tokens
    assert set(options.all_special_tokens) == set(learned.special_tokens)
    assert done.summary["size"] == len(learned.pieces)
    assert done.summary["measured"]["tokens"] > 0
    sizes, tokens = zip(*done.summary["curve"], strict=True)
    assert [*sizes] == sorted(sizes)
    assert [*tokens] == sorted(tokens, reverse=True)


@pytest.mark.parametrize("options", [EVERY[1], EVERY[3], EVERY[5]])
def test_the_doctor_finds_no_error_in_a_vocabulary_of_characters(options):
    _, done = run([ENGLISH], options)
    report = examine({"tokenizer.json": done.exports.files["tokenizer.json"]})
    assert {one.severity for one in report.findings} <= {"warning", "note"}


@pytest.mark.parametrize("options", [EVERY[0], EVERY[2], TrainingOptions(size=500, engine="tokenizers")])
def test_the_end_of_the_curve_is_what_the_tokenizer_does(options):
    _, done = run([ENGLISH], options)
    held = corpus([ENGLISH], held_out=options.held_out).held_out
    cut = tokenizer(done.learned)
    assert done.summary["curve"][-1] == (len(done.learned.pieces), sum(len(cut.encode(text)) for text in held))


def test_from_scratch_and_tokenizers_learn_the_same_bytes():
    ours, theirs = (
        run([SHAN, ENGLISH], TrainingOptions(size=800, engine=engine))[1] for engine in ("scratch", "tokenizers")
    )
    assert (ours.learned.merges, ours.learned.pieces) == (theirs.learned.merges, theirs.learned.pieces)


def test_more_than_can_be_filled_is_done_with_a_note():
    _, done = run(["low lower"], TrainingOptions(size=1000, held_out=0))
    assert len(done.learned.pieces) == 258
    assert "1,000 tokens were requested; the corpus yields 258" in done.summary["notes"][0]


def test_less_than_the_alphabet_is_done_with_a_note():
    _, done = run(["low lower"], TrainingOptions(size=1, held_out=0))
    assert len(done.learned.pieces) == 256
    assert "the alphabet and the special tokens alone are 256" in done.summary["notes"][0]


@pytest.mark.parametrize("texts", [[], [""], [" \n\t"]])
def test_an_empty_corpus_is_refused(texts):
    with pytest.raises(Invalid) as raised:
        run(texts, TrainingOptions())
    assert raised.value.pointer == "/texts"


def test_a_pattern_that_finds_no_words_is_refused():
    with pytest.raises(Invalid) as raised:
        run(["no digits"], TrainingOptions(pattern=r"\d+"))
    assert raised.value.pointer == "/texts"


def test_half_a_surrogate_pair_is_refused_before_anything_is_learned():
    with pytest.raises(LoneSurrogate):
        run(["a\ud800"], TrainingOptions())


def test_what_is_held_out_is_not_learned_from():
    text = "".join(f"{'abcdefghij'[i // 10]}\n" for i in range(100))
    _, done = run([text], TrainingOptions(unit="characters", pattern="spaces", size=50))
    assert done.learned.pieces == ("<unk>", *"abcdefghi")


@pytest.mark.parametrize(("text", "tokens", "saved"), [("\U00013000 \U00013000", 2, None), ("\U00013000 a", 2, 0.75)])
def test_unknown_tokens_alone_save_nothing(registry, text, tokens, saved):
    parts = TrainingCorpus((), (text,), "", 0, "")
    measured = measure_held_out(
        parts, [registry.get("bert-base-uncased").encode(text)], Baseline("eight", lambda text: 8)
    )
    assert (measured["tokens"], measured["saved"]) == (tokens, saved)


def test_the_curve_of_merges_counts_as_each_truncated_vocabulary_would():
    _, done = run([ENGLISH], TrainingOptions(size=2000, held_out=0))
    learned = done.learned
    for size, tokens in done.summary["curve"]:
        _, small = run([ENGLISH], TrainingOptions(size=size, held_out=0))
        assert sum(len(tokenizer(small.learned).encode(text)) for text in [ENGLISH]) == tokens
    assert curve(learned, {"": 1})[-1] == (len(learned.pieces), 0)


@pytest.mark.parametrize(
    "options",
    [
        TrainingOptions(size=300, engine="sentencepiece"),
        TrainingOptions(size=600, engine="sentencepiece", byte_fallback=True, special_tokens=["<s>"]),
        TrainingOptions(algorithm="unigram", size=300, engine="sentencepiece"),
        TrainingOptions(algorithm="unigram", size=300, engine="tokenizers"),
    ],
    ids=lambda one: f"{one.algorithm}-{one.engine}-{one.size}",
)
def test_what_writes_spaces_as_marks_is_a_model_that_sentencepiece_reads(options):
    _, done = run([ENGLISH], options)
    library = SentencePieceProcessor(model_proto=done.exports.files["sentencepiece.model"])
    ours = tokenizer(done.learned)
    for text in (ENGLISH[:2000], "everyone has the right", " Everyone  has", ""):
        assert ours.encode(text).ids.tolist() == library.encode(text)
    pieces = [done.learned.pieces[id] for id in library.encode("everyone has the right")]
    assert any(len(piece) > 2 and piece[0] == "▁" for piece in pieces)
