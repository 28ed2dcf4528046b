"""The laboratory of pictures: the page, its upload without JavaScript, and its JSON."""

import io

import pytest
from PIL import Image

from tests.support.images import png

PAGE = "/beyond/pictures"


def upload(ask, data, **fields):
    return ask("POST", PAGE, files={"file": ("photo.png", data)}, data=fields)


def test_the_page_shows_the_tokens_the_steps_and_every_model(ask):
    page = ask("GET", f"{PAGE}?width=1024&height=1024&model=gpt-4o-high").text
    assert '<dd data-count="tokens">765</dd>' in page
    assert "85 + 170 × 2 × 2" in page
    assert "1024 × 1024 becomes 768 × 768" in page
    assert page.count('<th scope="row">') == 16
    assert '<a href="/beyond/pictures" aria-current="page">' in page


def test_the_table_is_a_csv_too(ask):
    lines = ask("GET", f"{PAGE}?width=1024&height=1024&format=csv").text.splitlines()
    assert len(lines) == 1 + 2 * 16
    assert '"GPT-4o, high detail",1024,1024,765,85 + 170 × 2 × 2' in lines[3]


def test_a_guess_is_judged(ask):
    right = ask("GET", f"{PAGE}?width=1024&height=1024&guess=1.0").text
    assert "<strong>Right.</strong>" in right
    assert "765 tokens become 765." in right
    wrong = ask("GET", f"{PAGE}?width=224&height=224&model=vit&predict=1&guess=2.0").text
    assert "The answer is 4 ×." in wrong
    assert "256 tokens become 1,024." in wrong
    asked = ask("GET", f"{PAGE}?width=224&height=224&model=vit&predict=1").text
    assert "Twice as wide" in asked
    assert "1,024." not in asked


def test_an_image_that_is_sent_is_shown_with_its_size(ask):
    file = io.BytesIO()
    Image.new("RGB", (640, 480), "navy").save(file, "PNG")
    answer = upload(ask, file.getvalue(), model="qwen2-vl")
    assert answer.status_code == 200
    assert 'name="width" value="640"' in answer.text
    assert 'href="data:image/jpeg;base64,' in answer.text
    assert '<dd data-count="tokens">391</dd>' in answer.text  # 23 × 17, as Qwen's own function rounds 640 × 480


@pytest.mark.parametrize(
    ("data", "status", "says"),
    [
        (png(25_000, 20_000), 413, "25,000 × 20,000 pixels"),
        (b"no image", 422, "not an image"),
        (png(30, 30), 422, "damaged"),
        (b"", 422, "not an image"),
    ],
)
def test_what_is_refused_is_said_on_the_page_that_keeps_the_form(ask, data, status, says):
    answer = upload(ask, data, model="pixtral")
    assert answer.status_code == status
    assert says in answer.text
    assert '<option value="pixtral" selected>' in answer.text


def test_a_size_that_a_model_refuses_is_said_and_the_others_still_count(ask):
    answer = ask("GET", f"{PAGE}?width=9000&height=20&model=claude")
    assert answer.status_code == 422
    assert "refuses images with a side of more than 8,000" in answer.text
    assert answer.text.count('<th scope="row">') == 16


def test_the_json_has_the_steps_of_every_model(ask):
    answer = ask("POST", "/api/beyond/pictures", json={"width": 2048, "height": 4096})
    models = {model["id"]: model for model in answer.json()["models"]}
    assert models["gpt-4o-high"]["tokens"] == 1105
    assert models["gpt-4o-high"]["resized"] == [768, 1536]
    assert models["claude-4.7"]["date"] == "2026-11-22"
    one = ask("POST", "/api/beyond/pictures", json={"width": 9000, "height": 10, "models": ["claude"]}).json()
    assert [(model["tokens"], model["refused"]) for model in one["models"]] == [
        (None, "Claude refuses images with a side of more than 8,000 pixels.")
    ]
