"""Tokenizers of every kind are read from tokenizer.json and give the library's ids, spans and texts."""

import hashlib
import random

import pytest
from tokenarium.errors import SpecialTokenRefused, UnknownId
from tokenarium.files.tokenizer_json.library import load_json
from tokenarium.files.tokenizer_json.read import load_tokenizer_json
from tokenarium.files.tokenizer_json.scratch import load, pipeline
from tokenarium.lab.conformance import same_encoding
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.types import TokenizerInfo

from tests.conftest import REPEATED
from tests.support.random_texts import texts
from tests.support.tokenizers_trained import KINDS, file, library


@pytest.mark.parametrize("specials", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_ids_and_spans_of_the_library(kind, specials):
    theirs = library(kind)
    theirs.encode_special_tokens = not specials
    ours = pipeline(load_tokenizer_json(file(kind)))
    for text in texts(9, REPEATED):
        for around in (False, True):
            found = theirs.encode(text, add_special_tokens=around)
            expected = [(id, *span) for id, span in zip(found.ids, found.offsets, strict=True)]
            assert ours.encode(text, specials=specials, add_special_tokens=around) == expected, ascii(text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_decodes_as_the_library_does(kind):
    theirs, ours = library(kind), load(info_of(kind), file=load_tokenizer_json(file(kind)))
    source = random.Random(4)
    for text in texts(2, REPEATED // 4):
        ids = theirs.encode(text).ids
        for drawn in (ids, source.choices(ids, k=5) if ids else []):
            assert ours.decode(drawn).decode(errors="replace") == theirs.decode(drawn, skip_special_tokens=False), drawn


def info_of(kind):
    theirs = library(kind)
    added = theirs.get_added_tokens_decoder()
    specials = {token.content: id for id, token in added.items() if token.special}
    size = theirs.get_vocab_size(with_added_tokens=True)
    return TokenizerInfo(kind, kind, "other", ("tokenizers", "scratch"), size, False, special_tokens=specials)


@pytest.mark.parametrize("kind", KINDS)
def test_both_adapters_give_the_same_columns_pieces_and_texts(kind):
    ours = load(info_of(kind), file=load_tokenizer_json(file(kind)))
    theirs = load_json(info_of(kind), file=file(kind))
    for number, text in enumerate(texts(6, REPEATED // 3)):
        policy = "parse" if number % 2 else "text"
        found, expected = ours.encode(text, special=policy), theirs.encode(text, special=policy)
        assert same_encoding(found, expected), ascii(text)
        assert ours.decode(found.ids.tolist()) == theirs.decode(found.ids.tolist()), ascii(text)
        assert [ours.entry(id) for id in found.ids.tolist()] == [theirs.entry(id) for id in found.ids.tolist()]
    assert ours.stages("Hello  Wörld") == theirs.stages("Hello  Wörld")
    with pytest.raises(UnknownId):
        ours.entry(10**6)


def test_a_special_token_is_refused_where_it_must_be():
    ours = load(info_of("roberta"), file=load_tokenizer_json(file("roberta")))
    with pytest.raises(SpecialTokenRefused):
        ours.encode("a</s>", special="refuse")


def test_a_folder_of_the_store_may_hold_a_tokenizer_json(tmp_path):
    folder = tmp_path / "roberta"
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes(file("roberta"))
    (folder / "tokenizer.toml").write_text(
        'id = "roberta"\ntitle = "R"\nfamily = "bpe"\nengines = ["tokenizers", "scratch"]\nvocab_size = 500\n'
        'lossless = false\n[source]\n[files."tokenizer.json"]\n'
        f'sha256 = "{hashlib.sha256(file("roberta")).hexdigest()}"\n'
    )
    registry = Registry(Settings(store=tmp_path))
    ours, theirs = registry.get("roberta", "scratch"), registry.get("roberta")
    assert (ours.engine, theirs.engine) == ("scratch", "tokenizers")
    assert same_encoding(ours.encode("Hello there"), theirs.encode("Hello there"))
