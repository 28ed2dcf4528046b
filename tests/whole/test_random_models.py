"""SentencePiece models of every kind with every option give what the library gives, in both engines."""

import random
from collections import Counter
from itertools import islice

import pytest
import sentencepiece
from tokenarium.errors import BadFile
from tokenarium.files.records import record_from_files
from tokenarium.files.sentencepiece.model import ScoredPiece, SentencePieceModel, dump_model, load_model
from tokenarium.lab.conformance import same_encoding
from tokenarium.registry import load

from tests.conftest import TIER
from tests.support.random_models import random_long_text, random_model, random_texts
from tests.support.random_texts import texts
from tests.support.sentencepiece_models import LINES, random_options, train, trained
from tests.support.strings import NASTY

MODELS = {"commit": 40, "nightly": 10_000}[TIER]
PARTS = {"commit": 1, "nightly": 10}[TIER]
"""Parts of these models, each of which has the time of a test."""
VARIANTS = {"commit": 8, "nightly": 200}[TIER]
UNKNOWN = ScoredPiece("<unk>", 0.0, "unknown")


def both(model):
    record = record_from_files("x", {"a.model": dump_model(model)})
    return load(record, "scratch"), load(record, "sentencepiece")


def unigram(pieces, symbols=(), **options):
    scored = [ScoredPiece(piece, score) for piece, score in pieces.items()]
    marked = [ScoredPiece(symbol, 0.0, "user_defined") for symbol in symbols]
    return SentencePieceModel((UNKNOWN, *marked, *scored), "unigram", **{"remove_extra_whitespaces": False, **options})


MARKS = unigram({"▁": -3.0, "▁a": -4.0, "in": -5.0, "▁the": -5.0, "▁in▁the": -7.4}, ["▁▁"])


def pieces(tokenizer, text):
    return [tokenizer.entry(id).piece for id in tokenizer.encode(text).ids.tolist()]


def test_a_symbol_of_the_user_scores_more_the_longer_it_is():
    for tokenizer in both(MARKS):
        assert pieces(tokenizer, "a  in the") == ["▁a", "▁▁", "in", "▁the"]


@pytest.mark.parametrize(("dummy", "first"), [(True, ["▁"]), (False, [])])
def test_pieces_that_divide_a_symbol_of_the_user_have_the_same_spans_in_both_engines(dummy, first):
    model = unigram({"▁": -7.4, "a": -1.0, "b▁": -3.1, "t": -3.0}, ["ab"], add_dummy_prefix=dummy)
    assert [pieces(tokenizer, "ab t") for tokenizer in both(model)] == [[*first, "a", "b▁", "t"]] * 2
    encodings = [tokenizer.encode("ab t") for tokenizer in both(model)]
    assert [encoding.byte_ends.tolist()[-3:] for encoding in encodings] == [[1, 3, 4]] * 2
    assert same_encoding(*encodings)


def test_the_space_put_in_front_has_what_the_character_map_removes_there():
    rules = load_model(trained("unigram")).charsmap
    model = unigram({"▁": -1.0, "a": -1.0}, charsmap=rules)
    library = sentencepiece.SentencePieceProcessor(model_proto=dump_model(model))
    found = library.encode("\x7fa", return_type="offset_mapping", return_bytes=True)
    assert [*zip(found["ids"], found["offsets"], strict=True)] == [(1, (0, 1)), (2, (1, 2))]
    for tokenizer in both(model):
        encoding = tokenizer.encode("\x7fa")
        assert (encoding.byte_starts.tolist(), encoding.byte_ends.tolist()) == ([0, 1], [1, 2])


def test_a_sum_that_rises_far_restarts_as_one_that_falls():
    model = unigram({"x": 9000.0, "ab": -8.0, "c": -7.9995, "a": -8.0, "bc": -8.0, "y▁": -9.0, "▁z": -9.0})
    library = sentencepiece.SentencePieceProcessor(model_proto=dump_model(model))
    found = {}
    for count in (1, 11, 12):
        text = "x" * count + "abc"
        found[count] = pieces(both(model)[0], text)[-2:]
        assert [tokenizer.encode(text).ids.tolist() for tokenizer in both(model)] == [library.encode(text)] * 2
    assert found == {1: ["ab", "c"], 11: ["a", "bc"], 12: ["ab", "c"]}


def test_a_text_without_words_and_the_empty_text_have_a_trace():
    scratch, _ = both(MARKS)
    assert [*scratch.trace("").words] == []
    assert [id for word in scratch.trace("a  in the").words for id, _, _ in word.segmentation.tokens] == [3, 1, 4, 5]


@pytest.mark.parametrize(
    ("ids", "options", "text"),
    [
        ([0, 2], {}, " ⁇  a"),
        ([2, 0], {}, "a ⁇ "),
        ([0, 2], {"unknown_surface": "?"}, "? a"),
        ([4, 3], {"whitespace_as_suffix": True}, "aa "),
        ([1, 2], {}, " a"),
        ([1, 2], {"remove_extra_whitespaces": True}, "a"),
        ([2, 2], {"add_dummy_prefix": False}, " a a"),
    ],
)
def test_both_engines_decode_as_the_library_does(ids, options, text):
    model = unigram({"▁": -1.0, "▁a": -1.0, "a▁": -1.0, "a": -1.0}, **options)
    library = sentencepiece.SentencePieceProcessor(model_proto=dump_model(model))
    assert library.decode(ids) == text
    assert [tokenizer.decode(ids).decode() for tokenizer in both(model)] == [text, text]


CROSSING = unigram({"--": -2.0, "-": -1.5, "a": -1.0, "▁": -1.0, "a▁b": -2.5}, add_dummy_prefix=False)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("-" * 499, {"--": 249, "-": 1}),
        ("-" * 500, {"--": 250}),
        ("a " * 130 + "-" * 257, {"a": 130, "▁": 130, "--": 128, "-": 1}),
        ("a b" * 200 + "-" * 5000 + "a b", {"a▁b": 201, "--": 2500}),
    ],
    ids=len,
)
def test_no_text_is_lost_where_pieces_cross_words(text, counts):
    for tokenizer in both(CROSSING):
        assert Counter(pieces(tokenizer, text)) == counts
        assert tokenizer.encode(text).byte_ends.tolist()[-1] == len(text)


def compare(data, texts, seed):
    """Hold both engines, spans, traces and decoding of a model against the library."""
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    record = record_from_files("x", {"a.model": data})
    scratch, reference = load(record, "scratch"), load(record, "sentencepiece")
    for text in texts:
        place = (seed, ascii(text))
        found = library.encode(text, return_type="offset_mapping", return_bytes=True)
        expected = [(id, *span) for id, span in zip(found["ids"], found["offsets"], strict=True)]
        assert [*zip(*(column.tolist() for column in scratch.columns(text)), strict=True)] == expected, place
        assert same_encoding(scratch.encode(text), reference.encode(text)), place
        traced = [id for word in scratch.trace(text).words for id, _, _ in word.segmentation.tokens]
        assert traced == found["ids"], place
        decoded = {tokenizer.decode(found["ids"]).decode(errors="replace") for tokenizer in (scratch, reference)}
        assert decoded == {library.decode(found["ids"])}, place


@pytest.mark.parametrize("first", range(0, MODELS, MODELS // PARTS))
def test_every_kind_of_piece_with_every_option_gives_the_tokens_spans_traces_and_text_of_the_library(first):
    read = 0
    for seed in range(first, first + MODELS // PARTS):
        source = random.Random(seed)
        data = dump_model(random_model(source))
        try:
            load_model(data)
        except BadFile:
            continue  # unused pieces in BPE
        read += 1
        compare(data, [*random_texts(source, 8), random_long_text(source)], seed)
    assert read > MODELS // PARTS // 2


def test_models_trained_with_every_option_beside_every_other_give_what_the_library_gives():
    for seed in range(VARIANTS):
        source = random.Random(seed)
        data = train(source.sample(LINES, k=200), **random_options(source))
        compare(data, islice(texts(seed, 6), 0 if TIER == "nightly" else len(NASTY), None), seed)
