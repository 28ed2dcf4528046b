"""/folder: the tokens of a zip, and the same as one HTML file."""

from tests.support.packing import FILES, pack_zip

SENT = {"file": ("sent.zip", pack_zip(FILES), "application/zip")}


def test_a_zip_is_counted(ask):
    page = ask("POST", "/folder", files=SENT, data={"tokenizer": "gpt2"})
    assert page.status_code == 200
    assert '<dt>tokens of gpt2</dt><dd data-count="tokens">11</dd>' in page.text
    assert "a/b.py: 5 tokens" in page.text
    assert "c.log" not in page.text


def test_a_page_without_files_says_what_to_do_and_has_an_example(ask):
    page = ask("GET", "/folder").text
    assert "Drop a folder here, or choose one and press Count" in page
    assert 'name="example"' in page
    counted = ask("POST", "/folder", data={"tokenizer": "gpt2", "example": "1"}, files={"file": ("", b"")}).text
    assert "guides/keyboard.md: " in counted


def test_the_picture_is_one_file(ask):
    answer = ask("POST", "/folder/download", files=SENT)
    assert answer.headers["content-disposition"] == 'attachment; filename="tokens.html"'
    assert answer.text.startswith("<!doctype html>")
    assert "http" not in answer.text.replace("http://www.w3.org", "")


def test_errors_stand_on_the_page(ask):
    nothing = ask("POST", "/folder", files={"other": ("a", b"x", "text/plain")})
    broken = ask("POST", "/folder", files={"file": ("a.zip", b"PK", "application/zip")})
    assert (nothing.status_code, broken.status_code) == (422, 422)
    assert "Choose a folder, a zip, a tar or some files." in nothing.text
    assert "An archive cannot be unpacked" in broken.text
