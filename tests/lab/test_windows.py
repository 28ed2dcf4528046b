"""Windows are cut where neither a token nor a cluster is split, wherever the text offers such a place."""

from itertools import accumulate

import pytest
from tokenarium.lab.cells import SEARCH_TOKENS, WINDOW_TOKENS, cells, clusters, windows
from tokenarium.lab.tokenize import tokenize


@pytest.mark.parametrize(
    "unit",
    ["word ", "你好", "👩‍👩‍👧‍👦", "🇺🇳", "क्षि", "e\u0301", "\r\n", "각", "\u1112\u1161\u11ab", "سلام "],
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
