"""A GGUF file's tokenizer, converted to the format that it had before it was converted to GGUF.

Where llama.cpp reads the file otherwise than the model's own tokenizer would, it is read as llama.cpp does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import BadFile, join_names
from ..conversion import Conversion, Metadata
from ..rwkv import from_rwkv
from ..sentencepiece.convert import describe
from ..sentencepiece.model import Kind, ScoredPiece, SentencePieceModel, check_pieces, dump_model
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
from .pre_tokenizers import PRE_TOKENIZERS, PreTokenizer
from .read import GgufTokenizer, load_gguf

DEFAULT_IDS: Mapping[str, Mapping[str, int]] = {"llama": {"bos": 1, "eos": 2}, "t5": {"eos": 1}}
"""The ids of roles that a file does not say, by its model; llama.cpp's 11 for gpt2 is the comma of most files."""
ENDS = re.compile(
    r"<\|(eot_id|eom_id|im_end|end|return|calls?|flush|endoftext|end_of_text)\|>|<\|tool_response>|<turn\|>|</s>|<eos>"
    r"|_?<EOT>|\[(EOT|EOS|PAD)\]|<end_of_(turn|utterance)>|<｜end▁of▁sentence｜>|\[e~\[|▁?<(PRE|SUF|MID)>|<PAD>|<REPO>"
    r"|<\|(fim_|code_)?(prefix|suffix|middle)\|>|<fim[-_](prefix|suffix|middle|pad)>|<｜fim▁(begin|hole|end)｜>"
    r"|<\|(fim_pad|fim_repo|repo_name|file_sep)\|>|<fim-repo>|<reponame>"
)
"""Tokens that llama.cpp takes for control tokens: ends of a text or a turn, and those of filling in the middle."""
SINCE_16 = (
    "Letters, digits and marks that Unicode 16 added, such as U+1C89, are symbols in llama.cpp, whose tables are those "
    "of version 15.1."
)
WORDPIECE = (
    "Text is lowercased and loses all its marks, as in llama.cpp, whatever the model's own tokenizer does. Only "
    "U+166D, U+2581, marks and punctuation that Unicode 16 added, and words of more than 500 characters, which are "
    "unknown here, are read otherwise there."
)
MAX_WORD = 500
"""Characters of the longest word. llama.cpp has no limit, but the time that tokenizers takes grows with the cube."""
DROPPED = {"type": "Replace", "pattern": {"Regex": r"[\p{M}\p{Cf}]"}, "content": ""}
SPACES = {"type": "Replace", "pattern": {"Regex": "[\u000b\u000c\u0085]"}, "content": " "}
"""What llama.cpp takes out of a text, and what it splits at, where BERT's own normalizer does not."""
ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)
"""An escape in a token of RWKV."""
HARMONY = frozenset({"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"})
"""Tokens that llama.cpp takes for user-defined ones."""
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
    gguf = replace(gguf, kinds=correct_kinds(gguf))
    match gguf.model:
        case "llama" | "t5":
            conversion = _sentencepiece(gguf, metadata)
        case "gpt2":
            conversion = _byte_level(gguf, metadata)
        case "gemma4":
            conversion = _characters(gguf, metadata)
        case "bert":
            conversion = _wordpiece(gguf, metadata)
        case "rwkv":
            conversion = _longest_match(gguf, metadata)
        case _:
            raise BadFile(f"The model {gguf.model[:40]!r} of the GGUF file is not supported; {join_names(MODELS)} are.")
    return replace(conversion, chat_template=gguf.chat_template)


MODELS = ("llama", "t5", "gpt2", "gemma4", "bert", "rwkv")


def correct_kinds(gguf: GgufTokenizer) -> tuple[Kind, ...]:
    """Return the kinds of all tokens as llama.cpp reads them: some it knows by their spelling, whatever the file says.

    >>> correct_kinds(GgufTokenizer("gpt2", ("a", "<|im_end|>"), ("normal", "normal")))
    ('normal', 'control')
    """
    kinds = list(gguf.kinds)
    around = {token for side in _edges(gguf) for token in side}
    for id, token in enumerate(gguf.tokens):
        if ENDS.fullmatch(token) or (token in around and kinds[id] == "normal"):
            kinds[id] = "control"
        elif token in HARMONY:
            kinds[id] = "user_defined"
    tokens = set(gguf.tokens)
    if "<|end|>" in tokens and ({"<|return|>", "<|call|>"} <= tokens or {"<|calls|>", "<|flush|>"} <= tokens):
        kinds[gguf.tokens.index("<|end|>")] = "user_defined"
    if "</s>" in tokens and not tokens.isdisjoint(("<|tool_response>", "<|plamo:eos|>")):
        kinds[gguf.tokens.index("</s>")] = "normal"
    return tuple(kinds)


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
    folds = gguf.model == "t5" and gguf.options.get("remove_extra_whitespaces", False)
    model = SentencePieceModel(
        tuple(map(ScoredPiece, gguf.tokens, scores, kinds)),
        algorithms[gguf.model],
        byte_fallback="byte" in kinds,
        add_dummy_prefix=folds or gguf.options.get("add_space_prefix", gguf.model == "llama"),
        remove_extra_whitespaces=folds,
        charsmap=gguf.charsmap,
    )
    check_pieces(model)
    return model


def _sentencepiece(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    """Describe a SentencePiece model whose user-defined tokens are matched before it.

    llama.cpp begins what follows such a token as it begins a text, with a space; SentencePiece itself does not.
    """
    added = {token: id for id, token in enumerate(gguf.tokens) if gguf.kinds[id] == "user_defined"}
    kinds: tuple[Kind, ...] = tuple("control" if kind == "user_defined" else kind for kind in gguf.kinds)
    model = convert_to_sentencepiece(replace(gguf, kinds=kinds))
    before, after = _edges(gguf)
    flags = {"add_bos_token": bool(before), "add_eos_token": bool(after)}
    names = dict(zip(("bos_token", "eos_token"), (*before, *after), strict=False)) if before else {}
    named = Metadata({**metadata.config, **flags}, metadata.class_name, {**metadata.variables, **names})
    conversion = describe(model, dump_model(model), named, ("sentencepiece", "scratch"))
    special = {token: id for token, id in conversion.special_tokens.items() if token not in added}
    return replace(conversion, special_tokens=special, spec={**conversion.spec, "added_tokens": added})


def _edges(gguf: GgufTokenizer) -> tuple[list[str], list[str]]:
    """Return the tokens that llama.cpp puts before and after a text."""
    rules = _find_rules(gguf)
    begins = gguf.options.get("add_bos_token", gguf.model == "llama" or rules.add_bos)
    ends = gguf.options.get("add_eos_token", gguf.model == "t5")
    always = rules.as_characters and rules.add_bos  # as in Gemma 4, whatever the file says
    return _find_role(gguf, "bos") if begins or always else [], _find_role(gguf, "eos") if ends else []


def _find_role(gguf: GgufTokenizer, role: str) -> list[str]:
    """Return the token of a role, by the id in the file or by llama.cpp's default id; none if there is no such id."""
    id = gguf.ids.get(role, DEFAULT_IDS.get(gguf.model, {}).get(role))
    return [] if id is None else [*gguf.tokens[id : id + 1]]


def _find_rules(gguf: GgufTokenizer) -> PreTokenizer:
    """Return what the name of the pre-tokenizer says; only byte-level vocabularies have one. Raises `BadFile`."""
    name = {"gpt2": gguf.pre, "gemma4": "gemma4"}.get(gguf.model, "")
    if name not in PRE_TOKENIZERS:
        known = join_names(filter(None, PRE_TOKENIZERS))
        raise BadFile(f"The pre-tokenizer {name[:40]!r} is not known; known are {known}.")
    return PRE_TOKENIZERS[name]


def _byte_level(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    rules = _find_rules(gguf)
    if rules.as_characters:
        return _characters(gguf, metadata)
    vocabulary, tokens = _list_tokens(gguf)
    spelled = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    before, after = _edges(gguf)
    top = document(
        bpe(vocabulary, gguf.merges, ignore_merges=rules.ignore_merges),
        tokens,
        pre_tokenizer=make_pre_tokenizer(rules.patterns),
        post_processor=make_template_processor(before, after, vocabulary),
        decoder=spelled,
    )
    notes = (f"The pre-tokenizer is {gguf.pre or 'default'}, as llama.cpp names it. {SINCE_16}", rules.differs)
    return make_conversion(top, metadata, *filter(None, notes))


def make_pre_tokenizer(patterns: Sequence[str]) -> Component:
    """Return the pre-tokenizer that applies patterns one after another, and spells bytes in GPT-2's alphabet."""
    *first, last = patterns
    return sequence("pretokenizers", [*map(make_isolated_split, first), *byte_level(pattern=last)["pretokenizers"]])


def _list_tokens(gguf: GgufTokenizer) -> tuple[dict[str, int], list[Component]]:
    """Return the ids of all tokens, and those that are matched before the model sees a text."""
    vocabulary = dict(zip(gguf.tokens, range(len(gguf.tokens)), strict=True))
    kinds = zip(gguf.tokens, gguf.kinds, strict=True)
    matched = ("control", "unknown", "user_defined")
    added = [(token, kind != "user_defined") for token, kind in kinds if kind in matched]
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
    config = {**metadata.config, "do_lower_case": True, "strip_accents": True}
    top: Component = bert(vocabulary, replace(metadata, config=config), [])
    top["model"]["max_input_chars_per_word"] = MAX_WORD
    top["normalizer"] = sequence("normalizers", [{"type": "NFD"}, DROPPED, SPACES, top["normalizer"]])
    top["pre_tokenizer"] = sequence("pretokenizers", [top["pre_tokenizer"], make_isolated_split(r"\p{P}")])
    return make_conversion(top, metadata, WORDPIECE)


def _longest_match(gguf: GgufTokenizer, metadata: Metadata) -> Conversion:
    """Convert RWKV's vocabulary, whose tokens are spelled with escapes, to the lines that RWKV has them in.

    All tokens are matched, of whatever type; special ones are also matched first, as they are spelled in the file.
    """

    def unescape(escape: re.Match[bytes]) -> bytes:
        byte = escape[1]
        return bytes([int(byte[1:], 16)]) if len(byte) == 3 else {b"t": b"\t", b"n": b"\n", b"r": b"\r"}.get(byte, byte)

    raws = enumerate(ESCAPE.sub(unescape, token.encode()) for token in gguf.tokens)
    conversion = from_rwkv("".join(f"{id} {raw!r} {len(raw)}\n" for id, raw in raws).encode(), metadata)
    by_kind: dict[Kind, dict[str, int]] = {}
    for id, token in enumerate(gguf.tokens):
        by_kind.setdefault(gguf.kinds[id], {})[token] = id
    special = by_kind.get("control", {}) | by_kind.get("unknown", {})
    return replace(conversion, special_tokens=special, spec={"added_tokens": by_kind.get("user_defined", {})})
