"""What is learned from: texts that are given, or built in by name; and the part that is held out to measure on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import Invalid, listed
from app.lab.tokenize import utf8_length
from app.settings import ROOT

LANGUAGE, SOURCE = "udhr:", "source"
FEW_LINES = 10
MOST_HELD = 200_000
"""Characters that are held out of a large corpus, about."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts to learn from and texts to measure on. `note` says what was held out, `sha256` is that of all of it."""

    texts: tuple[str, ...]
    held_out: tuple[str, ...]
    note: str
    bytes: int
    sha256: str


def built_in(store: Path, name: str) -> tuple[str, str]:
    """A corpus that is there: `udhr:` and the code of a language, or `source`, this program. Its title, and its text.

    >>> from app.settings import Settings
    >>> title, text = built_in(Settings().store, "udhr:bre")
    >>> title, text[:13]
    ('UDHR in Breton', 'Mellad unan (')
    >>> "def built_in" in built_in(Settings().store, "source")[1]
    True

    Raises `Invalid` for another name.
    """
    if name == SOURCE:
        paths = sorted((ROOT / "app").rglob("*.py"))
        return "Tokenarium’s source", "".join(path.read_text(encoding="utf-8") for path in paths)
    if not name.startswith(LANGUAGE):
        known = [f"{LANGUAGE}<code of a language>", SOURCE]
        raise Invalid(f"A built-in corpus is one of {listed(known)}.", pointer="/corpora")
    from app.lab.languages.texts import declaration

    found = declaration(store, name.removeprefix(LANGUAGE))
    return f"UDHR in {found.name}", found.text


def corpus(texts: Sequence[str], *, held_out: float) -> Corpus:
    """Texts with a part held out: the last lines of each, or where lines are few, the last texts.

    >>> found = corpus(["a\\nb\\n" * 10], held_out=0.1)
    >>> len(found.texts[0]), found.held_out, found.note
    (36, ('a\\nb\\n',), 'Measured on the last 2 of 20 lines; nothing was learned from them.')

    Raises `Invalid` where there is nothing but white space, `LoneSurrogate` for half a pair.
    """
    given = [text for text in texts if text and not text.isspace()]
    if not given:
        raise Invalid("The corpus is empty; at least one word is needed.", pointer="/texts")
    size = sum(utf8_length(text, pointer="/texts") for text in given)
    digest = hashlib.sha256("\0".join(given).encode()).hexdigest()
    learned, held, note = _parted(given, min(held_out, MOST_HELD / sum(map(len, given))))
    return Corpus(tuple(learned), tuple(held), note, size, digest)


def _parted(texts: list[str], share: float) -> tuple[list[str], list[str], str]:
    lines = [text.splitlines(keepends=True) for text in texts]
    ends = [int(len(each) * share) for each in lines]
    if all(len(each) >= FEW_LINES for each in lines) and all(ends):
        learned = ["".join(each[:-end]) for each, end in zip(lines, ends, strict=True)]
        held = ["".join(each[-end:]) for each, end in zip(lines, ends, strict=True)]
        if any(map(str.strip, learned)) and any(map(str.strip, held)):
            of, what = sum(map(len, lines)), "lines" if len(texts) == 1 else "lines, from the end of each text"
            return (
                learned,
                held,
                f"Measured on the last {sum(ends):,} of {of:,} {what}; nothing was learned from them.",
            )
    if share and len(texts) > 1:
        last = max(1, int(len(texts) * share))
        some = "text, from which" if last == 1 else f"{last:,} of {len(texts):,} texts, from which"
        return texts[:-last], texts[-last:], f"Measured on the last {some} nothing was learned."
    return texts, texts, "Measured on the corpus itself: nothing was held out."
