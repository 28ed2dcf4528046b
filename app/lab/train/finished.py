"""A finished training: how it is written down, kept in the store, and given an account of."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.lab.train.events import Started
from app.lab.train.log import LEARNED
from app.lab.train.training import Trained
from app.settings import Settings

if TYPE_CHECKING:
    from app.lab.train.account import Account


def save(done: Trained, folder: Path) -> None:
    """Write what was learned, whole or not at all."""
    from app.lab.train.learned import dumped

    part = folder / f"{LEARNED}.part"
    with part.open("wb") as file:
        file.write(dumped(done.learned))
        file.flush()
        os.fsync(file.fileno())
    part.rename(folder / LEARNED)


def keep_as(name: str, settings: Settings, done: Trained) -> str:
    """Keep it in the store under a name; returns its id. Raises what `keeping.keep` raises."""
    from app.lab.train.keeping import keep

    return keep(settings, done.learned, account(name, done.started, done.summary))


def account(name: str, started: Started, summary: dict[str, Any]) -> "Account":
    """What is to be told of a training where its tokenizer is kept or taken away."""
    from app.lab.train.account import Account

    return Account(
        name,
        trainer=started["options"]["engine"],
        corpus=started["corpus"],
        corpus_sha256=started["sha256"],
        corpus_bytes=started["bytes"],
        settings=started["options"],
        metrics=summary["measured"],
        date=datetime.now(UTC).date().isoformat(),
    )
