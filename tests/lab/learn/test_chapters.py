"""The chapters: every scene once, in order, each with a reason to go on, and the map of what needs what."""

from tokenarium.lab.learn.chapters import BOX, CELL, CHAPTERS, COLUMN, FAILURES, HEIGHT, draw_map, find_direct_needs
from tokenarium.lab.learn.course import SCENES


def test_eight_chapters_have_all_scenes_in_their_order():
    assert [one.title for one in CHAPTERS] == [
        "Text and bytes",
        "BPE",
        "BPE at scale",
        "WordPiece and Unigram",
        "The whole pipeline",
        "Judging and choosing",
        "Beyond text",
        "History",
    ]
    assert [lesson.scene for one in CHAPTERS for lesson in one.lessons] == [*SCENES]
    assert (
        50 <= CHAPTERS[0].minutes + CHAPTERS[1].minutes <= 70
    )  # a beginner took 45 to 60 before decoding and transfer


def test_every_scene_says_what_one_can_do_and_why_to_go_on():
    for chapter in CHAPTERS:
        for lesson in chapter.lessons:
            assert lesson.able[0].islower()
            assert not lesson.able.endswith(".")
            assert lesson.onward[-1] in ".?"


def test_every_failure_is_resolved():
    assert [one.scene.id for one in FAILURES] == ["ids", "numbers", "languages", "glitch"]
    assert all(one.resolves.startswith("This is") for one in FAILURES)


def reachable(id, needs):
    """The scenes to which the needs of a scene lead, directly or not."""
    return {*needs[id]}.union(*(reachable(need, needs) for need in needs[id]))


def test_boxes_of_the_map_do_not_overlap():
    drawn = draw_map()
    assert BOX < COLUMN
    assert HEIGHT < CELL
    assert len({(place.x, place.y) for place in drawn.places}) == len(SCENES)
    assert all(len(place.lines) <= 2 for place in drawn.places)


def test_the_paths_of_the_map_lead_to_all_that_a_scene_needs_and_none_is_twice():
    needs = {one.id: one.needs for one in SCENES}
    direct = {one.id: find_direct_needs(one) for one in SCENES}
    assert all(reachable(id, direct) == reachable(id, needs) for id in needs)
    assert not any(need in reachable(other, needs) for some in direct.values() for need in some for other in some)
    assert len(set(draw_map().paths)) == sum(map(len, direct.values()))
