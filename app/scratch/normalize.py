"""Normalizers: change a text before it is cut, and keep it aligned with the input.

Each takes an `Aligned` and gives one; a list of them is applied from the left.
"""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal

import regex

from app.scratch.aligned import Aligned, Change
from app.scratch.older_unicode import BARRIER, as_of_8, lower, marks_as_of_9
from app.scratch.pretokenize import matches

Normalizer = Callable[[Aligned], Aligned]
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

CJK = regex.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf"
    "\U0002f800-\U0002fa1f]"
)
"""What BERT takes for Chinese: the blocks of ideographs, without the kana and the hangul."""
WHITE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""White space as Unicode has it; Python's own notion takes in the separators U+001C to U+001F."""
SPACE = regex.compile(r"\s")
CONTROL = regex.compile(r"(?V1)[[\0\ufffd\p{Cc}\p{Cf}\p{Co}]--[\t\n\r]]")


def in_turn(normalizers: Iterable[Normalizer], text: Aligned) -> Aligned:
    """Apply normalizers one after another.

    >>> in_turn([lowercase, prepend("_")], Aligned.of("A")).text
    '_a'
    """
    for normalizer in normalizers:
        text = normalizer(text)
    return text


def lowercase(text: Aligned) -> Aligned:
    """Lower case, each character for itself.

    >>> lowercase(Aligned.of("İB")).ends
    [1, 1, 2]
    """
    lowered = lower(text.text)
    return text.respelled(lowered) if len(lowered) == len(text.text) else text.each(lower)


def unicode_form(form: Form) -> Normalizer:
    """One of the four normalization forms of Unicode (UAX 15), as of version 9.0.

    >>> unicode_form("NFD")(Aligned.of("né")).ends
    [1, 2, 2]
    >>> unicode_form("NFKC")(Aligned.of("ﬁn")).text
    'fin'
    """

    def normalized(text: Aligned) -> Aligned:
        inert = BARRIER.search(text.text)
        if not inert and unicodedata.is_normalized(form, text.text):
            return text
        return text.changed(change for part in _between(text.text) for change in _form(form, part))

    return normalized


def _between(text: str) -> Iterable[str]:
    """The text cut around each character that the normalizer does not know."""
    here = 0
    for found in BARRIER.finditer(text):
        yield from (text[here : found.start()], found.group())
        here = found.end()
    yield text[here:]


def _form(form: Form, text: str) -> list[Change]:
    if BARRIER.match(text):
        return [(text, 0)]
    apart: Form = "NFKD" if "K" in form else "NFD"
    changes = [(new, int(i > 0)) for char in text for i, new in enumerate(unicodedata.normalize(apart, char))]
    changes = list(_ordered(changes))
    return changes if form == apart else _composed(changes)


def _ordered(changes: Iterable[Change]) -> Iterable[Change]:
    """Canonical order: marks that follow one another are sorted by their class."""
    marks: list[Change] = []
    for change in changes:
        if unicodedata.combining(change[0]):
            marks.append(change)
            continue
        yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))
        marks.clear()
        yield change
    yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))


def _composed(changes: list[Change]) -> list[Change]:
    """Canonical composition: a mark that nothing blocks joins the last character that is no mark."""
    done: list[Change] = []
    base, last = -1, 0  # where the last character of class 0 is, and the class of what follows it
    for char, change in changes:
        own = unicodedata.combining(char)
        if base >= 0 and (last < own or base == len(done) - 1):
            joined = unicodedata.normalize("NFC", done[base][0] + char)
            if len(joined) == 1:
                done[base] = (joined, done[base][1] + change - 1)
                continue
        if own == 0:
            base = len(done)
        last = own
        done.append((char, change))
    return done


def strip_accents(text: Aligned) -> Aligned:
    """Drop all marks; to find those of é, take it apart first.

    >>> in_turn([unicode_form("NFD"), strip_accents], Aligned.of("é"))
    Aligned(text='e', starts=[0], ends=[1], at=0)
    """
    return text.keep(lambda char: not unicodedata.category(marks_as_of_9(char)).startswith("M"))


def clean(text: Aligned) -> Aligned:
    r"""BERT's cleaning: control characters are dropped, every white space becomes a space (Devlin et al. 2019).

    >>> clean(Aligned.of("a\0\tb")).text
    'a b'
    """
    if CONTROL.search(as_of_8(text.text)):
        text = text.keep(lambda char: not CONTROL.match(as_of_8(char)))
    return text.respelled(SPACE.sub(" ", text.text)) if SPACE.search(text.text) else text


def space_cjk(text: Aligned) -> Aligned:
    """A space on each side of each Chinese character, so that each becomes a word (Devlin et al. 2019).

    >>> space_cjk(Aligned.of("a你"))
    Aligned(text='a 你 ', starts=[0, 1, 1, 1], ends=[1, 2, 2, 2], at=0)
    """
    return text.each(lambda char: f" {char} " if CJK.match(char) else char) if CJK.search(text.text) else text


def bert_accents(text: Aligned) -> Aligned:
    """BERT's way with accents: canonical decomposition, then no non-spacing mark is kept.

    >>> bert_accents(Aligned.of("Zoé")).text
    'Zoe'
    """
    text = unicode_form("NFD")(text)
    return text if text.text.isascii() else text.keep(lambda char: unicodedata.category(as_of_8(char)) != "Mn")


def prepend(prefix: str) -> Normalizer:
    """Put something in front of a text that is not empty.

    >>> prepend("▁")(Aligned.of("a"))
    Aligned(text='▁a', starts=[0, 0], ends=[1, 1], at=0)
    """

    def prepended(text: Aligned) -> Aligned:
        if not text.text:
            return text
        (start, end), starts, ends = text.span(0, 1), list(text.starts), list(text.ends)
        return Aligned(prefix + text.text, [start] * len(prefix) + starts, [end] * len(prefix) + ends, text.at)

    return prepended


def replace(pattern: "regex.Pattern[str]", content: str) -> Normalizer:
    """Put something in the place of every match of a pattern; it belongs to the last character of the match.

    >>> replace(regex.compile(" "), "▁")(Aligned.of("a b")).text
    'a▁b'
    """

    def replaced(text: Aligned) -> Aligned:
        chars, starts, ends = [], [], []
        here = 0
        for found in matches(pattern, text.text):
            start, end = found.span()
            at = (text.starts[end - 1], text.ends[end - 1]) if end else (text.at, text.at)
            chars += [text.text[here:start], content]
            starts += [*text.starts[here:start], *[at[0]] * len(content)]
            ends += [*text.ends[here:start], *[at[1]] * len(content)]
            here = end
        joined = "".join([*chars, text.text[here:]])
        return Aligned(joined, [*starts, *text.starts[here:]], [*ends, *text.ends[here:]], text.at) if chars else text

    return replaced


def strip(*, left: bool = True, right: bool = True) -> Normalizer:
    """Drop white space at the ends.

    >>> strip()(Aligned.of(" a "))
    Aligned(text='a', starts=range(1, 2), ends=range(2, 3), at=0)
    """

    def stripped(text: Aligned) -> Aligned:
        start = len(text) - len(text.text.lstrip(WHITE)) if left else 0
        kept = text[start : max(start, len(text.text.rstrip(WHITE)) if right else len(text))]
        return Aligned(kept.text, kept.starts, kept.ends, text.at)

    return stripped
