"""Kinds of tokenizer.json that are published: both engines read each, and give equal tokens, or fail alike."""

import json
import random
from base64 import b64encode
from functools import cache
from itertools import islice

import pytest
from tokenarium.errors import BadFile, EngineFailed
from tokenarium.files.records import record_from_files
from tokenarium.files.tokenizer_json.components import (
    bpe,
    byte_level,
    document,
    make_isolated_split,
    make_token_component,
    sequence,
)
from tokenarium.files.tokenizer_json.read import load_tokenizer_json
from tokenarium.lab.conformance import same_encoding, texts
from tokenarium.lab.text_splitter import is_separable
from tokenarium.registry import load
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet

from tests.conftest import REPEATED
from tests.support.strings import NASTY
from tests.support.tokenizers_trained import charsmap, file

LETTERS = byte_alphabet()
META = {"type": "Metaspace", "replacement": "▁"}
SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
CHARSMAP = {"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap("unigram")).decode()}
COLLAPSED = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
DEEPSEEK = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)
QWEN = r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def parsed(kind):
    return json.loads(file(kind))


def changed(kind, model=None, **parts):
    top = parsed(kind)
    return {**top, **parts, "model": {**top["model"], **(model or {})}}


def without(top, *names):
    return {**top, "model": {name: value for name, value in top["model"].items() if name not in names}}


def gemma():
    """A text is one word, and a token begins before a space and ends after it."""
    pieces = [
        "<unk>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        "▁",
        *"theolwrd<>/|",
        "th",
        "the",
        "▁the",
        "▁▁",
        "|>",
    ]
    pieces += ["</", "▁</", ">▁</", "ow", "low"]
    pairs = [
        ("th", "e"),
        ("t", "h"),
        ("▁", "the"),
        ("▁", "▁"),
        ("<", "/"),
        ("▁", "</"),
        (">", "▁</"),
        ("|", ">"),
        ("o", "w"),
    ]
    model = bpe({p: i for i, p in enumerate(pieces)}, [*pairs, ("l", "ow")], byte_fallback=True, fuse_unk=True)
    special = [make_token_component(f"<unused{number}>", 300 + number) for number in range(300)]
    split = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    return document({**model, "unk_token": "<unk>"}, special, normalizer=SPACES, pre_tokenizer=split)


def byte_pairs(*patterns, **stages):
    pairs = [
        ("t", "h"),
        ("th", "e"),
        ("Ġ", "the"),
        ("o", "r"),
        ("Ġ", "w"),
        ("Ã", "©"),
        ("1", "2"),
        ("Ġ", "Ġ"),
        (".", "Ċ"),
    ]
    pieces = [*LETTERS, *(a + b for a, b in pairs)]
    tokens = [
        make_token_component("<｜begin▁of▁text｜>", len(pieces)),
        make_token_component("<think>", len(pieces) + 1, special=False),
    ]
    splitters = [*map(make_isolated_split, patterns[:-1]), *byte_level(pattern=patterns[-1])["pretokenizers"]]
    decoder = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    pre_tokenizer = sequence("pretokenizers", splitters)
    model = bpe({piece: id for id, piece in enumerate(pieces)}, pairs)
    return document(model, tokens, **{"pre_tokenizer": pre_tokenizer, "decoder": decoder, **stages})


def wav2vec():
    pieces = {piece: id for id, piece in enumerate(["<pad>", "<s>", "</s>", "<unk>", "|", *"ETAOINSHR"])}
    ctc = {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}
    upper = {"type": "Replace", "pattern": {"String": " "}, "content": "|"}
    letters = {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False}
    model = {"type": "WordLevel", "vocab": pieces, "unk_token": "<unk>"}
    return document(model, [], normalizer=upper, pre_tokenizer=letters, decoder=ctc)


def template(*single):
    tokens = {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}
    steps = {"A": {"Sequence": {"id": "A", "type_id": 0}}, "<s>": {"SpecialToken": {"id": "<s>", "type_id": 0}}}
    return {"type": "TemplateProcessing", "single": [steps[name] for name in single], "special_tokens": tokens}


def merges_of_gpt2():
    return list(parsed("gpt2")["model"]["merges"])


WHITE = {"type": "WhitespaceSplit"}
KINDS = {
    "deepseek": lambda: byte_pairs(*DEEPSEEK),
    "qwen": lambda: byte_pairs(QWEN, normalizer={"type": "NFC"}),
    "gemma": gemma,
    "t5": lambda: changed("unigram", normalizer=CHARSMAP, pre_tokenizer=sequence("pretokenizers", [WHITE, META])),
    "pegasus": lambda: changed(
        "unigram", normalizer=sequence("normalizers", [CHARSMAP, COLLAPSED]), pre_tokenizer=META
    ),
    "xlm-roberta": lambda: changed("unigram", normalizer=CHARSMAP, post_processor=template("<s>", "A", "<s>"))
    | {"added_tokens": [make_token_component("<s>", 40), make_token_component("▁the", 3, special=False)]},
    "llama 2": lambda: parsed("llama"),
    "wav2vec": wav2vec,
    "truncated and padded": lambda: changed(
        "bert",
        truncation={"max_length": 5, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        padding={"strategy": {"Fixed": 32}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                 "pad_type_id": 0, "pad_token": "[PAD]"},
    ),
    **{
        f"{kind} without a type": lambda kind=kind: without(parsed(kind), "type")
        for kind in ("gpt2", "bert", "words", "unigram")
    },
    "old metaspace": lambda: changed("unigram", pre_tokenizer={**META, "str_rep": "▁", "add_prefix_space": True}),
    "metaspace without prefix": lambda: changed("unigram", pre_tokenizer={**META, "add_prefix_space": False}),
    "no unk_id": lambda: changed("unigram", {"unk_id": None}),
    "no unk_id, with bytes": lambda: changed("unigram bytes", {"unk_id": None}),
    "repeated merges": lambda: changed("gpt2", {"merges": merges_of_gpt2() + merges_of_gpt2()[:9]}),
    "merges as texts": lambda: changed("gpt2", {"merges": [" ".join(pair) for pair in merges_of_gpt2()]}),
    "nmt": lambda: changed("words", normalizer={"type": "Nmt"}),
    "bytes as a normalizer": lambda: changed("gpt2", normalizer={"type": "ByteLevel"}, pre_tokenizer=None),
    "scripts": lambda: changed("words", pre_tokenizer={"type": "UnicodeScripts"}),
    "fixed length": lambda: changed("unigram", pre_tokenizer={"type": "FixedLength", "length": 4}),
    "text twice": lambda: changed("gpt2", post_processor=template("A", "<s>", "A")),
    "added ids differ and leave gaps": lambda: changed("gpt2")
    | {
        "added_tokens": [
            *(make_token_component("<a>", 9_000), make_token_component("t", 3), make_token_component("<b>", 5)),
            *(make_token_component("<a>", 1), make_token_component("", 2)),
        ]
    },
    "gaps in the vocabulary": lambda: changed(
        "words", {"vocab": {piece: 7 * id for id, piece in enumerate(parsed("words")["model"]["vocab"])}}
    )
    | {"added_tokens": [make_token_component("<a>", 9_000), make_token_component("<b>", 9_001)]},
    "dropout": lambda: changed("gpt2", {"dropout": 0.5}),
    "no characters allowed": lambda: changed("bert", {"max_input_chars_per_word": 0}),
    "unk_token not in the vocabulary": lambda: changed("sennrich", {"unk_token": "<none>"}),
    "wordpiece without its unk_token": lambda: changed("bert", {"unk_token": "<none>"}),
    "old added tokens": lambda: changed("gpt2") | {"added_tokens": [{"id": 500, "content": "<x>", "special": True}]},
    "bom": lambda: parsed("gpt2"),
}  # fmt: skip


@cache
def record(kind):
    data = json.dumps(KINDS[kind](), ensure_ascii=False).encode()
    return record_from_files(kind, {"tokenizer.json": b"\xef\xbb\xbf" * (kind == "bom") + data})


def some_texts(specials):
    source = random.Random(5)
    parts = [
        "the",
        " the",
        "  ",
        ".\n",
        "\n\n",
        "é",
        "1234",
        "<|>",
        " </",
        ">",
        "日本語",
        "<x>",
        "<a>",
        " ",
        "\u00a8",
        "\u0600",
    ]
    yield from NASTY.values()
    yield from ("".join(source.choices([*parts, *specials], k=source.randint(1, 12))) for _ in range(REPEATED // 5))
    yield from islice(texts(seed=8, specials=specials), REPEATED // 5)


def outcome(function):
    """Return what a function returns, or that the engine failed."""
    try:
        return function()
    except EngineFailed:
        return None


@pytest.mark.parametrize("kind", KINDS)
def test_both_engines_read_it_and_give_equal_tokens(kind):
    made = record(kind)
    assert made.info.engines == ("tokenizers", "scratch"), made.info.notes
    theirs, ours = (load(made, engine) for engine in made.info.engines)
    for number, text in enumerate(some_texts([*made.info.special_tokens])):
        policy = "parse" if number % 3 == 0 else "text"
        expected = outcome(lambda text=text, policy=policy: theirs.encode(text, special=policy))
        got = outcome(lambda text=text, policy=policy: ours.encode(text, special=policy))
        assert (got is None) == (expected is None), ascii(text)
        if got is not None:
            assert same_encoding(got, expected), ascii(text)
            assert ours.decode(got.ids.tolist()) == theirs.decode(got.ids.tolist()), ascii(text)
            assert [ours.entry(id) for id in {*got.ids.tolist()}] == [theirs.entry(id) for id in {*got.ids.tolist()}]
    assert (ours.stages("The  <x>Wörld"), kind) == (theirs.stages("The  <x>Wörld"), kind)


NOTES = {
    "truncated and padded": ["Truncation to 5 tokens is switched off.", "Padding to 32 tokens is switched off."],
    "bert without a type": ["The model has no type; by its keys it is WordPiece."],
    "metaspace without prefix": [
        "Metaspace of the pre_tokenizer has add_prefix_space off, read as the prepend_scheme never."
    ],
    "no unk_id": ["The model has no unk_id, so unknown text is an error."],
    "repeated merges": ["9 merges are repeated; of equal ones, the last counts."],
    "dropout": ["Dropout of 0.5 is switched off: it makes the tokens of a text random."],
    "unk_token not in the vocabulary": [
        "The unk_token '<none>' is not in the vocabulary, so unknown text is an error."
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", NOTES)
def test_what_is_unusual_is_noted(kind):
    assert list(record(kind).info.notes) == NOTES[kind]


def test_the_ids_of_added_tokens_are_those_of_the_library_with_a_note_on_each():
    made = record("added ids differ and leave gaps")
    theirs, ours = (load(made, engine) for engine in made.info.engines)
    size = len(parsed("gpt2")["model"]["vocab"])
    t = parsed("gpt2")["model"]["vocab"]["t"]
    for tokenizer in (theirs, ours):
        assert tokenizer.encode("<a><b>t", special="parse").ids.tolist() == [size, size + 1, t]
    assert f"The added token '<a>' has the id 9000 in the file, but gets {size}." in made.info.notes
    assert sum("is left out" in note for note in made.info.notes) == 2


def test_what_from_scratch_cannot_read_is_served_by_the_library_and_says_why():
    top = changed("gpt2", normalizer={"type": "Replace", "pattern": {"Regex": r"\Kq"}, "content": ""})
    made = record_from_files("x", {"x": json.dumps(top).encode()})
    assert made.info.engines == ("tokenizers",)
    assert made.info.notes[0].startswith(
        "The from-scratch engine cannot read this file: The option 'pattern' of normalizer"
    )
    assert load(made, "tokenizers").encode("the").ids.tolist()


def test_what_no_engine_can_read_is_a_bad_file_with_the_cause():
    top = changed("gpt2", pre_tokenizer={"type": "FixedLength", "length": "x"})
    made = record_from_files("x", {"x": json.dumps(top).encode()})
    with pytest.raises(BadFile, match="tokenizers cannot read the file"):
        load(made, "tokenizers")


def test_a_text_is_divided_only_where_no_token_reaches_across():
    kinds = ("gemma", "deepseek", "qwen", "t5", "pegasus", "fixed length", "scripts", "wav2vec")
    files = {kind: load_tokenizer_json(json.dumps(KINDS[kind]()).encode()) for kind in kinds}
    assert [kind for kind in kinds if not is_separable(files[kind])] == ["fixed length", "scripts", "wav2vec"]
