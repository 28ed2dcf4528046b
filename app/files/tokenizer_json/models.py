"""The `model` of a `tokenizer.json`: vocabulary and merges, repaired before reading, and checked against each other.

Both engines read the changed file, so that they agree; each change is a note.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ...errors import BadFile, join_names, plural
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET

MAX_ID = 9_999_999
COMMON = {"type", "vocab", "unk_token"}
OPTIONS: dict[str, dict[str, type]] = {
    "BPE": {"fuse_unk": bool, "byte_fallback": bool, "ignore_merges": bool},
    "WordPiece": {"continuing_subword_prefix": str, "max_input_chars_per_word": int},
    "WordLevel": {},
    "Unigram": {"byte_fallback": bool},
}
ALLOWED = {
    "BPE": {*COMMON, "merges", "dropout", "continuing_subword_prefix", "end_of_word_suffix", *OPTIONS["BPE"]},
    "WordPiece": {*COMMON, *OPTIONS["WordPiece"]},
    "WordLevel": COMMON,
    "Unigram": {"type", "vocab", "unk_id", "byte_fallback"},
}
ADDED_DEFAULTS = {"single_word": False, "lstrip": False, "rstrip": False}


@dataclass(frozen=True, slots=True)
class JsonModel:
    """A model: its type, its vocabulary by piece, and its options.

    `pairs`: the merges of BPE, by priority; `made`: what they make, if known. `scores`: those of Unigram, by id.
    """

    type: str
    vocabulary: Mapping[str, int]
    unknown: str | None = None
    pairs: Sequence[tuple[str, str]] = ()
    made: Sequence[int] = ()
    scores: tuple[float, ...] = ()
    prefix: str = ""
    suffix: str = ""
    max_chars: int = 100
    byte_fallback: bool = False
    fuse_unknown: bool = False
    ignore_merges: bool = False
    notes: tuple[str, ...] = ()

    def has_all_bytes(self) -> bool:
        """True if each byte, as GPT-2 spells it, is in the vocabulary."""
        return all(char in self.vocabulary for char in ALPHABET)


def check_model(spec: Any) -> JsonModel:
    """Read the `model` of a file. Raises `BadFile` for what is unsupported or inconsistent."""
    kind = model_type(spec) if isinstance(spec, dict) else None
    if kind is None or kind not in ALLOWED:
        raise BadFile(f"The model {str(kind)[:40]!r} is not supported. Supported: {join_names(sorted(ALLOWED))}.")
    if unknown := sorted({*spec} - ALLOWED[kind]):
        raise BadFile(f"The option {unknown[0][:40]!r} of the model {kind} is not supported.")
    for name, expected in OPTIONS[kind].items():
        if name in spec and (not isinstance(spec[name], expected) or (expected is int and not 0 <= spec[name] < 10**6)):
            raise BadFile(f"The option {name!r} of the model {kind} is not a valid {expected.__name__}.")
    return _unigram(spec) if kind == "Unigram" else _words(spec, kind)


def model_type(spec: Mapping[str, Any]) -> str | None:
    """Return the type of a model, inferred from its keys if it is missing, as the library does; None if in doubt.

    >>> model_type({"vocab": {"a": 0}, "merges": []}), model_type({"vocab": [["a", -1.0]], "unk_id": 0})
    ('BPE', 'Unigram')
    """
    if "type" in spec:
        return spec["type"] if isinstance(spec["type"], str) else None
    if isinstance(spec.get("vocab"), list):
        return "Unigram"
    keys = {
        "BPE": {"merges"},
        "WordPiece": {"unk_token", "continuing_subword_prefix", "max_input_chars_per_word"},
        "WordLevel": {"unk_token"},
    }
    return next((kind for kind, needed in keys.items() if needed <= {*spec}), None)


def _words(spec: Mapping[str, Any], kind: str) -> JsonModel:
    vocabulary = _vocabulary(spec.get("vocab"))
    unknown, prefix, suffix = (
        _maybe_text(spec, name) for name in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix")
    )
    if unknown is None and kind != "BPE":
        raise BadFile(f"The model {kind} has no unk_token.")
    notes = []
    if unknown is not None and unknown not in vocabulary:
        notes.append(f"The unk_token {unknown[:40]!r} is not in the vocabulary, so unknown text is an error.")
    pairs = tuple(_pairs(spec.get("merges", []), vocabulary, prefix or ""))
    if repeated := len(pairs) - len({*pairs}):
        notes.append(f"{plural(repeated, 'merge is', 'merges are')} repeated; of equal ones, the last counts.")
    return JsonModel(
        kind,
        vocabulary,
        unknown,
        pairs,
        prefix="##" if prefix is None and kind == "WordPiece" else prefix or "",
        suffix=suffix or "",
        max_chars=spec.get("max_input_chars_per_word", 100),
        byte_fallback=spec.get("byte_fallback", False),
        fuse_unknown=spec.get("fuse_unk", False),
        ignore_merges=spec.get("ignore_merges", False),
        notes=tuple(notes),
    )


def _vocabulary(spec: Any) -> dict[str, int]:
    if not isinstance(spec, dict) or not spec:
        raise BadFile("The model has no vocabulary.")
    taken: dict[int, str] = {}
    for piece, id in spec.items():
        if not isinstance(id, int) or isinstance(id, bool) or not 0 <= id <= MAX_ID:
            raise BadFile(f"The piece {piece[:40]!r} has an id that is not an integer from 0 to {MAX_ID}.")
        if taken.setdefault(id, piece) != piece:
            raise BadFile(f"The pieces {taken[id][:40]!r} and {piece[:40]!r} have the same id {id}.")
    return spec


def _pairs(spec: Any, vocabulary: Mapping[str, int], prefix: str) -> Iterable[tuple[str, str]]:
    """Return the merges as pairs. Raises `BadFile`, with the number of the first that is none or makes no piece."""
    if not isinstance(spec, list):
        raise BadFile("The merges are not a list.")
    listed = [item.split(" ") if isinstance(item, str) else item for item in spec]
    # All at once first, which takes a tenth of the time; one by one only to name what is wrong.
    if not prefix and _are_pairs(listed) and {*chain.from_iterable(listed), *map("".join, listed)} <= vocabulary.keys():
        return [(a, b) for a, b in listed]
    return _check_pairs(spec, vocabulary, prefix)


def _are_pairs(items: Sequence[Any]) -> bool:
    """True for lists of two strings each."""
    lists = {*map(type, items)} <= {list} and {*map(len, items)} <= {2}
    return lists and {*map(type, chain.from_iterable(items))} <= {str}


def _check_pairs(spec: Sequence[Any], vocabulary: Mapping[str, int], prefix: str) -> Iterator[tuple[str, str]]:
    for number, item in enumerate(spec):
        pair = item.split(" ") if isinstance(item, str) else item  # "a b" in files older than tokenizers 0.20
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise BadFile(f"Merge {number} is not a pair.")
        a, b = pair
        for piece in (a, b, a + b.removeprefix(prefix)):  # merging drops the ## of the right part
            if piece not in vocabulary:
                raise BadFile(f"Merge {number} needs {piece[:40]!r}, which is not in the vocabulary.")
        yield a, b


def _unigram(spec: Mapping[str, Any]) -> JsonModel:
    entries = spec.get("vocab")
    if not isinstance(entries, list) or not entries:
        raise BadFile("The model has no vocabulary.")
    vocabulary: dict[str, int] = {}
    scores: list[float] = []
    for id, entry in enumerate(entries):
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str) or not _is_score(entry[1]):
            raise BadFile(f"Entry {id} of the vocabulary is not a piece with a score.")
        if vocabulary.setdefault(entry[0], id) != id:
            raise BadFile(f"Entry {id} of the vocabulary repeats {entry[0][:40]!r} of entry {vocabulary[entry[0]]}.")
        if not entry[0]:
            raise BadFile(f"Entry {id} of the vocabulary is empty.")
        scores.append(float(entry[1]))
    unknown = spec.get("unk_id")
    fallback = spec.get("byte_fallback", False)
    if unknown is None:
        notes = ("The model has no unk_id, so unknown text is an error.",)
        return JsonModel("Unigram", vocabulary, None, scores=tuple(scores), byte_fallback=fallback, notes=notes)
    if not isinstance(unknown, int) or isinstance(unknown, bool) or not 0 <= unknown < len(entries):
        raise BadFile("The unk_id of the model Unigram is not an entry of the vocabulary.")
    return JsonModel("Unigram", vocabulary, entries[unknown][0], scores=tuple(scores), byte_fallback=fallback)


def _is_score(value: Any) -> bool:
    # Comparing with a bound, as an integer may be too large to be a float.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _maybe_text(spec: Mapping[str, Any], name: str) -> str | None:
    value = spec.get(name)
    if value is not None and not isinstance(value, str):
        raise BadFile(f"The option {name!r} of the model is not a string.")
    return value


def repair_json(top: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a file that the current library reads, and notes of what was changed; the argument is left as it is.

    >>> repair_json({"truncation": {"max_length": 512}, "model": {"vocab": {}, "merges": []}})
    ({'truncation': None, 'model': {'vocab': {}, 'merges': [], 'type': 'BPE'}}, \
['Truncation to 512 tokens is switched off.', 'The model has no type; by its keys it is BPE.'])
    """
    top = dict(top)
    notes = list[str]()
    for name in ("truncation", "padding"):
        if top.get(name) is not None:
            notes.append(f"{_effect(name, top[name])} is switched off.")
            top[name] = None
    if isinstance(model := top.get("model"), dict):
        top["model"] = _model(model, notes)
    if isinstance(tokens := top.get("added_tokens"), list):
        top["added_tokens"] = [_complete_token(token) if isinstance(token, dict) else token for token in tokens]
    for stage in ("pre_tokenizer", "decoder", "post_processor"):
        if stage in top:
            top[stage] = _component(top[stage], stage, notes)
    return top, notes


def _effect(name: str, options: Any) -> str:
    limit = options.get("max_length") if isinstance(options, dict) else None
    if name == "truncation":
        return f"Truncation to {limit} tokens" if type(limit) is int else "Truncation"
    strategy = options.get("strategy") if isinstance(options, dict) else None
    length = strategy.get("Fixed") if isinstance(strategy, dict) else None
    return f"Padding to {length} tokens" if type(length) is int else "Padding"


def _model(model: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    kind = model_type(model)
    if "type" not in model and kind is not None:
        model = {**model, "type": kind}
        notes.append(f"The model has no type; by its keys it is {kind}.")
    if model.get("dropout"):
        notes.append(f"Dropout of {str(model['dropout'])[:10]} is switched off: it makes the tokens of a text random.")
        model = {**model, "dropout": None}
    return model


def _complete_token(token: dict[str, Any]) -> dict[str, Any]:
    """Return an added token with the options that older versions left out, which the library requires."""
    defaults = {**ADDED_DEFAULTS, "normalized": not token.get("special", False), "special": False}
    return {name: value for name, value in defaults.items() if name not in token} | token


def _component(spec: Any, stage: str, notes: list[str]) -> Any:
    """Return a component with the options that it has today."""
    if not isinstance(spec, dict):
        return spec
    for parts in _parts(spec):
        spec = {**spec, parts: [_component(part, stage, notes) for part in spec[parts]]}
    kind = spec.get("type")
    if kind == "Metaspace" and spec.get("add_prefix_space") is False and spec.get("prepend_scheme") != "never":
        notes.append(f"Metaspace of the {stage} has add_prefix_space off, read as the prepend_scheme never.")
        return {**spec, "prepend_scheme": "never"}
    if kind == "TemplateProcessing" and "pair" not in spec:
        return {**spec, "pair": [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"]}
    return spec


def _parts(spec: dict[str, Any]) -> Iterator[str]:
    names = ("pretokenizers", "decoders", "processors") if spec.get("type") == "Sequence" else ()
    yield from (name for name in names if isinstance(spec.get(name), list))
