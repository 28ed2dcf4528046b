"""A sound tokenizer, and for each check of the doctor files that fail it."""

import json
from copy import deepcopy
from functools import cache

from tokenarium.files.tokenizer_json.components import (
    bpe,
    byte_level,
    document,
    make_template_processor,
    make_token_component,
)
from tokenarium.scratch.compat.pipeline.pre_tokenizers import ALPHABET

MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("a", "n")]


@cache
def _sound():
    tokens = ["<s>", "</s>", *ALPHABET, *(left + right for left, right in MERGES)]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    added = [make_token_component("<s>", 0), make_token_component("</s>", 1)]
    return document(bpe(vocabulary, MERGES), added, pre_tokenizer=byte_level(), decoder=byte_level())


def sound():
    return deepcopy(_sound())


def files(top, **config):
    beside = {"tokenizer_config.json": json.dumps({"tokenizer_class": "X", **config}).encode()} if config else {}
    return {"tokenizer.json": json.dumps(top).encode(), **beside}


def with_split(pattern):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {**sound(), "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, spelled]}}


def with_vocabulary(*, without=(), more=(), merges=()):
    top = sound()
    top["model"]["vocab"] = {token: id for token, id in top["model"]["vocab"].items() if token not in without}
    top["model"]["vocab"] |= dict(more)
    top["model"]["merges"] += [list(pair) for pair in merges]
    return top


BEGIN = make_template_processor(["<s>"], [], {"<s>": 0})
BAD = {
    "id-gaps": files(with_vocabulary(more=[("[pad]", 400)])),
    "special-other-id": files(sound(), added_tokens_decoder={"7": {"content": "<s>", "special": True}}),
    "missing-bytes": files(with_vocabulary(without=["Ā"])),
    "merge-repeated": files(with_vocabulary(merges=[("a", "n")])),
    "orphans": files(with_vocabulary(more=[("xyz", 262)])),
    "bos-twice": files({**sound(), "post_processor": BEGIN}, bos_token="<s>", chat_template="{{ bos_token }}{% x %}"),
    "bos-never": files(sound(), bos_token="<s>", add_bos_token=True),
    "eos-never": files(sound(), eos_token="</s>", add_eos_token=True),
    "bos-against-config": files({**sound(), "post_processor": BEGIN}, bos_token="<s>", add_bos_token=False),
    "clean-up-spaces": files(sound(), clean_up_tokenization_spaces=True),
    "legacy": files(sound(), legacy=True),
    "truncation": files({**sound(), "truncation": {"max_length": 5, "strategy": "LongestFirst", "stride": 0}}),
    "dropped-text": files(with_split(r"\w+|\s+")),
    "changed-text": files({**sound(), "normalizer": {"type": "Lowercase"}}),
    "catastrophic-pattern": files(with_split(r"(?:a|aa)+$|.|\w")),
    "unreadable": {**files(sound()), "x.model": b"minbpe v9\n"},
}
GOOD = files(sound(), bos_token="<s>", eos_token="</s>", clean_up_tokenization_spaces=False, legacy=False)
