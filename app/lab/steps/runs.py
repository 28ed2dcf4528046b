"""Runs through an algorithm, step by step, as options say, and a cache of the last few."""

from dataclasses import astuple

from ...registry import Registry
from ..caches import LRUCache, hash_text
from ..option_schema import validate
from .encoding import encode
from .frames import Run
from .learning import learn
from .options import StepsOptions


def follow(registry: Registry, options: StepsOptions) -> Run:
    """Run an algorithm and record its steps. Raises `Invalid` for an option, and what training and encoding raise."""
    validate(options)
    if options.branch == "encode":
        return encode(
            registry,
            options.text,
            tokenizer=options.tokenizer,
            special="parse" if options.special else "text",
            temperature=options.temperature,
            seed=options.seed,
        )
    return learn(
        options.text,
        algorithm=options.algorithm,
        unit=options.unit,
        pattern=options.pattern,
        ties=options.ties,
        merges=options.merges,
        table=options.table,
    )


class RunCache:
    """The last few runs, so that the next window of steps is not computed from the beginning."""

    def __init__(self, *, entries: int = 16) -> None:
        self._runs = LRUCache[Run](entries=entries, max_bytes=entries, size=lambda run: 1)

    def forget(self, tokenizer: str) -> None:
        """Drop the encodings of a tokenizer: each would keep the whole tokenizer in memory."""
        self._runs.discard(lambda run: run.tokenizer == tokenizer)

    def follow(self, registry: Registry, options: StepsOptions) -> tuple[str, Run]:
        """Like the function `follow`; also returns the key of the run."""
        key = hash_text(options.text, *map(repr, astuple(options)[1:]))
        return key, self._runs.get_or_create(key, lambda: follow(registry, options))
