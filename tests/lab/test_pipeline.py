"""The pipeline stage by stage: every component, changed or not, gives what Hugging Face's library gives."""

import json
from functools import cache
from itertools import islice, product

import pytest
from tokenarium.errors import Invalid
from tokenarium.files.records import record_from_files
from tokenarium.files.tokenizer_json.read import load_tokenizer_json
from tokenarium.lab.pipeline.changes import Changes, build_pipeline
from tokenarium.lab.pipeline.sources import source_from_json
from tokenarium.registry import load
from tokenarium.scratch.compat.pipeline.batches import Padding, Truncation, join_encodings, pad_batch
from tokenizers import PreTokenizedString, Tokenizer

from tests.conftest import TIER
from tests.support.random_texts import texts
from tests.support.tokenizers_trained import KINDS, file
from tests.support.tokenizers_trained import library as library_of

TEXTS = [
    "",
    " ",
    "Hello, world!",
    "  two  spaces ",
    "Zoe\u0301 was the ne\u0301e ﬁn Ǆ İstanbul",
    "你好 the\u200b 12345\t<mask> new new\r\n",
    "don't 3½ ٣ <s>it's</s> ▁low <0x41>",
    "e\u0301\u0323 q\u0307\u0323 가 각",
    "👩\u200d🚀 naïve caﬀè!!! ... ?",
    "h|e|<pad>|l-l o",
]
MORE = {"commit": 10, "nightly": 60}[TIER]
"""Generated texts beside these."""
REGEX = {"Regex": r"\s+|[aeiou]{2}"}
NORMALIZERS = [
    *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")),
    *({"type": "Strip", "strip_left": left, "strip_right": right} for left, right in product((True, False), repeat=2)),
    {"type": "Replace", "pattern": {"String": "the"}, "content": ""},
    {"type": "Replace", "pattern": {"String": " "}, "content": "▁▁"},
    {"type": "Replace", "pattern": REGEX, "content": "<>"},
    *({"type": "Prepend", "prepend": text} for text in ("▁", "ab c")),
    *(
        {"type": "BertNormalizer", "clean_text": a, "handle_chinese_chars": b, "strip_accents": c, "lowercase": d}
        for a, b, c, d in [(True, True, None, True), (False, True, True, False), (True, False, False, True)]
    ),
]
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
PRE_TOKENIZERS = [
    *({"type": name} for name in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts")),
    *({"type": "FixedLength", "length": length} for length in (1, 3)),
    *(
        {"type": "ByteLevel", "add_prefix_space": space, "trim_offsets": True, "use_regex": regex}
        for space, regex in product((True, False), repeat=2)
    ),
    *(
        {"type": "Metaspace", "replacement": mark, "prepend_scheme": scheme, "split": split}
        for mark, scheme, split in [("▁", "always", True), ("_", "first", True), ("▁", "never", False)]
    ),
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    *({"type": "Digits", "individual_digits": alone} for alone in (True, False)),
    {"type": "CharDelimiterSplit", "delimiter": "-"},
    *(
        {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}
        for pattern, behavior, invert in zip(
            [REGEX, {"String": " "}] * 5, BEHAVIORS * 2, [False, True, False, False, True] * 2, strict=True
        )
    ),
]
AROUND = [
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    {"type": "BertProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1]},
    {
        "type": "RobertaProcessing",
        "sep": ["</s>", 2],
        "cls": ["<s>", 1],
        "trim_offsets": True,
        "add_prefix_space": True,
    },
    {
        "type": "RobertaProcessing",
        "sep": ["</s>", 2],
        "cls": ["<s>", 1],
        "trim_offsets": False,
        "add_prefix_space": False,
    },
]


def step(name, type_id=0):
    return {"Sequence" if name in "AB" else "SpecialToken": {"id": name, "type_id": type_id}}


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [step("<s>"), step("A"), step("</s>", 1)],
    "pair": [step("<s>"), step("A"), step("</s>"), step("B", 1), step("two", 3)],
    "special_tokens": {
        "<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]},
        "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]},
        "two": {"id": "two", "ids": [2, 1], "tokens": ["</s>", "<s>"]},
    },
}
PROCESSORS = [
    *([part] for part in AROUND),
    [TEMPLATE],
    [AROUND[0], TEMPLATE],
    [TEMPLATE, AROUND[1]],
    [TEMPLATE, AROUND[0], AROUND[2]],
    [],
]
DECODERS = [
    None,
    [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}],
    [{"type": "WordPiece", "prefix": "##", "cleanup": True}],
    [{"type": "WordPiece", "prefix": "Ġ", "cleanup": False}],
    [{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}],
    [{"type": "Metaspace", "replacement": "Ġ", "prepend_scheme": "never", "split": True}],
    [{"type": "BPEDecoder", "suffix": "</w>"}],
    [{"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}],
    [{"type": "CTC", "pad_token": "l", "word_delimiter_token": "Ġ", "cleanup": False}],
    [{"type": "Replace", "pattern": {"String": "Ġ"}, "content": " "}, {"type": "Fuse"}],
    [{"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": "Ġ", "start": 1, "stop": 0}],
]


@cache
def source(kind="gpt2"):
    data = file(kind)
    return source_from_json(kind, load_tokenizer_json(data), json.loads(data))


def changed(kind="gpt2", **stages):
    return build_pipeline(source(kind), Changes(stages))[0]


def library(kind="gpt2", **stages):
    top = json.loads(file(kind))
    names = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "post_processor": "processors"}
    for stage, parts in stages.items():
        name = names.get(stage, "decoders")
        top[stage] = {"type": "Sequence", name: parts} if parts else None
    return Tokenizer.from_str(json.dumps(top))


def named(part):
    return "-".join(str(value) for value in part.values()) if isinstance(part, dict) else None


@pytest.mark.parametrize("part", NORMALIZERS, ids=named)
def test_a_normalizer_gives_the_text_of_the_library(part):
    theirs = library(normalizer=[part]).normalizer
    for text in [*TEXTS, *islice(texts(3, MORE), MORE)]:
        band = changed(normalizer=[part], pre_tokenizer=None).bands(text)
        (shown,) = [one for one in band if one.stage == "normalizer"]
        assert "".join(shown.texts) == theirs.normalize_str(text), ascii(text)
        assert all(0 <= start <= end <= len(text) for start, end in zip(shown.starts, shown.ends, strict=True))


@pytest.mark.parametrize("part", PRE_TOKENIZERS, ids=named)
@pytest.mark.parametrize("normalizer", [None, {"type": "NFKD"}], ids=named)
def test_a_pre_tokenizer_gives_the_pieces_and_spans_of_the_library(part, normalizer):
    own = [normalizer] if normalizer else []
    theirs = library(normalizer=own, pre_tokenizer=[part])
    ours = changed(normalizer=own, pre_tokenizer=[part])
    for text in [*TEXTS, *islice(texts(5, MORE), MORE)]:
        splits = PreTokenizedString(text)
        if theirs.normalizer:
            splits.normalize(theirs.normalizer.normalize)
        theirs.pre_tokenizer.pre_tokenize(splits)
        expected = [(word, *span) for word, span, _ in splits.get_splits(offset_referential="original") if word]
        (band,) = [one for one in ours.bands(text) if one.stage == "pre_tokenizer"]
        assert [*zip(band.texts, band.starts, band.ends, strict=True)] == expected, ascii(text)


def columns(one):
    """An encoding of the library, with those that overflow."""
    rows = [one.ids, one.tokens, one.type_ids, one.attention_mask, one.special_tokens_mask, one.offsets]
    return rows, [columns(part) for part in one.overflowing]


def ours_as_columns(one):
    tokens = one.tokens
    rows = [[token.id for token in tokens], [token.text for token in tokens], [token.type_id for token in tokens]]
    rows += [[int(token.attended) for token in tokens], [int(token.special) for token in tokens]]
    return [*rows, [(token.start, token.end) for token in tokens]], [ours_as_columns(part) for part in one.overflowing]


def answer_of(theirs, first, second, around):
    """The encoding of the library, None if it fails or panics."""
    try:
        return columns(theirs.encode(first, second, add_special_tokens=around))
    except BaseException as error:
        if type(error).__name__ not in ("Exception", "PanicException"):
            raise
        return None


OPTIONS = {
    "llama": [{"byte_fallback": False}, {"fuse_unk": False, "byte_fallback": False}, {"unk_token": None}],
    "gpt2": [{"ignore_merges": True}, {"unk_token": "!"}, {"end_of_word_suffix": "x"}],
    "sennrich": [{"end_of_word_suffix": None}, {"unk_token": "a", "fuse_unk": True}],
    "bert": [{"max_input_chars_per_word": 3}, {"continuing_subword_prefix": ""}, {"unk_token": "[SEP]"}],
    "unigram bytes": [{"byte_fallback": False}, {"unk_id": 5, "byte_fallback": False}],
    "words": [{"unk_token": "the"}],
}


@pytest.mark.parametrize(("kind", "options"), [(kind, one) for kind, many in OPTIONS.items() for one in many], ids=str)
def test_an_option_of_the_model_gives_the_tokens_of_the_library(kind, options):
    top = json.loads(file(kind))
    top["model"] |= options
    theirs = Tokenizer.from_str(json.dumps(top))
    ours = build_pipeline(source(kind), Changes(options=options))[0]
    for text in [*TEXTS, *islice(texts(8, MORE), MORE)]:
        found = theirs.encode(text, add_special_tokens=False)
        band = ours.bands(text)[-1]
        expected = [(id, *span) for id, span in zip(found.ids, found.offsets, strict=True)]
        assert [*zip(band.ids, band.starts, band.ends, strict=True)] == expected, ascii(text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("specials", [True, False])
def test_every_kind_has_the_tokens_of_the_library_with_its_own_components(kind, specials):
    theirs, ours = library_of(kind), source(kind).pipeline
    theirs.encode_special_tokens = not specials
    for text in [*TEXTS, *islice(texts(2, MORE), MORE)]:
        (state,) = ours.post_process([ours.bands(text, specials=specials)[-1]])[-1:]
        assert ours_as_columns(join_encodings(state)) == columns(theirs.encode(text)), ascii(text)


PAIR = ("Hello  the new low world, it was lower.", "  newest <s>widest lower")


@pytest.mark.parametrize("parts", PROCESSORS, ids=lambda parts: "+".join(part["type"] for part in parts) or "none")
@pytest.mark.parametrize("around", [True, False])
def test_a_post_processor_gives_the_encoding_of_the_library_for_one_text_and_two(parts, around):
    theirs, ours = library("roberta", post_processor=parts), changed("roberta", post_processor=parts)
    truncations = [
        None,
        *(
            Truncation(length, stride, strategy, side)
            for length, stride, strategy, side in product(
                (7, 10), (0, 2), ("longest_first", "only_first", "only_second"), ("left", "right")
            )
        ),
    ]
    for first, second in [(PAIR[0], None), PAIR, PAIR[::-1], (PAIR[0], "a"), ("", "")]:
        for options in truncations:
            if options:
                settings = {"max_length": options.max_length, "stride": options.stride}
                theirs.enable_truncation(**settings, strategy=options.strategy, direction=options.direction)
            else:
                theirs.no_truncation()
            bands = [ours.bands(text)[-1] for text in (first, second) if text is not None]
            expected = answer_of(theirs, first, second, around)
            special = sum(one.count_added_tokens(second is not None) for one in ours.processors) if around else 0
            if options and options.max_length < special:
                expected = None  # the library then truncates nothing
            if expected is None:
                with pytest.raises(Invalid):
                    ours.post_process(bands, truncation=options, add_special_tokens=around)
                continue
            state = ours.post_process(bands, truncation=options, add_special_tokens=around)[-1]
            assert ours_as_columns(join_encodings(state)) == expected, (first, second, options)


@pytest.mark.parametrize(
    "options",
    [
        Padding(),
        Padding(length=12, direction="left", pad_id=2, pad_type_id=1, pad_token="</s>"),
        Padding(pad_to_multiple_of=8),
        Padding(length=3, pad_to_multiple_of=4, direction="left"),
    ],
    ids=str,
)
def test_padding_gives_the_batch_of_the_library(options):
    theirs, ours = library("roberta"), changed("roberta")
    theirs.enable_truncation(9, stride=1)
    settings = {"pad_id": options.pad_id, "pad_type_id": options.pad_type_id, "pad_token": options.pad_token}
    multiple = options.pad_to_multiple_of
    theirs.enable_padding(direction=options.direction, length=options.length, pad_to_multiple_of=multiple, **settings)
    batch = [*TEXTS, *PAIR]
    expected = [columns(one) for one in theirs.encode_batch(batch)]
    cut = Truncation(9, 1)
    found = [join_encodings(ours.post_process([ours.bands(text)[-1]], truncation=cut)[-1]) for text in batch]
    assert [ours_as_columns(one) for one in pad_batch(found, options)] == expected


def test_truncation_and_padding_of_a_file_are_switched_off_and_can_be_said_again():
    from transformers import PreTrainedTokenizerFast

    cut = {"direction": "Right", "max_length": 7, "strategy": "LongestFirst", "stride": 2}
    filled = {"strategy": "BatchLongest", "direction": "Left", "pad_to_multiple_of": 4}
    filled |= {"pad_id": 1, "pad_type_id": 0, "pad_token": "</s>"}
    plain = file("roberta")
    data = json.dumps({**json.loads(plain), "truncation": cut, "padding": filled}).encode()
    made = record_from_files("x", {"tokenizer.json": data})
    assert made.info.notes == ("Truncation to 7 tokens is switched off.", "Padding is switched off.")
    batch = [*TEXTS, *PAIR]
    for engine in made.info.engines:
        tokenizer = load(made, engine)
        ids = [tokenizer.encode(text, special="parse").ids.tolist() for text in batch]
        assert ids == [Tokenizer.from_buffer(plain).encode(text, add_special_tokens=False).ids for text in batch]
    ours = source("roberta").pipeline
    library = Tokenizer.from_buffer(data)
    fill = Padding(pad_to_multiple_of=4, direction="left", pad_id=1, pad_token="</s>")

    def run(length):
        cut = Truncation(length, 2)
        found = [join_encodings(ours.post_process([ours.bands(text)[-1]], truncation=cut)[-1]) for text in batch]
        return pad_batch(found, fill)

    assert [ours_as_columns(one) for one in run(7)] == [columns(one) for one in library.encode_batch(batch)]
    witness = PreTrainedTokenizerFast(tokenizer_object=library, pad_token="</s>", padding_side="left")
    options = {"stride": 2, "truncation": True, "padding": True, "pad_to_multiple_of": 4}
    with pytest.raises(ValueError, match="not a multiple of pad_to_multiple_of"):
        witness(batch, max_length=7, **options)
    flat = [[token.id for token in one.tokens] for text in run(8) for one in (text, *text.overflowing)]
    assert flat == witness(batch, max_length=8, return_overflowing_tokens=True, **options)["input_ids"]


@pytest.mark.parametrize("parts", DECODERS, ids=lambda parts: "+".join(part["type"] for part in parts or ()) or "none")
@pytest.mark.parametrize("kind", ["gpt2", "bert", "unigram", "llama"])
def test_a_decoder_gives_the_text_of_the_library(kind, parts):
    theirs, ours = library(kind, decoder=parts), changed(kind, decoder=parts)
    for text in TEXTS:
        (found,) = ours.post_process([ours.bands(text)[-1]])[0]
        decoded = ours.decode(found.tokens, skip_special=False)
        assert decoded == theirs.decode([token.id for token in found.tokens], skip_special_tokens=False)
        bands = ours.decode_bands(found.tokens, text, skip_special=False)
        assert ["".join(band.texts) for band in bands[-1:]] == [decoded], ascii(text)
