"""Convert a tokenizer to another format, or correct what is safe to correct, and prove that its tokens are the same."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, get_args

from ...errors import BadFile, TokenariumError, join_names, plural
from ...files.conversion import Metadata
from ...files.json_objects import read_json
from ...files.records import record_from_files
from ...files.targets import build_tokenizer_json, list_merges, to_model, to_ranks, to_vocab
from ...registry import LOADERS
from ...store import Record
from ...types import SpecialPolicy, Tokenizer
from ..conformance import list_pieces, texts
from ..tokenizers.adding import try_engines, unpack_files
from .findings import ExaminedTokenizer
from .report import groups, load_subject

Target = Literal["tokenizer.json", "tiktoken", "sentencepiece", "vocab.txt"]
TARGETS: tuple[Target, ...] = get_args(Target)
PROOF = 10_000
"""Number of texts on which a converted file must give the same ids before it is handed out."""
SAME_SCORE = (
    "the same tokens in another order, since their scores are equal and SentencePiece adds them in 32 bits, tokenizers "
    "in 64,"
)
Document = dict[str, Any]
Correction = Callable[[Document], str]
"""Changes the contents of a file and returns a sentence that says how, "" where there is nothing to correct."""
MENDING_PROOF = 1_000
"""Number of generated texts on which corrected files must give the same ids."""


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """The converted files by name, the pattern that ranks need, and the number of texts they were proven on.

    `source` is the main file of the tokenizer that they were converted from.
    """

    source: str
    files: Mapping[str, bytes]
    pattern: str | None
    proven: int


@dataclass(frozen=True, slots=True)
class MendedFiles:
    """All files, with those that were corrected: what was changed, and what proves that nothing else was."""

    files: Mapping[str, bytes]
    corrected: tuple[str, ...]
    changes: tuple[str, ...]
    proof: tuple[str, ...]


def convert_files(
    files: Mapping[str, bytes], target: str, *, pattern: str | None = None, count: int = PROOF
) -> ConversionResult:
    """Convert the first tokenizer among files. Raises what `convert` raises, and `BadFile` if there is none."""
    name, group = next(groups(unpack_files(files)))
    subject, _ = load_subject(name, group, pattern)
    return convert(subject, target, count=count)


def convert_record(record: Record, target: str, *, count: int = PROOF) -> ConversionResult:
    """Convert a copy of a tokenizer of the registry. Raises what `convert` raises."""
    if "sentencepiece" in record.info.engines and "tokenizer.json" not in record.spec["files"]:
        copy = replace(record, data={"tokenizer.model": record.only_file()})
    elif isinstance(record.spec.get("ranks"), str) or "minbpe" in record.spec:
        copy = record
    else:
        copy = record_from_files(
            record.info.id, {"tokenizer.json": build_tokenizer_json(record)}, title=record.info.title
        )
    reference = LOADERS[record.info.engines[0]](record)
    return convert(ExaminedTokenizer(record.info.title, copy, Metadata(), {}, [reference]), target, count=count)


def convert(subject: ExaminedTokenizer, target: str, *, count: int = PROOF) -> ConversionResult:
    """Convert a tokenizer.

    Raises `BadFile` if the format cannot say what the tokenizer does, or if the result gives other tokens.
    """
    chosen = next((one for one in TARGETS if one == target), None)
    if chosen is None:
        raise BadFile(f"{target[:40]!r} is no format to convert to; valid are {join_names(TARGETS)}.")
    if not subject.tokenizers:
        raise BadFile("No engine can read the file, so there is nothing to compare a conversion with.")
    if data := subject.record.data.get("tokenizer.json"):  # also where it was made of other files
        subject = replace(subject, document=json.loads(data))
    files, pattern = _write(subject, chosen)
    record = record_from_files("converted", files, title="converted", pattern=pattern)
    (tokenizer, *_), _ = try_engines(record)
    prove(subject.tokenizers[0], tokenizer, count)
    return ConversionResult(subject.file, files, pattern, count)


def _write(subject: ExaminedTokenizer, target: Target) -> tuple[Mapping[str, bytes], str | None]:
    """Return the files of another format, and the pattern that ranks need. Raises `BadFile` for what it cannot say."""
    match target:
        case "tokenizer.json":
            return {"tokenizer.json": build_tokenizer_json(subject.record)}, None
        case "tiktoken":
            return to_ranks(subject.record, subject.document, _list_special(subject))
        case "sentencepiece":
            return to_model(subject.record), None
        case "vocab.txt":
            return to_vocab(subject.record, subject.document), None


def _list_special(subject: ExaminedTokenizer) -> Iterator[tuple[str, int]]:
    """Yield the special tokens with their ids; the vocabulary is read only where they are needed."""
    for id, entry in subject.entries.items():
        if entry.kind == "special":
            yield entry.piece, id


def prove(reference: Tokenizer, converted: Tokenizer, count: int) -> None:
    """Raise `BadFile` unless both put the same tokens around a text, and give the same ids for generated texts."""
    edges, other = ([*one.info.prefix, "…", *one.info.suffix] for one in (reference, converted))
    if edges != other:
        raise BadFile(f"The converted file makes {' '.join(other)} of a text instead of {' '.join(edges)}.")
    for number, text in enumerate(find_differences(reference, converted, count), 1):
        if text is not None:
            excerpt = text if len(text) <= 40 else f"{text[:40]}…"
            what = SAME_SCORE if _is_tie(reference, converted, text) else "other tokens"
            raise BadFile(
                f"The converted file gives {what} for text {number} of {count:,}, {excerpt!a}; it is not handed out."
            )


def find_differences(reference: Tokenizer, converted: Tokenizer, count: int) -> Iterator[str | None]:
    """Yield for each of some generated texts None if both give the same ids, else the text.

    A text on which `reference` gives up counts as the same. Special tokens are parsed in every fourth, if both have
    them.
    """
    drawn = texts(seed=0, pieces=list_pieces(reference), specials=[*reference.info.special_tokens])
    alike = reference.info.special_tokens == converted.info.special_tokens
    for number, text in enumerate(islice(drawn, count), 1):
        policy: SpecialPolicy = "parse" if alike and number % 4 == 0 else "text"
        expected = _ids(reference, text, policy)
        yield None if expected is None or _ids(converted, text, policy) == expected else text


def _ids(tokenizer: Tokenizer, text: str, policy: SpecialPolicy) -> list[int] | None:
    """Return the ids of a text, None if the engine gives up on it."""
    try:
        ids: list[int] = tokenizer.encode(text, special=policy).ids.tolist()
    except TokenariumError:
        return None
    return ids


def _is_tie(reference: Tokenizer, converted: Tokenizer, text: str) -> bool:
    """Return whether two engines of Unigram have added the same scores in another order."""
    ids, others = (_ids(one, text, "text") or [] for one in (reference, converted))
    return reference.info.family == converted.info.family == "unigram" and sorted(ids) == sorted(others)


def _clear(*path: str) -> Correction:
    def correct(document: Document) -> str:
        *above, name = path
        for step in above:
            document = document[step]
        if document.get(name) is None:
            return ""
        document[name] = None
        return f"Set {name} to null."

    return correct


def _switch_cleanup_off(document: Document) -> str:
    if document.get("clean_up_tokenization_spaces") is not True:
        return ""
    document["clean_up_tokenization_spaces"] = False
    return "Set clean_up_tokenization_spaces to false."


def _drop_useless_merges(document: Document) -> str:
    model = document["model"]
    vocabulary = model["vocab"]
    pairs = list_merges(model)
    useful = [
        merge
        for merge, (left, right) in zip(model["merges"], pairs, strict=True)
        if {left, right, left + right} <= vocabulary.keys()
    ]
    removed = len(pairs) - len(useful)
    model["merges"] = useful
    return f"Removed {plural(removed, 'merge')} with tokens that the vocabulary lacks." if removed else ""


def _drop_repeated_merges(document: Document) -> str:
    model = document["model"]
    pairs = list_merges(model)
    last = {pair: index for index, pair in enumerate(pairs)}
    kept = sorted(last.values())
    removed = len(pairs) - len(kept)
    model["merges"] = [model["merges"][index] for index in kept]
    return f"Removed {plural(removed, 'repeated merge')}. The last of each stays." if removed else ""


CORRECTIONS: Mapping[str, tuple[bool, Correction]] = {
    "merge-makes-nothing": (False, _drop_useless_merges),
    "merge-repeated": (False, _drop_repeated_merges),
    "truncation": (False, _clear("truncation")),
    "padding": (False, _clear("padding")),
    "dropout": (False, _clear("model", "dropout")),
    "clean-up-spaces": (True, _switch_cleanup_off),
}
"""By code of a finding: whether the config beside the tokenizer is corrected, and how."""


def mend(files: Mapping[str, bytes], codes: Collection[str]) -> MendedFiles:
    """Return files in which the findings of some codes are corrected.

    Raises `BadFile` for a code without a correction, if the files give other tokens afterwards, and if none of them is
    a tokenizer.
    """
    if unknown := [code for code in codes if code not in CORRECTIONS]:
        raise BadFile(f"{unknown[0][:40]!r} cannot be corrected; valid are {join_names(CORRECTIONS)}.")
    contents = unpack_files(files)
    corrected = {**contents}
    changes: list[str] = []
    proof: list[str] = []
    for name, group in groups(contents):
        before, _ = load_subject(name, group, None)
        own = {**group}
        for code in codes:
            beside, correct = CORRECTIONS[code]
            target = before.companions.get("config", "") if beside else name
            if target in own and (sentence := _correct(own, target, correct)):
                changes.append(f"{target}: {sentence}")
        if own != {**group}:
            after, _ = load_subject(name, own, None)
            proof += _prove(before, after)
            corrected |= own
    names = tuple(name for name in contents if corrected[name] != contents[name])
    return MendedFiles(corrected, names, tuple(changes), tuple(proof))


def _correct(files: dict[str, bytes], name: str, correct: Correction) -> str:
    """Correct a file in place, and return what was changed, "" where there is nothing to correct."""
    try:
        read_json(files[name])  # refuses what cannot be written
        document = json.loads(files[name].decode("utf-8-sig"))  # numbers as they are spelled
        sentence = correct(document)
    except (BadFile, KeyError, TypeError, ValueError):  # a file of another kind
        return ""
    if sentence:
        files[name] = _write_like(files[name], document)
    return sentence


def _write_like(data: bytes, document: Document) -> bytes:
    """Return a document as JSON, indented as a file was."""
    lines = data.decode("utf-8-sig").split("\n", 2)
    if len(lines) > 1:
        indent = len(lines[1]) - len(lines[1].lstrip())
        return f"{json.dumps(document, ensure_ascii=False, indent=indent)}\n".encode()
    separators = (", ", ": ") if b'": ' in data[:1000] else (",", ":")
    return json.dumps(document, ensure_ascii=False, separators=separators).encode()


def _prove(before: ExaminedTokenizer, after: ExaminedTokenizer) -> list[str]:
    """Return sentences that prove a corrected tokenizer equal. Raises `BadFile` if it is not, or not readable."""
    if not after.tokenizers:
        raise BadFile(f"No engine can read {after.file} after the correction.")
    engines = " and ".join("from scratch" if one.engine == "scratch" else one.engine for one in after.tokenizers)
    if not before.tokenizers:
        return [f"{after.file}: no engine could read it before; now {engines} can."]
    (reference, *_), (corrected, *_) = before.tokenizers, after.tokenizers
    for text in find_differences(reference, corrected, MENDING_PROOF):
        if text is not None:
            raise BadFile(f"{after.file} gives other tokens after the correction, of {text[:40]!a}; it is not offered.")
    return [f"{after.file}: {MENDING_PROOF:,} generated texts give the same ids before and after, read by {engines}."]
