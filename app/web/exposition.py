"""The metrics of a server in the format of Prometheus."""

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from .multiprocess_metrics import BOUNDS, FAMILIES, Numbers
from .server_numbers import numbers
from .services import Services

__all__ = ["CONTENT_TYPE_LATEST", "exposition"]


def exposition(services: Services) -> bytes:
    """Return the numbers in the format of Prometheus: of all processes that serve together, or of the only one, whose
    memory and processor time are then included."""
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
    family = FAMILIES[name]
    metric = HistogramMetricFamily(f"tokenarium_{name}", family.help, labels=family.labels)
    bounds = [*map(str, BOUNDS), "+Inf"]
    for route in sorted({route for route, _ in values}):
        counts = accumulate(values.get((route, str(bucket)), 0) for bucket in range(len(bounds)))
        metric.add_metric((route,), list(zip(bounds, counts, strict=True)), values[route, "sum"])
    return metric
