"""The page and the API of movements: the same figures, a link that carries all, and nothing lost when refused."""

import html
import re

import pytest
from tokenarium.lab.beyond.actions.analysis import analyse_example
from tokenarium.lab.beyond.actions.movements import EXAMPLES, example

NUMBERS = "x,y\n0,1\n0.5,0.5\n1,0\n1,-0.5"


def tokens_of(page):
    return [int(id) for id in re.findall(r'class="piece t\d" title="id (\d+)"', page.text)]


def address_of(page):
    return html.unescape(re.search(r'data-address="([^"]*)"', page.text)[1])


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.id)
def test_the_page_and_the_api_say_the_same_of_an_example(ask, one):
    page = ask("GET", f"/beyond/actions?example={one.id}")
    answer = ask("POST", "/api/beyond/actions", json={"series": one.make(), "curve": True}).json()
    assert tokens_of(page) == answer["ids"] == [token.id for token in analyse_example(one).tokens]
    assert f"<dd>{answer['fast']['tokens']}</dd>" in page.text
    assert answer["exact"] is True
    assert [point["scale"] for point in answer["curve"]][-1] == 100


def test_the_api_answers_every_stage_of_a_hand_made_movement(ask):
    answer = ask("POST", "/api/beyond/actions", json={"series": [[0.0], [1.0], [2.0], [3.0]], "scale": 10}).json()
    assert (answer["centre"], answer["half_range"]) == ([pytest.approx(1.5)], [pytest.approx(1.47)])
    assert answer["levels"] == [[0], [-15], [0], [-1]]
    assert answer["symbols"] == [127, 112, 127, 126]
    assert answer["naive"]["tokens"] == 4
    assert [round(x) for (x,) in answer["decoded"]] == [0, 1, 2, 3]


def test_a_movement_of_two_dimensions_is_drawn_as_a_path_too(ask):
    says = "The path of the pen"
    assert (says in ask("GET", "/beyond/actions?example=pen").text) is True
    assert (says in ask("GET", "/beyond/actions?example=arm").text) is False


def test_a_link_carries_a_pasted_movement_and_its_scale(ask):
    page = ask("POST", "/beyond/actions", data={"numbers": NUMBERS.replace("\n", "\r\n"), "scale": "40"})
    linked = ask("GET", address_of(page))
    assert tokens_of(page) == tokens_of(linked) != []
    assert "at scale 40" not in linked.text
    assert NUMBERS in linked.text
    assert address_of(linked) == address_of(page)


def test_an_example_that_was_changed_is_no_longer_the_example(ask):
    same = {"example": "pen", "seed": "1", "scale": "10"}
    kept = ask("POST", "/beyond/actions", data={**same, "numbers": ""})
    assert address_of(kept) == "/beyond/actions?example=pen"
    changed = ask("POST", "/beyond/actions", data={**same, "numbers": NUMBERS})
    assert address_of(changed).startswith("/beyond/actions?numbers=x,y")


def test_a_prediction_comes_before_the_tokens(ask):
    page = ask("GET", "/beyond/actions?predict=1")
    assert ("How many tokens" in page.text, tokens_of(page)) == (True, [])
    right = analyse_example(example("pick")).measured.tokens
    assert "Right." in ask("GET", f"/beyond/actions?predict=1&guess={right}").text
    choices = re.findall(r'name="guess" value="(\d+)"', page.text)
    wrong = ask("GET", f"/beyond/actions?predict=1&guess={next(number for number in choices if number != str(right))}")
    assert ("Not this one." in wrong.text, len(tokens_of(wrong))) == (True, right)
    shown = ask("GET", "/beyond/actions?predict=1&guess=shown")
    assert ("The answer is" in shown.text, len(tokens_of(shown))) == (True, right)


def test_what_was_typed_stays_when_it_is_refused(ask):
    page = ask("POST", "/beyond/actions", data={"numbers": "1,2\n3,nan", "scale": "10"})
    assert (page.status_code, "1,2\n3,nan</textarea>" in page.text) == (422, True)
    assert 'role="alert"' in page.text
    for fields in ({"scale": "0"}, {"scale": "101"}, {"example": "none"}):
        page = ask("POST", "/beyond/actions", data={"numbers": NUMBERS, **fields})
        assert (page.status_code, NUMBERS in page.text) == (422, True)


def test_the_movement_and_the_curve_are_downloaded_as_csv(ask):
    movement = ask("POST", "/beyond/actions/download", data={"numbers": NUMBERS, "format": "movement.csv"})
    assert movement.text.startswith("x,y,x decoded,y decoded\n0,1,")
    assert len(movement.text.splitlines()) == 5
    curve = ask("POST", "/beyond/actions/download", data={"numbers": NUMBERS, "format": "curve.csv"})
    assert curve.text.splitlines()[0] == "method,scale,tokens,error"
    assert curve.text.splitlines()[-1].startswith("256 bins,,8,")
