"""Where in which file a finding lies, as line and column."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from ...convert.targets import list_merges
from ...formats.json_places import find_place
from .findings import ExaminedTokenizer, Finding

Path = tuple[str | int, ...]
MAX_SIZE = 64_000_000
"""Bytes of the largest file in which places are looked for."""


def locate(finding: Finding, subject: ExaminedTokenizer) -> Finding:
    """Return a finding with the tokenizer that it is about, and the place in a file, where that is one."""
    beside, find = PLACES.get(finding.code, (False, lambda subject, finding: None))
    name = subject.companions.get("config", "") if beside else subject.file
    path = find(subject, finding)
    data = subject.sources.get(name, b"")
    if path is None or not data.lstrip().startswith(b"{") or len(data) > MAX_SIZE:
        return replace(finding, file=subject.file)
    place = find_place(data.decode("utf-8-sig", errors="replace"), path)
    return replace(finding, file=subject.file, place_file=name if place else "", place=place)


def _at(*path: str) -> Callable[[ExaminedTokenizer, Finding], Path | None]:
    return lambda subject, finding: path


def _find_token(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of the first sample in the vocabulary of a model."""
    vocabulary = subject.model.get("vocab")
    name = finding.samples[0].split(": ")[0] if finding.samples else ""
    return ("model", "vocab", name) if isinstance(vocabulary, dict) and name in vocabulary else None


def _find_merge(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of the first merge that is a sample, or that stands there again."""
    names = [f"{left} {right}" for left, right in list_merges(subject.model)]
    seen = set[str]()
    for index, name in enumerate(names):
        if name in finding.samples or (not finding.samples and name in seen):
            return ("model", "merges", index)
        seen.add(name)
    return None


def _find_setting(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of a special token in the config that is a sample."""
    named = [name for name, token in subject.metadata.variables.items() if token in finding.samples]
    return (named[0],) if named else None


def _find_added(subject: ExaminedTokenizer, finding: Finding) -> Path | None:
    """Return the place of the added token in the config that is a sample."""
    token = finding.samples[0].split(": ")[0]
    return ("added_tokens_decoder", str(subject.metadata.added[token])) if token in subject.metadata.added else None


PLACES: Mapping[str, tuple[bool, Callable[[ExaminedTokenizer, Finding], Path | None]]] = {
    "merge-makes-nothing": (False, _find_merge),
    "merge-repeated": (False, _find_merge),
    "orphans": (False, _find_token),
    "unreachable": (False, _find_token),
    "no-text-found": (False, _find_token),
    "repeated-token": (False, _find_token),
    "missing-bytes": (False, _at("model", "vocab")),
    "truncation": (False, _at("truncation")),
    "padding": (False, _at("padding")),
    "dropout": (False, _at("model", "dropout")),
    "catastrophic-pattern": (False, _at("pre_tokenizer")),
    "bos-twice": (False, _at("post_processor")),
    "special-not-in-vocabulary": (True, _find_setting),
    "special-other-id": (True, _find_added),
    "bos-never": (True, _at("add_bos_token")),
    "eos-never": (True, _at("add_eos_token")),
    "bos-against-config": (True, _at("add_bos_token")),
    "eos-against-config": (True, _at("add_eos_token")),
    "clean-up-spaces": (True, _at("clean_up_tokenization_spaces")),
    "legacy": (True, _at("legacy")),
}
"""By code: whether the place is in the config beside the tokenizer, and which it is."""
