"""The exercise: a right solution passes, typical mistakes fail the check that is meant for them."""

from tokenarium.lab.learn.programs.exercise import STARTER, check_program

from tests.support.programs import RIGHT


def results(program):
    return "".join("x" if check.right else "." for check in check_program(program))


def test_a_right_program_passes_every_check():
    assert results(RIGHT) == "xxxxxxxx"


def test_the_starter_passes_only_what_needs_no_merge():
    assert results(STARTER) == "........"
    assert check_program(STARTER)[0].fault.startswith("ValueError: max()")


def test_words_that_are_counted_once_fail_where_counts_matter():
    assert results(RIGHT.replace("+= times", "+= 1"))[:2] == ".x"


def test_what_returns_no_list_is_a_fault_and_no_error():
    checks = check_program("def most_frequent_pair(words): return 5\ndef merge(tokens, pair): return 5")
    assert [check.right for check in checks] == [False] * 8
    assert checks[5].fault.startswith("TypeError")
    assert " at 0x" not in check_program("def most_frequent_pair(words): return pairwise")[0].found
    assert check_program("def")[0].fault == "Python cannot read this: invalid syntax."
