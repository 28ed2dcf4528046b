"""A text is cut at a space only where no component and no token reaches across."""

import pytest
from tokenarium.files.tokenizer_json.library import load_json
from tokenarium.files.tokenizer_json.read import load_tokenizer_json
from tokenarium.files.tokenizer_json.scratch import load
from tokenarium.lab.text_splitter import is_separable, may_be_counted_apart
from tokenarium.types import TokenizerInfo

from tests.support.random_pipelines import (
    byte_level,
    dump,
    metaspace,
    replacing,
    sequence,
    splitting,
)

INFO = TokenizerInfo("x", "x", "other", ("tokenizers", "scratch"), 1000, False)
SPACES = replacing(" ", "▁")
WHITE = {"type": "WhitespaceSplit"}


def file(vocabulary, merges, **parts):
    names = ("unk_token", "fuse_unk", "ignore_merges", "byte_fallback")
    options = {name: parts.pop(name) for name in names if name in parts}
    model = {"type": "BPE", "vocab": {piece: id for id, piece in enumerate(vocabulary)}, "merges": merges, **options}
    top = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"))
    return {"version": "1.0", "added_tokens": [], **top, **parts, "model": model}


def both(top):
    data = dump(top)
    return load(INFO, file=load_tokenizer_json(data)), load_json(INFO, file=data)


A_MARK = (["a", "b", "▁", "a▁", "<unk>"], [["a", "▁"]])
A_SIGN = (["a", "b", ">", "▁", ">▁", "<unk>"], [[">", "▁"]])
THE = ([*"abcdehlort", " ", "th", "he", "the"], [["t", "h"], ["h", "e"]])
CASES = {
    "a word with spaces that is looked up as a whole": (file(*THE, ignore_merges=True), "the hello"),
    "the same with ▁": (
        file([*"abcdehlort", "▁", "th", "he", "the"], THE[1], ignore_merges=True, normalizer=SPACES),
        "the hello",
    ),
    "white space that is ▁ by then": (file(*A_MARK, unk_token="<unk>", normalizer=SPACES, pre_tokenizer=WHITE), "a b"),
    "a pattern of white space": (
        file(*A_MARK, unk_token="<unk>", normalizer=SPACES, pre_tokenizer=splitting(r"\s+", "Isolated")),
        "a b",
    ),
    "a delimiter that is ▁ by then": (
        file(*A_MARK, normalizer=SPACES, pre_tokenizer={"type": "CharDelimiterSplit", "delimiter": " "}),
        "a b",
    ),
    "BERT's words": (file(*A_MARK, normalizer=SPACES, pre_tokenizer={"type": "BertPreTokenizer"}), "a b"),
    "a split at ▁ that is a space yet": (
        file(["a", "b", " ", "a "], [["a", " "]], pre_tokenizer=splitting("▁", "MergedWithNext", "String")),
        "a b",
    ),
    "a character that vanishes": (
        file(["a", "▁", "a▁"], [["a", "▁"]], pre_tokenizer=metaspace("first", split=False)),
        "aら b",
    ),
    "nothing but the character that vanishes": (
        file(["b", "▁", "▁▁"], [["▁", "▁"]], pre_tokenizer=metaspace("first", split=False)),
        "ら b",
    ),
}
IDS = {
    "a word with spaces that is looked up as a whole": [11, 4, 10, 12, 6, 6, 7],
    "the same with ▁": [11, 4, 10, 12, 6, 6, 7],
    "white space that is ▁ by then": [3, 1],
    "a pattern of white space": [3, 1],
    "a delimiter that is ▁ by then": [3, 1],
    "BERT's words": [3, 1],
    "a split at ▁ that is a space yet": [3, 1],
    "a character that vanishes": [1, 2],
    "nothing but the character that vanishes": [2, 0],
}


@pytest.mark.parametrize("case", CASES)
def test_no_text_is_divided_where_something_reaches_across(case):
    top, text = CASES[case]
    ours, theirs = both(top)
    assert theirs.encode(text).ids.tolist() == IDS[case]
    assert ours.encode(text).ids.tolist() == IDS[case]
    assert not is_separable(ours.file)


def test_components_that_are_proved_not_to_reach_across_divide_a_text():
    t5 = sequence(
        [{"type": "Strip", "strip_left": False, "strip_right": True}, replacing(" {2,}", "▁", "Regex")], "normalizers"
    )
    proved = {
        "BERT": file(*THE, pre_tokenizer={"type": "BertPreTokenizer"}, ignore_merges=True),
        "T5": file(*A_MARK, unk_token="<unk>", normalizer=t5, pre_tokenizer=metaspace()),
        "GPT-2": file(*THE, pre_tokenizer=byte_level()),
        "Gemma": file(
            *A_SIGN, unk_token="<unk>", normalizer=SPACES, pre_tokenizer=splitting(" ", "MergedWithPrevious", "String")
        ),
    }
    mark = {"id": 13, "content": "a▁b", **dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)}
    proved["a token with ▁"] = file(*THE, pre_tokenizer=byte_level(), added_tokens=[{**mark, "normalized": True}])
    assert [name for name, top in proved.items() if not is_separable(load_tokenizer_json(dump(top)))] == []


def test_a_part_is_counted_alone_only_if_no_normalizer_ends_it_with_a_space():
    bert = {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    }
    apart = {
        name: may_be_counted_apart(load_tokenizer_json(dump(file(*THE, normalizer=bert, pre_tokenizer=splitter))))
        for name, splitter in (("white space", WHITE), ("a pattern", splitting(r"\s+", "Isolated")))
    }
    assert apart == {"white space": True, "a pattern": False}
