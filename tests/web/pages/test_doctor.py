"""The doctor's page and API: findings for files in a form, which are not kept."""

import json
from base64 import b64decode

import pytest
from tokenarium.files.archives import unzip_files

from tests.support.faulty_files import BAD, GOOD


def sent(files):
    return [("file", (name, data, "application/octet-stream")) for name, data in files.items()]


def test_the_api_answers_with_findings_and_texts(ask):
    answer = ask("POST", "/api/doctor", files=sent(BAD["bos-never"]), data={"text": "the man"})
    assert answer.status_code == 200
    report = answer.json()
    assert report["worst"] == "error"
    assert [one["code"] for one in report["findings"] if one["severity"] == "error"] == ["bos-never"]
    assert [column["engine"] for column in report["columns"]] == ["tokenizers", "scratch"]
    assert report["texts"][0]["name"] == "your text"


def test_the_page_shows_findings_without_a_script(ask):
    page = ask("GET", "/doctor")
    assert page.status_code == 200
    assert 'enctype="multipart/form-data"' in page.text
    answer = ask("POST", "/doctor", files=sent(BAD["orphans"]))
    assert answer.status_code == 200
    assert "No merge makes 1 token of the vocabulary" in answer.text
    assert "xyz" in answer.text


def test_a_sound_file_is_said_to_be_one(ask):
    answer = ask("POST", "/doctor", files=sent(GOOD))
    assert "Nothing is wrong with these files." in answer.text
    assert "read 60 texts alike" in " ".join(answer.text.split())


def test_names_and_tokens_of_files_are_escaped(ask):
    files = {"<script>alert(1)</script>.json": GOOD["tokenizer.json"].replace(b'"the"', b'"<b>"')}
    answer = ask("POST", "/doctor", files=sent(files))
    assert "<script>alert" not in answer.text
    assert "<b>" not in answer.text


@pytest.mark.parametrize(
    ("name", "contents", "cause", "what"),
    [
        (
            "bad.json",
            b'{"bad": 1}',
            "This is not a tokenizer file. It maps names to numbers, but is no",
            "It is a mapping from",
        ),
        ("config.json", b'{"model_type": "bert"}', "None of the 1 files is a tokenizer", "It is the config.json of a"),
        ("a.txt", b"hello", "This is not a tokenizer file. It is text, but neither ranks", "It is text, but neither"),
    ],
)
def test_a_file_that_is_no_tokenizer_gets_a_diagnosis_in_place(ask, name, contents, cause, what):
    answer = ask("POST", "/doctor", files=sent({name: contents}), data={"text": "mine"})
    assert answer.status_code == 200
    assert "<title>Doctor" in answer.text
    assert cause in answer.text
    assert f"<bdi>{what}" in answer.text
    assert "mine</textarea>" in answer.text
    assert "merges.txt as well" not in answer.text


@pytest.mark.parametrize(
    ("id", "found"),
    [
        ("sound", "Nothing is wrong with these files."),
        ("orphan", "No merge makes 1 token of the vocabulary"),
        ("dropped", "the pattern does not match them."),
        ("slow", "The pattern exceeds its time limit"),
        ("begins", "a chat begins with two."),
        ("ids", "2 tokens have another id in other.json than in one.json."),
        ("none", "is no vocabulary: the ids of one are 0, 1, 2 and so on."),
    ],
)
def test_a_sample_patient_has_its_fault(ask, id, found):
    assert f'name="patient" value="{id}" formnovalidate' in ask("GET", "/doctor").text
    answer = ask("POST", "/doctor", files=[("patient", (None, id))])
    assert answer.status_code == 200
    assert found in answer.text


def test_the_api_converts_and_answers_with_files_in_base64(ask):
    answer = ask("POST", "/api/doctor/convert", files=sent(GOOD), data={"to": "tiktoken"})
    assert answer.status_code == 200
    converted = answer.json()
    assert ([*converted["files"]], converted["proven"]) == (["ranks.tiktoken", "tokenizer_config.json"], 10_000)
    assert len(b64decode(converted["files"]["ranks.tiktoken"]).splitlines()) == 260
    config = json.loads(b64decode(converted["files"]["tokenizer_config.json"]))
    assert config["pat_str"] == converted["pattern"]


@pytest.mark.nightly
def test_the_page_hands_out_a_zip_that_can_be_converted_back(ask):
    answer = ask("POST", "/doctor/convert", files=sent(GOOD), data={"to": "tiktoken"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="converted.zip"'
    back = ask("POST", "/doctor/convert", files=sent({"x.zip": answer.content}), data={"to": "tokenizer.json"})
    (data,) = unzip_files(back.content).values()
    assert json.loads(data)["model"]["merges"] == [["t", "h"], ["th", "e"], ["Ġ", "the"], ["a", "n"]]


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("vocab.txt", "A vocab.txt is of BERT's tokenizer"),
        ("sentencepiece", "SentencePiece splits a text at no pattern; the pre-tokenizer ByteLevel does."),
        ("word", "'word' is no format to convert to; valid are tokenizer.json, tiktoken, sentencepiece, vocab.txt."),
        ("", "'' is no format to convert to"),
    ],
)
def test_a_conversion_that_cannot_be_is_refused_with_the_reason(ask, to, reason):
    answer = ask("POST", "/api/doctor/convert", files=sent(GOOD), data={"to": to})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad-file")
    assert reason in answer.json()["detail"]
    html = {"Accept": "text/html"}
    page = ask("POST", "/doctor/convert", files=sent(GOOD), data={"to": to}, headers=html)
    assert page.status_code == 422
    assert reason.replace("'", "&#39;") in page.text


def test_what_is_examined_is_not_kept(ask):
    before = (ask("GET", "/api/tokenizers")).json()
    ask("POST", "/api/doctor", files=sent(GOOD))
    assert (ask("GET", "/api/tokenizers")).json() == before


def test_a_finding_names_its_line_and_is_fixed_with_a_proof(ask):
    page = ask("POST", "/doctor", files=sent(BAD["clean-up-spaces"])).text
    assert "tokenizer_config.json</bdi>, line 1, column 26: <code>" in page
    assert 'name="fix" value="clean-up-spaces">Fix it' in page
    fixed = " ".join(
        ask("POST", "/doctor", files=sent(BAD["clean-up-spaces"]), data={"fix": "clean-up-spaces"}).text.split()
    )
    assert "tokenizer_config.json: Set clean_up_tokenization_spaces to false." in fixed
    assert "1,000 generated texts give the same ids before and after, read by tokenizers and from scratch." in fixed
    assert "The finding is gone." in fixed
    assert "Nothing is wrong with these files." in fixed


def test_corrected_files_are_downloaded(ask):
    answer = ask("POST", "/doctor/mend", files=sent(BAD["merge-repeated"]), data={"fix": "all"})
    assert answer.headers["content-disposition"] == 'attachment; filename="tokenizer.json"'
    assert answer.json()["model"]["merges"].count(["a", "n"]) == 1
    assert ask("POST", "/doctor/mend", files=sent(GOOD), data={"fix": "all"}).status_code == 422
    refused = ask("POST", "/doctor/mend", files=sent(GOOD), data={"fix": "orphans"})
    assert "cannot be corrected" in refused.json()["detail"]
