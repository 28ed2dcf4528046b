"""The lecture: without JavaScript the ready one as links; with it the pages to add, and the scenes of a handout."""

import html
import re

from tokenarium.lab.learn.course import SCENES
from tokenarium.lab.lecture import READY

from tests.conftest import Ask


def test_the_ready_lecture_is_a_list_of_links_with_notes(ask: Ask):
    page = ask("GET", "/lecture").text
    links = re.findall(r'<li data-minutes="(\d+)"><a href="([^"]+)">([^<]+)</a>', page)
    assert [tuple(map(html.unescape, link)) for link in links] == [
        (str(item.minutes), item.address, item.title) for item in READY.items
    ]
    assert "needs JavaScript" in page
    assert 'id="builder" class="js"' in page


def test_every_scene_can_be_added(ask: Ask):
    page = ask("GET", "/lecture").text
    assert [value for value in re.findall(r'<option value="/learn/([\w-]+)">', page) if "glossary" not in value][
        : len(SCENES)
    ] == [scene.id for scene in SCENES]


def test_a_slide_and_a_handout_say_what_they_need(ask: Ask):
    assert "Its text is kept in the browser that wrote it" in ask("GET", "/lecture/slide").text
    assert "The handout of a lecture is made by JavaScript" in ask("GET", "/lecture/handout").text


def test_the_search_finds_it(ask: Ask):
    assert 'href="/lecture"' in ask("GET", "/search?q=lecture").text


def test_pages_that_show_a_text_are_added_to_a_lecture(ask: Ask):
    for path in ("/", "/steps", "/pipeline", "/compare", "/chat", "/regex", "/learn/bpe"):
        page = ask("GET", path).text
        assert page.count("data-lecture") == 1, path


def sections(ask: Ask, *items: dict[str, object]) -> list[str]:
    answer = ask("POST", "/lecture/handout", json=list(items))
    assert answer.status_code == 200
    return re.findall(r"<section>\s*(.*?)\s*</section>", answer.text, re.DOTALL)


def test_a_handout_has_four_steps_of_a_scene_with_the_text_of_its_address_or_one_alone_and_no_other_page(ask: Ask):
    whole, alone, other = sections(
        ask,
        {"address": "/learn/learn-bpe?text=abab"},
        {"address": "/learn/bpe?text=seaside&step=2", "alone": True},
        {"address": "/steps?text=seaside"},
    )
    assert re.findall('<img alt="[^"]+: (question|step [0-9]+ of)', whole)[:2] == ["question", "step 1 of"]
    assert whole.count("<img") == 4
    assert re.findall('<img alt="[^"]+: step ([0-9]+) of ', alone) == ["2"]
    assert other == ""


def test_a_lecture_that_is_opened_loads_what_its_handout_needs(ask: Ask):
    assert ask("POST", "/lecture/warm", json=[{"address": "/learn/bytes"}, {"address": "/about"}]).status_code == 204
    assert ask("POST", "/lecture/warm", json=[{"address": 1}]).status_code == 422


def test_a_handout_asks_the_question_of_a_scene_without_its_answer(ask: Ask):
    (shown,) = sections(ask, {"address": "/learn/bytes"})
    question = shown[shown.index("handout-question") : shown.index("<img")]
    assert "How many bytes does this text have in UTF-8?" in question
    assert question.count("<li>") == 4
    assert "right" not in question
