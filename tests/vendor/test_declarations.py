"""The declarations that are kept are those of the package: every language, its script, its articles by number."""

import json
import unicodedata

import pytest
from tokenarium.vendor.declarations import LETTERS_OF, articles, declarations, entries, script

from tests.support.stored_files import stored

KEPT = {one["code"]: one for one in json.loads(stored("udhr/declarations.json"))}


def page(code, body):
    return f'<!doctype html>\n<html data-code="{code}" lang="x">\n<body>{body}</body></html>'.encode()


def test_every_version_of_the_package_is_kept():
    assert len(KEPT) == 532
    assert {"eng", "shn", "dzo", "mya", "hin", "ron_1953", "ron_1993", "ron_2006"} <= {*KEPT}
    assert list(KEPT) == sorted(KEPT)


def test_english_has_all_thirty_articles_and_no_preamble():
    english = KEPT["eng"]["articles"]
    assert list(english) == [str(number) for number in range(1, 31)]
    assert english["1"].splitlines()[0] == "Article 1"
    assert english["3"] == "Article 3\nEveryone has the right to life, liberty and the security of person."
    assert "Preamble" not in "".join(english.values())


def test_every_language_has_an_article_and_none_is_empty():
    for code, one in KEPT.items():
        assert one["articles"], code
        assert all(text.strip() == text != "" for text in one["articles"].values()), code


def test_what_the_package_lacks_is_absent():
    few = {code: len(one["articles"]) for code, one in KEPT.items() if len(one["articles"]) < 30}
    ones = dict.fromkeys(("khk_mong", "taj", "tgl_tglg", "tzm_tfng"), 1)
    threes = dict.fromkeys(("052", "csw", "ike", "ojb"), 23)
    nines = dict.fromkeys(("057", "059", "hlt", "kwi", "mag", "mos", "ykg"), 29)
    assert few == ones | threes | nines | {"chv": 19, "lia": 25, "pnb": 28}


def test_the_script_is_that_of_nearly_all_letters():
    for code, one in KEPT.items():
        text = "".join(one["articles"].values())
        names = ["Han", "Hiragana", "Katakana"] if one["script"] == "Japanese" else [one["script"]]
        letters = sum(char.isalpha() for char in text)
        assert sum(len(LETTERS_OF[name].findall(text)) for name in names) > 0.9 * letters, code


def test_the_direction_is_that_of_the_letters():
    for code, one in KEPT.items():
        ways = [unicodedata.bidirectional(char) for char in "".join(one["articles"].values())]
        right = ways.count("R") + ways.count("AL") > ways.count("L")
        assert one["direction"] == ("rtl" if right else "ltr"), code


def test_an_article_keeps_its_heading_and_its_lists_line_by_line():
    body = '<article data-number="29"><h2>Art. 29</h2><ol><li><p>One &amp; all.</p></li><li>Two.</li></ol></article>'
    assert articles(f"<header><p>Preamble</p></header>{body}<p>After</p>") == {29: "Art. 29\nOne & all.\nTwo."}


@pytest.mark.parametrize("mark", ["", "&1", "@", "…"])
def test_an_article_without_a_letter_below_its_heading_is_absent(mark):
    assert articles(f'<article data-number="6"><h2>Art. 6</h2><p>{mark}</p></article>') == {}


def test_the_list_of_languages_is_read_whatever_its_quotes():
    index = (
        "export const udhr = [\n  {\n    code: 'nqo',\n    name: \"N'Ko\",\n    ohchr:\n      'https://x.org/a',\n"
        "    latitude: -9.183_333\n  },\n  {\n    code: 'x',\n    stage: 4\n  }\n]\n"
    )
    assert entries(index) == [
        {"code": "nqo", "name": "N'Ko", "ohchr": "https://x.org/a", "latitude": -9.183333},
        {"code": "x", "stage": 4.0},
    ]


def test_a_package_becomes_one_line_a_language_in_the_order_of_their_codes():
    entry = "  {{\n    bcp47: '{0}',\n    code: '{0}',\n    direction: 'ltr',\n    iso6393: '{0}',\n    latitude: 1,\n"
    entry += "    longitude: 2,\n    name: 'N {0}',\n    stage: 4\n  }}"
    index = f"export const udhr = [\n{entry.format('b')},\n{entry.format('a')}\n]".encode()
    text = '<article data-number="1"><h2>1</h2><p>Все</p></article>'
    made = declarations([page("b", text), page("a", text), index, b"export const udhr: ReadonlyArray<Info>;"])
    assert made.count(b"\n") == 4
    assert [one["code"] for one in json.loads(made)] == ["a", "b"]
    first = json.loads(made)[0]
    assert first.pop("articles") == {"1": "1\nВсе"}
    names = {"code": "a", "iso6393": "a", "bcp47": "a", "name": "N a"}
    assert first == names | {"direction": "ltr", "latitude": 1.0, "longitude": 2.0, "script": "Cyrillic"}


def test_japanese_is_told_from_chinese_by_its_kana():
    assert script("すべての人間は") == "Japanese"
    assert script("カタカナ人") == "Japanese"
    assert script("人人生而自由のは" + "在尊嚴和權利上一律平等" * 3) == "Han"
