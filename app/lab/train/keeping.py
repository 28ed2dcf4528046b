"""Keep what was trained: one folder each, named by its content, with all files it can be taken away in."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from unicodedata import normalize

from app.errors import NotAllowed, TokenariumError, UnknownFile, UnknownTokenizer, listed
from app.formats.toml import dump_toml
from app.lab.languages.atlas import ENGLISH, counted
from app.lab.languages.record import NAME as COUNTS
from app.lab.languages.record import dumped_column
from app.lab.languages.texts import declarations, pinned
from app.lab.train import shelf
from app.lab.train.account import Account, check_title, dumped, loaded
from app.lab.train.card import card
from app.lab.train.formats import CARD, FILES, files, refusals
from app.lab.train.shown import measures
from app.lab.train.tokenizer import record
from app.registry import LOADERS, Registry
from app.settings import Settings
from app.store import NAME, TOML, Record, sealed
from app.types import Learned, TokenizerInfo

ACCOUNT = "account.json"


@dataclass(frozen=True, slots=True)
class Kept:
    """A trained tokenizer: what is told of it, its bytes in all, those of each file, and why others are lacking."""

    info: TokenizerInfo
    account: Account
    size: int
    files: Mapping[str, int]
    refusals: Mapping[str, str]

    @property
    def measures(self) -> list[tuple[str, str]]:
        """What was measured, for people."""
        return measures(self.account.metrics) if self.account.metrics else []


def keep(settings: Settings, learned: Learned, account: Account) -> str:
    """Keep a tokenizer and return its id; the same one under the same title is kept once.

    Raises `NotAllowed` where the settings keep none, `NoSpace`, `LoneSurrogate`, and `Invalid` for a title that is
    empty or too long and for a pattern that no file can say.
    """
    if not settings.keep:
        raise NotAllowed("This server keeps no tokenizers; take the files away instead.")
    account = replace(account, title=check_title(account.title))
    made = files(learned)
    id = named(account.title, made)
    shelf.put(settings.local, id, _folder(settings, learned, account, made, id), quota=settings.quota)
    return id


def delete(settings: Settings, id: str) -> None:
    """Delete a tokenizer that was trained here. Raises `NotAllowed`, and `UnknownTokenizer` for one that is not."""
    if not settings.keep:
        raise NotAllowed("This server deletes no tokenizers.")
    if id in settings.hub or id in (path.parent.name for path in settings.store.glob(f"*/{TOML}")):
        raise NotAllowed("Only tokenizers that were trained here can be deleted.")
    if not NAME.fullmatch(id):
        raise UnknownTokenizer("No tokenizer of this name is kept here.")
    shelf.take(settings.local, id)


def kept(registry: Registry) -> list[Kept]:
    """Every trained tokenizer, in the order of their ids."""
    found = []
    for info in registry.trained():
        try:
            account, lacking = loaded(registry.file(info.id, ACCOUNT))
            sizes = registry.files(info.id)
        except TokenariumError:  # deleted in between
            continue
        offered = {name: sizes[name] for name in (*FILES, CARD) if name in sizes}
        found.append(Kept(info, account, sum(sizes.values()), offered, lacking))
    return found


def file(registry: Registry, id: str, name: str) -> bytes:
    """A file to take away. Raises `UnknownTokenizer`, and `UnknownFile` with the reason or with the files there are."""
    if not registry.info(id).trained:
        raise UnknownFile("Only tokenizers that were trained here can be taken away.")
    offered = [one for one in (*FILES, CARD) if one in registry.files(id)]
    if name not in offered:
        _, lacking = loaded(registry.file(id, ACCOUNT))
        raise UnknownFile(f"{lacking.get(name, '')} There are {listed(offered)}.".strip())
    return registry.file(id, name)


def named(title: str, made: Mapping[str, bytes]) -> str:
    """The id: what the title leaves of letters and digits, and twelve digits of the hash of title and files.

    >>> named("../../etc/passwd", {}), named("Été 2", {})[:6], named("你好", {})[:10]
    ('etc-passwd-3754d6cb3a38', 'ete-2-', 'tokenizer-')
    """
    whole = hashlib.sha256(title.encode())
    for name in sorted(made):
        whole.update(b"\0" + name.encode() + b"\0" + hashlib.sha256(made[name]).digest())
    plain = normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub("[^a-z0-9]+", "-", plain)[:40].strip("-") or "tokenizer"
    return f"{slug}-{whole.hexdigest()[:12]}"


def _folder(
    settings: Settings, learned: Learned, account: Account, made: Mapping[str, bytes], id: str
) -> dict[str, bytes]:
    """All files of the folder, the description last."""
    source = {"package": "trained here", "version": " ".join(next(reversed(account.versions.items())))}
    one = record(learned, made, id=id, title=account.title, source=source)
    extras = {name: data for name, data in made.items() if name not in one.spec["files"]}
    extras |= {CARD: card(learned, account, made).encode(), ACCOUNT: dumped(account, refusals(learned))}
    if (settings.store / COUNTS).exists():
        extras[COUNTS] = _counts(settings, one)
    about = {name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in extras.items()}
    return {**one.data, **extras, TOML: sealed(dump_toml({**one.spec, "extras": about}))}


def _counts(settings: Settings, one: Record) -> bytes:
    """Its column of the atlas."""
    texts = declarations(settings.store)
    tokenizer = LOADERS[one.info.engines[0]](one)
    column = counted(tokenizer, list(texts.values()), texts[ENGLISH], sha256=one.sha256())
    return dumped_column(column, pinned(settings.store))
