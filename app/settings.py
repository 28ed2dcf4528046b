"""The settings of a server: one frozen dataclass, read from the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

from .machine import memory_bytes

PACKAGE = Path(__file__).resolve().parent
INSTALLED = (PACKAGE / "templates").is_dir()
"""True in an installed wheel, which holds the templates, the static files and the store inside the package; in a
checkout they stand beside it."""
ROOT = PACKAGE if INSTALLED else PACKAGE.parent
STORE = ROOT / "tokenizers_store"
CORES = max(2, os.cpu_count() or 1)
MAX_LOADED = max(120_000_000, memory_bytes() // 4)


def local_folder(store: Path) -> Path:
    """Return where tokenizers trained here are kept: `local` in the store, or the user's data folder for the store of
    an installed package, since files under site-packages belong to the installer."""
    if not INSTALLED or store != STORE:
        return store / "local"
    from platformdirs import user_data_path

    return user_data_path("tokenarium", appauthor=False) / "tokenizers"


LOCAL = local_folder(STORE)


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen, what to serve, and limits. Sizes are in bytes and times in seconds.

    >>> Settings.from_env({"PORT": "8123"}).port
    8123
    """

    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    log: bool = False  # write a line for each request

    store: Path = STORE
    default: str | None = None  # tokenizer or model of requests in dialects that name none
    hub: tuple[str, ...] = ()  # folders and files of further tokenizers, or names of the hub
    max_loaded: int = MAX_LOADED  # memory of the tokenizers that are kept loaded, once for all workers

    local: Path = LOCAL  # where tokenizers are kept that are trained, added or fetched, up to `quota`
    keep: bool = True  # off: none can be kept; those that users add live for an hour
    quota: int = 1_000_000_000  # of private ones and of the results of each kind of job, too
    fetch: bool | None = None  # whether pages may fetch vocabularies; by default where only this machine can ask
    catalogue: Path | None = None  # another list of vocabularies to fetch
    mirror: str = ""  # a folder of `org/name/tokenizer.json`, or the address of a mirror of the hub
    reconstruction: str = ""  # an installed package whose `token_count(text, version)` counts beside Claude's ranges
    hall: bool = True  # whether lecturers may open halls, which are kept in a file in `local`
    jobs: int = 2  # trainings at the same time, of which one address gets half
    max_corpus: int = 10_000_000
    job_memory: int = 2_000_000_000
    job_seconds: int = 600

    max_text: int = 2_000_000
    max_body: int = 12_000_000
    max_upload: int = 100_000_000  # of tokenizer files, also unpacked
    upload_timeout: float = 600.0  # for a whole upload
    max_batch: int = 1000
    max_query: int = 8192
    max_head: int = 32_768  # of the request line and the header fields
    max_fields: int = 100
    head_timeout: float = 10.0
    request_timeout: float = 120.0  # for a whole body
    body_timeout: float = 10.0  # for the next part of a body
    stream_timeout: float = 60.0  # for a client to read the next part of an answer
    min_rate: int = 500  # bytes a second at which bodies must be sent and answers read
    shutdown_timeout: int = 30  # for requests to be finished when the server is stopped

    # Limits of each process that listens. One address gets `max_connections`, and half of what the others allow in all.
    # Connections of reverse `proxies` are not counted, and their X-Forwarded-For is trusted.
    max_connections: int = 2048
    max_streams: int = 64
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    concurrency: int = 256  # requests at the same time
    max_held: int = 200_000_000  # memory of bodies, and of answers until they are read

    workers: int = CORES  # worker processes that work at the same time; with 0, the server does all work itself
    queue_size: int = 128  # requests that wait for a worker
    max_wait: float = 30.0  # for a worker
    max_seconds: float = 30.0  # of each request in a worker, as are processor time and memory
    max_cpu: int = 30
    load_seconds: int = 120  # for loading tokenizers, which does not count against `max_seconds`
    max_memory: int = 2_000_000_000
    max_resident: int = 250_000_000  # memory beside its tokenizers with which a worker is replaced

    @property
    def may_fetch(self) -> bool:
        """True if pages and programs may have this server fetch vocabularies."""
        return self.keep and (self._loopback if self.fetch is None else self.fetch)

    @property
    def _loopback(self) -> bool:
        return self.host in ("127.0.0.1", "::1", "localhost")

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "Settings":
        """Read HOST, PORT and the TOKENARIUM_… variables; other settings keep their defaults. Raises `SystemExit`.

        >>> Settings.from_env({"TOKENARIUM_QUEUE_SIZE": "7"}).queue_size, Settings.from_env({}).queue_size
        (7, 128)
        """
        store = Path(env.get("TOKENARIUM_STORE", STORE))
        integers = {
            field: _integer(env, next((name for name in names if name in env), names[0]), getattr(cls(), field))
            for field, names in _INTEGERS.items()
        }
        return cls(
            host=env.get("HOST", "127.0.0.1"),
            allowed_hosts=_words(env, "TOKENARIUM_ALLOWED_HOSTS"),
            store=store,
            default=env.get("TOKENARIUM_DEFAULT") or None,
            hub=_models(env.get("TOKENARIUM_MODELS", "")),
            local=Path(env.get("TOKENARIUM_LOCAL") or local_folder(store)),
            keep=_switch(env, "TOKENARIUM_KEEP", True),
            fetch=_switch(env, "TOKENARIUM_FETCH", False) if env.get("TOKENARIUM_FETCH") else None,
            hall=_switch(env, "TOKENARIUM_HALL", True),
            catalogue=Path(path) if (path := env.get("TOKENARIUM_CATALOGUE")) else None,
            mirror=env.get("TOKENARIUM_MIRROR", ""),
            reconstruction=_counting_package(env),
            log=_switch(env, "TOKENARIUM_LOG", False),
            proxies=_networks(env, "TOKENARIUM_PROXIES"),
            **integers,
        )


_INTEGERS = {
    "port": ("PORT",),
    "jobs": ("TOKENARIUM_JOBS",),
    "max_text": ("TOKENARIUM_MAX_TEXT",),
    "head_timeout": ("TOKENARIUM_HEAD_TIMEOUT",),
    "request_timeout": ("TOKENARIUM_REQUEST_TIMEOUT",),
    "body_timeout": ("TOKENARIUM_BODY_TIMEOUT",),
    "stream_timeout": ("TOKENARIUM_STREAM_TIMEOUT",),
    "min_rate": ("TOKENARIUM_MIN_RATE",),
    "max_connections": ("TOKENARIUM_MAX_CONNECTIONS",),
    "max_streams": ("TOKENARIUM_MAX_STREAMS",),
    "concurrency": ("TOKENARIUM_CONCURRENCY",),
    "workers": ("TOKENARIUM_WORKERS_PER_PROCESS", "TOKENARIUM_SLOTS"),
    "queue_size": ("TOKENARIUM_QUEUE_SIZE", "TOKENARIUM_WAITING"),
    "max_wait": ("TOKENARIUM_MAX_WAIT",),
    "max_seconds": ("TOKENARIUM_MAX_SECONDS",),
    "load_seconds": ("TOKENARIUM_LOAD_SECONDS",),
    "max_upload": ("TOKENARIUM_MAX_UPLOAD",),
    "max_memory": ("TOKENARIUM_MAX_MEMORY",),
    "max_loaded": ("TOKENARIUM_MAX_LOADED",),
}
"""Settings that are set to whole numbers, and their variables: the name, and for some a former name."""


def _words(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(env.get(name, "").replace(",", " ").split())


def _models(names: str) -> tuple[str, ...]:
    """Return names of tokenizers, separated by commas, line ends or spaces; a path that exists may contain spaces."""
    models: list[str] = []
    for item in names.replace("\n", ",").split(","):
        words = item.strip().split(" ")
        while words:
            count = next((n for n in range(len(words), 1, -1) if _exists(" ".join(words[:n]))), 1)
            models.append(" ".join(words[:count]))
            words = words[count:]
    return tuple(filter(None, models))


def _exists(path: str) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError):
        return False


def _networks(env: Mapping[str, str], name: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(word, strict=False) for word in _words(env, name))
    except ValueError as error:
        raise SystemExit(f"{name} must be addresses or networks such as 10.0.0.0/8: {error}") from None


def _integer(env: Mapping[str, str], name: str, default: Any) -> Any:
    value = env.get(name)
    if value is None:
        return default
    if not value.isdecimal():
        raise SystemExit(f"{name} must be a whole number, not {value!r}")
    return int(value)


def _counting_package(env: Mapping[str, str]) -> str:
    name = env.get("TOKENARIUM_RECONSTRUCTION", "")
    try:
        if name and callable(import_module(name).token_count):
            import_module("importlib.metadata").version(name)  # takes a twentieth of a short command to import
    except Exception as error:  # whatever its modules raise
        must = "must name an installed package with a function token_count(text, version)"
        raise SystemExit(f"TOKENARIUM_RECONSTRUCTION {must}: {error}") from None
    return name


def _switch(env: Mapping[str, str], name: str, default: bool) -> bool:
    value = env.get(name, "on" if default else "off").lower()
    if value not in ("on", "off"):
        raise SystemExit(f"{name} must be on or off, not {value!r}")
    return value == "on"
