"""The Steps page, its fragments and downloads, and POST /api/trace."""

import gzip
import html
import re
from base64 import b64decode
from xml.etree import ElementTree

import pytest
from tokenarium.lab.steps.examples import EXAMPLES

END_OF_SENNRICH = [["low</w>"], ["lo", "w", "est</w>"], ["new</w>"], ["wid", "est</w>"]]
FRAGMENT = {"HX-Request": "true"}
SENNRICH = {
    "branch": "learn",
    "text": "low 5\nlowest 2\nnew 6\nwidest 3",
    "table": "1",
    "unit": "marked",
    "merges": "10",
}
HELLO = {"branch": "encode", "text": "Hello, 🌍! 你好!", "tokenizer": "o200k_base"}


def run_data(answer):
    """Return key, number of frames and current step of the run on a page."""
    assert answer.status_code == 200, answer.text
    return re.search(r'data-key="(\w+)" data-total="(\d+)" data-step="(\d+)"', answer.text).groups()


def caption(text):
    paragraph = re.search(r'<p id="caption"[^>]*>(.*?)</p>', text, re.DOTALL).group(1)
    return html.unescape(re.sub(r"<[^>]+>", "", paragraph))


def rows(text):
    """Return the text of the tiles of each row on stage."""
    stage = text[text.index('id="stage"') :]
    stage = re.split('class="(?:grown|evidence)"', stage[stage.index('class="rows"') :])[0]
    return [
        [html.unescape(re.sub(r"<[^>]+>", "", tile)) for tile in re.findall(r"<b [^>]*>(.*?)</b>", row)]
        for row in re.findall(r'<div class="row".*?</div>', stage)
    ]


def test_an_address_trains_on_its_text_or_encodes_it_with_its_tokenizer(ask):
    trained = ask("GET", "/steps?text=aabacaacbacb&pattern=whole&step=1").text
    assert rows(trained) == [["a", "a", "b", "ac", "a", "ac", "b", "ac", "b"]]
    encoded = ask("GET", "/steps?text=strawberry&tokenizer=o200k_base&step=99").text
    assert rows(encoded) == [["st", "raw", "berry"]]


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.id)
def test_every_step_of_every_example_is_a_page_linked_to_the_next(ask, one):
    path, visited = f"/steps?example={one.id}&step=0", []
    while path not in visited:
        answer = ask("GET", path)
        visited.append(path)
        path = html.unescape(re.search(r'data-do="on" href="([^"]+)"', answer.text).group(1))
        assert caption(answer.text)
    assert len(visited) == int(run_data(answer)[1]) >= 3


def test_the_last_step_of_sennrichs_example_is_the_published_one(ask):
    answer = ask("GET", "/steps?example=sennrich&step=10")
    assert rows(answer.text) == END_OF_SENNRICH


def test_the_exercise_goes_where_the_published_walk_through_does_not(ask):
    assert rows(ask("GET", "/steps?example=mistake&step=1").text) == [["a", "a", "b", "ac", "a", "ac", "b", "ac", "b"]]
    assert rows(ask("GET", "/steps?example=mistake&step=2").text) == [["a", "a", "bac", "a", "ac", "bac", "b"]]


def test_a_step_beyond_the_last_shows_the_last(ask):
    assert run_data(ask("GET", "/steps?example=gage&step=999"))[2] == "2"


def test_htmx_gets_the_run_without_the_page(ask):
    answer = ask("POST", "/steps", data=HELLO, headers=FRAGMENT)
    assert "<html" not in answer.text
    assert run_data(answer)[2] == "0"


def test_without_javascript_buttons_of_the_form_change_the_step(ask):
    answer = ask("POST", "/steps", data={**SENNRICH, "step": ["0", "3"]})
    assert run_data(answer)[2] == "3"
    assert re.search(r'<button [^>]*data-do="on" form="lab" name="step" value="4"', answer.text)
    assert "low 5\nlowest 2" in answer.text


def list_steps(answer):
    return [int(step) for step in re.findall(r'<section class="frame" data-step="(\d+)"', answer.text)]


def test_steps_come_in_windows(ask):
    _, total, _ = run_data(ask("POST", "/steps", data=HELLO, headers=FRAGMENT))
    assert list_steps(ask("POST", "/steps/window", data={**HELLO, "step": "4"})) == list(range(4, int(total)))


STEPPED = [one.options.text for one in EXAMPLES if one.id in ("hello", "strawberry", "numbers", "python")]


@pytest.mark.parametrize(
    "tokenizer", ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased", "udhr-unigram-16k"]
)
@pytest.mark.parametrize("text", STEPPED, ids=["hello", "strawberry", "numbers", "python"])
def test_the_texts_of_lectures_can_be_stepped_to_the_ids_of_the_reference(ask, tokenizer, text):
    form = {"branch": "encode", "tokenizer": tokenizer, "text": text}
    _, total, _ = run_data(ask("POST", "/steps", data=form, headers=FRAGMENT))
    steps = []
    while len(steps) < int(total):
        steps += list_steps(ask("POST", "/steps/window", data={**form, "step": str(len(steps))}))
    assert steps == list(range(int(total)))
    ids = ask("POST", "/tokenize", json={"tokenizer": tokenizer, "text": text}).json()["ids"]
    assert ask("POST", "/api/trace", json=form).json()["ids"] == ids
    assert len(rows(ask("POST", "/steps", data={**form, "step": total}).text)[0]) == len(ids)


def test_a_window_is_compressed_if_the_client_accepts_gzip(ask):
    plain = ask("POST", "/steps/window", data=HELLO, headers={"Accept-Encoding": "identity"})
    small = ask("POST", "/steps/window", data=HELLO, headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.text == plain.text
    assert int(small.headers["content-length"]) == len(gzip.compress(plain.content, 6)) < len(plain.content) / 4


def test_markup_in_a_text_stays_text(ask):
    evil = "<script>alert(1)</script>\"'"
    for data in ({**HELLO, "text": evil}, {**SENNRICH, "text": evil, "table": ""}):
        for path in ("/steps", "/steps/window", "/steps/about"):
            answer = ask("POST", path, data={**data, "step": "3"})
            assert answer.status_code == 200
            assert "<script>alert" not in answer.text


def test_invisible_characters_are_shown_by_name(ask):
    answer = ask("POST", "/steps", data={**HELLO, "text": "a\u200b\u202e b\t"})
    shown = "".join("".join(row) for row in rows(answer.text))
    assert shown == "a⟨ZWSP⟩⟨RLO⟩␣b⇥"


def test_the_picture_of_a_step_is_svg_with_its_tiles(ask):
    answer = ask("POST", "/steps/download", data={**SENNRICH, "step": "10", "format": "svg"})
    assert answer.headers["content-type"] == "image/svg+xml"
    root = ElementTree.fromstring(answer.text)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text") if node.get("font-size") == "60"]
    assert texts[:4] == ["low</w>", "lo", "w", "est</w>"]
    assert texts[4:] == ["new</w>", "wid", "est</w>"]


def test_the_picture_of_a_lattice_shows_its_tokens(ask):
    form = {"branch": "encode", "tokenizer": "toy-unigram", "text": "there", "step": "7", "format": "svg"}
    root = ElementTree.fromstring(ask("POST", "/steps/download", data=form).text)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"there", "the", "re", "−3.912", "−2.526", "−2.996"} <= set(texts)
    assert len([node for node in root.iter("{http://www.w3.org/2000/svg}path") if node.get("class") == "best"]) == 1


def test_the_trace_that_is_downloaded_is_what_the_api_gives(ask):
    downloaded = ask("POST", "/steps/download", data={**HELLO, "format": "json"})
    trace = ask("POST", "/api/trace", json=HELLO)
    assert downloaded.json() == trace.json()
    assert trace.json()["ids"] == [13225, 11, 130321, 235, 0, 220, 177519, 0]


def test_the_standalone_html_has_all_steps_and_no_address(ask):
    answer = ask("POST", "/steps/download", data={**HELLO, "text": "How it was merged. " * 20, "format": "html"})
    total = int(run_data(answer)[1])
    assert len(re.findall(r"data-window=", answer.text)) == -(-total // 32)
    assert not re.findall(r'(?:src|href|action)="(?!data:)[^"]*"', answer.text)
    style = b64decode(re.search('data:text/css;base64,([^"]+)', answer.text)[1]).decode()
    assert {*re.findall(r"url\(.(.{22})", style)} == {"data:font/woff2;base64"}


def test_the_trace_of_learning_replays_to_its_end(ask):
    body = {**SENNRICH, "table": True, "merges": 10}
    trace = ask("POST", "/api/trace", json=body).json()
    symbols = [*trace["symbols"], *(merge["text"] for merge in trace["merges"])]
    merges = [(*(symbols[id] for id in merge["pair"]), merge["count"]) for merge in trace["merges"]]
    assert merges[:3] == [("w", "</w>", 11), ("l", "o", 7), ("n", "e", 6)]
    words = [word["symbols"] for word in trace["words"]]
    for merge in trace["merges"]:
        words = [replaced(word, tuple(merge["pair"]), merge["becomes"]) for word in words]
    assert [[symbols[id] for id in word] for word in words] == END_OF_SENNRICH


def replaced(word, pair, new):
    """A word with a pair merged, from the left."""
    out = []
    for id in word:
        if out and (out[-1], id) == pair:
            out[-1] = new
        else:
            out.append(id)
    return out


def test_more_merges_than_the_corpus_allows_give_a_note(ask):
    answer = ask("POST", "/steps", data={"branch": "learn", "text": "cddcdycdyc", "pattern": "whole", "merges": "100"})
    assert run_data(answer)[1] == "3"
    assert "2 of 100 merges were learned; no remaining pair occurs more than once." in answer.text


def test_an_empty_text_is_encoded_to_nothing(ask):
    assert ask("POST", "/api/trace", json={"branch": "encode", "text": ""}).json()["ids"] == []
    assert run_data(ask("POST", "/steps", data={"branch": "encode", "text": ""}))[2] == "0"


def test_one_word_of_fifty_thousand_letters_is_bounded(ask):
    text = "ab" * 25_000
    assert (
        ask("POST", "/steps", data={"branch": "encode", "text": text[:20_000], "tokenizer": "cl100k_base"}).status_code
        == 200
    )
    learned = ask("POST", "/steps", data={"branch": "learn", "text": text, "merges": "20", "step": "1"})
    assert rows(learned.text)[0][:2] == ["ab", "ab"]
    assert len(rows(learned.text)[0]) <= 100


def test_a_word_in_which_nothing_can_be_learned_has_a_button_that_encodes_it(ask):
    form = {"text": "lowest", "branch": "learn", "algorithm": "bpe", "merges": "9"}
    page = ask("POST", "/steps", data=form).text
    assert "No pair occurs twice, so there is nothing to merge." in page
    page = ask("POST", "/steps", data=form | {"encode": "o200k_base"}).text
    assert "No pair occurs twice" not in page
    assert 'name="branch" value="encode" checked' in page
    assert rows(page) == [[*"lowest"]]


def test_the_reasons_for_boundaries_wait_for_the_last_merge(ask):
    form = {"branch": "encode", "tokenizer": "o200k_base", "text": "strawberry"}
    reasons = [ask("POST", "/steps/about", data=form | {"step": step}).text.count("<li>") for step in ("2", "8", "9")]
    assert reasons == [0, 0, 3]
