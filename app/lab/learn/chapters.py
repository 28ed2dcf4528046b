"""The chapters of the course: their scenes, what a reader can do after each, and what follows; an introduction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from textwrap import wrap
from typing import Any

from ...registry import Registry
from ...settings import Settings
from ..languages.declarations import declarations
from ..steps.step import Step, Tile, TileRow
from .course import SCENES, SHEET
from .course import scene as find_scene
from .prose import build, read_prose
from .scene import Scene
from .texts import token_row

MODEL = "o200k_base"
SENTENCE = "The cat sat on the mat."
RARE = "Schadenfreude is rare"
LANGUAGE = "mya"
"""The language of the example, whose script the tokenizer saw rarely."""
WORDS_A_MINUTE = 120
"""At which a beginner reads and looks at the steps: two chapters took 45 to 60 minutes. All sentences are counted."""
SECONDS = 50
"""Seconds for a question."""
UNREAD = (
    *("address", "basis", "code", "every_step", "kinds", "label", "level", "mathematics", "needs", "reviewed", "rows"),
    *("sample", "source", "trace"),
)
"""Values in the file of a scene that are no sentences."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """Two texts as tokens, the second with its ids; and the tokens of Article 1 in English and in another language."""

    sentence: TileRow
    rare: TileRow
    ids: Step
    size: int
    english: int
    other: int
    language: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """A scene in its chapter: `able` continues “You will be able to”, `onward` is why to go on.

    `failure` is one that a visitor may know, if the scene explains it; `resolves` says how.
    """

    scene: Scene
    able: str
    onward: str
    failure: str = ""
    resolves: str = ""

    @property
    def minutes(self) -> float:
        """How long the scene takes: to read it, to answer its question, and to practise once."""
        scene = {name: value for name, value in read_prose(f"scenes/{self.scene.id}.toml").items() if name != "text"}
        words = sum(len(text.split()) for text in (*_iter_sentences(scene), self.able, self.onward, self.resolves))
        return words / WORDS_A_MINUTE + (1 + SHEET) * SECONDS / 60


def introduce(registry: Registry) -> Introduction:
    """Return what the introduction shows, by the tokenizer of GPT-4o."""
    tokenizer = registry.get(MODEL, "scratch")
    rare = token_row(tokenizer, RARE, "")
    ids = TileRow(tuple(Tile(f"{tile.key}", tile.key, tile.at) for tile in rare.tiles), "ids")
    articles = declarations(Settings().store)
    texts = (articles[code].articles[1].partition("\n")[2] for code in ("eng", LANGUAGE))
    english, other = (len(tokenizer.encode(text).ids) for text in texts)
    return Introduction(
        sentence=token_row(tokenizer, SENTENCE, ""),
        rare=rare,
        ids=Step((), (replace(rare, label="tokens"), ids), columns=((1,) * len(rare.tiles),) * 2),
        size=registry.info(MODEL).tokens or 0,
        english=english,
        other=other,
        language=articles[LANGUAGE].name,
    )


def _iter_sentences(table: Mapping[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield from _iter_sentences(one)
            elif name not in UNREAD:
                yield one


@dataclass(frozen=True, slots=True)
class CoursePage:
    """A page of a chapter that is no scene: what one does there, in a sentence."""

    title: str
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter: its lessons, in order, and what a reader can build after them."""

    id: str
    title: str
    text: str
    lessons: tuple[Lesson, ...]
    pages: tuple[CoursePage, ...] = ()

    @property
    def minutes(self) -> int:
        return ceil(sum(lesson.minutes for lesson in self.lessons))


def _build_chapters() -> Iterator[Chapter]:
    for id, table in read_prose("chapters.toml").items():
        place = f"chapters.toml: [{id}]"
        scenes = table.get("scenes", {})
        lessons = tuple(build(Lesson, told, f"{place} {name}", scene=find_scene(name)) for name, told in scenes.items())
        pages = tuple(build(CoursePage, told, f"{place} [[pages]]") for told in table.get("pages", ()))
        rest = {name: value for name, value in table.items() if name not in ("scenes", "pages")}
        yield build(Chapter, rest, place, id=id, lessons=lessons, pages=pages)


CHAPTERS = tuple(_build_chapters())
"""All chapters, in the order of the course."""
FAILURES = tuple(lesson for chapter in CHAPTERS for lesson in chapter.lessons if lesson.failure)
"""The lessons that answer a failure that the course opens with."""


def find_lesson(id: str) -> tuple[Chapter, Lesson]:
    """Return a scene as a lesson, and its chapter.

    >>> chapter, lesson = find_lesson("bpe")
    >>> chapter.title, lesson.scene.title
    ('BPE', 'Encoding with BPE')
    """
    return next((chapter, lesson) for chapter in CHAPTERS for lesson in chapter.lessons if lesson.scene.id == id)


def find_page(address: str) -> tuple[Chapter, CoursePage]:
    """Return a page that is no scene, and its chapter.

    >>> chapter, page = find_page("/learn/by-hand")
    >>> chapter.title, page.title
    ('BPE', 'BPE by hand')
    """
    return next((chapter, page) for chapter in CHAPTERS for page in chapter.pages if page.address == address)


COLUMN = 184
CELL = 64
"""Width and height of a place on the map, in pixels."""
BOX = 146
HEIGHT = 48
TOP = 44
EDGE = 20
BEND = 24
"""Size of a box, height of the titles of the chapters, margin at the left of a column, and bend of a path."""
MOST_LETTERS = 20
"""Letters of a line in a box."""


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A scene on the map: the left upper corner of its box, and its title in lines."""

    scene: Scene
    x: int
    y: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CourseMap:
    """The scenes as boxes in columns, a chapter each; `paths` lead from a scene to those that need it.

    A path that others replace is left out: from a scene to one that needs it through a third.
    """

    width: int
    height: int
    heads: tuple[tuple[int, str], ...]
    places: tuple[MapPlace, ...]
    paths: tuple[str, ...]


def draw_map() -> CourseMap:
    """Return the map of the course."""
    places: dict[str, MapPlace] = {}
    for column, chapter in enumerate(CHAPTERS):
        for row, lesson in enumerate(chapter.lessons):
            lines = tuple(wrap(lesson.scene.title, MOST_LETTERS))
            places[lesson.scene.id] = MapPlace(lesson.scene, COLUMN * column + EDGE, TOP + CELL * row, lines)
    paths = [_path(places[need], places[one.id]) for one in SCENES for need in find_direct_needs(one)]
    most = max(len(chapter.lessons) for chapter in CHAPTERS)
    heads = tuple((COLUMN * column + EDGE, chapter.title) for column, chapter in enumerate(CHAPTERS))
    return CourseMap(COLUMN * len(CHAPTERS), TOP + CELL * most, heads, tuple(places.values()), tuple(paths))


def find_direct_needs(one: Scene) -> list[str]:
    """Return the scenes that a scene needs, without those that another of them needs already.

    >>> find_scene("byte-fallback").needs, find_direct_needs(find_scene("byte-fallback"))
    (('bytes', 'pretokenize'), ['pretokenize'])
    """
    indirect = {need for direct in one.needs for need in _find_all_needs(find_scene(direct))}
    return [need for need in one.needs if need not in indirect]


def _find_all_needs(one: Scene) -> set[str]:
    return {*one.needs}.union(*(_find_all_needs(find_scene(need)) for need in one.needs))


def _path(start: MapPlace, end: MapPlace) -> str:
    """Return the path from the right of a box to the left of another, or along the left of its own column."""
    top, bottom = start.y + HEIGHT // 2, end.y + HEIGHT // 2
    if start.x == end.x:
        return f"M{start.x} {top}C{start.x - EDGE} {top} {end.x - EDGE} {bottom} {end.x} {bottom}"
    x = start.x + BOX
    return f"M{x} {top}C{x + BEND} {top} {end.x - BEND} {bottom} {end.x} {bottom}"
