"""Convert a tokenizer to tiktoken’s ranks, a SentencePiece model or a `vocab.txt`, each with a config beside it.

What a format cannot say is refused with `BadFile`.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import BadFile
from ..formats.minbpe_model import load_minbpe
from ..formats.patterns import WHOLE, make_portable
from ..formats.tiktoken_patterns import GPT2
from ..formats.tiktoken_ranks import check_bytes, dump_ranks
from ..scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ..store import Record
from ..types import TokenizerInfo
from .record_json import map_ranks
from .sentencepiece_json import json_to_model

Files = dict[str, bytes]
BYTES = {char: byte for byte, char in enumerate(ALPHABET)}


def to_ranks(
    record: Record, document: Mapping[str, Any], special: Iterable[tuple[str, int]]
) -> tuple[Files, str | None]:
    """Return ranks with a config that has the special tokens, and the pattern.

    `special` are the special tokens of a vocabulary that is not ranks yet.
    """
    spec = record.spec
    info = record.info
    if form := spec.get("normalizer"):
        raise BadFile(f"Ranks cannot say that a text is normalized first, which brings it into the form {form} here.")
    if isinstance(name := spec.get("ranks"), str):
        return {
            "ranks.tiktoken": record.file(name),
            **_config(info, info.special_tokens, spec["pattern"]),
        }, spec["pattern"]
    if "minbpe" in spec:
        minbpe = load_minbpe(record.only_file())
        ranks = dump_ranks(map_ranks(minbpe.vocabulary()))
        pattern = minbpe.pattern or WHOLE
        return {"ranks.tiktoken": ranks, **_config(info, info.special_tokens, pattern)}, pattern
    model = _model(document)
    if model.get("type") != "BPE":
        raise BadFile(f"Ranks can say only byte-level BPE; this model is {model.get('type')}.")
    if normalizer := document.get("normalizer"):
        raise BadFile(f"Ranks cannot say that a text is normalized first, which {normalizer.get('type')} does here.")
    for token in document.get("added_tokens") or []:
        if not token.get("special", False):
            name = token.get("content")
            raise BadFile(f"Ranks cannot say that {name!r} is one token in every text without being special.")
    pattern = _pattern(document.get("pre_tokenizer"))
    added = dict(special)
    normal = {piece: id for piece, id in model["vocab"].items() if piece not in added}
    try:
        ranked = {bytes(BYTES[char] for char in piece): id for piece, id in normal.items()}
    except KeyError:
        raise BadFile("A token of the vocabulary is not spelled in bytes, so it has no place among ranks.") from None
    check_bytes(ranked)
    made = [id for left, right in list_merges(model) if (id := model["vocab"].get(left + right)) is not None]
    if made != sorted(made):
        raise BadFile("The merges are in another order than the ids of their results, which ranks cannot say.")
    return {
        "ranks.tiktoken": dump_ranks(ranked),
        **_config(info, {**added, **info.special_tokens}, pattern),
    }, pattern


def to_model(record: Record) -> Files:
    """Return a SentencePiece model, with a config that names the tokens around a text."""
    if (data := record.data.get("tokenizer.model")) is not None:
        return {"tokenizer.model": data, **_config(record.info, {})}
    if (data := record.data.get("tokenizer.json")) is None:
        raise BadFile("SentencePiece has no byte-level vocabularies: its pieces are texts.")
    return json_to_model(data, record.info)


def to_vocab(record: Record, document: Mapping[str, Any]) -> Files:
    """Return a `vocab.txt` with a config: BERT's tokenizer, of which only the normalizer has options."""
    model = _model(document)
    if model.get("type") != "WordPiece" or model.get("continuing_subword_prefix", "##") != "##":
        raise BadFile("A vocab.txt is of BERT's tokenizer: WordPiece with ## before the tokens that continue a word.")
    normalizer = document.get("normalizer") or {}
    splitter = document.get("pre_tokenizer") or {}
    if (normalizer.get("type"), splitter.get("type")) != ("BertNormalizer", "BertPreTokenizer"):
        raise BadFile("A vocab.txt says neither normalizer nor pre-tokenizer: they must be BERT's.")
    if not normalizer.get("clean_text", True) or model.get("max_input_chars_per_word", 100) != 100:
        raise BadFile("A vocab.txt cannot say that control characters are kept, nor the length of the longest word.")
    vocabulary: dict[str, int] = model["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[token] for token in tokens] != [*range(len(tokens))]:
        raise BadFile("The ids leave gaps, which a vocab.txt cannot say: an id is the number of a line.")
    if broken := [token for token in tokens if not token or "\n" in token or token.endswith("\r")]:
        raise BadFile(f"The token {broken[0][:40]!r} is no line of a file.")
    return {
        "vocab.txt": "".join(f"{token}\n" for token in tokens).encode(),
        **_bert_config(record.info, model, normalizer),
    }


def _bert_config(info: TokenizerInfo, model: Mapping[str, Any], normalizer: Mapping[str, Any]) -> Files:
    names = {f"{role}_token": f"[{role.upper()}]" for role in ("unk", "sep", "pad", "cls", "mask")}
    names |= {"unk_token": model["unk_token"]}
    names |= {name: side[0] for name, side in (("cls_token", info.prefix), ("sep_token", info.suffix)) if side}
    special = {*info.special_tokens}
    config = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": normalizer.get("lowercase", True),
        "strip_accents": normalizer.get("strip_accents"),
        "tokenize_chinese_chars": normalizer.get("handle_chinese_chars", True),
        **{name: token for name, token in names.items() if token in special or name == "unk_token"},
        "additional_special_tokens": sorted(special - {*names.values()}),
    }
    return {"tokenizer_config.json": json.dumps(config, ensure_ascii=False).encode()}


def _config(info: TokenizerInfo, specials: Mapping[str, int], pattern: str | None = None) -> Files:
    """Return a config with special tokens, those that stand around a text, and a pattern; none if there are none."""
    tokens = {str(id): {"content": token, "special": True} for token, id in specials.items()}
    edges = {f"{name}_token": side[0] for name, side in (("bos", info.prefix), ("eos", info.suffix)) if side}
    flags = {f"add_{name}": True for name in edges}
    config = {"tokenizer_class": "", "added_tokens_decoder": tokens, **edges, **flags}
    config |= {"pat_str": pattern} if pattern else {}
    used = tokens or edges or pattern
    return {"tokenizer_config.json": json.dumps(config, ensure_ascii=False).encode()} if used else {}


def _pattern(spec: Any) -> str:
    """Return the one pattern of a byte-level pre-tokenizer. Raises `BadFile` for any other."""
    parts = spec.get("pretokenizers", [spec]) if isinstance(spec, dict) else []
    kinds = [part.get("type") for part in parts]
    spaces = any(part.get("add_prefix_space") for part in parts)
    if kinds == ["ByteLevel"] and parts[0].get("use_regex", True) and not spaces:
        return GPT2
    if kinds == ["Split", "ByteLevel"] and not parts[1].get("use_regex", True) and not spaces:
        source = parts[0].get("pattern", {}).get("Regex")
        whole = parts[0].get("behavior") == "Isolated" or parts[0].get("invert")
        if isinstance(source, str) and whole:
            return make_portable(source)
    raise BadFile("Ranks have one pattern whose matches are the words; this pre-tokenizer does something else.")


def _model(document: Mapping[str, Any]) -> Mapping[str, Any]:
    model = document.get("model")
    return model if isinstance(model, dict) else {}


def list_merges(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the merges of the model of a tokenizer.json, which are pairs or texts with a space."""
    merges = model.get("merges")
    pairs = [item.split(" ", 1) if isinstance(item, str) else item for item in merges or ()]
    return [(pair[0], pair[1]) for pair in pairs if isinstance(pair, list) and len(pair) == 2]
