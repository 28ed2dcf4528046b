"""Findings about what happens to a text: what is lost, and what takes for ever."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import regex

from ...errors import BadFile, EngineFailed, NoUnknownToken, RegexTimeout
from ...files.patterns import check_pattern_complexity, patterns_of_json
from ...files.spans import count_uncovered
from ...files.tokenizer_json.options import read_pattern
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ...scratch.fast.pretokenize import compile_untrusted, matches
from ...types import UNKNOWN, Stage, Staged, Tokenizer
from .findings import ExaminedTokenizer, Finding, report_cases
from .samples import CHARACTERS, NASTY

ATTACKS = ("a", " ", "1", "!", "\n", "你", "A", "ab", "a ", "_", "\r\n")
"""What is repeated to find a pattern that takes for ever."""
SIZES = (30, 4000)
DROPPING: Mapping[Stage, tuple[str, str]] = {
    "normalize": (
        "the normalizer removes them.",
        "Remove the normalizer that deletes them, unless the model was trained with it.",
    ),
    "pre-tokenize": (
        "the pattern does not match them.",
        r"End the pattern with |[\s\S], which matches every character.",
    ),
    "model": (
        "the model has no token for them, and no unknown token.",
        "Name an unknown token in the model, or turn byte fallback on and add the 256 byte tokens.",
    ),
}
"""What drops characters at each stage, and what to do."""
NO_UNKNOWN = (
    "Add an unknown token to the vocabulary and name it in the model, or turn byte fallback on and add the 256 byte "
    "tokens."
)
NO_BACKTRACKING = "Use another engine for these texts, or a pattern that does not backtrack."


def find_unknown_text(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Characters that become the unknown token."""
    tokenizer = subject.tokenizers[0]
    lost = [name for name, text in CHARACTERS.items() if (tokenizer.encode(text).flags & UNKNOWN).any()]
    yield from report_cases(
        "unknown-characters",
        "warning",
        lost,
        f"{len(lost)} of {len(CHARACTERS)} sampled kinds of characters become the unknown token, so the model cannot "
        "tell them apart.",
        "Train the next model with byte fallback. The files of a trained one need no change.",
    )


def find_dropped_text(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Characters that no token covers, by the stage that drops them."""
    dropped: dict[Stage, list[str]] = {}
    for name, sample in CHARACTERS.items():
        for text in (f"a{sample}b", f"a {sample} b"):  # in one of them, a token may cover the gap
            if lost := count_uncovered(subject.tokenizers[0].encode(text), text):
                dropped.setdefault(_find_dropping_stage(subject, text, lost), []).append(name)
                break
    for stage, names in dropped.items():
        cause, remedy = DROPPING[stage]
        yield from report_cases(
            "dropped-text",
            "warning" if stage == "normalize" and not subject.record.info.lossless else "error",
            names,
            f"{len(names)} of {len(CHARACTERS)} sampled kinds of characters get no token: {cause}",
            remedy,
        )


def _find_dropping_stage(subject: ExaminedTokenizer, text: str, lost: Iterable[str]) -> Stage:
    """Return the first stage behind which a character is missing."""
    staged = next((one for one in subject.tokenizers if isinstance(one, Staged)), None)
    stages = staged.stages(text) if staged else {}
    for stage in ("normalize", "pre-tokenize"):
        if stage in stages and any(not _has("".join(stages[stage]), char) for char in lost):
            return stage
    # Before ranks, only a pattern leaves parts of a text out.
    return "pre-tokenize" if subject.record.spec.get("ranks") is not None else "model"


def _has(text: str, char: str) -> bool:
    """True if a text has a character, or its bytes as byte-level pieces spell them."""
    return char in text or "".join(ALPHABET[byte] for byte in char.encode()) in text


def find_changed_text(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Characters that come back otherwise when their tokens are decoded."""
    tokenizer = subject.tokenizers[0]
    changed = []
    for name, text in CHARACTERS.items():
        ids = tokenizer.encode(f"a{text}b").ids.tolist()
        if tokenizer.decode(ids).decode(errors="replace").strip() != f"a{text}b":
            changed.append(name)
    yield from report_cases(
        "changed-text",
        "note" if not subject.record.info.lossless else "error",
        changed,
        f"{len(changed)} of {len(CHARACTERS)} sampled kinds of characters are decoded to another text.",
        subject.record.info.normalization,
    )


def find_catastrophic_patterns(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Patterns that take more than their time on a short text."""
    sources = [(source, True) for source in patterns_of_json(subject.document)]
    if isinstance(source := subject.record.spec.get("pattern"), str):
        sources.append((source, False))
    for source, oniguruma in sources:
        try:
            attack = _attack(source, oniguruma=oniguruma)
        except (BadFile, regex.error, RecursionError, OverflowError):
            continue  # other findings name a pattern that cannot be read
        if attack:
            yield from report_cases(
                "catastrophic-pattern",
                "error",
                [source],
                f"The pattern exceeds its time limit on {attack}, followed by another character.",
                "Write no repeat inside a repeat of the same characters, or make the repeats possessive.",
            )


def _attack(source: str, *, oniguruma: bool) -> str:
    """Return a description of a short text on which a pattern exceeds its time limit, or nothing."""
    if oniguruma:
        spans = read_pattern(source).spans
    else:
        check_pattern_complexity(source)
        spans = partial(_spans, compile_untrusted(source))
    for unit in ATTACKS:
        for size in SIZES:
            try:
                spans(unit * size + "\x00")
            except RegexTimeout:
                return f"{size} times {unit!r}"
    return ""


def _spans(pattern: "regex.Pattern[str]", text: str) -> list[tuple[int, int]]:
    return [match.span() for match in matches(pattern, text)]


def find_failures(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Texts on which an engine gives up."""
    for tokenizer in subject.tokenizers:
        failed = {name: error for name, text in NASTY.items() if (error := _failure(tokenizer, text))}
        text = f"The engine {tokenizer.engine} fails on {len(failed)} of {len(NASTY)} difficult texts."
        lacking = [isinstance(error, NoUnknownToken) for error in failed.values()]
        advice = " ".join([NO_UNKNOWN] * any(lacking) + [NO_BACKTRACKING] * (not all(lacking)))
        yield from report_cases("engine-fails", "error", [*failed], text, advice)


def _failure(tokenizer: Tokenizer, text: str) -> EngineFailed | RegexTimeout | None:
    """Return the error with which an engine gives up on a text, or None."""
    try:
        tokenizer.encode(text)
    except (EngineFailed, RegexTimeout) as error:
        return error
    return None
