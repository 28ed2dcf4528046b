"""How a vocabulary is learned from a corpus, step by step, as a run that can be looked at from any step."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from app.errors import Invalid, TooLarge, listed
from app.lab.steps.frames import Run, Ties
from app.lab.steps.learn.corpora import counted
from app.lab.steps.learn.merges import MergeRun
from app.lab.steps.learn.piece_recording import PieceRecording
from app.lab.steps.learn.pieces import PieceRun
from app.lab.steps.learn.recording import Recording
from app.lab.steps.learn.weighing import ByCount, ByScore
from app.scratch.corpus import CONTINUED, bytes_of, characters, continued_characters, marked_characters
from app.scratch.learn_bpe import BPELearner
from app.scratch.learn_unigram import UnigramLearner
from app.scratch.learn_wordpiece import WordPieceLearner
from app.types import Algorithm, Unit

MOST_MERGES = 2_000
MADE_OF = {
    "characters": "a character",
    "marked": "a character, or the mark of the end of a word",
    "bytes": "a byte",
}
GPT2_IDS = "Bytes have the ids that GPT-2’s vocabulary gives them: ! is 0, a space is 220."
NO_UNIT = "{} is learned from characters, whatever the unit."
LONGEST_WORD, MOST_SEEDS = 5_000, 10_000
"""Characters of a word, and pieces to begin with, where a unigram vocabulary is learned."""


def learn(text: str, *, algorithm: Algorithm, unit: Unit, pattern: str, ties: Ties, merges: int, table: bool) -> Run:
    """Learn a vocabulary and keep what happened.

    `pattern` names the way to cut words, one of `corpora.PATTERNS`; with `table`, the text is a word and its count a
    line, and is not cut. `merges` is how many symbols are learned; for Unigram, how many pieces are kept beside the
    characters.

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
    if algorithm == "unigram":
        return _unigram(counts, merges, options)
    if algorithm == "wordpiece":
        return _wordpiece(counts, merges, options)
    return _bpe(counts, merges, options, unit=unit, ties=ties)


def _check(name: str, value: str, valid: Iterable[str]) -> None:
    if value not in valid:
        raise Invalid(f"{name} is one of {listed(valid)}.", pointer=f"/{name}")


def _bpe(counts: Mapping[str, int], merges: int, options: Mapping[str, Any], *, unit: Unit, ties: Ties) -> Run:
    as_gpt2 = unit == "bytes" and ties == "smallest"
    if unit == "bytes":
        corpus = bytes_of(counts, numbering="gpt2" if as_gpt2 else "value")
    else:
        corpus = marked_characters(counts) if unit == "marked" else characters(counts)
    recording = Recording(BPELearner(corpus, ties=ties), merges)
    told = [GPT2_IDS] * as_gpt2 + _short(recording, merges)
    title = f"Learning BPE over {'bytes' if unit == 'bytes' else 'characters'}"
    return MergeRun(recording, ByCount(), title, MADE_OF[unit], options, told, raw=unit == "bytes")


def _wordpiece(counts: Mapping[str, int], merges: int, options: Mapping[str, Any]) -> Run:
    recording = Recording(WordPieceLearner(continued_characters(counts), ties=options["ties"]), merges, parts=True)
    told = [NO_UNIT.format("WordPiece")] * (options["unit"] != "characters") + _short(recording, merges)
    made_of = f"{MADE_OF['characters']}, marked {CONTINUED} where it continues a word"
    return MergeRun(recording, ByScore(), "Learning WordPiece", made_of, {**options, "unit": "characters"}, told)


def _unigram(counts: Mapping[str, int], merges: int, options: Mapping[str, Any]) -> Run:
    longest = max(map(len, counts))
    if longest > LONGEST_WORD:
        found = f"The longest word of the corpus has {longest:,} characters"
        raise TooLarge(f"{found}; for Unigram the limit is {LONGEST_WORD:,}.", limit=LONGEST_WORD, pointer="/text")
    characters = len(set().union(*counts))
    kept = characters + merges
    recording = PieceRecording(UnigramLearner(counts, size=kept, seeds=MOST_SEEDS), counts)
    told = [NO_UNIT.format("A unigram vocabulary")] * (options["unit"] != "characters")
    beside, left = f"beside the {characters:,} characters", len(recording.scores) - characters
    if left < merges:
        told.append(f"{merges:,} pieces were asked for {beside}; only {left:,} {'was' if left == 1 else 'were'} found.")
    else:
        told.append(f"{merges:,} {'piece is' if merges == 1 else 'pieces are'} kept {beside}.")
    return PieceRun(recording, {**options, "unit": "characters"}, told)


def _short(recording: Recording, merges: int) -> list[str]:
    """A note where there was less to merge than was asked for."""
    done = len(recording.steps)
    asked = f"{merges:,} merges were asked for" if merges > 1 else "1 merge was asked for"
    return [f"{asked}; after {done:,}, no pair stands together twice any more."] * (done < merges)
