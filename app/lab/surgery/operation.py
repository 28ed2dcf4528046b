"""An operation on a copy of a tokenizer: from a record to new files with a report, behind the page, API and command."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import BadFile, Invalid
from ...jobs.events import Throttle
from ...registry import LOADERS
from ...store import Record
from ...types import UNKNOWN, ChatTemplate
from ..doctor.conversion import find_differences
from ..doctor.texts import NASTY
from ..train.corpora import TrainingCorpus, corpus
from .draft import Draft, RenumberedTokenizer, load_draft, number_tokens
from .embeddings import table_files
from .extend import append_merges, check_model, fallback_characters, learn_merges, segment_words, with_characters
from .laws import agreement, coverage, right_ids, round_trips, same_tokens
from .options import SurgeryOptions, check_options
from .prune import count_tokens, prune, script_tokens, unreachable
from .special_tokens import with_special_tokens
from .subject import EditableTokenizer, count_words, load_record, load_subject, parts

Report = Callable[[Mapping[str, Any]], None]
SHOWN = 48
"""Tokens that the report names of those that were removed, added or cannot be reached."""
CONVERTED = 1_000
"""Generated texts on which a `tokenizer.json` made of another format is compared with the original."""
MAX_DIFFERING = 0.05


@dataclass(frozen=True, slots=True)
class SurgeryResult:
    """The new tokenizer's record, the files by name, and the report as plain data, which is one of the files."""

    record: Record
    files: Mapping[str, bytes]
    report: Mapping[str, Any]


class ProgressReporter:
    """Reports what is done, and at most ten times a second how much of it."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._what = ""
        self._throttle = Throttle()

    def start(self, what: str) -> None:
        self._what = what
        self._report({"kind": "doing", "what": what, "share": None})

    def update(self, number: int, of: int) -> None:
        if self._throttle.is_due():
            self._report({"kind": "doing", "what": self._what, "share": min(1.0, number / of) if of else None})


def operate(
    record: Record,
    texts: Sequence[str],
    options: SurgeryOptions,
    *,
    corpus_name: str = "",
    counts: Mapping[int, int] | None = None,
    report: Report = lambda event: None,
) -> SurgeryResult:
    """Operate on a copy of a tokenizer. `report` is called with events: {"kind": "doing", "what", "share"}.

    With `counts`, the occurrences of tokens in a larger corpus by id, pruning keeps those tokens instead of the texts'.

    Raises `Invalid` for options or a corpus that do not fit, `BadFile` for a tokenizer that cannot be said as a
    `tokenizer.json`, or if a law does not hold for the result.
    """
    check_options(options)
    split = corpus(texts, held_out=options.held_out) if any(text.strip() for text in texts) else None
    if split is None and options.needs_corpus and counts is None:
        raise Invalid("There is no corpus: paste a text, choose files or a built-in corpus.", pointer="/texts")
    progress = ProgressReporter(report)
    progress.start("Loading the tokenizer")
    old, notes = _load(record)
    draft = load_draft(old.data)
    changed, details = _change(old, draft=draft, split=split, options=options, progress=progress, counts=counts)
    changed = with_special_tokens(
        changed, add=options.add_tokens, rename=options.renamed, multiple=options.multiple, dense=options.renumber
    )
    result = number_tokens(changed, dense=options.renumber)
    sizes = _sizes(old, draft, changed, result)
    del draft, changed  # half a million merges take as much memory as the new tokenizer
    progress.start("Loading the new tokenizer")
    extras = _extras(record.chat_template(), options.renamed)
    new = load_subject(result.data, extras=extras, title=record.info.title)
    laws = _laws(old, new=new, result=result, split=split, options=options, progress=progress)
    progress.start("Measuring")
    summary = {
        "tokenizer": {"id": record.info.id, "title": record.info.title},
        "options": asdict(options),
        "notes": [*notes, *details.pop("notes", ())],
        **sizes,
        "learned": [],
        **details,
        "unreachable": _unreachable(old, new, result),
        "laws": laws,
        "corpus": None if split is None else {"name": corpus_name, "bytes": split.bytes, "sha256": split.sha256},
        "measured": None if split is None else measure_savings(old, new, split),
    }
    files = {"tokenizer.json": result.data, **extras, **table_files(result, size_before=sizes["size"]["before"])}
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


def _change(
    old: EditableTokenizer,
    draft: Draft,
    split: TrainingCorpus | None,
    options: SurgeryOptions,
    progress: ProgressReporter,
    counts: Mapping[int, int] | None,
) -> tuple[Draft, dict[str, Any]]:
    """Prune or extend the draft; with it, what the report says of that alone."""
    texts = split.texts if split else ()
    size = sum(map(len, texts))
    if options.operation == "extend":
        check_model(old)
        progress.start("Reading the corpus")
        return _extend(old, draft, count_words(old, texts, lambda read: progress.update(read, size)), options, progress)
    if options.operation == "tokens":
        return draft, {}
    if options.by == "scripts":
        progress.start("Reading the vocabulary")
        wanted = script_tokens(old, draft, options.scripts)
    else:
        progress.start("Reading the corpus")
        if counts is None:
            counts = count_tokens(old, count_words(old, texts, lambda read: progress.update(read, size)))
        least = options.min_count
        wanted = {id for id, count in counts.items() if count >= least or (least == 1 and id in counts)}
    progress.start("Pruning")
    return prune(old, draft, wanted | options.kept_ids, characters=options.keep_characters), {}


def _extend(
    old: EditableTokenizer, draft: Draft, words: Mapping[str, int], options: SurgeryOptions, progress: ProgressReporter
) -> tuple[Draft, dict[str, Any]]:
    """Add characters and merges, and give what was learned first."""
    progress.start("Learning merges")
    least = options.min_frequency
    longest = options.max_token_length
    characters = [(char, n) for char, n in fallback_characters(old, words).most_common(options.tokens) if n >= least]
    if options.add_characters:
        draft = with_characters(old, draft, [char for char, _ in characters])
    most = options.tokens - len(draft.origins)
    merges = []
    counts = []
    for pair, count in learn_merges(
        draft, segment_words(old, words, draft), most, min_frequency=least, longest=longest
    ):
        merges.append(pair)
        counts.append(count)
        progress.update(len(merges), most)
    if not merges and not draft.origins:
        raise Invalid(
            f"No two tokens of the corpus occur together {options.min_frequency:,} times within a word, so there is "
            "nothing to learn.",
            pointer="/texts",
        )
    longer = append_merges(draft, merges)
    notes = []
    if (number := len(longer.origins)) < options.tokens:
        notes.append(f"{options.tokens:,} tokens were requested; the corpus yields {number:,}.")
    if characters and not draft.origins:
        notes.append(f"{len(characters):,} characters of the corpus are spelled in bytes, which no merge joins.")
    if draft.origins:
        notes.append(f"{len(draft.origins):,} of the new tokens are characters that were spelled in bytes.")
    each = [count for _, count in characters][: len(draft.origins)] + counts
    tokens = [
        {"token": _text(old, origin), "parts": [old.scratch.entry(id).piece for id in origin], "count": count}
        for origin, count in zip([*longer.origins.values()][:SHOWN], each, strict=False)
    ]
    return longer, {"learned": tokens, "notes": notes}


def _text(old: EditableTokenizer, ids: Sequence[int]) -> str:
    """Return the text that neighbouring tokens stand for, or their spelling if it is none."""
    try:
        return b"".join(old.scratch.entry(id).raw for id in ids).decode()
    except UnicodeDecodeError:
        return "".join(old.scratch.entry(id).piece for id in ids)


def _laws(
    old: EditableTokenizer,
    new: EditableTokenizer,
    result: RenumberedTokenizer,
    split: TrainingCorpus | None,
    options: SurgeryOptions,
    progress: ProgressReporter,
) -> dict[str, Any]:
    """Check every law. Raises `BadFile` for one that does not hold."""
    progress.start("Checking that nothing is lost")
    right_ids(new, result)
    covered = coverage(old, new)
    nasty = [*NASTY.values()]
    learned_from = [*_parts(split.texts)] if split else []
    held = [*_parts(split.held_out)] if split else []
    trips = round_trips(old, new, [*nasty, *held])
    exact = options.operation == "prune" and options.by == "corpus" and options.min_count == 1
    every = [*nasty, *learned_from, *held] if options.operation != "prune" else learned_from if exact else []
    same = same_tokens(old, new, result, every)
    progress.start("Comparing the engines on generated texts")
    for number in agreement(new, options.proof):
        progress.update(number, options.proof)
    return {"coverage": covered, "round_trips": trips, "same_tokens": same, "agreement": options.proof}


def _parts(texts: Iterable[str]) -> Iterable[str]:
    return (part for text in texts for part in parts(text))


def _sizes(old: EditableTokenizer, draft: Draft, changed: Draft, result: RenumberedTokenizer) -> dict[str, Any]:
    """The numbers of tokens and of ids, and some tokens that were removed or are new without being learned."""
    ids = {*draft.ids.values()}
    left = {*changed.ids.values()}
    removed = sorted(ids - left)
    special = sum(not origin for origin in result.new.values())
    return {
        "size": {"before": draft.first_new, "after": result.size},
        "tokens": {
            "before": len(ids),
            "after": len(left),
            "kept": len(ids & left),
            "new": len(left - ids),
            "special": special,
        },
        "removed": [old.scratch.entry(id).piece for id in removed[:: max(1, len(removed) // SHOWN)][:SHOWN]],
        "special": [result.tokens[id] for id, origin in result.new.items() if not origin][:SHOWN],
        "renamed": dict(changed.renamed),
    }


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
