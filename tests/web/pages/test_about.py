"""The page about this server: everything bundled has its source, its hash, and the text of its licence."""

import hashlib
import tomllib

import pytest
from tokenarium import __version__
from tokenarium.lab.about import components
from tokenarium.settings import ROOT, STORE

VENDORED = tomllib.loads((ROOT / "static" / "vendor" / "vendor.toml").read_text())
COMPONENTS = {one.name: one for one in components(STORE, ROOT)}
FONTS = {"fira-code", "ibm-plex-sans", "source-code-pro", "source-serif-4"}
WRITTEN_HERE = {"bytes", "characters", "words"}


def test_everything_in_the_store_and_among_the_static_files_is_a_component():
    folders = {path.parent.name for path in [*STORE.glob("*/tokenizer.toml"), *STORE.glob("*/texts.toml")]}
    scripts = {"htmx", "katex", "markdown-it", "pyodide", "python-library"}
    assert COMPONENTS.keys() == (folders - WRITTEN_HERE) | scripts | {"world-atlas", *FONTS}


@pytest.mark.parametrize("name", COMPONENTS)
def test_every_component_has_a_pinned_package_a_hash_and_the_text_of_its_licence(name):
    one = COMPONENTS[name]
    assert one.package.startswith(("npm:", "pypi:"))
    assert one.version
    assert one.files
    assert all(len(sha256) == 64 for sha256 in one.files.values())
    assert one.text is not None
    assert len(one.text.read_text()) > 400


def test_each_file_that_a_package_ships_for_pages_and_tests_is_there_with_its_hash():
    for asset in VENDORED.values():
        for target, entry in asset["files"].items():
            assert hashlib.sha256((ROOT / target).read_bytes()).hexdigest() == entry["sha256"], target


def test_no_licence_is_there_of_nothing():
    listed = {target for asset in VENDORED.values() for target in asset["files"]}
    assert {f"LICENSES/{path.name}" for path in (ROOT / "LICENSES").iterdir()} <= listed


def test_the_page_names_versions_sources_hashes_and_what_is_collected(ask):
    page = ask("GET", "/about").text
    assert __version__ in page
    assert "<dt>tiktoken</dt>" in page
    assert '<a href="/about/licences/o200k_base">MIT</a>' in page
    assert "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d" in page
    assert "There are no accounts" in page


def test_the_text_of_a_licence_is_plain_text(ask):
    answer = ask("GET", "/about/licences/htmx")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "Permission to use, copy, modify" in answer.text
    assert "Apache License" in ask("GET", "/about/licences/mistral-v3").text
    assert "Copyright" in ask("GET", "/about/licences/gpt2").text  # whose file is that of r50k_base


@pytest.mark.parametrize("name", ["nothing", "%2e%2e%2fhtmx", "bytes"])
def test_another_name_has_no_text(ask, name):
    assert ask("GET", f"/about/licences/{name}").status_code == 404


def test_every_page_links_here(ask):
    assert '<a href="/about">' in ask("GET", "/compare").text
