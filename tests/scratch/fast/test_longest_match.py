"""Many literal texts searched at once: the longest at each position, found without a pattern of all of them."""

from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.longest_match import Literals

TOKENS = [f"<unused{number}>" for number in range(50_000)] + ["<unused1", "[x]", "▁▁", "▁"]
few = st.text("ab<]-^", max_size=5)


def found(texts, text):
    return [text[start:end] for start, end in Literals(texts).spans(text)]


def one_by_one(texts, text):
    at = 0
    while at < len(text):
        size = max((len(one) for one in texts if text.startswith(one, at)), default=0)
        if size:
            yield at, at + size
        at += size or 1


@given(st.lists(few), st.lists(few).map("".join))
def test_each_match_is_the_longest_at_the_first_position_with_one(texts, text):
    assert [*Literals(texts).spans(text)] == [*one_by_one(texts, text)]


def test_the_longest_of_very_many_is_found():
    assert found(TOKENS, "a<unused59>▁▁▁[x]<unused1") == ["<unused59>", "▁▁", "▁", "[x]", "<unused1"]
    assert found(["\n" * count for count in range(1, 200)], "\n" * 250) == ["\n" * 199, "\n" * 51]
    assert found([], "a") == found([""], "a") == []


def test_no_pattern_grows_with_the_number_of_texts():
    assert Literals(TOKENS).begin.pattern == r"<unused|\[x\]|▁"
    distinct = Literals(f"{chr(0x4E00 + number)}{number}" for number in range(20_000))
    assert "|" not in distinct.begin.pattern  # one set of characters instead of 20,000 branches
    assert [*distinct.spans(f"x{chr(0x4E00 + 777)}777")] == [(1, 5)]
