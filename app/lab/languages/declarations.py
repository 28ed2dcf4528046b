"""The Universal Declaration of Human Rights in every language, read from the store, and other names of languages."""

import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import Invalid
from ...store import read_bundled_text
from ...types import Source
from ..metrics import word_count

FOLDER = "udhr"
FILE = "declarations.json"
UNSPACED = frozenset(
    ("Han", "Japanese", "Javanese", "Khmer", "Lao", "Myanmar", "Tai Tham", "Tai Viet", "Thai", "Tibetan", "Yi")
)
"""Scripts without spaces, or any other sign, between words."""
NAMES = {"ckb": "Kurdish, Central: text in Northern Kurdish"}
"""Names that tell what the source does not: its Central Kurdish text is that of Northern Kurdish."""
ANTARCTICA = -60
"""Latitude below which a location means that the location is unknown."""
NAMES_BY_CODE = """
afr Afrikaans, amh አማርኛ, azj Azərbaycanca, bel беларуская, ben বাংলা Bangla, bos bosanski, bul български, cat català,
ces čeština, cmn 中文 普通话 Chinese, cym Cymraeg, dan dansk, deu Deutsch, ekk eesti Estonian, ell Ελληνικά,
eng English, eus euskara, fin suomi, fra français, gle Gaeilge, glg galego, guj ગુજરાતી, hat kreyòl ayisyen, hin हिन्दी,
hrv hrvatski, hun magyar, hye հայերեն, ind Bahasa Indonesia, isl íslenska, ita italiano, jav basa Jawa, jpn 日本語,
kan ಕನ್ನಡ, kat ქართული, kaz қазақша, khk монгол Mongolian, khm ខ្មែរ, kin Ikinyarwanda, kir кыргызча, kmr Kurmancî,
kor 한국어, lao ລາວ, lav latviešu, lit lietuvių, ltz Lëtzebuergesch, lvs latviešu Latvian, mal മലയാളം, mar मराठी,
mkd македонски, mlt Malti, mya မြန်မာ Myanmar, nld Nederlands, nno norsk nynorsk, nob norsk bokmål, npi नेपाली Nepali,
ory ଓଡ଼ିଆ Odia, pan ਪੰਜਾਬੀ Punjabi, plt Malagasy, pol polski, por português, quz Runasimi, ron română, rus русский,
sin සිංහල, slk slovenčina, slv slovenščina, som Soomaali, spa español castellano, srp српски srpski, swe svenska,
swh Kiswahili, tam தமிழ், tel తెలుగు, tgk тоҷикӣ, tgl Filipino Pilipino, tha ไทย, tir ትግርኛ, tuk türkmençe, tur Türkçe,
ukr українська, uzn oʻzbekcha Uzbek, vie Tiếng Việt, xho isiXhosa, yor Yorùbá, yue 粵語 Cantonese, zlm Bahasa Melayu,
zul isiZulu,
arb العربية Arabic,
ckb کوردی Sorani,
hau Hausa هَوُسَ,
heb עברית,
pbu پښتو Pashto,
pes فارسی Persian,
pnb پنجابی Punjabi,
prs دری Persian,
uig ئۇيغۇرچە Uyghur,
urd اردو,
ydd ייִדיש Yiddish
"""
"""Code of a language, and its name for itself or further English names; those from right to left stand alone."""
OTHER_NAMES: Mapping[str, str] = dict(entry.strip().split(" ", 1) for entry in NAMES_BY_CODE.split(","))


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declaration in one language.

    `articles` are those that the source has, by number. `place` is the location of the language in degrees north and
    east, or None if it is unknown. `script` is the English name of its script, `direction` `ltr` or `rtl`.
    """

    code: str
    iso: str
    name: str
    script: str
    direction: str
    place: tuple[float, float] | None
    articles: Mapping[int, str]

    @property
    def text(self) -> str:
        """All articles, separated by an empty line."""
        return self.of(self.articles)

    @property
    def spaced(self) -> bool:
        """True if the script separates words, so that they can be counted."""
        return self.script not in UNSPACED

    def of(self, numbers: Collection[int]) -> str:
        """Return the articles with these numbers, separated by an empty line.

        >>> Declaration("a", "a", "A", "Latin", "ltr", None, {1: "One.", 2: "Two.", 3: "Three."}).of([1, 3])
        'One.\\n\\nThree.'
        """
        return "\n\n".join(text for number, text in self.articles.items() if number in numbers)


@dataclass(frozen=True, slots=True)
class Language:
    """A language and the size of its text: a row of the atlas. `words` is None if the script does not separate words.

    The other fields are those of `Declaration`; `articles` is their number.
    """

    code: str
    iso: str
    name: str
    script: str
    direction: str
    place: tuple[float, float] | None
    articles: int
    bytes: int
    characters: int
    words: int | None


def language(declaration: Declaration) -> Language:
    """Return the row of a declaration."""
    text = declaration.text
    return Language(
        code=declaration.code,
        iso=declaration.iso,
        name=declaration.name,
        script=declaration.script,
        direction=declaration.direction,
        place=declaration.place,
        articles=len(declaration.articles),
        bytes=len(text.encode()),
        characters=len(text),
        words=word_count(text) if declaration.spaced else None,
    )


def declaration(store: Path, code: str) -> Declaration:
    """Return the declaration in the language with this code. Raises `Invalid` if there is none.

    >>> from tokenarium.settings import Settings
    >>> declaration(Settings().store, "shn").name
    'Shan'
    """
    by_code = declarations(store)
    if code not in by_code:
        raise Invalid("There is no language with this code; /api/languages lists them.", pointer="/language")
    return by_code[code]


# 6 MB of JSON, read once for as long as the process lives.
@lru_cache(maxsize=1)
def declarations(store: Path) -> Mapping[str, Declaration]:
    """Return all declarations by code. Raises `BadFile` if the file does not have the recorded hash."""
    # The counts in the store are only valid for exactly these texts.
    return {entry["code"]: _declaration(entry) for entry in json.loads(read_bundled_text(store, FOLDER, FILE))}


def get_pinned_sha256(store: Path) -> str:
    """Return the recorded SHA-256 of the declarations."""
    return str(_metadata(store)["files"][FILE]["sha256"])


def source(store: Path) -> Source:
    """Return the package that the declarations are taken from."""
    return Source(**_metadata(store)["source"])


def _metadata(store: Path) -> dict[str, Any]:
    return tomllib.loads((store / FOLDER / "texts.toml").read_text(encoding="utf-8"))


def _name(name: str) -> str:
    """Return a name without the parentheses around a variety whose language the source does not name.

    >>> _name("(Bizisa)"), _name("Crioulo, Upper Guinea (008)")
    ('Bizisa', 'Crioulo, Upper Guinea (008)')
    """
    return name[1:-1] if name.startswith("(") and name.endswith(")") else name


def _declaration(entry: Mapping[str, Any]) -> Declaration:
    north = entry["latitude"]
    east = entry["longitude"]
    return Declaration(
        code=entry["code"],
        iso=entry["iso6393"],
        name=NAMES.get(entry["code"]) or _name(entry["name"]),
        script=entry["script"],
        direction=entry["direction"],
        place=(north, east) if north > ANTARCTICA else None,
        articles={int(number): text for number, text in entry["articles"].items()},
    )


def other_names(iso: str) -> str:
    """Return the other names of a language, separated by spaces, or an empty text.

    >>> other_names("deu"), other_names("tgl"), other_names("shn")
    ('Deutsch', 'Filipino Pilipino', '')
    """
    return OTHER_NAMES.get(iso, "")
