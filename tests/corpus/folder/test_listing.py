"""What a branch added is the difference between its files and those of the commit at which it began."""

import os
import subprocess
from pathlib import Path

import pytest
from tokenarium.corpus.folder.listing import find_changes, list_files, write_contents
from tokenarium.errors import Invalid


def git(folder, *words):
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "-C", folder, *words], env=environment, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A branch that changed, added, deleted and moved files, while main went on."""
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "sub").mkdir()
    for name in ("same", "changed", "deleted", "sub/moved", "ignored\nname", "link to"):
        (tmp_path / name).write_text(f"old {name}")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "old")
    git(tmp_path, "checkout", "-qb", "branch")
    (tmp_path / "deleted").unlink()
    git(tmp_path, "mv", "sub/moved", "sub/new")
    (tmp_path / "changed").write_text("new and changed")
    git(tmp_path, "commit", "-qam", "new")
    git(tmp_path, "checkout", "-q", "main")
    (tmp_path / "main").write_text("of main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "main goes on")
    git(tmp_path, "checkout", "-q", "branch")
    (tmp_path / "untracked").write_text("untracked")
    (tmp_path / ".gitignore").write_text("ignored*\n*.tmp\n")
    (tmp_path / "a.tmp").write_text("")
    (tmp_path / "ignored\nname").write_text("changed")
    return tmp_path


def changes(path, tmp_path, revision="main", **options):
    into = tmp_path / "into"
    into.mkdir(exist_ok=True)
    new, old = find_changes([str(path)], revision, list_files([str(path)]), **options)
    names = sorted(os.path.relpath(file.path, path) for file in new)
    written = write_contents(old, into)
    texts = {
        os.path.relpath(one.path, path): Path(file.path).read_text() for one, file in zip(old, written, strict=True)
    }
    return names, texts


def test_files_that_differ_come_with_what_they_were(repository, tmp_path_factory):
    names, texts = changes(repository, tmp_path_factory.mktemp("b"))
    assert names == [".gitignore", "changed", "sub/new", "untracked"]
    assert texts == {"changed": "old changed", "deleted": "old deleted", "sub/moved": "old sub/moved"}


def test_only_what_is_named_is_compared(repository, tmp_path_factory):
    folder = tmp_path_factory.mktemp("b")
    assert changes(repository / "sub", folder) == (["new"], {"moved": "old sub/moved"})
    assert changes(repository / "changed", folder) == (["."], {".": "old changed"})
    assert changes(repository, folder, exclude=["sub/", "d*"])[1].keys() == {"changed"}


def test_what_git_does_not_know_is_an_error(repository, tmp_path_factory):
    for revision in ("--all", "nothing", ""):
        with pytest.raises(Invalid, match="git knows no revision"):
            changes(repository, repository, revision)
    with pytest.raises(Invalid, match="git knows no revision"):
        changes(tmp_path_factory.mktemp("no repository"), repository)
