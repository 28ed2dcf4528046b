"""A folder gives the tokens that transformers' AutoTokenizer gives, whatever its tokenizer.json says alone."""

import json

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.records import record_from_files
from tokenarium.files.tokenizer_json.components import bpe, byte_level, document, make_token_component, sequence
from tokenarium.registry import LOADERS

from tests.support.records import LETTERS

PAIRS = [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("1", "2"), ("12", "3"), ("4", "5"), ("45", "6")]
MERGES = [*PAIRS, ("123", "456"), ("Ġ", "t"), ("▁", "h")]
MERGES_TXT = "\n".join(["#version: 0.2", *map(" ".join, MERGES)]).encode()
THREES = {"type": "Split", "pattern": {"Regex": r"\p{N}{1,3}|\w+|\s+|[^\w\s]"}, "behavior": "Isolated", "invert": False}
IM = ("<|im_start|>", "<|im_end|>")
NAMED = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<|endoftext|>", ".")


def byte_pairs(*specials, first=(), **stages):
    """A byte-level tokenizer.json: 256 bytes, the results of the merges, then the special tokens."""
    vocabulary = {piece: id for id, piece in enumerate([*first, *LETTERS, *(a + b for a, b in MERGES), "▁"])}
    tokens = [make_token_component(token, len(vocabulary) + number) for number, token in enumerate(specials)]
    split = sequence("pretokenizers", [THREES, byte_level() | {"use_regex": False}])
    return document(bpe(vocabulary, MERGES), tokens, **{"pre_tokenizer": split, "decoder": byte_level(), **stages})


def word_pieces():
    vocabulary = {token: id for id, token in enumerate([*NAMED, "hello", "Hello", "e", "é", "##s", "the", "1", "你"])}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary}
    whole = {**model, "max_input_chars_per_word": 100}
    return document(
        whole, [], pre_tokenizer={"type": "Whitespace"}, decoder={"type": "WordPiece", "prefix": "##", "cleanup": True}
    )


def scored_pieces():
    pieces = [[token, 0.0] for token in NAMED[:-1]]
    pieces += [[letter, -float(number)] for number, letter in enumerate("▁ehlowrd12é", 2)] + [["▁h", -4.0]]
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    model = {"type": "Unigram", "unk_id": 3, "vocab": pieces, "byte_fallback": False}
    return document(model, [], pre_tokenizer=spaces, decoder=spaces)


def folder(top, **others):
    """The files of a folder; `others` has the contents of tokenizer_config.json and others by their stems."""
    return {f"{name}.json": json.dumps(contents).encode() for name, contents in {"tokenizer": top, **others}.items()}


def encode(record, tokenizer, text):
    """The ids of a text with those around it."""
    inner = tokenizer.encode(text, special="parse").ids.tolist()
    before, after = (
        [record.info.special_tokens[token] for token in side] for side in (record.info.prefix, record.info.suffix)
    )
    return [*before, *inner, *after]


def beside(top, name="PreTrainedTokenizerFast", **more):
    """The files of a folder whose config names a class."""
    return folder(top, tokenizer_config={"tokenizer_class": name, **more})


SOUND = byte_pairs("<|endoftext|>")
BERT = {
    **word_pieces(),
    "added_tokens": [make_token_component(NAMED[id], id) for id in range(5, 10)],
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
}
GPT2 = beside(SOUND, "GPT2Tokenizer")
PROCESSOR = {"processor_class": "WhisperProcessor", "feature_size": 80}
REMOTE = {"AutoTokenizer": ["x.X", None]}
ADDED = {"content": IM[0], "special": True, **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)}


@pytest.mark.parametrize(
    ("files", "text", "expected"),
    [
        (folder(SOUND), "<|", [60, 124]),
        (beside(SOUND), "123456", [261, 263]),
        (GPT2, "123456", [264]),
        ({**GPT2, **folder(SOUND, preprocessor_config=PROCESSOR)}, "123456", [264]),
        ({**beside(SOUND), **folder(SOUND, special_tokens_map={"image_token": "<img>"})}, "<img>", [269]),
        (beside(SOUND, "LlamaTokenizerFast", auto_map=REMOTE), "123456", [267, 264]),
        ({**GPT2, "tokenizer.4.0.0.json": json.dumps(BERT).encode()}, "123456", [264]),
        ({**beside(SOUND), **folder(SOUND, vocab=SOUND["model"]["vocab"])}, "é", [195, 169]),
        ({**beside(SOUND), **folder(SOUND, vocab=SOUND["model"]["vocab"]), "merges.txt": MERGES_TXT}, "é", [195, 169]),
        (
            folder(SOUND, tokenizer_config={"pad_token": "<pad>"}, special_tokens_map={"bos_token": "<s>"}),
            "<pad><s>",
            [270, 269],
        ),
        (folder(SOUND, tokenizer_config={}, config={"model_type": "gpt2"}), "123456", [264]),
        (beside(SOUND, added_tokens_decoder={"269": ADDED}), "<|im_start|>hello", [269, 259]),
        (beside(SOUND, added_tokens_decoder={"269": {**ADDED, "lstrip": True}}), "a  <|im_start|>", [97, 269]),
        (beside(SOUND) | folder(SOUND, added_tokens={IM[1]: 280.0, IM[0]: 270.5}), "hello<|im_end|>", [259, 270]),
        (folder(SOUND, added_tokens=dict(zip(IM, (269, 270), strict=True))), "hello<|im_end|>", [259, 270]),
        (folder(SOUND, special_tokens_map={"pad_token": "<pad>"}), "a <pad>", [97, 32, 269]),
        (beside(SOUND, additional_special_tokens=["<|x|>"]), "<|x|>hello", [269, 259]),
        (beside(BERT, "BertTokenizer"), "Hello é", [7, 12, 14, 8]),
        (beside(BERT, "BertTokenizer", do_lower_case=False), "Hello é", [7, 13, 15, 8]),
        (beside(BERT, "BertTokenizer", tokenize_chinese_chars=False), "你你", [7, 6, 8]),
    ],
)
def test_a_folder_gives_the_ids_of_auto_tokenizer(files, text, expected, tmp_path):
    from transformers import AutoTokenizer

    record = record_from_files("x", files)
    assert [encode(record, LOADERS[engine](record), text) for engine in ("tokenizers", "scratch")] == [expected] * 2
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    if "tokenizer_config.json" in files:
        assert AutoTokenizer.from_pretrained(tmp_path).encode(text) == expected


def test_tokens_are_quoted_in_the_note_that_names_them():
    record = record_from_files("x", beside(SOUND) | folder(SOUND, added_tokens={" ": 280, "\n": 281}))
    assert record.info.notes[0].endswith(r"adds 2 tokens that only the files beside tokenizer.json name: ' ', '\n'.")


def test_special_tokens_that_the_config_splits_are_text(tmp_path):
    from transformers import AutoTokenizer

    files = beside(SOUND, split_special_tokens=True)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    record = record_from_files("x", files)
    expected = AutoTokenizer.from_pretrained(tmp_path).encode("<|endoftext|>hello")
    assert len(expected) == 14
    for engine in ("tokenizers", "scratch"):
        assert LOADERS[engine](record).encode("<|endoftext|>hello", special="text").ids.tolist() == expected
    assert record.info.split_special_tokens
    assert "because split_special_tokens is set" in record.info.notes[0]


BOM = b"\xef\xbb\xbf"
NO_TYPE = {name: value for name, value in ADDED.items() if name != "special"}


@pytest.mark.parametrize(
    ("damaged", "cause"),
    [
        (
            {"tokenizer_config.json": b'{"tokenizer_class":"GPT2Tok'},
            "tokenizer_config.json is damaged. The file is not JSON at line 1, column 20. It is left out here.",
        ),
        (
            {"config.json": b'{"model_type": "gpt2",}'},
            "config.json is damaged. The file is not JSON at line 1, column 23. It is left out here.",
        ),
        (
            {"special_tokens_map.json": b'["<p>"]'},
            "special_tokens_map.json is damaged. The file is not one JSON object. It is left out here.",
        ),
        (
            {"added_tokens.json": b'{"<x>": "269"}'},
            "added_tokens.json is damaged. The id of '<x>' is not a number. It is left out here.",
        ),
        *(
            ({name: b"{{ 1 }}\xff"}, f"{name} is damaged. The file is not UTF-8 at byte 7. It is left out here.")
            for name in ("chat_template.jinja", "additional_chat_templates/x.jinja")
        ),
        (
            folder(SOUND, tokenizer_config={"pad_token": 5}),
            "Special token pad_token has to be either str or AddedToken but got: <class 'int'>. The tokens are those "
            "of tokenizer.json alone.",
        ),
        (
            beside(SOUND, bos_token=NO_TYPE),
            "bos_token of tokenizer_config.json has no __type. It is read here as an AddedToken.",
        ),
        (
            beside(SOUND, "AutoTokenizer"),
            "its tokenizer_class is AutoTokenizer, which is no class. It is read here without it.",
        ),
        (
            {"tokenizer_config.json": BOM + GPT2["tokenizer_config.json"]},
            "tokenizer_config.json begins with a byte order mark. It is read here without it.",
        ),
        (
            {"tokenizer.json": BOM + json.dumps(SOUND).encode()},
            "tokenizer.json begins with a byte order mark. It is read here without it.",
        ),
    ],
)
def test_what_transformers_refuses_in_a_folder_is_said_first(damaged, cause, tmp_path):
    from transformers import AutoTokenizer

    files = {**beside(SOUND), "chat_template.jinja": b"{{ messages }}", **damaged}
    record = record_from_files("x", files)
    assert record.info.notes[0] == f"transformers refuses this folder: {cause}"
    assert encode(record, LOADERS["tokenizers"](record), "hello") == [259]
    (tmp_path / "additional_chat_templates").mkdir()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises((ValueError, OSError, TypeError, RecursionError, AttributeError)):
        AutoTokenizer.from_pretrained(tmp_path)


@pytest.mark.parametrize("name", ["special_tokens_map.json", "added_tokens.json"])
@pytest.mark.parametrize("data", [b'{"<x>": ', BOM + b"{}"])
def test_a_damaged_file_that_transformers_does_not_read_is_no_refusal(name, data, tmp_path):
    from transformers import AutoTokenizer

    files = beside(SOUND, added_tokens_decoder={"269": ADDED}) | {name: data}
    record = record_from_files("x", files)
    (note,) = [note for note in record.info.notes if note.startswith(f"{name} ")]
    assert note.endswith("does not read this file, because tokenizer_config.json has added_tokens_decoder.")
    for file, contents in files.items():
        (tmp_path / file).write_bytes(contents)
    assert AutoTokenizer.from_pretrained(tmp_path).encode("<|im_start|>hello") == [269, 259]
    assert encode(record, LOADERS["tokenizers"](record), "<|im_start|>hello") == [269, 259]


def test_a_folder_with_code_of_its_own_is_read_without_it_and_a_note_says_so():
    config = {"auto_map": REMOTE, "additional_special_tokens": ["<|x|>"]}
    record = record_from_files("x", beside(SOUND, "FooTokenizer", **config))
    assert encode(record, LOADERS["tokenizers"](record), "<|x|>hello") == [269, 259]
    assert record.info.notes[0].startswith("transformers loads this folder only with its own code (auto_map).")


def test_a_list_of_more_tokens_than_transformers_compares_in_seconds_is_refused():
    listed = [f"<{number}>" for number in range(20_001)]
    with pytest.raises(BadFile, match="additional_special_tokens lists 20,001 tokens; at most 20,000 are read"):
        record_from_files("x", beside(SOUND, additional_special_tokens=listed))


def test_an_added_token_beyond_the_largest_id_is_refused():
    far = {**SOUND, "added_tokens": [make_token_component("<x>", 2**31)]}
    with pytest.raises(BadFile, match="has an id above 9999999"):
        record_from_files("x", folder(far))


def named_pairs():
    return byte_pairs(first=(*NAMED, "<|startoftext|>", "</w>"))


CLASSES = {
    named_pairs: (
        *(
            "BartTokenizer",
            "BlenderbotTokenizer",
            "CLIPTokenizer",
            "CodeGenTokenizer",
            "CodeLlamaTokenizer",
            "LEDTokenizer",
        ),
        *(
            "CohereTokenizer",
            "DebertaTokenizer",
            "GPT2Tokenizer",
            "GPTNeoXTokenizer",
            "GemmaTokenizer",
            "HerbertTokenizer",
        ),
        *("LlamaTokenizer", "LukeTokenizer", "MvpTokenizer", "NllbTokenizer", "NougatTokenizer", "OpenAIGPTTokenizer"),
        *("Qwen2Tokenizer", "Qwen3_5Tokenizer", "ReformerTokenizer", "RobertaTokenizer", "SeamlessM4TTokenizer"),
        *("Siglip2Tokenizer", "Tipsv2Tokenizer", "WhisperTokenizer", "LlamaTokenizerFast", "PreTrainedTokenizerFast"),
    ),
    word_pieces: (
        *("BertTokenizer", "BertTokenizerFast", "DPRReaderTokenizer", "DistilBertTokenizer", "FunnelTokenizer"),
        *("LxmertTokenizer", "MPNetTokenizer", "MobileBertTokenizer", "SplinterTokenizer", "ConvBertTokenizer"),
    ),
    scored_pieces: (
        *("AlbertTokenizer", "BarthezTokenizer", "BigBirdTokenizer", "CamembertTokenizer", "DebertaV2Tokenizer"),
        *("FNetTokenizer", "MBartTokenizer", "MLukeTokenizer", "PegasusTokenizer", "RemBertTokenizer", "T5Tokenizer"),
        *("VideoPrismTokenizer", "XGLMTokenizer", "XLMRobertaTokenizer", "XLNetTokenizer"),
    ),
}
"""The classes whose tokenizers the library builds anew from a vocabulary, and a few that it does not."""
SAID = (
    "Hello é 12345 the",
    "a <mask> b  <mask>c",
    "x<s> hello</s>y",
    "  two\r\n\n你好 [MASK] [CLS]<|endoftext|>",
    "",
    "``I'll'' ▁x",
)


@pytest.mark.parametrize(("make", "name"), [(make, name) for make, names in CLASSES.items() for name in names])
def test_a_class_that_the_config_only_names_gives_its_own_tokens_and_text(make, name, tmp_path):
    from transformers import AutoTokenizer

    top = make()
    files = beside(top, name) | folder(top, preprocessor_config=PROCESSOR)
    if make is named_pairs:
        files |= {**folder(top, vocab=top["model"]["vocab"]), "merges.txt": MERGES_TXT}
    for file, data in files.items():
        (tmp_path / file).write_bytes(data)
    witness = AutoTokenizer.from_pretrained(tmp_path)
    record = record_from_files("x", files)
    for engine in record.info.engines:
        tokenizer = LOADERS[engine](record)
        for text in SAID:
            expected = witness(text)["input_ids"]
            assert encode(record, tokenizer, text) == expected, ascii(text)
            assert tokenizer.decode(expected).decode() == witness.decode(expected), ascii(text)
