"""The page and the API of parameters as tokens: differences, a link that carries all, and what is refused."""

import html
import re

import pytest
from tokenarium.lab.beyond.parameters.layer import grow


def test_the_page_and_the_api_say_by_how_much_the_output_moves(ask):
    growth = grow(5, 4, 12)
    page = ask("GET", "/beyond/parameters?seed=5&pairs=4&more=12&steps=20")
    for rule in ("rescaled", "softmax"):
        assert f"<dd>{growth.difference(rule):.2f}</dd>" in page.text
    answer = ask("POST", "/api/beyond/parameters", json={"seed": 5, "pairs": 4, "more": 12, "steps": 20}).json()
    assert answer["differences"] == {rule: growth.difference(rule) for rule in ("kept", "rescaled", "softmax")}
    assert answer["differences"]["kept"] <= 1e-12
    assert answer["keys"][4:] == [[0] * 6] * 12
    assert [step for step, _ in answer["training"]["fresh"]] == [20, 30, 40]
    last = min(points[-1][1] for points in answer["training"].values())
    assert f"{last:.4f}</td>" in page.text


def test_a_link_carries_every_field(ask):
    fields = {"seed": "3", "pairs": "6", "more": "2", "input": "4", "steps": "30", "predict": "1", "guess": "softmax"}
    page = ask("POST", "/beyond/parameters", data=fields)
    address = html.unescape(re.search(r'data-address="([^"]*)"', page.text)[1])
    linked = ask("GET", address)
    assert ("Not this one." in linked.text, "What input 4 attends to" in linked.text) == (True, True)
    assert re.search(r'data-address="([^"]*)"', linked.text)[1] == html.escape(address)


def test_a_prediction_comes_before_the_differences(ask):
    page = ask("GET", "/beyond/parameters?predict=1&steps=20")
    assert ("largest difference" in page.text, "With which weights" in page.text) == (False, True)
    assert "Right." in ask("GET", "/beyond/parameters?predict=1&guess=kept&steps=20").text
    places = [
        re.findall(
            r'value="(kept|rescaled|softmax)"', ask("GET", f"/beyond/parameters?predict=1&steps=20&seed={seed}").text
        ).index("kept")
        for seed in range(8)
    ]
    assert {*places} == {0, 1, 2}


@pytest.mark.parametrize("field", [("pairs", "1"), ("more", "65"), ("steps", "5000"), ("seed", "x"), ("guess", "none")])
def test_what_is_out_of_bounds_is_refused_and_stays_in_its_field(ask, field):
    page = ask("POST", "/beyond/parameters", data=dict([field]))
    assert (page.status_code, 'role="alert"' in page.text) == (422, True)
    assert f'value="{field[1]}"' in page.text or field[0] == "guess"


def test_the_training_is_downloaded_as_csv(ask):
    lines = ask("POST", "/beyond/parameters/download", data={"steps": "20"}).text.splitlines()
    assert lines[0] == "layer,step,error"
    assert len(lines) == 1 + 6 + 4 + 3
