"""Files have the tokens of their texts, also from the cache, and what is no text is told apart."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tokenarium.corpus.documents import MAX_DOCUMENT
from tokenarium.corpus.folder.counting import count_part, count_parts, divide, make_plan
from tokenarium.corpus.folder.listing import list_files
from tokenarium.corpus.folder.usage import count_keys, measure
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.results import ResultCache
from tokenarium.settings import Settings
from tokenizers import Tokenizer as Library
from tokenizers.models import WordLevel

SETTINGS = Settings(max_loaded=10**12)
IDS = ("o200k_base", "bert-base-uncased")
HOUR = 3600


@pytest.fixture
def folder(tmp_path):
    """A folder with texts that were written an hour ago, and what is no text."""
    folder = tmp_path / "files"
    (folder / "src").mkdir(parents=True)
    texts = {"a.md": b"Hello, world!", "src/b.py": b"print('Hi')\n" * 9, "uv.lock": b"x = 1", "n.ipynb": b"{}"}
    others = {"empty": b"", "photo.png": b"\x89PNG\0\0", "old.txt": b"caf\xe9"}
    for name, data in (texts | others).items():
        (folder / name).write_bytes(data)
        os.utime(folder / name, (0, 0))
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(MAX_DOCUMENT + 1)
    os.symlink("src", folder / "link")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture
def cache(tmp_path):
    """A cache to which no file is too new."""
    return ResultCache(tmp_path / "cache" / "counts.sqlite3", fresh=-HOUR * 10**9)


@pytest.fixture
def counted(registry, cache):
    """Measure a folder with a cache; the names of the files that were counted, and the result."""

    def counted(folder, ids=IDS, cache=cache):
        names = []

        def count(files, keys):
            names.extend(file.name.removeprefix(f"{folder}/") for file in files)
            plan, _ = make_plan(SETTINGS, ids, files)
            return count_parts(plan, [*divide(files)], None, keys=keys, cache=cache)

        usage = measure(list_files([str(folder)]), registry, ids, count, cache=cache, tops=[str(folder)])
        return names, usage

    return counted


def tokens(usage, folder):
    return {file.name.removeprefix(f"{folder}/"): tuple(file.tokens) for file in usage.files}


def test_the_tokens_are_those_of_each_text(registry, folder, counted):
    texts = {name: (folder / name).read_text() for name in ("a.md", "empty", "n.ipynb", "src/b.py", "uv.lock")}
    expected = {name: tuple(len(registry.get(id).encode(text)) for id in IDS) for name, text in texts.items()}
    _, usage = counted(folder)
    assert tokens(usage, folder) == expected
    assert usage.total.bytes == sum(len(text) for text in texts.values())
    assert (usage.of_kind("lock").tokens, usage.of_kind("notebook").files) == ([*expected["uv.lock"]], 1)


def test_what_is_no_text_is_skipped_with_the_reason(folder, counted):
    _, usage = counted(folder)
    assert {one.name.removeprefix(f"{folder}/"): one.why for one in usage.skipped} == {
        "huge.txt": "larger than 64 MB",
        "link": "symbolic link",
        "old.txt": "not UTF-8",
        "photo.png": "binary",
        "pipe": "no regular file",
    }


def test_what_has_not_changed_is_not_read_again(folder, counted):
    _, first = counted(folder)
    names, second = counted(folder)
    assert (names, second) == (["huge.txt"], first)  # whose content is not read, so that it has no hash
    (folder / "a.md").write_text("Hello, World!")  # of the same size
    os.utime(folder / "a.md", (0, 0))
    assert counted(folder)[0] == ["a.md", "huge.txt"]


def test_a_moved_file_is_read_and_not_tokenized_again(folder, counted, cache):
    counted(folder)
    (folder / "src").rename(folder / "lib")
    with sqlite3.connect(cache.path) as db:
        db.execute("UPDATE counts SET tokens = 77 WHERE tokens > 30")
    db.close()
    names, usage = counted(folder)
    assert names == ["huge.txt", "lib/b.py"]
    assert tokens(usage, folder)["lib/b.py"] == (77, 77)


def test_a_file_that_was_written_just_now_is_read_again(folder, counted, cache):
    for fresh in (HOUR, -HOUR):
        counted(folder, cache=replace(cache, fresh=fresh * 10**9))
        assert len(counted(folder)[0]) == 8 if fresh > 0 else 1


def test_another_tokenizer_counts_anew(folder, counted):
    counted(folder)
    names, usage = counted(folder, ("gpt2",))
    assert "a.md" in names
    assert usage.total.tokens == [54]


def test_a_damaged_cache_is_replaced(folder, counted, cache):
    _, first = counted(folder)
    cache.clear()
    cache.path.write_bytes(b"no database" * 1000)
    assert counted(folder)[1] == first
    assert counted(folder)[0] == ["huge.txt"]


def test_the_cache_is_bounded(folder, counted, cache):
    counted(folder, cache=replace(cache, files=4))
    with sqlite3.connect(cache.path) as db:
        rows = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("files", "counts")]
    assert rows == [3, 7]  # nine tenths of four and of eight
    db.close()
    cache.clear()
    assert [*cache.path.parent.iterdir()] == []


def test_without_a_place_for_the_cache_all_is_counted(folder, counted, tmp_path):
    (tmp_path / "file").write_text("")
    _, usage = counted(folder, cache=ResultCache(tmp_path / "file" / "cache"))
    assert usage.total.files == 5


def test_a_file_that_is_gone_is_named_and_the_others_are_counted(folder):
    files = list_files([str(folder / "src"), str(folder / "a.md")]).files
    (folder / "src" / "b.py").unlink()
    plan, _ = make_plan(SETTINGS, IDS, files)
    (part,) = divide(files)
    results = count_part(plan, (), None, part).results
    assert [(result.why, result.tokens) for result in results] == [
        ("unreadable: No such file or directory", ()),
        ("", (4, 4)),
    ]


def test_a_text_that_a_tokenizer_refuses_is_named_and_the_others_are_counted(tmp_path):
    (tmp_path / "vocabulary").mkdir()
    library = Library(WordLevel({"a": 0}))
    library.save(str(tmp_path / "vocabulary" / "tokenizer.json"))
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    files = list_files([str(tmp_path / "a"), str(tmp_path / "b")]).files
    settings = Settings(hub=(str(tmp_path / "vocabulary"),))
    (part,) = divide(files)
    (first, second) = count_part(Plan(settings, ("vocabulary",)), (), None, part).results
    assert (first.tokens, second.tokens) == ((1,), ())
    assert second.why.startswith("unreadable: ")


def test_parts_are_counted_on_any_executor(folder):
    files = [file for file in list_files([str(folder)]).files if not file.name.endswith("huge.txt")]
    plan, _ = make_plan(SETTINGS, IDS, files)
    with ThreadPoolExecutor(2) as pool:
        results = {file.path: result for file, result, _ in count_parts(plan, [*divide(files)], pool)}
    assert {path: result.tokens for path, result in results.items()}[str(folder / "a.md")] == (4, 4)


def test_files_are_divided_by_size(folder):
    files = list_files([str(folder)]).files
    assert [[file.name.rpartition("/")[2] for file in part.files] for part in divide(files)] == [
        ["a.md", "empty"],
        ["huge.txt"],
        ["n.ipynb", "old.txt", "photo.png", "uv.lock", "b.py"],
    ]


def test_a_tokenizer_without_known_files_has_no_key(registry):
    assert len({*count_keys(registry, ["gpt2", "o200k_base", "bytes", "characters"], "text")}) == 4
