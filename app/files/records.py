"""Tokenizers from files that a user brought: `record_from_files` makes of them a `Record`, which every engine can load.

What the files are is decided by content, and beside a tokenizer by name (`files.detection`). Files of a kind that no
engine reads as it is, such as a `vocab.json` with its merges, are converted to one that does. All of it is untrusted:
call it in a worker.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import BadFile
from ..store import Record, read_info
from .conversion import REFUSED, Conversion, Metadata, read_metadata
from .detection import Kind, TokenizerFiles, detect
from .gguf.convert import from_gguf
from .rwkv import from_rwkv
from .sentencepiece.convert import from_sentencepiece
from .tiktoken.convert import from_claude, from_minbpe, from_ranks, from_tekken
from .transformers.auto_tokenizer import from_folder, from_vocab_merges, from_vocab_txt

Converter = Callable[[bytes, Metadata], Conversion]
CONVERTERS: Mapping[Kind, Converter] = {
    "tokenizer.json": from_folder,
    "tekken": from_tekken,
    "sentencepiece": from_sentencepiece,
    "tiktoken": from_ranks,
    "claude": from_claude,
    "gguf": from_gguf,
    "vocab-merges": from_vocab_merges,
    "wordpiece": from_vocab_txt,
    "minbpe": from_minbpe,
    "rwkv": from_rwkv,
}
TEMPLATE = "chat_template.jinja"


def record_from_files(
    id: str, files: Mapping[str, bytes], *, title: str | None = None, pattern: str | None = None
) -> Record:
    """Return the record of a tokenizer from its files, by name; `info.notes` says what a user should know about it.

    `pattern` is the pre-tokenization pattern of a ranks file, which does not contain one; by default it is chosen by
    the files beside it or by the size of the vocabulary. Raises `BadFile`, with the cause.

    >>> record = record_from_files("mine", {"x.model": b"minbpe v1\\n\\n0\\n104 105\\n"})
    >>> record.info.engines, record.info.vocab_size, record.trusted
    (('scratch',), 257, False)
    """
    detected = detect(files)
    metadata = read_metadata(detected, files)
    if pattern is not None:
        metadata = replace(metadata, pattern=pattern)
    conversion = CONVERTERS[detected.kind](files[detected.main], metadata)
    return _record(id, title or id, detected, metadata, conversion)


def _record(id: str, title: str, detected: TokenizerFiles, metadata: Metadata, conversion: Conversion) -> Record:
    data = dict(conversion.files)
    notes = [*detected.notes, *metadata.notes, *conversion.notes]
    spec: dict[str, Any] = {
        "id": id,
        "title": title,
        "family": conversion.family,
        "engines": list(conversion.engines),
        "vocab_size": conversion.vocab_size,
        "gaps": conversion.gaps,
        "lossless": conversion.lossless,
        "normalization": conversion.normalization,
        "special_tokens": dict(conversion.special_tokens),
        "token_rules": {token: [*rules] for token, rules in conversion.token_rules.items()},
        "prefix": list(conversion.prefix),
        "suffix": list(conversion.suffix),
        "notes": sorted(notes, key=lambda note: not note.startswith(REFUSED)),
        "source": {},
        "kind": detected.kind,
        "own_pattern": True,
        "files": {name: _file(contents) for name, contents in data.items()},
        **conversion.spec,
    }
    templates = dict(metadata.templates)
    template = conversion.chat_template or templates.get("default") or next(iter(templates.values()), None)
    if template is not None:
        data[TEMPLATE] = template.encode()
        spec["extras"] = {TEMPLATE: _file(data[TEMPLATE])}
        entry = {
            "file": TEMPLATE,
            **_file(data[TEMPLATE]),
            "variables": dict(conversion.variables or metadata.variables),
            "named": templates if len(templates) > 1 else {},
        }
        own = {"model": title, "names": re.escape(id), "equals": "transformers.apply_chat_template"}
        spec["chat_template"] = {**entry, "source": f"the files of {title}", **own}
    missing = [token for token in (*conversion.prefix, *conversion.suffix) if token not in conversion.special_tokens]
    if missing:
        raise BadFile(f"The token {missing[0][:40]!r} is put around a text but is not in the vocabulary.")
    return Record(read_info(spec), Path(id), spec, data)


def _file(contents: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(contents).hexdigest(), "bytes": len(contents)}
