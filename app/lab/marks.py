"""Marks: what to show for characters that cannot be seen. A text becomes runs, whose texts join to it again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

RunKind = Literal["text", "space", "tab", "newline", "return", "chip", "mark"]


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text that is shown in one way.

    `text` is shown as it is; `space`, `tab`, `newline` and `return` can be made visible; a `chip` is shown by its name,
    the `label`; a `mark` is a combining mark without a base, put on a dotted circle.
    """

    kind: RunKind
    text: str
    label: str = ""


CONTROLS = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
NAMES = dict(enumerate(CONTROLS.split())) | {
    0x7F: "DEL", 0x85: "NEL", 0xA0: "NBSP", 0xAD: "SHY", 0x034F: "CGJ", 0x061C: "ALM", 0x115F: "HCF", 0x1160: "HJF",
    0x180E: "MVS", 0x2002: "ENSP", 0x2003: "EMSP", 0x2007: "FIGSP", 0x2009: "THINSP", 0x200A: "HAIRSP", 0x200B: "ZWSP",
    0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM", 0x2028: "LSEP", 0x2029: "PSEP", 0x202A: "LRE",
    0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO", 0x202F: "NNBSP", 0x2060: "WJ", 0x2066: "LRI",
    0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0x2800: "BLANK", 0x3000: "IDSP", 0x3164: "HF", 0xFE0E: "VS15",
    0xFE0F: "VS16", 0xFEFF: "BOM", 0xFFA0: "HHF", 0xFFFC: "OBJ",
}  # fmt: skip
"""Short names, after the Unicode charts and name aliases; all other chips are named by their code point."""

JOINING_SCRIPTS = "".join(
    rf"\p{{Script={name}}}"
    for name in (
        "Arabic", "Syriac", "Mandaic", "Mongolian", "Nko", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya",
        "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan",
    )
)  # fmt: skip
PICTURE = r"\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F\u20E3]*"
PATTERN = regex.compile(
    rf"""
      (?P<text>
          {PICTURE}(?:\u200D{PICTURE})+                                 # emoji joined by ZWJ stay joined
        | \U0001F3F4[\U000E0020-\U000E007E]+\U000E007F                  # flags spelled with tag characters
        | [^\p{{C}}\p{{Z}}\p{{Variation_Selector}}]\p{{M}}{{0,8}}?\p{{Variation_Selector}}
        | [{JOINING_SCRIPTS}]\p{{M}}{{0,8}}[\u200C\u200D]                     # joiners where they shape letters
        | \p{{Prepended_Concatenation_Mark}}
      )
    | (?P<space> \ + )
    | (?P<tab> \t )
    | (?P<newline> \n )
    | (?P<return> \r )
    | (?P<chip> [\p{{C}}\p{{Zl}}\p{{Zp}}\p{{Zs}}\p{{Default_Ignorable_Code_Point}}\u2800\uFFFC\uFFFD] )
    | (?P<mark> (?:\A|(?<=[\p{{C}}\p{{Z}}]))\p{{M}}+ )
    """,
    regex.VERBOSE,
)
UNPRINTABLE = regex.compile(r"\0+|\r")


def name(char: str) -> str:
    r"""The short name of a character that cannot be seen.

    >>> name("\u202e"), name("\U000e0041"), name("\ufffd")
    ('RLO', 'U+E0041', 'U+FFFD')
    """
    code = ord(char)
    return NAMES.get(code) or f"U+{code:04X}"


def runs(text: str) -> list[Run]:
    r"""Cut a text at white space and at characters that cannot be seen.

    >>> [(run.kind, run.text, run.label) for run in runs("a b\u200b")]
    [('text', 'a', ''), ('space', ' ', '·'), ('text', 'b', ''), ('chip', '\u200b', 'ZWSP')]
    >>> [run.kind for run in runs("👩\u200d🚀")]
    ['text']
    """
    return list(_merged(text)) if PATTERN.search(text) else [Run("text", text)] if text else []


def _merged(text: str) -> Iterator[Run]:
    """Runs with neighbouring `text` runs as one."""
    shown = 0
    for match in PATTERN.finditer(text):
        kind: RunKind = match.lastgroup  # type: ignore[assignment]
        if kind == "text":
            continue
        if shown < match.start():
            yield Run("text", text[shown : match.start()])
        shown = match.end()
        yield Run(kind, match.group(), _label(kind, match.group()))
    if shown < len(text):
        yield Run("text", text[shown:])


def _label(kind: RunKind, text: str) -> str:
    match kind:
        case "space":
            return "·" * len(text)
        case "tab":
            return "→"
        case "newline":
            return "↵"
        case "return":
            return "CR"
        case "chip":
            return name(text)
        case _:
            return "◌"


def plain(text: str) -> list[Run]:
    r"""Runs for text that is not marked yet: only what HTML cannot carry as it is, CR and runs of U+0000, stands apart.

    >>> [(run.kind, run.text) for run in plain("a\r\nb\0\0")]
    [('text', 'a'), ('return', '\r'), ('text', '\nb'), ('chip', '\x00\x00')]
    """
    found, shown = [], 0
    for match in UNPRINTABLE.finditer(text):
        found.append(Run("text", text[shown : match.start()]))
        kind: RunKind = "return" if match.group() == "\r" else "chip"
        found.append(Run(kind, match.group(), _label(kind, match.group()[0])))
        shown = match.end()
    return [run for run in (*found, Run("text", text[shown:])) if run.text]


def label(text: str) -> str:
    r"""A text on one line, with what cannot be seen spelled out.

    >>> label("\u0301 a\n")
    '◌́·a↵'
    """
    return "".join(run.label + run.text if run.kind == "mark" else run.label or run.text for run in runs(text))


SPOKEN = {"space": "space", "tab": "tab", "newline": "line break", "return": "carriage return"}


def spoken(found: Sequence[Run]) -> str:
    """What to say for a text that shows nothing to read aloud; empty where it does.

    >>> spoken(runs("   ")), spoken(runs(" a"))
    ('3 spaces', '')
    """
    if any(run.kind == "text" for run in found):
        return ""
    return ", ".join(_said(run) for run in found)


def _said(run: Run) -> str:
    if run.kind == "space" and len(run.text) > 1:
        return f"{len(run.text)} spaces"
    return SPOKEN.get(run.kind, run.label)
