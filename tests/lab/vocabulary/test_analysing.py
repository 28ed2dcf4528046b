"""The analysis of vocabularies: each witness gives its token, and no short text gives one without a witness.

Small vocabularies are searched exhaustively, with the `tokenizers`, `sentencepiece` and `tiktoken` libraries: every
text over their alphabet up to some length.
"""

import json
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenarium.files.records import record_from_files
from tokenarium.files.sentencepiece.model import ScoredPiece, SentencePieceModel, dump_model
from tokenarium.files.tiktoken.ranks import dump_ranks
from tokenarium.lab.vocabulary.analysing import AnalysisProgress, analyse, analyse_vocabulary, list_orphans
from tokenarium.lab.vocabulary.analysis import CLASSES, Analysis, Reason, hash_record, load_recorded_figures
from tokenarium.lab.vocabulary.columns import KINDS, SCRIPTS, load_columns
from tokenarium.lab.vocabulary.merges import load_merges
from tokenarium.lab.vocabulary.witness import complete_characters, divide_bytes, encode_texts
from tokenarium.registry import load
from tokenarium.settings import STORE

from tests.conftest import EVERY, TIER

ANALYSED = [id for id in EVERY if id != "words"] if TIER == "nightly" else ["udhr-unigram-16k", "bert-base-uncased"]
EXAMPLES = {"commit": 6, "nightly": 300}[TIER]
LETTERS = "abc"


def texts(alphabet, longest):
    return ["".join(text) for length in range(1, longest + 1) for text in product(alphabet, repeat=length)]


def given_by(tokenizer, alphabet, longest):
    """The ids that texts give."""
    return {id for ids in encode_texts(tokenizer, texts(alphabet, longest)) for id in ids}


def check(record, alphabet, longest):
    """Analyse a tokenizer of a library; compare with every text over an alphabet, and return the analysis."""
    tokenizer = load(record, record.info.engines[0])
    analysis = analyse_vocabulary(record, tokenizer)
    check_witnesses(tokenizer, analysis)
    seen = given_by(tokenizer, alphabet, longest)
    for id in analysis.ids.tolist():
        if analysis.get_witness(id) is None:
            reason = analysis.get_reason(id)
            assert reason is not None
            assert id not in seen, (id, tokenizer.entry(id), reason)
    return analysis


def check_witnesses(tokenizer, analysis):
    """Each witness gives its token; those of special tokens where special tokens are parsed."""
    rows = [(id, text) for id in analysis.ids.tolist() if (text := analysis.get_witness(id)) is not None]
    plain = [(id, text) for id, text in rows if analysis.get_class(id) != "special"]
    for (id, text), ids in zip(plain, encode_texts(tokenizer, [text for _, text in plain]), strict=True):
        assert id in ids, (id, text)
    for id, text in rows:
        if analysis.get_class(id) == "special":
            encodings = [tokenizer.encode(text, special=policy).ids for policy in ("parse", "text")]
            assert any(id in ids for ids in encodings), (id, text)


@st.composite
def merges(draw, alphabet=LETTERS):
    """Some merges over an alphabet, each of two tokens that are there before it."""
    tokens, pairs = [*alphabet], []
    for _ in range(draw(st.integers(1, 8))):
        pair = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if "".join(pair) not in tokens and len("".join(pair)) <= 5:
            pairs.append(pair)
            tokens.append("".join(pair))
    return pairs


ADDED = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}


def bpe(pairs, *, extra=(), pattern=None, ignore_merges=False, normalizer=None, added=()):
    """The record of a tokenizer.json with these merges, and `extra` tokens that no merge makes."""
    vocabulary = [*LETTERS, *("".join(pair) for pair in pairs)]
    vocabulary += [token for token in extra if token not in vocabulary]
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    model = {
        "type": "BPE",
        "vocab": {token: id for id, token in enumerate(vocabulary)},
        "merges": [[*p] for p in pairs],
    }
    top = {
        "added_tokens": [{"id": len(vocabulary) + at, "content": text} | ADDED for at, text in enumerate(added)],
        "normalizer": normalizer,
        "pre_tokenizer": split if pattern else None,
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": model | {"ignore_merges": ignore_merges},
    }
    return record_from_files("small", {"tokenizer.json": json.dumps(top).encode()})


@given(merges(), st.sampled_from((None, "[ab]+|c", "a+|[bc]{1,2}", "[abc](?![b])|[abc]+")), st.booleans())
@settings(max_examples=EXAMPLES)
def test_no_short_text_gives_a_token_of_bpe_without_a_witness(pairs, pattern, ignore_merges):
    extra = ("cab", "bb", "acc")
    analysis = check(bpe(pairs, extra=extra, pattern=pattern, ignore_merges=ignore_merges), LETTERS, 7)
    assert analysis.get_class(0) == "ok" or pattern


# Tries: its own text, 186 contexts, 20,000 texts over the alphabet, and each token before and behind it.
def test_a_token_that_no_merge_makes_is_an_orphan_and_occurs_only_where_whole_words_are_looked_up():
    analysis = check(bpe([("a", "b")], extra=["cab"], pattern="c?[ab]+|c"), LETTERS, 7)
    assert analysis.get_reason(4) == Reason("orphan", tried=20_197, instead=(2, 3))
    assert analysis.get_class(4) == "no text found"
    analysis = check(bpe([("a", "b")], extra=["cab"], pattern="c?[ab]+|c", ignore_merges=True), LETTERS, 7)
    assert analysis.get_witness(4) == "cab"
    assert analysis.get_reason(4) == Reason("orphan", instead=(2, 3), found=True)


def test_a_token_whose_symbols_merge_otherwise_is_named_so():
    # The last merge makes abc of ab and c, but b and c are merged before.
    analysis = check(bpe([("b", "c"), ("a", "b"), ("ab", "c")]), LETTERS, 7)
    assert analysis.get_reason(5) == Reason("merge order", tried=20_199, instead=(0, 3))


def test_a_token_that_the_pattern_divides_is_named_so():
    analysis = check(bpe([("a", "b")], pattern="a|b|c"), LETTERS, 6)
    assert analysis.get_reason(3) == Reason("pattern", tried=20_195, instead=(0, 1))


def test_a_token_that_the_normalizer_changes_is_named_so():
    record = bpe([("a", "b")], extra=["\u0301", "a\u0301", "á"], normalizer={"type": "NFC"})
    analysis = check(record, "ab\u0301", 6)
    assert analysis.get_reason(5) == Reason("normalizer", tried=20_201, instead=(6,))
    assert analysis.get_witness(6) == "á"


def test_a_token_that_has_an_added_token_in_it_is_never_given():
    analysis = check(bpe([("a", "b"), ("ab", "c")], added=["bc"], normalizer={"type": "NFC"}), LETTERS, 7)
    assert analysis.get_reason(4) == Reason("added token", tried=20_199, instead=(0, 5))
    assert (analysis.get_witness(3), analysis.get_witness(5)) == ("ab", "bc")


RANKS = {bytes([byte]): byte for byte in range(256)}
SYMBOLS = (b"a", b"b", b" ", b"\xc3", b"\xa9", b"\xc3\xa9", b"a ", b"\xa9a")


@given(st.lists(st.lists(st.sampled_from(SYMBOLS), min_size=2, max_size=3), min_size=3, max_size=14))
@settings(max_examples=max(2, EXAMPLES // 6))
def test_no_short_text_gives_a_token_of_ranks_without_a_witness_in_tiktoken(parts):
    tokens = dict.fromkeys(b"".join(part) for part in parts)
    ranks = RANKS | {token: id for id, token in enumerate([token for token in tokens if token not in RANKS], 256)}
    record = record_from_files(
        "small", {"small.tiktoken": dump_ranks(ranks)}, pattern=r" ?\p{L}+|[^\s\p{L}]+|\s+(?!\S)|\s+"
    )
    analysis = check(record, "abé ", 6)
    assert analysis.get_reason(0xFF).cause == "not UTF-8"
    assert analysis.get_class(0xFF) == "undecodable"


@given(merges())
@settings(max_examples=max(2, EXAMPLES // 6))
def test_no_short_text_gives_a_token_of_minbpe_without_a_witness(pairs):
    ids = {letter: ord(letter) for letter in LETTERS} | {"".join(pair): 256 + at for at, pair in enumerate(pairs)}
    lines = ["minbpe v1", "", "0", *(f"{ids[left]} {ids[right]}" for left, right in pairs)]
    check(record_from_files("small", {"small.model": "\n".join([*lines, ""]).encode()}), LETTERS, 6)


@given(merges("abc▁"), st.sampled_from(("bpe", "unigram")), st.randoms(use_true_random=False))
@settings(max_examples=EXAMPLES)
def test_no_short_text_gives_a_piece_without_a_witness_in_sentencepiece(pairs, algorithm, random):
    names = ["".join(pair) for pair in pairs]
    random.shuffle(names)
    pieces = [ScoredPiece("<unk>", 0.0, "unknown"), ScoredPiece("<s>", 0.0, "control")]
    pieces += [ScoredPiece(name, -1.0 - number / 2) for number, name in enumerate([*names, *"abc▁"])]
    record = record_from_files("small", {"small.model": dump_model(SentencePieceModel(tuple(pieces), algorithm))})
    analysis = check(record, "abc ", 6)
    assert (analysis.get_class(0), analysis.get_class(1)) == ("special", "special")


@given(st.sets(st.text("ab", min_size=1, max_size=3), min_size=2), st.sets(st.text("ab!", min_size=1, max_size=3)))
@settings(max_examples=EXAMPLES)
def test_no_short_text_gives_a_token_of_wordpiece_without_a_witness(words, continuations):
    pieces = ["[UNK]", *sorted(words), *(f"##{piece}" for piece in sorted(continuations))]
    options = {"unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    model = {"type": "WordPiece", "vocab": {piece: id for id, piece in enumerate(pieces)}, **options}
    top = {"pre_tokenizer": {"type": "BertPreTokenizer"}, "model": model}
    check(record_from_files("small", {"tokenizer.json": json.dumps(top).encode()}), "ab! ", 6)


@cache
def analysed(registry, id):
    """The stages of the analysis of a tokenizer of the store, and the analysis."""
    return [*analyse(registry.record(id), registry.get(id))]


@pytest.mark.parametrize("id", ANALYSED)
def test_each_witness_of_a_vocabulary_gives_its_token(registry, id):
    *stages, analysis = analysed(registry, id)
    check_witnesses(registry.get(id), analysis)
    assert all(isinstance(stage, AnalysisProgress) for stage in stages)
    shares = [stage.share for stage in stages]
    assert shares == sorted(shares)
    counted = {name: int((analysis.classes == code).sum()) for code, name in enumerate(CLASSES)}
    assert analysis.figures["classes"] == counted
    lost = [one for one in analysis.ids.tolist() if analysis.get_witness(one) is None]
    assert all(analysis.get_reason(one) for one in lost)


def test_of_the_unigram_vocabulary_only_byte_tokens_have_no_text(registry):
    *_, analysis = analysed(registry, "udhr-unigram-16k")
    causes = {one["cause"] for one in analysis.figures["causes"] if one["class"] == "no text found"}
    assert causes == {"byte fallback"}
    assert analysis.get_reason(33).detail == (  # <0x20>
        "No character that was tried falls back to this byte. No text found among 147,142 tries."
    )
    assert analysis.figures["classes"] == {
        "ok": 15787,
        "special": 0,
        "special, no text found": 1,
        "undecodable": 128,
        "no text found": 84,
    }


def test_punctuation_never_continues_a_word_of_bert(registry):
    *_, analysis = analysed(registry, "bert-base-uncased")
    assert registry.get("bert-base-uncased").entry(29612).piece == "##!"
    assert analysis.get_reason(29612).cause == "pattern"
    assert analysis.get_witness(30521) is None or "##" not in analysis.get_witness(30521)
    assert analysis.get_class(1) == "special, no text found"  # [unused0]


PUBLISHED = {"cl100k_base": 645, "qwen3": 1320}
MORE_PUBLISHED = {"o200k_base": 1434, "kimi-k2": 1044, "qwen3.5": 816}


@pytest.mark.parametrize(("id", "longer"), (PUBLISHED | (MORE_PUBLISHED if TIER == "nightly" else {})).items())
def test_as_many_tokens_are_no_utf_8_as_are_published(registry, id, longer):
    # The published numbers leave out the 128 single bytes, which every such vocabulary has.
    columns = load_columns(registry.get(id))
    fragments = (columns.characters == 0) & (columns.kinds != KINDS.index("special"))
    assert int((fragments & (columns.lengths > 1)).sum()) == longer
    assert {SCRIPTS[code] for code in columns.scripts[fragments]} == {"bytes"}
    assert int((fragments & (columns.lengths == 1)).sum()) == 128


@pytest.mark.nightly
def test_qwen_3_6_has_112_tokens_that_no_two_earlier_ones_make(registry):
    columns = load_columns(registry.get("qwen3.5"))
    orphans = list_orphans(load_merges(registry.record("qwen3.5"), columns), columns)
    assert len(orphans) == 112
    row = columns.index(99655)
    assert row in orphans
    assert columns.texts[row] == "人力资源"
    for engine in ("tiktoken", "scratch"):
        assert registry.get("qwen3.5", engine).encode("人力资源").ids.tolist() == [99655]


def test_an_analysis_is_read_as_it_was_written():
    record = bpe([("b", "c"), ("a", "b"), ("ab", "c")])
    analysis = analyse_vocabulary(record, load(record, "tokenizers"))
    again = Analysis.load(analysis.dump())
    for id in range(7):
        assert again.get_witness(id) == analysis.get_witness(id)
        assert again.get_reason(id) == analysis.get_reason(id)
    assert again.figures == analysis.figures
    assert again.get_witness(99) is again.get_reason(99) is again.get_class(99) is None
    assert np.array_equal(again.classes, analysis.classes)


@pytest.mark.parametrize("text", ["aé", "日本", "🌍!", "a\u0301b"])
def test_parts_of_characters_are_completed_to_texts_that_contain_them(text):
    data = text.encode()
    for start, end in [(i, j) for i in range(len(data)) for j in range(i + 1, len(data) + 1)]:
        part = data[start:end]
        assert divide_bytes(part) is not None
        some = [*complete_characters(part)]
        assert some
        assert all(part in one.encode() for one in some)


def test_the_figures_of_every_bundled_vocabulary_are_recorded(registry):
    infos = [info for info in registry.infos() if info.origin == "bundled" and not info.grows]
    keys = {hash_record(registry.record(info.id)): info.id for info in infos}
    assert {key: figures["id"] for key, figures in load_recorded_figures(STORE).items()} == keys


def test_only_what_an_analysis_reads_makes_it_another(registry):
    record = registry.record("mistral-v1")

    def hash_changed(**changes):
        return hash_record(replace(record, spec={**record.spec, **changes}))

    described = {"title": "Another", "models": [], "normalization": "", "notes": ["New"], "source": {}}
    assert hash_changed(**described, chat_template={}) == hash_record(record)
    read = {
        "special_tokens": {},
        "token_rules": {"<s>": ["lstrip"]},
        "files": {},
        "vocab_size": 1,
        "engines": ["scratch"],
    }
    assert len({hash_record(record), *(hash_changed(**{key: value}) for key, value in read.items())}) == 6


@pytest.mark.parametrize("id", ANALYSED)
def test_what_is_recorded_is_what_the_analysis_finds(registry, id):
    *_, analysis = analysed(registry, id)
    recorded = load_recorded_figures(STORE)[hash_record(registry.record(id))]
    assert recorded == orjson.loads(orjson.dumps(analysis.figures))
