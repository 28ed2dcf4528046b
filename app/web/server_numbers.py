"""The numbers of one server process that its metrics show."""

from .multiprocess_metrics import Numbers, RequestMetrics
from .services import Services


def numbers(services: Services) -> Numbers:
    """Return the numbers of an app so far. They are copies, since requests go on being counted."""
    requests = services.request_metrics or RequestMetrics()
    registry = services.registry
    limiter = services.limiter
    workers = services.workers
    unlabelled = {
        "requests_in_flight": requests.in_flight,
        "streams": limiter.streams.total if limiter else 0,
        "viewers": limiter.viewers.total if limiter else 0,
        "sheds": limiter.refused if limiter else 0,
        "worker_kills": workers.killed if workers else 0,
        "worker_starts": workers.started if workers else 0,
        "tokenizer_loads": registry.loads,
        "tokenizer_evictions": registry.evictions,
        "tokenizers_loaded": len(registry.list_loaded()),
        "loaded_bytes": registry.nbytes,
    }
    counted: Numbers = {"requests": dict(requests.requests), "request_seconds": dict(requests.seconds)}
    return counted | {name: {(): value} for name, value in unlabelled.items()}
