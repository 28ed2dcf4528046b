"""Hugging Face's `tokenizer.json`: a pipeline of stages, read into plain data.

Every component and option is looked up in the tables of `json_options`. One that is not in them is refused by name,
because leaving it out would give other tokens.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import BadFile, listed
from ..scratch.compat.added_tokens import AddedToken
from .json_models import Model, check_model
from .json_options import ADDED, PARTS, STAGES, Options, options


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a stage, with its options checked and converted."""

    type: str
    options: Options


@dataclass(frozen=True, slots=True)
class TokenizerJson:
    """The contents of a file; sequences of components are flattened."""

    model: Model
    added: tuple[AddedToken, ...] = ()
    normalizers: tuple[Component, ...] = ()
    splitters: tuple[Component, ...] = ()
    processors: tuple[Component, ...] = ()
    decoders: tuple[Component, ...] | None = None


def load_tokenizer_json(data: bytes) -> TokenizerJson:
    """Read a file.

    Raises `BadFile` for invalid JSON or a repeated key, with the position; for an unsupported component or option, by
    name; and for a vocabulary, merges or added tokens that contradict one another.
    """
    top = _parsed(data)
    if unknown := sorted({*top} - {"version", "truncation", "padding", "added_tokens", "model", *STAGES}):
        raise BadFile(f"{unknown[0][:40]!r} is not supported.")
    # Both change the tokens of a text, for example to a fixed number of them.
    for name in ("truncation", "padding"):
        if top.get(name) is not None:
            raise BadFile(f"{name} is not supported.")
    model = check_model(top.get("model"))
    steps = {name: tuple(_components(top.get(name), name)) for name in STAGES}
    return TokenizerJson(
        model,
        tuple(_added(top.get("added_tokens") or [], model)),
        steps["normalizer"],
        steps["pre_tokenizer"],
        steps["post_processor"],
        None if top.get("decoder") is None else steps["decoder"],
    )


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        top = json.loads(data.decode(), object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise BadFile(f"The file is not UTF-8 at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        raise BadFile(f"The file is not JSON at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise BadFile("The file is nested too deeply.") from None
    except ValueError:
        raise BadFile("The file has a number of too many digits.") from None
    if not isinstance(top, dict):
        raise BadFile("The file is not one JSON object.")
    return top


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    by_key = dict(pairs)  # JSON parsers disagree on which of two equal keys counts
    if len(by_key) < len(pairs):
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                raise BadFile(f"The key {key[:40]!r} is repeated.")
            keys.add(key)
    return by_key


def _no_constant(name: str) -> NoReturn:
    raise BadFile(f"{name} is not a number.")


def _components(spec: Any, stage: str) -> Iterable[Component]:
    """Yield the components of a stage in order."""
    if spec is None:
        return
    kind = spec.get("type") if isinstance(spec, dict) else None
    if kind == "Sequence":
        parts = spec.get(PARTS[stage])
        if not isinstance(parts, list) or len(spec) != 2:
            raise BadFile(f"The Sequence of {stage} has no list of {PARTS[stage]}.")
        for part in parts:
            yield from _components(part, stage)
        return
    table = STAGES[stage]
    if not isinstance(kind, str) or kind not in table or not isinstance(spec, dict):
        raise BadFile(f"The {stage} {str(kind)[:40]!r} is not supported. Supported: {listed(sorted(table))}.")
    checked = options({name: value for name, value in spec.items() if name != "type"}, table[kind], f"{stage} {kind}")
    if lacking := {*checked.get("single", ())} - {None, *checked.get("special_tokens", ())}:
        raise BadFile(f"The template uses {min(lacking)[:40]!r}, which is not among its special tokens.")
    yield Component(kind, checked)


def _added(tokens: Any, model: Model) -> Iterable[AddedToken]:
    if not isinstance(tokens, list):
        raise BadFile("added_tokens is not a list.")
    # An added token may repeat a token of the vocabulary, but only with the same id.
    by_id = {id: piece for piece, id in model.vocabulary.items()}
    for number, spec in enumerate(tokens):
        if not isinstance(spec, dict) or not {"id", "content"} <= spec.keys():
            raise BadFile(f"Added token {number} has no id or no content.")
        token = AddedToken(**options(spec, ADDED, f"added token {number}"))
        if not token.content:
            raise BadFile(f"Added token {number} is empty.")
        if by_id.setdefault(token.id, token.content) != token.content:
            raise BadFile(f"Added token {number} has the id {token.id} of {by_id[token.id][:40]!r}.")
        if model.vocabulary.get(token.content, token.id) != token.id:
            known = model.vocabulary[token.content]
            raise BadFile(f"Added token {number} has the id {token.id}; in the vocabulary it is {known}.")
        yield token
