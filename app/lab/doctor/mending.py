"""Correct what can be corrected safely, and prove that the corrected files give the same tokens."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ...convert.targets import list_merges
from ...errors import BadFile, join_names
from ...formats.json_objects import read_json
from ..tokenizers.adding import unpack_files
from .conversion import find_differences
from .findings import ExaminedTokenizer
from .report import groups, load_subject

Document = dict[str, Any]
Correction = Callable[[Document], str]
"""Changes the contents of a file and returns a sentence that says how, "" where there is nothing to correct."""
PROOF = 1_000
"""Number of generated texts on which corrected files must give the same ids."""


@dataclass(frozen=True, slots=True)
class MendedFiles:
    """All files, with those that were corrected: what was changed, and what proves that nothing else was."""

    files: Mapping[str, bytes]
    corrected: tuple[str, ...]
    changes: tuple[str, ...]
    proof: tuple[str, ...]


def _clear(*path: str) -> Correction:
    def correct(document: Document) -> str:
        *above, name = path
        for step in above:
            document = document[step]
        if document.get(name) is None:
            return ""
        document[name] = None
        return f"{name} is null."

    return correct


def _switch_cleanup_off(document: Document) -> str:
    if document.get("clean_up_tokenization_spaces") is not True:
        return ""
    document["clean_up_tokenization_spaces"] = False
    return "clean_up_tokenization_spaces is false."


def _drop_useless_merges(document: Document) -> str:
    model = document["model"]
    vocabulary = model["vocab"]
    pairs = list_merges(model)
    useful = [
        merge
        for merge, (left, right) in zip(model["merges"], pairs, strict=True)
        if {left, right, left + right} <= vocabulary.keys()
    ]
    removed = len(pairs) - len(useful)
    model["merges"] = useful
    counted = f"{removed:,} merge{'s are' if removed > 1 else ' is'}"
    return f"{counted} removed, whose tokens the vocabulary lacks." if removed else ""


def _drop_repeated_merges(document: Document) -> str:
    model = document["model"]
    pairs = list_merges(model)
    last = {pair: index for index, pair in enumerate(pairs)}
    kept = sorted(last.values())
    removed = len(pairs) - len(kept)
    model["merges"] = [model["merges"][index] for index in kept]
    counted = f"{removed:,} repeated merge{'s are' if removed > 1 else ' is'}"
    return f"{counted} removed; the last of each stays." if removed else ""


CORRECTIONS: Mapping[str, tuple[bool, Correction]] = {
    "merge-makes-nothing": (False, _drop_useless_merges),
    "merge-repeated": (False, _drop_repeated_merges),
    "truncation": (False, _clear("truncation")),
    "padding": (False, _clear("padding")),
    "dropout": (False, _clear("model", "dropout")),
    "clean-up-spaces": (True, _switch_cleanup_off),
}
"""By code of a finding: whether the config beside the tokenizer is corrected, and how."""


def mend(files: Mapping[str, bytes], codes: Collection[str]) -> MendedFiles:
    """Return files in which the findings of some codes are corrected.

    Raises `BadFile` for a code without a correction, if the files give other tokens afterwards, and if none of them is
    a tokenizer.
    """
    if unknown := [code for code in codes if code not in CORRECTIONS]:
        raise BadFile(f"{unknown[0][:40]!r} cannot be corrected; valid are {join_names(CORRECTIONS)}.")
    contents = unpack_files(files)
    corrected = {**contents}
    changes: list[str] = []
    proof: list[str] = []
    for name, group in groups(contents):
        before, _ = load_subject(name, group, None)
        own = {**group}
        for code in codes:
            beside, correct = CORRECTIONS[code]
            target = before.companions.get("config", "") if beside else name
            if target in own and (sentence := _correct(own, target, correct)):
                changes.append(f"{target}: {sentence}")
        if own != {**group}:
            after, _ = load_subject(name, own, None)
            proof += _prove(before, after)
            corrected |= own
    names = tuple(name for name in contents if corrected[name] != contents[name])
    return MendedFiles(corrected, names, tuple(changes), tuple(proof))


def _correct(files: dict[str, bytes], name: str, correct: Correction) -> str:
    """Correct a file in place, and return what was changed, "" where there is nothing to correct."""
    try:
        read_json(files[name])  # refuses what cannot be written
        document = json.loads(files[name].decode("utf-8-sig"))  # numbers as they are spelled
        sentence = correct(document)
    except (BadFile, KeyError, TypeError, ValueError):  # a file of another kind
        return ""
    if sentence:
        files[name] = _write_like(files[name], document)
    return sentence


def _write_like(data: bytes, document: Document) -> bytes:
    """Return a document as JSON, indented as a file was."""
    lines = data.decode("utf-8-sig").split("\n", 2)
    if len(lines) > 1:
        indent = len(lines[1]) - len(lines[1].lstrip())
        return f"{json.dumps(document, ensure_ascii=False, indent=indent)}\n".encode()
    separators = (", ", ": ") if b'": ' in data[:1000] else (",", ":")
    return json.dumps(document, ensure_ascii=False, separators=separators).encode()


def _prove(before: ExaminedTokenizer, after: ExaminedTokenizer) -> list[str]:
    """Return what shows that a corrected tokenizer is the same. Raises `BadFile` if it is not, or not readable."""
    if not after.tokenizers:
        raise BadFile(f"No engine can read {after.file} after the correction.")
    engines = " and ".join("from scratch" if one.engine == "scratch" else one.engine for one in after.tokenizers)
    if not before.tokenizers:
        return [f"{after.file}: no engine could read it before; now {engines} can."]
    (reference, *_), (corrected, *_) = before.tokenizers, after.tokenizers
    for text in find_differences(reference, corrected, PROOF):
        if text is not None:
            raise BadFile(f"{after.file} gives other tokens after the correction, of {text[:40]!a}; it is not offered.")
    return [f"{after.file}: {PROOF:,} generated texts give the same ids before and after, read by {engines}."]
