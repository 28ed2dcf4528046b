"""The exercise: solutions pass, typical mistakes fail the check meant for them; lines beside the teaching file."""

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.learn.write_it import MAX_PROGRAM, STARTER, TRAINING, compare_functions, list_checks

from tests.support.programs import RIGHT

TEACHING = '''
def merge(tokens, pair, number):
    """Merge a pair.

    From the left.
    """
    # a list of its own

    found = [*tokens]
    for k in range(len(found)):  # each place
        if tuple(found[k : k + 2]) == pair:
            found[k : k + 2] = [number]
    return found
'''


def results(program):
    """What the checks find, as a browser does: x for the wanted value, otherwise a point."""
    found = []
    for check in list_checks():
        names = {}
        exec(program + TRAINING, names)
        try:
            found.append(repr(eval(check.call, names)) == check.wanted)
        except (IndexError, TypeError, ValueError):
            found.append(False)
    return "".join("x" if right else "." for right in found)


def test_a_right_program_passes_every_check():
    assert results(RIGHT) == "xxxxxxxx"


def test_the_starter_passes_no_check():
    assert results(STARTER) == "........"


def test_words_that_are_counted_once_fail_where_counts_matter():
    assert results(RIGHT.replace("+= times", "+= 1"))[:2] == ".x"


def test_a_merge_that_returns_its_tokens_passes_where_nothing_is_to_merge():
    assert results("def merge(tokens, pair): return tokens\ndef most_frequent_pair(words): return 5\n") == "...x...."


def spelled(function):
    return [(line.difference, line.own.strip(), line.teaching.strip()) for line in function.lines]


def test_lines_differ_by_what_they_do_and_not_by_names():
    pair, merge = compare_functions(RIGHT)
    assert ("same", "counts[pair] += times", "pairs[pair] += count") in spelled(pair)
    assert ("missing", "", "return pairs") in spelled(pair)
    assert spelled(merge)[1:] == [
        ("changed", "merged = []", "ids = [*word]"),
        ("changed", "for token in tokens:", "for i in range(len(ids)):"),
        ("changed", "if merged and (merged[-1], token) == pair:", "if tuple(ids[i : i + 2]) == pair:"),
        ("added", "merged[-1] += token", ""),
        ("added", "else:", ""),
        ("added", "merged.append(token)", ""),
        ("missing", "", "ids[i : i + 2] = [new]"),
        ("same", "return merged", "return ids"),
    ]


def test_names_and_comments_are_no_differences():
    assert [line.difference for line in compare_functions(TEACHING)[1].lines] == ["changed", *["same"] * 5]


def test_a_function_that_is_not_there_is_missing_throughout():
    assert {line.difference for one in compare_functions("x = 1") for line in one.lines} == {"missing"}


@pytest.mark.parametrize("source", ["def merge(", "(" * 3000, "\0", "#" * (MAX_PROGRAM + 1)])
def test_what_python_cannot_read_is_refused(source):
    with pytest.raises(Invalid):
        compare_functions(source)


@pytest.mark.parametrize("line", [" x=1\n", " x=y[z]\n", " \\\n 1\n", " '''\n'''\n"])
def test_the_longest_program_is_compared(line):
    source = "def merge(a):\n" + line * ((MAX_PROGRAM - 20) // len(line))
    assert len(compare_functions(source)) == 2
