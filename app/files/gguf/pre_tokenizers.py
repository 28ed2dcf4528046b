"""The pre-tokenizers of byte-level vocabularies that llama.cpp knows by name, as it reads them.

A GGUF file names its pre-tokenizer (`tokenizer.ggml.pre`) and does not describe it. Where llama.cpp reads a pattern
otherwise than the model's own tokenizer does, the pattern here has llama.cpp's reading: its contractions are ASCII, its
`\\p{Lu}` is `\\p{L}`, and white space is never in a class of other characters. Names and patterns are those of
`src/llama-vocab.cpp` and the splitters of `src/unicode.cpp` (https://github.com/ggml-org/llama.cpp, 2026-10).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..tiktoken.ranks import CL100K, CONTRACTIONS, GPT2, QWEN2, REST, START


@dataclass(frozen=True, slots=True)
class PreTokenizer:
    """What llama.cpp does for a name.

    - `patterns`: applied one after another; matches are words, and so is what lies between them.
    - `add_bos`: whether BOS begins a text where the file does not say.
    - `ignore_merges`: a word that is a token is that token, whatever the merges make of it.
    - `as_characters`: text is BPE over characters with ▁ for spaces, as in Gemma 4, not over bytes.
    - `differs`: a sentence on where the tokens are not those of the model's own tokenizer.
    """

    patterns: tuple[str, ...]
    add_bos: bool = False
    ignore_merges: bool = False
    as_characters: bool = False
    differs: str = ""


ASCII_CONTRACTIONS = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
REST_WITH_SLASH = REST.replace(r"[\r\n]*", r"[\r\n/]*", 1)
LLAMA3 = CL100K.replace(CONTRACTIONS, ASCII_CONTRACTIONS)
QWEN = QWEN2.replace(CONTRACTIONS, ASCII_CONTRACTIONS)
QWEN35 = QWEN.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{M}\p{N}]")
NOT_LOWER, NOT_UPPER = r"(?:(?![a-z])\p{L})", r"(?:(?![A-Z])\p{L})"
"""Letters, which llama.cpp does not sort into cases outside ASCII, and no combining marks."""
TEKKEN = rf"{START}{NOT_LOWER}*{NOT_UPPER}+|{START}{NOT_LOWER}+{NOT_UPPER}*|\p{{N}}|{REST_WITH_SLASH}"
GPT4O = (
    rf"{START}{NOT_LOWER}*{NOT_UPPER}+{ASCII_CONTRACTIONS}?|{START}{NOT_LOWER}+{NOT_UPPER}*{ASCII_CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}|{REST_WITH_SLASH}"
)
MARKED = rf"{START}[\p{{L}}\p{{M}}]+{ASCII_CONTRACTIONS}?"
"""A word of letters and combining marks, of whatever cases."""
HAN = (
    "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b820-\U0002ceaf"
    "\U0002ceb0-\U0002ebef\uf900-\ufaff\U0002f800-\U0002fa1f"
)
KIMI = rf"[{HAN}]+|{START}(?:(?![{HAN}])\p{{L}})+{ASCII_CONTRACTIONS}?|\p{{N}}{{1,3}}|{REST}"
DIGITS_FROM_THE_RIGHT = r"\P{N}*\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"
"""Numbers in groups of three, counted from the right; what precedes a number is one word with its first group."""
CJK = "[\u0800-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\u9fa5\uac00-\ud7ff]+"
KANA_AND_HAN = "[一-龥\u3040-ゟ゠-ヿ]+"
DEEPSEEK_V3 = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CASED = (
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373"
    "\u0376-\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f"
    "\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77"
    "\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d"
    "\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4"
    "\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
    "\u213c-\u213f\u2145-\u2149\u214e\u2183-\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2-\u2cf3\ua640-\ua66d"
    "\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a"
    "\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2"
    "\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
)
"""Letters of two cases, as the tokenizer of DeepSeek LLM lists them: not all that Unicode has."""
DEEPSEEK_LLM = (
    r"[\r\n]",
    rf"\s?[{CASED}]+",
    "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3001-\u3002]+",
    r"\s+$",
    CJK,
    r"\p{N}+",
)
SOUTH_EAST_ASIAN = (
    "[一-鿿㐀-䶿豈-\ufaff\u3040-ゟ゠-ヿ･-ﾟ⼀-\u2fdf\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f"
    "\ua9e0-\ua9ff가-\ud7afᄀ-ᇿ]+"
)
YOUTU = "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-\u303f︰-﹏]+|[ㄅ-ㄯ]+|[一-龥\u3040-ゟ゠-ヿ]+"
FALCON = r"[\p{P}\$\+<=>\^~\|`]+"
BLOOM = r" ?[^(\s|.,!?…。，、।۔،)]+"
CASCADE = "".join(rf"\s{{{size}}}(?!\S)|" for size in (512, 256, 128, 64, 32, 16, 8, 4)) + r"\s{1,2}(?!\S)|\s{1}"
LINES = r"[^\n]+|\n+"

NFC = (
    "Text is not normalized, as in llama.cpp; the model's own tokenizer normalizes it to NFC, so that decomposed "
    "characters have other tokens there."
)
WORDS = (
    "Words are those of llama.cpp, which knows no upper and lower case beyond ASCII; where a word has combining marks "
    "or changes its case, the model's own tokenizer can have other tokens."
)
SPACES = (
    "White space beyond ASCII is split off as in llama.cpp; the model's own tokenizer has it among Chinese characters "
    "and punctuation."
)
UNNAMED = "The file names no model's pre-tokenizer: the patterns are llama.cpp's own, not those of the model."

BYTE_LEVEL = PreTokenizer((GPT2,))
LIKE_LLAMA3 = PreTokenizer((LLAMA3,), add_bos=True, ignore_merges=True)
GROUPS: Mapping[tuple[str, ...], PreTokenizer] = {
    ("", "default"): PreTokenizer((r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"), differs=UNNAMED),
    ("gpt-2", "phi-2", "mpt", "olmo", "jais", "roberta-bpe", "modern-bert", "jina-es", "jina-de"): BYTE_LEVEL,
    ("jina-v2-es", "jina-v2-de", "jina-v1-en", "jina-v2-code", "gigachat", "a.x-4.0", "mellum"): BYTE_LEVEL,
    ("exaone4", "trillion", "granite-docling"): BYTE_LEVEL,
    ("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"): PreTokenizer(
        (r"\p{N}", GPT2)
    ),
    ("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"): LIKE_LLAMA3,
    ("jina-v5-nano",): LIKE_LLAMA3,
    ("dbrx", "smaug-bpe", "chatglm-bpe"): replace(LIKE_LLAMA3, add_bos=False, ignore_merges=False),
    ("glm4", "glm5"): replace(LIKE_LLAMA3, add_bos=False),
    ("qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez"): PreTokenizer((QWEN,), differs=NFC),
    ("stablelm2", "hunyuan", "solar-open", "grok-2"): PreTokenizer((QWEN,)),
    ("qwen35",): PreTokenizer((QWEN35,), differs=NFC),
    ("ufakzeka",): PreTokenizer((QWEN.removeprefix(f"{ASCII_CONTRACTIONS}|"),)),
    ("laguna",): PreTokenizer((LINES, QWEN)),
    ("minicpm5",): PreTokenizer((r"\p{N}{1,3}", LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}+")), ignore_merges=True),
    ("jais-2",): PreTokenizer((LLAMA3.replace(r"\s+(?!\S)|\s+", CASCADE),)),
    ("seed-coder",): PreTokenizer((QWEN.replace(r"\p{N}]+[\r\n]*", r"\p{N}\r\n]+"),)),
    ("bailingmoe", "bailingmoe2", "llada-moe"): PreTokenizer((QWEN.replace(r"\s*[\r\n]+", r"\s*[\r\n]"),)),
    ("exaone-moe",): PreTokenizer(
        (
            QWEN.replace(r"?\p{L}+", r"?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+")
            .replace(r"[\r\n]*", r"[\r\n/]?")
            .replace(r"\s*[\r\n]+", r"\s*[\r\n]"),
        )
    ),
    ("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"): PreTokenizer((GPT4O,), differs=WORDS),
    ("granite-embed-multi-97m",): PreTokenizer(
        (GPT4O.replace(r"\p{L})", r"[\p{L}\p{M}])"),), ignore_merges=True, differs=WORDS
    ),
    ("tekken",): PreTokenizer((TEKKEN,), add_bos=True, ignore_merges=True, differs=WORDS),
    ("tiny_aya", "cohere2moe"): PreTokenizer(
        (DIGITS_FROM_THE_RIGHT, rf"{MARKED}|\p{{N}}{{1,3}}|{REST_WITH_SLASH}"), differs=WORDS
    ),
    ("youtu",): PreTokenizer((YOUTU, rf"{MARKED}|\p{{N}}|{REST_WITH_SLASH}"), ignore_merges=True, differs=WORDS),
    ("kimi-k2",): PreTokenizer((KIMI,), differs=WORDS),
    ("deepseek-llm",): PreTokenizer(DEEPSEEK_LLM, differs=SPACES),
    ("deepseek-coder",): PreTokenizer((r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK, r"\p{N}"), differs=SPACES),
    ("deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"): PreTokenizer((r"\p{N}{1,3}", KANA_AND_HAN, DEEPSEEK_V3)),
    ("spark2_5",): PreTokenizer(
        (
            r"\p{N}{1,3}",
            KANA_AND_HAN,
            DEEPSEEK_V3.replace(r"]+[\r\n]*|\s*[\r\n]+", r"]+|[\r\n]"),
            r"\p{N}",
        )
    ),
    ("afmoe",): PreTokenizer((DIGITS_FROM_THE_RIGHT, SOUTH_EAST_ASIAN, DEEPSEEK_V3)),
    ("falcon",): PreTokenizer((FALCON, GPT2, "[0-9][0-9][0-9]")),
    ("bloom", "poro-chat", "gpt3-finnish"): PreTokenizer((BLOOM,)),
    ("viking",): PreTokenizer((BLOOM, r"\p{N}")),
    ("superbpe",): PreTokenizer((r"\p{N}+", r"[\s\S]+?(?=(?:[0-9]{3})+(?![0-9]))")),
    ("chameleon",): PreTokenizer(
        (
            "<sentinel:[0-9]+>",
            "IMGIMG[A-I]{1,4}Z",
            r"[\t\n]|    |  ",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            GPT2,
        ),
        add_bos=True,
    ),
    ("gemma4", "granite-embed-multi-311m"): PreTokenizer((LINES,), add_bos=True, as_characters=True),
    ("sarvam-moe",): PreTokenizer((LINES,), as_characters=True),
}
PRE_TOKENIZERS: Mapping[str, PreTokenizer] = {name: group for names, group in GROUPS.items() for name in names}
"""All but `whitespace`, whose text is lower case and split at white space, by the name in a file."""
