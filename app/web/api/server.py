"""GET /healthz, /metrics and /openapi.json: the server itself."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...store import PRIVATE
from ..body import JSONResponse
from ..multiprocess_metrics import BOUNDS, FAMILIES, Numbers
from ..policy import RoutePolicy
from ..server_numbers import numbers
from ..services import Services, get_services

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric

router = APIRouter(tags=["server"])


@router.get("/healthz", summary="Check that the server answers")
@RoutePolicy(run="server", counted=False)
async def healthz(request: Request) -> JSONResponse:
    """Always 200 while the server runs; lists the tokenizers in memory, except for private ones."""
    loaded = get_services(request).registry.list_loaded()
    public = [{"tokenizer": id, "engine": engine} for id, engine in loaded if not PRIVATE.fullmatch(id)]
    return JSONResponse({"status": "ok", "loaded": public})


@router.get("/openapi.json", include_in_schema=False)
@RoutePolicy(run="server")
def openapi(request: Request) -> JSONResponse:
    return JSONResponse(request.app.openapi())


@router.get("/metrics", include_in_schema=False)
@RoutePolicy(run="server", counted=False)
def metrics(request: Request) -> Response:
    # prometheus_client is imported with the first request for metrics: most servers are never asked for any.
    from prometheus_client import CONTENT_TYPE_LATEST

    return Response(exposition(get_services(request)), media_type=CONTENT_TYPE_LATEST)


def exposition(services: Services) -> bytes:
    """Return the numbers in the format of Prometheus: of all processes that serve together, or of the only one, whose
    memory and processor time are then included."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    registry = CollectorRegistry()
    shared = services.multiprocess_metrics
    registry.register(NumbersCollector(shared.total() if shared else numbers(services)))
    if not shared:
        ProcessCollector(registry=registry)
    return generate_latest(registry)


class NumbersCollector:
    """Numbers as a collector of prometheus_client."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        for name, family in FAMILIES.items():
            if family.kind == "histogram":
                yield _histogram(name, self.numbers[name])
                continue
            metric_type = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
            metric = metric_type(f"tokenarium_{name}", family.help, labels=family.labels)
            for labels, value in sorted(self.numbers[name].items()):
                metric.add_metric(labels, value)
            yield metric


def _histogram(name: str, values: dict[tuple[str, ...], float]) -> Metric:
    from prometheus_client.core import HistogramMetricFamily

    family = FAMILIES[name]
    metric = HistogramMetricFamily(f"tokenarium_{name}", family.help, labels=family.labels)
    bounds = [*map(str, BOUNDS), "+Inf"]
    for route in sorted({route for route, _ in values}):
        counts = accumulate(values.get((route, str(bucket)), 0) for bucket in range(len(bounds)))
        metric.add_metric((route,), list(zip(bounds, counts, strict=True)), values[route, "sum"])
    return metric
