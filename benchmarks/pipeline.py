"""Every stage of a pipeline, with its pieces, spans and the way back, against the tokens alone.

The base is the same from-scratch pipeline without bands, as `scratch.compat.pipeline` has it: the engines of the
registry remember words and whole segments from one text to the next, and so would measure their memory here.
"""

from collections.abc import Iterator

from tokenarium.lab.pipeline.run import PipelineInput, run
from tokenarium.lab.pipeline.sources import PipelineCache
from tokenarium.registry import Registry
from tokenarium.scratch.compat.pipeline.encode import Pipeline
from tokenarium.settings import Settings

from benchmarks.measure import Figure, ratio, scaled
from benchmarks.text import english, mixed

SIZE = scaled(10_000, 500)
TOKENIZERS = scaled(("bert-base-uncased", "o200k_base", "gemma4", "mistral-v1", "t5"), ("bert-base-uncased",))


def figures() -> Iterator[Figure]:
    registry, cache = Registry(Settings()), PipelineCache()
    for id in TOKENIZERS:
        for label, text in (("English", english(SIZE)), ("mixed scripts", mixed(SIZE))):
            yield stages(registry, cache, id, label, text)


def stages(registry: Registry, cache: PipelineCache, id: str, label: str, text: str) -> Figure:
    """One text through every stage."""
    source = cache.get(registry, id)
    own = source.pipeline
    stages = {"normalizers": own.normalizers, "splitters": own.splitters}
    alone = Pipeline(source.vocabulary.model, **stages, added=source.vocabulary.added)
    question = PipelineInput(id, text, add_special_tokens=False)
    assert [row[0] for row in alone.encode(text)] == run(registry, cache, question).ids
    name = f"pipeline of 10 KB / encoding alone, {id}, {label}"
    return ratio(name, lambda: run(registry, cache, question), lambda: alone.encode(text), most=5, runs=11)
