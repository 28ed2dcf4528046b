"""Worked examples: literal ids and counts."""

import pytest
from tokenarium.lab.cells import cells
from tokenarium.lab.metrics import counts
from tokenarium.lab.tokenize import tokenize

from tests.support.strings import GREETING

IDS = {
    "o200k_base": [13225, 11, 130321, 235, 0, 220, 177519, 0],
    "o200k_harmony": [13225, 11, 130321, 235, 0, 220, 177519, 0],
    "cl100k_base": [9906, 11, 11410, 234, 235, 0, 220, 57668, 53901, 0],
    "tekken": [22177, 1044, 119685, 1140, 1141, 1033, 1032, 124108, 1033],
    "mistral-v1": [22557, 28725, 28705, 31057, 28808, 28705, 29383, 29530, 28808],
    "mistral-v3": [23325, 29493, 29473, 31825, 29576, 29473, 30151, 30298, 29576],
    "bert-base-uncased": [7592, 1010, 100, 999, 100, 100, 999],
    "characters": [72, 101, 108, 108, 111, 44, 32, 127757, 33, 32, 20320, 22909, 33],
    "bytes": list(GREETING.encode()),
    "words": [0, 1, 2, 3, 4, 2, 5, 4],
}


@pytest.mark.parametrize("id", IDS)
def test_the_greeting_has_the_published_ids(registry, id):
    assert tokenize(registry, GREETING, tokenizer=id).encoding.ids.tolist() == IDS[id]


def test_the_globe_is_one_cell_of_two_tokens(registry):
    tokenization = tokenize(registry, GREETING, tokenizer="o200k_base")
    globe = cells(tokenization)[2]
    assert globe.text == " 🌍"
    assert [(token.entry.id, token.entry.raw) for token in globe.tokens] == [(130321, b" \xf0\x9f\x8c"), (235, b"\x8d")]
    assert [(token.char_start, token.char_end) for token in globe.tokens] == [(6, 8), (7, 8)]
    assert [(token.byte_start, token.byte_end) for token in globe.tokens] == [(6, 10), (10, 11)]


def test_the_greeting_counts(registry):
    result = counts(tokenize(registry, GREETING, tokenizer="characters"))
    assert (result.tokens, result.characters, result.bytes, result.words, result.distinct) == (13, 13, 20, 2, 10)
    assert result.bytes_per_token == pytest.approx(20 / 13)
    assert counts(tokenize(registry, GREETING, tokenizer="bytes")).bytes_per_token == 1.0


def test_ratios_of_nothing_are_none(registry):
    result = counts(tokenize(registry, "", tokenizer="o200k_base"))
    assert (result.tokens, result.bytes_per_token, result.tokens_per_word, result.distinct) == (0, None, None, 0)


def test_words_keeps_the_apostrophe_and_the_spaces(registry):
    tokenization = tokenize(registry, "I'll say supercalifragilisticexpialidocious!", tokenizer="words")
    pieces = [token.entry.piece for token in tokenization.tokens()]
    assert pieces == ["I", "'", "ll", " ", "say", " ", "supercalifragilisticexpialidocious", "!"]
    assert tokenization.encoding.grown == (b"I", b"'", b"ll", b" ", b"say", b"supercalifragilisticexpialidocious", b"!")


def test_gpt4_cuts_numbers_in_threes_from_the_left(registry):
    tokenization = tokenize(registry, "12345", tokenizer="cl100k_base")
    assert [token.entry.piece for token in tokenization.tokens()] == ["123", "45"]


def test_special_tokens_follow_the_policy(registry):
    def ids(**options):
        return tokenize(registry, "a<|endoftext|>b", tokenizer="cl100k_base", **options).encoding.ids.tolist()

    assert ids(special="parse") == [64, 100257, 65]
    assert ids(special="text") == [64, 27, 91, 8862, 728, 428, 91, 29, 65]


def test_the_template_adds_what_models_expect_and_covers_no_input(registry):
    tokenization = tokenize(registry, "playing", tokenizer="bert-base-uncased", add_special_tokens=True)
    rows = [(token.entry.piece, token.byte_start, token.byte_end, token.inserted) for token in tokenization.tokens()]
    assert rows == [("[CLS]", 0, 0, True), ("playing", 0, 7, False), ("[SEP]", 7, 7, True)]


def test_sentencepiece_puts_a_space_in_front_that_is_no_input(registry):
    first = next(tokenize(registry, "你好", tokenizer="mistral-v3").tokens())
    assert (first.entry.piece, first.byte_start, first.byte_end, first.inserted) == ("▁", 0, 0, True)


def test_byte_fallback_gives_each_byte_its_own_span(registry):
    tokens = list(tokenize(registry, "x\u0600", tokenizer="mistral-v3").tokens())[1:]
    rows = [(token.entry.piece, token.byte_start, token.byte_end, token.entry.kind) for token in tokens]
    assert rows == [("<0xD8>", 1, 2, "byte"), ("<0x80>", 2, 3, "byte")]


def test_bert_drops_spaces_and_the_page_shows_them_as_gaps(registry):
    tokenization = tokenize(registry, " Zoé  runs", tokenizer="bert-base-uncased")
    assert [(cell.text, [token.entry.piece for token in cell.tokens]) for cell in cells(tokenization)] == [
        (" ", []),
        ("Zoé", ["zoe"]),
        ("  ", []),
        ("runs", ["runs"]),
    ]


@pytest.mark.parametrize("engine", ["reference", "scratch"])
def test_a_million_spaces_are_answered(registry, engine):
    tokenization = tokenize(registry, " " * 1_000_000, tokenizer="o200k_base", engine=engine)
    assert tokenization.tokenizer.engine == "scratch"
    assert int(tokenization.encoding.byte_ends[-1]) == 1_000_000
    assert bool(tokenization.notes) == (engine == "reference")
