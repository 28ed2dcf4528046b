"""Display runs: a text divided so that invisible characters can be drawn, as `·`, `→`, `↵` or a chip with their name.

The texts of the runs of a text join to it again, so that copying from the page gives what was pasted.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import regex

RunKind = Literal["text", "space", "tab", "newline", "return", "chip", "mark"]


@dataclass(frozen=True, slots=True)
class DisplayRun:
    """A run of text that is displayed in one way.

    `text` is displayed as it is; `space`, `tab`, `newline` and `return` by their `label` if whitespace is made visible;
    a `chip` by its name in `label`; a `mark` is combining marks without a base character, drawn on a dotted circle.
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
"""Abbreviations from the Unicode charts and name aliases; all other chips are named by their code point."""

# In these scripts ZWJ and ZWNJ choose between letter forms; elsewhere they are invisible and become chips.
JOINING_SCRIPTS = "".join(
    rf"\p{{Script={name}}}"
    for name in (
        "Arabic", "Syriac", "Mandaic", "Mongolian", "Nko", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya",
        "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan",
    )
)  # fmt: skip
PICTURE = r"\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F\u20E3]*"
PATTERN = rf"""
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
"""
# An HTML parser turns CR into LF and U+0000 into U+FFFD.
UNPRINTABLE = re.compile(r"\0+|\r")


@cache
def _pattern() -> "regex.Pattern[str]":
    import regex  # the server starts without

    return regex.compile(PATTERN, regex.VERBOSE)


def char_name(char: str) -> str:
    r"""Return the short name of an invisible character.

    >>> char_name("\u202e"), char_name("\U000e0041"), char_name("\ufffd")
    ('RLO', 'U+E0041', 'U+FFFD')
    """
    code = ord(char)
    return NAMES.get(code) or f"U+{code:04X}"


def runs(text: str) -> list[DisplayRun]:
    r"""Divide a text at whitespace and at invisible characters.

    >>> [(run.kind, run.text, run.label) for run in runs("a b\u200b")]
    [('text', 'a', ''), ('space', ' ', '·'), ('text', 'b', ''), ('chip', '\u200b', 'ZWSP')]
    >>> [run.kind for run in runs("👩\u200d🚀")]
    ['text']
    """
    # Most tokens need no marks; one search is cheaper than dividing them.
    return list(_merge_text_runs(text)) if _pattern().search(text) else [DisplayRun("text", text)] if text else []


def _merge_text_runs(text: str) -> Iterator[DisplayRun]:
    """Yield the runs of a text, with adjacent `text` matches and what lies between them in one run."""
    position = 0
    for match in _pattern().finditer(text):
        kind: RunKind = match.lastgroup  # type: ignore[assignment]
        if kind == "text":
            continue
        if position < match.start():
            yield DisplayRun("text", text[position : match.start()])
        position = match.end()
        yield DisplayRun(kind, match.group(), _label(kind, match.group()))
    if position < len(text):
        yield DisplayRun("text", text[position:])


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
            return char_name(text)
        case _:
            return "◌"


def plain(text: str) -> list[DisplayRun]:
    r"""Divide a text only at what HTML cannot carry: CR and runs of U+0000. For text whose tokens are not shown yet.

    >>> [(run.kind, run.text) for run in plain("a\r\nb\0\0")]
    [('text', 'a'), ('return', '\r'), ('text', '\nb'), ('chip', '\x00\x00')]
    """
    result = []
    position = 0
    for match in UNPRINTABLE.finditer(text):
        result.append(DisplayRun("text", text[position : match.start()]))
        kind: RunKind = "return" if match.group() == "\r" else "chip"
        result.append(DisplayRun(kind, match.group(), _label(kind, match.group()[0])))
        position = match.end()
    return [run for run in (*result, DisplayRun("text", text[position:])) if run.text]


def label(text: str) -> str:
    r"""Return a text on one line, with invisible characters replaced by their labels.

    >>> label("\u0301 a\n")
    '◌́·a↵'
    """
    return "".join(run.label + run.text if run.kind == "mark" else run.label or run.text for run in runs(text))


SPOKEN_NAMES = {"space": "space", "tab": "tab", "newline": "line break", "return": "carriage return"}


def spoken_label(display_runs: Sequence[DisplayRun]) -> str:
    """Return what a screen reader says for text without visible characters; empty if there are any.

    >>> spoken_label(runs("   ")), spoken_label(runs(" a"))
    ('3 spaces', '')
    """
    if any(run.kind == "text" for run in display_runs):
        return ""
    return ", ".join(_spoken_name(run) for run in display_runs)


def _spoken_name(run: DisplayRun) -> str:
    if run.kind == "space" and len(run.text) > 1:
        return f"{len(run.text)} spaces"
    return SPOKEN_NAMES.get(run.kind, run.label)
