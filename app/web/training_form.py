"""The specification of a training from a request: texts, files and built-in corpora by name, and the options."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from ..errors import Invalid
from ..lab.languages.declarations import declarations
from ..lab.option_schema import Items, Options, drop_hidden, get_option_fields, with_values
from ..lab.tokenize import check_length
from ..lab.train.corpora import TrainingSpec, load_built_in, suggest_size
from ..lab.train.metadata import check_title
from ..lab.train.options import TrainingOptions, check_options
from ..settings import Settings
from .forms import Form
from .option_models import read_options

MAX_TEXTS = 100_000
MAX_CORPORA = 1000
"""Texts and built-in corpora of one training."""
MAX_NAMES = 20
"""Texts whose names are the name of their corpus; more are counted."""


class CorpusRequest(Options):
    """The corpus of a body."""

    texts: Items[str] = Field([], max_length=MAX_TEXTS, description="Texts of the corpus; each is a document.")
    corpora: Items[str] = Field(
        [], max_length=MAX_CORPORA, description="Built-in corpora: udhr: and a code of /api/languages, or source."
    )

    @property
    def named_texts(self) -> dict[str, str]:
        """The texts by number."""
        return {f"text {number}": text for number, text in enumerate(self.texts, 1)}


def training_spec(
    settings: Settings, texts: Mapping[str, str], corpora: Sequence[str], options: TrainingOptions, *, name: str = ""
) -> TrainingSpec:
    """The specification for texts by name and built-in corpora.

    Raises `Invalid` where there is no text, or an option cannot be trained with, `TooLarge`, `LoneSurrogate`.
    """
    check_options(options)
    named = gather_corpus(settings, texts, corpora)
    name = check_title(name) if name else ""
    return TrainingSpec(
        texts=tuple(named.values()), options=options, name=name, corpus=name_corpus(named), settings=settings
    )


def gather_corpus(
    settings: Settings, texts: Mapping[str, str], corpora: Sequence[str], *, required: bool = True
) -> dict[str, str]:
    """Return the texts of a corpus by name, and those of built-in corpora.

    Raises `Invalid` where there is none although one is `required`, `TooLarge`, `LoneSurrogate`.
    """
    named = {title: text for title, text in texts.items() if text.strip()}
    named |= dict(load_built_in(settings.store, corpus) for corpus in corpora)
    if required and not named:
        raise Invalid("There is no corpus: paste a text, choose files or a built-in corpus.", pointer="/texts")
    check_length([*named.values()], limit=settings.max_corpus, pointer="/texts")
    return named


def name_corpus(named: Collection[str]) -> str:
    """Return the name of a corpus of texts with these names.

    >>> name_corpus(["text 1", "udhr:eng"]), name_corpus([f"text {i}" for i in range(30)])
    ('text 1, udhr:eng', '30 texts')
    """
    return ", ".join(named) if len(named) <= MAX_NAMES else f"{len(named):,} texts"


def describe_start(settings: Settings, params: Options, corpora: Sequence[str]) -> dict[str, Any]:
    """Return what the form of a job shows beside its options: built-in corpora, limits, what may be kept."""
    languages = sorted(declarations(settings.store).values(), key=lambda language: language.name)
    shown = {"fields": get_option_fields(type(params)), "params": params, "corpora": corpora, "languages": languages}
    return shown | {"limit": settings.max_corpus, "may_keep": settings.keep}


def corpus_fields(form: Form) -> tuple[dict[str, str], list[str]]:
    """Return the texts in a form by name, and the names of built-in corpora."""
    # Two files may bear one name, so all but the first are numbered.
    files = {f"{name} ({i})" if i else name: text for i, (name, text) in enumerate(form.files)}
    return {"pasted text": form.get("text"), **files}, [*dict.fromkeys(form.getall("corpus"))]


def from_form(settings: Settings, form: Form) -> TrainingSpec:
    """The specification in a form; without a size, the corpus decides it.

    Raises what `training_spec` raises, with the name of the field.
    """
    texts, corpora = corpus_fields(form)
    spec = training_spec(settings, texts, corpora, options_from(form), name=form.get("name").strip())
    if form.get("size").strip():
        return spec
    size = suggest_size(sum(len(text.encode()) for text in spec.texts))
    return replace(spec, options=with_values(spec.options, size=size))


def options_from(form: Form) -> TrainingOptions:
    """The options in a form, which sends those of the other algorithms, too; these are left out.

    >>> options_from(Form({"algorithm": ["unigram"], "unit": ["marked"], "weighing": ["score"]})).unit
    'bytes'
    """
    return drop_hidden(read_options(form, TrainingOptions))
