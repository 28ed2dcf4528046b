"""Which special token begins a text, ends it, fills a batch or stands for the unknown, as configurations name it."""

from collections.abc import Mapping

from ..types import ChatTemplate, TokenizerInfo

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "bos_token": (
        *("<s>", "<bos>", "[BOS]", "<|begin_of_text|>", "<|begin▁of▁sentence|>", "<｜begin▁of▁sentence｜>"),
        *("<|startoftext|>", "[gMASK]"),
    ),
    "eos_token": (
        *("</s>", "<eos>", "[EOS]", "<|end_of_text|>", "<|end▁of▁sentence|>", "<｜end▁of▁sentence｜>"),
        *("<|endoftext|>", "<EOT>"),
    ),
    "pad_token": ("<pad>", "[PAD]", "<|pad|>", "<|finetune_right_pad_id|>", "<｜▁pad▁｜>"),
    "unk_token": ("<unk>", "[UNK]", "<|unk|>"),
}
"""The spellings of each role in published configurations, the most specific first."""


def special_roles(info: TokenizerInfo, template: ChatTemplate | None) -> dict[str, str]:
    """Return the special token of each role that a tokenizer has, by the name of the role in a configuration.

    The variables of a chat template decide, as they come from the model's configuration; else the spelling does.

    >>> special_roles(TokenizerInfo("a", "A", "bpe", (), 3, True, special_tokens={"<s>": 0, "</s>": 1}), None)
    {'bos_token': '<s>', 'eos_token': '</s>'}
    """
    roles = {
        role: next(spelling for spelling in spellings if spelling in info.special_tokens)
        for role, spellings in SPELLINGS.items()
        if not info.special_tokens.keys().isdisjoint(spellings)
    }
    variables = template.variables if template else {}
    return roles | {role: variables[role] for role in SPELLINGS if role in variables}
