"""A user's own tokenizer: what is read, where it then is, and what each bad file gets, over JSON and HTML."""

import io
import json
import os
import stat
import tempfile
import zipfile
from html import escape, unescape

import anyio
import pytest
from tokenarium.files.protobuf import field
from tokenarium.files.sentencepiece.model import ScoredPiece, SentencePieceModel, dump_model
from tokenarium.jobs.atomic_store import MAX_FOLDERS, OWNER
from tokenarium.lab.tokenizers.adding import PROBE
from tokenarium.main import create_app, lifespan
from tokenarium.registry import Registry
from tokenarium.store import PRIVATE_FOLDER
from tokenarium.temporary_folders import locked_folder
from tokenarium.web.offered import COOKIE

from tests.conftest import asker
from tests.support.shelves import OwnRegistry, files, settings
from tests.support.uploads import JSON, SITE, send
from tests.support.vocabularies import learned

HTML = {**SITE, "Accept": "text/html"}
NAME = "../<b>passwd"
FIELD = b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n%s\r\n--x--\r\n'
PIECES = (ScoredPiece("<unk>", 0.0, "unknown"), ScoredPiece("a", -1.5))
WAYS = ("/api/tokenizers", "/tokenizers")


@pytest.fixture
def server(tmp_path, registry):
    """Settings that keep in a folder of the test, and an app over them."""
    chosen = settings(tmp_path)
    return chosen, asker(OwnRegistry(chosen, registry), local=chosen.local)


def zipped(members):
    """A zip of members by name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in members.items():
            archive.writestr(name, contents)
    return data.getvalue()


def changed(**changes):
    """The tokenizer.json with other keys."""
    return json.dumps({**json.loads(JSON), **changes}).encode()


def ids(ask, id, text="the newest <|end|>", **options):
    return ask("POST", "/tokenize", json={"tokenizer": id, "text": text, **options}).json()["ids"]


KINDS = {
    "tokenizer.json": ("bytes with special tokens", ["tokenizers", "scratch"]),
    "ranks.tiktoken": ("bytes with special tokens", ["tiktoken", "scratch"]),
    "minbpe.model": ("bytes", ["scratch"]),
    "sentencepiece.model": ("sentencepiece bpe", ["sentencepiece", "scratch"]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_told_by_its_content_and_is_on_every_page_with_every_engine(server, kind):
    _, ask = server
    vocabulary, engines = KINDS[kind]
    answer = send(ask, (NAME, files(learned(vocabulary))[kind]))
    told = answer.json()
    assert (answer.status_code, told["engines"], told["kept"], told["expires_in"]) == (201, engines, True, None)
    assert (told["origin"], told["title"]) == ("added", "<b>passwd")
    assert answer.headers["location"] == f"/api/tokenizers/{told['id']}"
    for path in ("/", "/steps", "/compare", "/chat", "/conformance", "/tokenizers"):
        page = ask("GET", path).text
        assert told["id"] in page, path
        assert "<b>passwd" not in page, path
    assert len({tuple(ids(ask, told["id"], engine=engine)) for engine in engines}) == 1
    body = {"branch": "encode", "tokenizer": told["id"], "text": "the newest"}
    assert ask("POST", "/api/trace", json=body).json()["ids"] == ids(ask, told["id"], "the newest")


def test_a_name_becomes_the_title_and_the_id_is_one_of_the_contents(server):
    chosen, ask = server
    first, again = (send(ask, JSON, name="<i>My</i> own").json() for _ in range(2))
    assert first["id"] == again["id"]
    assert first["id"].startswith("i-my-i-own-")
    assert first["title"] == "<i>My</i> own"
    assert escape(first["title"]) in ask("GET", "/").text
    assert first["title"] not in ask("GET", f"/tokenizers?added={first['id']}").text
    assert [info.id for info in Registry(chosen).local()] == [first["id"]]
    assert ask("GET", f"/api/tokenizers/{first['id']}").json()["bytes"] == len(JSON)


def test_a_form_without_javascript_adds_shows_and_deletes(server):
    chosen, ask = server
    answer = send(ask, JSON, path="/tokenizers", headers=HTML, name="Mine", back="/steps", keep="1")
    assert answer.status_code == 303
    assert "set-cookie" not in answer.headers
    page = ask("GET", answer.headers["location"]).text
    assert "Added: <bdi>Mine</bdi>" in page
    (id,) = [info.id for info in Registry(chosen).local()]
    assert f'<a class="back" href="/steps?tokenizer={id}">steps</a>' in page
    assert ask("POST", "/tokenizers/delete", data={"id": id}, headers=SITE).headers["location"] == "/tokenizers"
    assert Registry(chosen).local() == []
    assert ask("GET", f"/api/tokenizers/{id}").status_code == 404


def test_a_zip_and_several_files_are_one_tokenizer_with_its_config(server):
    _, ask = server
    config = json.dumps({"chat_template": "{{ messages[0].content }}<|end|>", "auto_map": {"AutoTokenizer": "x.py"}})
    members = {"Model/tokenizer.json": JSON, "Model/tokenizer_config.json": config.encode()}
    bag = zipped({**members, "Model/weights.bin": b"\x80\x04cos\nsystem\n", "Model/x.py": b"raise SystemExit"})
    for told in (send(ask, bag).json(), send(ask, *members.items()).json()):
        assert told["title"] == "Model"
        body = {"tokenizer": told["id"], "messages": [{"role": "user", "content": "the"}]}
        answer = ask("POST", "/api/chat", json=body)
        assert answer.json()["prompt"] == "the<|end|>"
        assert f'<option value="{told["id"]}"' in ask("GET", "/chat").text.partition("With a custom template")[0]


def test_a_component_that_the_from_scratch_engine_lacks_is_named_and_the_library_serves(server):
    _, ask = server
    told = send(ask, changed(normalizer={"type": "Prepend", "prepend": "x"}, pre_tokenizer={"type": "Metaspace2"}))
    assert told.status_code == 422
    told = send(ask, changed(decoder={"type": "Strip", "content": "x", "start": 1, "stop": 0})).json()
    assert told["engines"][0] == "tokenizers"


@pytest.mark.parametrize(
    ("pattern", "note"),
    [
        (
            "[0-9]",
            "1 of 43 sampled kinds of characters get no token: the normalizer removes them. For example: digits (5).",
        ),
        (
            r"[\s\S]",
            "43 of 43 sampled kinds of characters get no token: the normalizer removes them. For example: accents (é), "
            "combining accents (e + U+0301), capital letters (A).",
        ),
    ],
)
def test_text_that_a_normalizer_removes_is_said(server, pattern, note):
    _, ask = server
    removes = {"type": "Replace", "pattern": {"Regex": pattern}, "content": ""}
    told = send(ask, changed(normalizer=removes)).json()
    assert note in ask("GET", f"/api/tokenizers/{told['id']}").json()["notes"]


def test_what_was_changed_to_read_a_file_is_told_wherever_it_is_described(server):
    _, ask = server
    cut = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}
    id = send(ask, changed(truncation=cut)).json()["id"]
    notes = ask("GET", f"/api/tokenizers/{id}").json()["notes"]
    assert any("truncat" in note.lower() for note in notes)
    list_ = ask("GET", "/tokenizers").text.partition('id="list"')[2]
    assert all(f"<li><bdi>{escape(note)}</bdi></li>" in list_ for note in notes)


BAD = {
    "nothing": (b"", "The file is empty"),
    "cut off": (JSON[:200], "not JSON at line"),
    "another JSON": (b'{"a": [1]}', "of no known format"),
    "text": (b"Hello, world!\nHow are you?\n", "neither ranks"),
    "a model that no engine knows": (
        changed(model={"type": "Magic", "vocab": {"a": 0}}),
        "tokenizers cannot read the file",
    ),
    "merges of nothing": (changed(model={"type": "BPE", "vocab": {"a": 0}, "merges": ["x y"]}), "Merge 0 needs "),
    "an absurd GGUF": (b"GGUF\x03\0\0\0" + b"\xff" * 16, ""),
    "ranks twice": (b"IQ== 0\nIg== 0\nIw== 1\n", ""),
    "a zip that leads out": (zipped({"../tokenizer.json": JSON}), "leads out of it"),
    "an empty zip": (zipped({}), "There is no file that can belong to a tokenizer"),
    "bytes of no format": (bytes(1000), "It has bytes that are 0, as no text has"),
    "a zip of many": (zipped({f"{number}.json": b"{}" for number in range(1001)}), "at most 1,000"),
    "a damaged zip": (zipped({"tokenizer.json": JSON})[:-40], "cannot be read"),
    "deep": (b'{"model": {"vocab": ' + b"[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("path", WAYS)
@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_422_and_nothing_is_kept(server, case, path):
    chosen, ask = server
    data, reason = BAD[case]
    answer = send(ask, data, path=path, headers=HTML if path == "/tokenizers" else SITE)
    assert answer.status_code == 422, answer.text
    assert escape(reason, quote=False) in answer.text
    assert ("<html" in answer.text) == (path == "/tokenizers")
    assert len(answer.text) < 6000
    assert Registry(chosen).local() == []
    assert [*chosen.local.glob("*/*")] == []


def test_a_link_in_a_zip_is_refused(server):
    _, ask = server
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        link = zipfile.ZipInfo("tokenizer.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    answer = send(ask, data.getvalue())
    assert (answer.status_code, answer.json()["code"]) == (422, "bad-file")
    assert "link" in answer.json()["detail"]


def test_a_zip_bomb_is_refused_by_its_limit(server):
    _, ask = server
    answer = send(ask, zipped({"tokenizer.json": bytes(250_000_000)}))
    assert (answer.status_code, answer.json()["limit"]) == (422, 200_000_000)


@pytest.mark.parametrize("path", WAYS)
def test_a_file_over_the_limit_is_413_announced_or_in_chunks(tmp_path, path):
    chosen = settings(tmp_path)
    ask = asker(Registry(chosen), local=chosen.local, max_upload=1000)
    answer = send(ask, b"x" * 2000, path=path)
    assert (answer.status_code, answer.json()["limit"]) == (413, 1000)

    async def chunks():
        for _ in range(30):
            yield b"x" * 100

    headers = {**SITE, "Content-Type": "multipart/form-data; boundary=x"}
    assert ask("POST", path, content=chunks(), headers=headers).status_code == 413


@pytest.mark.parametrize("path", WAYS)
@pytest.mark.parametrize(
    ("content", "media", "status"),
    [
        (b"{}", "application/json", 415),
        (b"garbage", "multipart/form-data; boundary=x", 400),
        (b"--x\r\n", "multipart/form-data", 400),
        (FIELD % b"\xff", "multipart/form-data; boundary=x", 400),
        (FIELD % b"no file", "multipart/form-data; boundary=x", 422),
    ],
)
def test_a_bad_form_is_refused(server, path, content, media, status):
    _, ask = server
    assert ask("POST", path, content=content, headers={**SITE, "Content-Type": media}).status_code == status


@pytest.mark.parametrize("path", WAYS)
def test_another_site_a_long_name_and_too_many_files_are_refused(server, path):
    _, ask = server
    assert send(ask, JSON, path=path, headers={"Sec-Fetch-Site": "cross-site"}).json()["code"] == "cross-site"
    assert send(ask, JSON, path=path, name="x" * 101).json()["pointer"] == "/title"
    assert send(ask, *[JSON] * 101, path=path).status_code == 413


@pytest.mark.parametrize("path", WAYS)
def test_a_full_shelf_is_507_and_nothing_partial_is_there(tmp_path, path):
    chosen = settings(tmp_path, quota=100)
    ask = asker(Registry(chosen), local=chosen.local, quota=100)
    assert send(ask, JSON, path=path).status_code == 507
    assert Registry(chosen).list_damaged() == Registry(chosen).local() == []
    assert [path.name for path in chosen.local.iterdir()] == [".lock"]


def test_where_nothing_is_kept_one_is_private_to_who_knows_its_id(tmp_path, registry):
    chosen = settings(tmp_path)
    ask = asker(OwnRegistry(chosen, registry), local=chosen.local, keep=False)
    told = send(ask, JSON, name="Secret").json()
    assert (told["kept"], told["expires_in"]) == (False, 3600)
    assert len(told["id"]) == len("private-") + 22
    for path in ("/", "/compare", "/tokenizers", "/api/tokenizers", "/healthz"):
        page = ask("GET", path).text
        assert "Secret" not in page, path
        assert told["id"] not in page, path
    assert ids(ask, told["id"])
    assert "Secret" in ask("GET", f"/?tokenizer={told['id']}").text
    assert f'value="{told["id"]}" selected' in ask("GET", f"/steps?tokenizer={told['id']}").text
    assert ask("DELETE", f"/api/tokenizers/{told['id']}", headers=SITE).status_code == 204
    assert ask("GET", f"/api/tokenizers/{told['id']}").status_code == 404


def test_two_hundred_uploads_of_one_visitor_close_them_for_nobody(tmp_path):
    chosen = settings(tmp_path)
    one, other = (asker(Registry(chosen), address=f"192.0.2.{host}", local=chosen.local, keep=False) for host in (1, 2))
    first = send(one, JSON).json()["id"]
    private = chosen.local / PRIVATE_FOLDER
    assert private.stat().st_mode & 0o777 == 0o700  # no other user of the machine can read them
    for number in range(MAX_FOLDERS - 1):  # what 199 more uploads leave
        copy = private / f"private-{number:022}"
        copy.mkdir()
        (copy / OWNER).write_bytes((private / first / OWNER).read_bytes())
    answer = send(other, JSON)
    assert (answer.status_code, len([*private.glob("private-*")])) == (201, MAX_FOLDERS)
    assert other("GET", f"/api/tokenizers/{first}").status_code == 404
    assert send(one, JSON).status_code == 201
    assert other("GET", f"/api/tokenizers/{answer.json()['id']}").status_code == 200


def test_folders_that_a_killed_server_left_are_swept_and_those_under_way_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, new = tmp_path / "tokenarium-server-left", tmp_path / "tokenarium-server-new"
    for folder in (left, new):
        folder.mkdir()
        (folder / "body").write_bytes(b"{")
    (tmp_path / "tokenarium-server-link").symlink_to(tmp_path)
    with locked_folder() as received:
        for folder in (left, received):
            os.utime(folder, (0, 0))

        async def start():
            async with lifespan(create_app(settings(tmp_path, workers=0))):
                pass

        anyio.run(start)
        names = ["tokenarium-server-link", new.name, received.name]
        assert sorted(path.name for path in tmp_path.glob("tokenarium-server-*")) == sorted(names)
    assert not received.exists()


def test_the_browser_that_added_a_private_one_finds_it_in_every_picker(server):
    _, ask = server
    answer = send(ask, JSON, path="/tokenizers", headers=HTML, name="Secret", keep="0")
    cookie = answer.headers["set-cookie"]
    assert ("HttpOnly" in cookie, "SameSite=strict" in cookie, "Max-Age=3600" in cookie) == (True, True, True)
    mine = {"Cookie": cookie.partition(";")[0]}
    for path in ("/", "/steps", "/compare", "/chat", "/conformance", "/tokenizers"):
        assert "Secret" in ask("GET", path, headers=mine).text, path
        assert "Secret" not in ask("GET", path).text, path
        assert ask("GET", path, headers={"Cookie": f"{COOKIE}=private-{'x' * 22}.<b>"}).status_code == 200


def test_a_damaged_one_is_quarantined_and_the_others_served(server):
    chosen, ask = server
    broken, whole = (send(ask, JSON, name=name).json()["id"] for name in ("Broken", "Whole"))
    (chosen.local / broken / "tokenizer.json").write_bytes(b"{}")
    fresh = asker(Registry(chosen), local=chosen.local)
    assert ids(fresh, whole)
    assert fresh("POST", "/tokenize", json={"tokenizer": broken, "text": "a"}).status_code == 404
    assert (
        f'These folders are damaged and are not loaded: <bdi class="mono">{broken}' in fresh("GET", "/tokenizers").text
    )


def test_a_pattern_that_explodes_is_ended_by_its_time(server):
    _, ask = server
    split = {"type": "Split", "pattern": {"Regex": "(?:(?:a|a)+)+(?=c)|[^a]"}, "behavior": "Isolated", "invert": False}
    top = json.loads(JSON)
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    top["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, level]}
    told = send(ask, json.dumps(top).encode()).json()
    for engine in told["engines"]:
        body = {"tokenizer": told["id"], "text": "a" * 40 + "b", "engine": engine}
        answer = ask("POST", "/tokenize", json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "regex-timeout")


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (changed(pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}] * 20_000}), "components"),
        (changed(normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}] * 1001}), "components"),
        (dump_model(SentencePieceModel(PIECES, "unigram")) + field(2, b"x" * 8_000_000), "4,000,000"),
        (dump_model(SentencePieceModel(PIECES, "unigram")) + field(9, 1) * 2000, "1,000"),
    ],
    ids=["pre-tokenizers", "normalizers", "trainer spec", "many parts"],
)
def test_a_file_that_no_engine_should_load_is_refused(server, contents, message):
    _, ask = server
    response = send(ask, contents)
    assert response.status_code == 422
    assert message in response.json()["detail"]


def test_characters_that_no_token_stands_for_are_named_and_the_spans_of_others_are_theirs(server):
    _, ask = server
    model = {"type": "BPE", "vocab": {letter: id for id, letter in enumerate(["l", "o", "ll", "Ġ"])}}
    told = send(ask, changed(model=model | {"merges": ["l l"]}, added_tokens=[])).json()
    for engine in told["engines"]:
        body = {"tokenizer": told["id"], "text": "Hello élo", "engine": engine}
        answer = ask("POST", "/api/tokenize", json={**body, "include": ["ids", "offsets"]}).json()
        assert answer["ids"] == [2, 1, 3, 0, 1]
        assert answer["byte_starts"] == [2, 4, 5, 8, 9]
        assert answer["byte_ends"] == [4, 5, 6, 9, 10]
        assert answer["char_starts"] == [2, 4, 5, 7, 8]
        assert answer["notes"] == ["No token stands for 3 characters of the text: 'H', 'e', 'é'."]


def test_special_tokens_that_a_config_splits_are_text_in_dialects_and_chats_too(server):
    _, ask = server
    config = {"split_special_tokens": True, "chat_template": "{{ messages[0].content }}</s>"}
    id = send(ask, ("tokenizer.json", JSON), ("tokenizer_config.json", json.dumps(config).encode())).json()["id"]
    split, recognized = (ids(ask, id, "the</s>", special=policy) for policy in ("text", "parse"))
    assert len(split) > len(recognized)
    messages = [{"role": "user", "content": "the"}]
    assert ask("POST", "/tokenize", json={"model": id, "prompt": "the</s>"}).json()["tokens"] == split
    assert ask("POST", "/tokenize", json={"model": id, "messages": messages}).json()["tokens"] == split
    assert ask("POST", "/api/chat", json={"tokenizer": id, "messages": messages}).json()["ids"] == split


LETTERS = {letter: id for id, letter in enumerate(sorted({*PROBE}))}


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ({"type": "WordLevel", "vocab": {PROBE: 0}, "unk_token": "[U]"}, "there is no unknown token '[U]' in it."),
        ({"type": "WordPiece", "vocab": {PROBE: 0}, "unk_token": "[U]"}, "there is no unknown token '[U]' in it."),
        ({"type": "BPE", "vocab": LETTERS, "merges": [], "unk_token": "[U]"}, "there is no unknown token '[U]' in it."),
        ({"type": "Unigram", "vocab": [[one, -1.0] for one in LETTERS]}, "the model names no unknown token."),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_a_text_that_needs_an_unknown_token_where_there_is_none_is_refused(server, model, reason):
    _, ask = server
    shared = (
        {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100} if model["type"] == "WordPiece" else {}
    )
    parts = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    told = send(ask, changed(model=model | shared, added_tokens=[], **parts)).json()
    assert told["engines"] == ["tokenizers", "scratch"]
    for body in ({"engine": engine} for engine in (*told["engines"], None)):
        assert ask("POST", "/tokenize", json={"tokenizer": told["id"], "text": PROBE, **body}).status_code == 200
        answer = ask("POST", "/tokenize", json={"tokenizer": told["id"], "text": "zzz", **body})
        assert (answer.status_code, answer.json()["code"]) == (422, "no-unknown-token")
        detail = f"The text has a word or a character that the vocabulary lacks, and {reason}"
        assert answer.json()["detail"] == detail
    page = ask("POST", "/", data={"tokenizer": told["id"], "text": "zzz"}, headers=HTML)
    assert (page.status_code, detail in unescape(page.text)) == (422, True)
    assert ask("POST", "/compat/tei/tokenize", json={"model": told["id"], "inputs": ["zzz"]}).json() == {
        "error": detail,
        "error_type": "tokenizer",
    }
