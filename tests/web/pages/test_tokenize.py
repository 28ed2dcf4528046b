"""The playground as HTML: what is pasted comes back unchanged, with and without htmx, whole and in parts."""

import csv
import html
import io
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.examples import EXAMPLES
from tokenarium.lab.tokenization_view import TokenizationView
from tokenarium.lab.tokenize import tokenize
from tokenarium.serialize.templates import templates
from tokenarium.web.pages.tokenize import TokenizeParams

from tests.conftest import EVERY, IDS, UNLIKE
from tests.support.strings import NASTY, TEXTS

HTMX = {"HX-Request": "true"}
REGION = re.compile(r'<div class="text[^"]*" dir="auto">(.*?)</div>', re.DOTALL)
NUL = re.compile(r'<bdi[^>]*data-code="0" data-times="(\d+)"></bdi>')


def stripped(page):
    """The text regions of a page, without their tags."""
    regions = "".join(REGION.findall(page)).replace("\ue000", "\ue001")
    return html.unescape(re.sub(r"<[^>]*>", "", NUL.sub(lambda chip: "\ue000" * int(chip[1]), regions)))


def seen(text):
    """A text as `stripped` gives it: U+0000, which HTML cannot hold, stands as a chip of its own."""
    return text.replace("\ue000", "\ue001").replace("\0", "\ue000")


def fragment(registry, text, id, **options):
    done = tokenize(registry, text, tokenizer=id, **options)
    shown = {"views": ("text", "ids", "bytes"), "view": TokenizationView(done), "examples": EXAMPLES}
    return templates.get_template("tokenize/_fragment.html").render(params=TokenizeParams(text=text), path="/", **shown)


@pytest.mark.parametrize("id", UNLIKE)
def test_stripping_the_tags_gives_back_nasty_strings(registry, id):
    for name, text in NASTY.items():
        assert stripped(fragment(registry, text, id)) == seen(text), name
        assert stripped(fragment(registry, text * 60, id, add_special_tokens=True)) == seen(text * 60), name


@given(TEXTS, st.sampled_from(IDS))
def test_stripping_the_tags_gives_back_the_text(registry, text, id):
    assert stripped(fragment(registry, text, id)) == seen(text)


def test_one_space_before_a_word_has_no_element_of_its_own(registry):
    page = fragment(registry, "Hello world     !", "o200k_base")
    assert re.findall(
        r'<span class="tok \w+( spaced)?(?: unbroken)?" data-i="\d+"[^>]*>(<span class="sp">)?( +)', page
    ) == [
        (" spaced", "", " "),
        ("", '<span class="sp">', "    "),
        (" spaced", "", " "),
    ]


def test_beside_letters_from_the_right_each_space_is_marked_where_it_stands(registry):
    page = fragment(registry, "one שלום עולם", "o200k_base")
    assert re.findall(r'<span class="tok \w+( spaced)?( unbroken)?" data-i="\d+">(<span class="sp"> )?', page) == [
        ("", "", ""),
        ("", " unbroken", '<span class="sp"> '),
        ("", " unbroken", '<span class="sp"> '),
    ]


@pytest.mark.parametrize("id", IDS)
def test_every_token_is_on_the_page_once_in_each_view(registry, id):
    page = fragment(registry, "Hello, 🌍! 你好!\n e\u0301 नमस्ते", id)
    ids = re.findall(r'<span class="id t\d[ a-z]*" data-i="(\d+)"[^>]*>', page)
    assert (
        re.findall(r'<span class="by t\d[ a-z]*" data-i="(\d+)"[^>]*>', page) == ids == list(map(str, range(len(ids))))
    )
    assert sorted(map(int, re.findall(r'<span class="tok [^>]*data-i="(\d+)"', page))) == list(range(len(ids)))


def test_a_window_knows_the_id_of_each_token_and_how_often_it_occurs(registry):
    assert 'data-ids="64 275 275 38251" data-times="1 2 2 1"' in fragment(registry, "a b b é", "gpt2")


def test_a_token_that_is_not_its_text_says_its_piece_and_bytes(registry):
    page = fragment(registry, "É 🌍", "bert-base-uncased")
    assert 'data-piece="e" data-hex="65"' in page
    assert 'data-label="8D" data-hex="8D"' in fragment(registry, "🌍", "gpt2")


def test_a_token_has_the_same_colour_wherever_it_stands_and_neighbours_differ(registry):
    page = fragment(registry, "x the cat, the dog, the bird, the cat", "o200k_base")
    tokens = re.findall(r'<span class="tok (t\d)[^"]*" data-i="\d+">([^<]*)</span>', page)
    assert {colour for colour, text in tokens if text == " the"} == {"t7"}
    assert all(one[0] != other[0] for one, other in pairwise(tokens))


def test_code_is_shown_in_letters_of_one_width(registry):
    assert '<section class="window cut code"' in fragment(registry, "def f(x):\n    return x\n", "gpt2")
    assert '<section class="window cut"' in fragment(registry, "Dear Ann,\n\nhow are you?\nBob\n", "gpt2")


def test_whitespace_is_visible_unless_a_form_or_an_address_says_otherwise(ask):
    box = r'<input type="checkbox" form="lab" id="spaces" name="spaces" value="1"( checked)?>'
    seen = [
        re.search(box, ask(method, path, **sent).text)[1]
        for method, path, sent in (
            ("GET", "/", {}),
            ("GET", "/?text=a", {}),
            ("GET", "/?text=a&spaces=0", {}),
            ("POST", "/", {"data": {"text": "a"}}),
            ("POST", "/", {"data": {"text": "a", "spaces": "1"}}),
        )
    ]
    assert seen == [" checked", " checked", None, None, " checked"]


def test_the_table_of_models_has_a_row_for_each_with_its_count(ask):
    rows = ask("POST", "/models", data={"text": "Hello, 🌍! 你好!"}).text
    names = re.findall(r'data-model="([^"]+)"', rows)
    assert names == ["GPT-5", "Claude Sonnet 5", "Gemini 3.1", "Llama 4", "Mistral NeMo", "DeepSeek V4", "Qwen3.5"]
    tokenizers = re.findall(r'data-tokenizer="([^"]+)"', rows)
    assert tokenizers == ["o200k_base", "gemma4", "tekken", "deepseek-v3", "qwen3.5"]
    assert '<td class="model-tokens">8</td>' in rows
    assert "~ 9–15" in rows
    assert 'data-low="9" data-high="15"' in rows
    assert 'data-download="llama-4">Download<span class="hidden"> Llama 4</span> (6.6 MB)</a>' in rows
    chosen = ask("POST", "/models", data={"text": "Hello", "models": "gpt-4o qwen3"}).text
    assert re.findall(r'data-model="([^"]+)"', chosen) == ["GPT-4o", "Qwen3"]
    assert (
        re.findall(r'<td class="model-tokens">(\d+)</td>', ask("POST", "/models", data={"text": ""}).text) == ["0"] * 6
    )


@pytest.mark.parametrize(("special", "count"), [("text", "7"), ("parse", "1"), ("refuse", "")])
def test_the_table_of_models_treats_special_tokens_as_the_text_does(ask, special, count):
    data = {"text": "<|endoftext|>", "models": "gpt-5", "special": special}
    rows = ask("POST", "/models", data=data).text
    assert "".join(re.findall(r'<td class="model-tokens">(\d+)</td>', rows)) == count
    assert ("not counted</td>" in rows) == (special == "refuse")


def test_no_page_shows_a_replacement_character(ask):
    for id in IDS:
        page = ask(
            "POST", "/", files={"text": (None, NASTY["globe"])}, data={"tokenizer": id, "view": ["text", "table"]}
        )
        assert "\ufffd" not in page.text


def test_the_first_page_shows_the_globe_as_one_cell_of_two_among_eight_tokens(ask):
    page = ask("GET", "/").text
    assert '<dd data-count="tokens">8</dd>' in page
    assert re.findall(r'data-label="([^"]+)"', page) == ["20 F0 9F 8C", "8D"]
    page = ask("GET", "/?view=ids&text=Hello%2C+%F0%9F%8C%8D!+%E4%BD%A0%E5%A5%BD!").text
    ids = re.findall(r'<span class="id t\d" data-i="\d"[^>]*>(\d+)</span>', page)
    assert ids == ["13225", "11", "130321", "235", "0", "220", "177519", "0"]


def test_htmx_gets_the_fragment_of_the_same_page(ask):
    whole = ask("POST", "/", data={"tokenizer": "gpt2", "text": "a b"})
    part = ask("POST", "/", data={"tokenizer": "gpt2", "text": "a b"}, headers=HTMX)
    assert "<html" in whole.text
    assert "<html" not in part.text
    tokens, counts = part.text.split('<hx-partial hx-target="#summary" hx-swap="innerHTML">')
    assert tokens.strip() in whole.text
    assert counts.removesuffix("</hx-partial>").strip() in whole.text
    assert part.headers["vary"] == whole.headers["vary"] == "HX-Request"


def test_a_leading_newline_survives_the_text_box(ask):
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": "\r\nfirst"}).text
    assert ">\n\nfirst</textarea>" in page


def test_a_file_is_kept_byte_for_byte_and_its_name_is_escaped(ask):
    file = ("<b>.txt", "\ufeffa\r\nb\rc\0".encode())
    page = ask("POST", "/", data={"tokenizer": "bytes"}, files={"file": file}).text
    assert stripped(page) == seen("\ufeffa\r\nb\rc\0")
    assert "<bdi>&lt;b&gt;.txt</bdi>" in page


def test_a_file_that_is_no_utf8_is_an_alert(ask):
    answer = ask("POST", "/", data={"tokenizer": "bytes"}, files={"file": ("a.txt", b"\xff")}, headers=HTMX)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.id)
def test_an_example_is_a_plain_button(ask, one):
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": "other", "example": one.id}).text
    assert stripped(page) == one.text
    assert f">\n{html.escape(one.text)}</textarea>" in page.replace("&#34;", "&quot;").replace("&#39;", "&#x27;")


def test_the_policy_for_special_tokens_can_be_seen_and_switched(ask):
    form = {"tokenizer": "gpt2", "text": "a<|endoftext|>", "view": "ids"}
    assert ">50256<" not in ask("POST", "/", data=form).text
    assert ">50256<" in ask("POST", "/", data={**form, "special": "parse"}).text


@pytest.mark.parametrize(("path", "kinds"), [("/", 3), ("/chat", 2), ("/pipeline", 2)])
def test_special_tokens_are_treated_by_one_control_in_the_same_words(ask, path, kinds):
    (control,) = re.findall(
        r"<legend>Special tokens in the \w+</legend>(.*?)</fieldset>", ask("GET", path).text, re.DOTALL
    )
    assert re.findall(r'<span class="side">([^<]+)</span>', control) == ["treat as text", "recognize", "reject"][:kinds]


def test_an_engine_that_a_tokenizer_lacks_is_its_reference(ask):
    page = ask("POST", "/", data={"tokenizer": "bert-base-uncased", "text": "a", "engine": "tiktoken"}).text
    assert "<strong>all-MiniLM-L6-v2 · bert-base-uncased</strong> · computed with tokenizers" in page
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": "a", "engine": "scratch"}).text
    assert "computed from scratch (Python)" in page


def test_the_marks_around_a_text_are_added_on_demand(ask):
    page = ask("POST", "/", data={"tokenizer": "bert-base-uncased", "text": "a", "template": "1"}).text
    assert re.findall(r'class="tok inserted[^>]*data-label="([^"]+)"', page) == ["[CLS]", "[SEP]"]


def test_a_growing_vocabulary_says_so(ask):
    page = ask("POST", "/", data={"tokenizer": "words", "text": "a b a"}).text
    assert "vocabulary grew to 3 words with this text" in page


def test_nothing_pasted_is_an_invitation(ask):
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": ""}).text
    assert 'class="empty"' in page
    assert '<dd data-count="tokens">0</dd>' in page
    assert '<dd data-count="bytes-per-token">–</dd>' in page


LONG = "Some words again. " * 800


def test_a_long_text_is_shown_in_windows_whose_text_is_all_there(ask):
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": LONG}, headers=HTMX).text
    assert len(re.findall(r'class="window cut"', page)) == 1
    assert len(re.findall(r'class="window wait"', page)) == 3
    assert stripped(page) == LONG


def test_another_window_can_be_opened_without_javascript(ask):
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": LONG, "window": "2"}).text
    assert re.findall(r'class="window cut" data-slide="tokens" data-n="(\d)"', page) == ["2"]
    assert ask("POST", "/", data={"tokenizer": "gpt2", "text": LONG, "window": "99999"}).status_code == 200


def test_details_can_be_opened_without_javascript(ask):
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": LONG, "token": "2500"}).text
    assert re.findall(r'class="window cut" data-slide="tokens" data-n="(\d)"', page) == ["2"]
    assert '<div class="card" data-token="2500">' in page


def test_a_window_is_asked_for_with_the_form(ask):
    form = {"tokenizer": "gpt2", "text": LONG, "window": "1", "view": "text"}
    part = ask("POST", "/window", data=form, headers=HTMX)
    assert part.status_code == 200
    assert part.text.startswith('<section class="window cut" data-slide="tokens" data-n="1"')
    assert stripped(part.text) in LONG


def test_details_say_everything(ask):
    card = ask("POST", "/token", data={"tokenizer": "gpt2", "text": "a 🌍 🌍", "token": "1"}, headers=HTMX).text
    for fact in ("of 50,257", "normal", "20 F0 9F", "1–4", "1–3", "U+0020 U+1F30D", "1 other occurrence"):
        assert fact in card, fact


def test_a_download_is_csv_after_the_rfc(ask):
    text = 'a,"b"\n🌍\r'
    answer = ask(
        "POST", "/download", data={"tokenizer": "bytes", "format": "csv"}, files={"file": ("f", text.encode())}
    )
    assert answer.headers["content-disposition"] == 'attachment; filename="tokens.csv"'
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert ",".join(rows[0]) == "index,id,piece,bytes_hex,byte_start,byte_end,char_start,char_end,kind"
    assert bytes.fromhex("".join(row["bytes_hex"] for row in rows)) == text.encode()
    assert [int(row["id"]) for row in rows] == list(text.encode())


def test_a_download_is_the_json_of_the_api(ask):
    answer = ask("POST", "/download", data={"tokenizer": "gpt2", "text": "a b", "format": "json"})
    assert answer.headers["content-disposition"] == 'attachment; filename="tokens.json"'
    assert answer.json() == ask("POST", "/tokenize", json={"tokenizer": "gpt2", "text": "a b"}).json()


def test_the_picker_offers_every_tokenizer_with_its_size(ask):
    page = ask("GET", "/").text
    assert sorted({*re.findall(r'<option value="([^"]+)"', page)}) == sorted(EVERY)
    assert "200,000 tokens" in page
    assert "grows with the text" in page


def test_a_page_has_no_inline_style_or_script(ask):
    page = ask(
        "POST", "/", data={"tokenizer": "gpt2", "text": NASTY["markup"], "view": ["text", "ids", "bytes", "table"]}
    ).text
    assert not re.search(r"<[^>]+\s(style|on\w+)=", page)
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    assert "<style" not in page
