"""Cells split neither a token nor a grapheme cluster, and are no larger than that asks."""

import pytest
from tokenarium.lab.cells import MAX_CLUSTER, cells
from tokenarium.lab.tokenize import tokenize


def shown(registry, text, tokenizer, **options):
    tokenization = tokenize(registry, text, tokenizer=tokenizer, **options)
    return [(cell.text, len(cell.tokens)) for cell in cells(tokenization)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab", [("a", 1), ("b", 1)]),
        ("é", [("é", 2)]),
        ("e\u0301x", [("e\u0301", 3), ("x", 1)]),
        ("\r\n", [("\r\n", 2)]),
        ("🇺🇳🇩🇪", [("🇺🇳", 8), ("🇩🇪", 8)]),
        ("👩‍🚀", [("👩‍🚀", 11)]),
        ("क्षि", [("क्षि", 12)]),
        ("각", [("각", 3)]),
        ("\u1100\u1161", [("\u1100\u1161", 6)]),
    ],
)
def test_bytes_of_one_cluster_share_a_cell(registry, text, expected):
    assert shown(registry, text, "bytes") == expected


def test_a_token_of_many_clusters_is_one_cell(registry):
    assert shown(registry, " 你好", "o200k_base") == [(" ", 1), ("你好", 1)]


def test_a_cluster_without_an_end_is_cut_in_stretches(registry):
    pairs = shown(registry, "a" + "\u0301" * 100, "characters")
    assert [len(text) for text, _ in pairs] == [MAX_CLUSTER, MAX_CLUSTER, MAX_CLUSTER, 5]


def test_inserted_tokens_are_cells_without_text(registry):
    assert shown(registry, "hi", "bert-base-uncased", add_special_tokens=True) == [("", 1), ("hi", 1), ("", 1)]


def test_one_unknown_token_covers_its_whole_word(registry):
    assert shown(registry, "a 🌍🌍 b", "bert-base-uncased") == [("a", 1), (" ", 0), ("🌍🌍", 1), (" ", 0), ("b", 1)]
