"""The figures of a vocabulary: what it is made of, what it has of numbers, white space and words, and what is odd."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

import numpy as np
import regex

from ...store import Record
from .analysis import CAUSES, CLASSES, CODES, Analysis
from .columns import BYTES, KINDS, SCRIPTS, VocabularyColumns

MAX_LENGTH = 16
"""Longer tokens are counted together."""
EXAMPLES = 12
"""Tokens of a kind that are named."""
MAX_RUN = 4096
"""The longest run of one white-space character that is looked for."""
WORDS = ("the", "of", "and", "is", "new", "hello", "model", "token")
"""Words whose variants are shown."""
FORMS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("the", str.lower),
    (" the", lambda word: f" {word.lower()}"),
    ("The", str.capitalize),
    (" The", lambda word: f" {word.capitalize()}"),
    ("THE", str.upper),
    (" THE", lambda word: f" {word.upper()}"),
)
"""The variants of a word: its case, without and with a space in front."""
RESERVED = regex.compile(r"[<\[|].*(?:unused|reserved|placeholder|extra_id|dummy|special_token_\d).*[>\]|]", regex.I)
WHITE_SPACE = {
    "space": " ",
    "tab": "\t",
    "newline": "\n",
    "carriage return and newline": "\r\n",
    "ideographic space": "\u3000",
}
GLITCH_SOURCE = "Rumbelow and Watkins 2023, SolidGoldMagikarp (plus, prompt generation)"
GLITCH_LISTED = (
    *(" SolidGoldMagikarp", " TheNitromeFan", " RandomRedditor", " RandomRedditorWithNo", " davidjl", " petertodd"),
    *(" Leilan", " attRot", " Skydragon", " externalToEVA", " guiActiveUnfocused", " guiActiveUn", " guiIcon"),
    *(" externalActionCode", " StreamerBot", "TPPStreamerBot", "cloneembedreportprint", "embedreportprint"),
    *("rawdownload", "rawdownloadcloneembedreportprint", "reportprint", "PsyNetMessage", "ForgeModLoader"),
    *("EStreamFrame", " srfN", " gmaxwell", " Dragonbound", " Adinida", "isSpecialOrderable", "InstoreAndOnline"),
    *("BuyableInstoreAndOnline", "channelAvailability", "quickShipAvailable", "inventoryQuantity", " UCHIJ"),
)
"""Tokens of the vocabulary of GPT-2 and GPT-3 that the source lists; each is looked up in the vocabulary at hand."""


def compute_figures(
    record: Record, columns: VocabularyColumns, analysis: Analysis, orphans: AbstractSet[int]
) -> dict[str, Any]:
    """Return the figures as plain data. `orphans`: the rows of tokens that no two earlier tokens make."""
    normal = columns.kinds == KINDS.index("normal")
    ids: dict[str, int] = {}
    for row in np.flatnonzero(normal & (columns.characters > 0)).tolist():
        if not columns.pieces[row].startswith("##"):  # what continues a word does not stand for its text
            ids.setdefault(columns.texts[row], int(columns.ids[row]))
    return {
        "id": record.info.id,
        "tokens": len(columns),
        "kinds": {kind: int((columns.kinds == code).sum()) for code, kind in enumerate(KINDS)},
        "classes": {name: int((analysis.classes == code).sum()) for code, name in enumerate(CLASSES)},
        "causes": _causes(columns, analysis),
        "ids": _ids(columns),
        "scripts": _scripts(columns),
        "lengths": _lengths(columns),
        "numbers": _numbers(ids),
        "white_space": _white_space(ids),
        "variants": _variants(ids),
        "undecodable": _undecodable(columns, analysis),
        "orphans": _examples(columns, sorted(orphans)),
        "duplicates": _duplicates(columns),
        "reserved": _examples(columns, [row for row, piece in enumerate(columns.pieces) if RESERVED.fullmatch(piece)]),
        "glitch": _glitch(ids),
    }


def _examples(columns: VocabularyColumns, rows: list[int]) -> dict[str, Any]:
    named = [{"id": int(columns.ids[row]), "token": columns.pieces[row]} for row in rows[:EXAMPLES]]
    return {"count": len(rows), "examples": named}


def _causes(columns: VocabularyColumns, analysis: Analysis) -> list[dict[str, Any]]:
    """Why tokens are not ordinary: by class and cause how many, the tries for each, and some of them."""
    groups: defaultdict[tuple[int, int, bool], list[int]] = defaultdict(list)
    for row in np.flatnonzero(analysis.causes).tolist():
        groups[int(analysis.classes[row]), int(analysis.causes[row]), bool(analysis.ends[row] >= 0)].append(row)
    found = []
    order = [*map(CLASSES.index, ("no text found", "special, no text found", "undecodable", "ok", "special"))]
    for (kind, cause, seen), rows in sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0])):
        labels = {"class": CLASSES[kind], "cause": CODES[cause], "detail": CAUSES[CODES[cause]], "found": seen}
        counts = {"count": len(rows), "tried": int(analysis.tried[rows].max())}
        found.append({**labels, **counts, "examples": _examples(columns, rows)["examples"]})
    return found


def _ids(columns: VocabularyColumns) -> dict[str, Any]:
    """The range of the ids, and those in it that have no token."""
    ids = columns.ids.tolist()
    last = ids[-1] if ids else -1
    gaps = [[low + 1, high - 1] for low, high in pairwise([-1, *ids]) if high - low > 1]
    return {
        "first": ids[0] if ids else None,
        "last": last if ids else None,
        "unused": last + 1 - len(ids),
        "gaps": gaps[:EXAMPLES],
    }


def _scripts(columns: VocabularyColumns) -> list[dict[str, Any]]:
    """The tokens of each script, the most frequent first, with the longest."""
    counts = Counter(columns.scripts.tolist())
    return [
        {"script": SCRIPTS[code], "tokens": count, "longest": [*_longest(columns, code)]}
        for code, count in counts.most_common()
    ]


def _longest(columns: VocabularyColumns, script: int, count: int = 3) -> Iterator[dict[str, Any]]:
    """Yield the longest tokens of a script, without special ones."""
    rows = np.flatnonzero((columns.scripts == script) & (columns.kinds == KINDS.index("normal")))
    sizes = columns.lengths if SCRIPTS[script] == BYTES else columns.characters
    for row in rows[np.argsort(-sizes[rows], kind="stable")][:count].tolist():
        size = int(sizes[row])
        yield {"id": int(columns.ids[row]), "token": columns.pieces[row], "length": size}


def _lengths(columns: VocabularyColumns) -> dict[str, list[int]]:
    """The number of tokens of each length from 1, the last with all longer ones, without special tokens."""
    normal = columns.kinds != KINDS.index("special")

    def count_lengths(sizes: Any) -> list[int]:
        counts: list[int] = np.bincount(np.minimum(sizes[sizes > 0], MAX_LENGTH), minlength=MAX_LENGTH + 1)[1:].tolist()
        return counts

    return {"bytes": count_lengths(columns.lengths[normal]), "characters": count_lengths(columns.characters[normal])}


def _numbers(ids: dict[str, int]) -> list[dict[str, Any]]:
    """Which numbers from 0 to 999 are single tokens, by their digits, alone and with a space in front."""
    rows = []
    for digits, numbers in ((1, range(10)), (2, range(10, 100)), (3, range(100, 1000))):
        missing = [number for number in numbers if str(number) not in ids]
        spaced = [number for number in numbers if f" {number}" in ids]
        row = {"digits": digits, "of": len(numbers), "single": len(numbers) - len(missing), "spaced": len(spaced)}
        rows.append({**row, "missing": missing[:EXAMPLES]})
    return rows


def _white_space(ids: dict[str, int]) -> list[dict[str, Any]]:
    """The runs of each white-space character that are single tokens: how many, the longest, the shortest missing."""
    rows = []
    for name, char in WHITE_SPACE.items():
        lengths = [count for count in range(1, MAX_RUN // len(char)) if char * count in ids]
        missing = [count for count in range(1, max(lengths, default=0)) if count not in {*lengths}]
        rows.append(
            {"run": name, "tokens": len(lengths), "longest": max(lengths, default=0), "missing": missing[:EXAMPLES]}
        )
    return rows


def _variants(ids: dict[str, int]) -> dict[str, Any]:
    """How many of the six variants of case and space each word has, and those of a few words."""
    words: defaultdict[str, int] = defaultdict(int)
    cased = regex.compile(r" ?\p{L}{2,}")
    for text in ids:
        bare = text.removeprefix(" ")
        if (
            cased.fullmatch(text)
            and bare.lower() != bare.upper()
            and bare in (bare.lower(), bare.capitalize(), bare.upper())
        ):
            words[bare.lower()] += 1
    counts = Counter(words.values())
    shown = [{"word": word, "ids": [ids.get(form(word)) for _, form in FORMS]} for word in WORDS]
    return {
        "words": len(words),
        "by_count": [counts[count] for count in range(1, len(FORMS) + 1)],
        "forms": [name for name, _ in FORMS],
        "examples": shown,
    }


def _undecodable(columns: VocabularyColumns, analysis: Analysis) -> dict[str, Any]:
    """Tokens that are not UTF-8 by themselves; single bytes apart, which a byte-level vocabulary must have."""
    rows = np.flatnonzero(analysis.classes == CLASSES.index("undecodable"))
    single = rows[columns.lengths[rows] == 1]
    longer = rows[columns.lengths[rows] > 1]
    return {
        "count": len(rows),
        "single_bytes": len(single),
        "longer": len(longer),
        "with_witness": int((analysis.ends[rows] >= 0).sum()),
        "examples": _examples(columns, longer.tolist())["examples"],
    }


def _duplicates(columns: VocabularyColumns) -> dict[str, Any]:
    """Tokens that stand for the same bytes; where marks tell them apart (## or </w>), the same spelling."""
    marked = any(piece.startswith("##") or piece.endswith("</w>") for piece in columns.pieces)
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for row, kind in enumerate(columns.kinds.tolist()):
        if KINDS[kind] in ("normal", "special") and columns.raws[row]:
            groups[columns.pieces[row].encode() if marked else columns.raws[row]].append(row)
    several = [rows for rows in groups.values() if len(rows) > 1]
    named = [{"token": columns.pieces[rows[0]], "ids": columns.ids[rows].tolist()} for rows in several[:EXAMPLES]]
    return {"count": len(several), "examples": named}


def _glitch(ids: dict[str, int]) -> dict[str, Any]:
    """Famous glitch tokens, in a vocabulary that is that of GPT-2 or grew out of it."""
    known: Iterable[str] = GLITCH_LISTED if GLITCH_LISTED[0] in ids else ()
    return {"source": GLITCH_SOURCE, "tokens": [{"id": ids[text], "token": text} for text in known if text in ids]}
