"""The versions of a tokenizer: what it was made of, what was made of it, and what the reports of both say in short.

Each result keeps its report, which names the tokenizer that it was made of, so a version is undone by going on from the
one before.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...errors import TokenariumError
from ...registry import Registry
from ...settings import Settings
from ...store import Record
from ...types import TokenizerInfo
from ..tokenizers.adding import rename_record
from ..tokenizers.saving import new_private_id, save
from ..train.saving import content_id
from .jobs import free_name
from .operation import SurgeryResult

MAX_VERSIONS = 20
"""Versions before one that are looked up."""
NUMBER = re.compile(r"(.*), version ([0-9]{1,4})", re.DOTALL)
TABLES = ("ids.csv", "ids.json", "embeddings.py", "report.json")


@dataclass(frozen=True, slots=True)
class SurgeryVersion:
    """A version: its id and title, what was done to get it, and its number of ids, unknown if it is not kept."""

    id: str
    title: str
    change: str
    size: int | None
    kept: bool = True


def headline(report: Mapping[str, Any]) -> str:
    """Return a sentence that says what an operation did.

    >>> headline({"options": {"operation": "prune"}, "tokens": {"before": 9, "after": 4, "kept": 4, "new": 0}})
    '4 of 9 tokens are left'
    """
    tokens = report["tokens"]
    operation = report["options"]["operation"]
    if operation == "prune":
        return f"{tokens['kept']:,} of {tokens['before']:,} tokens are left"
    if operation == "extend":
        learned = tokens["new"] - tokens["special"]
        return f"{learned:,} new tokens"
    return f"{tokens['new']:,} new special tokens, {len(report['renamed']):,} renamed"


def lines(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of a report, each with its name.

    >>> report = {
    ...     "size": {"before": 9, "after": 4},
    ...     "tokens": {"before": 9, "after": 4, "kept": 4, "new": 0},
    ...     "unreachable": {"before": 0, "after": 0, "became": 0},
    ...     "laws": {"coverage": {"unit": "bytes", "before": 256, "after": 256}, "round_trips": 5, "same_tokens": 0,
    ...              "agreement": 100},
    ...     "measured": {"before": 10, "after": 12, "saved": -0.2, "unknown": {"before": 0, "after": 0}},
    ... }
    >>> for name, value in lines(report):
    ...     print(name, value)
    ids 9 → 4
    tokens kept 4
    tokens removed 5
    new tokens 0
    tokens not of their text 0 → 0
    held-out text 10 → 12 tokens (20.0 % more)
    bytes encodable 256 → 256
    texts decoded as before 5
    texts on which engines agree 100
    """
    size = report["size"]
    tokens = report["tokens"]
    laws = report["laws"]
    rows = [
        ("ids", f"{size['before']:,} → {size['after']:,}"),
        ("tokens kept", f"{tokens['kept']:,}"),
        ("tokens removed", f"{tokens['before'] - tokens['kept']:,}"),
        ("new tokens", f"{tokens['new']:,}"),
        ("tokens not of their text", f"{report['unreachable']['before']:,} → {report['unreachable']['after']:,}"),
    ]
    if measured := report["measured"]:
        rows.append(("held-out text", f"{measured['before']:,} → {measured['after']:,} tokens ({change(measured)})"))
        unknown = measured["unknown"]
        if any(unknown.values()):
            rows.append(("unknown tokens in it", f"{unknown['before']:,} → {unknown['after']:,}"))
    cover = laws["coverage"]
    rows.append((f"{cover['unit']} encodable", f"{cover['before']:,} → {cover['after']:,}"))
    rows.append(("texts decoded as before", f"{laws['round_trips']:,}"))
    if laws["same_tokens"]:
        rows.append(("texts with the same tokens", f"{laws['same_tokens']:,}"))
    return [*rows, ("texts on which engines agree", f"{laws['agreement']:,}")]


def change(measured: Mapping[str, Any]) -> str:
    """Return by how much a text became shorter or longer.

    >>> change({"saved": 0.25}), change({"saved": -0.1}), change({"saved": 0.0})
    ('25.0 % fewer', '10.0 % more', 'the same')
    """
    saved = measured["saved"] or 0.0
    if not saved:
        return "the same"
    return f"{abs(saved) * 100:.1f} % {'fewer' if saved > 0 else 'more'}"


def list_versions(registry: Registry, id: str, offered: Iterable[TokenizerInfo] = ()) -> list[SurgeryVersion]:
    """Return the versions before a tokenizer, the first one first, itself, and those that were made of it directly.

    Those made of it are looked for among the `offered`. A tokenizer without others has no versions.
    """
    before = [*_go_back(registry, id)]
    origin = name_origin(registry.info(id).title)
    after = [one for one in offered if one.source.package == origin]
    made = [_describe(registry, one) for one in after if _read_origin(registry, one.id) == id]
    versions = [*reversed(before), *made]
    return versions if len(versions) > 1 else []


def name_origin(title: str) -> str:
    """Return the source that a result names: the title of its original."""
    return f"made of {title}"


def suggest_name(title: str, versions: Iterable[SurgeryVersion]) -> str:
    """Return a name for the next version of a tokenizer that is the result of an operation.

    >>> suggest_name("Mine", []), suggest_name("Mine, version 2", [SurgeryVersion("a", "Mine, version 3", "", 9)])
    ('Mine, version 2', 'Mine, version 4')
    """
    stem, _ = _split_name(title)
    split = [_split_name(one) for one in (title, *(version.title for version in versions))]
    return f"{stem[:85]}, version {1 + max(number for name, number in split if name == stem)}"


def _split_name(title: str) -> tuple[str, int]:
    found = NUMBER.fullmatch(title)
    return (found[1], int(found[2])) if found else (title, 1)


def _go_back(registry: Registry, id: str) -> Iterable[SurgeryVersion]:
    title = id
    for _ in range(MAX_VERSIONS):
        if id not in registry:
            yield SurgeryVersion(id, title, "", None, kept=False)
            return
        yield _describe(registry, registry.info(id))
        report = _read_report(registry, id)
        if report is None:
            return
        id, title = report["tokenizer"]["id"], report["tokenizer"]["title"]


def _describe(registry: Registry, info: TokenizerInfo) -> SurgeryVersion:
    report = _read_report(registry, info.id)
    return SurgeryVersion(info.id, info.title, headline(report) if report else "original", info.vocab_size)


def _read_origin(registry: Registry, id: str) -> str | None:
    """Return the id of the tokenizer that one was made of, or None for one that no operation made."""
    report = _read_report(registry, id)
    return report["tokenizer"]["id"] if report else None


def _read_report(registry: Registry, id: str) -> Mapping[str, Any] | None:
    """Return the report of the operation that a tokenizer is the result of, or None if it is not."""
    record = registry.record(id)
    if not record.info.source.package.startswith(name_origin("")):
        return None
    try:
        report: Mapping[str, Any] = json.loads(record.file("report.json"))
        headline(report)
        return report if {"id", "title"} <= report["tokenizer"].keys() else None
    except (KeyError, TypeError, ValueError, AttributeError, TokenariumError):
        return None


def save_tokenizer(settings: Settings, original: Record, operated: SurgeryResult, name: str, *, owner: str = "") -> str:
    """Keep a tokenizer and return its id, which is private for an hour where the settings keep none.

    `owner` is the address of who keeps it, if known. Raises `Invalid` for a name that is taken, and what
    `lab.tokenizers.saving.save` raises.
    """
    title = free_name(Registry(settings), name)
    source = {"package": name_origin(original.info.title), "licence": original.info.source.licence}
    data = {**operated.record.data, **{file: operated.files[file] for file in TABLES}}
    id = content_id(title, data) if settings.keep else new_private_id()
    changes = {"title": title, "origin": "added", "source": source, "own_pattern": not original.trusted}
    save(
        settings,
        rename_record(replace(operated.record, data=data), id, **changes),
        private=not settings.keep,
        owner=owner,
    )
    return id
