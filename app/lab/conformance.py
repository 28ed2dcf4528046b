"""Compare the engines of a tokenizer on one text, or on many generated texts, and keep a record of the results.

Generated texts come from a seeded generator, so that a run can be repeated: all planes of Unicode, unassigned code
points, long repetitions, source code, words in hundreds of languages, special tokens, and mixtures of these.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from ..atomic_files import write_whole
from ..errors import EngineFailed
from ..files.vocab_entries import list_entries
from ..registry import Registry
from ..types import Encoding, Engine, SpecialPolicy, Stage, Staged, Tokenizer

COLUMNS = ("ids", "byte_starts", "byte_ends", "char_starts", "char_ends", "flags")
"""Columns of an encoding in which engines must agree."""


@dataclass(frozen=True, slots=True)
class EngineResult:
    """The ids that one engine produced for a text, or None with the `reason` if it failed.

    `first_difference` is the index of the first token that differs from the reference's, and `stage` the first stage of
    the pipeline with a different result; both are None if the encodings are equal.
    """

    engine: Engine
    ids: tuple[int, ...] | None
    reason: str = ""
    first_difference: int | None = None
    stage: Stage | None = None


def engine_results(registry: Registry, text: str, *, tokenizer: str) -> Iterator[EngineResult]:
    """Yield the result of every engine, the reference first. Raises what `Registry.get` raises."""
    reference: tuple[Tokenizer, Encoding] | None = None
    for engine in registry.info(tokenizer).engines:
        loaded = registry.get(tokenizer, engine)
        try:
            encoding = loaded.encode(text)
        except EngineFailed as failure:
            yield EngineResult(engine, None, failure.detail)
            continue
        reference = reference or (loaded, encoding)  # the first engine that does not fail
        yield _compare_encoding(loaded, encoding, reference, text)


def _compare_encoding(
    loaded: Tokenizer, encoding: Encoding, reference: tuple[Tokenizer, Encoding], text: str
) -> EngineResult:
    ids = tuple(encoding.ids.tolist())
    index = _first_difference(encoding, reference[1])
    if index is None:
        return EngineResult(loaded.engine, ids)
    stage = first_divergence(loaded, reference[0], text)
    return EngineResult(loaded.engine, ids, first_difference=index, stage=stage)


def _first_difference(scratch: Encoding, reference: Encoding) -> int | None:
    """Return the index of the first token whose id, span or flags differ; None if the encodings are equal."""
    common = min(len(scratch), len(reference))
    pairs = [(getattr(scratch, name)[:common], getattr(reference, name)[:common]) for name in COLUMNS]
    firsts = [int(indexes[0]) for own, other in pairs if len(indexes := np.flatnonzero(own != other))]
    if firsts:
        return min(firsts)
    return None if len(scratch) == len(reference) else common


def same_encoding(scratch: Encoding, reference: Encoding) -> bool:
    """Return whether two encodings have the same ids, spans and flags."""
    return all(np.array_equal(getattr(scratch, name), getattr(reference, name)) for name in COLUMNS)


def first_divergence(scratch: Tokenizer, reference: Tokenizer, text: str) -> Stage:
    """Return the first stage of the pipeline at which two engines produce different results.

    A library that does not show its pre-tokens gets ours one by one. If it then produces our ids, its model agrees and
    the pre-tokenization differs.
    """
    our_stages = scratch.stages(text) if isinstance(scratch, Staged) else {}
    their_stages = reference.stages(text) if isinstance(reference, Staged) else {}
    stages: tuple[Stage, ...] = ("normalize", "pre-tokenize")
    for stage in stages:
        if stage in our_stages and stage in their_stages and our_stages[stage] != their_stages[stage]:
            return stage
    # Equal ids can still have different spans or flags, which come after the model.
    ids = scratch.encode(text).ids.tolist()
    if ids == reference.encode(text).ids.tolist():
        return "post-process"
    words = our_stages.get("pre-tokenize", ())
    if words and "pre-tokenize" not in their_stages:
        word_by_word = [id for word in words for id in reference.encode(word).ids.tolist()]
        return "pre-tokenize" if word_by_word == ids else "model"
    return "model"


MAX_DIFFERENCES = 20
"""Number of differing texts that the result of a run holds; all are counted."""
MAX_PIECES = 8000
"""Number of entries of a vocabulary, about, from which generated texts are built."""
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
MULTILINGUAL = "udhr-unigram-16k"
"""A vocabulary with words of hundreds of languages."""
RECORD = "conformance.json"


@dataclass(frozen=True, slots=True)
class EncodingDifference:
    """A text with different encodings, and the first stage at which the engines diverge."""

    text: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class ConformanceResult:
    """The result of comparing an engine with the reference on `count` texts.

    `versions` names the reference and its version. `failures` counts texts on which the reference raised an error, so
    that there was nothing to compare with. `date` is the day of the comparison, as in ISO 8601.
    """

    tokenizer: str
    engine: str
    versions: str
    count: int
    mismatches: int
    failures: int = 0
    differences: tuple[EncodingDifference, ...] = ()
    date: str = ""


def conformance(
    registry: Registry, *, n: int, seed: int = 0, tokenizers: Sequence[str] = ()
) -> Iterator[ConformanceResult]:
    """Compare the engines of each tokenizer that has two, or of those named, and yield each result when it is ready.

    Tokenizers that were trained here are compared only if they are named.
    """
    for id in comparable(registry, tokenizers):
        yield compare(registry, id, n=n, seed=seed)


def comparable(registry: Registry, tokenizers: Sequence[str] = ()) -> list[str]:
    """Return the ids of the tokenizers with two engines: those that were not trained here, or those that are named."""
    wanted = [info for info in registry.infos() if (info.id in tokenizers if tokenizers else not info.trained)]
    return [info.id for info in wanted if "scratch" in info.engines[1:]]


def list_unrecorded(registry: Registry, store: Path, *, n: int, tokenizers: Sequence[str] = ()) -> list[str]:
    """Return the ids of the comparable tokenizers that the record does not have on n texts of the same versions."""
    rows = {row.tokenizer: row for row in load_results(store) if row.count >= n and not row.mismatches}
    return [
        id
        for id in comparable(registry, tokenizers)
        if id not in rows or rows[id].versions != name_versions(registry.info(id).engines[0])
    ]


def name_versions(engine: str) -> str:
    """Return a library and its version, with that of `regex`, on which our splitting depends."""
    return f"{engine} {version(engine)}, regex {version('regex')}"


def compare(
    registry: Registry, tokenizer: str, *, n: int, seed: int = 0, drawn: Iterable[str] | None = None
) -> ConformanceResult:
    """Compare the from-scratch engine with the reference on n texts, which are generated unless `drawn` is passed."""
    theirs = registry.get(tokenizer)
    ours = registry.get(tokenizer, "scratch")
    specials = [*ours.info.special_tokens, "<|endoftext|>", "[CLS]", "<s>"]
    drawn = drawn or texts(seed=seed, pieces=_pieces(registry, ours), specials=specials)
    mismatches = failures = 0
    differences: list[EncodingDifference] = []
    for number, text in enumerate(islice(drawn, n)):
        # Mostly plain text, the usual case; every fourth text parses special tokens.
        policy: SpecialPolicy = "parse" if number % 4 == 0 else "text"
        try:
            expected = theirs.encode(text, special=policy)
        except EngineFailed:
            failures += 1
            continue
        if not same_encoding(ours.encode(text, special=policy), expected):
            mismatches += 1
            if len(differences) < MAX_DIFFERENCES:
                differences.append(EncodingDifference(text, first_divergence(ours, theirs, text)))
    return ConformanceResult(
        tokenizer=tokenizer,
        engine=ours.engine,
        versions=name_versions(theirs.engine),
        count=n,
        mismatches=mismatches,
        failures=failures,
        differences=tuple(differences),
        date=date.today().isoformat(),
    )


def _pieces(registry: Registry, tokenizer: Tokenizer) -> list[str]:
    """Return pieces of this vocabulary and of the multilingual one."""
    # Pieces of the tokenizer's own vocabulary reach long tokens that random characters never would.
    others = (registry.get(info.id, "scratch") for info in registry.infos() if info.id == MULTILINGUAL)
    return [piece for source in (tokenizer, *others) for piece in list_pieces(source)]


def list_pieces(tokenizer: Tokenizer) -> list[str]:
    """Return the spellings of some ordinary tokens of a vocabulary."""
    return [entry.piece for entry in list_entries(tokenizer, most=MAX_PIECES) if entry.kind == "normal"]


def save(store: Path, results: Sequence[ConformanceResult]) -> None:
    """Write results to the record in the store, replacing those of the same tokenizers, in one atomic step."""
    rows = {row.tokenizer: row for row in [*load_results(store), *results]}
    kept = [{name: value for name, value in asdict(rows[id]).items() if name != "differences"} for id in sorted(rows)]
    write_whole(store / RECORD, f"{json.dumps(kept, indent=1)}\n".encode())


def load_results(store: Path) -> list[ConformanceResult]:
    """Return the recorded results, sorted by tokenizer; an empty list if there is no record."""
    path = store / RECORD
    return [ConformanceResult(**row) for row in json.loads(path.read_text())] if path.exists() else []


def texts(*, seed: int, pieces: Sequence[str] = (), specials: Sequence[str] = ()) -> Iterator[str]:
    """Yield texts without end, each of up to five parts, one in 500 repeated hundreds of times.

    `pieces` of a vocabulary and `specials`, its special tokens, occur among the parts.

    >>> next(texts(seed=1)) == next(texts(seed=1))
    True
    """
    source = Random(seed)
    makers = [_anywhere, _script, _repeat_character, _signs, _code, _numbers, _choose_unassigned]
    words = [piece.replace("▁", " ").removeprefix("##") for piece in pieces]
    while True:
        parts = []
        for _ in range(source.randint(1, 5)):
            choice = source.randrange(len(makers) + 5)
            if choice < len(makers):
                parts.append(makers[choice](source))
            elif choice == len(makers) and specials:
                parts.append(_vary(source, source.choice(specials)))
            elif words:
                drawn = source.choices(words, k=source.randint(1, 6))
                parts.append(_vary(source, source.choice(["", " "]).join(drawn)))
        if source.randrange(500) == 0:
            parts *= source.randint(200, 600)
        yield source.choice(["", "", " ", "\n"]).join(parts)


def _anywhere(source: Random) -> str:
    """Return code points from all of Unicode."""
    return "".join(_character(source, 0, 0x110000) for _ in range(source.randint(1, 6)))


def _character(source: Random, start: int, stop: int) -> str:
    """Return a code point from start to stop that is not a surrogate."""
    code = source.randrange(start, stop)  # surrogates cannot occur in UTF-8
    return chr(code if not 0xD800 <= code < 0xE000 else code - 0x800)


def _script(source: Random) -> str:
    """Return neighbouring code points, mostly of the first two planes, as a text in one script has."""
    start = source.choice([0x20, source.randrange(0x3000), source.randrange(0x20000), source.randrange(0x10FF80)])
    return "".join(_character(source, start, min(start + 128, 0x110000)) for _ in range(source.randint(1, 10)))


def _repeat_character(source: Random) -> str:
    """Return a repetition, often longer than a limit inside of a pattern or a library."""
    char = source.choice(
        [" ", "a", "\n", "\t", "-", "=", "0", "你", "🌍", "\u0301", source.choice(SIGNS), _anywhere(source)]
    )
    return char * source.choice([2, 3, 4, 7, 16, 33, 64, 100, 101, source.randint(1, 300)])


def _signs(source: Random) -> str:
    return "".join(source.choices(SIGNS, k=source.randint(1, 6)))


def _code(source: Random) -> str:
    return _vary(source, source.choice(CODE))


def _numbers(source: Random) -> str:
    return source.choice(["", ".", ",", "-", " "]).join(
        "".join(source.choices(DIGITS, k=source.randint(1, 9))) for _ in range(source.randint(1, 4))
    )


def _choose_unassigned(source: Random) -> str:
    return "".join(source.choices(["\u0378", "\U0003fffd", "\U000e0fff", "\uffff", "\ue000", "\U0010fffd"], k=2))


def _vary(source: Random, text: str) -> str:
    """Return a text unchanged, in another case, or without its beginning."""
    variation = source.randrange(8)
    if variation < 3:
        return (text.upper(), text.lower(), text.title())[variation]
    return text[source.randrange(len(text) + 1) :] if variation == 3 else text
