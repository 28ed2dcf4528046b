"""The options of a training: algorithm, trainer, size, pre-tokenizer. Form, JSON and command line follow them."""

from collections.abc import Mapping
from typing import Literal

from ...errors import BadFile, Invalid, join_names
from ...files.patterns import MAX_LENGTH, check_pattern_complexity
from ...scratch.compat.pipeline.pre_tokenizers import BERT_WORD
from ...scratch.fast.pretokenize import compile_untrusted
from ...scratch.fast.word_counts import Digits, with_digits
from ...scratch.learn_bpe import TieRule
from ...scratch.superwords import WEAK
from ...types import Algorithm, Unit, Weighing
from ..option_schema import Condition, Items, Options, declare, validate
from ..steps.patterns import expression

Trainer = Literal["scratch", "tokenizers", "sentencepiece"]
ALGORITHMS: Mapping[Algorithm, str] = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "Unigram"}
TRAINERS: Mapping[Trainer, str] = {
    "scratch": "from scratch (Python)",
    "tokenizers": "tokenizers",
    "sentencepiece": "SentencePiece",
}
TRAINERS_OF: Mapping[Algorithm, tuple[Trainer, ...]] = {
    "bpe": ("scratch", "tokenizers", "sentencepiece"),
    "wordpiece": ("scratch", "tokenizers"),
    "unigram": ("scratch", "tokenizers", "sentencepiece"),
}
UNITS: Mapping[Unit, str] = {
    "bytes": "bytes",
    "characters": "characters",
    "marked": "characters, with the end-of-word mark </w>",
}
PATTERNS: Mapping[str, str] = {
    "usual": "default",
    "gpt2": "GPT-2",
    "cl100k": "GPT-4",
    "o200k": "GPT-4o",
    "llama3": "Llama 3",
    "bert": "BERT",
    "spaces": "white space",
}
DIGITS: Mapping[Digits, str] = {
    "pattern": "as in the pre-tokenizer",
    "single": "each digit alone",
    "three": "up to three digits together",
}
TIES: Mapping[TieRule, str] = {
    "smallest": "smallest token ids, as in tokenizers",
    "first-seen": "first seen",
    "lexicographic": "first in lexicographic order",
    "lexicographically-greatest": "lexicographically greatest, as in Stanford’s CS336",
}
SCORINGS: Mapping[Weighing, str] = {
    "count": "frequency, as in tokenizers",
    "score": "frequency over the product of the parts’ frequencies, as published",
}
PATTERNED: Condition = {"algorithm": ("bpe", "wordpiece"), "engine": ("scratch", "tokenizers")}
"""Where a regular expression splits the text; Unigram and SentencePiece mark spaces with ▁ instead."""
MAX_SIZE = 1_000_000
BASELINE = "o200k_base"
"""The tokenizer that a vocabulary is compared with by default."""
SPACES = r"\S+"
NUMBER = {"single": r"\p{N}", "three": r"\p{N}{1,3}"}


class TrainingOptions(Options):
    """Everything that decides a training."""

    algorithm: Algorithm = declare("Algorithm", "bpe", choices=ALGORITHMS)
    engine: Trainer = declare(
        "Trainer", "scratch", help="Only the trainer written here reports its progress.", choices=TRAINERS
    )
    size: int = declare(
        "Vocabulary size (with special tokens)",
        8000,
        help="The number of tokens.",
        ge=1,
        le=MAX_SIZE,
        presets=(1000, 2000, 4000, 8000, 16000, 32000),
    )
    unit: Unit = declare(
        "Base units (BPE)",
        "bytes",
        help="The symbols that the first merges join.",
        choices=UNITS,
        used_by=({"algorithm": ("bpe",), "engine": ("scratch", "tokenizers")},),
        hidden_by=("algorithm",),
    )
    pattern: str = declare(
        "Pre-tokenizer",
        "usual",
        help="Splits the text into words; but for superwords, no token crosses the boundary of a word.",
        choices=PATTERNS,
        custom="custom regex",
        placeholder=r" ?\p{L}+|\p{N}{1,3}|\S+|\s+",
        used_by=(PATTERNED,),
        hidden_by=("algorithm",),
    )
    special_tokens: Items[str] = declare(
        "Special tokens",
        [],
        help="Each becomes one token.",
        max_length=1000,
        item_length=200,
        placeholder="<|endoftext|>",
    )
    min_frequency: int = declare(
        "Minimum pair frequency",
        2,
        help="A pair that occurs less often is not merged.",
        ge=1,
        le=10**9,
        used_by=(PATTERNED,),
        aliases=("at_least",),
    )
    max_token_length: int | None = declare(
        "Maximum token length",
        None,
        help="In base units.",
        ge=1,
        le=1000,
        used_by=({"algorithm": ("bpe", "unigram")}, {"engine": ("scratch", "sentencepiece")}),
        aliases=("longest",),
    )
    superwords_after: int | None = declare(
        "Merges across words after (tokens)",
        None,
        help="From this size of the vocabulary on, tokens may join words, as in SuperBPE. Empty: they never do.",
        ge=1,
        le=MAX_SIZE,
        placeholder="7000",
        used_by=({"algorithm": ("bpe",), "engine": ("scratch",), "unit": ("bytes",)},),
        hidden_by=("algorithm",),
    )
    digits: Digits = declare(
        "Digits",
        "pattern",
        help="How the pre-tokenizer splits a run of digits.",
        choices=DIGITS,
        used_by=(PATTERNED, {"digits": ("single",)}),
    )
    lowercase: bool = declare("Lowercase the text", False)
    ties: TieRule = declare(
        "Tie-breaking",
        "smallest",
        help="Which of equally frequent pairs is merged first.",
        choices=TIES,
        used_by=({"algorithm": ("bpe", "wordpiece"), "engine": ("scratch",)},),
    )
    scoring: Weighing = declare(
        "Pair scoring (WordPiece)",
        "count",
        choices=SCORINGS,
        used_by=({"algorithm": ("wordpiece",)},),
        hidden_by=("algorithm",),
        aliases=("weighing",),
    )
    byte_fallback: bool = declare(
        "Byte fallback (Unigram, SentencePiece)",
        False,
        help="A character that the vocabulary lacks becomes its bytes.",
        used_by=({"algorithm": ("unigram",)}, {"engine": ("sentencepiece",)}),
        hidden_by=("algorithm", "engine"),
        aliases=("bytes_too",),
    )
    as_sentencepiece: bool = declare(
        "Seed tokens as in SentencePiece (Unigram)",
        False,
        help="Begins with fewer candidates outside of Latin script.",
        used_by=({"algorithm": ("unigram",), "engine": ("scratch",)},),
        hidden_by=("algorithm",),
    )
    held_out: float = declare(
        "Held-out share of the corpus", 0.1, help="It is measured on and not learned from.", ge=0, le=0.5, percent=True
    )
    baseline: str = declare(
        "Compare with", BASELINE, help="A tokenizer or model that the held-out text is counted in, too."
    )

    @property
    def uses_metaspace(self) -> bool:
        """True if white space becomes ▁, so that there is no pattern.

        >>> TrainingOptions().uses_metaspace, TrainingOptions(algorithm="unigram").uses_metaspace
        (False, True)
        """
        return self.algorithm == "unigram" or self.engine == "sentencepiece"

    @property
    def transition(self) -> int | None:
        """The size of the vocabulary from which merges may cross words; None if they never do.

        >>> [TrainingOptions(superwords_after=7000, unit=unit).transition for unit in ("bytes", "marked")]
        [7000, None]
        """
        return self.superwords_after if self.length_unit == "bytes" and self.engine == "scratch" else None

    @property
    def has_custom_pattern(self) -> bool:
        """True if the pattern is a regular expression that a user wrote.

        >>> TrainingOptions().has_custom_pattern, TrainingOptions(pattern="a+").has_custom_pattern
        (False, True)
        """
        return not self.uses_metaspace and self.pattern not in PATTERNS

    @property
    def unknown(self) -> str | None:
        """The unknown token, or None for BPE of bytes, which has a token for each of them.

        >>> TrainingOptions().unknown, TrainingOptions(unit="characters").unknown
        (None, '<unk>')
        """
        if self.algorithm == "wordpiece":
            return "[UNK]"
        return None if self.length_unit == "bytes" else "<unk>"

    @property
    def all_special_tokens(self) -> tuple[str, ...]:
        """The special tokens in the order of their ids, the unknown token first unless it is listed elsewhere.

        >>> TrainingOptions(algorithm="wordpiece", special_tokens=["[CLS]"]).all_special_tokens
        ('[UNK]', '[CLS]')
        """
        unlisted = () if self.unknown is None or self.unknown in self.special_tokens else (self.unknown,)
        return (*unlisted, *self.special_tokens)

    @property
    def expression(self) -> str:
        r"""The regular expression of the pre-tokenizer, with the rule for digits in it.

        >>> TrainingOptions(pattern="spaces", digits="single").expression
        '\\p{N}|[^\\s\\p{N}]+'
        """
        if self.uses_metaspace:
            return ""
        name = self.default_pattern if self.pattern == "usual" else self.pattern
        if name == "bert":
            return _bert(self.digits)
        pattern = SPACES if name == "spaces" else expression(name) if name in PATTERNS else name
        return with_digits(pattern, self.digits)

    @property
    def encoding_expression(self) -> str:
        """The regular expression by which the trained tokenizer splits a text: a weaker one if merges cross words.

        >>> TrainingOptions(superwords_after=7000).encoding_expression == WEAK
        True
        """
        return self.expression if self.transition is None else with_digits(WEAK, self.digits)

    @property
    def default_pattern(self) -> str:
        """The name of the pattern where none is chosen."""
        if self.algorithm == "wordpiece":
            return "bert"
        # GPT-4o's pattern leaves combining marks with the letters they belong to, as many scripts need.
        return "spaces" if self.unit == "marked" else "o200k"

    @property
    def length_unit(self) -> Literal["bytes", "characters"]:
        """The unit in which the length of a token is counted."""
        merges_bytes = self.algorithm == "bpe" and self.unit == "bytes" and not self.uses_metaspace
        return "bytes" if merges_bytes else "characters"


def _bert(digits: Digits) -> str:
    """BERT's pattern, in which a number is otherwise part of a word."""
    if digits == "pattern":
        return BERT_WORD.pattern
    mark, _, word = BERT_WORD.pattern.partition("|")
    return "|".join((mark, NUMBER[digits], word.replace(r"\p{P}", r"\p{P}\p{N}")))


def check_options(options: TrainingOptions) -> TrainingOptions:
    """Return the options. Raises `Invalid`, with a pointer, for a value or a combination that cannot be trained."""
    validate(options)
    _check_trainer(options)
    _check_pattern(options)
    return options


def _check_trainer(options: TrainingOptions) -> None:
    """Raise `Invalid` for what a trainer cannot do."""
    trainers = TRAINERS_OF[options.algorithm]
    if options.engine not in trainers:
        raise Invalid(f"For {options.algorithm}, engine must be one of {join_names(trainers)}.", pointer="/engine")
    if options.engine != "scratch" and options.unit == "marked" and options.algorithm == "bpe":
        raise Invalid('unit can be "marked" only with the engine "scratch".', pointer="/unit")
    if options.engine != "scratch" and options.scoring == "score":
        raise Invalid('scoring can be "score" only with the engine "scratch".', pointer="/scoring")
    if options.transition is not None and options.transition >= options.size:
        detail = f"superwords_after must be below the size of the vocabulary, {options.size:,}."
        raise Invalid(detail, pointer="/superwords_after")
    if options.byte_fallback and not options.uses_metaspace:
        detail = "byte_fallback needs the algorithm unigram or the engine sentencepiece."
        raise Invalid(detail, pointer="/byte_fallback")


def _check_pattern(options: TrainingOptions) -> None:
    """Raise `Invalid` for a pattern that is too long or too complex. This reads it, and does not compile it."""
    if not options.has_custom_pattern:
        return
    if not 1 <= len(options.pattern) <= MAX_LENGTH:
        names = join_names(PATTERNS)
        detail = f"pattern must be one of {names}, or a regular expression of up to {MAX_LENGTH:,} characters."
        raise Invalid(detail, pointer="/pattern", limit=MAX_LENGTH)
    try:
        check_pattern_complexity(options.pattern)
    except BadFile as error:
        raise Invalid(error.detail, pointer="/pattern", limit=error.limit) from None
    with_digits(options.pattern, options.digits)  # raises where digits cannot be split apart in this pattern


def compile_pattern(options: TrainingOptions) -> None:
    """Compile the pattern that a user wrote, if there is one: only in a limited process. Raises `Invalid`."""
    if options.has_custom_pattern:
        compile_untrusted(options.expression)
