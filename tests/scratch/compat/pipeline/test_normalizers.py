"""Every code point is normalized and split as the tokenizers library does it."""

import random
import unicodedata

import pytest
from tokenarium.scratch.compat.aligned import AlignedText
from tokenarium.scratch.compat.pipeline.normalizers import FORMS, BertNormalizer, Lowercase, Strip, StripAccents
from tokenarium.scratch.compat.pipeline.pre_tokenizers import BertPreTokenizer
from tokenizers import normalizers, pre_tokenizers

from tests.support.code_points import CODE_POINTS

BERT_OFF = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}


def bert(option):
    on = {**BERT_OFF, option: True}
    return BertNormalizer(**on).normalize, normalizers.BertNormalizer(**on)


NORMALIZERS = {
    "clean": bert("clean_text"),
    "cjk": bert("handle_chinese_chars"),
    "accents": bert("strip_accents"),
    "lowercase": (Lowercase().normalize, normalizers.Lowercase()),
    "marks": (StripAccents().normalize, normalizers.StripAccents()),
    "strip": (Strip().normalize, normalizers.Strip()),
    **{form: (FORMS[form].normalize, getattr(normalizers, form)()) for form in FORMS},
}


@pytest.mark.parametrize("name", NORMALIZERS)
def test_every_code_point_is_normalized_as_the_library_does_it(name):
    ours, theirs = NORMALIZERS[name]
    differing = [char for char in CODE_POINTS if ours(AlignedText.of(char)).text != theirs.normalize_str(char)]
    assert differing == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_every_code_point_is_ordered_and_composed_as_the_library_does_it(form):
    ours, theirs = NORMALIZERS[form]
    marks = [char for char in CODE_POINTS if ord(char) < 0x20000]  # there are none in the planes behind
    for before, after in (("\u0345", ""), ("", "\u0334"), ("", "\u0308")):
        lines = "\n".join(before + char + after for char in marks)
        pairs = zip(ours(AlignedText.of(lines)).text.split("\n"), theirs.normalize_str(lines).split("\n"), strict=True)
        assert [found for found, expected in pairs if found != expected] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_long_text_has_the_spans_of_its_lines(form):
    drawn = random.Random(1)
    marks = [char for char in CODE_POINTS if unicodedata.category(char)[0] == "M" or "\u1100" <= char <= "\u11ff"]
    alike = [char for char in CODE_POINTS if not unicodedata.is_normalized("NFKD", char)]
    marks, alike = drawn.sample(marks, 50), drawn.sample(alike, 50)
    lines = ["".join(drawn.choice(drawn.choice([marks, alike, "aeé"])) for _ in range(9)) + "\n" for _ in range(900)]
    long = FORMS[form].normalize(AlignedText.of("".join(lines)))
    short = [FORMS[form].normalize(AlignedText.of(line, at=10 * place)) for place, line in enumerate(lines)]
    assert long.text == "".join(one.text for one in short)
    assert [*long.starts] == [start for one in short for start in one.starts]
    assert [*long.ends] == [end for one in short for end in one.ends]


def test_every_code_point_is_split_as_the_library_splits_it():
    library = pre_tokenizers.BertPreTokenizer()
    words = BertPreTokenizer().pre_tokenize
    for char in CODE_POINTS:
        ours = [(word.text, word.span(0, len(word))) for word in words(AlignedText.of(f"a{char}b"))]
        assert ours == library.pre_tokenize_str(f"a{char}b"), hex(ord(char))


def test_python_itself_knows_no_more_of_unicode_than_the_tables_were_made_for():
    assert tuple(map(int, unicodedata.unidata_version.split("."))) <= (17, 0, 0)
