"""The publications that the course cites."""

import re
from dataclasses import dataclass

from .prose import build, read_prose

ORGANIZATION = re.compile(r"\b(?:Consortium|Assembly|UN)\b")


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication: its authors, year and title, and an identifier by which anybody finds it."""

    authors: str
    year: int
    title: str
    identifier: str

    @property
    def short(self) -> str:
        """The name by which it is cited: the last name of the first author, or the whole name of an organization.

        >>> SOURCES["sennrich-2016"].short, SOURCES["xue-2022"].short, SOURCES["unicode-17"].short
        ('Sennrich', 'Xue', 'The Unicode Consortium')
        """
        first = self.authors.removesuffix(" and others").partition(",")[0]
        return first if ORGANIZATION.search(first) else first.rpartition(" ")[2]

    @property
    def address(self) -> str:
        """Its address, where the identifier makes one.

        >>> SOURCES["sennrich-2016"].address
        'https://arxiv.org/abs/1508.07909'
        """
        kind, _, number = self.identifier.partition(":")
        known = {
            "arXiv": f"https://arxiv.org/abs/{number}",
            "doi": f"https://doi.org/{number}",
            "https": self.identifier,
        }
        return known.get(kind, "")


SOURCES = {id: build(Publication, table, f"sources.toml: [{id}]") for id, table in read_prose("sources.toml").items()}
"""All publications by id."""
