"""Dividing a text into chunks beside tokenizing it once: each chunk is tokenized alone at least once more."""

from collections.abc import Iterator

from tokenarium.lab.chunks.boundaries import AT
from tokenarium.lab.chunks.chunking import ChunkOptions, chunk
from tokenarium.lab.tokenize import tokenize
from tokenarium.registry import Registry
from tokenarium.settings import ROOT, Settings

from benchmarks.measure import Figure, ratio, scaled

MOST = 20.0
TOKENIZER = "o200k_base"


def figures() -> Iterator[Figure]:
    registry = Registry(Settings())
    guides = "\n\n".join(path.read_text() for path in sorted((ROOT / "templates/docs").glob("*.md")))
    text = scaled(guides * 4, guides[:5_000])

    def count() -> None:
        tokenize(registry, text, tokenizer=TOKENIZER)

    for at in AT:
        options = ChunkOptions(text=text, tokenizer=TOKENIZER, size=512, overlap=64, at=at)

        def divide(options: ChunkOptions = options) -> None:
            parts = [*chunk(registry, options)]
            assert max(part.tokens for part in parts) <= options.size

        yield ratio(f"chunks of 512 tokens at {at}, over tokenizing", divide, count, most=MOST, runs=5)
