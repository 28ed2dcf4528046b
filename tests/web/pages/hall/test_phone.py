"""The pages of a hall on phones, without a script: what they show, what they may send, and what is refused."""

import re

import pytest
from tokenarium.web.services import get_services

from tests.conftest import asker
from tests.support.asking import asking
from tests.support.hall import ASKED, REVEALED, SLIDE, Visitor, enter, known_hall, open_hall

PRESSED = re.compile(r'value="(\w+)"[^>]* aria-pressed="true"')


@pytest.fixture
def lecturer(ask):
    return open_hall(ask)


@pytest.fixture
def phone(lecturer):
    lecturer.stage(SLIDE)
    lecturer.stage(ASKED)
    return enter(lecturer)


def test_the_form_leads_to_the_hall_of_a_code(ask, lecturer):
    assert "Join a lecture" in ask("GET", "/h").text
    typed = f" {lecturer.code[:2].lower()}-{lecturer.code[2:]}"
    answer = ask("GET", "/h", params={"code": typed})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/hall/{lecturer.code}")
    answer = ask("GET", f"/hall/{lecturer.code.lower()}")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/hall/{lecturer.code}")


@pytest.mark.parametrize("code", ["ZZZZZZZ", "x", "%2e%2e", "K7X2P'--"])
def test_a_wrong_code_is_an_error_that_says_so(ask, code):
    answer = ask("GET", f"/hall/{code}")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown-hall")


def test_after_many_wrong_codes_an_address_waits_but_the_right_code_is_let_in(ask, lecturer):
    answers = [ask("GET", f"/hall/ZZZZ{number:02}".replace("0", "B").replace("1", "C")) for number in range(40)]
    assert [answer.status_code for answer in answers] == [404] * 30 + [429] * 10
    assert (answers[-1].json()["code"], answers[-1].headers["Retry-After"]) == ("too-often", "1000000")
    assert enter(lecturer).get().status_code == 200
    assert ask("GET", "/h", params={"code": lecturer.code}).status_code == 303


def test_many_new_phones_from_one_address_keep_out_none_of_another_hall_or_address(app, lecturer):
    get_services(app).halls.limits.joins.burst = 3
    joins = [lecturer.ask("GET", f"/hall/{lecturer.code}") for _ in range(5)]
    assert [answer.status_code for answer in joins] == [200] * 3 + [429] * 2
    assert joins[-1].headers["Retry-After"] == "1000000"
    enter(open_hall(lecturer.ask))
    enter(Visitor(asking(app, address="192.0.2.1"), lecturer.code))


def test_a_phone_sees_the_step_with_its_labels_colours_and_table_escaped(phone):
    text = phone.get().text
    for part in ("3 of 9", "Question 1", SLIDE["title"], SLIDE["caption"], "␣cat", "<small>400</small>", "&lt;b&gt;"):
        assert part in text
    assert re.search(r'×5</span><span class="hall-token t4 new"><bdi>th</bdi>', text)
    assert re.search(r'␣cat</bdi></span>\s*<span class="quiet">\+3 more</span>', text)
    table = r'<caption>Pairs.*<th scope="col">count.*<tr class="chosen"><td dir="auto" class="whole">t h</td>'
    assert re.search(table, text, re.DOTALL)
    assert f'href="{SLIDE["address"]}"' in text
    assert "<b>" not in text


def test_choices_have_the_tokens_of_the_stage_before_and_after_the_answer(lecturer, phone):
    pieces = [[{"text": "th", "tone": 4}, {"text": " first"}], [{"text": "e", "tone": 5}], [{"text": "<i>"}]]
    lecturer.stage(ASKED, id="p", pieces=pieces)
    lecturer.stage(SLIDE, question="p")
    spelled = 'data-choice><span class="hall-token t4"><bdi>th</bdi></span> first<'
    assert spelled in phone.get().text
    lecturer.stage(REVEALED, id="p")
    for page in (phone.get().text, lecturer.get("lead").text):
        assert spelled in page
        assert "data-choice>&lt;i&gt;<" in page


def test_a_phone_without_a_script_has_the_markdown_of_a_text_slide(lecturer, phone):
    lecturer.stage(SLIDE, markdown="**One**\n\n<b>")
    text = "**One**\n\n&lt;b&gt;"
    assert f'data-markdown="{text}"><pre>\n{text}</pre>' in phone.get().text
    assert "Step by yourself" not in phone.get().text  # the slide is in the browser of the lecturer alone


def test_a_phone_sees_the_figure_of_a_slide_or_that_there_is_one(lecturer, phone):
    label = {"x": 5.0, "y": 9.0, "text": "<b>", "size": 12.0, "anchor": "middle"}
    shapes = [{"d": "M0 0h5v5h-5z", "tone": 3}, {"d": "M0 0L9 9", "strong": True}]
    lecturer.stage(SLIDE | {"figures": [{"box": [0, 0, 10, 10], "shapes": shapes, "labels": [label]}], "more": True})
    text = phone.get().text
    assert 'viewBox="0.0 0.0 10.0 10.0"' in text
    assert '<path class="t3" d="M0 0h5v5h-5z"/><path class="strong" d="M0 0L9 9"/>' in text
    assert 'text-anchor="middle">&lt;b&gt;</text>' in text
    assert "look at the screen" in text


@pytest.mark.parametrize(
    ("form", "sent", "marked"),
    [
        ("type", "st raw", 'value="st raw" maxlength="80"'),
        ("estimate", "1,200", 'value="1,200" maxlength="80"'),
        ("mark", ["1", "2"], 'name="answer" value="2" checked'),
        ("order", ["1", "0", "2"], '<option value="1" selected>t h</option>'),
    ],
)
def test_every_form_of_a_question_has_a_vote_which_the_phone_shows_again(lecturer, phone, form, sent, marked):
    lecturer.stage(ASKED | {"id": "r", "form": form})
    assert marked not in phone.get().text
    assert phone.post("vote", poll="r", answer=sent).status_code == 303
    assert marked in phone.get().text
    assert "Question 2: 1 of 1 have voted" in lecturer.get("lead").text


def test_a_phone_has_one_vote_and_may_change_it(lecturer, phone):
    others = [enter(lecturer) for _ in range(3)]
    for one, choice in ((phone, 0), (phone, 2), *((other, 1) for other in others), (others[0], 1)):
        answer = one.post("vote", poll="q", answer=choice)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/hall/{phone.code}")
    assert PRESSED.findall(phone.get().text) == ["2"]
    assert "right answer" not in phone.get().text
    lecturer.stage(REVEALED)
    shown = re.sub(r"<[^>]+>|\s+", " ", phone.get().text)
    assert re.search(r"a t +0 .*t h +3 +· right answer .*&lt;i&gt; +1 +· your vote .*It occurs most often", shown)


def test_a_vote_after_the_answer_is_refused(lecturer, phone):
    lecturer.stage(REVEALED)
    answer = phone.post("vote", poll="q", answer=0)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.mark.parametrize(
    ("path", "fields", "status"),
    [
        ("vote", {"poll": "q", "answer": "3"}, 422),
        ("vote", {"poll": "q", "answer": "-1"}, 422),
        ("vote", {"poll": "q"}, 422),
        ("vote", {"poll": "other", "answer": "0"}, 422),
        ("lost", {"step": "nowhere", "lost": "1"}, 422),
        ("question", {"text": " \n\u202e "}, 422),
        ("question", {"text": "a" * 281}, 422),
        ("upvote", {"id": "none"}, 422),
    ],
)
def test_what_a_hall_does_not_have_is_refused(phone, path, fields, status):
    assert phone.post(path, **fields).status_code == status


def test_without_the_cookie_of_the_hall_nothing_counts(lecturer, phone):
    made_up = Visitor(phone.ask, phone.code, {"hall_phone": "0123456789ab." + "0" * 18})
    of_another = Visitor(phone.ask, phone.code, enter(open_hall(phone.ask)).cookies)
    for stranger in (Visitor(phone.ask, phone.code), made_up, of_another):
        assert stranger.post("vote", poll="q", answer=1).status_code == 403
    assert "1 of 1" not in lecturer.get("lead").text


def test_who_is_lost_says_so_and_takes_it_back(lecturer, phone):
    step = re.search(r'name="step" value="(\w+)"', phone.get().text)[1]
    assert phone.post("lost", step=step, lost=1).status_code == 303
    assert PRESSED.findall(phone.get().text) == ["0"]
    assert "1 lost here" in lecturer.get("lead").text
    phone.post("lost", step=step, lost=0)
    assert "1 lost here" not in lecturer.get("lead").text


def test_a_written_question_is_hidden_until_the_lecturer_shows_it(lecturer, phone):
    other = enter(lecturer)
    assert phone.post("question", text="What is <b>\r\n\u202eit?").status_code == 303
    assert "What is" not in other.get().text
    leading = lecturer.get("lead").text
    assert "What is &lt;b&gt; it?" in leading
    id = re.search(r'name="id" value="(\w+)"', leading)[1]
    assert other.post("upvote", id=id).status_code == 422
    assert lecturer.post("show", id=id, shown=1).status_code == 303
    assert "What is &lt;b&gt; it?" in other.get().text
    for _ in range(2):
        assert other.post("upvote", id=id).status_code == 303
    assert 'too <span class="quiet">2</span>' in phone.get().text
    lecturer.post("show", id=id, shown=0)
    assert "What is" not in other.get().text


def test_a_flood_of_one_phone_is_stopped(phone):
    votes = [phone.post("vote", poll="q", answer=number % 2).status_code for number in range(30)]
    assert votes[0] == 303
    assert votes[-1] == 429


def test_a_phone_writes_few_questions_at_once(phone):
    assert [phone.post("question", text="Why?").status_code for _ in range(4)] == [303, 303, 303, 429]


def test_a_question_that_a_hall_has_no_room_for_is_refused_and_one_address_takes_half_of_the_room(app, lecturer):
    phones = [enter(lecturer) for _ in range(84)]
    answers = [phone.post("question", text="Why?") for phone in phones for _ in range(3)]
    assert [answer.status_code for answer in answers] == [303] * 250 + [429] * 2
    assert (answers[-1].json()["code"], answers[-1].headers["Retry-After"]) == ("too-often", "60")
    other = enter(Visitor(asking(app, address="192.0.2.1"), lecturer.code))
    assert other.post("question", text="A real one?").status_code == 303
    assert "A real one?" in lecturer.get("lead").text


def test_a_vote_that_is_sent_again_is_no_other_event(app, phone):
    hall = known_hall(app, phone.code)
    for _ in range(3):
        assert phone.post("vote", poll="q", answer=1).status_code == 303
        assert phone.post("lost", step=hall.state.slide["key"], lost=1).status_code == 303
    assert hall.state.taken == {"vote": 1, "lost": 1}


def test_a_form_of_another_site_is_refused(phone):
    answer = phone.send("POST", "vote", data={"poll": "q", "answer": "1"}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_the_cookie_of_a_phone_is_sent_to_its_hall_alone_and_read_by_no_script(lecturer):
    header = Visitor(lecturer.ask, lecturer.code).get().headers["set-cookie"]
    assert f"Path=/hall/{lecturer.code}" in header
    assert "HttpOnly" in header
    assert "SameSite=lax" in header


def test_pages_on_phones_are_small(phone):
    text = phone.get().text
    parts = [phone.ask("GET", address) for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', text)]
    assert len(parts) == 3
    assert len(text.encode()) + sum(len(part.content) for part in parts) <= 30_000


def test_a_server_without_halls_says_so(registry):
    ask = asker(registry, hall=False)
    for method, path in (("POST", "/hall"), ("GET", "/hall/K7X2P"), ("GET", "/h?code=K7X2P")):
        answer = ask(method, path)
        assert (answer.status_code, answer.json()["code"]) == (403, "not-allowed")
