"""The area of each box is its share of the tokens, and boxes stand inside that of their folder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.corpus.folder.treemap import draw_treemap, find_colours
from tokenarium.corpus.folder.usage import FolderUsage, TokenUsage

NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join).map(lambda name: f"{name}.py")
FILES = st.dictionaries(NAMES, st.integers(1, 10**6), min_size=1, max_size=30)


def draw(files):
    usage = FolderUsage(("gpt2",), [TokenUsage(name, [tokens], 1) for name, tokens in files.items()])
    return [*draw_treemap(usage, find_colours(usage))]


@given(FILES)
def test_boxes_fill_the_picture_and_stand_inside_their_folder(files):
    boxes = draw(files)
    tops = [box for box in boxes if not any(other.name != box.name and _holds(other, box) for other in boxes)]
    assert sum(box.width * box.height for box in tops) == pytest.approx(562_500, rel=0.02)
    assert sum(box.tokens for box in boxes if box.whole) == sum(files.values())
    for box in boxes:
        for other in boxes:
            if other.name != box.name and _holds(other, box):
                assert other.left - 0.1 <= box.left <= box.left + box.width <= other.left + other.width + 0.1
                assert other.top - 0.1 <= box.top <= box.top + box.height <= other.top + other.height + 0.1


def _holds(folder, box):
    return folder.name.endswith("/") and box.name.startswith(folder.name)


def test_a_folder_with_nothing_but_a_folder_is_one_box_with_it():
    assert [box.name for box in draw({"a/b/c.py": 5, "a/b/d.py": 3, "e.md": 1})] == [
        "a/b/",
        "a/b/c.py",
        "a/b/d.py",
        "e.md",
    ]


def test_nothing_is_drawn_of_empty_files():
    assert draw({}) == []
    assert draw({"a.py": 0}) == []


def test_small_folders_stand_for_their_files():
    small = {f"small/{number}.py": 1 for number in range(50)}
    boxes = draw({"large.md": 100_000, **small})
    assert [(box.name, box.files, box.whole) for box in boxes] == [("large.md", 1, True), ("small/", 50, True)]
