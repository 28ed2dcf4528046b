"""Ids that the models' own tokenizers gave, as others recorded them."""

from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"
SEPARATOR = "\n__ggml_vocab_test__\n"
RECORDED = {
    "bert-base-uncased": "bert-bge",
    "deepseek-coder": "deepseek-coder",
    "falcon": "falcon",
    "gemma4": "gemma-4",
    "gpt2": "gpt-2",
    "gpt-neox": "mpt",
    "phi-3": "phi-3",
    "qwen3": "qwen2",
}
"""By tokenizer, the name of its record."""


def golden(name):
    own = GOLDEN / f"{name}.inp"
    with (own if own.exists() else GOLDEN / "common.inp").open(newline="", encoding="utf-8") as file:
        texts = file.read().split(SEPARATOR)
    lines = (GOLDEN / f"{name}.out").read_text().splitlines()
    return [(text, [*map(int, line.split())]) for text, line in zip(texts, lines, strict=False)]
