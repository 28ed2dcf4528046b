"""Patterns that tokenizers split texts with."""

from tokenarium.lab.steps.patterns import expression
from tokenarium.scratch.compat.pipeline.pre_tokenizers import BERT_WORD
from tokenarium.settings import Settings
from tokenarium.store import read_store

STORED = sorted({record.pattern for record in read_store(Settings().store) if record.pattern})
"""The patterns of the tokenizers of the store."""
PATTERNS = {
    **{name: expression(name) for name in ("gpt2", "cl100k", "o200k", "llama3")},
    "bert": BERT_WORD.pattern,
    "spaces": r"\S+",
    "whole": "",
    "any": r"[a-z]{2,3}+.|.",
    "sets": r"[^\]a[&&b~~]+|(?:[[x]|y){2}|\s",
    "grouped": r"(ab){1,2}+a|(?=b)b|(?>a+)|[^ab]",
}
LONG_SET = "[" + "".join(f"{chr(start)}-{chr(start + 2)}" for start in range(0x100, 0x1600, 4)) + "]"

PUBLISHED = {
    **PATTERNS,
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+",
    "deepseek-v3": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}]+",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "ranges": rf"\s?{LONG_SET}+|{LONG_SET}",
}
