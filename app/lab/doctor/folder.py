"""Findings about a folder: what `transformers` makes of all its files, and what of the main file alone."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath

from jinja2 import TemplateSyntaxError

from ...errors import BadFile, TokenariumError, plural
from ...files.json_objects import read_json
from ...files.records import record_from_files
from ...files.transformers.auto_tokenizer import read_folder
from ...files.vocab_entries import list_entries
from ...registry import load
from ...types import Tokenizer
from ..chat.conversation import Conversation
from ..chat.rendering import render_template
from ..chat.sandbox import compile_template
from .findings import MAX_SAMPLES, ExaminedTokenizer, Finding, report_cases
from .samples import CHARACTERS

SHORT_TEXTS = ("123456", "I'LL don't", "Hello, world!", "a  b\n\n c", "snake_case x=1;", *CHARACTERS.values())

MISTRAL = ("mistral", "mistral3", "voxtral", "ministral", "pixtral")
ANSWER = "Hello"
"""What the assistant says where the end of a turn is looked for."""


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
    return load(record, record.info.engines[0])


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
    different = _compare(alone, subject.tokenizers[0], "in the file", "in transformers")
    if different:
        yield Finding(
            "class-replaces-file",
            "error",
            f"transformers makes other tokens than {subject.file} alone of {len(different)} of {len(SHORT_TEXTS)} "
            "short texts, because it builds the tokenizer of the class anew. The tokens here are those of the class.",
            "If the model was trained with the file’s tokens, set tokenizer_class to PreTrainedTokenizerFast in "
            "tokenizer_config.json.",
            count=len(different),
            samples=different[:MAX_SAMPLES],
        )


def _compare(one: Tokenizer, other: Tokenizer, *names: str) -> tuple[str, ...]:
    """Return the short texts of which two tokenizers make other tokens, with the ids of both."""
    pairs = [[tokenizer.encode(text).ids.tolist() for tokenizer in (one, other)] for text in SHORT_TEXTS]
    named = [[f"{ids} {name}" for ids, name in zip(pair, names, strict=True)] for pair in pairs]
    return tuple(
        f"{text!a}: {', '.join(both)}"
        for text, pair, both in zip(SHORT_TEXTS, pairs, named, strict=True)
        if pair[0] != pair[1]
    )


def find_incorrect_regex(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """The split pattern of some files of Mistral, which transformers replaces if `fix_mistral_regex` is set."""
    model = subject.metadata.beside.get("config.json", {})
    if model.get("model_type") not in MISTRAL or subject.size <= 100_000 or not subject.document:
        return
    fixed = read_folder(subject.sources[subject.file], subject.metadata, fix_mistral_regex=True)
    record = record_from_files("fixed", {"tokenizer.json": fixed.file})
    different = _compare(subject.tokenizers[0], load(record, record.info.engines[0]), "now", "corrected")
    if different:
        yield Finding(
            "incorrect-regex",
            "error",
            f"The split pattern is not the one that Mistral’s models were trained with: {len(different)} of "
            f"{len(SHORT_TEXTS)} short texts get other tokens.",
            "Load it with fix_mistral_regex=True, or put the pattern of tekken.json into the pre_tokenizer.",
            count=len(different),
            samples=different[:MAX_SAMPLES],
        )


def find_lacking_rows(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens with ids for which the model has no row."""
    config = subject.metadata.beside.get("config.json", {})
    inner = config.get("text_config")
    rows = config.get("vocab_size", inner.get("vocab_size") if isinstance(inner, dict) else None)
    if type(rows) is not int:
        return
    beyond = [f"{entry.piece}: {id}" for id, entry in subject.entries.items() if id >= rows]
    them = "it" if len(beyond) == 1 else "them"
    yield from report_cases(
        "no-row",
        "error",
        beyond,
        f"{plural(len(beyond), 'token has', 'tokens have')} an id beyond vocab_size {rows:,} of config.json: the model "
        f"has no embedding for {them}, and fails on a text with {them}.",
        "Resize the embedding of the model, or remove the tokens.",
    )


def find_broken_templates(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Chat templates that are no Jinja, or use a filter or test that is not there."""
    template = subject.record.chat_template()
    broken = []
    for name, text in (template.named or {"default": template.text}).items() if template else ():
        try:
            compile_template(text, sourced=False)
        except TemplateSyntaxError as error:
            broken.append(f"{name}, line {error.lineno}: {error.message}")
    yield from report_cases(
        "broken-template",
        "error",
        broken,
        f"{plural(len(broken), 'chat template')} cannot be read as Jinja: no conversation can be rendered with it.",
        "Correct the line, or take the template of the model’s publisher.",
    )


def find_other_turn_end(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """An EOS token that is not what ends a turn of the chat template, so that generation goes on after an answer."""
    template = subject.record.chat_template()
    eos = template.variables.get("eos_token", "") if template else ""
    if template is None or not eos:
        return
    conversation = Conversation([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ANSWER}])
    try:
        text = render_template(replace(template, source=""), replace(conversation, add_generation_prompt=False))
    except TokenariumError:
        return  # the template refuses it, which a conversation of the user shows
    end = text.rpartition(ANSWER)[2].lstrip()
    tokens = [token for token in subject.record.info.special_tokens if end.startswith(token)]
    ids = read_generation_config(subject)
    if tokens and eos not in tokens and not ids & {subject.record.info.special_tokens[token] for token in tokens}:
        yield Finding(
            "eos-not-turn-end",
            "warning",
            f"A turn of the chat template ends with {tokens[0]}, but eos_token is {eos}: a program that stops at EOS "
            "goes on after the answer.",
            f"Set eos_token to {tokens[0]}, or name its id in eos_token_id of generation_config.json.",
        )


def read_generation_config(subject: ExaminedTokenizer) -> set[int]:
    """Return the ids at which generation stops, by `generation_config.json`."""
    for name, data in subject.sources.items():
        if PurePosixPath(name).name == "generation_config.json":
            with suppress(BadFile):
                ids = read_json(data).get("eos_token_id")
                return {id for id in (ids if isinstance(ids, list) else [ids]) if isinstance(id, int)}
    return set()
