"""Add and rename special tokens, and fill a vocabulary with reserved ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import Invalid
from .draft import Draft

RESERVED = "<|reserved_{}|>"


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
