"""Pages of errors."""

import html
import re
import resource
import tempfile

import pytest

TYPED = '<b>Mine</b> & "yours"\nin two lines'
LONG = re.compile(r'<textarea id="field-\d+" name="text"[^>]*>\n(.*?)</textarea>', re.DOTALL)
SHORT = re.compile(r'<input name="([^"]*)" value="([^"]*)" autocomplete="off"([^>]*)>')


@pytest.mark.parametrize(
    ("path", "fields", "wrong"),
    [
        ("/", {"tokenizer": "gpt2", "special": "drop"}, "special"),
        ("/chunks", {"size": "0"}, "size"),
        ("/steps", {"branch": "encode", "tokenizer": "gpt2", "temperature": "9"}, "temperature"),
        ("/train", {"algorithm": "sew"}, "algorithm"),
        ("/pipeline", {"tokenizer": "no-such"}, "tokenizer"),
        ("/regex", {"dialect": "perl"}, "dialect"),
        ("/surgery/preview", {"operation": "sew"}, "operation"),
    ],
)
def test_a_form_with_a_wrong_option_comes_back_with_what_was_typed(ask, path, fields, wrong):
    answer = ask("POST", path, data={"text": TYPED, **fields}, headers={"Accept": "text/html"})
    assert answer.status_code in (404, 422)
    assert f'action="{path}"' in answer.text
    assert "<b>Mine" not in answer.text
    assert [html.unescape(text) for text in LONG.findall(answer.text)] == [TYPED]
    short = SHORT.findall(answer.text)
    assert {name: value for name, value, _ in short} == fields
    assert [name for name, _, attributes in short if "aria-invalid" in attributes] == [wrong]


def test_the_sentence_about_a_choice_names_no_empty_one(ask):
    fields = {"text": "a", "branch": "encode", "tokenizer": "gpt2", "temperature": "9"}
    answer = ask("POST", "/steps", data=fields, headers={"Accept": "text/html"})
    assert "temperature must be one of 0.1, 0.2, 0.5, 1, 2." in answer.text


def test_the_page_of_an_error_shows_no_name_that_only_the_form_has(ask):
    fields = {"text": "a", "special": "drop", "secret-name": "1", "secret-long": "1" * 50}
    answer = ask("POST", "/", data=fields, headers={"Accept": "text/html"})
    assert answer.text.count("Another field") == 2
    assert [name for name, _, _ in SHORT.findall(answer.text)] == ["special", "secret-name"]  # nothing is lost
    assert 'name="secret-long"' in answer.text
    assert "secret" not in re.sub(r"<(input|textarea) [^>]*>", "", answer.text)


@pytest.mark.parametrize(
    ("folder", "status", "code"), [(None, 507, "no-space"), ("/sys", 503, "unavailable")], ids=["full", "unwritable"]
)
def test_an_upload_that_cannot_be_written_to_a_temporary_file_is_no_fault_of_ours(
    ask, monkeypatch, folder, status, code
):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(tempfile, "tempdir", folder or tempfile.gettempdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft if folder else 0, hard))
    try:
        answer = ask("POST", "/api/tokenizers", files={"file": ("a.json", b"{}")}, data={"name": "a"})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["detail"].startswith("A temporary file cannot be written: ")
