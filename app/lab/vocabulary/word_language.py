"""The words that a pattern can match, without regard to what stands around them: can one contain a token?

A pattern is read as an automaton that ignores look-around, anchors and possessiveness. These only forbid matches, so
that the automaton accepts every word that the pattern gives anywhere, and perhaps more: what it refuses is proven.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, reduce
from operator import or_

from ...errors import BadFile
from ...files.tokenizer_json.read import TokenizerJson
from ...scratch.compat.oniguruma.charsets import Mask, build_mask, list_case_variants
from ...scratch.compat.oniguruma.parser import Parser
from ...scratch.compat.oniguruma.syntax import (
    AssertionNode,
    CharNode,
    CharSet,
    ChoiceNode,
    ClusterNode,
    DotNode,
    GroupNode,
    LineBreakNode,
    Node,
    ReferenceNode,
    RepeatNode,
    SequenceNode,
)
from ...scratch.compat.pipeline.component import PreTokenizerComponent
from ...scratch.compat.pipeline.normalizers import CJK, BertNormalizer
from ...scratch.compat.pipeline.pre_tokenizers import ByteLevel, Digits, SplitPreTokenizer
from ...scratch.compat.unicode_versions import as_of_8
from ...scratch.pretokenize import GPT2

MAX_COPIES = 40
"""A repeat of more is read as one without an end."""
POSSESSIVE = re.compile(r"(\{\d*,?\d*\})\+")
MAX_STATES = 2_000
MAX_SETS = 100
"""Patterns that users write can be larger; nothing is proven by them. A set takes a megabyte."""
LOOK_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
BREAKS = frozenset("\r\n\v\f\x85\u2028\u2029")


class WordLanguage:
    r"""The words of a pattern. Raises `BadFile` for syntax that is not supported, and for a pattern that is too large.

    >>> words = WordLanguage(r"\p{N}{1,3}|[^\s\p{N}]+|\s+(?!\S)")
    >>> words.contains("12"), words.contains("1234"), words.contains("a1"), words.equals(" ")
    (True, False, False, True)
    """

    def __init__(self, pattern: str, *, older: Callable[[str], str] = str) -> None:
        """`older` replaces characters as a pre-tokenizer does whose tables of Unicode are older."""
        self._older = older
        self._sets: dict[CharSet, Mask] = {}
        self._edges: list[tuple[int, Mask | frozenset[str] | None, int]] = []
        self._free: list[tuple[int, int]] = []  # edges that read nothing
        self._states = 1
        # A possessive `{1,3}+` is two repeats to Oniguruma: the `+` is left out, as possessiveness is anyway.
        self._end = self._add(Parser(POSSESSIVE.sub(r"\1", pattern)).parse(), 0)
        self._steps: dict[tuple[int, str], int] = {}

    def contains(self, text: str) -> bool:
        """True unless no word of the pattern has this text in it."""
        return self._after((1 << self._states) - 1, self._older(text)) != 0

    def continues(self, text: str) -> bool:
        """True unless no word of the pattern has this text behind other characters."""
        begun = reduce(or_, (self._reached[to] for _, _, to in self._edges), 0)
        return self._after(begun, self._older(text)) != 0

    def equals(self, text: str) -> bool:
        """True unless no word of the pattern is this text."""
        return bool(self._after(self._reached[0], self._older(text)) >> self._end & 1)

    def _after(self, states: int, text: str) -> int:
        for char in text:
            key = states, char
            if key not in self._steps:
                reached = (
                    self._reached[to] for at, chars, to in self._edges if states >> at & 1 and _reads(chars, char)
                )
                self._steps[key] = reduce(or_, reached, 0)
            states = self._steps[key]
        return states

    @cached_property
    def _reached(self) -> list[int]:
        """The states that each state leads to without reading, itself included, as bits."""
        sets = [1 << state for state in range(self._states)]
        changed = True
        while changed:
            changed = False
            for at, to in self._free:
                union = sets[at] | sets[to]
                changed |= union != sets[at]
                sets[at] = union
        return sets

    def _state(self) -> int:
        if self._states == MAX_STATES:
            raise BadFile(f"The pattern has more than {MAX_STATES:,} parts.", limit=MAX_STATES)
        self._states += 1
        return self._states - 1

    def _add(self, node: Node, start: int) -> int:
        """Add the states of a part behind a state, and return the one at its end."""
        match node:
            case SequenceNode(parts):
                for part in parts:
                    start = self._add(part, start)
                return start
            case ChoiceNode(branches):
                end = self._state()
                self._free += [(self._add(branch, start), end) for branch in branches]
                return end
            case GroupNode(opening, body):
                return start if opening.startswith(LOOK_AROUND) else self._add(body, start)
            case RepeatNode(body, low, high):
                return self._repeat(body, low, high, start)
            case ReferenceNode():  # may match any text
                self._edges.append((start, None, start))
                return start
            case AssertionNode():
                return start
            case ClusterNode():  # may go on with any character
                return self._repeat(DotNode(True), 1, None, start)
            case _:
                return self._character(node, start)

    def _character(self, node: CharNode | CharSet | DotNode | LineBreakNode, start: int) -> int:
        """Add the state behind one character."""
        match node:
            case CharNode(code, fold):
                return self._add_edge(
                    frozenset(map(chr, list_case_variants(code))) if fold else frozenset(chr(code)), start
                )
            case CharSet():
                if node not in self._sets and len(self._sets) == MAX_SETS:
                    raise BadFile(f"The pattern has more than {MAX_SETS} sets.", limit=MAX_SETS)
                if node not in self._sets:
                    self._sets[node] = build_mask(node)
                return self._add_edge(self._sets[node], start)
            case DotNode():
                return self._add_edge(None, start)
        end = self._add_edge(BREAKS, start)
        self._edges.append((self._add_edge(frozenset("\r"), start), frozenset("\n"), end))
        return end

    def _add_edge(self, chars: Mask | frozenset[str] | None, start: int) -> int:
        end = self._state()
        self._edges.append((start, chars, end))
        return end

    def _repeat(self, body: Node, low: int, high: int | None, start: int) -> int:
        for _ in range(min(low, MAX_COPIES)):
            start = self._add(body, start)
        if high is None or high > MAX_COPIES:
            # States of its own: a loop at `start` would also be entered from parts that share this state.
            first = self._state()
            end = self._state()
            last = self._add(body, first)
            self._free += [(start, first), (last, first), (first, end)]
            return end
        ends = [start]
        for _ in range(high - low):
            ends.append(self._add(body, ends[-1]))
        end = self._state()
        self._free += [(one, end) for one in ends]
        return end


def _reads(chars: Mask | frozenset[str] | None, char: str) -> bool:
    if chars is None:
        return True
    return char in chars if isinstance(chars, frozenset) else bool(chars[ord(char)])


def bert_words(*, ideographs: bool) -> WordLanguage:
    """Return the words of BERT: a punctuation character, or others without white space (Devlin et al. 2019).

    With `ideographs`, its normalizer has put spaces around each.

    >>> words = bert_words(ideographs=True)
    >>> words.contains("don't"), words.contains("dont"), words.contains("日本"), words.continues("!")
    (False, True, False, False)
    """
    apart = CJK.pattern[1:-1] if ideographs else ""
    marks = r"!-/:-@\[-`{-~\p{P}"
    return WordLanguage(rf"[{marks}{apart}]|[^\s{marks}{apart}]+", older=as_of_8)


def list_languages(file: TokenizerJson) -> Iterator[WordLanguage]:
    """Yield the languages of those splitters of a tokenizer.json whose words are all matches of a pattern.

    A word is part of one of each of them. Behind the first that spells bytes the text is no longer that of the token.
    """
    for part in file.splitters:
        if part.type == "BertPreTokenizer":
            bert = [step for step in file.normalizers if isinstance(step, BertNormalizer)]
            yield bert_words(ideographs=any(step.handle_chinese_chars for step in bert))
        if (pattern := _pattern(part)) is not None:
            yield WordLanguage(pattern)
        if part.type not in ("Split", "Digits"):
            return


def _pattern(part: PreTokenizerComponent) -> str | None:
    match part:
        case ByteLevel(add_prefix_space=False, use_regex=True):
            return GPT2
        case Digits(individual_digits=alone):
            return r"\p{Nd}|\p{Nl}|\p{No}|[^\p{N}]+" if alone else r"\p{N}+|[^\p{N}]+"
        case SplitPreTokenizer(pattern, "Removed", invert=True):
            return pattern.translated.pattern
    return None
