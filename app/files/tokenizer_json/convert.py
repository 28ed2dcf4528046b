"""A `tokenizer.json` as it is: what it says about itself, and whether the from-scratch engine can read it."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import BadFile, join_names
from ...scratch.compat.aligned import AlignedText
from ...scratch.compat.pipeline.batches import PipelineEncoding, PipelineToken
from ...scratch.compat.pipeline.components import COMPONENTS
from ...scratch.compat.pipeline.normalizers import apply_normalizers
from ...scratch.compat.pipeline.post_processors import TemplateProcessing, apply_post_processors
from ...scratch.compat.pipeline.pre_tokenizers import ByteLevel
from ...types import Engine, Family
from ..conversion import AS_DEFINED, Conversion, Metadata, name_rules
from ..json_objects import decode_text, find_place, read_json
from .models import MAX_ID, model_type
from .options import read_charsmap
from .read import TokenizerJson, check_growth, components, read_once

FILE = "tokenizer.json"
MAX_COMPONENTS = 1000
"""Components of all stages together, with the parts of templates; files of models have at most a few dozen."""
FAMILIES: Mapping[str, Family] = {"BPE": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram", "WordLevel": "word"}


def from_tokenizer_json(data: bytes, metadata: Metadata) -> Conversion:
    """Describe a `tokenizer.json`. Raises `BadFile` if it is none, or may make texts much longer."""
    top = read_json(data)
    model = top.get("model")
    if not isinstance(model, dict):
        raise BadFile("The file has no model.")
    _check_components(top, data)
    check_growth(top.get("normalizer"), "normalizer")
    check_growth(top.get("decoder"), "decoder")
    family = FAMILIES.get(model_type(model) or "", "other")
    vocabulary = read_ids(model.get("vocab"))
    added = {token["content"]: token for token in _list_added_tokens(top)}
    ids = {content: token["id"] for content, token in added.items()} | vocabulary  # as the library numbers them
    _check_largest(ids)
    specials = {content: ids[content] for content, token in added.items() if token.get("special") is True}
    before, after = find_surrounding_ids(top.get("post_processor"))
    by_id = {id: token for token, id in ids.items()} | {id: token for token, id in specials.items()}
    prefix, suffix = ([by_id[id] for id in side if type(id) is int and id in by_id] for side in (before, after))
    engines: tuple[Engine, ...] = ("tokenizers", "scratch")
    notes: list[str] = []
    read = None
    try:
        read = read_once(data)
        notes += read.notes
    except BadFile as error:
        engines = ("tokenizers",)
        notes.append(f"The from-scratch engine cannot read this file: {error.detail}")
    if read:
        _check_added_tokens(read)
    size = max(ids.values(), default=-1) + 1
    return Conversion(
        family,
        engines,
        {FILE: data},
        size,
        gaps=size - len({*ids.values()}),
        lossless=read is not None and is_lossless(read),
        normalization=_normalization(read),
        special_tokens=specials | {token: ids[token] for token in (*prefix, *suffix)},
        prefix=tuple(prefix),
        suffix=tuple(suffix),
        notes=tuple(notes),
        token_rules=name_rules(added, added),
    )


def _check_components(top: Mapping[str, Any], data: bytes) -> None:
    """Raise `BadFile` for a file of many components: each engine would make all, and each text pass through them.

    And for a damaged character map, since the library takes the memory that it declares, and for words of no character,
    on which it panics at every text.
    """
    parts: list[tuple[tuple[str | int, ...], dict[str, Any]]] = [
        ((name,), value) for name in COMPONENTS if isinstance(value := top.get(name), dict)
    ]
    for path, part in parts:
        for name, inner in part.items():
            items = enumerate(inner if isinstance(inner, list) else ())
            parts += [((*path, name, at), one) for at, one in items if isinstance(one, dict)]
            if len(parts) > MAX_COMPONENTS:
                raise BadFile(f"The file has more than {MAX_COMPONENTS:,} components.")
        if part.get("type") == "FixedLength" and part.get("length") == 0:
            place = find_place(decode_text(data), (*path, "length"))
            where = f" at line {place.line}, column {place.column}" if place else ""
            raise BadFile(f"The length of FixedLength{where} is 0. It must be 1 or more.")
        if part.get("type") == "Precompiled":
            try:
                read_charsmap(part.get("precompiled_charsmap"))
            except TypeError as error:
                raise BadFile(f"The precompiled_charsmap is not {error}.") from None


def _check_added_tokens(file: TokenizerJson) -> None:
    """Raise `BadFile` for an added token of which the normalizers leave nothing: the library matches it everywhere."""
    steps = [part.normalize for part in file.normalizers]
    for token in file.added if steps else ():
        if token.normalized and not apply_normalizers(steps, AlignedText.of(token.content)).text:
            raise BadFile(
                f"The normalizers leave nothing of the added token {token.content[:40]!r}, "
                'which tokenizers then matches without end. Give it "normalized": false.'
            )


def read_ids(vocab: Any) -> dict[str, int]:
    """Return the ids of a vocabulary: a mapping, or the list of pieces and scores of Unigram.

    Raises `BadFile` for an id that is too large: the library takes 4 bytes for each one up to the largest.
    """
    if isinstance(vocab, list):
        entries = [entry[0] for entry in vocab if isinstance(entry, list) and entry]
        return {piece: id for id, piece in enumerate(entries) if isinstance(piece, str)}
    items = vocab.items() if isinstance(vocab, dict) else ()
    ids = {piece: id for piece, id in items if type(id) is int}
    _check_largest(ids)
    return ids


def _check_largest(ids: Mapping[str, int]) -> None:
    if max(ids.values(), default=0) > MAX_ID:
        raise BadFile(f"The vocabulary has an id above {MAX_ID}, the largest allowed.")


def _list_added_tokens(top: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    tokens = top.get("added_tokens")
    for token in tokens if isinstance(tokens, list) else ():
        if isinstance(token, dict) and isinstance(token.get("content"), str) and type(token.get("id")) is int:
            yield token


def find_surrounding_ids(processor: Any) -> tuple[list[int], list[int]]:
    """Return the ids that a post-processor puts before and after a single text; none for one that repeats the text.

    >>> find_surrounding_ids({"type": "BertProcessing", "cls": ["[CLS]", 101], "sep": ["[SEP]", 102]})
    ([101], [102])
    """
    try:
        parts = [*components(processor, "post_processor")]
    except BadFile:
        return [], []  # the reader of the engine says what is wrong
    if any(isinstance(part, TemplateProcessing) and part.changes_tokens for part in parts):
        return [], []
    text = PipelineToken(-1, "")
    *_, encodings = apply_post_processors([PipelineEncoding((text,))], parts)
    ids = [token.id for one in encodings for token in one.tokens]
    at = ids.index(text.id)
    return ids[:at], ids[at + 1 :]


def is_lossless(file: TokenizerJson) -> bool:
    """True if the tokens of every text are known to join back to it: byte-level, and nothing changes the text."""
    byte_level = [part for part in file.splitters if isinstance(part, ByteLevel)]
    alike = all(part.type in ("Split", "Digits", "ByteLevel", "Punctuation") for part in file.splitters)
    kept = all(getattr(part, "behavior", "") != "Removed" for part in file.splitters)
    plain = not any(token.lstrip or token.rstrip for token in file.added)
    return (
        not file.normalizers
        and len(byte_level) == 1
        and not byte_level[0].add_prefix_space
        and alike
        and kept
        and plain
        and not file.respelled
        and file.model.type == "BPE"
        and file.model.has_all_bytes()
        and [part.type for part in file.decoders or ()] == ["ByteLevel"]
    )


def _normalization(file: TokenizerJson | None) -> str:
    if file is None:
        return AS_DEFINED
    names = [part.type for part in file.normalizers]
    if names:
        return f"As its normalizers define: {join_names(names)}."
    if file.respelled:
        return f"The letters of the added token {file.respelled[0][:40]!r} also spell bytes, to which it is decoded."
    return "" if is_lossless(file) else AS_DEFINED
