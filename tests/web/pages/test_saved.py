"""What was trained here is on every page at once, is taken away in its files, and deleted; nothing else is."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from html import escape

import pytest
from tokenarium.lab.tokenizers.saving import delete
from tokenarium.lab.train.saving import list_saved
from tokenarium.registry import Registry
from tokenarium.serialize.templates import templates
from tokenarium.settings import ROOT
from tokenizers import Tokenizer

from tests.conftest import asker
from tests.support.shelves import ACCOUNT, OwnRegistry, files, keep, settings, small
from tests.support.vocabularies import learned

TITLE = "<i>Shan</i> & three"
SITE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def shelf(tmp_path, registry):
    """Settings with one tokenizer kept, its id, and an app over them."""
    chosen = settings(tmp_path)
    id = keep(chosen, learned("bytes with special tokens"), replace(ACCOUNT, title=TITLE))
    return chosen, id, asker(OwnRegistry(chosen, registry), store=chosen.store, local=chosen.local)


def test_it_is_on_every_page_and_in_the_api(shelf):
    _, id, ask = shelf
    for path in ("/", "/steps", "/compare", "/languages", "/conformance"):
        page = ask("GET", path).text
        assert f'value="{id}"' in page, path
        assert escape(TITLE) in page, path
        assert TITLE not in page, path
    yours = re.search(r'<optgroup label="Yours">(.*?)</optgroup>', ask("GET", "/").text, re.DOTALL)[1]
    assert re.findall(r'value="([^"]*)"', yours) == [id]
    told = ask("GET", f"/api/tokenizers/{id}").json()
    assert (told["title"], told["trained"], told["source"]["package"]) == (TITLE, True, "trained here")
    assert [one["id"] for one in ask("GET", "/api/tokenizers").json() if one["trained"]] == [id]
    assert ask("POST", "/tokenize", json={"tokenizer": id, "text": "the"}).json()["engine"] == "tiktoken"


def test_a_link_opens_each_page_with_it(shelf):
    _, id, ask = shelf
    for path in ("/", "/steps"):
        assert f'value="{id}" selected' in ask("GET", f"{path}?tokenizer={id}").text
    compared = ask("GET", f"/compare?tokenizer={id}&tokenizer=o200k_base").text
    assert compared.count('data-count="tokens"') == 2
    assert ask("GET", f"/languages?tokenizer={id}").status_code == 200
    atlas = ask("GET", f"/api/languages?tokenizer={id}").json()
    assert [one["id"] for one in atlas["tokenizers"]] == [id]
    for path in ("/", "/steps", "/languages"):
        assert ask("GET", f"{path}?tokenizer=nothing").status_code == 404
    assert "There is no tokenizer of this name" in ask("GET", "/compare?tokenizer=nothing").text


METHODS = {
    "bytes as GPT-4o": "merges",
    "bytes between spaces": "merges",
    "wordpiece in lower case": "attempts",
    "marked": "merges",
    "unigram with bytes": "lattice",
    "sentencepiece bpe": "merges",
}


@pytest.mark.parametrize("kind", METHODS)
def test_every_kind_can_be_followed_step_by_step(tmp_path, kind):
    chosen = settings(tmp_path, store=tmp_path)  # an empty one, without an atlas to count a column for
    id = keep(chosen, learned(kind), ACCOUNT)
    ask = asker(Registry(chosen), local=chosen.local)
    body = {"branch": "encode", "tokenizer": id, "text": "The newest, lower İ 🌍"}
    told = ask("POST", "/api/trace", json=body)
    assert (told.status_code, told.json()["method"]) == (200, METHODS[kind])
    ids = ask("POST", "/tokenize", json={"tokenizer": id, "text": body["text"]}).json()["ids"]
    assert told.json()["ids"] == ids
    for step in range(0, 40, 5):
        assert ask("GET", f"/steps?tokenizer={id}&step={step}").status_code == 200


def test_its_files_are_taken_away(shelf):
    _, id, ask = shelf
    types = {"tokenizer.json": "application/json", "ranks.tiktoken": "text/plain; charset=utf-8"}
    for name, data in files(learned("bytes with special tokens")).items():
        answer = ask("GET", f"/api/tokenizers/{id}/download/{name}")
        assert (answer.status_code, answer.content) == (200, data)
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert answer.headers["content-type"] == types[name]
    assert Tokenizer.from_buffer(ask("GET", f"/api/tokenizers/{id}/download/tokenizer.json").content)
    card = ask("GET", f"/api/tokenizers/{id}/download/README.md")
    assert card.headers["content-type"] == "text/markdown; charset=utf-8"
    assert card.text.startswith("# \\<i\\>Shan")


def test_nothing_else_is_taken_away(shelf):
    _, id, ask = shelf
    for path, code in [
        ("gpt2/download/tokenizer.json", "unknown-file"),
        ("nothing/download/tokenizer.json", "unknown-tokenizer"),
        (f"{id}/download/sentencepiece.model", "unknown-file"),
        (f"{id}/download/account.json", "unknown-file"),
        (f"{id}/download/tokenizer.toml", "unknown-file"),
        (f"{id}/download/..%2f..%2ftokenizer.json", "unknown-tokenizer"),
        ("..%2flocal/download/tokenizer.json", "unknown-tokenizer"),
    ]:
        answer = ask("GET", f"/api/tokenizers/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, code), path


def test_a_program_deletes_it_and_its_id_is_gone_at_once(shelf):
    _, id, ask = shelf
    assert ask("DELETE", f"/api/tokenizers/{id}", headers=SITE).status_code == 204
    assert ask("DELETE", f"/api/tokenizers/{id}", headers=SITE).status_code == 404
    assert ask("GET", f"/api/tokenizers/{id}").status_code == 404
    assert ask("GET", f"/?tokenizer={id}").status_code == 404
    assert ask("POST", "/tokenize", json={"tokenizer": id, "text": "the"}).status_code == 404
    assert id not in ask("GET", "/").text


def test_a_form_deletes_it_without_javascript(shelf):
    chosen, id, ask = shelf
    answer = ask("POST", "/train/delete", data={"id": id}, headers=SITE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/train#kept")
    assert Registry(chosen).list_trained() == []


def test_what_may_not_be_deleted_is_not(shelf):
    chosen, id, ask = shelf
    other = {"Sec-Fetch-Site": "cross-site"}
    public = asker(Registry(chosen), local=chosen.local, keep=False)
    for method, path, options in (
        ("DELETE", "/api/tokenizers/{id}", {}),
        ("POST", "/train/delete", {"data": {"id": id}}),
    ):
        assert ask(method, path.format(id=id), headers=other, **options).json()["code"] == "cross-site"
        assert public(method, path.format(id=id), **options).json()["code"] == "not-allowed"
    assert ask("DELETE", "/api/tokenizers/gpt2").json()["code"] == "not-allowed"
    assert ask("DELETE", "/api/tokenizers/..%2f..%2fapp").json()["code"] == "unknown-tokenizer"
    assert ask("POST", "/train/delete", data={"id": ""}).json()["code"] == "unknown-tokenizer"
    assert [info.id for info in Registry(chosen).list_trained()] == [id]
    assert (chosen.store / "gpt2" / "tokenizer.toml").is_file()


def test_the_list_shows_each_with_its_files_and_a_form_and_names_what_is_damaged(shelf):
    chosen, id, _ = shelf
    broken = keep(chosen, small((97, 98)), ACCOUNT)
    (chosen.local / broken / "README.md").write_text("")
    (chosen.local / "<b>").mkdir()
    registry = Registry(chosen)
    module = templates.get_template("train/_kept.html").module
    page = module.kept_list(list_saved(registry), registry.list_damaged(), True)
    assert escape(TITLE) in page
    assert TITLE not in page
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert page.count(f"/api/tokenizers/{id}/download/") == 3
    assert f'name="id" value="{id}"' in page
    assert f">{broken}<" in page
    assert "No sentencepiece.model" in page
    assert "<dt>tokens saved</dt><dd>50.0 %</dd>" in page
    assert "/train/delete" not in module.kept_list(list_saved(registry), [], False)


def test_another_process_sees_what_is_kept_and_deleted_while_it_runs(shelf):
    chosen, id, _ = shelf
    code = (
        "import json, sys; from pathlib import Path; from tokenarium.registry import Registry; "
        "from tokenarium.settings import Settings; registry = Registry(Settings(local=Path(sys.argv[1])));\n"
        "for line in sys.stdin:\n"
        "    ids = [info.id for info in registry.list_trained()]\n"
        "    for id in ids: registry.get(id).encode('a')\n"
        "    print(json.dumps([ids, len(registry.list_loaded())]), flush=True)"
    )
    call = [sys.executable, "-c", code, str(chosen.local)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(call, cwd=ROOT, **pipes) as other:

        def seen():
            other.stdin.write("\n")
            other.stdin.flush()
            return json.loads(other.stdout.readline())

        assert seen() == [[id], 1]
        second = keep(chosen, small((97, 98)), replace(ACCOUNT, title="Zwei"))
        assert seen() == [[id, second], 2]
        delete(chosen, id)
        assert seen() == [[second], 1]
        other.stdin.close()
