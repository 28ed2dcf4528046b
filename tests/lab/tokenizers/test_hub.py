"""What is fetched from a hub on this machine, how much at most, and what is said where that fails."""

import pytest
from tokenarium.errors import NoSpace, Unavailable
from tokenarium.lab.tokenizers.fetching import fetch
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.support.hub_server import hub
from tests.support.shelves import files
from tests.support.vocabularies import learned

JSON = files(learned("bytes with special tokens"))["tokenizer.json"]
BIG = 8_000_000_000


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
