"""Unicode's normalization forms (UAX 15) of a text that keeps its alignment, by the tables of version 9.0.

A long text is divided into units that can be normalized apart, and each different one is normalized once.
"""

import unicodedata
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .aligned import AlignedText, Change
from .unicode_versions import BARRIER

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
SHORT, MANY = 1_000, 20
"""To normalize a text of fewer characters, or that has each fewer times, is faster than to divide it into units."""
KEPT, CHANGING, JOINING = 0, 1, 2
"""Whether a form keeps a character, may change it, or may also reorder it, or compose it with one before it."""


def normalize_to_form(form: Form, text: AlignedText) -> AlignedText:
    """Return a text in a normalization form.

    >>> normalize_to_form("NFC", AlignedText.of("ne\u0301")).ends
    [1, 2]
    """
    if unicodedata.is_normalized(form, text.text):
        return text  # then each part between newer characters is normalized, too
    if len(text) < SHORT:
        return _normalize(form, text)
    codes = np.frombuffer(text.text.encode("utf-32-le", "surrogatepass"), "<u4")
    counts = np.bincount(codes)
    different = np.flatnonzero(counts)
    if len(text) < MANY * len(different):
        return _normalize(form, text)
    kinds = counts.astype(np.uint8)  # by code point; all that occur are set
    kinds[different] = [_kind(form, chr(code)) for code in different.tolist()]
    return _normalize_units(form, text, kinds[codes])


def _kind(form: Form, char: str) -> int:
    if BARRIER.match(char):
        return KEPT
    first = unicodedata.normalize("NFKD" if "K" in form else "NFD", char)[0]
    # All that is reordered or composed with what is before are marks, and the vowels and last consonants of hangul.
    if unicodedata.category(first)[0] == "M" or "\u1100" <= first <= "\u11ff":
        return JOINING
    return KEPT if unicodedata.is_normalized(form, char) else CHANGING


def _normalize_units(form: Form, text: AlignedText, kinds: NDArray[np.uint8]) -> AlignedText:
    """Normalize a text of characters of these kinds unit by unit: one that changes, or any and those that join it."""
    joining = np.append(kinds == JOINING, False)
    begins = ((kinds == CHANGING) | joining[1:]) & ~joining[:-1]
    begins[0] |= joining[0]
    starts = np.flatnonzero(begins)
    ends = np.flatnonzero(~joining[1:] & ((kinds == CHANGING) | joining[:-1])) + 1
    units = [text.text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    made = {unit: _normalize(form, AlignedText.of(unit)) for unit in {*units}}
    made = {unit: new for unit, new in made.items() if new != AlignedText.of(unit)}
    changed = [i for i, unit in enumerate(units) if unit in made]
    return text.replace_parts(starts[changed], ends[changed], [made[units[i]] for i in changed])


def _normalize(form: Form, text: AlignedText) -> AlignedText:
    return text.apply_changes(change for part in _between(text.text) for change in _form(form, part))


def _between(text: str) -> Iterable[str]:
    """Split a text around each character that Unicode 9.0 does not know: nothing is composed across it."""
    position = 0
    for match in BARRIER.finditer(text):
        yield from (text[position : match.start()], match.group())
        position = match.end()
    yield text[position:]


def _form(normalization_form: Form, text: str) -> list[Change]:
    if BARRIER.match(text):
        return [(text, 0)]
    decomposed: Form = "NFKD" if "K" in normalization_form else "NFD"
    changes = [(new, int(i > 0)) for char in text for i, new in enumerate(unicodedata.normalize(decomposed, char))]
    changes = list(_order_marks(changes))
    return changes if normalization_form == decomposed else _compose(changes)


def _order_marks(changes: Iterable[Change]) -> Iterable[Change]:
    """Canonical ordering: sort adjacent combining marks by their combining class."""
    marks: list[Change] = []
    for change in changes:
        if unicodedata.combining(change[0]):
            marks.append(change)
            continue
        yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))
        marks.clear()
        yield change
    yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))


def _compose(changes: list[Change]) -> list[Change]:
    """Canonical composition: a mark that is not blocked composes with the last starter."""
    composed: list[Change] = []
    # the index of the last starter (class 0), and the class of the mark before
    base = -1
    last = 0
    for char, change in changes:
        own = unicodedata.combining(char)
        if base >= 0 and (last < own or base == len(composed) - 1):
            joined = unicodedata.normalize("NFC", composed[base][0] + char)
            if len(joined) == 1:
                composed[base] = (joined, composed[base][1] + change - 1)
                continue
        if own == 0:
            base = len(composed)
        last = own
        composed.append((char, change))
    return composed
