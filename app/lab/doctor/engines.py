"""Every engine side by side: on which texts they differ, at which stage first, and which is right by which rule."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...errors import TokenariumError, plural
from ...types import Engine, Stage, Tokenizer
from ..conformance import first_divergence
from .findings import MAX_SAMPLES, ExaminedTokenizer, Finding, report_cases

RULES: Mapping[Engine, str] = {
    "tokenizers": "tokenizers is right: models are trained and served with it.",
    "sentencepiece": "sentencepiece is right: it trained the vocabulary.",
    "tiktoken": "tiktoken is right: it defines the format.",
    "scratch": "No library reads this file; the from-scratch engine follows its definition.",
    "transformers": "Only transformers reads these files.",
}
MAX_IDS = 40


@dataclass(frozen=True, slots=True)
class EngineEncoding:
    """The ids that one engine gives a text; None if it gave up, with the reason."""

    ids: tuple[int, ...] | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DoctorRow:
    """A text and how every column reads it; `stage` is where the first that differs leaves the first column."""

    name: str
    text: str
    readings: tuple[EngineEncoding, ...]
    stage: Stage | None = None

    @property
    def agrees(self) -> bool:
        return len({reading.ids for reading in self.readings}) < 2


def columns(subjects: Sequence[ExaminedTokenizer]) -> list[tuple[ExaminedTokenizer, Tokenizer]]:
    """Return every engine of every file; the first of each file is the one that is right about it."""
    return [(subject, tokenizer) for subject in subjects for tokenizer in subject.tokenizers]


def side_by_side(subjects: Sequence[ExaminedTokenizer], texts: Mapping[str, str]) -> list[DoctorRow]:
    """Encode each text with every engine of every file."""
    tokenizers = [tokenizer for _, tokenizer in columns(subjects)]
    rows = []
    for name, text in texts.items():
        row = DoctorRow(name, text, tuple(_encode_text(tokenizer, text) for tokenizer in tokenizers))
        if not row.agrees:
            other = next(i for i, reading in enumerate(row.readings) if reading.ids != row.readings[0].ids)
            row = DoctorRow(name, text, row.readings, _stage(tokenizers[other], tokenizers[0], text))
        rows.append(row)
    return rows


def _encode_text(tokenizer: Tokenizer, text: str) -> EngineEncoding:
    try:
        return EngineEncoding(tuple(tokenizer.encode(text).ids.tolist()))
    except TokenariumError as error:
        return EngineEncoding(None, error.detail)


def _stage(scratch: Tokenizer, reference: Tokenizer, text: str) -> Stage | None:
    try:
        return first_divergence(scratch, reference, text)
    except TokenariumError:
        return None


def disagreements(subjects: Sequence[ExaminedTokenizer], rows: Sequence[DoctorRow]) -> Iterator[Finding]:
    """Engines of one file that differ, and files of one model that differ."""
    table = columns(subjects)
    for i, (subject, tokenizer) in enumerate(table[1:], 1):
        before = next(j for j, (other, _) in enumerate(table) if other is subject)
        if before < i:
            yield from _engines_differ(table, rows=rows, first=before, second=i, subject=subject, tokenizer=tokenizer)
        else:
            yield from _files_differ(table, rows, i)


def _engines_differ(
    table: Sequence[tuple[ExaminedTokenizer, Tokenizer]],
    rows: Sequence[DoctorRow],
    first: int,
    second: int,
    subject: ExaminedTokenizer,
    tokenizer: Tokenizer,
) -> Iterator[Finding]:
    differing = [row for row in rows if _differ(row, first, second)]
    if differing:
        engines = (table[first][1].engine, tokenizer.engine)
        right, other = sorted(engines, key=subject.record.info.engines.index)  # the first is of the library
        yield from report_cases(
            "engines-differ",
            "error",
            # The first are shown alone, and to find a stage takes time.
            [
                _describe(row, table, first, second) if place < MAX_SAMPLES else row.name
                for place, row in enumerate(differing)
            ],
            f"The engines {right} and {other} differ on {len(differing)} of {len(rows)} texts. {RULES[right]}",
            f"Use {right} for this file.",
            subject.file,
        )


def _describe(row: DoctorRow, table: Sequence[tuple[ExaminedTokenizer, Tokenizer]], first: int, second: int) -> str:
    """Return the name of a text, and how two engines differ on it."""
    for column in (first, second):
        if row.readings[column].ids is None:
            return f"{row.name}: {table[column][1].engine} fails"
    return f"{row.name}: at the stage {_stage(table[second][1], table[first][1], row.text) or 'model'}"


def _files_differ(
    table: Sequence[tuple[ExaminedTokenizer, Tokenizer]], rows: Sequence[DoctorRow], i: int
) -> Iterator[Finding]:
    one = table[0][0]
    other = table[i][0]
    differing = [row for row in rows if _differ(row, 0, i)]
    yield from report_cases(
        "files-differ",
        "error",
        [row.name for row in differing],
        f"{one.file} and {other.file} differ on {len(differing)} of {len(rows)} texts. {_rule(one, other)}",
        "Convert the wrong file again from the right one, or remove it.",
        other.file,
    )
    ids = one.spellings
    others = other.spellings
    shared = sorted(token for token in ids.keys() & others.keys() if ids[token] != others[token])
    only = sorted(token for token in ids.keys() ^ others.keys() if token)
    text = f"{plural(len(shared), 'token has', 'tokens have')} another id in {other.file} than in {one.file}."
    advice = "Keep the file whose ids the model was trained with."
    yield from report_cases("ids-differ", "error", shared, text, advice, other.file)
    text = f"{plural(len(only), 'token is', 'tokens are')} in only one of {one.file} and {other.file}."
    yield from report_cases("tokens-differ", "warning", only, text, file=other.file)


def _differ(row: DoctorRow, first: int, second: int) -> bool:
    return row.readings[first].ids != row.readings[second].ids


def _rule(one: ExaminedTokenizer, other: ExaminedTokenizer) -> str:
    kinds = {subject.record.spec.get("kind"): subject.file for subject in (one, other)}
    if len(kinds) == 1:
        return "The one that the model was trained with is right."
    if "sentencepiece" in kinds:
        name = kinds["sentencepiece"]
        return f"{name} is right: it is the vocabulary as it was trained, and the other is converted from it."
    if "tokenizer.json" in kinds:
        name = kinds["tokenizer.json"]
        return f"{name} is right: it says every stage, and the other leaves some to the program that reads it."
    return "The one that the model was trained with is right."
