"""Do parts on a Dask cluster: its workers need this package, its extra packages, and the same addresses or folders.

https://distributed.dask.org
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from distributed import Client, KilledWorker, WorkerPlugin

from .. import __version__
from ..errors import Unavailable, WorkerLost
from .ship import hash_files, unpack

P = ParamSpec("P")
Result = TypeVar("Result")
CONNECT_SECONDS = 10
IDLE_SECONDS = 60.0
"""How long a cluster may be without any worker."""


class Tokenizers(WorkerPlugin):
    """Tokenizers that are written into the cache of every worker, also of one that joins later."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.name = f"tokenarium-{__version__}-{hash_files(files)}"
        self._version = __version__
        self._files = files

    def setup(self, worker: Any) -> None:
        """Write them. Raises `RuntimeError` for a worker with another version of this package."""
        if self._version != __version__:
            raise RuntimeError(f"this is tokenarium {self._version}, and that of the worker is {__version__}")
        unpack(self._files)


class Cluster(Executor):
    """The workers of a cluster. What a dead worker did is done by another, which Dask tries three times."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._pool = client.get_executor(pure=False)
        self._seen = time.monotonic()

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        """Run a function on a worker. The future raises `WorkerLost` if its workers died, `Unavailable`."""
        future: Future[Result] = Future()
        try:
            self._pool.submit(fn, *args, **kwargs).add_done_callback(lambda done: _pass_on(done, future))
        except Exception as error:
            future.set_exception(_make_connection_error(error))
        return future

    def check(self) -> None:
        """Raise `Unavailable` if there has been no worker for `IDLE_SECONDS`."""
        if self._client.scheduler_info(n_workers=-1)["workers"]:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > IDLE_SECONDS:
            raise Unavailable(f"The cluster has had no workers for {IDLE_SECONDS:.0f} s. What is done is kept.")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait and not cancel_futures)


def _pass_on(done: "Future[Result]", future: "Future[Result]") -> None:
    try:
        future.set_result(done.result())
    except KilledWorker:
        future.set_exception(WorkerLost("The worker processes died that did this."))
    except CancelledError as error:
        future.set_exception(_make_connection_error(error))
    except BaseException as error:
        future.set_exception(error)


def _make_connection_error(error: BaseException) -> Unavailable:
    cause = f": {error}" if str(error) else ""
    return Unavailable(f"The connection to the cluster's scheduler is lost{cause}. What is done is kept.")


@contextmanager
def connect_cluster(address: str, files: Mapping[str, bytes]) -> Iterator[tuple[Executor, int]]:
    """Give a cluster and the number of its threads. Raises `Unavailable`."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it logs is raised here
    try:
        client: Any = Client(  # type: ignore[no-untyped-call]
            address, timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TypeError) as error:
        raise Unavailable(f"There is no Dask scheduler at {address[:200]}: {_line(error)}.") from error
    try:
        try:
            client.wait_for_workers(1, timeout=IDLE_SECONDS)
            _send(client, Tokenizers(files))
        except (OSError, RuntimeError) as error:
            raise Unavailable(f"The cluster at {address[:200]} cannot be used: {_line(error)}.") from error
        cluster = Cluster(client)
        try:
            yield cluster, max(1, sum(client.nthreads().values()))
        except BaseException:
            cluster.shutdown(cancel_futures=True)
            raise
    finally:
        client.close(timeout=2)


def _send(client: Any, plugin: Tokenizers) -> None:
    """Give a plugin to the workers. Raises `RuntimeError`; workers that join later are not asked for it then."""
    try:
        client.register_plugin(plugin)
    except RuntimeError:
        client.unregister_worker_plugin(plugin.name)
        raise


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
