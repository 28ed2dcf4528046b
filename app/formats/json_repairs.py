"""Changes to a `tokenizer.json` before it is read: what older versions wrote, and what would make tokens unpredictable.

Both engines read the changed file, so that they agree; each change is a note.
"""

from collections.abc import Iterator
from typing import Any

from .json_models import model_type

ADDED_DEFAULTS = {"single_word": False, "lstrip": False, "rstrip": False}


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
