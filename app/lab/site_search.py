"""Search over everything that has an address: pages and what one can do there, models, scenes, terms, guides, tokens.

`site_search.toml` has the words with which people look for pages.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import quote, urlencode

from ..types import TokenizerInfo
from .learn.calculators import CALCULATORS
from .learn.chapters import CHAPTERS
from .learn.course import SCENES
from .learn.glossary import TERMS
from .models import model_list

TABLE = Path(__file__).with_suffix(".toml")
MAX_HITS = 8
"""Hits of a group that are listed."""
MAX_QUERY = 200
MISSING = "/tokenizers#add"
"""Where a model whose tokenizer is not here leads."""
Group = Literal[
    "Pages", "What you can do", "Models and tokenizers", "Course", "Glossary", "Calculators", "Guides", "Tokens"
]


@dataclass(frozen=True, slots=True)
class Hit:
    """Something with an address: the group that it is listed in, its title, and what else it is found by.

    A query of its `names` alone finds it first.
    """

    group: Group
    title: str
    address: str
    about: str = ""
    words: str = ""
    names: str = ""
    todo: bool = False


def search_site(
    query: str, guides: Iterable[tuple[str, str, str]], infos: Iterable[TokenizerInfo], tokenizer: str
) -> dict[str, list[Hit]]:
    """Return the hits by group, the best first; without a query, the pages.

    `guides` are (address, heading, title of the guide). The tokens are those of the vocabulary of `tokenizer`.
    """
    wanted = _words(query[:MAX_QUERY])
    if not wanted:
        hits = [hit for hit in list_pages() if hit.group == "Pages"]
    else:
        headings = (Hit("Guides", heading, address, title) for address, heading, title in guides)
        everything = (*list_pages(), *_model_hits(infos), *_course_hits(), *headings)
        ranked = [(rank, hit) for hit in everything if (rank := _rank(hit, wanted)) is not None]
        # What is not here yet comes after what can be opened.
        hits = [hit for _, hit in sorted(ranked, key=lambda pair: (pair[1].todo, pair[0]))]
    hits += _token_hits(query[:MAX_QUERY], tokenizer)
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        members = groups.setdefault(hit.group, [])
        if not wanted or len(members) < MAX_HITS:
            members.append(hit)
    return groups


@cache
def list_pages() -> tuple[Hit, ...]:
    """Return the pages of the site, and what one can do on them."""
    table = tomllib.loads(TABLE.read_text())
    groups: tuple[tuple[Group, str], ...] = (("What you can do", "action"), ("Pages", "page"))
    rows = [(group, row) for group, kind in groups for row in table[kind]]
    return tuple(Hit(group, row["title"], row["address"], names=row["words"]) for group, row in rows)


def _model_hits(infos: Iterable[TokenizerInfo]) -> Iterator[Hit]:
    for _, rows in model_list(infos).groups:
        for row in rows:
            words = " ".join((row.maker, *row.also))
            if row.info:
                address = f"/?{urlencode({'tokenizer': row.info.id})}"
                yield Hit("Models and tokenizers", row.label, address, row.maker, f"{words} {row.info.family}")
            else:
                yield Hit("Models and tokenizers", row.name, MISSING, row.todo, words, todo=True)


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
    """Return the words of a text in lower case, without accents and the s of a plural.

    >>> _words("Qwen3.5, Café, prices")
    ['qwen3.5', 'cafe', 'price']
    """
    plain = "".join(one for one in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(one))
    words = [word for word in re.split(r"[^\w.]+", plain) if word.strip(".")]
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words]


def _rank(hit: Hit, wanted: list[str]) -> tuple[int, int] | None:
    """Return how well a hit fits, the smaller the better, or None if a word is not in it."""
    title = _words(hit.title)
    names = _words(hit.names)
    others = [*names, *_words(f"{hit.about} {hit.words}")]
    if {*wanted} <= {*names}:
        return (0, names.index(wanted[0]))
    if title == wanted:
        return (1, 0)
    if all(any(one.startswith(word) for one in title) for word in wanted):
        return (2 if title[0].startswith(wanted[0]) else 3, len(title))
    if all(any(one.startswith(word) for one in (*title, *others)) for word in wanted):
        return (4, len(title))
    whole = "".join(title)
    return (5, len(title)) if "".join(wanted) in whole else None
