"""All that the regex lab says about a pattern on a text: for the page and for the API."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from pydantic import ConfigDict

from ...errors import BadFile, Invalid, TooLarge
from ...registry import Registry
from ..option_schema import Options, declare
from ..tokenize import utf8_length
from .backtracking import MAX_SECONDS, Backtracking, measure_backtracking
from .effect import Effect, WordDifference, effect, find_differing_words
from .engines import EngineName, EngineReading, engine_readings, run_attack
from .explanation import PatternPart, explain
from .presets import Flavor
from .words import PatternSplit, check, lines, read

MAX_TEXT = 5_000
"""The maximum length of a text, in characters: several engines search it several times."""
ATTACK_TIMES = 30
"""Repetitions of an attack on which the engines are tried."""


class PatternOptions(Options):
    """A pattern, or several on a line each, which are applied one after the other; and the text."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "pattern": r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
                "text": "In 2024, x² = 17689!",
                "tokenizer": "cl100k_base",
            }
        }
    )

    pattern: str = declare(
        "Pattern", help="A regular expression; of several lines, each splits the words of the one before."
    )
    text: str = declare("Text", help="The text that is split, of at most 5,000 characters.")
    dialect: Flavor = declare(
        "Read the pattern as",
        "tiktoken",
        help="As which library the pattern is read: fancy-regex in tiktoken, Oniguruma in tokenizers.",
    )
    other: str = declare("Second pattern", "", help="A second pattern, to be compared with the first.")
    tokenizer: str = declare(
        "Tokens of",
        "",
        help="A byte-level BPE tokenizer whose tokens are shown with its own pattern and with this one.",
    )


@dataclass(frozen=True)
class ExaminedPattern:
    """One pattern of a sequence: its parts in words and its worst attack, or why it cannot be read for that.

    `outcomes` say how each engine ends its search of the attack with `ATTACK_TIMES` repetitions; "" if it answers.
    """

    pattern: str
    parts: tuple[PatternPart, ...] = ()
    problem: str = ""
    backtracking: Backtracking | None = None
    outcomes: tuple[tuple[EngineName, str], ...] = ()


@dataclass(frozen=True)
class Examination:
    """A pattern on a text. `note` says if another dialect than the requested one was read, and why."""

    patterns: tuple[str, ...]
    text: str
    dialect: Flavor
    reading: PatternSplit
    examined: tuple[ExaminedPattern, ...]
    other: PatternSplit | None = None
    differences: tuple[WordDifference, ...] = ()
    note: str = ""
    engines: tuple[EngineReading, ...] = ()
    effect: Effect | None = None

    @property
    def only_ours(self) -> str:
        """That the words are those of our implementation alone, if every library refuses the patterns, or ""."""
        libraries = [row for row in self.engines if row.name in ("tiktoken", "tokenizers")]
        if not libraries or not all(row.refused for row in libraries):
            return ""
        return "Neither library reads this: the words are those of our implementation alone."


def split_text(question: PatternOptions) -> Examination:
    r"""Return the words that a pattern makes, or several on a line each; beside them those of another one.

    The rest of an examination, which takes up to seconds, is left out: engines, backtracking and tokens.

    >>> split_text(PatternOptions(pattern=r"\p{L}+", text="ab-cd")).reading.gaps
    [(2, 3)]

    Raises `Invalid` for a pattern that neither dialect has, or that is too complex, `RegexTimeout`, `TooLarge` and
    `LoneSurrogate`. The patterns run here: call it where that is limited.
    """
    for name in ("pattern", "other", "text"):
        utf8_length(getattr(question, name), pointer=f"/{name}")
    text = question.text
    if len(text) > MAX_TEXT:
        raise TooLarge(f"The text has {len(text):,} characters; at most {MAX_TEXT:,} are searched.", limit=MAX_TEXT)
    patterns = lines(question.pattern)
    check(patterns)
    reading, used, note = _read(patterns, text, question.dialect)
    second = None
    places = tuple[WordDifference, ...]()
    if other := lines(question.other):
        check(other, "/other")
        second = _other(other, text, used)
        places = tuple(find_differing_words(reading, second))
    explained = tuple(map(explain_pattern, patterns))
    return Examination(tuple(patterns), text, used, reading, explained, second, places, note)


def examine(registry: Registry, question: PatternOptions) -> Examination:
    r"""Examine a pattern, or several on a line each, on a text; beside it another, and the tokens of a vocabulary.

    >>> from tokenarium.settings import Settings
    >>> done = examine(Registry(Settings()), PatternOptions(pattern=r"\p{L}+", text="ab-cd"))
    >>> done.reading.gaps, [row.matches == done.engines[0].matches for row in done.engines]
    ([(2, 3)], [True, True, True, True])

    Raises what `split_text` raises, and `UnknownTokenizer`.
    """
    split = split_text(question)
    patterns, text, used = split.patterns, split.text, split.dialect
    return replace(
        split,
        examined=tuple(map(partial(_measure, MAX_SECONDS / len(patterns)), split.examined)),
        engines=tuple(engine_readings(patterns, text, base=used)),
        effect=effect(registry, question.tokenizer, patterns, text, used) if question.tokenizer else None,
    )


def _read(patterns: Sequence[str], text: str, dialect: Flavor) -> tuple[PatternSplit, Flavor, str]:
    """Return the words in the requested dialect; if it refuses the pattern, in the other one, and why.

    Several patterns are always read as `tokenizers` does, since tiktoken has one.
    """
    if len(patterns) > 1 and dialect == "tiktoken":
        return read(patterns, text, "tokenizers"), "tokenizers", "Several patterns are read as by tokenizers."
    try:
        return read(patterns, text, dialect), dialect, ""
    except Invalid as refused:
        if refused.code != "invalid":
            raise
        other: Flavor = "tokenizers" if dialect == "tiktoken" else "tiktoken"
        if len(patterns) > 1:
            raise
        try:
            reading = read(patterns, text, other)
        except Invalid as again:
            raise (again if again.code != "invalid" else refused) from None
        return reading, other, f"Read as by {other}, because ours, as {dialect}, refuses it: {refused.detail}"


def _other(patterns: Sequence[str], text: str, dialect: Flavor) -> PatternSplit:
    """Return the words of the second pattern. Raises `Invalid` with a pointer to it."""
    try:
        return read(patterns, text, "tokenizers" if len(patterns) > 1 else dialect)
    except Invalid as error:
        error.pointer = "/other"
        raise


def explain_pattern(pattern: str) -> ExaminedPattern:
    """Return a pattern in words."""
    try:
        return ExaminedPattern(pattern, explain(pattern))
    except BadFile as error:
        return ExaminedPattern(pattern, problem=error.detail)


def _measure(max_seconds: float, explained: ExaminedPattern) -> ExaminedPattern:
    """Return a pattern in words with what the worst string does to it."""
    if explained.problem:
        return explained
    try:
        worst = measure_backtracking(explained.pattern, max_seconds)
    except BadFile as error:
        return ExaminedPattern(explained.pattern, problem=error.detail)
    outcomes: tuple[tuple[EngineName, str], ...] = ()
    if worst.attack and worst.growth == "exponential":
        outcomes = tuple(run_attack(explained.pattern, worst.attack.text(ATTACK_TIMES)))
    return replace(explained, backtracking=worst, outcomes=outcomes)
