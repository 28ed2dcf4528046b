"""Lines are the same however the text is parted, and one that is too long is not kept."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.lines import LineSplitter, NumberedLine, batches


def cut(parts, limit=10**9):
    lines = LineSplitter(limit=limit)
    return [line for part in parts for line in lines.feed(part)] + [*lines.end()]


@given(st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"\0", b"\n")), max_size=12))
def test_any_parting_gives_the_lines_of_the_whole(parts):
    whole = b"".join(parts)
    expected = whole.split(b"\n") if whole else []
    if expected and not expected[-1]:
        expected.pop()
    assert cut(parts) == [NumberedLine(number, data) for number, data in enumerate(expected, 1)]


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n"]), max_size=30), st.integers(0, 4))
def test_lines_over_the_limit_keep_their_number_only(parts, limit):
    whole = cut([b"".join(parts)])
    kept = [NumberedLine(line.number, line.data if len(line.data) <= limit else None) for line in whole]
    assert cut(parts, limit) == kept


def test_a_line_without_end_takes_no_memory():
    lines, part = LineSplitter(limit=1000), b"a" * 1_000_000
    tracemalloc.start()
    for _ in range(200):
        assert [*lines.feed(part)] == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [*lines.end()] == [NumberedLine(1, None)]
    assert peak < 5_000_000


def test_batches_are_of_whole_lines_in_order():
    lines = [NumberedLine(number, b"a" * number) for number in range(40)]
    result = [*batches(lines, size=100)]
    assert [line for batch in result for line in batch] == lines
    assert all(sum(len(line.data) for line in batch[:-1]) < 100 for batch in result)
