"""Train a vocabulary on a corpus and return the run, whose steps can be displayed in any order."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import regex

from ...errors import Invalid, TooLarge, plural
from ...scratch.fast.bpe.learn import BPELearner
from ...scratch.fast.bpe.symbol_corpus import (
    CONTINUED,
    build_byte_corpus,
    build_continued_corpus,
    build_marked_corpus,
    characters,
)
from ...scratch.fast.pretokenize import finder
from ...scratch.fast.unigram.learn import UnigramLearner
from ...scratch.fast.wordpiece.learn import WordPieceLearner
from ..tokenize import utf8_length
from .learning_merges import CountScoring, MergeRun, RatioScoring
from .learning_unigram import UnigramRun
from .options import StepsOptions
from .patterns import expression
from .recording import MergeRecording, UnigramRecording
from .step import Run

MAX_BYTES = 200_000
"""Bytes of the largest corpus."""
MAX_WORD = 5_000
MAX_SEEDS = 10_000
"""Characters of the longest word, and tokens of the seed vocabulary, for Unigram."""
FADING = (
    "The estimates are plain EM (Kudo 2018), also after the last pruning. sentencepiece 0.2.3 ends with the pruning; "
    "before it, it lowers the counts of rare tokens, and removes those below 0.5."
)
TABLE_LINE = regex.compile(r"\s*(\S+?)(?:\s*[:,=]\s*|\s+)([0-9]{1,9})\s*")
"""A word and its count: `low 5`, `low: 5`, `low, 5` or `low = 5`."""
BASE_UNITS = {
    "characters": "a character",
    "marked": "a character or the end-of-word mark </w>",
    "bytes": "a byte",
}
GPT2_IDS = "Bytes have their ids in GPT-2’s vocabulary: ! is 0, a space is 220."
UNIT_IGNORED = "{} is learned from characters; the base unit is ignored."


def learn(options: StepsOptions) -> Run:
    """Train a vocabulary on the text of valid options, and record every step.

    >>> run = learn(StepsOptions(text="cddcdycdyc", pattern="whole", merges=9))
    >>> run.chart
    [10, 7, 5]
    >>> run.notes
    ['2 of 9 merges were learned; no remaining pair occurs more than once.']

    Raises `Invalid` for a corpus without words, `TooLarge` beyond 200,000 bytes, and `LoneSurrogate`.
    """
    counts = word_counts(options.text, pattern=options.pattern, table=options.table)
    return {"bpe": _bpe, "wordpiece": _wordpiece, "unigram": _unigram}[options.algorithm](counts, options)


def _repeat(options: StepsOptions, **changes: str) -> Mapping[str, Any]:
    """Return the options that a trace repeats."""
    return {**options.model_dump(include={"algorithm", "unit", "ties", "pattern", "table"}), **changes}


def word_counts(text: str, *, pattern: str, table: bool) -> Mapping[str, int]:
    """Return the words of a corpus and their counts, in the order of their first occurrence.

    >>> word_counts("to be or not to be", pattern="spaces", table=False)
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    >>> word_counts("low 5\\nlower: 2", pattern="spaces", table=True)
    {'low': 5, 'lower': 2}

    Raises `TooLarge`, `LoneSurrogate`, and `Invalid` for a corpus without words, or a line of a table that is not a
    word and its count.
    """
    size = utf8_length(text, pointer="/text")
    if size > MAX_BYTES:
        message = f"The corpus has {size:,} bytes; the limit is {MAX_BYTES:,}."
        raise TooLarge(message, limit=MAX_BYTES, pointer="/text")
    counts = _table_counts(text) if table else dict(Counter(_words(text, pattern)))
    if not counts:
        raise Invalid("The corpus has no words; it needs at least one.", pointer="/text")
    return counts


def _words(text: str, pattern: str) -> Iterable[str]:
    if pattern == "whole":
        return [text] * bool(text)
    return text.split() if pattern == "spaces" else finder(expression(pattern))(text)


def is_table(text: str) -> bool:
    """Tell a table of words and counts from running text: each line that is not blank is a word and its count.

    >>> is_table("low 5\\nlower: 2\\n"), is_table("low lower newest widest"), is_table("")
    (True, False, False)
    """
    lines = [line for line in text.split("\n") if line.strip()]
    return bool(lines) and all(TABLE_LINE.fullmatch(line) for line in lines)


def _table_counts(text: str) -> dict[str, int]:
    """Read a table, skipping blank lines; the counts of a word that occurs repeatedly are added."""
    counts: Counter[str] = Counter()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        entry = TABLE_LINE.fullmatch(line)
        if not entry or not int(entry[2]):
            examples = "such as “low 5” or “low: 5”; a count is from 1 to 999,999,999"
            raise Invalid(f"Line {number} must be a word and its count, {examples}.", pointer="/text")
        counts[entry[1]] += int(entry[2])
    return dict(counts)


def _bpe(counts: Mapping[str, int], options: StepsOptions) -> Run:
    unit = options.unit
    # With the smallest ids winning ties, the ids of bytes matter: GPT-2's make the merges equal Hugging Face's.
    as_gpt2 = unit == "bytes" and options.ties == "smallest"
    if unit == "bytes":
        corpus = build_byte_corpus(counts, numbering="gpt2" if as_gpt2 else "value")
    else:
        corpus = build_marked_corpus(counts) if unit == "marked" else characters(counts)
    recording = MergeRecording(BPELearner(corpus, ties=options.ties), options.merges)
    return MergeRun(
        recording=recording,
        scoring=CountScoring(),
        title=f"Training BPE over {'bytes' if unit == 'bytes' else 'characters'}",
        base_unit=BASE_UNITS[unit],
        options=_repeat(options),
        notes=[GPT2_IDS] * as_gpt2 + _fewer_merges(recording, options.merges),
        raw=unit == "bytes",
    )


def _wordpiece(counts: Mapping[str, int], options: StepsOptions) -> Run:
    learner = WordPieceLearner(build_continued_corpus(counts), ties=options.ties)
    recording = MergeRecording(learner, options.merges, with_uses=True)
    ignored = [UNIT_IGNORED.format("WordPiece")] * (options.unit != "characters")
    return MergeRun(
        recording=recording,
        scoring=RatioScoring(),
        title="Training WordPiece",
        base_unit=f"{BASE_UNITS['characters']}, with the prefix {CONTINUED} inside a word",
        options=_repeat(options, unit="characters"),
        notes=ignored + _fewer_merges(recording, options.merges),
    )


def _unigram(counts: Mapping[str, int], options: StepsOptions) -> Run:
    merges = options.merges
    longest = max(map(len, counts))
    if longest > MAX_WORD:
        length = f"The longest word of the corpus has {longest:,} characters"
        raise TooLarge(f"{length}; for Unigram the limit is {MAX_WORD:,}.", limit=MAX_WORD, pointer="/text")
    alphabet = len(set().union(*counts))
    learner = UnigramLearner(counts, size=alphabet + merges, seeds=MAX_SEEDS, fading=False)
    recording = UnigramRecording(learner, counts)
    notes = [UNIT_IGNORED.format("A unigram vocabulary")] * (options.unit != "characters")
    besides = f"besides the {plural(alphabet, 'character')}"
    kept = len(recording.scores) - alphabet
    if kept < merges:
        shortage = f"only {kept:,} {'was' if kept == 1 else 'were'} found"
        notes.append(f"{plural(merges, 'token')} {'was' if merges == 1 else 'were'} requested {besides}; {shortage}.")
    else:
        notes.append(f"{plural(merges, 'token')} {'is' if merges == 1 else 'are'} kept {besides}.")
    notes.append(FADING)
    return UnigramRun(recording, _repeat(options, unit="characters"), notes)


def _fewer_merges(recording: MergeRecording, requested: int) -> list[str]:
    """Return a note if the corpus allowed fewer merges than requested."""
    learned = len(recording.steps)
    if learned == requested:
        return []
    return [f"{learned:,} of {plural(requested, 'merge')} were learned; no remaining pair occurs more than once."]
