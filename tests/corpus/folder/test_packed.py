"""A folder that was sent: its files are counted as on the disk, and nothing is written outside of it."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.corpus.folder import packed
from tokenarium.corpus.folder.packed import measure_packed, unpack
from tokenarium.errors import Invalid, TooLarge

from tests.support.packing import FILES, pack_tar, pack_zip


@pytest.mark.parametrize(
    "sent",
    [{"x.zip": pack_zip(FILES)}, {"x.tar": pack_tar(FILES)}, {"X.TGZ": pack_tar(FILES, "w:gz")}, FILES],
    ids=["zip", "tar", "tgz", "files"],
)
def test_files_are_counted_but_those_that_are_ignored(registry, sent):
    usage = measure_packed(sent, registry, "gpt2")
    assert [(file.name, file.tokens) for file in usage.files] == [("d.md", [3]), ("a/.gitignore", [3]), ("a/b.py", [5])]
    assert [(row.name, row.tokens) for row in usage.group()] == [("a/", [8]), ("d.md", [3])]


def test_what_is_no_text_is_named(registry):
    usage = measure_packed({"a.bin": b"\0\1", "b.txt": b"\xff", "c.txt": b""}, registry, "bytes")
    assert [(one.name, one.why) for one in usage.skipped] == [("a.bin", "binary"), ("b.txt", "not UTF-8")]
    assert [(file.name, file.tokens) for file in usage.files] == [("c.txt", [0])]


NAMES = st.lists(
    st.sampled_from(["..", ".", "a", "b", "", "a" * 300, "\0", "\\", "C:", "x.zip/"]), min_size=1, max_size=6
)


@given(names=st.lists(NAMES.map("/".join), min_size=1, max_size=5, unique=True), as_zip=st.booleans())
def test_nothing_is_written_outside(tmp_path_factory, names, as_zip):
    top = tmp_path_factory.mktemp("sent")
    inner = top / "one" / "two"
    inner.mkdir(parents=True)
    names = [name for name in names if name.strip("/")]
    files = {name: b"x" for name in names if "\0" not in name} if as_zip else dict.fromkeys(names, b"x")
    unpack({"x.zip": pack_zip(files)} if as_zip else files, inner)
    written = [path for path in top.rglob("*") if path.is_file()]
    assert all(path.is_relative_to(inner) for path in written)


def test_links_and_deep_folders_are_skipped(tmp_path):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as writer:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        writer.addfile(link)
        writer.addfile(tarfile.TarInfo("/".join("a" * 101)))
    skipped = unpack({"x.tar": archive.getvalue()}, tmp_path)
    assert [one.why for one in skipped] == ["symbolic link", "in too many folders"]
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz"])
@pytest.mark.parametrize("data", [b"", b"no archive", pack_zip(FILES)[:-30], pack_tar(FILES, "w:gz")[:-20]])
def test_a_broken_archive_is_refused(tmp_path, name, data):
    with pytest.raises(Invalid, match="cannot be unpacked"):
        unpack({name: data}, tmp_path)


def test_too_many_files_or_bytes_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "MAX_FILES", 3)
    with pytest.raises(TooLarge, match="tokenarium du counts those"):
        unpack(FILES, tmp_path)
    monkeypatch.setattr(packed, "MAX_FILES", 4)
    monkeypatch.setattr(packed, "MAX_BYTES", 30)
    with pytest.raises(TooLarge, match="tokenarium du counts those"):
        unpack({"x.zip": pack_zip(FILES)}, tmp_path)


@pytest.mark.parametrize(
    ("patterns", "names"),
    [(b"b\n" * 5000, 1000), (b"b\n" * 250_000, 1), ((b"*" + b"[a-z]" * 120 + b"B\n") * 30, 1000)],
)
def test_more_patterns_than_can_be_matched_in_time_are_refused(registry, patterns, names):
    """Those with stars and brackets take hundreds of times as long as short ones."""
    files = {f"{index}{'a' * 100}": b"" for index in range(names)}
    with pytest.raises(TooLarge, match="too many patterns for so many names"):
        measure_packed({".gitignore": patterns, **files}, registry, "bytes")
    assert len(measure_packed({".gitignore": b"b\n" * 1000, **files}, registry, "bytes").files) == names + 1


def test_a_file_in_the_place_of_a_folder_is_skipped(tmp_path):
    skipped = unpack({"a": b"1", "a/b": b"2"}, tmp_path)
    assert [(one.name, one.why) for one in skipped] == [("a/b", "file exists")]
