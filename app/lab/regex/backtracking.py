"""Catastrophic backtracking: strings that make a search take long, made from the pattern and tried on the engines.

A pattern that can match one text in many ways tries all of them before it gives up: `(?:a|a)*b` on aaaa, 2ⁿ ways. Each
repeat without a bound, or with a large one, is attacked with what its body matches, repeated, and an end that cannot
match. The repetitions are doubled until an engine takes long or gives up; how its time grows is what is told. An engine
that leaves out some of the work is not slow here, whatever the pattern would cost another.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import log2

from ...errors import EngineFailed, Invalid, RegexTimeout
from ...files.split_words import compile_with_tokenizers
from ...scratch.compat.oniguruma.charsets import Mask, build_mask
from ...scratch.compat.oniguruma.parser import Parser
from ...scratch.compat.oniguruma.syntax import (
    AssertionNode,
    CharNode,
    CharSet,
    ChoiceNode,
    ClusterNode,
    DotNode,
    GroupNode,
    Node,
    ReferenceNode,
    RepeatNode,
    SequenceNode,
)
from ...scratch.fast.pretokenize import compile_untrusted, matches

SIZES = tuple(2**power for power in range(3, 14))
"""Repetitions of an attack for which the engines are timed, until one takes long."""
LONG = 0.02
"""Seconds of processor time after which no more repetitions are tried."""
SHORT = 0.0002
"""Seconds below which times are no measure of growth."""
MAX_SECONDS = 2.0
"""Seconds for all attacks on the patterns of an examination; those that are left are not tried."""
MAX_ATTACKS = 40
"""Strings that are tried."""
EXPONENTIAL = 64.0
"""Growth of the time by twice the repetitions that no polynomial of a degree below six has."""
OFTEN = 8
"""Repetitions, multiplied where repeats are nested, from which on a bounded repeat is attacked."""
PREFERRED = "a0 \n-'!\t"
"""Characters that strings are made of if a set has them."""
GROWTHS = ("not tried", "linear", "polynomial", "exponential")
FAILS = ("\x01", "", "!", " ", "b")
"""Ends after which a match may fail."""
Search = Callable[[str], Sized]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Attack:
    """A string: `before`, `pump` again and again, `after`."""

    before: str
    pump: str
    after: str

    def text(self, times: int) -> str:
        """Return the string with so many repetitions."""
        return self.before + self.pump * times + self.after


@dataclass(frozen=True, slots=True)
class Backtracking:
    """The worst attack that was found, and the engine that it is worst for; `tried` is the number of attacks that ran.

    `seconds` are those for the first of `SIZES`, the last of them None if the engine gives up.
    """

    attack: Attack | None
    engine: str = ""
    seconds: tuple[float | None, ...] = ()
    tried: int = 0

    @property
    def last_sizes(self) -> list[tuple[int, float | None]]:
        """The last three repetitions that were tried, each with its seconds."""
        return [*zip(SIZES, self.seconds, strict=False)][-3:]

    @property
    def growth(self) -> str:
        """How the time grows with the length, one of `GROWTHS`: "linear" if no attack of those that ran is worse."""
        if not self.seconds:
            return "linear" if self.tried else "not tried"
        *before, last = self.seconds
        if last is None:
            # No polynomial of a low degree has an engine give up after so few.
            return "exponential" if len(before) < SIZES.index(128) else "polynomial"
        if last < LONG:
            return "linear"
        ratio = self._ratio(before[-1] if before else None, last)
        return "exponential" if ratio >= EXPONENTIAL else "polynomial" if log2(ratio) > 1.6 else "linear"

    @staticmethod
    def _ratio(before: float | None, last: float) -> float:
        return last / max(SHORT, before or 0.0)

    @property
    def degree(self) -> int:
        """The degree of the polynomial, at least 2 for one; 0 if it is not known."""
        if self.growth != "polynomial" or self.seconds[-1] is None:
            return 0
        return max(2, round(log2(self._ratio(self.seconds[-2], self.seconds[-1]))))

    @property
    def rank(self) -> tuple[int, bool, int, int]:
        """Greater for a worse attack: by its growth, whether the engine gives up, the degree, and how soon."""
        return GROWTHS.index(self.growth), None in self.seconds, self.degree, -len(self.seconds)


def measure_backtracking(pattern: str, max_seconds: float = MAX_SECONDS) -> Backtracking:
    r"""Return the attack on a pattern that makes an engine take longest: `regex`, or Oniguruma in `tokenizers`.

    >>> worst = measure_backtracking(r"(?:a|a)*b")
    >>> worst.growth, worst.attack.text(3)
    ('exponential', 'aaa\x01b')
    >>> measure_backtracking(r"\s+(?!\S)|\s+").growth
    'linear'

    A whole search is timed, as a tokenizer splits a text: `[a-z]+[0-9]+` takes linear time for each letter of a word.
    The pattern runs here: call it where that is limited. Raises `BadFile` for syntax that the parser of Oniguruma's
    dialect does not support.
    """
    return find_worst(list_attacks(pattern), list_engines(pattern), max_seconds=max_seconds)


def list_attacks(pattern: str) -> list[Attack]:
    """Return the attacks on a pattern. Raises `BadFile` as `measure_backtracking` does."""
    return list(dict.fromkeys(_attacks(Parser(pattern).parse(), "", "")))[:MAX_ATTACKS]


def list_engines(pattern: str) -> dict[str, Search]:
    """Return the engines that read a pattern, by name, as functions that find all matches in a text."""
    engines: dict[str, Search] = {}
    with suppress(Invalid):
        engines["regex"] = partial(matches, compile_untrusted(pattern))
    with suppress(Invalid):
        engines["tokenizers"] = compile_with_tokenizers(pattern)
    return engines


def find_worst(
    attacks: list[Attack],
    engines: Mapping[str, Search],
    clock: Clock = time.thread_time,
    *,
    max_seconds: float = MAX_SECONDS,
) -> Backtracking:
    """Return the attack of the worst rank on one of some engines, the first of those of the same rank."""
    worst = Backtracking(None)
    end = clock() + max_seconds
    tried = 0
    for attack in attacks:
        runs = [Backtracking(attack, name, time_engine(search, attack, clock)) for name, search in engines.items()]
        tried += any(run.seconds for run in runs)
        slow = [run for run in runs if GROWTHS.index(run.growth) > GROWTHS.index("linear")]
        worst = max([worst, *slow], key=lambda run: run.rank)
        if worst.growth == GROWTHS[-1] or clock() > end:
            break
    return replace(worst, tried=tried)


def time_engine(search: Search, attack: Attack, clock: Clock) -> tuple[float | None, ...]:
    """Return the seconds that a search takes for the first of `SIZES`, until it takes long or gives up, as None."""
    seconds: list[float | None] = []
    for size in SIZES:
        start = clock()
        try:
            search(attack.text(size))
        except (EngineFailed, RegexTimeout):
            return (*seconds, None)
        except Invalid:  # this engine does not read the pattern
            return ()
        taken = clock() - start
        seconds.append(taken)
        if len(seconds) > 1 and taken > LONG:
            break
    return tuple(seconds)


@lru_cache(maxsize=40)
def _mask(node: CharSet) -> Mask:
    return build_mask(node)


def _attacks(node: Node, before: str, behind: str, times: int = 1) -> Iterator[Attack]:
    """Yield attacks on the repeats of a node that stands between these strings and is repeated so often by others."""
    match node:
        case SequenceNode(parts):
            for i, part in enumerate(parts):
                yield from _attacks(part, before, "".join(map(sample, parts[i + 1 :])) + behind, times)
                before += sample(part)
        case ChoiceNode(branches):
            for branch in branches:
                yield from _attacks(branch, before, behind, times)
        case GroupNode("(?<=" | "(?<!", body):
            # It is read where the rest may match, and fails at its beginning.
            for attack in _attacks(body, FAILS[0] + before, "", times):
                yield replace(attack, after=behind)
        case GroupNode(body=body):
            yield from _attacks(body, before, behind, times)
        case RepeatNode(body, _, high):
            times *= OFTEN if high is None else max(1, high)
            if times >= OFTEN:
                yield from _attack_repeat(body, before, behind)
            yield from _attacks(body, before, behind, times)
        case _:
            return


def _attack_repeat(body: Node, before: str, behind: str) -> Iterator[Attack]:
    """Yield attacks on a repeat of a node."""
    # An engine may first look whether the text has what must follow, so it does, behind the failure.
    ends = dict.fromkeys([FAILS[0] + behind, *FAILS])
    for pump in filter(None, dict.fromkeys([sample(body), *_variants(body)])):
        yield from (Attack(before, pump, after) for after in ends)


def _variants(node: Node) -> Iterator[str]:
    """Yield other strings that a node matches: of each alternative, and of the first repeat twice."""
    match node:
        case GroupNode(body=body):
            yield from _variants(body)
        case ChoiceNode(branches):
            yield from map(sample, branches)
        case RepeatNode(body):
            yield sample(body)
        case SequenceNode(parts):
            for part in parts:
                yield from _variants(part)
        case _:
            return


def sample(node: Node) -> str:
    r"""Return a short string that a node matches.

    >>> sample(Parser(r"x?\p{L}+\d{2}(?!c)").parse())
    'a00'
    """
    match node:
        case CharNode(code):
            return chr(code)
        case CharSet():
            mask = _mask(node)
            known = next((char for char in PREFERRED if mask[ord(char)]), None)
            return known if known is not None else chr(int(mask.argmax())) if mask.any() else ""
        case DotNode() | ClusterNode():
            return "a"
        case SequenceNode(parts):
            return "".join(map(sample, parts))
        case ChoiceNode(branches):
            return sample(branches[0])
        case RepeatNode(body, low):
            return sample(body) * min(low, 3)
        case GroupNode(opening, body):
            return "" if opening in ("(?=", "(?!", "(?<=", "(?<!") else sample(body)
        case AssertionNode() | ReferenceNode():
            return ""
        case _:
            return "\n"
