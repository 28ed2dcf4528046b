"""Following an encoding against encoding: both from scratch, over text that the engine has not met."""

from collections.abc import Iterator

from app.lab.steps.encode.encoding import encode
from app.registry import Registry
from app.settings import Settings
from benchmarks.measure import Figure, ratio
from benchmarks.text import english

FOLLOWED = ("o200k_base", "mistral-v1", "bert-base-uncased", "udhr-unigram-16k")
RUNS = 5
KILOBYTES = 10


def tracing() -> Iterator[Figure]:
    """The trace of ten kilobytes, with the number of its frames, for each kind of model."""
    text = english(KILOBYTES * 1000)
    for id in FOLLOWED:
        fresh = iter([Registry(Settings()).get(id, "scratch") for _ in range(RUNS + 1)])
        registry = Registry(Settings())
        registry.get(id, "scratch")
        yield ratio(
            f"{id}, following {KILOBYTES} KB against encoding them",
            lambda id=id, registry=registry: encode(registry, text, tokenizer=id).total,
            lambda fresh=fresh: next(fresh).encode(text),
            most=10,
            runs=RUNS,
        )
