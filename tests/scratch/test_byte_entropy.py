"""The entropy of the next byte, and where patches begin: rows by hand, and the fast model equal to the teaching one."""

from math import isclose, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch import byte_entropy
from tokenarium.scratch.fast.byte_entropy import ByteModel, count
from tokenarium.scratch.patching import iter_patch_starts, place_after_spaces, place_by_size, strides

from tests.support.strings import NASTY

ROW = [2.5, 0.9, 1.5, 1.2, 1.8, 0.1, 1.4, 0.6, 0.6]


def starts(rule, **options):
    return [met.at for met in iter_patch_starts(ROW, rule, **options) if met.begins]


def test_the_rules_of_blt_on_a_row_that_is_worked_by_hand():
    assert starts("global", threshold=1.33544) == [0, 2, 4, 6]
    assert starts("monotonic", rise=0.55) == [0, 2, 4, 6]
    assert starts("monotonic", rise=0.7) == [0, 6]
    assert starts("combined", threshold=1.45, rise=0.55) == [0, 2, 4]
    assert starts("global", threshold=9) == [0]
    assert [round(met.limit, 2) for met in iter_patch_starts(ROW, "combined", threshold=1.45, rise=0.5)][:4] == [
        1.45,
        3.0,
        1.45,
        2.0,
    ]


def test_a_target_size_takes_the_highest_entropies_and_of_equal_ones_the_first():
    assert place_by_size(ROW, 3) == [0, 2, 4]
    assert place_by_size([1.0, 2.0, 2.0, 2.0], 2) == [0, 1]
    assert (place_by_size([], 4), place_by_size([1.0], 4), place_by_size(ROW, 100)) == ([], [0], [0])


def test_fixed_strides_and_space_like_bytes():
    assert (strides(17, 8), strides(0, 8)) == ([0, 8, 16], [])
    text = "To be, or not: 12 déjà"
    cut = place_after_spaces(text.encode())
    assert [text.encode()[a:b] for a, b in zip(cut, [*cut[1:], None], strict=True)] == [
        *(b"To ", b"be,", b" or ", b"not:", b" 12 ", b"d\xc3", b"\xa9j\xc3", b"\xa0")
    ]
    assert place_after_spaces("自由".encode()) == [0, 1, 4]


def test_witten_and_bell_by_hand():
    counts = byte_entropy.count_contexts([b"aab"], least=[1, 1])
    assert counts == {b"": {97: 2, 98: 1}, b"a": {97: 1, 98: 1}}
    # After a: two kinds of two, mixed half and half with order 0, where two kinds of three have a share of two fifths.
    shorter = 2 / 5 + 2 / 5 / 256
    spread = byte_entropy.distribution(b"a", counts)
    assert isclose(spread[97], 1 / 4 + shorter / 2)
    assert isclose(byte_entropy.entropy([1 / 256] * 256), log(256))


@given(
    st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=4),
    st.binary(max_size=30),
    st.sampled_from([1, 3, 0.5]),
)
def test_the_fast_model_equals_the_teaching_one(texts, text, weight):
    least = [1, 1, 2, 3]
    counts = byte_entropy.count_contexts(texts, least=least)
    model = ByteModel(count(texts, least), weight=weight)
    steps = [*byte_entropy.iter_predictions(text, counts, order=3, weight=weight)]
    surprisals, entropies = model.predict(text)
    np.testing.assert_allclose(entropies, [step.entropy for step in steps], rtol=1e-9)
    np.testing.assert_allclose(surprisals, [-log(step.spread[step.byte]) for step in steps], rtol=1e-9)


@pytest.mark.parametrize("rule", ["global", "monotonic", "combined"])
def test_every_text_is_cut_into_patches_that_tile_it(rule):
    model = ByteModel(count([b"The law is the law."], [1, 1, 1]))
    for text in NASTY.values():
        data = text.encode()
        cut = [met.at for met in iter_patch_starts(model.entropies(data).tolist(), rule) if met.begins]
        assert cut[:1] == [0][: len(data)]
        assert cut == sorted(set(cut))
