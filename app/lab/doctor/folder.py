"""Findings about a folder: what `transformers` makes of all its files, and what of the main file alone."""

from collections.abc import Iterator, Mapping

from ...errors import plural
from ...files.records import record_from_files
from ...files.vocab_entries import list_entries
from ...types import Tokenizer
from ..tokenizers.adding import load_engine
from .findings import MAX_SAMPLES, ExaminedTokenizer, Finding, report_cases
from .samples import CHARACTERS

SHORT_TEXTS = ("123456", "I'LL don't", "Hello, world!", "a  b\n\n c", "snake_case x=1;", *CHARACTERS.values())


def find_differences(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens that only the folder has, and texts of which the file alone makes other tokens."""
    alone = _load_alone(subject)
    own = {entry.piece: entry.id for entry in list_entries(alone)} if alone else subject.spellings
    wanted = {*subject.metadata.variables.values(), *subject.metadata.special, *subject.metadata.added}
    lacking = sorted(token for token in wanted if token not in own)
    ids = {token: subject.spellings[token] for token in lacking if token in subject.spellings}
    yield from _report_lacking([token for token in lacking if token not in ids])
    yield from _report_added(subject.file, ids)
    if alone:
        yield from _report_other_ids(subject, alone)


def _load_alone(subject: ExaminedTokenizer) -> Tokenizer | None:
    """Return the tokenizer of the main file without those beside it; None if these change nothing."""
    data = subject.sources.get(subject.file, b"")
    if subject.record.spec.get("kind") != "tokenizer.json" or subject.record.data["tokenizer.json"] == data:
        return None
    record = record_from_files("alone", {"tokenizer.json": data})
    return load_engine(record, record.info.engines[0])


def _report_lacking(tokens: list[str]) -> Iterator[Finding]:
    return report_cases(
        "special-not-in-vocabulary",
        "error",
        tokens,
        f"{plural(len(tokens), 'token')} of the config, not in the vocabulary: text that spells one stays ordinary.",
        "Add them to added_tokens with the ids the model was trained with, or remove them from the config.",
    )


def _report_added(file: str, ids: Mapping[str, int]) -> Iterator[Finding]:
    return report_cases(
        "token-only-beside",
        "warning",
        [*ids],
        f"{plural(len(ids), 'token')} only in the files beside {file}: transformers adds each, the last with id "
        f"{max(ids.values(), default=0):,}. Programs that read {file} alone make ordinary text of it.",
        f"Add them to added_tokens of {file} with these ids, if the model was trained with them.",
    )


def _report_other_ids(subject: ExaminedTokenizer, alone: Tokenizer) -> Iterator[Finding]:
    """Yield the finding about short texts of which the file alone makes other tokens, with both ids."""
    encodings = [[one.encode(text).ids.tolist() for one in (alone, subject.tokenizers[0])] for text in SHORT_TEXTS]
    different = [(text, *pair) for text, pair in zip(SHORT_TEXTS, encodings, strict=True) if pair[0] != pair[1]]
    if different:
        yield Finding(
            "class-replaces-file",
            "error",
            f"transformers makes other tokens than {subject.file} alone of {len(different)} of {len(SHORT_TEXTS)} "
            "short texts, because it builds the tokenizer of the class anew. The tokens here are those of the class.",
            "If the model was trained with the file’s tokens, set tokenizer_class to PreTrainedTokenizerFast in "
            "tokenizer_config.json.",
            count=len(different),
            samples=tuple(
                f"{text!a}: {ours} in the file, {theirs} in transformers"
                for text, ours, theirs in different[:MAX_SAMPLES]
            ),
        )
