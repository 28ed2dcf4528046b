"""Files of `tokenizers` with every component beside every other give the library's tokens, spans and texts."""

import json
import random
from base64 import b64encode

import pytest
from tokenarium.errors import EngineFailed, NoUnknownToken
from tokenarium.files.records import record_from_files
from tokenarium.files.tokenizer_json.library import load_json
from tokenarium.files.tokenizer_json.read import load_tokenizer_json
from tokenarium.files.tokenizer_json.scratch import load
from tokenarium.lab.conformance import same_encoding
from tokenarium.lab.text_splitter import TextSplitter, is_separable
from tokenarium.registry import load as load_record
from tokenarium.types import TokenizerInfo
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from tests.conftest import TIER
from tests.support.random_pipelines import BYTES, byte_level, dump, metaspace, random_file, random_texts, replacing
from tests.support.tokenizers_trained import charsmap

CONFIGURATIONS = {"commit": 40, "nightly": 10_000}[TIER]
WITNESSED = {"commit": 10, "nightly": 2_000}[TIER]
CLASSES = ("PreTrainedTokenizerFast", "GPT2Tokenizer", "RobertaTokenizer", "BertTokenizer", "LlamaTokenizer")
CLASSES += ("XLMRobertaTokenizer", "T5Tokenizer", "Qwen2Tokenizer", "GemmaTokenizer")
INFO = TokenizerInfo("x", "x", "other", ("tokenizers", "scratch"), 1000, False)


def both(top):
    data = dump(top)
    return load(INFO, file=load_tokenizer_json(data)), load_json(INFO, file=data)


def file(model, **parts):
    top = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder"))
    return {"version": "1.0", "added_tokens": [], **top, **parts, "model": model}


def outcome(tokenizer, text, special):
    """Return the encoding of a text, or None if the engine fails."""
    try:
        return tokenizer.encode(text, special=special)
    except (EngineFailed, NoUnknownToken):
        return None


def test_every_component_with_every_other_gives_the_tokens_spans_traces_and_text_of_the_library():
    divided = 0
    for seed in range(CONFIGURATIONS):
        source = random.Random(seed)
        top = random_file(source)
        ours, theirs = both(top)
        library = Tokenizer.from_buffer(dump(top))
        separable = is_separable(ours.file)
        for text in [*random_texts(source, 14), *("".join(random_texts(source, count)) for count in (9, 30))]:
            special = source.choice(("text", "parse"))
            place = (seed, special, ascii(text))
            found, expected = (outcome(tokenizer, text, special) for tokenizer in (ours, theirs))
            assert (found is None) == (expected is None), place
            if found is not None:
                ids = expected.ids.tolist()
                assert found.ids.tolist() == ids, place
                assert same_encoding(found, expected), place
                parts = [*TextSplitter(keeps_space=True).parts(text, size=1)] if separable else [text]
                joined = [id for part in parts for id in ours.encode(part, special=special).ids.tolist()]
                assert joined == ids, place
                divided += len(parts) > 1
                words = ours.trace(text, special=special).words
                assert [id for word in words for id, _, _ in word.segmentation.tokens] == ids, place
                texts = {one.decode(ids).decode(errors="replace") for one in (ours, theirs)}
                assert texts == {library.decode(ids, skip_special_tokens=False)}, place
    assert divided > CONFIGURATIONS // 4, "texts that were cut"


def random_folder(source):
    """A random file, and beside it a config with a class, special tokens, added tokens and their rules."""
    names = source.sample(("<s>", "</s>", "<x>", "the"), source.randrange(4))
    rules = [{name: source.random() < 0.3 for name in ("lstrip", "rstrip", "single_word", "normalized")} for _ in names]
    tokens = [
        {"content": name, "special": source.random() < 0.5, **rule} for name, rule in zip(names, rules, strict=True)
    ]
    config = {
        "tokenizer_class": source.choice(CLASSES),
        "clean_up_tokenization_spaces": False,
        **{name: "<s>" for name in ("bos_token", "pad_token") if source.random() < 0.3},
        **({"added_tokens_decoder": {str(1000 + i): token for i, token in enumerate(tokens)}} if names else {}),
        **({"do_lower_case": source.random() < 0.5} if source.random() < 0.3 else {}),
    }
    return {"tokenizer.json": dump(random_file(source)), "tokenizer_config.json": json.dumps(config).encode()}


@pytest.mark.parametrize("seed", range(WITNESSED))
def test_a_folder_gives_the_ids_and_the_text_of_transformers(seed, tmp_path):
    source = random.Random(seed)
    files = random_folder(source)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    witness = try_witness(lambda: AutoTokenizer.from_pretrained(tmp_path))
    record = record_from_files("x", files)
    if witness is None:
        assert any(note.startswith("transformers refuses this folder") for note in record.info.notes)
        return
    around = [
        [record.info.special_tokens[token] for token in side] for side in (record.info.prefix, record.info.suffix)
    ]
    for text in random_texts(source, 8):
        ids = try_witness(lambda text=text: witness.encode(text))
        for engine in record.info.engines:
            tokenizer = load_record(record, engine)
            found = outcome(tokenizer, text, "parse")
            assert (None if found is None else [*around[0], *found.ids.tolist(), *around[1]]) == ids, ascii(text)
            if ids is not None:
                assert tokenizer.decode(ids).decode(errors="replace") == witness.decode(ids), ascii(text)


def try_witness(function):
    """Return what a function returns, or None if the library fails or panics, which is no Exception."""
    try:
        return function()
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            return None
        raise


BPE = {"type": "BPE", "merges": []}
BYTE_VOCABULARY = {piece: id for id, piece in enumerate(BYTES)}


@pytest.mark.parametrize(
    ("top", "ids", "text"),
    [
        (file({**BPE, "vocab": {"Ġ": 0, "9": 1}}, pre_tokenizer=byte_level()), [0, 1], "Ġ 9"),
        (file({**BPE, "vocab": {"Ġ9": 0}}, pre_tokenizer=byte_level(), decoder={"type": "Fuse"}), [0], "Ġ9"),
        (file({**BPE, "byte_fallback": True, "vocab": BYTE_VOCABULARY}, decoder=byte_level()), [9], "<0x09>"),
        (file({**BPE, "vocab": {"Ġ9": 0, "▁": 1}}, decoder=byte_level()), [0, 1], " 9▁"),
    ],
)
def test_bytes_are_decoded_by_the_decoder_alone(top, ids, text):
    assert Tokenizer.from_buffer(dump(top)).decode(ids, skip_special_tokens=False) == text
    assert [tokenizer.decode(ids).decode() for tokenizer in both(top)] == [text, text]


def test_parts_of_a_character_are_decoded_to_their_bytes():
    top = file({**BPE, "vocab": {"ã": 0, "ģ": 1}}, pre_tokenizer=byte_level(), decoder=byte_level())
    assert [tokenizer.decode([0, 1]) for tokenizer in both(top)] == [b"\xe3\x81", b"\xe3\x81"]


UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["▁", -2.0]]}


@pytest.mark.parametrize(
    ("top", "text", "columns"),
    [
        (
            file({**UNIGRAM, "vocab": [*UNIGRAM["vocab"], *([piece, 0.0] for piece in BYTES)], "byte_fallback": True}),
            "aé",
            ([1, 198, 172], [0, 1, 2], [1, 2, 3], [0, 4, 4]),
        ),
        (
            file(UNIGRAM, post_processor=byte_level(trim_offsets=True)),
            "a\na",
            ([1, 0, 1], [0, 2, 2], [1, 2, 3], [0, 2, 0]),
        ),
        (
            file({**BPE, "vocab": {**BYTE_VOCABULARY, "▁": 256}, "byte_fallback": True}, decoder=replacing("▁", " ")),
            "é▁",
            ([195, 169, 256], [0, 0, 2], [2, 2, 5], [4, 4, 0]),
        ),
        (
            file({**BPE, "vocab": BYTE_VOCABULARY, "byte_fallback": True, "continuing_subword_prefix": "#"}),
            "ab!",
            ([97, 35, 98, 35, 33], [0, 1, 2, 3, 3], [1, 2, 3, 3, 3], [4] * 5),
        ),
        (
            file(
                {
                    **BPE,
                    "vocab": {**BYTE_VOCABULARY, "#Ġ": 256},
                    "byte_fallback": True,
                    "continuing_subword_prefix": "#",
                },
                pre_tokenizer={
                    "type": "Sequence",
                    "pretokenizers": [byte_level(use_regex=False), {"type": "Punctuation", "behavior": "Isolated"}],
                },
                post_processor=byte_level(trim_offsets=True),
            ),
            "aa !",
            ([97, 35, 97, 256, 33], [0, 1, 2, 3, 3], [1, 2, 3, 4, 4], [4, 4, 4, 0, 4]),
        ),
        (
            file(
                {**BPE, "vocab": BYTE_VOCABULARY, "byte_fallback": True, "end_of_word_suffix": "/"},
                pre_tokenizer={"type": "WhitespaceSplit"},
            ),
            "é a é",
            ([195, 169, 47, 97, 47, 195, 169, 47], [0, 0, 2, 3, 0, 5, 5, 2], [2, 2, 3, 4, 2, 7, 7, 3], [4] * 8),
        ),
        (
            file(
                {"type": "WordLevel", "vocab": {"a": 0, "<unk>": 1}, "unk_token": "<unk>"},
                added_tokens=[
                    {
                        **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False),
                        "id": 2,
                        "content": " b",
                    }
                ],
                post_processor=byte_level(trim_offsets=True),
            ),
            "x b",
            ([1, 2], [0, 2], [1, 3], [2, 0]),
        ),
        (
            file(
                {**BPE, "unk_token": "a", "vocab": {"a": 0, " ": 1}},
                normalizer={"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap("unigram")).decode()},
            ),
            "\x7fa ",
            ([0, 1], [0, 1], [1, 2], [2, 0]),
        ),
        (
            file({**BPE, "vocab": {"a": 0, "▁": 1, "b": 2}}, pre_tokenizer=metaspace("never", split=False)),
            "x a b",
            ([1, 0, 1, 2], [0, 1, 2, 3], [2, 2, 4, 4], [0] * 4),
        ),
    ],
)
def test_spans_and_flags_are_those_of_the_library_in_both_engines(top, text, columns):
    ours, theirs = (tokenizer.encode(text) for tokenizer in both(top))
    assert same_encoding(ours, theirs)
    assert tuple(getattr(theirs, name).tolist() for name in ("ids", "byte_starts", "byte_ends", "flags")) == columns
