"""What is read and written at addresses is what is there, in ranges, and whole or not at all."""

import fsspec
import pytest
from tokenarium.corpus import sinks
from tokenarium.corpus.addresses import files, found, opened
from tokenarium.errors import BadFile, Unavailable


@pytest.fixture(params=["local", "memory"])
def folder(request, tmp_path):
    """A folder here, and one at an address."""
    if request.param == "local":
        return str(tmp_path)
    fsspec.filesystem("memory").store.clear()
    return "memory://folder"


def test_what_is_written_is_read_and_listed(folder):
    assert [*sinks.listed(f"{folder}/none")] == []
    sinks.write(f"{folder}/b/2.bin", b"two")
    sinks.write(f"{folder}/1.bin", b"one")
    sinks.write(f"{folder}/1.bin", b"another")
    assert sinks.read(f"{folder}/1.bin") == b"another"
    assert [address.rpartition("folder/")[2].removeprefix(f"{folder}/") for address in sinks.listed(folder)] == [
        "1.bin",
        "b/2.bin",
    ]


def test_a_file_is_written_whole_or_not_at_all(folder):
    sinks.write(f"{folder}/a", b"before")

    def fails():
        with sinks.opened(f"{folder}/a") as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert sinks.read(f"{folder}/a") == b"before"
    assert len([*sinks.listed(folder)]) == 1


def test_what_cannot_be_written_is_said_with_its_cause(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Unavailable, match=r"file/a cannot be written: (Not a directory|File exists)\."):
        sinks.write(str(tmp_path / "file" / "a"), b"")
    with pytest.raises(Unavailable, match=r"x://a cannot be written: x:// is not supported"):
        sinks.write("x://a", b"")


def test_ranges_of_an_address_are_read_as_of_a_file():
    data = bytes(range(256)) * 4
    sinks.write("memory://m/a.bin", data)
    with opened("memory://m/a.bin", buffer=16) as file:
        assert file.read(3) == data[:3]
        assert file.seek(-5, 2) == len(data) - 5
        assert file.read() == data[-5:]
        file.seek(250)
        assert file.readline() == data[250 : data.index(b"\n", 250) + 1]


def test_versions_change_with_the_file_and_patterns_name_files():
    sinks.write("memory://v/a.txt", b"1")
    before = found("memory://v/a.txt")
    sinks.write("memory://v/a.txt", b"2")
    after = found("memory://v/a.txt")
    assert (before.bytes, after.bytes) == (1, 1)
    assert before.version != after.version
    for name in ("v/sub/b.txt", "v/.hidden/c.txt", "v/d.csv"):
        sinks.write(f"memory://{name}", b"x")
    assert [one.address for one in files("memory://v")] == [
        "memory:///v/a.txt",
        "memory:///v/d.csv",
        "memory:///v/sub/b.txt",
    ]
    assert [one.address for one in files("memory://v/*.txt")] == ["memory:///v/a.txt"]
    with pytest.raises(BadFile, match="There is no file at 'memory://none'"):
        [*files("memory://none")]
