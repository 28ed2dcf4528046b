"""The versions of a tokenizer: what it was made of by operations, and what was made of it, as far as they are kept.

Each result keeps its report, which names the tokenizer that it was made of, so a version is undone by going on from the
one before.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import TokenariumError
from ...registry import Registry
from ...types import TokenizerInfo
from .summary import headline

MAX_VERSIONS = 20
"""Versions before one that are looked up."""
NUMBER = re.compile(r"(.*), version ([0-9]{1,4})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SurgeryVersion:
    """A version: its id and title, what was done to get it, and its number of ids, unknown if it is not kept."""

    id: str
    title: str
    change: str
    size: int | None
    kept: bool = True


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
    """Return what the source of a result says of the tokenizer that it was made of."""
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
