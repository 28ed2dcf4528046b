"""Spellings: the raw bytes of vocabulary entries, remembered, since asking a library for thousands takes as long as
cutting the text; and how a vocabulary's own file writes them."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from app.lab.tokenize import Tokenization
from app.scratch.words import byte_alphabet
from app.types import Tokenizer, VocabEntry

_known: WeakKeyDictionary[Tokenizer, dict[int, bytes]] = WeakKeyDictionary()


def raw_bytes(done: Tokenization, ids: Sequence[int]) -> list[bytes]:
    """The bytes that ids stand for, one by one. A vocabulary that grew with this text is not remembered."""
    if done.encoding.grown:
        return [done.entry(id).raw for id in ids]
    known = _known.setdefault(done.tokenizer, {})
    for id in ids:
        if id not in known:
            known[id] = done.entry(id).raw
    return [known[id] for id in ids]


def vocabulary_forms(done: Tokenization) -> list[str]:
    """Each token as Hugging Face's file of its vocabulary writes it: `Ġworld`, `▁world`, `##ing`."""
    alphabet = byte_alphabet() if "tiktoken" in done.tokenizer.info.engines else []
    ids = done.encoding.ids.tolist()
    forms = {id: vocabulary_form(done.entry(id), alphabet) for id in set(ids)}
    return [forms[id] for id in ids]


def vocabulary_form(entry: VocabEntry, alphabet: Sequence[str]) -> str:
    """An entry's piece; where there is an alphabet, which spells bytes, its bytes spelled with that.

    >>> vocabulary_form(VocabEntry(2375, " world", b" world"), byte_alphabet())
    'Ġworld'
    """
    return "".join(alphabet[byte] for byte in entry.raw) if alphabet and entry.kind == "normal" else entry.piece
