"""The page on which a learner writes BPE, whose program only the learner's browser runs."""

import gzip
import re

from tokenarium.lab.learn.exercises import EXERCISES
from tokenarium.settings import ROOT
from tokenarium.web.pages.write_it import PYTHON_MEGABYTES

from tests.conftest import Ask
from tests.support.programs import RIGHT

PYTHON = [*(ROOT / "static/vendor").glob("pyodide-*/*"), *(ROOT / "static/vendor").glob("python-library-*.zip")]


def test_the_page_opens_with_a_program_to_complete_and_the_checks(ask: Ask):
    page = ask("GET", "/learn/write-it").text
    assert "def most_frequent_pair(words):" in page
    assert "<code>merge([&#39;a&#39;, &#39;a&#39;, &#39;a&#39;], (&#39;a&#39;, &#39;a&#39;))</code>" in page
    assert 'href="/learn/write-it"' in ask("GET", "/learn").text


def test_each_exercise_has_an_address_and_links_to_the_others(ask: Ask):
    assert "<h1>Train BPE</h1>" in ask("GET", "/learn/write-it").text
    page = ask("GET", "/learn/write-it/cs336-encode").text
    assert "<h1>CS336: encode, also a file</h1>" in page
    assert re.findall('href="/learn/write-it/([^"]+)"', page) == [one.id for one in EXERCISES]
    assert ask("GET", "/learn/write-it/nothing").status_code == 404


def test_an_exercise_without_a_teaching_file_offers_no_comparison(ask: Ask):
    assert "Compare with the teaching file" not in ask("GET", "/learn/write-it/bits-per-byte").text


def test_a_page_without_a_script_has_the_notebook(ask: Ask):
    notice = re.search("<noscript>(.*?)</noscript>", ask("GET", "/learn/write-it").text)
    assert notice is not None
    assert 'href="/learn/exercises.ipynb"' in notice[1]
    assert ask("GET", "/learn/exercises.ipynb").json()["cells"][0]["source"].startswith("# Exercises")


def test_the_weight_that_the_page_names_is_that_of_python_compressed(ask: Ask):
    sizes = [len(path.read_bytes() if path.suffix == ".zip" else gzip.compress(path.read_bytes())) for path in PYTHON]
    assert len(sizes) == 4
    assert round(sum(sizes) / 1e6, 1) == PYTHON_MEGABYTES
    assert f"{PYTHON_MEGABYTES} MB from this server" in ask("GET", "/learn/write-it").text


def test_only_the_worker_of_python_may_compile_and_it_reaches_no_other_server(ask: Ask):
    page = ask("GET", "/learn/write-it")
    assert "wasm" not in page.headers["Content-Security-Policy"]
    (worker,) = re.findall(r'data-check="([^"]+)"', page.text)
    expected = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
    assert ask("GET", worker).headers["Content-Security-Policy"] == expected
    assert "wasm" not in ask("GET", "/static/js/learn/write_it.js").headers["Content-Security-Policy"]


def test_a_program_stands_beside_the_teaching_file_once_the_learner_asks(ask: Ask):
    assert "best_pair" not in ask("GET", "/learn/write-it").text
    page = ask("POST", "/learn/write-it/bpe", data={"program": RIGHT}).text
    assert "= Same: 2, ~ changed: 4, − only in the teaching file: 8." in page
    assert "app/scratch: learn_bpe.count_pairs, learn_bpe.best_pair" in page
    assert "<td><code>    return merged</code></td><td><code>    return ids</code></td>" in page


def test_a_program_that_cannot_be_read_is_not_compared_and_stays(ask: Ask):
    wrong = ask("POST", "/learn/write-it", data={"program": "def merge("})
    assert wrong.status_code == 422
    assert "Line 1: Python cannot read this: &#39;(&#39; was never closed." in wrong.text
    assert "\ndef merge(</textarea>" in wrong.text
    assert "best_pair" not in wrong.text
