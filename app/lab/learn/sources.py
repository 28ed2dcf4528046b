"""The publications that the course cites."""

import re
from dataclasses import dataclass

from .prose import build, read_prose

ORGANIZATION = re.compile(r"\b(?:Consortium|Team|Assembly|UN|Hugging Face|OpenAI)\b")
MOST_NAMED = 3
"""Authors that a citation names; of more, only the first."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication: its authors, year and title, and an identifier by which anybody finds it."""

    authors: str
    year: int
    title: str
    identifier: str

    @property
    def short(self) -> str:
        """The last names of up to three authors, of more the first, or the name of an organization; and the year.

        >>> for id in ("gage-1994", "kudo-richardson-2018", "sennrich-2016", "pagnoni-2024", "unicode-17"):
        ...     print(SOURCES[id].short)
        Gage 1994
        Kudo and Richardson 2018
        Sennrich, Haddow and Birch 2016
        Pagnoni et al. 2024
        The Unicode Consortium 2025
        """
        authors = self.authors.removesuffix(" and others")
        names = [name if ORGANIZATION.search(name) else name.rpartition(" ")[2] for name in authors.split(", ")]
        if authors != self.authors or len(names) > MOST_NAMED:
            return f"{names[0]} et al. {self.year}"
        return f"{' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))} {self.year}"

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
