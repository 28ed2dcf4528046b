"""The components of a `tokenizer.json` that are supported, their options, and the check of each."""

from binascii import a2b_base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, get_args, get_type_hints

import regex

from ...errors import BadFile, join_names
from ...scratch.compat.oniguruma.search import OnigPattern, compile_onig_pattern, literal
from ...scratch.compat.oniguruma.translation import translate
from ...scratch.compat.pipeline.component import Char, Length
from ...scratch.compat.pipeline.post_processors import PairTemplate, SpecialToken, SpecialTokens, Template, TemplateStep
from ...scratch.compat.pipeline.pre_tokenizers import Behavior, Scheme
from ...scratch.compat.sentencepiece.charsmap import CharsMap, load_charsmap
from ..patterns import check_pattern_complexity, check_pattern_length

Check = Callable[[Any], Any]
"""Takes a JSON value and returns it converted; raises `TypeError` with a description of what is valid."""
type_hints: Callable[..., dict[str, Any]] = cache(get_type_hints)  # a file can have thousands of added tokens
MAX_TRANSLATED = 200_000
"""The maximum length of a pattern as it is compiled, with the members of its sets spelled out."""


def _check(valid: Callable[[Any], bool], what: str) -> Check:
    """Return a check that returns a valid value as it is."""

    def check(value: Any) -> Any:
        if not valid(value):
            raise TypeError(what)
        return value

    return check


_bool = _check(lambda value: isinstance(value, bool), "true or false")
_text = _check(lambda value: isinstance(value, str), "a string")
_char = _check(lambda value: isinstance(value, str) and len(value) == 1, "one character")
_count = _check(lambda value: type(value) is int and 0 <= value < 10_000_000, "a whole number from 0 to 9999999")
_length = _check(lambda value: type(value) is int and 0 < value < 10_000_000, "a whole number from 1 to 9999999")
_behavior = _check(
    lambda value: isinstance(value, str) and value in get_args(Behavior), f"one of {join_names(get_args(Behavior))}"
)
_scheme = _check(lambda value: isinstance(value, str) and value in get_args(Scheme), "always, first or never")


def read_pattern(source: str) -> OnigPattern:
    """Compile an untrusted pattern in the dialect of Oniguruma, within limits.

    Raises `BadFile`, and what `regex.compile` raises.
    """
    check_pattern_length(source)
    translation = translate(source)
    check_pattern_complexity(translation.source, max_length=MAX_TRANSLATED)
    return compile_onig_pattern(source, translation)


def _pattern(value: Any) -> OnigPattern:
    """Compile `{"String": …}` or `{"Regex": …}`; the latter is in the dialect of Oniguruma."""
    if not isinstance(value, dict) or len(value) != 1 or not isinstance(source := next(iter(value.values())), str):
        raise TypeError('{"String": …} or {"Regex": …}')
    if "String" in value:
        return literal(source)
    if "Regex" not in value:
        raise TypeError('{"String": …} or {"Regex": …}')
    try:
        return read_pattern(source)
    except BadFile as error:
        raise TypeError(f"a pattern that can be read: {error.detail.removesuffix('.')}") from None
    except (regex.error, RecursionError, OverflowError) as error:
        raise TypeError("a pattern that can be read") from error


def _pair(value: Any) -> tuple[str, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError("a token and its id")
    return _text(value[0]), _count(value[1])


def _template(value: Any) -> Template:
    """Return the steps of the template of one text."""
    if not isinstance(value, list):
        raise TypeError("a list")
    for item in value:
        match item:
            case {"SpecialToken": dict(step)} if len(item) == 1:
                _text(step.get("id"))
            case {"Sequence": dict(step)} if len(item) == 1:
                if step.get("id") != "A":
                    raise TypeError("a template of the one text A: the library panics on any other")
            case _:
                raise TypeError("a list of special tokens and sequences")
    return _steps(value)


def _steps(value: Any) -> Template:
    """Return the steps of a template, None for those that are none."""
    items = value or []
    return tuple(map(_step, items if isinstance(items, list) else [None]))


def _step(item: Any) -> TemplateStep:
    match item:
        case {"Sequence": {"id": "A" | "B" as text, **options}} if len(item) == 1:
            return TemplateStep("AB".index(text), options.get("type_id", 0))
        case {"SpecialToken": {"id": str(name), **options}} if len(item) == 1:
            return TemplateStep(name, options.get("type_id", 0))
    return TemplateStep(None)


def _special_tokens(value: Any) -> SpecialTokens:
    if not isinstance(value, dict):
        raise TypeError("special tokens by name")
    if not all(isinstance(token, dict) and isinstance(token.get("ids"), list) for token in value.values()):
        raise TypeError("special tokens with a list of ids each")
    return {name: tuple(_ids_and_texts(name, token["ids"], token.get("tokens"))) for name, token in value.items()}


def _ids_and_texts(name: str, ids: list[Any], texts: Any) -> Iterable[tuple[int, str]]:
    """Return the ids of a special token with their spellings, which are its name where they are missing."""
    spelled = isinstance(texts, list) and len(texts) == len(ids)
    return zip(map(_count, ids), texts if spelled else [name] * len(ids), strict=True)


def read_charsmap(value: Any) -> CharsMap:
    """Read a character map in base64. Raises `TypeError` for another value, and `BadFile` for a damaged map."""
    try:
        blob = a2b_base64(_text(value), strict_mode=True)
    except ValueError as error:
        raise TypeError("a character map in base64") from error
    return load_charsmap(blob, "The character map")


CHECKS: dict[Any, Check] = {
    bool: _bool,
    bool | None: lambda value: None if value is None else _bool(value),
    str: _text,
    Char: _char,
    int: _count,
    Length: _length,
    Behavior: _behavior,
    Scheme: _scheme,
    OnigPattern: _pattern,
    CharsMap: read_charsmap,
    SpecialToken: _pair,
    SpecialTokens: _special_tokens,
    Template: _template,
    PairTemplate: _steps,
}
"""The check of an option, by the type of the field of its component."""


def read_fields(target: type[Any], spec: Mapping[str, Any], what: str, *, ignored: Sequence[str] = ()) -> Any:
    """Return an object of a dataclass with each option checked by the type of its field.

    Raises `BadFile` naming an option that is unknown, missing or invalid.
    """
    given = {name: value for name, value in spec.items() if name not in ignored}
    hints = type_hints(target, include_extras=True)
    options = fields(target)
    if unknown := sorted({*given} - {one.name for one in options}):
        raise BadFile(f"The option {unknown[0][:40]!r} of {what} is not supported.")
    if missing := [one.name for one in options if one.default is MISSING and one.name not in given]:
        raise BadFile(f"The option {missing[0]!r} of {what} is missing.")
    checked: dict[str, Any] = {}
    for name, value in given.items():
        try:
            checked[name] = CHECKS[hints[name]](value)
        except TypeError as error:
            raise BadFile(f"The option {name!r} of {what} is not {error}.") from None
    return target(**checked)
