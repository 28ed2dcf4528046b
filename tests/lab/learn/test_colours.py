"""Colours of the first two chapters: neighbours differ, a token keeps its colour, and few tokens share one."""

from itertools import pairwise

import pytest
from tokenarium.lab.learn.chapters import CHAPTERS
from tokenarium.lab.learn.course import practice
from tokenarium.lab.learn.scene import trace_scene
from tokenarium.lab.palette import COLOURS
from tokenarium.lab.steps.drawing import tile_tone

FIRST = [lesson.scene for chapter in CHAPTERS[:2] for lesson in chapter.lessons if lesson.scene.id != "words"]


@pytest.mark.parametrize("one", FIRST, ids=lambda one: one.id)
def test_different_neighbours_have_different_colours(registry, one):
    texts = [one.text, *(exercise.text for exercise in practice(one, registry, seed=1))]
    for text in texts:
        for step in trace_scene(one, text, registry).steps:
            for row in step.rows:
                assert [
                    (a.text, b.text) for a, b in pairwise(row.tiles) if a.key != b.key and tile_tone(a) == tile_tone(b)
                ] == []


@pytest.mark.parametrize("one", FIRST, ids=lambda one: one.id)
def test_a_token_keeps_its_colour(registry, one):
    steps = trace_scene(one, one.text, registry).steps
    shown = {(tile.key, tile_tone(tile)) for step in steps for row in step.rows for tile in row.tiles}
    assert len(shown) == len({key for key, _ in shown})


def test_the_tokens_of_the_first_scenes_are_told_apart(registry):
    for id, at in (("ids", 1), ("bpe", 0), ("bpe", 5), ("new-word", 0)):
        (one,) = (scene for scene in FIRST if scene.id == id)
        rows = trace_scene(one, one.text, registry).steps[at].rows
        for row in rows:
            keys = {tile.key for tile in row.tiles}
            assert len({tile_tone(tile) for tile in row.tiles}) == min(len(keys), COLOURS)


@pytest.mark.parametrize("id", ["learn-bpe", "bpe", "new-word"])
def test_what_is_given_and_the_choices_have_the_colours_of_the_row(registry, id):
    (one,) = (scene for scene in FIRST if scene.id == id)
    shown = trace_scene(one, one.text, registry, kind="choose")
    row = {tile.text: tile_tone(tile) for row in shown.steps[0].rows for tile in row.tiles}
    given, choices = shown.question.given, shown.question.choices
    words = [cell for line in (given.table.rows if given.table else ()) for cell in line.cells]
    words += [choice.label for choice in choices]
    tiles = [tile for row in given.rows for tile in row.tiles]
    tiles += [part for label in words if not isinstance(label, str) for part in label if not isinstance(part, str)]
    told = {(tile.text, tile_tone(tile)) for tile in tiles if tile.text in row}
    assert told
    assert told == {(text, row[text]) for text, _ in told}
