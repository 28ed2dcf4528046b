"""A GGUF file's tokenizer, converted to the format that it had before it was converted to GGUF.

llama.cpp names the pre-tokenizer of a byte-level vocabulary; the patterns are those of the models it was made for.
"""

from collections.abc import Mapping
from dataclasses import replace

from ...errors import BadFile, join_names
from ..conversion import Conversion, Metadata
from ..sentencepiece.convert import describe
from ..sentencepiece.model import Kind, ScoredPiece, SentencePieceModel, check_pieces, dump_model
from ..tiktoken.ranks import CL100K, GPT2, KIMI, O200K, QWEN2
from ..tokenizer_json.components import (
    Component,
    bpe,
    byte_level,
    document,
    make_isolated_split,
    make_template_processor,
    make_token_component,
    sequence,
)
from ..transformers.vocab_files import bert, make_conversion
from .read import GgufTokenizer, load_gguf

CJK = "[一-龥\u0800-一가-\ud7ff]+"
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
    "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+",
    r"\s+$",
    CJK,
    r"\p{N}+",
)
QWEN35 = QWEN2.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{M}\p{N}]")
TEKKEN = O200K.replace(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace(r"\p{N}{1,3}", r"\p{N}")
PATTERNS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("", "default", "gpt-2", "phi-2", "mpt", "olmo", "jais", "roberta-bpe", "modern-bert"), (GPT2,)),
    **dict.fromkeys(("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone"), (r"\p{N}", GPT2)),
    **dict.fromkeys(
        ("llama-bpe", "llama3", "llama-v3", "dbrx", "smaug-bpe", "chatglm-bpe", "glm4", "falcon3"), (CL100K,)
    ),
    **dict.fromkeys(("qwen2", "stablelm2", "hunyuan", "megrez", "deepseek-r1-qwen"), (QWEN2,)),
    **dict.fromkeys(("gpt-4o", "llama4"), (O200K,)),
    "qwen35": (QWEN35,),
    "tekken": (TEKKEN,),
    "kimi-k2": (KIMI,),
    "deepseek-llm": DEEPSEEK_LLM,
    "deepseek-v3": (r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+", DEEPSEEK_V3),
    "deepseek-coder": (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK, r"\p{N}"),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"),
    "bloom": (r" ?[^(\s|.,!?…。，、।۔،)]+",),
}
"""The patterns of byte-level vocabularies by llama.cpp's name, applied one after another."""
NFC_BEFORE = frozenset({"qwen2", "qwen35", "deepseek-r1-qwen"})
"""Names of which the models' own tokenizers normalize to NFC first, which a GGUF file does not say."""
IGNORE_MERGES = frozenset({"llama-bpe", "llama3", "llama-v3", "llama4", "gpt-4o", "tekken", "kimi-k2"})


GEMMA: Component = {
    "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    "pre_tokenizer": {
        "type": "Split",
        "pattern": {"String": " "},
        "behavior": "MergedWithPrevious",
        "invert": False,
    },
    "decoder": sequence(
        "decoders",
        [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}],
    ),
}
"""The stages of Gemma 4 around its model."""


def from_gguf(data: bytes, metadata: Metadata) -> Conversion:
    """Convert the tokenizer of a GGUF file. Raises `BadFile` for a model that no engine here has."""
    gguf = load_gguf(data)
    match gguf.model:
        case "llama" | "t5":
            conversion = _sentencepiece(gguf, metadata)
        case "gpt2":
            conversion = _byte_level(gguf, metadata)
        case "gemma4":
            conversion = _characters(gguf, metadata)
        case "bert":
            conversion = _wordpiece(gguf, metadata)
        case _:
            raise BadFile(f"The model {gguf.model[:40]!r} of the GGUF file is not supported; {join_names(MODELS)} are.")
    return replace(conversion, chat_template=gguf.chat_template)


MODELS = ("llama", "t5", "gpt2", "gemma4", "bert")


def convert_to_sentencepiece(gguf: GgufTokenizer) -> SentencePieceModel:
    """Return a file of the model llama or t5 as the SentencePiece model that it was converted from.

    Raises `BadFile` for another model, and for pieces that SentencePiece would refuse.
    """
    algorithms = {"llama": "bpe", "t5": "unigram"}
    if gguf.model not in algorithms:
        raise BadFile(f"The model {gguf.model[:40]!r} is not a SentencePiece model; llama and t5 are.")
    unknown = gguf.ids.get("unknown", gguf.kinds.index("unknown") if "unknown" in gguf.kinds else 0)
    kinds: list[Kind] = ["normal" if kind == "unknown" else kind for kind in gguf.kinds]
    kinds[unknown] = "unknown"  # some files call it a control token
    scores = gguf.scores or (0.0,) * len(gguf.tokens)
    model = SentencePieceModel(
        tuple(map(ScoredPiece, gguf.tokens, scores, kinds)),
        algorithms[gguf.model],
        byte_fallback="byte" in kinds,
        add_dummy_prefix=gguf.options.get("add_space_prefix", True),
        remove_extra_whitespaces=gguf.options.get("remove_extra_whitespaces", False),
        charsmap=gguf.charsmap,
    )
    check_pieces(model)
    return model


def _sentencepiece(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    model = convert_to_sentencepiece(gguf)
    before, after = _edges(gguf)
    flags = {"add_bos_token": bool(before), "add_eos_token": bool(after)}
    names = dict(zip(("bos_token", "eos_token"), (*before, *after), strict=False)) if before else {}
    named = Metadata({**metadata.config, **flags}, metadata.class_name, {**metadata.variables, **names})
    return describe(model, dump_model(model), named, ("sentencepiece", "scratch"))


def _edges(gguf: GgufTokenizer) -> tuple[list[str], list[str]]:
    """Return the tokens that the model expects before and after a text."""
    options = gguf.options
    ids = gguf.ids
    begins = options.get("add_bos_token", gguf.model in ("llama", "gemma4")) and "bos" in ids
    ends = options.get("add_eos_token", gguf.model == "t5") and "eos" in ids
    return [gguf.tokens[ids["bos"]]] if begins else [], [gguf.tokens[ids["eos"]]] if ends else []


def _byte_level(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    if gguf.pre not in PATTERNS:
        raise BadFile(
            f"The pre-tokenizer {gguf.pre[:40]!r} is not known; known are {join_names(filter(None, PATTERNS))}."
        )
    vocabulary, tokens = _list_tokens(gguf)
    *first, last = PATTERNS[gguf.pre]
    splitters = [*map(make_isolated_split, first), *byte_level(pattern=last)["pretokenizers"]]
    spelled = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    before, after = _edges(gguf)
    top = document(
        bpe(vocabulary, gguf.merges, ignore_merges=gguf.pre in IGNORE_MERGES),
        tokens,
        pre_tokenizer=sequence("pretokenizers", splitters),
        post_processor=make_template_processor(before, after, vocabulary),
        decoder=spelled,
    )
    notes = [f"The pre-tokenizer is {gguf.pre or 'gpt-2'}, as llama.cpp names it."]
    if gguf.pre in NFC_BEFORE:
        notes.append(
            "Text is not normalized, as in llama.cpp; the model's own tokenizer normalizes it to NFC, so that "
            "decomposed characters have other tokens there."
        )
    return make_conversion(top, metadata, *notes)


def _list_tokens(gguf: GgufTokenizer) -> tuple[dict[str, int], list[Component]]:
    """Return the ids of all tokens, and those that are matched before the model sees a text."""
    vocabulary = dict(zip(gguf.tokens, range(len(gguf.tokens)), strict=True))
    kinds = zip(gguf.tokens, gguf.kinds, strict=True)
    added = [(token, kind == "control") for token, kind in kinds if kind in ("control", "user_defined")]
    return vocabulary, [
        make_token_component(token, vocabulary[token], special=special) | {"normalized": False}
        for token, special in added
    ]


def _characters(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    """Convert BPE over characters, with spaces as ▁ and bytes for what the vocabulary lacks."""
    vocabulary, tokens = _list_tokens(gguf)
    unknown = gguf.tokens[gguf.ids["unknown"]] if "unknown" in gguf.ids else None
    before, after = _edges(gguf)
    model = bpe(vocabulary, gguf.merges, unk_token=unknown, fuse_unk=True, byte_fallback=True)
    top = document(model, tokens, post_processor=make_template_processor(before, after, vocabulary), **GEMMA)
    return make_conversion(top, metadata)


def _wordpiece(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    """GGUF puts ▁ before the pieces that begin a word, where BERT puts ## before the others."""

    def spell(token: str, kind: str) -> str:
        return token if kind != "normal" else token[1:] if token.startswith("▁") else f"##{token}"

    pieces = [spell(token, kind) for token, kind in zip(gguf.tokens, gguf.kinds, strict=True)]
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    notes: list[str] = []
    top: Component = bert(vocabulary, metadata, notes)
    return make_conversion(top, metadata, *notes)
