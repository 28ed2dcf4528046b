"""What is read and written at addresses is what is there, in ranges, and whole or not at all."""

import gzip
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tokenarium.corpus import addresses, sinks
from tokenarium.corpus.addresses import files, filesystem, get_file_info, open_file
from tokenarium.corpus.sources import ReadContext, batches, parts, source, sources
from tokenarium.errors import BadFile, Invalid, Unavailable
from tokenarium.settings import ROOT


@pytest.fixture(params=["local", "memory"])
def folder(request, tmp_path):
    """A folder here, and one at an address."""
    if request.param == "local":
        return str(tmp_path)
    fsspec.filesystem("memory").store.clear()
    return "memory://folder"


def test_what_is_written_is_read_and_listed(folder):
    assert [*sinks.list_files(f"{folder}/none")] == []
    sinks.write(f"{folder}/b/2.bin", b"two")
    sinks.write(f"{folder}/1.bin", b"one")
    sinks.write(f"{folder}/1.bin", b"another")
    assert sinks.read(f"{folder}/1.bin") == b"another"
    assert [address.rpartition("folder/")[2].removeprefix(f"{folder}/") for address in sinks.list_files(folder)] == [
        "1.bin",
        "b/2.bin",
    ]


def test_a_file_is_written_whole_or_not_at_all(folder):
    sinks.write(f"{folder}/a", b"before")

    def fails():
        with sinks.open_replacing(f"{folder}/a") as file:
            file.write(b"half")
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    assert sinks.read(f"{folder}/a") == b"before"
    assert len([*sinks.list_files(folder)]) == 1


def test_what_cannot_be_written_is_said_with_its_cause(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Unavailable, match=r"file/a cannot be written: (Not a directory|File exists)\."):
        sinks.write(str(tmp_path / "file" / "a"), b"")
    with pytest.raises(Unavailable, match=r"x://a cannot be written: x:// is not supported"):
        sinks.write("x://a", b"")


def test_ranges_of_an_address_are_read_as_of_a_file():
    data = bytes(range(256)) * 4
    sinks.write("memory://m/a.bin", data)
    with open_file("memory://m/a.bin", buffer=16) as file:
        assert file.read(3) == data[:3]
        assert file.seek(-5, 2) == len(data) - 5
        assert file.read() == data[-5:]
        file.seek(250)
        assert file.readline() == data[250 : data.index(b"\n", 250) + 1]


def test_versions_change_with_the_file_and_patterns_name_files():
    sinks.write("memory://v/a.txt", b"1")
    before = get_file_info("memory://v/a.txt")
    sinks.write("memory://v/a.txt", b"2")
    after = get_file_info("memory://v/a.txt")
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


def read(address, *, size=1 << 24, reading=None, format=None):
    """The documents at an address, in parts of a size."""
    reading = reading or ReadContext()
    every = [part for one in sources([address], format=format) for part in parts(one, size=size)]
    return [document for part in every for batch in batches(part, reading) for document in batch.documents]


class Handler(BaseHTTPRequestHandler):
    """Sends the files of a dictionary, in ranges unless the server has none, and notes how many bytes it sends."""

    def do_GET(self):
        files, log = self.server.files, self.server.log
        path = self.path if self.path in files else self.path.partition("?")[0]
        status = 404 if path not in files else self.server.failures.pop() if self.server.failures else 200
        data = files.get(path, b"") if status == 200 else b""
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")) if self.server.ranges else None
        headers = {"ETag": f'"{hashlib.md5(data).hexdigest()}"'}
        if status == 200 and wanted:
            first, last = map(int, wanted.groups())
            status, headers["Content-Range"] = 206, f"bytes {first}-{min(last, len(data) - 1)}/{len(data)}"
            data = data[first : last + 1]
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(data)
        except ConnectionError:  # only the head was wanted
            return
        log.append((path, len(data)))

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def web(monkeypatch):
    """A server of files on loopback."""
    monkeypatch.setattr(addresses, "WAIT_SECONDS", 0.01)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.files, server.log, server.failures, server.ranges = {}, [], [], True
    server.at = f"http://127.0.0.1:{server.server_port}"
    Thread(target=partial(server.serve_forever, 0.01), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


LINES = [b"%d " % number + b"x" * 90 for number in range(30_000)]
TEXT = b"\n".join(LINES)


def test_parts_of_a_web_address_are_read_in_ranges(web):
    web.files["/a.txt"] = TEXT
    some = [*parts(source(f"{web.at}/a.txt"), size=1 << 20)]
    assert len(some) == 3
    (batch,) = batches(some[1], ReadContext())
    assert LINES.index(batch.documents[0]) > 10_000
    assert sum(size for _, size in web.log) < 1.2 * (1 << 20)
    assert read(f"{web.at}/a.txt", size=1 << 20) == LINES
    web.failures[:] = [503, 500]
    assert read(f"{web.at}/a.txt") == LINES  # sent again


def test_a_server_without_ranges_is_read_from_the_beginning(web):
    web.ranges = False
    web.files |= {"/a.txt?x=1": TEXT, "/b.txt.gz": gzip.compress(TEXT), "/c.jsonl": b'{"text": "one"}\n'}
    assert read(f"{web.at}/a.txt?x=1", size=100) == LINES
    assert read(f"{web.at}/b.txt.gz", size=100) == LINES
    assert read(f"{web.at}/c.jsonl", size=1) == [b"one"]
    (one,) = parts(source(f"{web.at}/a.txt?x=1"), size=100)
    assert one.bytes == len(TEXT)


def test_parquet_of_a_server_without_ranges_is_copied(web, tmp_path):
    web.ranges = False
    pq.write_table(pa.table({"text": ["one", None, "two", "three"]}), tmp_path / "a.parquet", row_group_size=1)
    web.files["/a.parquet"] = (tmp_path / "a.parquet").read_bytes()
    assert read(f"{web.at}/a.parquet") == [b"one", b"two", b"three"]


def test_a_page_with_links_is_a_folder(web):
    page = b'<a href="a.txt">a</a> <a href="/dir/b.jsonl.gz">b</a> <a href="/else/c.txt">c</a>'
    web.files |= {"/dir/": page, "/dir/a.txt": b"one", "/dir/b.jsonl.gz": gzip.compress(b'{"text": "two"}')}
    assert read(f"{web.at}/dir/") == [b"one", b"two"]
    assert read(f"{web.at}/dir/*.txt") == [b"one"]


def test_a_row_group_of_a_web_address_is_read_alone(web, tmp_path):
    texts = [os.urandom(500).hex() for _ in range(4000)]
    pq.write_table(pa.table({"text": texts, "other": texts[::-1]}), tmp_path / "a.parquet", row_group_size=1000)
    web.files["/a.parquet"] = (tmp_path / "a.parquet").read_bytes()
    some = [*parts(source(f"{web.at}/a.parquet"))]
    web.log.clear()
    read_texts = [document.decode() for batch in batches(some[2], ReadContext()) for document in batch.documents]
    assert read_texts == texts[2000:3000]
    assert sum(size for _, size in web.log) < len(web.files["/a.parquet"]) / 4


def test_what_cannot_be_read_from_the_web_is_said_with_its_cause(web):
    web.files["/a.txt"] = b"a\nb\n"
    with pytest.raises(Invalid, match=r"none\.txt cannot be read: .*404"):
        read(f"{web.at}/none.txt")
    web.failures[:] = [403]
    with pytest.raises(Invalid, match=r"a\.txt cannot be read: .*403"):
        read(f"{web.at}/a.txt")
    (part,) = parts(source(f"{web.at}/a.txt"))
    web.files["/a.txt"] = b"a\nc\n"
    with pytest.raises(BadFile, match=r"a\.txt has changed since it was listed"):
        list(batches(part, ReadContext()))
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(Invalid, match="Connect call failed"):
        read(f"http://127.0.0.1:{port}/a.txt")


def test_a_data_set_of_the_hub_is_listed_and_read_in_ranges(web, monkeypatch):
    monkeypatch.setitem(fsspec.config.conf, "hf", {"endpoint": web.at, "token": False})
    filesystem.cache_clear()
    file = {"type": "file", "path": "data/a.txt", "size": len(TEXT), "oid": "1" * 40}
    other = {"type": "file", "path": "data/b.csv", "size": 9, "oid": "2" * 40}
    web.files |= {
        "/api/datasets/org/set": json.dumps({"id": "org/set", "sha": "0" * 40, "siblings": []}).encode(),
        "/api/datasets/org/set/tree/main": json.dumps([{**file, "type": "directory", "path": "data"}]).encode(),
        "/api/datasets/org/set/tree/main/data": json.dumps([file, other]).encode(),
        "/api/datasets/org/set/paths-info/main": json.dumps([file]).encode(),
        "/datasets/org/set/resolve/main/data/a.txt": TEXT,
        "/datasets/org/set/resolve/main/data/b.csv": b"text\none\n",
    }
    web.files["/api/datasets/org/set/revision/main"] = web.files["/api/datasets/org/set"]
    (one,) = sources(["hf://datasets/org/set/data/*.txt"])
    assert (one.path, one.bytes, one.version) == (
        "hf://datasets/org/set/data/a.txt",
        len(TEXT),
        f"{len(TEXT)}-{'1' * 40}",
    )
    both = [*sources(["hf://datasets/org/set/data"])]
    assert [(one.format, one.version[-40:]) for one in both] == [("lines", "1" * 40), ("csv", "2" * 40)]
    web.log.clear()
    _, part, _ = parts(one, size=1 << 20)
    (batch,) = batches(part, ReadContext())
    assert batch.documents[0] in LINES
    assert sum(size for path, size in web.log if "/resolve/" in path) < 1.2 * (1 << 20)
    web.files["/api/datasets/org/set/paths-info/main"] = json.dumps([{**file, "oid": "3" * 40}]).encode()
    with pytest.raises(BadFile, match="has changed since it was listed"):
        list(batches(part, ReadContext()))
    filesystem.cache_clear()


MOTO = """
import sys
from moto.server import ThreadedMotoServer
from werkzeug.serving import WSGIRequestHandler
def log_request(self, code="-", size="-"):
    print(self.command, self.path, code, self.headers.get("Range", ""), file=open(sys.argv[1], "a"), flush=True)
WSGIRequestHandler.log_request = log_request
server = ThreadedMotoServer("127.0.0.1", 0)
server.start()
print("port", server.get_host_and_port()[1], flush=True)
sys.stdin.read()
server.stop()
"""


@pytest.fixture(scope="module")
def moto(tmp_path_factory):
    """The address of an S3 server in a process, and the file in which it notes requests."""
    log = tmp_path_factory.mktemp("moto") / "log"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", MOTO, log], cwd=ROOT, **pipes) as server:
        while not (line := server.stdout.readline().decode()).startswith("port "):
            assert line, "the server has ended"
        yield f"http://127.0.0.1:{int(line.split()[1])}", log
        server.kill()


@pytest.fixture
def bucket(moto, monkeypatch):
    """A fresh bucket, named by the environment as users do it."""
    filesystem.cache_clear()
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {"AWS_ENDPOINT_URL": moto[0], **keys}.items():
        monkeypatch.setenv(name, value)
    filesystem("s3").mkdir("s3://bucket")
    yield "s3://bucket"
    post(f"{moto[0]}/moto-api/reset-auth", b"inf")
    post(f"{moto[0]}/moto-api/reset", b"")
    filesystem.cache_clear()


def post(url, data):
    headers = {"Content-Type": "text/plain"}
    with urllib.request.urlopen(urllib.request.Request(url, data=data, method="POST", headers=headers)):
        pass


@pytest.mark.nightly
def test_objects_are_listed_and_read_in_ranges(bucket, moto):
    sinks.write(f"{bucket}/a/1.txt", TEXT)
    sinks.write(f"{bucket}/a/b/2.jsonl.gz", gzip.compress(b'{"text": "two"}\n'))
    sinks.write(f"{bucket}/a/.hidden", b"x")
    sinks.write(f"{bucket}/other", b"x")
    listed = [one.path for one in sources([f"{bucket}/a", f"{bucket}/a/*.txt"])]
    assert listed == [f"{bucket}/a/1.txt", f"{bucket}/a/b/2.jsonl.gz"]
    moto[1].write_text("")
    assert read(f"{bucket}/a", size=1 << 20) == [*LINES, b"two"]
    ranges = re.findall(r"GET /bucket/a/1.txt 206 bytes=(\d+)-(\d+)", moto[1].read_text())
    sizes = [int(last) + 1 - int(first) for first, last in ranges]
    assert len(sizes) >= 3
    assert sum(sizes) < 1.2 * len(TEXT)
    assert [*sinks.list_files(f"{bucket}/a/b")] == [f"{bucket}/a/b/2.jsonl.gz"]


@pytest.mark.nightly
def test_an_object_that_changes_or_vanishes_is_said(bucket):
    sinks.write(f"{bucket}/1.txt", TEXT)
    first, *_ = parts(source(f"{bucket}/1.txt"), size=1 << 20)
    reader = batches(first, ReadContext())
    sinks.write(f"{bucket}/1.txt", TEXT[::-1])
    with pytest.raises(BadFile, match=r"1\.txt has changed since it was listed"):
        list(reader)
    filesystem("s3").rm(f"{bucket}/1.txt")
    with pytest.raises(BadFile, match=r"1\.txt cannot be read: "):
        list(batches(first, ReadContext()))
    for missing in (f"{bucket}/1.txt", f"{bucket}/*.txt", "s3://none/1.txt"):
        with pytest.raises(Invalid, match="There is no file at"):
            read(missing)
    with pytest.raises(Unavailable, match=r"cannot be written: .*bucket does not exist"):
        sinks.write("s3://none/1.txt", b"")


@pytest.mark.nightly
def test_no_permission_and_no_server_are_said_in_time(bucket, moto, monkeypatch):
    sinks.write(f"{bucket}/1.txt", b"x")
    (part,) = parts(source(f"{bucket}/1.txt"))
    post(f"{moto[0]}/moto-api/reset-auth", b"0")
    for work in (partial(read, f"{bucket}/1.txt"), lambda: list(batches(part, ReadContext()))):
        with pytest.raises(Invalid, match=r"1\.txt cannot be read: Forbidden\."):
            work()
    filesystem.cache_clear()
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
    with pytest.raises(Invalid, match="cannot be read: Could not connect to the endpoint URL"):
        read(f"{bucket}/1.txt")
