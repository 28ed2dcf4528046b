"""What the server renders for the handout of a lecture."""

import re


def sections(ask, *items):
    answer = ask("POST", "/lecture/handout", json=list(items))
    assert answer.status_code == 200
    return re.findall(r"<section>\s*(.*?)\s*</section>", answer.text, re.DOTALL)


def test_a_handout_has_four_steps_of_a_scene_with_the_text_of_its_address_or_one_alone_and_no_other_page(ask):
    whole, alone, other = sections(
        ask,
        {"address": "/learn/learn-bpe?text=abab"},
        {"address": "/learn/bpe?text=seaside&step=2", "alone": True},
        {"address": "/steps?text=seaside"},
    )
    assert len(re.findall('class="frame stage"', whole)) == 4
    assert re.findall('data-step="([0-9]+)"', alone) == ["2"]
    assert other == ""


def test_a_handout_asks_the_question_of_a_scene_without_its_answer(ask):
    (shown,) = sections(ask, {"address": "/learn/bytes"})
    question = shown[shown.index("handout-question") : shown.index("learn-view")]
    assert "How many bytes does this text have in UTF-8?" in question
    assert question.count("<li>") == 4
    assert "right" not in question
