"""What a training is given: texts of the user or built-in texts by name, with a part held out, options and a name."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ...errors import Invalid, join_names
from ...jobs.process import JobSpec
from ...scratch.chunked_counts import END_OF_TEXT
from ...store import read_bundled_text
from ..languages.declarations import declaration
from ..tokenize import utf8_length
from .options import TrainingOptions

LANGUAGE = "udhr:"
SOURCE = "source"
BOOK = "moby-dick"
MIN_LINES = 10
"""A text of fewer lines is not split into a part to learn from and a part to measure on."""
MAX_HELD_OUT = 200_000
"""Characters to hold out of a large corpus, about: more would only make measuring slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSpec(JobSpec):
    """What a training is given. `corpus` is the name of the corpus, `name` that of the result."""

    options: TrainingOptions
    name: str = ""
    corpus: str = ""
    process: ClassVar[str] = "train"


def suggest_size(corpus: int) -> int:
    """Return a vocabulary size for a corpus of this many bytes: a token for 20 bytes, from 300 to 8,000, in hundreds.

    >>> suggest_size(1_000), suggest_size(13_000), suggest_size(10_000_000)
    (300, 600, 8000)
    """
    return max(300, min(8_000, corpus // 2_000 * 100))


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """Texts to learn from and texts to measure on. `note` says what was held out; `bytes` and `sha256` are of all."""

    texts: tuple[str, ...]
    held_out: tuple[str, ...]
    note: str
    bytes: int
    sha256: str


def read_chapters(store: Path) -> list[str]:
    """Return the chapters of Moby-Dick, 1.2 MB of English. Raises `BadFile` if the file has another hash.

    >>> from tokenarium.settings import Settings
    >>> chapters = read_chapters(Settings().store)
    >>> len(chapters), chapters[0][:20]
    (135, 'CHAPTER 1. Loomings.')
    """
    return read_bundled_text(store, BOOK, "chapters.txt").decode().split(END_OF_TEXT)


def load_built_in(store: Path, name: str) -> tuple[str, str]:
    """The title and the text of a built-in corpus: `udhr:` and the code of a language, a book, or this program.

    >>> from tokenarium.settings import Settings
    >>> title, text = load_built_in(Settings().store, "udhr:bre")
    >>> title, text[:13]
    ('UDHR in Breton', 'Mellad unan (')
    >>> "def built_in" in load_built_in(Settings().store, "source")[1]
    True

    Raises `Invalid` for another name.
    """
    if name == SOURCE:
        paths = sorted(Path(__file__).parents[2].rglob("*.py"))
        return "Tokenarium’s source", "".join(path.read_text(encoding="utf-8") for path in paths)
    if name == BOOK:
        return "Moby-Dick", "\n\n".join(read_chapters(store))
    if not name.startswith(LANGUAGE):
        valid = [f"{LANGUAGE}<code of a language>", BOOK, SOURCE]
        raise Invalid(f"A built-in corpus must be one of {join_names(valid)}.", pointer="/corpora")
    udhr = declaration(store, name.removeprefix(LANGUAGE))
    return f"UDHR in {udhr.name}", udhr.text


def corpus(texts: Sequence[str], *, held_out: float) -> TrainingCorpus:
    """Split texts in two: the last lines of each are held out, or where lines are few, the last texts.

    >>> parts = corpus(["a\\nb\\n" * 10], held_out=0.1)
    >>> len(parts.texts[0]), parts.held_out, parts.note
    (36, ('a\\nb\\n',), 'Measured on the last 2 of 20 lines; nothing was learned from them.')

    Raises `Invalid` where there is nothing but white space, `LoneSurrogate` for half a surrogate pair.
    """
    texts = [text for text in texts if text and not text.isspace()]
    if not texts:
        raise Invalid("The corpus is empty; at least one word is needed.", pointer="/texts")
    size = sum(utf8_length(text, pointer="/texts") for text in texts)
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    learned, held, note = _split(texts, min(held_out, MAX_HELD_OUT / sum(map(len, texts))))
    return TrainingCorpus(tuple(learned), tuple(held), note, size, digest)


def _split(texts: list[str], share: float) -> tuple[list[str], list[str], str]:
    """What to learn from, what to measure on, and a note on it."""
    lines = [text.splitlines(keepends=True) for text in texts]
    sizes = [int(len(each) * share) for each in lines]
    if all(len(each) >= MIN_LINES for each in lines) and all(sizes):
        learned = ["".join(each[:-size]) for each, size in zip(lines, sizes, strict=True)]
        held = ["".join(each[-size:]) for each, size in zip(lines, sizes, strict=True)]
        if any(map(str.strip, learned)) and any(map(str.strip, held)):
            unit = "lines" if len(texts) == 1 else "lines, from the end of each text"
            count = f"{sum(sizes):,} of {sum(map(len, lines)):,} {unit}"
            return learned, held, f"Measured on the last {count}; nothing was learned from them."
    if share and len(texts) > 1:
        last = max(1, int(len(texts) * share))
        which = "text, from which" if last == 1 else f"{last:,} of {len(texts):,} texts, from which"
        return texts[:-last], texts[-last:], f"Measured on the last {which} nothing was learned."
    return texts, texts, "Measured on the corpus itself: nothing was held out."
