"""What a form orders to be trained, for the page and for programs that send files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.errors import Invalid
from app.lab.tokenize import check_length
from app.lab.train.corpora import built_in
from app.lab.train.options import ALGORITHMS, DIGITS, TIES, TRAINERS, UNITS, WEIGHINGS, Options, check
from app.lab.train.order import Order
from app.settings import Settings
from app.web.forms import Form, fold

OWN = "own"
"""The name of a pattern that is written out."""


def order(
    settings: Settings,
    texts: Mapping[str, str],
    corpora: Sequence[str],
    options: Options,
    *,
    name: str = "",
) -> Order:
    """An order for texts by name and for built-in ones.

    Raises `Invalid` where there is nothing to learn from or an option cannot be followed, `TooLarge`, `LoneSurrogate`.
    """
    check(options)
    given = {title: text for title, text in texts.items() if text.strip()}
    given |= dict(built_in(settings.store, name) for name in corpora)
    if not given:
        raise Invalid("There is nothing to learn from: paste a text, open files or choose a corpus.", pointer="/texts")
    check_length([*given.values()], limit=settings.max_corpus, pointer="/texts")
    if name:
        from app.lab.train.account import check_title

        name = check_title(name)
    return Order(tuple(given.values()), options, name, ", ".join(given), settings)


def from_form(form: Form, settings: Settings) -> Order:
    """The order of a form. Raises what `order` raises, with the field's name."""
    pasted = {"pasted text": fold(form.get("text"))}
    files = {f"{name} ({i})" if i else name: text for i, (name, text) in enumerate(form.files)}
    corpora = [*dict.fromkeys(form.getall("corpus"))]
    return order(settings, pasted | files, corpora, options_of(form), name=form.get("name").strip())


def options_of(form: Form) -> Options:
    """The options of a form; a field that is not there has its default."""
    default = Options()
    pattern = form.get("pattern", default.pattern)
    numbers = {name: form.number(name) for name in ("size", "at_least", "longest")}
    held = form.amount("held_out")
    asked = replace(
        default,
        algorithm=form.one_of("algorithm", ALGORITHMS, default.algorithm),
        engine=form.one_of("engine", TRAINERS, default.engine),
        unit=form.one_of("unit", UNITS, default.unit),
        pattern=form.get("expression") if pattern == OWN else pattern,
        special_tokens=tuple(dict.fromkeys(form.get("special_tokens").split())),
        digits=form.one_of("digits", DIGITS, default.digits),
        lowercase=bool(form.get("lowercase")),
        ties=form.one_of("ties", TIES, default.ties),
        weighing=form.one_of("weighing", WEIGHINGS, default.weighing),
        bytes_too=bool(form.get("bytes_too")),
        as_sentencepiece=bool(form.get("as_sentencepiece")),
        held_out=default.held_out if held is None else held / 100,
        **{name: value for name, value in numbers.items() if value is not None},
    )
    return fitting(asked)


def fitting(options: Options) -> Options:
    """The options without those that the form names another algorithm’s, as it sends along all its fields.

    >>> fitting(Options(algorithm="unigram", unit="marked", weighing="score")).unit
    'bytes'
    """
    default, owners = Options(), {"unit": "bpe", "weighing": "wordpiece", "as_sentencepiece": "unigram"}
    others: dict[str, Any] = {name: getattr(default, name) for name, of in owners.items() if of != options.algorithm}
    if options.algorithm == "unigram":
        others["pattern"] = default.pattern
    return replace(options, bytes_too=options.bytes_too and options.marks_spaces, **others)
