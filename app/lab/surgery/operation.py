"""An operation on a copy of a tokenizer: from a record to new files with a report, behind the page, API and command."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import BadFile
from ...registry import LOADERS
from ...store import Record
from ...types import UNKNOWN, ChatTemplate
from ..doctor.conversion import find_differences
from ..doctor.texts import NASTY
from ..train.corpora import TrainingCorpus
from .change import SHOWN, change_tokenizer, split_corpus
from .draft import RenumberedTokenizer
from .embeddings import table_files
from .laws import agreement, coverage, right_ids, round_trips, same_tokens
from .options import SurgeryOptions
from .progress import CHECKING, LOADING, MEASURING, PROVING, RELOADING, ProgressReporter, Report, expect_seconds
from .prune import unreachable
from .subject import EditableTokenizer, load_record, load_subject, parts

CONVERTED = 1_000
"""Generated texts on which a `tokenizer.json` made of another format is compared with the original."""
MAX_DIFFERING = 0.05


@dataclass(frozen=True, slots=True)
class SurgeryResult:
    """The new tokenizer's record, the files by name, and the report as plain data, which is one of the files."""

    record: Record
    files: Mapping[str, bytes]
    report: Mapping[str, Any]


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
        "options": asdict(options),
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
    tokens = [new.scratch.entry(id).piece for id in became[:SHOWN]]
    return {"before": len(before), "after": len(after), "became": len(became), "tokens": tokens}


def measure_savings(old: EditableTokenizer, new: EditableTokenizer, split: TrainingCorpus) -> dict[str, Any]:
    """The tokens of the held-out text before and after; `saved` is 1 − after / before."""
    held = [*_parts(split.held_out)]
    before, after = ([one.reference.encode(text) for text in held] for one in (old, new))
    counts = [sum(map(len, side)) for side in (before, after)]
    unknown = [sum(int(((one.flags & UNKNOWN) > 0).sum()) for one in side) for side in (before, after)]
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
