"""The change of a tokenizer by an operation, from the options to new files that nothing has been proven of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...errors import Invalid, plural
from ..train.corpora import TrainingCorpus, corpus
from .extend import append_merges, check_model, fallback_characters, learn_merges, segment_words, with_characters
from .jobs import LEARNING, PRUNING, READING, SCRIPTS, ProgressReporter
from .options import SurgeryOptions, check_options
from .prune import count_tokens, prune, script_tokens
from .subject import Draft, EditableTokenizer, RenumberedTokenizer, count_words, load_draft, number_tokens

RESERVED = "<|reserved_{}|>"
MAX_NAMED_TOKENS = 48
"""Tokens that the report names of those that were removed, added or cannot be reached."""


def with_special_tokens(
    draft: Draft,
    *,
    add: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    multiple: int = 1,
    dense: bool = True,
) -> Draft:
    """Return the draft with renamed and new special tokens, and reserved ones up to a multiple of its size.

    The size is the number of tokens if ids will be `dense`, else the largest id + 1.

    Raises `Invalid` for a name that is taken or unknown.

    >>> draft = Draft({"model": {"type": "BPE"}}, 2, {"a": 0, "b": 1})
    >>> [token["content"] for token in with_special_tokens(draft, add=["<x>"], multiple=4).added]
    ['<x>', '<|reserved_0|>']
    """
    draft = replace(draft, renamed=_check_renames(draft, rename or {}))
    names = {draft.renamed.get(name, name) for name in draft.ids}
    for content in add:
        if content in names:
            raise _make_taken_error(content, "/add_tokens")
        draft = draft.with_token(content)
    names.update(add)
    return _pad_vocabulary(draft, multiple, names, dense=dense)


def _check_renames(draft: Draft, rename: Mapping[str, str]) -> dict[str, str]:
    """Check the new names of special tokens. Raises `Invalid`."""
    special = {token["content"] for token in draft.added}
    parts = {part for pair in draft.merges for part in (*pair, draft.join(pair))}
    for old, new in rename.items():
        if old not in special:
            raise Invalid(f"There is no special token {old[:40]!r} to be renamed.", pointer="/rename_tokens")
        if old in parts:
            raise Invalid(f"{old[:40]!r} is part of a merge and cannot be renamed.", pointer="/rename_tokens")
        if (new in draft.ids and new not in rename) or [*rename.values()].count(new) > 1:
            raise _make_taken_error(new, "/rename_tokens")
    return dict(rename)


def _make_taken_error(name: str, pointer: str) -> Invalid:
    return Invalid(f"The name {name[:40]!r} is taken: the vocabulary has such a token.", pointer=pointer)


def _pad_vocabulary(draft: Draft, multiple: int, names: set[str], *, dense: bool) -> Draft:
    number = 0
    size = len({*draft.ids.values()}) if dense else draft.next_id
    while size % multiple:
        if (name := RESERVED.format(number)) not in names:
            draft = draft.with_token(name)
            size += 1
        number += 1
    return draft


def split_corpus(
    texts: Sequence[str], options: SurgeryOptions, counts: Mapping[int, int] | None = None
) -> TrainingCorpus | None:
    """Check the options, and split the corpus in two; None for no corpus where none is needed. Raises `Invalid`."""
    check_options(options)
    split = corpus(texts, held_out=options.held_out) if any(text.strip() for text in texts) else None
    if split is None and options.needs_corpus and counts is None:
        raise Invalid("There is no corpus: paste a text, choose files or a built-in corpus.", pointer="/texts")
    return split


def change_tokenizer(
    old: EditableTokenizer,
    *,
    split: TrainingCorpus | None,
    options: SurgeryOptions,
    progress: ProgressReporter,
    counts: Mapping[int, int] | None = None,
) -> tuple[RenumberedTokenizer, dict[str, Any]]:
    """Return the new tokenizer, unproven, and its figures as plain data. Raises what `operate` raises for options."""
    draft = load_draft(old.data)
    progress.note(f"{len({*draft.ids.values()}):,} tokens")
    changed, details = _change(old, draft=draft, split=split, options=options, progress=progress, counts=counts)
    changed = with_special_tokens(
        changed, add=options.add_tokens, rename=options.renamed, multiple=options.multiple, dense=options.renumber
    )
    progress.note(f"{len({*changed.ids.values()}):,} tokens")
    result = number_tokens(changed, dense=options.renumber)
    return result, {"notes": [], **_sizes(old, draft, changed, result), "learned": [], **details}


def _change(
    old: EditableTokenizer,
    draft: Draft,
    split: TrainingCorpus | None,
    options: SurgeryOptions,
    progress: ProgressReporter,
    counts: Mapping[int, int] | None,
) -> tuple[Draft, dict[str, Any]]:
    """Prune or extend the draft; with it, what the report says of that alone."""
    texts = split.texts if split else ()
    if options.operation == "extend":
        check_model(old)
        progress.start(READING)
        return _extend(old, draft, _count(old, texts, progress), options, progress)
    if options.operation == "tokens":
        return draft, {}
    if options.by == "scripts":
        progress.start(SCRIPTS)
        wanted = script_tokens(old, draft, options.scripts)
    else:
        progress.start(READING)
        if counts is None:
            counts = count_tokens(old, _count(old, texts, progress))
        least = options.min_count
        wanted = {id for id, count in counts.items() if count >= least or (least == 1 and id in counts)}
    progress.start(PRUNING)
    return prune(old, draft, wanted | options.kept_ids, characters=options.keep_characters), {}


def _count(old: EditableTokenizer, texts: Sequence[str], progress: ProgressReporter) -> Mapping[str, int]:
    """Count the words of texts, and report how much was read."""
    size = sum(map(len, texts))
    words = count_words(old, texts, lambda read: progress.update(read, size))
    progress.note(f"{len(words):,} different words in {size:,} characters")
    return words


def _extend(
    old: EditableTokenizer, draft: Draft, words: Mapping[str, int], options: SurgeryOptions, progress: ProgressReporter
) -> tuple[Draft, dict[str, Any]]:
    """Add characters and merges, and give what was learned first."""
    progress.start(LEARNING)
    least = options.min_frequency
    longest = options.max_token_length
    characters = [(char, n) for char, n in fallback_characters(old, words).most_common(options.tokens) if n >= least]
    if options.add_characters:
        draft = with_characters(old, draft, [char for char, _ in characters])
    most = options.tokens - len(draft.origins)
    merges = []
    counts = []
    for pair, count in learn_merges(
        draft, segment_words(old, words, draft), most, min_frequency=least, longest=longest
    ):
        merges.append(pair)
        counts.append(count)
        progress.update(len(merges), most)
    if not merges and not draft.origins:
        raise Invalid(
            f"No two tokens of the corpus occur together {options.min_frequency:,} times within a word, so there is "
            "nothing to learn.",
            pointer="/texts",
        )
    longer = append_merges(draft, merges)
    notes = []
    if (number := len(longer.origins)) < options.tokens:
        requested = plural(options.tokens, "token was", "tokens were")
        notes.append(f"{requested} requested; the corpus yields {number:,}.")
    if characters and not draft.origins:
        spelled = plural(len(characters), "character of the corpus is", "characters of the corpus are")
        notes.append(f"{spelled} spelled in bytes, which no merge joins.")
    if draft.origins:
        notes.append(f"{len(draft.origins):,} of the new tokens are characters that were spelled in bytes.")
    each = [count for _, count in characters][: len(draft.origins)] + counts
    tokens = [
        {"token": _text(old, origin), "parts": [old.scratch.entry(id).piece for id in origin], "count": count}
        for origin, count in zip([*longer.origins.values()][:MAX_NAMED_TOKENS], each, strict=False)
    ]
    return longer, {"learned": tokens, "notes": notes}


def _text(old: EditableTokenizer, ids: Sequence[int]) -> str:
    """Return the text that neighbouring tokens stand for, or their spelling if it is none."""
    try:
        return b"".join(old.scratch.entry(id).raw for id in ids).decode()
    except UnicodeDecodeError:
        return "".join(old.scratch.entry(id).piece for id in ids)


def _sizes(old: EditableTokenizer, draft: Draft, changed: Draft, result: RenumberedTokenizer) -> dict[str, Any]:
    """The numbers of tokens and of ids, and some tokens that were removed or are new without being learned."""
    ids = {*draft.ids.values()}
    left = {*changed.ids.values()}
    removed = sorted(ids - left)
    special = sum(not origin for origin in result.new.values())
    return {
        "size": {"before": draft.first_new, "after": result.size},
        "tokens": {
            "before": len(ids),
            "after": len(left),
            "kept": len(ids & left),
            "new": len(left - ids),
            "special": special,
        },
        "removed": [
            old.scratch.entry(id).piece
            for id in removed[:: max(1, len(removed) // MAX_NAMED_TOKENS)][:MAX_NAMED_TOKENS]
        ],
        "special": [result.tokens[id] for id, origin in result.new.items() if not origin][:MAX_NAMED_TOKENS],
        "renamed": dict(changed.renamed),
    }
