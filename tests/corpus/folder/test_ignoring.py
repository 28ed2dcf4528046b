"""What is left out of a folder is what git leaves out."""

import os
import subprocess
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenarium.corpus.folder.ignoring import find_rules, parse_patterns
from tokenarium.corpus.folder.listing import list_files
from tokenarium.errors import Invalid
from tokenarium.settings import ROOT

from tests.conftest import TIER


def git(folder, *words):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", "-C", folder, *words], capture_output=True, env=environment, check=True)
    return done.stdout


def listed_by_git(folder):
    names = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
    return sorted(name for name in names if name and os.path.lexists(os.path.join(folder, name)))


def listed(folder, **options):
    listing = list_files([str(folder)], **options)
    names = [one.name for one in (*listing.files, *listing.skipped)]
    return sorted(name.removeprefix(f"{folder}/") for name in names)


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_this_repository_is_listed_as_git_lists_it():
    assert listed(ROOT) == listed_by_git(ROOT)


NESTED = {
    ".gitignore": "\ufeff*.log\n/build/\n**/cache/**\n!keep.log\ndocs/*\n!docs/api/\n\\#a\nb\\ \n[!x]y\n!!z\n/\n",
    "sub/.gitignore": "!*.log\nkeep.log\ninner/\n/build\n",
    "sub/deep/.gitignore": "*\n!.gitignore\n!one.txt\n",
    **dict.fromkeys(["a.log", "keep.log", "build/x", "sub/build", "sub/a.log", "sub/keep.log", "sub/inner/x"], ""),
    **dict.fromkeys(["cache/x", "x/cache/y/z", "docs/a", "docs/api/b", "docs/api/c/d", "#a", "b ", "ay", "xy"], ""),
    **dict.fromkeys(["sub/deep/one.txt", "sub/deep/two.txt", "sub/deep/in/one.txt", "!z", ".hidden/x", "é/ü.txt"], ""),
}


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, NESTED)
    return tmp_path


def test_patterns_of_nested_files_are_read_as_git_reads_them(repository):
    (repository / ".git" / "info" / "exclude").write_text("ay\n")
    os.symlink("docs", repository / "link")
    names = listed(repository)
    assert names == listed_by_git(repository)
    assert {"ay", "cache/x", "docs/a", "sub/inner/x", "sub/deep/two.txt"} & {*names} == set()
    assert {"link", "sub/a.log", "docs/api/c/d", ".hidden/x", "sub/deep/one.txt", "é/ü.txt"} <= {*names}


def test_a_folder_inside_a_repository_has_the_patterns_above_it(repository):
    names = [one.name for one in list_files([str(repository / "sub")]).files]
    assert sorted(name.removeprefix(f"{repository}/sub/") for name in names) == [
        *(".gitignore", "a.log", "deep/.gitignore", "deep/one.txt")
    ]


def test_an_ignored_folder_is_counted_if_it_is_named(repository):
    assert [one.name for one in list_files([str(repository / "build")]).files] == [f"{repository}/build/x"]


def test_other_patterns_can_be_left_out_and_all_can_be_kept(repository):
    assert "sub/inner/x" in listed(repository, ignore=False)
    assert not [name for name in listed(repository, ignore=False, exclude=["sub/"]) if name.startswith("sub/")]
    assert "a.log" not in listed(repository, exclude=["*.txt"])
    with pytest.raises(Invalid, match="is no pattern"):
        parse_patterns(["!"])


PATTERN_PARTS = st.one_of(
    st.sampled_from(["**", "a", "b", "*", "?", "a*", "[ab]", "[!a]", "\\a", " "]),
    st.lists(st.sampled_from(["*", "a", "b", "?", "[!b]", "[[:alpha:]]", "\\b"]), min_size=2, max_size=6).map("".join),
)
PATTERNS = st.builds(
    lambda no, root, parts, folder: f"{no}{root}{'/'.join(parts)}{folder}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(PATTERN_PARTS, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
PLACES = ["", "a/", "b/", "a/b/", "a/a/"]
TREE = [f"{place}{name}" for place in (*PLACES, "b/a/", "a/b/b/") for name in ("ab", "ba", "aab", "c")]


def test_many_stars_are_matched_at_once():
    for pattern, name in (("*a" * 25 + "b", "a" * 64), ("**/a/" * 12 + "b", "a/" * 60 + "c")):
        rules = find_rules("/none", exclude=[pattern])
        assert (rules.ignore(f"/none/{name}"), rules.ignore(f"/none/{name[:-1]}b")) == (False, True)


@settings(max_examples={"commit": 25, "nightly": 1000}[TIER])
@example({"": ["[[:upper:]", "[]-b]b", "[z-a]", "[!]a]a", "a\\/b", "[[:no:]]", "?ü", "a**b"], "a/": ["*a*b*", "!**ab"]})
@example({"": ["[[b-a]", "\\/ab", "b//**"]})
@example({"": ["**/ ", "!a"]})
@example({"": ["**/**/", "!a"]})
@example({"": ["/**/*/", "!a"]})
@example({"": ["a\\  ", "b\\\\ ", "c/ \r", "*\\"]})
@given(st.dictionaries(st.sampled_from(PLACES), st.lists(PATTERNS, min_size=1, max_size=5), min_size=1, max_size=3))
def test_generated_patterns_leave_out_what_git_leaves_out(tmp_path_factory, patterns):
    folder = tmp_path_factory.mktemp("a")
    git(folder, "init", "-q")
    write(folder, dict.fromkeys(TREE, ""))
    write(folder, {f"{place}.gitignore": "\n".join(lines) for place, lines in patterns.items()})
    assert listed(folder) == listed_by_git(folder)


SHORT = [
    f"{root}{'/'.join(parts)}{folder}"
    for length in (1, 2, 3)
    for parts in product(("**", "a", "*", "?"), repeat=length)
    for root, folder in product(("", "/"), repeat=2)
][:: {"commit": 19, "nightly": 1}[TIER]]


def test_short_patterns_and_an_exception_leave_out_what_git_leaves_out(tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, dict.fromkeys(TREE, ""))
    for lines in product(SHORT, ("", "!a", "!a/")):
        write(tmp_path, {".gitignore": "\n".join(lines)})
        assert listed(tmp_path) == listed_by_git(tmp_path), lines


def test_no_repository_needs_no_rules_above(tmp_path):
    write(tmp_path, {"x/.gitignore": "*.log\n", "x/a.log": "", "x/b": ""})
    assert find_rules(str(tmp_path / "x")).layers == ()
    assert listed(tmp_path / "x") == [".gitignore", "b"]
