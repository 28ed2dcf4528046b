"""GET /metrics: what the server does, as Prometheus reads it: numbers by route, and nothing that was sent."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.web.traffic import BOUNDS, FAMILIES, Numbers, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import Metric

router = APIRouter(include_in_schema=False)


@router.get("/metrics")
def get(request: Request) -> Response:
    from prometheus_client import CONTENT_TYPE_LATEST

    return Response(exposition(request.app.state), media_type=CONTENT_TYPE_LATEST)


def exposition(state: Any) -> bytes:
    """The numbers of this process and of those that serve with it; of a process alone, its memory and time too."""
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest

    told = CollectorRegistry()
    told.register(Collected(state.siblings.total() if state.siblings else numbers(state)))
    if not state.siblings:
        ProcessCollector(registry=told)
    return generate_latest(told)


class Collected:
    """Numbers as a collector of prometheus_client."""

    def __init__(self, found: Numbers) -> None:
        self.found = found

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        for name, family in FAMILIES.items():
            if family.kind == "histogram":
                yield _histogram(name, self.found[name])
                continue
            made = CounterMetricFamily if family.kind == "counter" else GaugeMetricFamily
            metric = made(f"tokenarium_{name}", family.help, labels=family.labels)
            for labels, value in sorted(self.found[name].items()):
                metric.add_metric(labels, value)
            yield metric


def _histogram(name: str, found: dict[tuple[str, ...], float]) -> Metric:
    from prometheus_client.core import HistogramMetricFamily

    family = FAMILIES[name]
    metric = HistogramMetricFamily(f"tokenarium_{name}", family.help, labels=family.labels)
    for route in sorted({route for route, _ in found}):
        counts = accumulate(found.get((route, str(place)), 0) for place in range(len(BOUNDS) + 1))
        bounds = [*map(str, BOUNDS), "+Inf"]
        metric.add_metric((route,), list(zip(bounds, counts, strict=True)), found[route, "sum"])
    return metric
