"""Components of a `tokenizer.json` as plain data, for the converters that write one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Component = dict[str, Any]
PARTS = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}
"""The name that a Sequence of each stage has for its components."""
SPELLED_BYTES: Component = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
"""ByteLevel that only spells bytes."""


def document(model: Component, tokens: Sequence[Component], **stages: Any) -> Component:
    """Return a `tokenizer.json` from its model, added tokens and stages."""
    top: Component = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [*tokens]}
    empty = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    return {**top, **empty, **stages, "model": model}


def bpe(vocabulary: Mapping[str, int], merges: Iterable[tuple[str, str]], **options: Any) -> Component:
    """Return the model BPE of a `tokenizer.json`."""
    names = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
    flags = dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False)
    model = {"type": "BPE", **dict.fromkeys(names), **flags, **options}
    return {**model, "vocab": dict(vocabulary), "merges": [list(pair) for pair in merges]}


def sort_by_id(ids: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return (token, id), sorted by id."""
    return sorted(ids.items(), key=lambda item: item[1])


def make_token_component(content: str, id: int, *, special: bool = True) -> Component:
    """Return one added token."""
    options = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    return {"id": id, "content": content, **options, "normalized": not special, "special": special}


def byte_level(*, prefix_space: bool = False, pattern: str | None = None) -> Component:
    """Return the pre-tokenizer of byte-level BPE: GPT-2's, or one with another pattern."""
    spelled = SPELLED_BYTES | {"add_prefix_space": prefix_space, "use_regex": pattern is None}
    return spelled if pattern is None else sequence("pretokenizers", [make_isolated_split(pattern), spelled])


def make_isolated_split(pattern: str) -> Component:
    """Return the pre-tokenizer that makes each match of a pattern a word."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def make_matching_split(pattern: str) -> Component:
    """Return the pre-tokenizer whose words are the matches of a pattern, without what is between them."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}


def replace_text(text: str, content: str) -> Component:
    """Return the component that replaces each occurrence of a text."""
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


def sequence(name: str, parts: Sequence[Component]) -> Component:
    """Return several components as one."""
    return {"type": "Sequence", name: [*parts]}


def as_component(stage: str, parts: Sequence[Mapping[str, Any]] | None) -> Mapping[str, Any] | None:
    """Return the components of a stage as one of a `tokenizer.json`.

    >>> as_component("normalizer", [{"type": "NFC"}, {"type": "Lowercase"}])
    {'type': 'Sequence', 'normalizers': [{'type': 'NFC'}, {'type': 'Lowercase'}]}
    """
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else {"type": "Sequence", PARTS[stage]: [*parts]}


def flatten(spec: Any, stage: str) -> list[Any]:
    """Return the components of a stage in order as they stand in a file, Sequences taken apart.

    >>> flatten({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]}, "normalizer")
    [{'type': 'NFC'}, {'type': 'Lowercase'}]
    """
    parts: list[Any] = []
    waiting = [spec]
    while waiting:
        part = waiting.pop()
        # The library takes a component without a type for what its keys say.
        is_sequence = isinstance(part, dict) and part.get("type", "Sequence") == "Sequence"
        if is_sequence and isinstance(inner := part.get(PARTS[stage]), list):
            waiting += reversed(inner)
        elif part is not None:
            parts.append(part)
    return parts


def make_template_processor(before: Sequence[str], after: Sequence[str], ids: Mapping[str, int]) -> Component | None:
    """Return the post-processor that puts tokens around a text; None if there are none."""
    names = dict.fromkeys((*before, *after))
    if not names:
        return None
    left, right = ([{"SpecialToken": {"id": name, "type_id": 0}} for name in side] for side in (before, after))
    texts = [{"Sequence": {"id": text, "type_id": number}} for number, text in enumerate("AB")]
    tokens = {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in names}
    pair = [*left, texts[0], *right, texts[1], *right]
    return {"type": "TemplateProcessing", "single": [*left, texts[0], *right], "pair": pair, "special_tokens": tokens}
