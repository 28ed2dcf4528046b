"""Models to begin a calculation with, where their numbers come from, and the bounds of the sliders."""

from collections.abc import Mapping
from typing import Any

MODELS: Mapping[str, Mapping[str, Any]] = {
    "GPT-2": {"vocabulary": 50_257, "width": 768, "others": 85.8, "tied": True},
    "Llama 2 7B": {"vocabulary": 32_000, "width": 4096, "others": 6476.3, "tied": False},
    "Mistral 7B": {"vocabulary": 32_000, "width": 4096, "others": 6979.6, "tied": False},
    "Llama 3 8B": {"vocabulary": 128_256, "width": 4096, "others": 6979.6, "tied": False},
    "Qwen 3 8B": {"vocabulary": 151_936, "width": 4096, "others": 6946.1, "tied": False},
}
LENGTHS: Mapping[str, Mapping[str, Any]] = {
    "GPT-2": {"tokens": 1024, "layers": 12, "width": 768, "kept": 768, "others": 85.8, "number": 2},
    "Llama 2 7B": {"tokens": 4096, "layers": 32, "width": 4096, "kept": 4096, "others": 6476.3, "number": 2},
    "Llama 3 8B": {"tokens": 8192, "layers": 32, "width": 4096, "kept": 1024, "others": 6979.6, "number": 2},
    "Qwen 3 8B": {"tokens": 32_768, "layers": 36, "width": 4096, "kept": 1024, "others": 6946.1, "number": 2},
}


ORIGINS: Mapping[str, str] = {
    "GPT-2": "config.json of openai-community/gpt2",
    "Llama 2 7B": "config.json of meta-llama/Llama-2-7b-hf",
    "Mistral 7B": "config.json of mistralai/Mistral-7B-v0.1",
    "Llama 3 8B": "config.json of meta-llama/Meta-Llama-3-8B",
    "Qwen 3 8B": "config.json of Qwen/Qwen3-8B",
}
WIDTHS = (256, 32_768)
PARAMETERS = (10, 1_000_000)
"""Bounds of sliders: widths of models, and millions of parameters."""
