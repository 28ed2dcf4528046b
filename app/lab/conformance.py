"""Prove that two engines cut alike: generated texts through both, and for each difference the stage it begins at.

The texts are drawn from a seed, so that a run can be repeated: all planes of Unicode, unassigned code points, long
runs, code, words in hundreds of languages, special tokens spelled out, and all of it mixed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from random import Random

import numpy as np

from app.errors import EngineFailed, UnknownId
from app.registry import Registry
from app.types import Encoding, SpecialPolicy, Stage, Staged, Tokenizer

SHOWN = 20
"""So many differing texts are kept of each run."""
CODE = (
    "def f(x):\n    return x[0] # TODO\n",
    "for (int i = 0; i < n; ++i) {\n\t\ta[i] += 0x1F;\n}\r\n",
    '<a href="https://example.org/?q=1&amp;r=%20">text</a>',
    "SELECT * FROM t WHERE a <> 'it''s';",
    '{"k": [1, 2.5e-3, null]}',
    "\\frac{\\alpha}{2} $x^{2}$",
    "camelCaseName snake_case_name SCREAMING_CASE kebab-case",
)
SIGNS = (
    *(
        "👩\u200d👩\u200d👧\u200d👦",
        "👩🏽\u200d🚀",
        "🇺🇳",
        "e\u0301",
        "Z\u0351\u036b",
        "क्षत्रिय",
        "각",
        "\u1112\u1161\u11ab",
    ),
    *("ﷺ", "ﬁ", "㍿", "İ", "ß", "ΑΣ", "ǅ", "½", "²", "①", "٣", "१२", "１２", "'s", "'LL", "’t", "…"),
    *("\ufeff", "\u200b", "\u00ad", "\u202e", "\0", "\ufffd", "\ufdd0", "▁", "▁▁", "Ġ", "##", "</w>", "<0x41>"),
    *("\u3000", "\u00a0", "\u2028", "\u0085", "\x1c", "\r\n", "\t", "\n\n", "  ", "   "),
)
DIGITS = "0123456789"
UDHR = "udhr-unigram-16k"


@dataclass(frozen=True, slots=True)
class Difference:
    """A text that two engines cut differently, and the first stage at which they part."""

    text: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Result:
    """How often an engine was compared with the reference, and with what outcome.

    `versions` names both. `failures` counts texts that the reference gave up on: there is nothing to compare with.
    """

    tokenizer: str
    engine: str
    versions: str
    count: int
    mismatches: int
    failures: int = 0
    differences: tuple[Difference, ...] = ()


def texts(*, seed: int, pieces: Sequence[str] = (), specials: Sequence[str] = ()) -> Iterator[str]:
    """Texts without end, each of up to five parts, now and then over and over; `pieces` and `specials` are drawn on.

    >>> next(texts(seed=1)) == next(texts(seed=1))
    True
    """
    source = Random(seed)
    makers = [_anywhere, _script, _run, _signs, _code, _numbers, _unassigned]
    words = [piece.replace("▁", " ").removeprefix("##") for piece in pieces]
    while True:
        parts = []
        for _ in range(source.randint(1, 5)):
            choice = source.randrange(len(makers) + 5)
            if choice < len(makers):
                parts.append(makers[choice](source))
            elif choice == len(makers) and specials:
                parts.append(_bent(source, source.choice(specials)))
            elif words:
                drawn = source.choices(words, k=source.randint(1, 6))
                parts.append(_bent(source, source.choice(["", " "]).join(drawn)))
        if source.randrange(500) == 0:
            parts *= source.randint(200, 600)
        yield source.choice(["", "", " ", "\n"]).join(parts)


def _anywhere(source: Random) -> str:
    return "".join(_character(source, 0, 0x110000) for _ in range(source.randint(1, 6)))


def _character(source: Random, start: int, stop: int) -> str:
    code = source.randrange(start, stop)
    return chr(code if not 0xD800 <= code < 0xE000 else code - 0x800)


def _script(source: Random) -> str:
    """Neighbouring code points, mostly of the first two planes: what one script looks like."""
    start = source.choice([0x20, source.randrange(0x3000), source.randrange(0x20000), source.randrange(0x10FF80)])
    return "".join(_character(source, start, min(start + 128, 0x110000)) for _ in range(source.randint(1, 10)))


def _run(source: Random) -> str:
    char = source.choice(
        [" ", "a", "\n", "\t", "-", "=", "0", "你", "🌍", "\u0301", source.choice(SIGNS), _anywhere(source)]
    )
    return char * source.choice([2, 3, 4, 7, 16, 33, 64, 100, 101, source.randint(1, 300)])


def _signs(source: Random) -> str:
    return "".join(source.choices(SIGNS, k=source.randint(1, 6)))


def _code(source: Random) -> str:
    return _bent(source, source.choice(CODE))


def _numbers(source: Random) -> str:
    return source.choice(["", ".", ",", "-", " "]).join(
        "".join(source.choices(DIGITS, k=source.randint(1, 9))) for _ in range(source.randint(1, 4))
    )


def _unassigned(source: Random) -> str:
    return "".join(source.choices(["\u0378", "\U0003fffd", "\U000e0fff", "\uffff", "\ue000", "\U0010fffd"], k=2))


def _bent(source: Random, text: str) -> str:
    """As it is, in another case, or without an end of it."""
    bend = source.randrange(8)
    if bend < 3:
        return (text.upper(), text.lower(), text.title())[bend]
    return text[source.randrange(len(text) + 1) :] if bend == 3 else text


def same(ours: Encoding, theirs: Encoding) -> bool:
    """Whether two encodings have the same ids, spans and flags."""
    names = ("ids", "byte_starts", "byte_ends", "char_starts", "char_ends", "flags")
    return all(np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in names)


def first_divergence(ours: Tokenizer, theirs: Tokenizer, text: str) -> Stage:
    """The first stage whose outcome differs.

    A reference that does not show its words is given ours one by one: if it then cuts them as we do, it was the
    words that differed.
    """
    mine = ours.stages(text) if isinstance(ours, Staged) else {}
    others = theirs.stages(text) if isinstance(theirs, Staged) else {}
    stages: tuple[Stage, ...] = ("normalize", "pre-tokenize")
    for stage in stages:
        if stage in mine and stage in others and mine[stage] != others[stage]:
            return stage
    ids = ours.encode(text).ids.tolist()
    if ids == theirs.encode(text).ids.tolist():
        return "post-process"
    words = mine.get("pre-tokenize", ())
    if words and "pre-tokenize" not in others:
        alone = [id for word in words for id in theirs.encode(word).ids.tolist()]
        return "pre-tokenize" if alone == ids else "model"
    return "model"


def compare(registry: Registry, tokenizer: str, *, n: int, seed: int = 0, drawn: Iterable[str] | None = None) -> Result:
    """Run n texts, generated unless they are given, through the reference and the from-scratch engine."""
    theirs, ours = registry.get(tokenizer), registry.get(tokenizer, "scratch")
    specials = [*ours.info.special_tokens, "<|endoftext|>", "[CLS]", "<s>"]
    drawn = drawn or texts(seed=seed, pieces=_pieces(registry, ours), specials=specials)
    mismatches = failures = 0
    found: list[Difference] = []
    for number, text in enumerate(islice(drawn, n)):
        policy: SpecialPolicy = "parse" if number % 4 == 0 else "text"
        try:
            expected = theirs.encode(text, special=policy)
        except EngineFailed:
            failures += 1
            continue
        if not same(ours.encode(text, special=policy), expected):
            mismatches += 1
            if len(found) < SHOWN:
                found.append(Difference(text, first_divergence(ours, theirs, text)))
    versions = f"{theirs.engine} {version(theirs.engine)}, regex {version('regex')}"
    return Result(tokenizer, ours.engine, versions, n, mismatches, failures, tuple(found))


def _pieces(registry: Registry, tokenizer: Tokenizer) -> list[str]:
    """Words to draw on: the pieces of this vocabulary and, for their many languages, those of the UDHR's."""
    known = [tokenizer, *(registry.get(info.id, "scratch") for info in registry.infos() if info.id == UDHR)]
    pieces = []
    for one in known:
        size = one.info.vocab_size or 0
        for id in range(0, size, max(1, size // 8000)):
            try:
                entry = one.entry(id)
            except UnknownId:
                continue
            if entry.kind == "normal":
                pieces.append(entry.piece)
    return pieces


def conformance(registry: Registry, *, n: int, seed: int = 0, tokenizers: Sequence[str] = ()) -> Iterator[Result]:
    """The outcome for each tokenizer that two engines can run, as it comes; one trained here only where it is named."""
    for info in registry.infos():
        wanted = info.id in tokenizers if tokenizers else not info.trained
        if len(info.engines) > 1 and "scratch" in info.engines[1:] and wanted:
            yield compare(registry, info.id, n=n, seed=seed)
