"""What a training is asked to do: the algorithm, who runs it, how large, and how a text is made into words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import regex

from app.errors import Invalid, listed
from app.lab.steps.learn.corpora import expression
from app.scratch.counting import Digits, with_digits
from app.scratch.ties import TieRule
from app.scratch.train_merges import Weighing
from app.scratch.words import BERT_WORD
from app.types import Algorithm, Unit

Trainer = Literal["scratch", "tokenizers", "sentencepiece"]
ALGORITHMS: Mapping[Algorithm, str] = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "Unigram"}
UNITS: Mapping[Unit, str] = {"bytes": "bytes", "characters": "characters", "marked": "characters, the last marked"}
TIES: Mapping[TieRule, str] = {
    "smallest": "the one of the smallest ids, as tokenizers has it",
    "first-seen": "the one seen first",
    "lexicographic": "the first by spelling",
}
TRAINERS: Mapping[Trainer, str] = {
    "scratch": "from scratch",
    "tokenizers": "tokenizers",
    "sentencepiece": "SentencePiece",
}
DIGITS: Mapping[Digits, str] = {
    "pattern": "as the pattern has it",
    "single": "each alone",
    "three": "up to three together",
}
WEIGHINGS: Mapping[Weighing, str] = {
    "count": "by count, as tokenizers does",
    "score": "by the published score",
}
PATTERNS: Mapping[str, str] = {
    "usual": "the usual one",
    "gpt2": "GPT-2",
    "cl100k": "GPT-4",
    "o200k": "GPT-4o",
    "llama3": "Llama 3",
    "bert": "BERT",
    "spaces": "white space",
}
RUNS_ON: Mapping[Algorithm, tuple[Trainer, ...]] = {
    "bpe": ("scratch", "tokenizers", "sentencepiece"),
    "wordpiece": ("scratch", "tokenizers"),
    "unigram": ("scratch", "tokenizers", "sentencepiece"),
}
LARGEST = 1_000_000
"""Pieces of a vocabulary that may be asked for."""
MOST_SPECIAL, LONGEST_SPECIAL, LONGEST_PATTERN = 1000, 200, 2000
SPACES = r"\S+"
NUMBER = {"single": r"\p{N}", "three": r"\p{N}{1,3}"}


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that decides a training, with the defaults of the page.

    `size` is the number of pieces, special ones and the alphabet among them. `pattern` is a name of `PATTERNS` or a
    regular expression; Unigram and SentencePiece, which see white space as ▁, have none. A pair that comes less often
    than `at_least` is not merged; no piece is longer than `longest` symbols, where that is given. `held_out` is the
    share of the corpus that is not learned from, but measured on.
    """

    algorithm: Algorithm = "bpe"
    engine: Trainer = "scratch"
    size: int = 8000
    unit: Unit = "bytes"
    pattern: str = "usual"
    special_tokens: tuple[str, ...] = ()
    at_least: int = 2
    longest: int | None = None
    digits: Digits = "pattern"
    lowercase: bool = False
    ties: TieRule = "smallest"
    weighing: Weighing = "count"
    bytes_too: bool = False
    as_sentencepiece: bool = False
    held_out: float = 0.1

    @property
    def marks_spaces(self) -> bool:
        """Whether white space becomes ▁, so that there is no pattern.

        >>> Options().marks_spaces, Options(algorithm="unigram").marks_spaces
        (False, True)
        """
        return self.algorithm == "unigram" or self.engine == "sentencepiece"

    @property
    def unknown(self) -> str | None:
        """What stands for a character that was never seen: learned from bytes, there is none."""
        if self.algorithm == "wordpiece":
            return "[UNK]"
        return "<unk>" if self.marks_spaces else None

    @property
    def special(self) -> tuple[str, ...]:
        """The special tokens in the order of their ids, the unknown one first unless it is told where it stands.

        >>> Options(algorithm="wordpiece", special_tokens=("[CLS]",)).special
        ('[UNK]', '[CLS]')
        """
        lacking = () if self.unknown is None or self.unknown in self.special_tokens else (self.unknown,)
        return lacking + self.special_tokens

    @property
    def expression(self) -> str:
        r"""The regular expression that cuts words, with the digits as they are wanted.

        >>> Options(pattern="spaces", digits="single").expression
        '\\p{N}|[^\\s\\p{N}]+'
        """
        if self.marks_spaces:
            return ""
        name = self.usual if self.pattern == "usual" else self.pattern
        if name == "bert":
            return _bert(self.digits)
        found = SPACES if name == "spaces" else expression(name) if name in PATTERNS else name
        return with_digits(found, self.digits)

    @property
    def usual(self) -> str:
        """The pattern where none is chosen: BERT's for WordPiece, white space where ends of words are marked, and
        otherwise GPT-4o's, which leaves marks with the letters they belong to, as many scripts need."""
        if self.algorithm == "wordpiece":
            return "bert"
        return "spaces" if self.unit == "marked" else "o200k"

    @property
    def symbols(self) -> Literal["bytes", "characters"]:
        """What the length of a piece is told in."""
        merges_bytes = self.algorithm == "bpe" and self.unit == "bytes" and not self.marks_spaces
        return "bytes" if merges_bytes else "characters"

    @property
    def unheeded(self) -> list[str]:
        """What was asked for that this algorithm and this trainer do not look at.

        >>> Options(algorithm="unigram", at_least=5, ties="first-seen").unheeded
        ['at_least', 'ties']
        """
        heeded = {
            "unit": self.algorithm == "bpe" and not self.marks_spaces,
            "pattern": not self.marks_spaces,
            "digits": not self.marks_spaces or self.digits == "single",
            "at_least": not self.marks_spaces,
            "longest": (self.algorithm, self.engine) != ("wordpiece", "tokenizers"),
            "ties": not self.marks_spaces and self.engine == "scratch",
            "weighing": self.algorithm == "wordpiece",
            "as_sentencepiece": self.algorithm == "unigram" and self.engine == "scratch",
        }
        default = Options()
        return [name for name, is_so in heeded.items() if not is_so and getattr(self, name) != getattr(default, name)]


def _bert(digits: Digits) -> str:
    if digits == "pattern":
        return BERT_WORD.pattern
    mark, _, word = BERT_WORD.pattern.partition("|")
    return "|".join((mark, NUMBER[digits], word.replace(r"\p{P}", r"\p{P}\p{N}")))


def check(options: Options) -> Options:
    """The options themselves, if they can be followed. Raises `Invalid` with a pointer to the value."""
    closed: tuple[tuple[str, str, Iterable[str]], ...] = (
        ("algorithm", options.algorithm, ALGORITHMS),
        ("engine", options.engine, TRAINERS),
        ("unit", options.unit, UNITS),
        ("digits", options.digits, DIGITS),
        ("ties", options.ties, TIES),
        ("weighing", options.weighing, WEIGHINGS),
    )
    for name, value, valid in closed:
        if value not in valid:
            raise Invalid(f"{name} is one of {listed(valid)}.", pointer=f"/{name}")
    if not 1 <= options.size <= LARGEST:
        raise Invalid(f"size is a whole number from 1 to {LARGEST:,}.", pointer="/size", limit=LARGEST)
    if not 1 <= options.at_least <= 10**9:
        raise Invalid("at_least is a whole number from 1.", pointer="/at_least")
    if options.longest is not None and not 1 <= options.longest <= 1000:
        raise Invalid("longest is a whole number from 1 to 1,000.", pointer="/longest", limit=1000)
    if not 0 <= options.held_out <= 0.5:
        raise Invalid("held_out is a share from 0 to 0.5.", pointer="/held_out")
    _check_special(options)
    _check_engine(options)
    _check_pattern(options)
    return options


def _check_special(options: Options) -> None:
    tokens = options.special_tokens
    if len(tokens) > MOST_SPECIAL or any(not 1 <= len(token) <= LONGEST_SPECIAL for token in tokens):
        limits = f"At most {MOST_SPECIAL:,} special tokens of 1 to {LONGEST_SPECIAL} characters."
        raise Invalid(limits, pointer="/special_tokens", limit=MOST_SPECIAL)
    if len({*tokens}) < len(tokens):
        raise Invalid("A special token is given twice.", pointer="/special_tokens")


def _check_engine(options: Options) -> None:
    """Raise what a trainer cannot do."""
    engines = RUNS_ON[options.algorithm]
    if options.engine not in engines:
        raise Invalid(f"{options.algorithm} is trained by {listed(engines)}.", pointer="/engine")
    if options.engine != "scratch" and options.unit == "marked" and options.algorithm == "bpe":
        raise Invalid("Only the trainer from scratch marks the end of words with a symbol.", pointer="/unit")
    if options.engine != "scratch" and options.weighing == "score":
        raise Invalid("Only the trainer from scratch weighs by the published score.", pointer="/weighing")
    if options.bytes_too and not options.marks_spaces:
        raise Invalid("Only Unigram and SentencePiece fall back to bytes.", pointer="/bytes_too")


def _check_pattern(options: Options) -> None:
    """Raise `Invalid` for a pattern that is none, or that matches nothing at all."""
    if options.marks_spaces or options.pattern in PATTERNS:
        return
    if not 1 <= len(options.pattern) <= LONGEST_PATTERN:
        detail = (
            f"pattern is one of {listed(PATTERNS)}, or a regular expression of up to {LONGEST_PATTERN:,} characters."
        )
        raise Invalid(detail, pointer="/pattern", limit=LONGEST_PATTERN)
    try:
        regex.compile(options.pattern, regex.V0 | regex.DOTALL)
    except regex.error as error:
        raise Invalid(f"The pattern is no regular expression: {error}.", pointer="/pattern") from None
    with_digits(options.pattern, options.digits)
