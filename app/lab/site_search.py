"""Search over everything that has an address: pages, models and tokenizers, scenes, terms, calculators, tokens."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

from ..types import TokenizerInfo
from .learn.calculators import CALCULATORS
from .learn.chapters import CHAPTERS
from .learn.course import SCENES
from .learn.glossary import TERMS
from .models import model_list

MAX_HITS = 8
"""Hits of a group that are listed."""
MAX_QUERY = 200
MISSING = "/tokenizers#add"
"""Where a model whose tokenizer is not here leads."""
Group = Literal["Pages", "Models and tokenizers", "Course", "Glossary", "Calculators", "Tokens"]


@dataclass(frozen=True, slots=True)
class Hit:
    """Something with an address: the group that it is listed in, its title, and what else it is found by."""

    group: Group
    title: str
    address: str
    about: str = ""
    words: str = ""


def search_site(
    query: str, pages: Iterable[tuple[str, str, str]], infos: Iterable[TokenizerInfo], tokenizer: str
) -> dict[str, list[Hit]]:
    """Return the hits by group, the best first; without a query, the pages.

    `pages` are (address, title, place). The tokens are those of the vocabulary of `tokenizer`.
    """
    wanted = _words(query[:MAX_QUERY])
    if not wanted:
        hits = [*_page_hits(pages)]
    else:
        everything = (*_page_hits(pages), *_model_hits(infos), *_course_hits())
        ranked = [(rank, hit) for hit in everything if (rank := _rank(hit, wanted)) is not None]
        # What is not here yet comes after what can be opened.
        hits = [hit for _, hit in sorted(ranked, key=lambda pair: (pair[1].address == MISSING, pair[0]))]
    hits += _token_hits(query[:MAX_QUERY], tokenizer)
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        members = groups.setdefault(hit.group, [])
        if not wanted or len(members) < MAX_HITS:
            members.append(hit)
    return groups


def _page_hits(pages: Iterable[tuple[str, str, str]]) -> Iterator[Hit]:
    for address, title, place in pages:
        yield Hit("Pages", title, address, place)


def _model_hits(infos: Iterable[TokenizerInfo]) -> Iterator[Hit]:
    for _, rows in model_list(infos).groups:
        for row in rows:
            words = " ".join((row.maker, *row.also))
            if row.info:
                address = f"/?{urlencode({'tokenizer': row.info.id})}"
                yield Hit("Models and tokenizers", row.label, address, row.maker, f"{words} {row.info.family}")
            else:
                yield Hit("Models and tokenizers", row.name, MISSING, row.todo, words)


def _course_hits() -> Iterator[Hit]:
    for number, scene in enumerate(SCENES, 1):
        yield Hit("Course", scene.title, f"/learn/{scene.id}", f"Scene {number}", scene.id)
    for chapter in CHAPTERS:
        for page in chapter.pages:
            yield Hit("Course", page.title, page.address, chapter.title, page.text)
    for term in TERMS:
        yield Hit("Glossary", term.name, f"/learn/glossary#{term.id}", words=term.id)
    for calculator in CALCULATORS:
        yield Hit("Calculators", calculator.title, f"/learn/calculators/{calculator.id}", words=calculator.id)


def _token_hits(query: str, tokenizer: str) -> Iterator[Hit]:
    if not query.strip():
        return
    vocabulary = f"/vocabulary/{quote(tokenizer)}"
    if query.strip().isdecimal() and len(query.strip()) <= 7:
        yield Hit("Tokens", f"Token {query.strip()} of {tokenizer}", f"{vocabulary}/{query.strip()}")
    yield Hit("Tokens", f"Tokens with “{query}” in {tokenizer}", f"{vocabulary}?{urlencode({'q': query})}")


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, without accents.

    >>> _words("Qwen3.5, Café")
    ['qwen3.5', 'cafe']
    """
    plain = "".join(one for one in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(one))
    return [word for word in re.split(r"[^\w.]+", plain) if word.strip(".")]


def _rank(hit: Hit, wanted: list[str]) -> tuple[int, int] | None:
    """Return how well a hit fits, the smaller the better, or None if a word is not in it."""
    title = _words(hit.title)
    others = _words(f"{hit.about} {hit.words}")
    if title == wanted:
        return (0, 0)
    if all(any(one.startswith(word) for one in title) for word in wanted):
        return (1 if title[0].startswith(wanted[0]) else 2, len(title))
    if all(any(one.startswith(word) for one in (*title, *others)) for word in wanted):
        return (3, len(title))
    whole = "".join(title)
    return (4, len(title)) if "".join(wanted) in whole else None
