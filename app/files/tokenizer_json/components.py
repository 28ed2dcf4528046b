"""Components of a `tokenizer.json` as plain data, for the converters that write one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Component = dict[str, Any]


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
    spelled = {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": True}
    if pattern is None:
        return {**spelled, "use_regex": True}
    return sequence("pretokenizers", [make_isolated_split(pattern), {**spelled, "use_regex": False}])


def make_isolated_split(pattern: str) -> Component:
    """Return the pre-tokenizer that makes each match of a pattern a word."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def sequence(name: str, parts: Sequence[Component]) -> Component:
    """Return several components as one."""
    return {"type": "Sequence", name: [*parts]}


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
