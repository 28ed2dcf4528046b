"""Settings: one frozen dataclass, read from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORES = max(2, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen, what to serve, how much to accept. Sizes are bytes, times seconds: `patience` is how long the
    next part of a body may take, `idle` how long a stream may go unread, `farewell` how long what is under way may go
    on when the server is told to end. `local` is where trained tokenizers are kept, up to `quota`; with `keep` off,
    none is. `log` writes a line for each request; `metrics` is where processes that serve together leave what they
    count.

    `slots` is how much long work is done at once, by as many worker processes and one to stand in, and `waiting` how
    much may wait for that; with no slots, all is done in this process. Work may take `max_seconds`, `max_cpu` seconds
    of processor time, and `max_memory`. At most `concurrency` requests are let in, and `max_held` of their bodies.
    So many `jobs` train at once, each on `max_corpus` bytes at most, with so many bytes of memory and seconds of time.

    >>> Settings.from_env({"PORT": "8123"}).port
    8123
    """

    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    store: Path = ROOT / "tokenizers_store"
    hub: tuple[str, ...] = ()
    local: Path = ROOT / "tokenizers_store" / "local"
    keep: bool = True
    quota: int = 1_000_000_000
    log: bool = False
    metrics: Path | None = None
    jobs: int = 2
    max_corpus: int = 10_000_000
    job_memory: int = 2_000_000_000
    job_seconds: int = 600
    max_text: int = 2_000_000
    max_body: int = 12_000_000
    max_batch: int = 1000
    max_query: int = 8192
    patience: float = 10.0
    idle: float = 60.0
    farewell: int = 30
    max_loaded: int = 400_000_000
    slots: int = CORES
    waiting: int = 128
    concurrency: int = 256
    max_held: int = 200_000_000
    max_seconds: float = 30.0
    max_cpu: int = 30
    max_memory: int = 2_000_000_000

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """Read HOST, PORT and the TOKENARIUM_… variables; what is not set keeps its default."""
        store = Path(env.get("TOKENARIUM_STORE", ROOT / "tokenizers_store"))
        return cls(
            host=env.get("HOST", "127.0.0.1"),
            port=_integer(env, "PORT", 8000),
            allowed_hosts=_words(env, "TOKENARIUM_ALLOWED_HOSTS"),
            store=store,
            hub=_words(env, "TOKENARIUM_MODELS"),
            local=Path(env.get("TOKENARIUM_LOCAL", store / "local")),
            keep=_switch(env, "TOKENARIUM_KEEP", True),
            log=_switch(env, "TOKENARIUM_LOG", False),
            metrics=Path(folder) if (folder := env.get("TOKENARIUM_METRICS")) else None,
            jobs=_integer(env, "TOKENARIUM_JOBS", 2),
            max_text=_integer(env, "TOKENARIUM_MAX_TEXT", 2_000_000),
            slots=_integer(env, "TOKENARIUM_SLOTS", CORES),
            waiting=_integer(env, "TOKENARIUM_WAITING", 128),
            concurrency=_integer(env, "TOKENARIUM_CONCURRENCY", 256),
            max_seconds=_integer(env, "TOKENARIUM_MAX_SECONDS", 30),
            max_memory=_integer(env, "TOKENARIUM_MAX_MEMORY", 2_000_000_000),
        )


def _words(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(env.get(name, "").replace(",", " ").split())


def _integer(env: Mapping[str, str], name: str, default: int) -> int:
    value = env.get(name, str(default))
    if not value.isdecimal():
        raise SystemExit(f"{name} must be a whole number, not {value!r}")
    return int(value)


def _switch(env: Mapping[str, str], name: str, default: bool) -> bool:
    value = env.get(name, "on" if default else "off").lower()
    if value not in ("on", "off"):
        raise SystemExit(f"{name} must be on or off, not {value!r}")
    return value == "on"
