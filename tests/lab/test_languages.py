"""The atlas is what the tokenizers of the store make of the texts of the store, and no cell of it is missing."""

import pytest
from tokenarium.__main__ import main
from tokenarium.errors import Invalid
from tokenarium.lab.languages.atlas import (
    ENGLISH,
    STORED,
    Atlas,
    AtlasCell,
    AtlasColumn,
    column,
    dump_atlas,
    load_atlas,
    read_atlas,
    save,
)
from tokenarium.lab.languages.declarations import declaration, declarations, get_pinned_sha256, language
from tokenarium.lab.metrics import counts
from tokenarium.lab.tokenize import tokenize
from tokenarium.settings import Settings

from tests.conftest import EVERY, IDS
from tests.support.shelves import few_languages

STORE = Settings().store
TEXTS = declarations(STORE)
ATLAS = read_atlas(STORE)
ROWS = {row.code: place for place, row in enumerate(ATLAS.languages)}
SAMPLE = ["eng", "arb", "cmn_hans", "csw", "hin", "khk_mong", "shn", "vie", "yor"]
"""Of many scripts; `csw` lacks seven articles, `khk_mong` has only the first."""


@pytest.mark.parametrize("id", IDS)
def test_a_sample_counted_again_gives_what_is_recorded(registry, id):
    kept = next(one for one in ATLAS.columns if one.id == id)
    again = column(registry, id, [TEXTS[code] for code in SAMPLE], TEXTS[ENGLISH])
    places = [ROWS[code] for code in SAMPLE]
    for name in ("tokens", "english", "unknown"):
        assert getattr(again, name) == tuple(getattr(kept, name)[place] for place in places), name
    for name in ("title", "engine", "version", "sha256"):
        assert getattr(again, name) == getattr(kept, name), "Run tokenarium atlas"


def test_the_record_is_of_the_texts_and_tokenizers_of_the_store():
    assert ATLAS.sha256 == get_pinned_sha256(STORE)
    assert [one.id for one in ATLAS.columns] == sorted(EVERY)
    assert ATLAS.languages == tuple(map(language, TEXTS.values()))


def test_no_cell_is_missing():
    assert len(ATLAS.languages) == 532
    for one in ATLAS.columns:
        assert (len(one.tokens), len(one.english), len(one.unknown)) == (532, 532, 532)
        assert min(one.tokens) > 0
        assert min(one.english) > 0
        assert min(one.unknown) == 0


def test_the_premium_of_english_is_1_in_every_tokenizer():
    assert [ATLAS.cell(ROWS["eng"], one).premium for one in ATLAS.columns] == [1.0] * 37


def test_the_premium_is_over_the_same_articles_in_english(registry):
    whole, cree = TEXTS["eng"], TEXTS["csw"]
    assert (len(whole.articles), len(cree.articles)) == (30, 23)
    same = tokenize(registry, whole.of(cree.articles), tokenizer="cl100k_base")
    kept = next(one for one in ATLAS.columns if one.id == "cl100k_base")
    assert kept.english[ROWS["csw"]] == len(same.encoding) < kept.english[ROWS["eng"]]


def test_a_cell_is_what_the_playground_counts(registry):
    tokenization = counts(tokenize(registry, TEXTS["yor"].text, tokenizer="o200k_base"))
    cell = ATLAS.cell(ROWS["yor"], next(one for one in ATLAS.columns if one.id == "o200k_base"))
    assert (cell.tokens, cell.bytes, cell.words) == (tokenization.tokens, tokenization.bytes, tokenization.words)
    assert (cell.bytes_per_token, cell.tokens_per_word) == (tokenization.bytes_per_token, tokenization.tokens_per_word)


def test_a_byte_is_a_byte_and_a_character_a_character():
    columns = {one.id: one for one in ATLAS.columns}
    for place, row in enumerate(ATLAS.languages):
        assert columns["bytes"].tokens[place] == row.bytes, row.code
        assert columns["characters"].tokens[place] == row.characters, row.code


def test_words_are_counted_only_where_they_are_told_apart():
    unspaced = {row.script for row in ATLAS.languages if row.words is None}
    assert {"Han", "Japanese", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"} < unspaced
    assert unspaced.isdisjoint({"Latin", "Hangul", "Ethiopic", "Devanagari"})
    assert AtlasCell(tokens=10, english=5, bytes=30, words=None, unknown=0.0).tokens_per_word is None


def test_only_vocabularies_without_bytes_leave_characters_unknown_and_what_bert_does_not_read_is_told():
    unknown = {one.id for one in ATLAS.columns if any(one.unknown)}
    assert unknown == {"bert-base-uncased", "t5", "umt5", "xlm-roberta"}
    bert = next(one for one in ATLAS.columns if one.id == "bert-base-uncased")
    unread = {row.code for place, row in enumerate(ATLAS.languages) if ATLAS.cell(place, bert).unread}
    assert {"amh", "khm", "csw", "shn"} <= unread
    assert unread.isdisjoint({"eng", "fra", "tur", "rus", "ell_monotonic", "arb"})


def test_a_language_without_a_code_has_no_place():
    assert TEXTS["013"].iso == "und"
    assert TEXTS["013"].place is None
    assert TEXTS["shn"].place == pytest.approx((21.0, 98.0), abs=3)


def test_an_unknown_language_is_told_where_to_look():
    with pytest.raises(Invalid, match="/api/languages lists them") as refused:
        declaration(STORE, "klingon")
    assert refused.value.pointer == "/language"


def test_a_record_reads_back_as_it_was_written(tmp_path):
    rows = (language(TEXTS["eng"]), language(TEXTS["013"]))
    made = AtlasColumn("bytes", "Bytes", "scratch", "0", "", (9, 8), (9, 9), (0, 0))
    atlas = Atlas("ab", "1", rows, (made,))
    assert load_atlas(dump_atlas(atlas)) == atlas
    assert read_atlas(tmp_path) == Atlas("", "", (), ())


def test_a_record_is_replaced_and_read_anew(tmp_path):
    (tmp_path / "udhr").symlink_to(few_languages() / "udhr")
    zeros = (0,) * 4
    for version in ("1", "2"):
        save(tmp_path, [AtlasColumn("bytes", "Bytes", "scratch", version, "", zeros, zeros, zeros)])
        assert [one.version for one in read_atlas(tmp_path).columns] == [version]
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [STORED]


def test_the_command_counts_every_cell_and_shows_how_far_it_is(tmp_path, capsys, monkeypatch):
    for folder in ("udhr", "bytes", "characters"):
        (tmp_path / folder).symlink_to(few_languages() / folder)
    monkeypatch.setenv("TOKENARIUM_STORE", str(tmp_path))
    main(["atlas"])
    first, second, last = capsys.readouterr().out.splitlines()
    assert (first[:10], second[:10]) == ("  1 of 2  ", "  2 of 2  ")
    assert last == "4 languages, 2 tokenizers, every cell counted."
    recorded = read_atlas(few_languages()).columns
    assert read_atlas(tmp_path).columns == tuple(one for one in recorded if one.id in ("bytes", "characters"))
