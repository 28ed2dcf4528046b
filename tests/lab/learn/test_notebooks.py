"""Notebooks of the chapters: valid, and their cells run one after the other wherever the package is installed."""

import json
import subprocess
import sys

import nbformat
import pytest
from tokenarium.errors import UnknownScene
from tokenarium.lab.learn.chapters import CHAPTERS
from tokenarium.lab.learn.exercises import EXERCISES
from tokenarium.lab.learn.notebooks import PLAY, build_exercise_notebook, build_notebook, find_chapter

from tests.support.programs import read_solutions


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.id)
def test_a_notebook_is_valid_and_has_all_scenes_and_functions(chapter):
    notebook = json.loads(json.dumps(build_notebook(chapter)))
    nbformat.validate(notebook)
    sources = [cell["source"] for cell in notebook["cells"]]
    assert [source.splitlines()[0] for source in sources if source.startswith("## ")] == [
        f"## {lesson.scene.title}" for lesson in chapter.lessons
    ]
    defined = [source for source in sources if "run_docstring_examples" in source]
    assert len(defined) == sum(len(lesson.scene.code) for lesson in chapter.lessons)


def test_the_first_cell_plays_a_scene(capsys):
    cell = {}
    exec(PLAY, cell)
    cell["play"](CHAPTERS[0].lessons[0].scene.id, "a")
    assert "The answer:" in capsys.readouterr().out


def test_the_notebook_of_the_exercises_checks_each_solution(capsys):
    notebook = json.loads(json.dumps(build_exercise_notebook()))
    nbformat.validate(notebook)
    code = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names = {}
    for number, source in enumerate(code):
        exercise = EXERCISES[number // 2 - 1 + number % 2]
        exec(read_solutions(exercise.id)[0] if source == exercise.starter.strip() else source, names)
    said = capsys.readouterr().out.splitlines()
    assert len(said) == sum(len(exercise.checks) for exercise in EXERCISES)
    assert [line for line in said if not line.startswith("right  ")] == []
    exec("def segment(text, scores): return [text]\ncheck('viterbi')", names)
    assert "WRONG  A text without letters. segment('', SCORES) is [''], not []" in capsys.readouterr().out


@pytest.mark.nightly
@pytest.mark.parametrize("id", [chapter.id for chapter in CHAPTERS])
def test_the_cells_run_without_a_fault(id, tmp_path):
    cells = [cell["source"] for cell in build_notebook(find_chapter(id))["cells"] if cell["cell_type"] == "code"]
    program = tmp_path / "cells.py"
    program.write_text("\n\n".join(cells), encoding="utf-8")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "Failed example" not in done.stdout
    assert done.stdout.count("The answer:") == len(find_chapter(id).lessons)


def test_an_unknown_chapter_names_the_others():
    with pytest.raises(UnknownScene, match="The notebooks are text-and-bytes, bpe, "):
        find_chapter("nothing")
