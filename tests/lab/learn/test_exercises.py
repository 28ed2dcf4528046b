"""The exercises: solutions pass, typical mistakes fail the check that names them, and engines return what is wanted."""

import re
from ast import literal_eval
from itertools import islice, repeat

import pytest
import regex
import tokenarium as tk
from tokenarium.errors import UnknownScene
from tokenarium.files.minbpe import dump_minbpe, dump_vocabulary, load_minbpe
from tokenarium.files.tiktoken.ranks import CL100K, GPT2
from tokenarium.lab.languages.declarations import declarations
from tokenarium.lab.learn.exercises import EXERCISES, find_exercise
from tokenarium.scratch.learn_bpe import learn
from tokenarium.scratch.learn_unigram import iter_learning_steps
from tokenarium.scratch.unigram import segment
from tokenarium.settings import ROOT, Settings

from tests.support.programs import read_solutions
from tests.support.strings import NASTY

UDHR = declarations(Settings().store)["eng"].text
RIGHT = [(exercise, read_solutions(exercise.id)[0]) for exercise in EXERCISES]
WRONG = [(exercise, *wrong) for exercise in EXERCISES for wrong in read_solutions(exercise.id)[1]]


def run(program, exercise):
    """Return the names that a program and the code around it make."""
    names = {}
    exec(program, names)
    exec(exercise.around, names)
    return names


def list_failures(program, exercise):
    """Return what the checks that a program fails show, as the browser finds them."""
    failed = []
    names = run(program, exercise)
    for check in exercise.checks:
        try:
            right = repr(eval(check.call, names)) == check.wanted
        except Exception:  # whatever a wrong program raises
            right = False
        if not right:
            failed.append(check.shows)
    return failed


def wanted(id, number):
    """Return what the check of that number should return."""
    return literal_eval(find_exercise(id).checks[number].wanted)


@pytest.mark.parametrize(("exercise", "program"), RIGHT, ids=[one.id for one in EXERCISES])
def test_a_right_program_passes_every_check(exercise, program):
    assert list_failures(program, exercise) == []


@pytest.mark.parametrize(("exercise", "program", "fails"), WRONG)
def test_a_typical_mistake_fails_the_check_that_names_it(exercise, program, fails):
    assert fails in list_failures(program, exercise)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_a_starter_runs_and_returns_nothing_but_what_is_empty_or_given(exercise):
    failed = list_failures(exercise.starter, exercise)
    passed = [check for check in exercise.checks if check.shows not in failed]
    assert {check.wanted for check in passed if not check.call.startswith("split(")} <= {"[]", "{}"}


def test_training_is_that_of_the_teaching_file():
    for number, words in ((5, {"low": 5, "lower": 2, "new": 6, "newer": 3}), (7, {"cddcdycdyc": 1})):
        assert wanted("bpe", number) == [(first, second) for first, second, _ in learn(words, 6)]
    assert [first + second for first, second, _ in learn({"aaabdaaabac": 1}, 3)] == ["aa", "aaa", "aaab"]
    greatest = learn({"xy": 1, " ab": 3}, 1, ties="lexicographically-greatest")
    assert wanted("cs336-train", 0) == [tuple(part.encode() for part in greatest[0][:2])]


def test_the_ranks_and_ids_of_gpt4_are_those_of_tiktoken():
    names = run(read_solutions("gpt4")[0], find_exercise("gpt4"))
    tokenizer = tk.load("cl100k_base")
    assert {token: rank for token, rank in names["RANKS"].items() if tokenizer.tokenizer.entry(rank).raw != token} == {}
    for text in ("hello world!!!? (안녕하세요!) lol123 😉", "lower, lowest", "1234567", "A"):
        assert names["encode"](text) == tokenizer.encode(text)


@pytest.mark.parametrize(("id", "pattern"), [("gpt4", CL100K), ("cs336-train", GPT2)])
def test_texts_are_split_as_by_the_pattern(id, pattern):
    split = run("", find_exercise(id))["split"]
    for text in NASTY.values():
        assert split(text) == regex.findall(pattern, text)


def test_the_files_are_those_that_are_written_and_read_here():
    names = run(read_solutions("files")[0], find_exercise("files"))
    model = load_minbpe(b"minbpe v1\n[a-z]+\n1\n<|end|> 260\n108 111\n256 119\n195 169\n10 10\n")
    own = names["Tokenizer"](model.merges, model.pattern, model.special_tokens)
    assert own.model().encode() == dump_minbpe(model)
    assert own.vocab().encode() == dump_vocabulary(model)


def test_probabilities_are_those_of_the_teaching_file():
    names = run(read_solutions("em")[0], find_exercise("em"))
    begin = {token: count / len(token) for token, count in names["SEEDS"].items()}
    _, first, *_ = iter_learning_steps(names["HUGS"], size=7, rounds=1, begin=begin)
    total = sum(first.counts.values())
    assert wanted("em", 4) == {token: round(count / total, 4) for token, count in first.counts.items()}
    scores = run("", find_exercise("viterbi"))["SCORES"]
    assert wanted("viterbi", 1) == segment("there", scores).tokens


@pytest.fixture(scope="module")
def adapter():
    """The adapter for CS336's tests, as the guide prints it."""
    guide = (ROOT / "templates/docs/exercises.md").read_text(encoding="utf-8")
    found = re.search("```python\n(.*?)```", guide, re.DOTALL)
    assert sum(line != "" for line in found[1].splitlines()) <= 30
    names = {}
    exec(found[1], names)
    return names


def test_the_adapter_trains_by_the_rules_of_the_assignment(adapter, tmp_path):
    text = f"{UDHR}<|endoftext|>low low lower<|endoftext|>élan, 12 34 🌍\n\n  x" * 2
    (tmp_path / "corpus.txt").write_text(text, encoding="utf-8")
    vocab, merges = adapter["run_train_bpe"](tmp_path / "corpus.txt", 340, ["<|endoftext|>"])
    program = run(read_solutions("cs336-train")[0], find_exercise("cs336-train"))
    wanted_vocab, wanted_merges = program["train_bpe"](text, 340, ["<|endoftext|>"])
    assert merges == wanted_merges
    assert {*vocab} == {*wanted_vocab}
    assert {*vocab.values()} == {*wanted_vocab.values()}


def test_the_adapter_encodes_as_tiktoken_does_by_the_merges_of_gpt2(adapter):
    gpt2 = tk.load("gpt2")
    vocab = {id: gpt2.tokenizer.entry(id).raw for id in range(50256)}
    recover = run(read_solutions("gpt4")[0], find_exercise("gpt4"))["recover_merges"]
    merges = [(vocab[a], vocab[b]) for a, b in recover({token: id for id, token in vocab.items()})]
    plain = adapter["get_tokenizer"](vocab, merges)
    vocab |= {50256: b"<|endoftext|>", 50257: b"<|endoftext|><|endoftext|>"}
    parsing = adapter["get_tokenizer"](vocab, merges, ["<|endoftext|>"])
    for text in [*NASTY.values(), UDHR]:
        assert plain.encode(text) == [*plain.encode_iterable(iter(text))] == gpt2.encode(text)
        assert plain.decode(plain.encode(text)) == text
        assert parsing.encode(f"{text}<|endoftext|>{text}") == gpt2.encode(
            f"{text}<|endoftext|>{text}", special="parse"
        )
    both = adapter["get_tokenizer"](vocab, merges, ["<|endoftext|>", "<|endoftext|><|endoftext|>"])
    assert both.encode("a<|endoftext|><|endoftext|><|endoftext|>") == [64, 50257, 50256]
    assert plain.decode([163]) == "\ufffd"


def test_the_adapter_gives_ids_while_a_file_is_read(adapter):
    tokenizer = adapter["get_tokenizer"]({byte: bytes([byte]) for byte in range(256)}, [])
    assert [*islice(tokenizer.encode_iterable(repeat("low lower\n")), 4)] == [*b"low "]


def test_an_unknown_exercise_names_the_others():
    with pytest.raises(UnknownScene, match="The exercises are bpe, basic, regex, "):
        find_exercise("nothing")
