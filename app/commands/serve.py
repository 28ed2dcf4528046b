"""serve: run the playground and the API."""

import argparse
import os
from contextlib import nullcontext
from tempfile import TemporaryDirectory

from ..errors import UnknownTokenizer
from ..lab.models import resolve_model
from ..registry import Registry
from ..settings import CORES, Settings
from .option_arguments import at_least_one


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument(
        "--default", metavar="TOKENIZER", help="tokenizer of clients of other servers’ APIs that name no model"
    )
    parser.add_argument(
        "--workers",
        type=at_least_one,
        default=1,
        metavar="N",
        help="processes that listen, each with worker processes of its own",
    )


def run(args: argparse.Namespace) -> None:
    """Listen until interrupted, then finish the requests under way. No content of requests is logged."""
    from .server import run_until_stopped  # of the extra `server`

    # The processes that listen share the cores. They read their settings from the environment.
    if "TOKENARIUM_SLOTS" not in os.environ:
        os.environ.setdefault("TOKENARIUM_WORKERS_PER_PROCESS", str(max(2, CORES // args.workers)))
    # Each worker computes on one core, as there are as many workers as cores. NumPy reads this when it is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    options = {"HOST": args.host, "PORT": args.port, "TOKENARIUM_DEFAULT": args.default}
    os.environ.update({name: str(value) for name, value in options.items() if value is not None})
    settings = Settings.from_env()
    package = __package__.partition(".")[0]
    check_default(settings)
    # One process ends by the signal that stops it, and would leave the folder.
    with TemporaryDirectory(prefix="tokenarium-") if args.workers > 1 else nullcontext() as folder:
        if folder:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder  # where the processes share their metrics
        run_until_stopped(
            f"{package}.main:create_app",
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=args.workers,
            loop="uvloop",
            http=f"{package}.web.connections:LimitedProtocol",
            ws="none",
            proxy_headers=bool(settings.proxies),
            forwarded_allow_ips=[
                *map(str, settings.proxies),
                *(f"::ffff:{one.network_address}/{96 + one.prefixlen}" for one in settings.proxies if one.version == 4),
            ],  # as both are seen where an address of IPv6 is listened on
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=settings.shutdown_timeout,
        )


def check_default(settings: Settings) -> None:
    """Raise `SystemExit` if the default tokenizer does not exist."""
    if settings.default is None:
        return
    try:
        resolve_model(Registry(settings), settings.default)
    except UnknownTokenizer as error:
        raise SystemExit(f"--default {settings.default}: {error.detail}") from None
