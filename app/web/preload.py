"""What the workers share: imported by the process that they are forked from, and by no other.

The modules and templates of the pages that people open first, and the tokenizers that these open with.
"""

import gc
from contextlib import suppress
from importlib import import_module

from ..registry import load
from ..serialize.templates import templates
from ..settings import Settings
from ..store import Store
from ..types import Engine, Tokenizer
from .routes import ROUTERS

FROM_START = ("o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased", "qwen3")
"""Tokenizers that the pages open with."""
STORE = Settings.from_env().store
TOKENIZERS: dict[tuple[str, Engine], Tokenizer] = {}
"""Tokenizers of `STORE` on their reference engines."""

for name in ROUTERS:
    import_module(f"{__package__}.{name}")
for name in templates.list_templates(["html"]):
    templates.get_template(name)
for id, record in Store(STORE).items():
    if id in FROM_START:
        engine = record.info.engines[0]
        with suppress(Exception):  # a worker that is asked for it meets it again, and tells it
            TOKENIZERS[id, engine] = load(record, engine)
gc.collect()
gc.freeze()
