"""A finished training: how it is written down, kept in the store, and given an account of."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.errors import UnknownFile, listed
from app.lab.train.account import Account
from app.lab.train.card import card
from app.lab.train.formats import CARD, files, refusals
from app.lab.train.jobs import Job
from app.lab.train.keeping import keep
from app.lab.train.learned import dumped
from app.lab.train.log import LEARNED
from app.lab.train.progress import Progress
from app.lab.train.training import Trained
from app.settings import Settings


def save(done: Trained, folder: Path) -> None:
    """Write what was learned, whole or not at all."""
    part = folder / f"{LEARNED}.part"
    with part.open("wb") as file:
        file.write(dumped(done.learned))
        file.flush()
        os.fsync(file.fileno())
    part.rename(folder / LEARNED)


def ending(done: Trained, kept: str | None) -> dict[str, Any]:
    """The last event: what there is to tell, and the files it can be taken away in, with their sizes."""
    sizes = {name: len(data) for name, data in files(done.learned).items()}
    about = {"kind": "finished", "summary": done.summary, "kept": kept}
    return {**about, "files": sizes, "refusals": refusals(done.learned)}


def keep_as(name: str, settings: Settings, done: Trained) -> str:
    """Keep it in the store under a name; returns its id. Raises what `keeping.keep` raises."""
    return keep(settings, done.learned, account(name, done.started, done.summary))


def keep_job(name: str, settings: Settings, job: Job) -> str:
    """Keep what a finished job learned under a name. Raises `Invalid` before it has finished."""
    learned, now = job.learned(), Progress.of_events(job.events()[0])
    id = keep(settings, learned, account(name, now.started, now.summary or {}))
    job.tell({"kind": "kept", "id": id})
    return id


def file(job: Job, name: str) -> bytes:
    """A file of a finished job. Raises `UnknownFile`, and `Invalid` before it has finished."""
    learned = job.learned()
    made = files(learned)
    if name == CARD:
        now = Progress.of_events(job.events()[0])
        return card(learned, account("A tokenizer", now.started, now.summary or {}), made).encode()
    if name not in made:
        raise UnknownFile(f"{refusals(learned).get(name, '')} There are {listed([*made, CARD])}.".strip())
    return made[name]


def account(name: str, started: Mapping[str, Any], summary: Mapping[str, Any]) -> Account:
    """What is to be told of a training where its tokenizer is kept or taken away."""
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
