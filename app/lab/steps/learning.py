"""How a vocabulary is learned from a corpus, step by step, as a run that can be looked at from any step."""

from collections.abc import Iterable, Mapping
from typing import get_args

from app.errors import Invalid, listed
from app.lab.steps.corpora import counted
from app.lab.steps.frames import Algorithm, Run, Ties, Unit
from app.lab.steps.learned_merges import MergeRun
from app.lab.steps.recording import Recording
from app.lab.steps.weighing import ByCount
from app.scratch.corpus import Corpus, bytes_of, characters, marked_characters
from app.scratch.learn_bpe import BPELearner

MOST_MERGES = 2_000
MADE_OF = {
    "characters": "a character",
    "marked": "a character, or the mark of the end of a word",
    "bytes": "a byte",
}


def learn(text: str, *, algorithm: Algorithm, unit: Unit, pattern: str, ties: Ties, merges: int, table: bool) -> Run:
    """Learn a vocabulary and keep what happened.

    `pattern` names the way to cut words, one of `corpora.PATTERNS`; with `table`, the text is a word and its count a
    line, and is not cut.

    >>> options = {"unit": "characters", "pattern": "whole", "ties": "first-seen", "merges": 9, "table": False}
    >>> run = learn("cddcdycdyc", algorithm="bpe", **options)
    >>> run.chart
    [10, 7, 5]
    >>> run.notes
    ['9 merges were asked for; after 2, no pair stands together twice any more.']

    Raises `Invalid` for an option that is none and a corpus without words, `TooLarge` beyond 200,000 bytes, and
    `LoneSurrogate`.
    """
    _check("algorithm", algorithm, get_args(Algorithm))
    _check("unit", unit, get_args(Unit))
    _check("ties", ties, get_args(Ties))
    if not 1 <= merges <= MOST_MERGES:
        raise Invalid(f"merges is {merges:,}; it can be 1 to {MOST_MERGES:,}.", pointer="/merges", limit=MOST_MERGES)
    counts = counted(text, pattern=pattern, table=table)
    options = {"algorithm": algorithm, "unit": unit, "ties": ties, "pattern": pattern, "table": table}
    recording = Recording(BPELearner(_corpus(counts, unit=unit, ties=ties), ties=ties), merges)
    return MergeRun(
        recording,
        ByCount(),
        f"Learning BPE over {'bytes' if unit == 'bytes' else 'characters'}",
        MADE_OF[unit],
        options,
        [*_notes(recording, unit=unit, ties=ties, merges=merges)],
        raw=unit == "bytes",
    )


def _check(name: str, value: str, valid: Iterable[str]) -> None:
    if value not in valid:
        raise Invalid(f"{name} is {value!r}; it can be {listed(valid)}.", pointer=f"/{name}")


def _corpus(counts: Mapping[str, int], *, unit: Unit, ties: Ties) -> Corpus:
    if unit == "bytes":
        return bytes_of(counts, numbering="gpt2" if ties == "smallest" else "value")
    return marked_characters(counts) if unit == "marked" else characters(counts)


def _notes(recording: Recording, *, unit: Unit, ties: Ties, merges: int) -> Iterable[str]:
    if unit == "bytes" and ties == "smallest":
        yield "Bytes have the ids that GPT-2’s vocabulary gives them: ! is 0, a space is 220."
    done = len(recording.steps)
    if done < merges:
        asked = f"{merges:,} merges were asked for" if merges > 1 else "1 merge was asked for"
        yield f"{asked}; after {done:,}, no pair stands together twice any more."
