"""The pattern and the special tokens that belong to a ranks file, which contains neither.

They are chosen by the number of ranks, which differs between the published vocabularies, or by the tokenizer class of
the config beside the file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{REST}"
QWEN2 = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}|{REST}"
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
START = r"[^\r\n\p{L}\p{N}]?"
O200K = (
    rf"{START}{UPPER}*{LOWER}+{CONTRACTIONS}?|{START}{UPPER}+{LOWER}*{CONTRACTIONS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Kimi's own pattern intersects its classes with "not Han"; a look-ahead before each character says the same.
NOT_HAN_UPPER = rf"(?:(?!\p{{Han}}){UPPER})"
NOT_HAN_LOWER = rf"(?:(?!\p{{Han}}){LOWER})"
KIMI = (
    rf"\p{{Han}}+|{START}{NOT_HAN_UPPER}*{NOT_HAN_LOWER}+{CONTRACTIONS}?"
    rf"|{START}{NOT_HAN_UPPER}+{NOT_HAN_LOWER}*{CONTRACTIONS}?|\p{{N}}{{1,3}}|{REST}"
)


@dataclass(frozen=True, slots=True)
class RanksPreset:
    """The name of a vocabulary, its pattern, and its special tokens, whose ids follow the ranks if none are listed."""

    name: str
    pattern: str
    special_tokens: Mapping[str, int] = field(default_factory=dict)


def _number_tokens(first: int, tokens: list[str]) -> dict[str, int]:
    return {token: id for id, token in enumerate(tokens, first)}


def _llama3(first: int) -> dict[str, int]:
    named = ["<|begin_of_text|>", "<|end_of_text|>", "<|reserved_special_token_0|>", "<|reserved_special_token_1|>"]
    named += ["<|finetune_right_pad_id|>", "<|step_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>"]
    named += ["<|eot_id|>", "<|python_tag|>"]
    reserved = [f"<|reserved_special_token_{number}|>" for number in range(2, 2 + 256 - len(named))]
    return _number_tokens(first, [*named, *reserved])


FIM = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}
PRESETS: Mapping[int, RanksPreset] = {
    50256: RanksPreset("gpt2", GPT2, {"<|endoftext|>": 50256}),
    50257: RanksPreset("whisper", GPT2),
    50280: RanksPreset("p50k_base", GPT2, {"<|endoftext|>": 50256}),
    100256: RanksPreset("cl100k_base", CL100K, {"<|endoftext|>": 100257, **FIM, "<|endofprompt|>": 100276}),
    128000: RanksPreset("Llama 3", CL100K, _llama3(128000)),
    151643: RanksPreset("Qwen 2 and 3", QWEN2, _number_tokens(151643, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])),
    163584: RanksPreset("Kimi K2", KIMI),
    199998: RanksPreset("o200k_base", O200K, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}),
    200000: RanksPreset("Llama 4", O200K),
}
"""Published vocabularies by the number of their ranks."""
CLASSES: Mapping[str, RanksPreset] = {
    "QWenTokenizer": RanksPreset("Qwen", QWEN2),
    "Qwen2Tokenizer": RanksPreset("Qwen 2", QWEN2),
    "TikTokenTokenizer": RanksPreset("Kimi K2", KIMI),
    "GPT2Tokenizer": RanksPreset("gpt2", GPT2),
    "WhisperTokenizer": RanksPreset("whisper", GPT2),
    "LlamaTokenizer": RanksPreset("Llama 3", CL100K),
    "GPTNeoXTokenizer": RanksPreset("GPT-NeoX", GPT2),
    "ChatGLM4Tokenizer": RanksPreset("GLM 4", CL100K),
}
"""Tokenizers of `transformers` that read a ranks file, by `tokenizer_class`."""


def choose_preset(count: int, class_name: str) -> tuple[RanksPreset, str]:
    """Return the preset of a ranks file, and a note on why it was chosen.

    >>> choose_preset(100256, "")[0].name, choose_preset(300, "Qwen2Tokenizer")[1]
    ('cl100k_base', 'The pattern is that of Qwen 2, chosen by the tokenizer_class Qwen2Tokenizer.')
    """
    if preset := PRESETS.get(count):
        return preset, f"The pattern is that of {preset.name}, chosen by the {count:,} ranks."
    if preset := CLASSES.get(class_name):
        return preset, f"The pattern is that of {preset.name}, chosen by the tokenizer_class {class_name}."
    guess = RanksPreset("cl100k_base", CL100K)
    return guess, "The pattern is a guess, that of cl100k_base: a ranks file has none. Pass the right one with it."
