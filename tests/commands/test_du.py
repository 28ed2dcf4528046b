"""`tokenarium du` as a user runs it: tables, JSON, limits and exit codes."""

import json
import os
import re
import subprocess
from functools import partial

import pytest


@pytest.fixture
def said(said, monkeypatch, tmp_path):
    """Run the command in a folder of files, and give its status, its output and its messages."""
    folder = tmp_path / "files"
    for name, text in {
        "README.md": "Hello, world!",
        "src/a.py": "print('Hi')\n" * 4,
        "src/deep/b.py": "x = 1\n",
        "uv.lock": "a = 1\n",
        "n.ipynb": "{}",
        ".gitignore": "*.log\n",
        "x.log": "ignored",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "photo.png").write_bytes(b"\0")
    monkeypatch.chdir(folder)

    return partial(said, "du")


def test_a_row_is_a_folder_or_a_file_the_largest_first(said):
    status, out, err = said()
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "o200k_base  files  bytes  folder",
        "        21      2     54  src/",
        "         5      1      6  uv.lock",
        "         4      1     13  README.md",
        "         3      1      6  .gitignore",
        "         1      1      2  n.ipynb",
        "        34      6     81  total",
        "Notebooks, of these: 1 in 1.",
        "Lock files, of these: 5 in 1.",
        "Not counted, binary: 1: photo.png",
    ]
    assert said()[1] == out


def test_counts_of_parsed_special_tokens_are_kept_apart(said, tmp_path):
    (tmp_path / "files/README.md").write_text("<|endoftext|>")
    policies = ("text", "parse", "text", "parse")
    totals = [json.loads(said("README.md", "--special", one, "--json")[1])["total"]["tokens"] for one in policies]
    assert totals == [{"o200k_base": 7}, {"o200k_base": 1}] * 2


def test_rows_may_be_files_extensions_and_deeper_folders(said):
    def rows(*options):
        lines = said("-t", "bytes", *options)[1].splitlines()
        return [line.split()[-1] for line in lines[1:] if line[0] == " "][:-1]

    assert rows("--by", "extension", "--sort", "path") == [".gitignore", ".ipynb", ".lock", ".md", ".py"]
    assert rows("--by", "file", "--top", "2") == ["src/a.py", "README.md"]
    assert rows("src", "--depth", "2") == ["src/a.py", "src/deep/", "src/deep/b.py"]
    assert rows("src/", "README.md") == ["src/", "src/a.py", "README.md", "src/deep/"]
    assert rows("--exclude", "*.py", "--exclude", "/.*", "--sort", "bytes") == ["README.md", "uv.lock", "n.ipynb"]
    assert "x.log" in rows("--no-ignore")


def test_several_tokenizers_count_at_once(said):
    lines = said("-t", "gpt-4o,bytes", "-t", "gpt2", "README.md")[1].splitlines()
    assert [line.split() for line in lines] == [
        ["o200k_base", "bytes", "gpt2", "files", "bytes", "folder"],
        ["4", "13", "4", "1", "13", "README.md"],
        ["4", "13", "4", "1", "13", "total"],
    ]


def test_json_has_everything(said):
    status, out, err = said("--json", "--by", "extension", "--max", "33")
    answer = json.loads(out)
    assert (status, err) == (1, "")
    assert answer["total"] == {"tokens": {"o200k_base": 34}, "files": 6, "bytes": 81}
    assert answer["rows"][0] == {"extension": ".py", "tokens": {"o200k_base": 21}, "files": 2, "bytes": 54}
    assert answer["skipped"] == [{"file": "photo.png", "reason": "binary", "bytes": 1}]
    assert answer["lock_files"] == {"o200k_base": 5}
    assert answer["exceeded"] == ["The total has 34 tokens, 1 more than the limit of 33."]


def test_a_limit_that_is_exceeded_is_an_error(said, tmp_path):
    assert said("--max", "34")[0] == 0
    status, out, err = said("--max", "33")
    assert (status, err) == (1, "tokenarium: The total has 34 tokens, 1 more than the limit of 33.\n")
    assert "total" in out
    limits = tmp_path / "files" / "tokens.toml"
    limits.write_text('tokenizer = "bytes"\n[total]\n"src/" = 54\n"*.md" = 13\n')
    assert said("--budget", "tokens.toml")[0] == 0
    limits.write_text('tokenizer = "bytes"\n[each]\n"*.py" = 47\n')
    assert said("--budget", "tokens.toml")[::2] == (
        1,
        "tokenarium: src/a.py has 48 tokens, 1 more than the limit of 47 for *.py.\n",
    )


def test_a_treemap_is_one_file_without_a_network(said, tmp_path):
    (tmp_path / "files" / "<img src=x>.py").write_text("a")
    assert said("--html", tmp_path / "map.html")[2] == f"The treemap is in {tmp_path}/map.html.\n"
    page = (tmp_path / "map.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<img" not in page
    assert [*re.findall(r'(?:src|href)="(?!data:)[^"]*"', page), *re.findall(r"url\((?!data:)", page)] == []
    assert "<title>src/: 21 tokens in 2 files</title>" in page
    assert said("--html", "x", "--since", "main")[0] == 1


def test_what_a_branch_added_is_counted(said, tmp_path):
    folder = tmp_path / "files"
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "a"), ("checkout", "-qb", "b")):
        subprocess.run(["git", *who, *words], check=True, capture_output=True, cwd=folder)
    (folder / "src" / "a.py").write_text("print('Hi')\n")
    (folder / "new.md").write_text("Hello")
    (folder / "README.md").unlink()
    status, out, _ = said("--since", "main", "-t", "bytes", "--max", "1")
    assert status == 0
    assert [line.split() for line in out.splitlines()] == [
        ["bytes", "files", "bytes", "folder"],
        ["+5", "1", "+5", "new.md"],
        ["-13", "1", "-13", "README.md"],
        ["-36", "1", "-36", "src/"],
        ["-44", "3", "-44", "total"],
    ]
    assert said("--since", "nothing")[0] == 1


def test_errors_say_what_is_wrong(said):
    for args, message in (
        (["nowhere"], "There is no file or folder at 'nowhere'."),
        (["--max", "lots"], "A limit is a number of tokens such as 200k or 1.5M, not 'lots'."),
        (["--budget", "none.toml"], "No such file or directory."),
        (["--since", "main"], "git knows no revision 'main'"),
    ):
        status, out, err = said(*args)
        assert (status, out) == (1, "")
        assert message in err


@pytest.mark.parametrize("option", ["--depth", "--top"])
def test_a_number_below_one_is_refused(said, option):
    status, _, err = said(option, "0")
    assert (status, f"{option}: must be a whole number from 1, not '0'" in err) == (2, True)


def test_the_cache_can_be_cleared(said, tmp_path):
    said()
    (cache,) = (tmp_path / "cache").rglob("results.sqlite3")
    assert said("--clear-cache") == (0, f"{cache} is deleted.\n", "")
    assert not cache.exists()


def test_names_give_the_terminal_no_commands(said, tmp_path):
    (tmp_path / "files" / "\x1b[2J").write_text("a")
    with open(os.fsencode(tmp_path / "files") + b"/caf\xe9", "w") as file:
        file.write("a")
    out = said()[1]
    assert "\x1b" not in out
    assert "caf\ufffd" in out
    assert "caf\ufffd" in said("--json")[1]
