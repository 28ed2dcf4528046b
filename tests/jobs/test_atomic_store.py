"""Folders come and go whole: whatever is killed, full, damaged or done twice at once."""

import errno
import os
import random
import resource
import shutil
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tokenarium.atomic_files import hash_owner
from tokenarium.errors import FULL, NoSpace, Unavailable, UnknownTokenizer
from tokenarium.jobs import atomic_store
from tokenarium.jobs.atomic_store import put, remove
from tokenarium.store import LocalFolder

from tests.conftest import TIER
from tests.support.shelves import folder

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
ROOMY = 10**9
PAIRS = [(97 + i, 97 + j) for i in range(4) for j in range(4)]


def hidden(path):
    return [one.name for one in path.iterdir() if one.name.startswith((atomic_store.PART, atomic_store.REMOVED))]


def test_what_is_put_is_there_and_what_is_taken_is_gone(tmp_path):
    id, files = folder("One", (97, 98))
    put(tmp_path, id, files, quota=ROOMY)
    assert {path.name: path.read_bytes() for path in (tmp_path / id).iterdir()} == files
    assert [*LocalFolder(tmp_path).records()] == [id]
    remove(tmp_path, id)
    assert [*LocalFolder(tmp_path).records()] == hidden(tmp_path) == []
    with pytest.raises(UnknownTokenizer):
        remove(tmp_path, id)


def test_putting_the_same_twice_at_once_keeps_it_once(tmp_path):
    id, files = folder("One", (97, 98))
    threads = [threading.Thread(target=put, args=(tmp_path, id, files), kwargs={"quota": ROOMY}) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [*LocalFolder(tmp_path).records()] == [id]
    assert hidden(tmp_path) == []


def test_a_damaged_folder_is_replaced(tmp_path):
    id, files = folder("One", (97, 98))
    put(tmp_path, id, files, quota=ROOMY)
    (tmp_path / id / "ranks.tiktoken").write_bytes(b"")
    put(tmp_path, id, files, quota=ROOMY)
    assert [*LocalFolder(tmp_path).records()] == [id]


def test_a_full_quota_is_told_and_nothing_is_kept(tmp_path):
    id, files = folder("One", (97, 98))
    size = sum(map(len, files.values()))
    with pytest.raises(NoSpace, match=f"This needs {size:,} bytes, and {size - 1:,} of {size - 1:,} are left") as full:
        put(tmp_path, id, files, quota=size - 1)
    assert (full.value.status, full.value.limit) == (507, size - 1)
    put(tmp_path, id, files, quota=size)
    other, more = folder("Two", (97, 98))
    with pytest.raises(NoSpace, match="and 0 of"):
        put(tmp_path, other, more, quota=size)
    assert [*LocalFolder(tmp_path).records()] == [id]
    assert hidden(tmp_path) == []


def test_so_many_are_kept_and_no_more(tmp_path):
    for number in range(atomic_store.MAX_FOLDERS):
        (tmp_path / f"{number}").mkdir()
    with pytest.raises(NoSpace, match="200 tokenizers are kept here already"):
        put(tmp_path, *folder("One", (97, 98)), quota=ROOMY)


def test_who_has_the_most_gives_way_the_oldest_first(tmp_path):
    many = [folder(f"Number {number}", (97, 98)) for number in range(10)]
    size = max(sum(map(len, files.values())) for _, files in many)

    def add(number, owner):
        put(tmp_path, *many[number], quota=4 * size, owner=owner, give_way=True)
        os.utime(tmp_path / many[number][0], (number, number))

    def left():
        here = {*LocalFolder(tmp_path).records()}
        return [number for number, (id, _) in enumerate(many) if id in here]

    add(0, "192.0.2.1")
    for number in range(1, 6):
        add(number, "192.0.2.2")
    assert left() == [0, 3, 4, 5]
    add(6, "192.0.2.3")
    assert left() == [0, 4, 5, 6]
    add(7, "192.0.2.3")
    assert left() == [0, 4, 5, 7]  # of two who have as much, the one who adds gives way
    assert hidden(tmp_path) == []
    with pytest.raises(NoSpace, match="This needs"):
        put(tmp_path, *folder("One", (97, 98)), quota=size // 2, owner="192.0.2.4", give_way=True)
    assert left() == [0, 4, 5, 7]


def test_an_address_keeps_at_most_half_and_its_folders_do_not_tell_it(tmp_path):
    ones = [folder(f"Number {number}", (97, 98)) for number in range(3)]
    size = max(sum(map(len, files.values())) for _, files in ones)
    put(tmp_path, *ones[0], quota=3 * size, owner="192.0.2.1")
    with pytest.raises(NoSpace, match="are left from this address; delete one first"):
        put(tmp_path, *ones[1], quota=3 * size, owner="192.0.2.1")
    put(tmp_path, *ones[1], quota=3 * size, owner="192.0.2.2")
    put(tmp_path, *ones[2], quota=3 * size)
    assert len([*LocalFolder(tmp_path).records()]) == 3
    marks = {(tmp_path / id / atomic_store.OWNER).read_text() for id, _ in ones[:2]}
    assert [len(mark) for mark in marks] == [32, 32]
    assert not any(b"192.0.2" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("limit", [1000, 0])
def test_a_full_disk_is_told_and_nothing_is_kept(tmp_path, limit):
    """The child may write so many bytes into a file; what a full disk raises is another number of the same error."""
    id, files = folder("One", (97, 98))

    def write():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            put(tmp_path, id, files, quota=ROOMY)
        except NoSpace as error:
            return error.__cause__.errno == errno.EFBIG and [path.name for path in tmp_path.iterdir()] == [
                atomic_store.LOCK
            ]
        return False

    assert in_child(write) == 0
    assert {errno.EFBIG, errno.ENOSPC, errno.EDQUOT} == FULL


def test_who_begins_at_once_makes_one_key(tmp_path):
    """Else some marks are of another key, or of none: an address could be found by trying all."""
    with ThreadPoolExecutor(4) as many:
        for number in range(200):
            (root := tmp_path / f"{number}").mkdir()
            assert len({*many.map(hash_owner, [root] * 4, ["192.0.2.1"] * 4)}) == 1


def test_a_key_that_a_full_disk_has_left_empty_is_written_again(tmp_path):
    marks = []
    for _ in range(2):
        (tmp_path / ".key").write_bytes(b"")
        marks.append(hash_owner(tmp_path, "192.0.2.1"))
    assert len({*marks, hash_owner(tmp_path, "192.0.2.1")}) == 2  # and it is kept


def test_a_shelf_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="cannot be written"):
        put(tmp_path / "file" / "local", *folder("One", (97, 98)), quota=ROOMY)


def test_what_a_dead_process_left_is_swept(tmp_path):
    for name in (f"{atomic_store.PART}1", f"{atomic_store.REMOVED}2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "half").write_bytes(b"x")
    (tmp_path / ".jobs").mkdir()
    put(tmp_path, *folder("One", (97, 98)), quota=ROOMY)
    assert hidden(tmp_path) == []
    assert (tmp_path / ".jobs").is_dir()


def test_damage_at_any_byte_sets_the_folder_aside_and_the_others_are_served(tmp_path):
    id, files = folder("One", (97, 98))
    other, more = folder("Two", (97, 98))
    put(tmp_path, id, files, quota=ROOMY)
    put(tmp_path, other, more, quota=ROOMY)
    source = random.Random(5)
    for name, data in files.items():
        places = range(len(data)) if name == "tokenizer.toml" else source.sample(range(len(data)), 60)
        for at in places:
            damaged = bytearray(data)
            damaged[at] ^= 1 << source.randrange(8)
            (tmp_path / id / name).write_bytes(damaged)
            found = LocalFolder(tmp_path)
            assert ([*found.records()], found.list_damaged()) == ([other], [id]), (name, at)
        (tmp_path / id / name).write_bytes(data[: len(data) // 2])
        assert LocalFolder(tmp_path).list_damaged() == [id]
        (tmp_path / id / name).unlink()
        assert LocalFolder(tmp_path).list_damaged() == [id]
        (tmp_path / id / name).write_bytes(data)
    assert LocalFolder(tmp_path).list_damaged() == []


def test_a_folder_under_another_name_or_with_other_files_is_set_aside(tmp_path):
    id, files = folder("One", (97, 98))
    put(tmp_path, id, files, quota=ROOMY)
    shutil.copytree(tmp_path / id, tmp_path / "one-000000000000")
    (tmp_path / "<b>").mkdir()
    found = LocalFolder(tmp_path)
    assert (found.list_damaged(), [*found.records()]) == (["<b>", "one-000000000000"], [id])
    assert found.record("../local") is None
    assert found.record("<b>") is None


def in_child(work):
    """The exit status of a forked child: 0 where its work is true, or minus the signal that ended it."""
    if (pid := os.fork()) == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def coming_and_going(path: Path, seed: int, log: int) -> None:
    """Put and take without end, telling of each deed before and after."""
    source = random.Random(seed)
    while True:
        number, puts = source.randrange(len(FOLDERS)), source.random() < 0.6
        os.write(log, b"%d %d begun\n" % (number, puts))
        if puts:
            put(path, *FOLDERS[number], quota=ROOMY)
        else:
            with suppress(UnknownTokenizer):
                remove(path, FOLDERS[number][0])
        os.write(log, b"%d %d done\n" % (number, puts))


def killed(path: Path, seed: int, lines: int, after: float) -> list[tuple[int, bool, bool]]:
    """The deeds of a child that is killed so many seconds after it has told so many lines: the number, whether it put,
    whether it was done."""
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            coming_and_going(path, seed, writing)
        finally:
            os._exit(2)
    os.close(writing)
    with os.fdopen(reading) as told:
        found = [told.readline() for _ in range(lines)]
        time.sleep(after)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        found += told.readlines()
    return [(int(number), puts == "1", state == "done") for number, puts, state in map(str.split, found)]


KILLS = {"commit": 12, "nightly": 500}[TIER]
FOLDERS = [folder(f"Number {number}", pair) for number, pair in enumerate(PAIRS)]


def test_killed_many_times_nothing_is_damaged_and_nothing_acknowledged_is_lost(tmp_path):
    source, deeds = random.Random(20), 0
    known = dict.fromkeys(range(len(FOLDERS)), False)
    for seed in range(KILLS):
        possible = {number: {here} for number, here in known.items()}
        for number, puts, done in killed(tmp_path, seed, source.randint(0, 6), source.uniform(0.0, 0.004)):
            possible[number] = {puts} if done else possible[number] | {puts}
            deeds += done
        found = LocalFolder(tmp_path)
        here = {*found.records()}
        known = {number: FOLDERS[number][0] in here for number in known}
        assert found.list_damaged() == []
        assert all(known[number] in possible[number] for number in known), seed
    assert deeds > KILLS
    put(tmp_path, *FOLDERS[0], quota=ROOMY)
    assert hidden(tmp_path) == []
