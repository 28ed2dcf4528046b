"""What was learned is written in every format that can say it, and cuts as the tools that read it cut."""

from base64 import b64decode
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from tiktoken import Encoding
from tokenarium.errors import BadFile
from tokenarium.files.from_scratch import minbpe
from tokenarium.files.minbpe import load_minbpe
from tokenarium.files.patterns import make_readable
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.files.tiktoken.ranks import load_ranks
from tokenarium.files.tokenizer_json.read import load_tokenizer_json
from tokenarium.files.tokenizer_json.scratch import pipeline
from tokenarium.lab.train.exports import FILES
from tokenarium.lab.train.metadata import dump_learned, load_learned
from tokenarium.types import TokenizerInfo, TrainedVocab
from tokenizers import Tokenizer

from tests.support.shelves import files, refusals, tokenizer
from tests.support.strings import NASTY, TEXTS
from tests.support.vocabularies import KINDS, SPECIAL, learned

BYTE_LEVEL = ["tokenizer.json", "ranks.tiktoken", "minbpe.model"]
ODD = [
    *NASTY.values(),
    *("'ſ", "'LL 'Ve", "1234567 ١٢٣٤", "a \r\n b", " \n", "\n\n  x", "é<0x41>", "<unk>", "ẞ", "K\u212a", "<s>a</s>"),
    *("the lower newest " * 30, " ▁", "▁", "ab\u2028", "\x1f x", "\u0345"),
]
EXPECTED = {
    "bytes": BYTE_LEVEL,
    "bytes with special tokens": ["tokenizer.json", "ranks.tiktoken"],
    "bytes of a whole text": BYTE_LEVEL,
    "bytes in lower case": ["tokenizer.json"],
    "characters": ["tokenizer.json"],
    "marked": ["tokenizer.json"],
    "wordpiece": ["tokenizer.json"],
    "unigram": ["tokenizer.json", "sentencepiece.model"],
    "sentencepiece bpe with bytes": ["tokenizer.json", "sentencepiece.model"],
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_format_is_offered_where_it_can_say_what_was_learned(kind):
    assert list(files(learned(kind))) == EXPECTED[kind]
    assert {*files(learned(kind))} | {*refusals(learned(kind))} == {*FILES}
    assert all(reason.endswith(".") for reason in refusals(learned(kind)).values())


@cache
def readers(kind):
    """By name, what cuts a text into ids: each file in the libraries that read it and in our engines."""
    from transformers import PreTrainedTokenizerFast

    one, made = learned(kind), files(learned(kind))
    kept = tokenizer(one)
    found = {"kept": lambda text: kept.encode(text).ids.tolist()}
    library = Tokenizer.from_buffer(made["tokenizer.json"])
    library.encode_special_tokens = True
    fast = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_buffer(made["tokenizer.json"]))
    fast.split_special_tokens = True
    ours = pipeline(load_tokenizer_json(made["tokenizer.json"]))
    found["tokenizers"] = lambda text: library.encode(text, add_special_tokens=False).ids
    found["transformers"] = lambda text: fast.encode(text, add_special_tokens=False, split_special_tokens=True)
    found["pipeline"] = lambda text: [id for id, _, _ in ours.encode(text, specials=False)]
    if "ranks.tiktoken" in made:
        ranks = load_ranks(made["ranks.tiktoken"])
        openai = Encoding(kind, pat_str=make_readable(one.pattern), mergeable_ranks=ranks, special_tokens={})
        found["tiktoken"] = lambda text: openai.encode(text, disallowed_special=())
    if "minbpe.model" in made:
        small = minbpe(TokenizerInfo(kind, kind, "bpe", (), None, False), model=load_minbpe(made["minbpe.model"]))
        found["minbpe"] = lambda text: small.encode(text).ids.tolist()
    if "sentencepiece.model" in made:
        google = SentencePieceProcessor(model_proto=made["sentencepiece.model"])
        found["sentencepiece"] = google.encode
    return found


def ids(kind, text):
    return {name: list(cut(text)) for name, cut in readers(kind).items()}


@pytest.mark.parametrize("kind", KINDS)
def test_every_reader_gives_the_same_ids(kind):
    for text in ODD:
        found = ids(kind, text)
        assert all(one == found["kept"] for one in found.values()), (ascii(text), found)


@given(st.sampled_from([*KINDS]), TEXTS)
def test_every_reader_gives_the_same_ids_for_all_texts(kind, text):
    found = ids(kind, text)
    assert all(one == found["kept"] for one in found.values()), found


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_learned_can_be_kept_and_read_again(kind):
    one = learned(kind)
    again = load_learned(dump_learned(one))
    assert all(getattr(again, name) == getattr(one, name) for name in TrainedVocab.__dataclass_fields__)
    assert files(again) == files(one)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[1]", b'{"pieces": 1}', dump_learned(TrainedVocab("bpe", "bytes", ()))[:-9]]
)
def test_other_bytes_are_not_what_was_learned(data):
    with pytest.raises(BadFile):
        load_learned(data)


def test_special_tokens_keep_their_ids_in_every_file():
    from transformers import PreTrainedTokenizerFast

    for kind in ("bytes with special tokens", "unigram with special tokens", "sentencepiece bpe with bytes"):
        one, made = learned(kind), files(learned(kind))
        fast = PreTrainedTokenizerFast(tokenizer_object=Tokenizer.from_buffer(made["tokenizer.json"]))
        for token in SPECIAL:
            assert fast.encode(f"a{token}", add_special_tokens=False)[-1] == one.special_tokens[token]
            assert tokenizer(one).encode(token, special="parse").ids.tolist() == [one.special_tokens[token]]
            assert tokenizer(one).encode(f"a{token}").ids.tolist()[-1] != one.special_tokens[token]
    assert load_model(made["sentencepiece.model"]).pieces[one.special_tokens["<s>"]].kind == "control"


def test_byte_level_tokens_join_to_the_text():
    for kind in ("bytes", "bytes as GPT-4o", "bytes of a whole text"):
        kept = tokenizer(learned(kind))
        assert kept.info.lossless
        for text in ODD:
            assert kept.decode(kept.encode(text).ids.tolist()) == text.encode()
    assert not tokenizer(learned("bytes between spaces")).info.lossless


def test_ranks_are_not_offered_where_they_would_cut_otherwise():
    """`a` and `bc` are never merged by pairs, though `abc` is a token; ranks would merge them."""
    one = learned("bytes")
    alphabet = one.pieces[:256]
    odd = TrainedVocab("bpe", "bytes", (*alphabet, "bc", "ab", "abc"), ((98, 99), (97, 98), (257, 99)))
    assert list(files(odd)) == ["tokenizer.json", "minbpe.model"]
    reason = "By ranks alone, the token of rank 258 would be merged from other"
    assert refusals(odd)["ranks.tiktoken"].startswith(reason)
    twice = TrainedVocab("bpe", "bytes", (*alphabet, "ab", "bc", "abc"), ((97, 98), (98, 99), (256, 99), (97, 257)))
    assert list(files(twice)) == ["tokenizer.json"]
    assert tokenizer(twice).encode("abc").ids.tolist() == [258]


@pytest.mark.parametrize(
    ("changes", "name", "reason"),
    [
        ({"special_tokens": {"a b": 256}, "pieces": 257}, "minbpe.model", "A special token contains white space"),
        ({"pattern": " a|."}, "minbpe.model", "The pattern begins or ends with white space"),
        ({"pattern": r"\w+|."}, "tokenizer.json", r"\w in the pattern is read differently by other libraries."),
        ({"lowercase": True}, "ranks.tiktoken", "This format cannot store that text is lowercased first."),
        ({}, "sentencepiece.model", "SentencePiece has no pre-tokenization pattern; it writes spaces as ▁."),
    ],
)
def test_a_refusal_says_why(changes, name, reason):
    pieces = (*learned("bytes").pieces[:256], *changes.get("special_tokens", {}))
    one = TrainedVocab("bpe", "bytes", **{**changes, "pieces": pieces})
    assert refusals(one)[name].startswith(reason)


def test_a_pattern_that_others_read_otherwise_is_kept_on_the_engine_written_here():
    one = TrainedVocab("bpe", "bytes", learned("bytes").pieces[:256], pattern=r"\w+|.")
    assert tokenizer(one).info.engines == ("scratch",)
    assert tokenizer(one).encode("a\n").ids.tolist() == [97, 10]


def test_ranks_are_lines_of_base64():
    (line,) = [line for line in files(learned("bytes"))["ranks.tiktoken"].splitlines() if line.endswith(b" 97")]
    assert b64decode(line.split()[0]) == b"a"
