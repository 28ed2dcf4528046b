"""The course as pages: every scene without JavaScript, its answers, its practice, and what is refused."""

import html
import re
from functools import cache

import pytest
from tokenarium.lab.learn.chapters import FAILURES, draw_map, find_lesson
from tokenarium.lab.learn.course import SCENES, practice
from tokenarium.lab.learn.glossary import TERMS
from tokenarium.lab.learn.scene import to_plain_text, trace_scene

from tests.conftest import TIER, Ask

BY_ID = {one.id: one for one in SCENES}
DRAWN = BY_ID if TIER == "nightly" else [*BY_ID][::4]
"""Scenes whose practice is graded as a page; `tests/lab/test_learn.py` draws that of every scene."""
HTMX = {"HX-Request": "true"}


def plain(page):
    return html.unescape(re.sub(r"<[^>]*>", "", page))


@cache
def first_page(ask, id):
    """A scene as it opens, with its question."""
    return ask("GET", f"/learn/{id}").text


def send(ask, id, **fields):
    return ask("POST", f"/learn/{id}", data=fields)


def test_the_course_lists_every_scene_in_its_chapter_and_on_the_map(ask: Ask):
    page = ask("GET", "/learn").text
    assert re.findall(r'<li data-scene="([^"]+)"', page) == list(BY_ID)
    assert re.findall(r'<a href="/learn/[^"]+" data-scene="([^"]+)"', page) == list(BY_ID)
    assert all(one.claim.text in plain(page) for one in SCENES)
    assert page.count('<section class="learn-chapter"') == 8
    assert page.count('<path d="M') == len(draw_map().paths) + 3  # and the icons of what claims rest on
    assert all(lesson.failure in plain(page) for lesson in FAILURES)


def test_a_scene_names_the_scenes_that_it_builds_on(ask: Ask):
    assert "This scene builds on What a cut does next and Patches of bytes." in plain(ask("GET", "/learn/growing").text)
    assert "This scene builds on" not in ask("GET", "/learn/ids").text


def test_the_ids_of_the_introduction_stand_below_their_tokens(ask: Ask):
    page = re.sub(r"\s+", " ", ask("GET", "/learn/introduction").text)
    stacks = re.findall(r'<div class="row"><div><b[^>]*>([^<]*)</b></div><div><b[^>]*>([^<]*)</b></div></div>', page)
    assert stacks[:2] == [("Sch", "14948"), ("aden", "9519")]
    assert len(stacks) == 6


def test_the_introduction_has_neither_formula_nor_code(ask: Ask):
    page = ask("GET", "/learn/introduction").text
    assert "<math" not in page
    assert "<code" not in page
    assert "takes 33 tokens in English and 134 in Burmese." in plain(page)
    assert re.search(r"The first two chapters take about 6[0-9] minutes\.", plain(page))
    assert 'href="/learn/introduction"' in ask("GET", "/").text


@pytest.mark.parametrize("id", BY_ID)
def test_a_scene_says_what_one_can_do_after_it_and_why_to_go_on(ask: Ask, id):
    _, lesson = find_lesson(id)
    said = plain(first_page(ask, id))
    assert f"After this scene you can {lesson.able}." in said
    assert lesson.onward in said
    assert lesson.resolves in said


@pytest.mark.parametrize("id", BY_ID)
def test_a_scene_is_a_page_with_claim_question_code_and_sources(ask: Ask, registry, id):
    one, page = BY_ID[id], first_page(ask, id)
    said = plain(page)
    assert all(claim.text in said for claim in (one.claim, *one.explains))
    assert to_plain_text(trace_scene(one, one.text, registry).question.prompt) in said.replace("␣", " ")
    assert all(f'id="source-{source}"' in page for source in one.sources)
    assert page.count('<figure class="learn-code"') == len(one.code)
    assert ("<math " in page) == one.equation


@pytest.mark.parametrize("id", BY_ID)
def test_every_step_can_be_shown_and_highlights_the_line_that_made_it(ask: Ask, registry, id):
    """Nightly every step, before a commit one in the middle and the last."""
    one = BY_ID[id]
    steps = trace_scene(one, one.text, registry).steps
    for at in range(len(steps)) if TIER == "nightly" else {len(steps) // 2, len(steps) - 1}:
        page = send(ask, id, text=one.text, answer="shown", step=str(at)).text
        highlighted = re.findall(r'<span class="line lit near" data-line="(\d+)"', page)
        assert highlighted == [str(steps[at].line[1])] * bool(steps[at].line[1])
        assert f"{at} of {len(steps) - 1}" in page


@pytest.mark.parametrize("id", BY_ID)
def test_right_and_wrong_answers_are_told_apart_with_reasons(ask: Ask, registry, id):
    """Nightly each wrong choice, before a commit the one before the right one."""
    one = BY_ID[id]
    question = trace_scene(one, one.text, registry, kind="choose").question
    wrong = (question.answer - 1) % len(question.choices)
    for number in range(len(question.choices)) if TIER == "nightly" else (question.answer, wrong):
        choice = question.choices[number]
        page = plain(send(ask, id, text=one.text, kind="choose", answer=str(number)).text)
        assert ("Right." if choice.right else "Not this one.") in page
        assert choice.reason in page
        assert question.right.reason in page
        assert choice.right or f"The answer is {to_plain_text(question.right.label)}." in page.replace("␣", " ")


@pytest.mark.parametrize("id", BY_ID)
def test_nothing_on_the_page_gives_the_answer_away_while_the_question_is_open(ask: Ask, registry, id):
    question = trace_scene(BY_ID[id], BY_ID[id].text, registry).question
    page = first_page(ask, id)
    assert f'data-question="{question.id}"' in page
    assert '<output class="counter"></output>' in page
    assert question.right.reason not in plain(page)
    for sign in ("data-answer", "data-total", 'class="counted"', 'class="won"', ' lit"', 'class="press right'):
        assert sign not in page.partition('class="result-view')[2].partition('class="learn-codes"')[0]


def test_what_a_step_removes_is_marked_as_deleted_in_its_row_and_its_table(ask: Ask):
    page = send(ask, "learn-unigram", answer="shown", step="3").text
    assert page.count("<del>lay</del>") == 2


def answered(page):
    return html.unescape(re.search(r'name="answered" value="([^"]*)"', page)[1])


def test_who_goes_on_is_asked_first_and_sees_the_answer_when_going_on_again(ask: Ask):
    first = send(ask, "bpe", text="seaside", step="1").text
    assert "Answer first, or press Next again to see the answer." in first
    assert answered(first) == ""
    assert 'data-step="0"' in first
    urged = re.search(r'name="urged" value="([^"]*)"', first)[1]
    second = send(ask, "bpe", text="seaside", step="1", at="0", answered="", urged=urged).text
    assert "The answer is i d. After the first merge, its rank, 312, is the lowest" in plain(second)
    assert 'data-step="0"' in second


def test_an_answer_survives_going_on_and_coming_back_but_not_another_text(ask: Ask):
    page = send(ask, "bpe", text="seaside", answer="0").text
    for step in ("1", "4", "0"):
        page = send(ask, "bpe", text="seaside", step=step, answered=answered(page)).text
        assert f'data-step="{step}"' in page
        assert ('class="press right"' in page) == (step == "0")
    other = send(ask, "bpe", text="heater", step="0", answered=answered(page)).text
    assert "data-answer" not in other


TYPED = [("type", "words", ["4"]), ("estimate", "budget", ["2000"]), ("mark", "wordpiece", ["3", "6"])]
TYPED += [("order", "bpe", ["1", "0", "2"])]


@pytest.mark.parametrize(("kind", "id", "sent"), TYPED)
def test_every_kind_is_answered_without_a_script_and_keeps_its_answer(ask: Ask, kind, id, sent):
    text = BY_ID[id].text
    page = send(ask, id, text=text, kind=kind).text
    question = re.search(r'data-question="(\w+)"', page)[1]
    assert f'name="asked" value="{question}"' in page
    assert "data-answer" not in page
    urged = plain(send(ask, id, text=text, kind=kind, answer=sent[:-1], asked=question, step="1").text)
    assert "or press Next again to see the answer." in urged or len(sent) == 2
    right = send(ask, id, text=text, kind=kind, answer=sent, asked=question).text
    assert 'data-verdict="right"' in right
    assert ("within 10 % is right" in page, "within 10 % is right" in right) == (kind == "estimate", False)
    assert answered(right) == f"{question}:{','.join(sent)}"
    later = send(ask, id, text=text, kind=kind, answered=answered(right), step="1").text
    assert "data-verdict" not in later
    assert answered(later) == answered(right)


def test_what_was_typed_for_another_text_is_no_answer(ask: Ask):
    page = send(ask, "wordpiece", text="playful", kind="mark", answer=["3"], asked="0123456789").text
    assert "data-answer" not in page


def test_a_practice_of_one_text_and_kind_is_graded(ask: Ask):
    sent = {"text": "unaffable", "kind": "mark", "answer-0": ["3", "5"]}
    page = ask("GET", "/learn/wordpiece/practice", params=sent).text
    assert 'data-verdict="wrong"' in page
    assert "You looked for the rest among the tokens that begin words." in plain(page)
    assert "Three more" in page
    nothing = plain(ask("GET", "/learn/bpe/practice", params={"text": "a"}).text)
    assert "There is nothing to ask about this text." in nothing


def test_a_link_to_a_step_shows_the_step(ask: Ask):
    page = ask("GET", "/learn/bpe", params={"text": "seaside", "step": "2"}).text
    assert 'data-step="2"' in page
    assert "learn-question" not in page


def test_a_text_that_breaks_the_idea_is_traced_by_its_button(ask: Ask):
    page = send(ask, "learn-bpe", text="low 5", example="abcdefgh").text
    assert "abcdefgh</textarea>" in page
    assert send(ask, "learn-bpe", text="low 5").text.count("low 5</textarea>") == 1


def test_for_htmx_only_the_scene_is_sent(ask: Ask):
    part = ask("POST", "/learn/bpe", data={"text": "heater"}, headers=HTMX)
    assert part.status_code == 200
    assert "<html" not in part.text
    assert 'class="result-view learn-view"' in part.text


def test_a_scene_and_its_practice_ask_the_question_elsewhere_with_a_folded_answer(ask: Ask):
    asked = BY_ID["bpe"].transfer
    for path in ("/learn/bpe", "/learn/bpe/practice"):
        page = html.unescape(ask("GET", path).text)
        assert asked.question in page
        assert f"<details><summary>Answer</summary><p>{asked.answer}</p></details>" in page


@pytest.mark.parametrize("id", DRAWN)
def test_practice_grades_every_answer_and_prints_with_the_solutions(ask: Ask, registry, id):
    questions = [exercise.question for exercise in practice(BY_ID[id], registry, seed=7, kind="choose")]
    right = {f"answer-{at}": question.answer for at, question in enumerate(questions)}
    page = ask("GET", f"/learn/{id}/practice", params={"seed": 7, "kind": "choose", **right}).text
    assert 'data-right="3"' in page
    wrong = {name: 0 if answer else 1 for name, answer in right.items()}
    page = ask("GET", f"/learn/{id}/practice", params={"seed": 7, "kind": "choose", **wrong}).text
    assert 'data-right="0"' in page
    assert page.count("Not this one.") == page.count("The answer is ") == page.count("Watch all steps") == 3
    blank = plain(ask("GET", f"/learn/{id}/practice", params={"seed": 7, "kind": "choose"}).text)
    solved = plain(ask("GET", f"/learn/{id}/practice", params={"seed": 7, "kind": "choose", "answers": 1}).text)
    reasons = [question.right.reason for question in questions]
    assert [reason in blank for reason in reasons] == [False] * 3
    assert [reason in solved for reason in reasons] == [True] * 3


def test_the_glossary_explains_every_term_with_an_example(ask: Ask, registry):
    page = plain(ask("GET", "/learn/glossary").text)
    assert all(term.name in page and term.meaning in page for term in TERMS)
    assert page.count("Example") == len(TERMS) == len({term.id for term in TERMS})
    assert "st | raw | berry" in page
    assert "🌍 in GPT-2: <0xF0><0x9F> | <0x8C> | <0x8D>" in page


def test_every_term_on_a_page_is_in_the_glossary(ask: Ask):
    used = set()
    for path in ("/", "/compare", "/languages", "/chat", "/steps", "/train", "/doctor", "/conformance"):
        assert "data-term" in ask("GET", path).text, path
        used |= set(re.findall(r'data-term="([^"]+)"', ask("GET", path).text))
    assert {"token", "fertility", "premium", "chat-template"} <= used <= {term.id for term in TERMS}


def test_a_term_has_an_address(ask: Ask):
    assert "<h2>Token</h2>" in ask("GET", "/learn/glossary/token").text


SUMS = {
    "embedding": ("", "The vocabulary takes 1,050.7 million parameters, 13.1 % of the model."),
    "vocabulary": ("?others=70000&width=8192", "The three approaches give 211,857, 230,860 and 217,961 tokens."),
    "cost": ("?tokenizer=gpt2", "The same declaration: "),
    "length": ("?tokens=4096&kept=4096", "The cache of keys and values takes 2.00 GiB. Twice the length needs"),
}


@pytest.mark.parametrize("id", SUMS)
def test_a_calculator_answers_by_its_address(ask: Ask, id):
    query, says = SUMS[id]
    assert says in plain(ask("GET", f"/learn/calculators/{id}{query}").text)
    part = ask("GET", f"/learn/calculators/{id}{query}", headers=HTMX).text
    assert "<html" not in part
    assert says in plain(part)


def test_only_attention_grows_with_the_square_of_the_length(ask: Ask):
    table = ask("GET", "/learn/calculators/length?tokens=8192&format=csv").text.splitlines()
    assert table[:3] == [
        "tokens,operations of attention,operations of the matrices,cache of keys and values",
        '"8,192",35.184 T,114.354 T,"1,024.0 MiB"',
        '"16,384",140.737 T,228.708 T,"2,048.0 MiB"',
    ]
    assert "needs 2.47 times the operations" in ask("GET", "/learn/calculators/length?tokens=8192").text


def test_a_calculation_is_taken_along_as_csv(ask: Ask):
    table = ask("GET", "/learn/calculators/vocabulary?others=7000&width=4096&format=csv").text
    assert table.splitlines() == [
        "other parameters,width,by IsoFLOPs,by derivative,by loss",
        '7 B,"4,096","62,280","67,450","59,548"',
        '70 B,"8,192","211,857","230,860","217,961"',
        '300 B,"16,384","355,889","389,323","383,659"',
    ]


def test_every_preset_is_a_link_that_answers(ask: Ask):
    for id in SUMS:
        page = ask("GET", f"/learn/calculators/{id}").text
        links = re.findall(rf'href="(/learn/calculators/{id}\?[^"]+)"', page)
        assert len(links) >= 4
        assert {ask("GET", html.unescape(link)).status_code for link in links} == {200}


def test_a_chapter_is_a_notebook_to_download(ask: Ask):
    answer = ask("GET", "/learn/bpe.ipynb")
    assert answer.headers["content-type"] == "application/x-ipynb+json"
    assert answer.json()["cells"][0]["source"].startswith("# BPE\n")
    assert 'href="/learn/bpe.ipynb"' in ask("GET", "/learn").text
