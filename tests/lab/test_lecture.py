"""The ready lecture: its pages exist, and what is missing in the file is said."""

import pytest
from tokenarium.lab.lecture import READY, read_lecture

from tests.conftest import Ask


def test_the_ready_lecture_takes_as_long_as_its_title_says():
    assert (READY.title, sum(item.minutes for item in READY.items)) == ("Tokens in 45 minutes", 45)
    assert all(item.title and item.notes for item in READY.items)


def test_every_item_of_the_ready_lecture_is_a_page(ask: Ask):
    assert [item.address for item in READY.items if ask("GET", item.address).status_code != 200] == []


def test_an_item_has_the_title_of_its_scene_unless_it_has_its_own():
    text = 'title = "One"\n[[item]]\naddress = "/learn/bpe"\nminutes = 1\nnotes = ""\n'
    assert read_lecture(text).items[0].title == "Encoding with BPE"
    assert read_lecture(text + 'title = "Merges"\n').items[0].title == "Merges"
    with pytest.raises(TypeError, match="minute"):
        read_lecture(text.replace("minutes", "minute"))
