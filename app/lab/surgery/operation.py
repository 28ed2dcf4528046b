"""An operation on a copy of a tokenizer: from a record to new files with a report, behind the page, API and command.

Laws say what must hold afterwards: nothing is lost, and both engines read it alike. Each raises `BadFile` where it does
not hold, so that nothing is kept.

A table of ids, old to new, comes with a program that moves the rows of an embedding matrix by it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...csv_text import csv_text
from ...errors import BadFile, plural
from ...registry import LOADERS
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ...store import Record
from ...types import UNKNOWN, ChatTemplate
from ..doctor.conversion import find_differences
from ..doctor.samples import NASTY
from ..metrics import count_flagged
from ..train.corpora import TrainingCorpus
from .change import MAX_NAMED_TOKENS, change_tokenizer, split_corpus
from .jobs import CHECKING, LOADING, MEASURING, PROVING, RELOADING, ProgressReporter, Report, expect_seconds
from .options import SurgeryOptions
from .prune import unreachable
from .subject import EditableTokenizer, RenumberedTokenizer, load_record, load_subject, parts

PROGRAM = '''"""Move the rows of an embedding matrix to the ids of a tokenizer that was operated on.

    python embeddings.py old.npy new.npy

`ids.json`, which lies beside this program, says which row becomes which. A new token begins with the mean of the rows
of the old tokens that its text had; one without a text, such as a reserved token, with the mean of all kept rows. The
matrix of the output layer is moved by the same program. Needs numpy only.
"""

import json
import sys
from pathlib import Path

import numpy as np


def moved(old, table):
    """Return the new matrix, of the type of the old one."""
    kept = np.array(table["kept"], dtype=np.int64).reshape(-1, 2)
    if len(old) < table["size_before"]:
        raise SystemExit(f"The matrix has {len(old)} rows, the old vocabulary {table['size_before']} ids.")
    new = np.zeros((table["size_after"], *old.shape[1:]), old.dtype)
    new[kept[:, 1]] = old[kept[:, 0]]
    mean = old[kept[:, 0]].mean(axis=0, dtype=np.float64)
    for id, origin in table["new"].items():
        new[int(id)] = old[origin].mean(axis=0, dtype=np.float64) if origin else mean
    return new


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: python embeddings.py old.npy new.npy")
    table = json.loads(Path(__file__).with_name("ids.json").read_text())
    old = np.load(sys.argv[1])
    np.save(sys.argv[2], new := moved(old, table))
    print(f"{old.shape} to {new.shape}: {len(table['kept'])} rows kept, {len(table['new'])} new")
'''
CONVERTED = 1_000
"""Generated texts on which a `tokenizer.json` made of another format is compared with the original."""
MAX_DIFFERING = 0.05


@dataclass(frozen=True, slots=True)
class SurgeryResult:
    """The new tokenizer's record, the files by name, and the report as plain data, which is one of the files."""

    record: Record
    files: Mapping[str, bytes]
    report: Mapping[str, Any]


def table_files(numbered: RenumberedTokenizer, *, size_before: int) -> dict[str, bytes]:
    """Return the table as `ids.csv` and `ids.json`, and the program that uses it.

    The CSV has a line for each token of the new vocabulary: its id, its old id, or the old ids it begins with.
    """
    old = {new: old for old, new in numbered.kept.items()}
    rows = (
        (id, old.get(id, ""), " ".join(map(str, numbered.new.get(id, ()))), numbered.tokens[id])
        for id in sorted(numbered.tokens)
    )
    table = {
        "size_before": size_before,
        "size_after": numbered.size,
        "kept": [[*pair] for pair in sorted(numbered.kept.items())],
        "new": {str(id): [*origin] for id, origin in numbered.new.items()},
    }
    return {
        "ids.csv": csv_text([("new_id", "old_id", "mean_of", "token"), *rows]).encode(),
        "ids.json": json.dumps(table, separators=(",", ":")).encode(),
        "embeddings.py": PROGRAM.encode(),
    }


def right_ids(new: EditableTokenizer, numbered: RenumberedTokenizer) -> None:
    """Raise `BadFile` unless the library gives each token the id that the table says, and has no others."""
    spelled = new.reference.as_text.id_to_token
    wrong = [token for id, token in numbered.tokens.items() if spelled(id) != token]
    if wrong or len(new.reference.as_text.get_vocab(with_added_tokens=True)) != len(numbered.tokens):
        raise BadFile(f"The table of ids is not that of the library, such as for {wrong[:1]!a}; nothing is kept.")


def coverage(old: EditableTokenizer, new: EditableTokenizer) -> dict[str, Any]:
    """Count the bytes or characters that a vocabulary can spell, before and after. Raises `BadFile` if one is lost."""
    unit, before = _alphabet(old)
    _, after = _alphabet(new)
    if lost := before - after:
        gone = plural(len(lost), unit.removesuffix("s"))
        raise BadFile(f"{gone} would be lost, the first {min(lost)[:40]!a}; nothing is kept.")
    return {"unit": unit, "before": len(before), "after": len(after)}


def _alphabet(subject: EditableTokenizer) -> tuple[str, set[str]]:
    model = subject.scratch.file.model
    if subject.scratch.byte_level:
        return "bytes", {char for char in ALPHABET if char in model.vocabulary}
    if len(subject.byte_ids) == 256:
        return "bytes", {f"0x{byte:02X}" for byte in range(256)}
    pieces = (piece.removeprefix(model.prefix) for piece in model.vocabulary if piece not in subject.added)
    return "characters", {char for piece in pieces for char in piece}


def round_trips(old: EditableTokenizer, new: EditableTokenizer, texts: Iterable[str]) -> int:
    """Return the number of texts that decode as before; of a lossless tokenizer, to themselves. Raises `BadFile`."""
    count = 0
    for text in texts:
        before, after = (one.reference.decode(one.reference.encode(text).ids.tolist()) for one in (old, new))
        if after != before or (old.record.info.lossless and after != text.encode()):
            raise BadFile(f"The new tokenizer decodes the text {text[:40]!a} otherwise; nothing is kept.")
        count += 1
    return count


def same_tokens(
    old: EditableTokenizer, new: EditableTokenizer, numbered: RenumberedTokenizer, texts: Iterable[str]
) -> int:
    """Return the number of texts whose tokens are the old ones, of which some neighbours may be one new token.

    Raises `BadFile` for a text of which that is not true.
    """
    parts = {**{id: (before,) for before, id in numbered.kept.items()}, **numbered.new}
    count = 0
    for text in texts:
        before, after = (one.reference.encode(text).ids.tolist() for one in (old, new))
        if [part for id in after for part in parts[id]] != before:
            raise BadFile(f"The new tokenizer divides the text {text[:40]!a} otherwise; nothing is kept.")
        count += 1
    return count


def agreement(new: EditableTokenizer, count: int) -> Iterator[int]:
    """Compare the engines on generated texts, and yield how many were read. Raises `BadFile` where they differ."""
    for number, text in enumerate(find_differences(new.reference, new.scratch, count), 1):
        if text is not None:
            raise BadFile(
                f"tokenizers and the from-scratch engine differ on generated text {number:,}, {text[:40]!a}; "
                "nothing is kept."
            )
        yield number


def operate(
    record: Record,
    texts: Sequence[str],
    options: SurgeryOptions,
    *,
    corpus_name: str = "",
    counts: Mapping[int, int] | None = None,
    report: Report = lambda event: None,
) -> SurgeryResult:
    """Operate on a copy of a tokenizer. `report` is called with the events of `ProgressReporter`.

    With `counts`, the occurrences of tokens in a larger corpus by id, pruning keeps those tokens instead of the texts'.

    Raises `Invalid` for options or a corpus that do not fit, `BadFile` for a tokenizer that cannot be said as a
    `tokenizer.json`, or if a law does not hold for the result.
    """
    split = split_corpus(texts, options, counts)
    converted = record.info.engines[0] != "tokenizers"
    plan = expect_seconds(
        options,
        tokens=record.info.vocab_size or 0,
        characters=sum(map(len, split.texts)) if split else 0,
        converted=converted,
    )
    progress = ProgressReporter(report, plan)
    progress.start(LOADING)
    old, notes = _load(record)
    result, figures = change_tokenizer(old, split=split, options=options, progress=progress, counts=counts)
    progress.start(RELOADING)
    extras = _extras(record.chat_template(), options.renamed)
    new = load_subject(result.data, extras=extras, title=record.info.title)
    laws = _laws(old, new=new, result=result, split=split, options=options, progress=progress)
    progress.start(MEASURING)
    summary = {
        "tokenizer": {"id": record.info.id, "title": record.info.title},
        "options": options.model_dump(),
        **figures,
        "notes": [*notes, *figures["notes"]],
        "unreachable": _unreachable(old, new, result),
        "laws": laws,
        "corpus": None if split is None else {"name": corpus_name, "bytes": split.bytes, "sha256": split.sha256},
        "measured": None if split is None else measure_savings(old, new, split),
    }
    progress.end()
    files = {"tokenizer.json": result.data, **extras, **table_files(result, size_before=figures["size"]["before"])}
    files["report.json"] = json.dumps(summary, ensure_ascii=False, indent=1).encode() + b"\n"
    return SurgeryResult(new.record, files, summary)


def _load(record: Record) -> tuple[EditableTokenizer, list[str]]:
    """Load a copy, and compare one that was converted with the original. Raises `BadFile` if they often differ."""
    subject = load_record(record)
    notes = []
    if record.info.engines[0] != "tokenizers":
        original = LOADERS[record.info.engines[0]](record)
        differing = sum(text is not None for text in find_differences(original, subject.reference, CONVERTED))
        if differing > MAX_DIFFERING * CONVERTED:
            raise BadFile(f"A tokenizer.json gives other tokens for {differing} of {CONVERTED:,} generated texts.")
        notes.append(
            f"The tokenizer was converted to tokenizer.json first; of {CONVERTED:,} generated texts, {differing} have "
            f"other tokens there than in {original.engine}."
        )
    return subject, notes


def _laws(
    old: EditableTokenizer,
    new: EditableTokenizer,
    result: RenumberedTokenizer,
    split: TrainingCorpus | None,
    options: SurgeryOptions,
    progress: ProgressReporter,
) -> dict[str, Any]:
    """Check every law. Raises `BadFile` for one that does not hold."""
    progress.start(CHECKING)
    right_ids(new, result)
    covered = coverage(old, new)
    nasty = [*NASTY.values()]
    learned_from = [*_parts(split.texts)] if split else []
    held = [*_parts(split.held_out)] if split else []
    trips = round_trips(old, new, [*nasty, *held])
    exact = options.operation == "prune" and options.by == "corpus" and options.min_count == 1
    every = [*nasty, *learned_from, *held] if options.operation != "prune" else learned_from if exact else []
    same = same_tokens(old, new, result, every)
    progress.note(f"{covered['after']:,} {covered['unit']} can be encoded, {trips:,} texts decode as before")
    progress.start(PROVING)
    for number in agreement(new, options.proof):
        progress.update(number, options.proof)
    progress.note(f"{options.proof:,} texts, no difference")
    return {"coverage": covered, "round_trips": trips, "same_tokens": same, "agreement": options.proof}


def _parts(texts: Iterable[str]) -> Iterable[str]:
    return (part for text in texts for part in parts(text))


def _unreachable(old: EditableTokenizer, new: EditableTokenizer, result: RenumberedTokenizer) -> dict[str, Any]:
    """The tokens that their own text does not give: how many before, how many after, and which of them only after."""
    before = {*unreachable(old)}
    after = unreachable(new)
    back = {id: old_id for old_id, id in result.kept.items()}
    became = [id for id in after if back.get(id) not in before]
    tokens = [new.scratch.entry(id).piece for id in became[:MAX_NAMED_TOKENS]]
    return {"before": len(before), "after": len(after), "became": len(became), "tokens": tokens}


def measure_savings(old: EditableTokenizer, new: EditableTokenizer, split: TrainingCorpus) -> dict[str, Any]:
    """The tokens of the held-out text before and after; `saved` is 1 − after / before."""
    held = [*_parts(split.held_out)]
    before, after = ([one.reference.encode(text) for text in held] for one in (old, new))
    counts = [sum(map(len, side)) for side in (before, after)]
    unknown = [sum(count_flagged(one, UNKNOWN) for one in side) for side in (before, after)]
    return {
        "note": split.note,
        "characters": sum(map(len, held)),
        "bytes": sum(len(text.encode()) for text in held),
        "before": counts[0],
        "after": counts[1],
        "saved": 1 - counts[1] / counts[0] if counts[0] else None,
        "unknown": {"before": unknown[0], "after": unknown[1]},
    }


def _extras(template: ChatTemplate | None, renamed: Mapping[str, str]) -> dict[str, bytes]:
    """Return the config, and the chat template with the new names of special tokens."""
    config: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast"}
    if template is None:
        return {"tokenizer_config.json": json.dumps(config).encode()}
    text = template.text
    for old, new in renamed.items():
        text = text.replace(old, new)
    config |= {name: renamed.get(token, token) for name, token in template.variables.items()}
    return {"tokenizer_config.json": json.dumps(config).encode(), "chat_template.jinja": text.encode()}
