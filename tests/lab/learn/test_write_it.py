"""A program beside the teaching file, line by line."""

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.learn.exercises import EXERCISES, find_exercise
from tokenarium.lab.learn.write_it import MAX_PROGRAM, compare_functions

from tests.support.programs import RIGHT, read_solutions

BPE = find_exercise("bpe")

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


def spelled(function):
    return [(line.difference, line.own.strip(), line.teaching.strip()) for line in function.lines]


def test_lines_differ_by_what_they_do_and_not_by_names():
    pair, merge = compare_functions(RIGHT, BPE)
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
    assert [line.difference for line in compare_functions(TEACHING, BPE)[1].lines] == ["changed", *["same"] * 5]


def test_a_function_that_is_not_there_is_missing_throughout():
    assert {line.difference for one in compare_functions("x = 1", BPE) for line in one.lines} == {"missing"}


@pytest.mark.parametrize("source", ["def merge(", "(" * 3000, "\0", "#" * (MAX_PROGRAM + 1)])
def test_what_python_cannot_read_is_refused(source):
    with pytest.raises(Invalid):
        compare_functions(source, BPE)


@pytest.mark.parametrize("line", [" x=1\n", " x=y[z]\n", " \\\n 1\n", " '''\n'''\n"])
def test_the_longest_program_is_compared(line):
    source = "def merge(a):\n" + line * ((MAX_PROGRAM - 20) // len(line))
    assert len(compare_functions(source, BPE)) == 2


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_each_function_of_a_solution_has_a_place_in_the_comparison(exercise):
    compared = compare_functions(read_solutions(exercise.id)[0], exercise)
    assert [one.name for one in compared if not any(line.own for line in one.lines)] == []
