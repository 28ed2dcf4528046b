"""The doctor's page and API: findings for files in a form, which are not kept."""

import json

import pytest

from tests.lab.test_doctor import BAD, GOOD


def sent(files):
    return [("file", (name, data, "application/octet-stream")) for name, data in files.items()]


async def test_the_api_answers_with_findings_and_texts(client):
    answer = await client.post("/api/doctor", files=sent(BAD["bos-never"]), data={"text": "the man"})
    assert answer.status_code == 200
    report = answer.json()
    assert report["worst"] == "error"
    assert [one["code"] for one in report["findings"] if one["severity"] == "error"] == ["bos-never"]
    assert [column["engine"] for column in report["columns"]] == ["tokenizers", "scratch"]
    assert report["texts"][0]["name"] == "your text"


async def test_the_page_shows_findings_without_a_script(client):
    page = await client.get("/doctor")
    assert page.status_code == 200
    assert 'enctype="multipart/form-data"' in page.text
    answer = await client.post("/doctor", files=sent(BAD["orphans"]))
    assert answer.status_code == 200
    assert "1 tokens are made by no merge" in answer.text
    assert "xyz" in answer.text


async def test_a_sound_file_is_said_to_be_one(client):
    answer = await client.post("/doctor", files=sent(GOOD))
    assert "Nothing is wrong with these files." in answer.text
    assert "read 59 texts alike" in " ".join(answer.text.split())


async def test_names_and_tokens_of_files_are_escaped(client):
    files = {"<script>alert(1)</script>.json": GOOD["tokenizer.json"].replace(b'"the"', b'"<b>"')}
    answer = await client.post("/doctor", files=sent(files))
    assert "<script>alert" not in answer.text
    assert "<b>" not in answer.text


@pytest.mark.parametrize("contents", [b"", b"hello", b"{}", b"\xff\xfe", json.dumps({"model": []}).encode()])
async def test_what_is_no_tokenizer_is_refused_with_the_reason(client, contents):
    answer = await client.post("/api/doctor", files=sent({"x": contents}))
    assert (answer.status_code, answer.json()["code"]) == (422, "bad-file")


async def test_a_form_without_files_is_refused(client):
    answer = await client.post("/api/doctor", files=[("text", (None, "a"))])
    assert answer.status_code == 422


async def test_a_truncated_form_is_refused(client):
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert (await client.post("/api/doctor", content=body, headers=headers)).status_code == 400


async def test_what_is_examined_is_not_kept(client):
    before = (await client.get("/api/tokenizers")).json()
    await client.post("/api/doctor", files=sent(GOOD))
    assert (await client.get("/api/tokenizers")).json() == before
