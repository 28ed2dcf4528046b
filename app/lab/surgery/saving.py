"""Keep the result of surgery under a name, as every tokenizer that was added; the table of ids lies beside it."""

from dataclasses import replace

from ...registry import Registry
from ...settings import Settings
from ...store import Record
from ..tokenizers.adding import rename_record
from ..tokenizers.saving import new_private_id, save
from ..train.saving import content_id
from .jobs import free_name
from .operation import SurgeryResult
from .versions import name_origin

TABLES = ("ids.csv", "ids.json", "embeddings.py", "report.json")


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
