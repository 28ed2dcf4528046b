"""The static files: what has its version in its address or its name is cached for good and compressed once."""

import gzip
import os
import re

import pytest
from tokenarium.settings import ROOT
from tokenarium.web.static_files import VersionedFiles

SHEET = (ROOT / "static/css/fonts.css").read_text()
FILES = re.findall(r'url\("(/[^"]+)"\)', SHEET)
FOR_A_YEAR = "public, max-age=31536000, immutable"


def addresses(page):
    """The addresses of a page's own scripts, sheets and icons."""
    return re.findall(r'(?:src|href)="(/static/[0-9a-f]{16}/[^"]+)"', page)


@pytest.fixture
def files(tmp_path):
    """Versioned files of a folder with a page of two modules."""
    (tmp_path / "js").mkdir()
    (tmp_path / "js/page.js").write_text('import "./part.js";\n')
    (tmp_path / "js/part.js").write_text("begin();\n")
    return VersionedFiles(tmp_path)


@pytest.mark.parametrize("file", FILES)
def test_a_font_is_served_for_a_year(ask, file):
    answer = ask("GET", file)
    assert answer.headers["Content-Type"] == "font/woff2"
    assert answer.headers["Cache-Control"] == FOR_A_YEAR
    assert answer.content[:4] == b"wOF2"


def test_every_font_that_is_bundled_is_used():
    assert {path.name for path in (ROOT / "static/vendor").glob("*.woff2")} == {file.split("/")[-1] for file in FILES}


def test_a_style_sheet_whose_name_has_no_version_is_not_cached_for_good(ask):
    answer = ask("GET", "/static/css/base.css")
    assert "Cache-Control" not in answer.headers
    assert ask("GET", "/static/css/base.css", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("path", ["/", "/embed?text=Hello", "/beyond/sound"])
def test_fonts_may_come_from_this_server_alone(ask, path):
    answer = ask("GET", path)
    assert "; font-src 'self';" in answer.headers["Content-Security-Policy"]
    (sheet,) = [one for one in addresses(answer.text) if one.endswith(".css")]
    assert ask("GET", sheet).text.count("@font-face") == SHEET.count("@font-face")


def test_the_files_of_a_page_are_compressed_and_served_for_a_year(ask):
    found = addresses(ask("GET", "/").text)
    assert {re.sub(r"^/static/\w+/", "", one) for one in found} == {
        "favicon.svg",
        "js/seen.js",
        "css/playground.css",
        "vendor/htmx-4.0.1.min.js",
        "js/pages/playground.js",
    }
    for address in found:
        plain, packed = (ask("GET", address, headers={"Accept-Encoding": coding}) for coding in ("identity", "gzip"))
        assert plain.headers["Cache-Control"] == packed.headers["Cache-Control"] == FOR_A_YEAR
        assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"]) == len(plain.content)
        assert packed.content == plain.content
        assert plain.headers["ETag"] != packed.headers["ETag"]


@pytest.mark.parametrize(
    ("file", "media_type"), [("mjs", "text/javascript; charset=utf-8"), ("wasm", "application/wasm")]
)
def test_a_vendored_file_is_compressed_and_served_for_a_year_at_its_plain_address(ask, file, media_type):
    address = f"/static/vendor/pyodide-314.0.7/pyodide.asm.{file}"
    plain, packed = (ask("GET", address, headers={"Accept-Encoding": coding}) for coding in ("identity", "gzip"))
    assert plain.headers["Cache-Control"] == packed.headers["Cache-Control"] == FOR_A_YEAR
    assert plain.headers["Content-Type"] == packed.headers["Content-Type"] == media_type
    assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"]) / 2
    assert packed.content == plain.content


def test_a_browser_that_has_a_file_gets_none(ask):
    address = addresses(ask("GET", "/").text)[0]
    known = ask("GET", address).headers["ETag"]
    answer = ask("GET", address, headers={"If-None-Match": known})
    assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", known)
    assert answer.headers["Cache-Control"] == FOR_A_YEAR


def test_a_range_of_a_versioned_file_is_answered_with_the_whole_and_of_a_plain_one_with_the_part(ask):
    headers = {"Range": "bytes=0-9", "Accept-Encoding": "identity"}
    address = next(one for one in addresses(ask("GET", "/").text) if "favicon" in one)
    whole, part = ask("GET", address, headers=headers), ask("GET", "/static/favicon.svg", headers=headers)
    assert (whole.status_code, part.status_code) == (200, 206)
    assert whole.content[:10] == part.content


def test_another_version_is_answered_with_the_present_one_and_not_kept(ask):
    answer = ask("GET", "/static/0123456789abcdef/css/steps.css")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "/* css/site.css */" in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "css/nothing.css", 404),
        ("GET", "vendor/vendor.toml", 404),
        ("GET", "js/steps/nothing.js", 404),
        ("GET", "css/../../../pyproject.css", 404),
        ("POST", "css/steps.css", 405),
    ],
)
def test_nothing_else_has_versions(ask, method, path, status):
    assert ask(method, f"/static/0123456789abcdef/{path}").status_code == status


def test_an_address_changes_with_what_a_module_imports(files):
    before = files.address("js/page.js")
    assert files.address("js/page.js") == before == VersionedFiles(files.folder).address("js/page.js")
    path = files.folder / "js/part.js"
    path.write_text("start();\n")
    os.utime(path, ns=(1, 1))
    after = files.address("js/page.js")
    assert before != after
    assert re.fullmatch(r"/static/[0-9a-f]{16}/js/page\.js", after)
    assert b"start();" in gzip.decompress(files.compressed("js/page.js"))


def test_a_file_is_compressed_once(files):
    assert files.compressed("js/page.js") is files.compressed("js/page.js")
