"""The exercise: `most_frequent_pair` and `merge`, checked by worked examples and by the engine's own training."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ....scratch.learn_bpe import learn
from .interpreter import Program
from .values import ProgramFault, weigh

STARTER = '''\
def most_frequent_pair(words):
    """Return the pair of neighbours that occurs most often; of equals, the first.

    words: a dict from each word, a tuple of tokens, to how often it occurs.
    """
    counts = {}
    for tokens, times in words.items():
        for pair in pairwise(tokens):
            ...  # count the pair as often as its word occurs
    return max(counts, key=counts.get)


def merge(tokens, pair):
    """Return the tokens with each occurrence of the pair as one token, from the left."""
    merged = []
    ...  # go through the tokens
    return merged
'''
ADDRESS = re.compile(" at 0x[0-9a-f]+")
"""The place of a function in memory, which its repr has."""
MAX_SPELLED = 300
"""Characters of a value that the page shows."""
WORDS = (
    {"low": 5, "lower": 2, "new": 6, "newer": 3},
    {"low": 5, "lowest": 2, "new": 6, "widest": 3},
    {"cddcdycdyc": 1},
)
"""Corpora on which the program is trained beside the engine: those of the engine's own examples."""
MERGES = 6


@dataclass(frozen=True, slots=True)
class ProgramCheck:
    """A call of the program: what it should return, and what it has returned; `fault` is why it did not."""

    call: str
    wanted: str
    found: str = ""
    fault: str = ""
    line: int = 0

    @property
    def right(self) -> bool:
        return not self.fault and self.found == self.wanted


def check_program(source: str) -> tuple[ProgramCheck, ...]:
    """Return the checks of a program, in order. Nothing that the program does can raise.

    >>> [check.right for check in check_program("def merge(tokens, pair): return tokens")]
    [False, False, False, True, False, False, False, False]
    """
    return tuple(_check(source, *each) for each in _iter_checks())


Call = Callable[[Program], Any]


def _iter_checks() -> Iterator[tuple[str, Any, Call]]:
    """Yield each check: the call as text, what it should return, and the call."""
    pair, merge = "most_frequent_pair", "merge"
    calls: list[tuple[str, tuple[Any, ...], Any]] = [
        (pair, ({("l", "o", "w"): 5, ("n", "e", "w"): 6},), ("n", "e")),
        (pair, ({("a", "b"): 1, ("b", "c"): 1, ("x", "b", "c"): 1},), ("b", "c")),
        (merge, (["l", "o", "w", "l", "o"], ("l", "o")), ["lo", "w", "lo"]),
        (merge, (["a", "b"], ("b", "a")), ["a", "b"]),
        (merge, (["a", "a", "a"], ("a", "a")), ["aa", "a"]),
    ]
    for name, values, wanted in calls:
        spelled = f"{name}({', '.join(map(repr, values))})"
        yield spelled, wanted, partial(Program.call, name=name, values=values)
    for words in WORDS:
        merges = [(first, second) for first, second, _ in learn(words, MERGES)]
        yield f"{len(merges)} merges of {words}", merges, _train(words, len(merges))


def _train(words: Mapping[str, int], merges: int) -> Call:
    """Return the training loop around the two functions of a program."""

    def run(program: Program) -> list[Any]:
        now = {(*word,): count for word, count in words.items()}
        pairs = []
        for _ in range(merges):
            pair = program.call("most_frequent_pair", (now,))
            pairs.append(pair)
            now = {(*program.call("merge", ([*tokens], pair)),): count for tokens, count in now.items()}
        return pairs

    return run


def _check(source: str, call: str, wanted: Any, run: Call) -> ProgramCheck:
    spelled = repr(wanted)
    try:
        found = run(Program(source))
    except ProgramFault as fault:
        return ProgramCheck(call, spelled, fault=fault.message, line=fault.line)
    except (TypeError, ValueError) as error:  # what is no list or no tuple goes on in the training loop
        return ProgramCheck(call, spelled, fault=f"{type(error).__name__}: {error}"[:MAX_SPELLED])
    if weigh(found, MAX_SPELLED) > MAX_SPELLED:
        return ProgramCheck(call, spelled, fault="It returns too much.")
    return ProgramCheck(call, spelled, ADDRESS.sub("", repr(found))[:MAX_SPELLED])
