"""Files of `tokenizers` with every component beside every other give the library's tokens, spans and texts."""

import random

import pytest
from tokenarium.adapters.from_tokenizer_json import load
from tokenarium.adapters.from_transformers import load_json
from tokenarium.adapters.segment_rules import find_boundary
from tokenarium.errors import EngineFailed, NoUnknownToken
from tokenarium.formats.tokenizer_json import load_tokenizer_json
from tokenarium.lab.conformance import same_encoding
from tokenarium.types import TokenizerInfo
from tokenizers import Tokenizer

from tests.conftest import TIER
from tests.support.random_pipelines import BYTES, byte_level, dump, random_file, random_texts, replacing

CONFIGURATIONS = {"commit": 100, "nightly": 10_000}[TIER]
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


def test_every_component_with_every_other_gives_the_ids_and_the_text_of_the_library():
    divided = 0
    for seed in range(CONFIGURATIONS):
        source = random.Random(seed)
        top = random_file(source)
        ours, theirs = both(top)
        library = Tokenizer.from_buffer(dump(top))
        divided += find_boundary(ours.file) is not None
        for text in random_texts(source, 16):
            special = source.choice(("text", "parse"))
            found, expected = (outcome(tokenizer, text, special) for tokenizer in (ours, theirs))
            assert (found is None) == (expected is None), (seed, ascii(text))
            if found is not None:
                ids = expected.ids.tolist()
                assert found.ids.tolist() == ids, (seed, ascii(text))
                texts = {one.decode(ids).decode(errors="replace") for one in (ours, theirs)}
                assert texts == {library.decode(ids, skip_special_tokens=False)}, (seed, ascii(text))
    assert divided > CONFIGURATIONS // 4


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
            file(
                {**BPE, "vocab": {**BYTE_VOCABULARY, "▁": 256}, "byte_fallback": True},
                decoder=replacing("▁", " "),
            ),
            "é▁",
            ([195, 169, 256], [0, 0, 2], [2, 2, 5], [4, 4, 0]),
        ),
    ],
)
def test_spans_and_flags_are_those_of_the_library_in_both_engines(top, text, columns):
    ours, theirs = (tokenizer.encode(text) for tokenizer in both(top))
    assert same_encoding(ours, theirs)
    assert tuple(getattr(theirs, name).tolist() for name in ("ids", "byte_starts", "byte_ends", "flags")) == columns
