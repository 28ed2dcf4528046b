"""A GGUF file's tokenizer, converted to the format that it had before it was converted to GGUF.

llama.cpp names the pre-tokenizer of a byte-level vocabulary; the patterns are those of the models it was made for.
"""

from collections.abc import Mapping
from dataclasses import replace

from ..errors import BadFile, join_names
from ..formats.gguf import GgufTokenizer, load_gguf
from ..formats.sentencepiece_model import Kind, ScoredPiece, SentencePieceModel, check_pieces, dump_model
from ..formats.tiktoken_patterns import CL100K, GPT2, KIMI, O200K, QWEN2
from .components import (
    Component,
    bpe,
    byte_level,
    document,
    make_isolated_split,
    make_template_processor,
    make_token_component,
    sequence,
)
from .conversion import Conversion
from .metadata import Metadata
from .sentencepiece_file import describe
from .vocab_files import bert, make_conversion

CJK = "[一-龥\u0800-一가-\ud7ff]+"
DEEPSEEK_V3 = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEKKEN = O200K.replace(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace(r"\p{N}{1,3}", r"\p{N}")
PATTERNS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("", "default", "gpt-2", "phi-2", "mpt", "olmo", "jais", "roberta-bpe", "modern-bert"), (GPT2,)),
    **dict.fromkeys(("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone"), (r"\p{N}", GPT2)),
    **dict.fromkeys(
        ("llama-bpe", "llama3", "llama-v3", "dbrx", "smaug-bpe", "chatglm-bpe", "glm4", "falcon3"), (CL100K,)
    ),
    **dict.fromkeys(("qwen2", "stablelm2", "hunyuan", "megrez", "deepseek-r1-qwen"), (QWEN2,)),
    **dict.fromkeys(("gpt-4o", "llama4"), (O200K,)),
    "tekken": (TEKKEN,),
    "kimi-k2": (KIMI,),
    "deepseek-v3": (r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+", DEEPSEEK_V3),
    "deepseek-coder": (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK, r"\p{N}"),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"),
    "bloom": (r" ?[^(\s|.,!?…。，、।۔،)]+",),
}
"""The patterns of byte-level vocabularies by llama.cpp's name, applied one after another."""
IGNORE_MERGES = frozenset({"llama-bpe", "llama3", "llama-v3", "llama4", "gpt-4o", "tekken", "kimi-k2"})


def from_gguf(data: bytes, metadata: Metadata) -> Conversion:
    """Convert the tokenizer of a GGUF file. Raises `BadFile` for a model that no engine here has."""
    gguf = load_gguf(data)
    match gguf.model:
        case "llama" | "t5":
            conversion = _sentencepiece(gguf, metadata)
        case "gpt2":
            conversion = _byte_level(gguf, metadata)
        case "bert":
            conversion = _wordpiece(gguf, metadata)
        case _:
            raise BadFile(f"The model {gguf.model[:40]!r} of the GGUF file is not supported; {join_names(MODELS)} are.")
    return replace(conversion, chat_template=gguf.chat_template)


MODELS = ("llama", "t5", "gpt2", "bert")


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
    begins = options.get("add_bos_token", gguf.model == "llama") and "bos" in ids
    ends = options.get("add_eos_token", gguf.model == "t5") and "eos" in ids
    return [gguf.tokens[ids["bos"]]] if begins else [], [gguf.tokens[ids["eos"]]] if ends else []


def _byte_level(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    if gguf.pre not in PATTERNS:
        raise BadFile(
            f"The pre-tokenizer {gguf.pre[:40]!r} is not known; known are {join_names(filter(None, PATTERNS))}."
        )
    vocabulary = dict(zip(gguf.tokens, range(len(gguf.tokens)), strict=True))
    special = {token for token, kind in zip(gguf.tokens, gguf.kinds, strict=True) if kind == "control"}
    own = {token for token, kind in zip(gguf.tokens, gguf.kinds, strict=True) if kind == "user_defined"}
    tokens = [
        make_token_component(token, vocabulary[token], special=token in special)
        for token in gguf.tokens
        if token in special | own
    ]
    for token in tokens:
        token["normalized"] = False
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
    return make_conversion(top, metadata, f"The pre-tokenizer is {gguf.pre or 'gpt-2'}, as llama.cpp names it.")


def _wordpiece(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    """GGUF puts ▁ before the pieces that begin a word, where BERT puts ## before the others."""

    def spell(token: str, kind: str) -> str:
        return token if kind != "normal" else token[1:] if token.startswith("▁") else f"##{token}"

    pieces = [spell(token, kind) for token, kind in zip(gguf.tokens, gguf.kinds, strict=True)]
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    notes: list[str] = []
    top: Component = bert(vocabulary, metadata, notes)
    return make_conversion(top, metadata, *notes)
