"""Cells split neither a token nor a grapheme cluster, and are no larger than that asks; nor do windows, wherever the
text offers such a place."""

from itertools import accumulate

import pytest
from tokenarium.lab.cells import MAX_CLUSTER, SEARCH_TOKENS, WINDOW_TOKENS, cells, clusters, expand, windows
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


@pytest.mark.parametrize(
    "unit", ["word ", "你好", "👩‍👩‍👧‍👦", "🇺🇳", "क्षि", "e\u0301", "\r\n", "각", "\u1112\u1161\u11ab", "سلام "]
)
@pytest.mark.parametrize("tokenizer", ["bytes", "o200k_base", "mistral-v3"])
def test_no_window_begins_inside_a_cluster_unless_tokens_span_all_edges(registry, unit, tokenizer):
    tokenization = tokenize(registry, unit * 3000, tokenizer=tokenizer)
    result = windows(tokenization)
    edges = {0, *accumulate(len(cluster.encode()) for cluster in clusters(tokenization.text))}
    ends = set(tokenization.encoding.byte_ends.tolist())
    for window in result:
        if window.byte_start not in edges:  # then tokens span every edge that comes
            nearby = tokenization.encoding.byte_starts[window.start : window.start + SEARCH_TOKENS].tolist()
            assert not edges & ends & set(nearby)
    assert all(window.stop - window.start <= WINDOW_TOKENS + SEARCH_TOKENS for window in result)


def test_a_text_without_a_good_place_is_cut_between_characters(registry):
    tokenization = tokenize(registry, "a" + "\u0301" * 5000, tokenizer="characters")
    assert [window.start for window in windows(tokenization)] == [0, 1000, 2000, 3000, 4000, 5000]


def test_a_megabyte_of_one_token_pattern_keeps_its_windows_small(registry):
    tokenization = tokenize(registry, "a" * 1_000_000, tokenizer="bytes")
    result = windows(tokenization)
    assert len(result) == 1000
    assert "".join(cell.text for cell in cells(tokenization, result[-1])) == "a" * 1000


def test_a_text_without_tokens_has_one_window_that_holds_it(registry):
    (window,) = windows(tokenize(registry, " \n ", tokenizer="bert-base-uncased"))
    assert (window.start, window.stop, window.byte_start, window.byte_stop) == (0, 0, 0, 3)


def test_a_part_of_a_text_is_taken_with_whole_characters(registry):
    tokenization = tokenize(registry, "ab🌍c", tokenizer="bytes")
    parts = [expand(tokenization, start, stop) for start, stop in ((0, 2), (1, 3), (3, 4), (6, 7), (7, 7))]
    assert [(part.start, part.stop) for part in parts] == [(0, 2), (1, 6), (2, 6), (6, 7), (7, 7)]
    assert [part.text(tokenization.data) for part in parts] == ["ab", "b🌍", "🌍", "c", ""]
