"""What all tests share: one registry, a fresh app, and how often generated tests repeat."""

import gc
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import httpx
import pytest
from hypothesis import HealthCheck, settings
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings

LOCAL = TemporaryDirectory()
os.environ["TOKENARIUM_LOCAL"] = LOCAL.name
"""Where tokenizers are kept that tests train, also in processes that they start."""
ROOMY = Settings(default="o200k_base", max_loaded=10**12, workers=0, local=Path(LOCAL.name))

# A shell's background job ignores SIGINT, and so would the programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Two tiers of repetition: `commit` is what `make test` runs in minutes, the same texts each time; `nightly` draws new
# texts each time, and remembers in .hypothesis the ones that failed. No test is only in one of them.
TIER = os.environ.get("TIER", "commit")
COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("commit", max_examples=25, derandomize=True, database=None, print_blob=False, **COMMON)
settings.register_profile("nightly", max_examples=2000, print_blob=True, **COMMON)
settings.load_profile(TIER)
CONFORMANCE_TEXTS = {"commit": 500, "nightly": 20_000}[TIER]
"""Generated texts that both engines of a tokenizer encode."""
EVERY = [info.id for info in Registry(Settings()).infos()]
"""The ids of all tokenizers of the store."""
ALIKE = {
    *("claude-2", "deepseek-v3", "falcon", "gemma4", "glm-4", "kimi-k2", "mistral-v2", "mistral-v7", "modernbert"),
    *("phi-3", "qwen3.5", "umt5", "whisper", "whisper-v3", "xlm-roberta", "yi"),
}
"""Tokenizers whose pipeline others of the store have too; `test_vocabularies` tests each on its own."""
IDS = [id for id in EVERY if TIER == "nightly" or id not in ALIKE]
"""The tokenizers over which laws with many texts run."""
SCHEMATHESIS_CASES = {"commit": 15, "nightly": 500}[TIER]
"""Generated requests an operation of the API."""


LONGEST = (
    "test_vocabularies",
    *(
        "web/test_untrusted_patterns",
        "adapters/test_from_tokenizer_json",
        "web/test_serving",
        "scratch/test_sentencepiece",
    ),
    *("web/test_connections", "lab/test_chat_sandbox", "test_wheel", "web/test_pages", "web/test_canary", "test_laws"),
    *("lab/train/test_jobs", "lab/test_conformance", "web/test_contract", "test_command_line", "test_workers"),
    *(
        "test_readme",
        "lab/test_surgery",
        "web/test_surgery",
        "test_corpus_command",
        "test_surgery_command",
        "corpus/test_counting",
    ),
    *("corpus/test_cluster", "corpus/test_running", "corpus/test_tokenizing", "test_corpus_tokenize_command"),
    *("lab/test_pipeline", "web/test_pipeline", "lab/test_patterns", "web/test_regex", "lab/test_vocabulary_browser"),
    *("web/test_bad_inputs", "scratch/test_train_merges", "test_train_command", "scratch/test_words", "test_house"),
    *("web/test_vocabulary", "web/test_vocabulary_browser", "lab/test_vocabulary_analysis"),
    *("browser/test_tokens", "browser/test_steps", "browser/test_compare", "browser/test_accessibility"),
    *("browser/test_train", "browser/test_languages", "browser/test_megabyte", "browser/test_chat"),
    *("browser/test_vocabulary", "browser/test_surgery", "browser/test_pipeline", "browser/test_regex"),
)
"""The files that take longest, those that start processes and those that compute in turn."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, so that of two processes that run tests neither waits for the other at the end."""
    order = {f"tests/{name}.py": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.location[0], len(order)))


@pytest.fixture(scope="module", autouse=True)
def settled() -> Iterator[None]:
    """Spare the garbage collector what the tests of a file have left: millions of parts of tokenizers, which stay."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def registry() -> Registry:
    """All tokenizers of the store, none evicted."""
    return Registry(ROOMY)


Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(registry: Registry) -> Ask:
    """Send one request to a fresh app: `ask("POST", "/tokenize", json=…)`."""
    return asker(registry)


def asker(registry: Registry, **changes: object) -> Ask:
    """An `ask` over an app with these settings changed; tokenizers already loaded are shared."""
    app = create_app(replace(ROOMY, **changes), registry=registry)

    def ask(method: str, path: str, **options: object) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
                return await client.request(method, path, **options)

        return anyio.run(send)

    return ask
