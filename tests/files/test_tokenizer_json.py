"""A tokenizer.json is read whole or refused by name: a mutant, and a chain that may make a text much longer."""

import copy
import json
import random

import pytest
import tokenizers
from tokenarium.errors import BadFile
from tokenarium.files.json_objects import serde_float
from tokenarium.files.records import record_from_files
from tokenarium.files.tokenizer_json.components import PARTS
from tokenarium.files.tokenizer_json.read import check_growth, load_tokenizer_json
from tokenarium.files.tokenizer_json.scratch import load as load_scratch
from tokenarium.files.tokenizer_json.scratch import pipeline
from tokenarium.registry import load
from tokenarium.types import TokenizerInfo

from tests.support.tokenizers_trained import KINDS, file

GOOD = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [{"id": 4, "content": "<s>", "special": True}],
    "normalizer": {"type": "Lowercase"},
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "BPE", "unk_token": "?", "vocab": {"?": 0, "a": 1, "b": 2, "ab": 3}, "merges": [["a", "b"]]},
}
UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0.0], ["a", -1.5]]}
NESTED = b'{"model":' + b"[" * 100_000


def changed(**parts):
    return json.dumps({**GOOD, **parts}).encode()


INFO = TokenizerInfo("x", "X", "other", ("scratch",), None, lossless=False)


def model(**parts):
    return changed(model={**GOOD["model"], **parts})


def test_a_good_file_is_read():
    assert pipeline(load_tokenizer_json(changed())).encode("AB<s> x") == [(3, 0, 2), (4, 2, 5), (0, 6, 7)]
    assert pipeline(load_tokenizer_json(model(merges=["a b"]))).encode("ab") == [(3, 0, 2)]
    assert load_scratch(INFO, file=load_tokenizer_json(changed())).decode([3, 4]) == b"ab <s>"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "The file is not JSON at line 1, column 1."),
        (b"[]", "The file is not one JSON object."),
        (b"\xff{}", "The file is not UTF-8 at byte 0."),
        (b'{"model": NaN}', "NaN is not a number."),
        (b'{"a": 1, "a": 2}', "The key 'a' is repeated."),
        (b'{"a": ' + b"9" * 5000 + b"}", "The file has a number of too many digits."),
        (NESTED, "The file is nested too deeply."),
        (changed(auto_map={}), "'auto_map' is not supported."),
        (
            changed(normalizer={"type": "Own"}),
            "The normalizer 'Own' is not supported. Supported: BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, "
            "NFKD, Nmt, Precompiled, Prepend, Replace, Strip, StripAccents.",
        ),
        (
            changed(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
            "The character map has 3 bytes, but declares a trie of 0 bytes.",
        ),
        (
            changed(normalizer={"type": "Precompiled", "precompiled_charsmap": "?"}),
            "The option 'precompiled_charsmap' of normalizer Precompiled is not a character map in base64.",
        ),
        (changed(normalizer={"type": "Sequence"}), "The Sequence of normalizer has no list of normalizers."),
        (changed(normalizer={"type": "NFC", "x": 1}), "The option 'x' of normalizer NFC is not supported."),
        (changed(normalizer={"type": "Prepend"}), "The option 'prepend' of normalizer Prepend is missing."),
        (
            changed(pre_tokenizer={"type": "Digits", "individual_digits": 1}),
            "The option 'individual_digits' of pre_tokenizer Digits is not true or false.",
        ),
        (
            changed(pre_tokenizer={"type": "Split", "pattern": {"Regex": r"a\K"}, "behavior": "Removed"}),
            r"The option 'pattern' of pre_tokenizer Split is not a pattern that can be read: "
            r"\K at character 2 of the pattern is not supported.",
        ),
        (
            changed(pre_tokenizer={"type": "Split", "pattern": {"Regex": "("}, "behavior": "Removed"}),
            "The option 'pattern' of pre_tokenizer Split is not a pattern that can be read: "
            "The group at character 1 of the pattern is never closed.",
        ),
        (
            changed(pre_tokenizer={"type": "Punctuation", "behavior": "removed"}),
            "The option 'behavior' of pre_tokenizer Punctuation is not one of Removed, Isolated, MergedWithPrevious, "
            "MergedWithNext, Contiguous.",
        ),
        (
            changed(
                post_processor={
                    "type": "TemplateProcessing",
                    "single": [{"Sequence": {"id": "B"}}],
                    "special_tokens": {},
                }
            ),
            "The option 'single' of post_processor TemplateProcessing is not a template of the one text A: the library "
            "panics on any other.",
        ),
        (
            changed(
                post_processor={
                    "type": "TemplateProcessing",
                    "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
                    "special_tokens": {},
                }
            ),
            "The template uses '<s>', which is not among its special tokens.",
        ),
        (
            changed(decoder={"type": "Own"}),
            "The decoder 'Own' is not supported. Supported: BPEDecoder, ByteFallback, ByteLevel, CTC, Fuse, Metaspace, "
            "Replace, Strip, WordPiece.",
        ),
        (changed(model=None), "The model 'None' is not supported. Supported: BPE, Unigram, WordLevel, WordPiece."),
        (model(x=1), "The option 'x' of the model BPE is not supported."),
        (model(fuse_unk=1), "The option 'fuse_unk' of the model BPE is not a valid bool."),
        (model(vocab={}), "The model has no vocabulary."),
        (model(vocab={"a": -1}), "The piece 'a' has an id that is not an integer from 0 to 9999999."),
        (model(vocab={"a": 2**70}), "The piece 'a' has an id that is not an integer from 0 to 9999999."),
        (model(vocab={"a": True}), "The piece 'a' has an id that is not an integer from 0 to 9999999."),
        (model(vocab={"a": 1, "b": 1}), "The pieces 'a' and 'b' have the same id 1."),
        (model(merges=[["a", "?"]]), "Merge 0 needs 'a?', which is not in the vocabulary."),
        (model(merges=["a b c"]), "Merge 0 is not a pair."),
        (model(merges={}), "The merges are not a list."),
        (changed(model={**UNIGRAM, "unk_id": 2}), "The unk_id of the model Unigram is not an entry of the vocabulary."),
        (changed(model={**UNIGRAM, "vocab": [["a"]]}), "Entry 0 of the vocabulary is not a piece with a score."),
        (
            changed(model={**UNIGRAM, "vocab": [["a", 0], ["a", 1]]}),
            "Entry 1 of the vocabulary repeats 'a' of entry 0.",
        ),
        (changed(added_tokens=[{"id": 1}]), "Added token 0 has no id or no content."),
    ],
)
def test_nonsense_is_refused_by_name(data, message):
    with pytest.raises(BadFile) as refused:
        load_tokenizer_json(data)
    assert refused.value.detail == message


VALUES = [None, True, -1, 2**70, 0.5, "", "a", [], {}, ["a", "b"], {"type": "Sequence"}, {"type": "NFC"}, [[]]]


def places(tree):
    """Every container in a tree with the keys in it."""
    if isinstance(tree, dict | list) and tree:
        keys = list(tree) if isinstance(tree, dict) else list(range(min(len(tree), 40)))
        yield tree, keys
        for key in keys[:40]:
            yield from places(tree[key])


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutant_is_refused_or_works(kind):
    source, original = random.Random(kind), json.loads(file(kind))
    for _ in range(40):
        tree = copy.deepcopy(original)
        for _ in range(source.randint(1, 2)):
            holder, keys = source.choice([*places(tree)])
            key = source.choice(keys)
            if source.random() < 0.3:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(source.choice([*VALUES, *(holder[other] for other in keys[:5])]))
        try:
            read = load_tokenizer_json(json.dumps(tree).encode())
        except BadFile:
            continue
        ids = [id for id, _, _ in pipeline(read).encode("The Zoé <s> 12345 你", add_special_tokens=True)]
        assert isinstance(load_scratch(INFO, file=read).decode(ids), bytes)


def test_a_file_cut_off_anywhere_is_refused():
    data = file("added to bert")
    for size in range(0, len(data), 211):
        with pytest.raises(BadFile):
            load_tokenizer_json(data[:size])


def literals():
    """Numbers as files spell them: short and long, with and without an exponent, near the ends of what is possible."""
    draw = random.Random(5)
    for _ in range(2_000):
        yield repr(draw.uniform(-30, 0))
        yield f"{draw.random() * 10.0 ** draw.randint(-300, 300):.{draw.randint(1, 30)}e}"
        yield f"-{draw.randint(0, 10 ** draw.randint(1, 25))}.{draw.randint(0, 10 ** draw.randint(1, 25))}"
    yield from ("0.0", "-0.0", "1e-400", "5e-324", "1.7976931348623157e308", "18446744073709551615.0")
    yield "0." + "0" * 5000 + "1"


def test_numbers_are_read_as_the_library_reads_them():
    numbers = [*literals()]
    vocabulary = ", ".join(f'["{number}", {literal}]' for number, literal in enumerate(numbers))
    file = f'{{"model": {{"type": "Unigram", "unk_id": 0, "vocab": [{vocabulary}]}}}}'
    theirs = json.loads(tokenizers.Tokenizer.from_str(file).to_str())["model"]["vocab"]
    assert [score for _, score in theirs] == [serde_float(literal) for literal in numbers]


def test_rows_of_the_same_sign_are_cut_as_the_library_cuts_them(registry):
    scratch = registry.get("t5", "scratch")
    lattice = scratch.trace("-").lattice
    pieces = {"<unk>": 0.0, "▁": -2.0122928619384766}
    for text in ("-" * 16, "=" * 16, "." * 16, "▁" + "-" * 16):
        pieces |= {text[:end]: score for end, score, _ in lattice.edges(text, 0)}
    model = {"type": "Unigram", "unk_id": 0, "vocab": [*map(list, pieces.items())]}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
    file = json.dumps({"pre_tokenizer": metaspace, "model": model}).encode()
    library = tokenizers.Tokenizer.from_str(file.decode())
    ours = load(record_from_files("rows", {"tokenizer.json": file}), "scratch")
    for length in range(1, 80):
        for sign in "-=.":
            assert ours.encode(sign * length).ids.tolist() == library.encode(sign * length).ids


def replace(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def checked(parts, stage="normalizer"):
    check_growth({"type": "Sequence", PARTS[stage]: parts}, stage)


@pytest.mark.parametrize(
    "parts",
    [
        [replace("a", "aa")] * 30,
        [replace("a", "b" * 40), replace("b", "c" * 40)],
        [replace("", "ab")] * 30,
        [replace(".", "aa", "Regex")] * 30,
        [replace("x*", "xx", "Regex")] * 30,
        [replace("ab", "abab"), {"type": "Lowercase"}] * 15,
        [replace("a", ""), replace("x", "a"), *[replace("ab", "abab")] * 12],
        [{"type": "NFKC"}, replace("م", "ﷺ")] * 5,
        [{"type": "Prepend", "prepend": "a"}, *[replace("a", "aa")] * 9, {"type": "Prepend", "prepend": "a" * 100_001}],
    ],
)
def test_chains_that_multiply_are_refused(parts):
    with pytest.raises(
        BadFile, match=r"The components of the normalizer may make a text more than 1,000 times as long"
    ):
        checked(parts)


def test_an_upload_is_refused_whatever_else_it_has():
    chain = [{**replace("a", "aa"), "unknown": 1, "normalizers": []}] * 30
    data = {"normalizer": {"type": "Sequence", "normalizers": chain}, "model": {"type": "WordLevel", "vocab": {"a": 0}}}
    with pytest.raises(BadFile, match="1,000 times as long"):
        record_from_files("mine", {"tokenizer.json": json.dumps(data).encode()})


def test_decoders_are_checked_too():
    with pytest.raises(BadFile, match="of the decoder"):
        checked([replace("a", "aa")] * 30, "decoder")


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")],
        [
            replace("``", '"'),
            {"type": "NFKD"},
            {"type": "StripAccents"},
            {"type": "Lowercase"},
            replace(" {2,}", " ", "Regex"),
        ],
        [replace(char, f"<character {ord(char)}>") for char in "\n\t\r\f\v "],
        [replace("a", "aa")] * 9,
        [{"type": "NFC"}] * 200,
        [replace("a", "b"), replace("b", "a")] * 100,
    ],
)
def test_chains_that_do_not_are_read(parts):
    checked(parts)
