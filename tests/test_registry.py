"""The registry loads once, evicts by bytes, and names what it does not know."""

import os
import shutil
import subprocess
import sys
import threading

import pytest
from tokenarium.errors import BadFile, Unavailable, UnknownEngine, UnknownId, UnknownTokenizer
from tokenarium.jobs.atomic_store import put, remove
from tokenarium.registry import Registry
from tokenarium.settings import ROOT, Settings
from tokenarium.store import add_seal

from tests.conftest import UNLIKE
from tests.support.shelves import folder

STORE = Settings().store


def test_an_unknown_tokenizer_is_answered_with_the_nearest_names(registry):
    with pytest.raises(UnknownTokenizer, match="o200k_base"):
        registry.get("o200k")


def test_an_engine_it_does_not_run_on_is_answered_with_those_it_does(registry):
    with pytest.raises(UnknownEngine, match="runs on tiktoken, scratch"):
        registry.get("gpt2", "sentencepiece")


def test_asking_from_many_threads_loads_once():
    registry, found = Registry(Settings()), []
    threads = [threading.Thread(target=lambda: found.append(registry.get("bert-base-uncased"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one is found[0] for one in found)


def test_the_least_recently_used_is_evicted_by_bytes():
    registry = Registry(Settings(max_loaded=16_000_000))
    for id in ("bert-base-uncased", "mistral-v1", "bert-base-uncased", "mistral-v3"):
        registry.get(id)
    assert registry.list_loaded() == [("bert-base-uncased", "tokenizers"), ("mistral-v3", "sentencepiece")]


def test_what_one_request_uses_is_kept_up_to_twice_the_limit_until_another_needs_less():
    registry = Registry(Settings(max_loaded=12_000_000))
    pieces = [("mistral-v1", "sentencepiece"), ("mistral-v3", "sentencepiece"), ("t5", "sentencepiece")]
    for _ in range(2):
        with registry.one_request():
            for id, _ in pieces:
                registry.get(id)
    assert (registry.list_loaded(), registry.loads, registry.evictions) == (pieces, 3, 0)
    assert registry.nbytes > 12_000_000
    with registry.one_request():
        registry.get("t5")
    assert registry.list_loaded() == pieces[1:]
    assert registry.nbytes <= 12_000_000


def test_one_that_is_larger_than_the_limit_is_still_served():
    registry = Registry(Settings(max_loaded=1))
    assert registry.get("mistral-v1").encode("a").ids.tolist() == [264]
    assert registry.list_loaded() == [("mistral-v1", "sentencepiece")]


def test_a_damaged_file_is_refused_by_its_hash(tmp_path):
    shutil.copytree(STORE / "bert-base-uncased", tmp_path / "bert-base-uncased")
    (tmp_path / "bert-base-uncased" / "tokenizer.json").write_bytes(b"{}")
    with pytest.raises(BadFile, match="hash differs"):
        Registry(Settings(store=tmp_path)).get("bert-base-uncased")


def test_a_truncated_archive_is_refused(tmp_path):
    shutil.copytree(STORE / "mistral-v1", tmp_path / "mistral-v1")
    (packed,) = (tmp_path / "mistral-v1").glob("*.xz")
    packed.write_bytes(packed.read_bytes()[:1000])
    with pytest.raises(BadFile, match="cannot be read"):
        Registry(Settings(store=tmp_path)).get("mistral-v1")


@pytest.mark.parametrize("id", UNLIKE)
def test_every_tokenizer_describes_itself_truly(registry, id):
    info = registry.info(id)
    for engine in info.engines:
        loaded = registry.get(id, engine)
        assert (loaded.info.id, loaded.engine) == (id, engine)
        assert not (info.prefix or info.suffix) or {*info.prefix, *info.suffix} <= {*info.special_tokens}
        if info.vocab_size is not None:
            with pytest.raises(UnknownId):
                loaded.entry(info.vocab_size)
        for token, special_id in info.special_tokens.items():
            assert loaded.encode(token, special="parse").ids.tolist()[-1:] == [special_id]


def test_a_local_directory_is_served_by_tokenizers_and_from_scratch_and_named_by_its_folder(tmp_path, registry):
    folder = tmp_path / "my models" / "bert"
    folder.mkdir(parents=True)
    registry.get("bert-base-uncased").parsing.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
    theirs = Registry(Settings.from_env({"TOKENARIUM_MODELS": f"{folder}"}))
    assert [info.id for info in theirs.infos()][-1] == "bert"
    loaded = theirs.get("bert")
    assert (loaded.engine, loaded.info.engines) == ("tokenizers", ("tokenizers", "scratch"))
    assert (loaded.info.family, loaded.info.vocab_size) == ("wordpiece", 30522)
    for engine in ("tokenizers", "scratch"):
        assert theirs.get("bert", engine).encode("Hello, world").ids.tolist() == [7592, 1010, 2088]


def test_folders_of_the_same_name_are_told_apart_and_files_have_a_name_too(tmp_path):
    for path in ("a/gpt", "b/gpt", "gpt2"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "x.model").write_bytes(b"minbpe v1\n\n0\n104 105\n")
    names = [tmp_path / "a/gpt", tmp_path / "b/gpt", tmp_path / "gpt2", tmp_path / "a/gpt/x.model", "someone/something"]
    registry = Registry(Settings(hub=tuple(map(str, names))))
    ids = [info.id for info in registry.infos() if info.origin == "configured"]
    assert ids == ["gpt", "b/gpt", f"{tmp_path.name}/gpt2", "x.model", "someone/something"]
    assert [registry.get(id).encode("hi").ids.tolist() for id in ids[:-1]] == [[256]] * 4
    assert registry.info("someone/something").engines == ("transformers",)


def test_paths_with_spaces_and_several_names_are_read_from_the_environment(tmp_path):
    spaced = tmp_path / "with two spaces"
    spaced.mkdir()
    names = f"{spaced} someone/model, {tmp_path / 'none'}\n{spaced}"
    models = Settings.from_env({"TOKENARIUM_MODELS": names}).hub
    assert models == (str(spaced), "someone/model", str(tmp_path / "none"), str(spaced))


def test_a_folder_that_changes_is_read_again_and_a_damaged_one_says_why(tmp_path):
    (tmp_path / "x.model").write_bytes(b"minbpe v1\n\n0\n104 105\n")
    registry = Registry(Settings(hub=(str(tmp_path),)))
    assert registry.get(tmp_path.name).encode("hi").ids.tolist() == [256]
    (tmp_path / "x.model").write_bytes(b"minbpe v1\n\n0\n104 105\n256 256\n")
    assert registry.info(tmp_path.name).vocab_size == 258
    assert registry.get(tmp_path.name).encode("hihi").ids.tolist() == [257]
    (tmp_path / "x.model").write_bytes(b"minbpe v1\n\n0\n104 999\n")
    with pytest.raises(BadFile, match="Line 4 merges the id 999"):
        registry.get(tmp_path.name)
    (tmp_path / "x.model").unlink()
    (tmp_path / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}')
    with pytest.raises(BadFile, match=r"tokenizers cannot read the file: .*out of vocab"):
        registry.get(tmp_path.name)


def test_a_hub_id_without_a_network_is_refused_at_once_and_named():
    env = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "TOKENARIUM_MODELS": "someone/something"}
    env.pop("HF_HUB_OFFLINE", None)
    call = [sys.executable, "-m", "tokenarium", "tokenize", "--tokenizer", "someone/something", "a"]
    done = subprocess.run(call, env=env, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)
    assert done.returncode == 1
    assert "no readable tokenizer someone/something at hand" in done.stderr
    assert "Retrying" not in done.stderr


def test_a_directory_without_a_tokenizer_is_named(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    registry = Registry(Settings(hub=(str(empty),)))
    with pytest.raises(Unavailable, match="empty"):
        registry.get("empty")


def test_what_is_kept_is_listed_last_and_what_is_deleted_is_gone_with_what_was_loaded(tmp_path):
    registry = Registry(Settings(local=tmp_path))
    id, files = folder("One", (97, 98))
    assert registry.list_trained() == []
    put(tmp_path, id, files, quota=10**9)
    assert registry.infos()[-1] == registry.info(id)
    assert registry.info(id).trained
    assert not any(info.trained for info in registry.infos()[:-1])
    assert registry.get(id, "scratch").encode("ab").ids.tolist() == [256]
    remove(tmp_path, id)
    with pytest.raises(UnknownTokenizer):
        registry.get(id, "scratch")
    assert registry.list_loaded() == []


def test_what_is_deleted_is_gone_from_every_registry_after_its_next_request(tmp_path):
    registry = Registry(Settings(local=tmp_path))
    id, files = folder("One", (97, 98))
    put(tmp_path, id, files, quota=10**9)
    registry.get(id, "scratch")
    remove(tmp_path, id)  # as another process does
    with registry.one_request():
        registry.get("gpt2")
    assert registry.list_loaded() == [("gpt2", "tiktoken")]


def test_a_private_one_is_found_by_its_id_for_an_hour_and_never_listed(tmp_path):
    registry, id = Registry(Settings(local=tmp_path)), f"private-{'x' * 22}"
    _, files = folder("One", (97, 98))
    description, _, _ = files["tokenizer.toml"].decode().rpartition("# sha256")
    lines = [f'id = "{id}"' if line.startswith("id =") else line for line in description.splitlines()]
    files["tokenizer.toml"] = add_seal('origin = "added"\n' + "\n".join(lines) + "\n")
    put(tmp_path / ".private", id, files, quota=10**9)
    assert registry.get(id, "scratch").encode("ab").ids.tolist() == [256]
    assert registry.info(id).origin == "added"
    assert registry.local() == []
    assert id not in [info.id for info in registry.infos()]
    assert registry.list_loaded() == [(id, "scratch")]
    os.utime(tmp_path / ".private" / id, (0, 0))
    with pytest.raises(UnknownTokenizer) as caught:
        registry.info(id)
    assert "private" not in caught.value.detail
    assert registry.list_loaded() == []


def test_one_that_is_damaged_while_it_is_listed_is_set_aside_when_it_is_loaded(tmp_path):
    registry = Registry(Settings(local=tmp_path))
    id, files = folder("One", (97, 98))
    put(tmp_path, id, files, quota=10**9)
    assert [info.id for info in registry.list_trained()] == [id]
    (tmp_path / id / "ranks.tiktoken").write_bytes(b"AA== 0\n")
    with pytest.raises(UnknownTokenizer):
        registry.get(id)
    assert (registry.list_trained(), registry.list_damaged()) == ([], [id])
    assert registry.get("bytes").encode("a").ids.tolist() == [97]


def test_a_trained_tokenizer_never_takes_the_place_of_one_of_the_store(tmp_path):
    id, files = folder("One", (97, 98))
    put(tmp_path / "local", id, files, quota=10**9)
    shutil.copytree(STORE / "bytes", tmp_path / "store" / id)
    path = tmp_path / "store" / id / "tokenizer.toml"
    path.write_text(path.read_text().replace('id = "bytes"', f'id = "{id}"'))
    registry = Registry(Settings(store=tmp_path / "store", local=tmp_path / "local"))
    assert [(info.id, info.family, info.trained) for info in registry.infos()] == [(id, "byte", False)]
    assert registry.info(id).family == "byte"


def test_a_file_in_place_of_the_folder_of_trained_ones_is_none(tmp_path):
    (tmp_path / "local").write_text("")
    registry = Registry(Settings(local=tmp_path / "local"))
    assert (registry.list_trained(), registry.list_damaged()) == ([], [])


GROWTH = """
import ctypes, gc, sys
from pathlib import Path
from tokenarium.registry import Registry, load
from tokenarium.settings import Settings

def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])

record, engine = Registry(Settings())._record(sys.argv[1]), sys.argv[2]
kept = [load(record, engine)]  # the first also imports the library
before = resident()
kept += [load(record, engine), load(record, engine)]
print((resident() - before) // 2, kept[0].nbytes)
"""


@pytest.mark.parametrize(
    ("id", "engine"),
    [
        ("gpt-neox", "scratch"),
        *(
            pytest.param(*one, marks=pytest.mark.nightly)
            for one in [("cl100k_base", "tiktoken"), ("clip", "tokenizers")]
        ),
    ],
)
def test_the_memory_of_a_tokenizer_is_as_measured(id, engine):
    """It decides what is evicted. Only other pages of the same process could disturb, so a fresh one measures."""
    run = subprocess.run([sys.executable, "-c", GROWTH, id, engine], capture_output=True, text=True, check=True)
    measured, nbytes = map(int, run.stdout.split())
    assert measured / 1.6 < nbytes < measured * 1.6
