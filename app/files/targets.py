"""Convert a tokenizer of any format to a `tokenizer.json`, tiktoken’s ranks, a SentencePiece model or a `vocab.txt`.

What a format cannot say is refused with `BadFile`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..errors import BadFile, plural
from ..scratch.compat.pipeline.pre_tokenizers import ALPHABET, BYTE_OF
from ..store import Record
from ..types import TokenizerInfo
from .minbpe import load_minbpe
from .patterns import WHOLE, make_portable
from .sentencepiece.convert import json_to_model, model_to_json
from .sentencepiece.model import load_model
from .tiktoken.ranks import GPT2, check_bytes, dump_ranks, load_ranks
from .tokenizer_json.components import (
    SPELLED_BYTES,
    as_component,
    bpe,
    document,
    flatten,
    make_matching_split,
    make_template_processor,
    make_token_component,
)
from .tokenizer_json.convert import find_surrounding_ids
from .tokenizer_json.packed import NAME as PACKED
from .tokenizer_json.packed import load_packed

Files = dict[str, bytes]


def build_tokenizer_json(record: Record) -> bytes:
    """Return the tokenizer.json of a tokenizer of any format. Raises `BadFile` for what the format cannot say."""
    spec = record.spec
    info = record.info
    names = {*spec.get("files", {}), *record.data}
    if "tokenizer.json" in names:
        return record.file("tokenizer.json")
    if PACKED in names:
        return _unpack(record)
    if isinstance(name := spec.get("ranks"), str):
        ranks = load_ranks(record.file(name))
        pairs = [pair for token in sorted(ranks, key=ranks.__getitem__) if (pair := parents(token, ranks))]
        return _build_byte_level_json(record, ranks, pairs, record.pattern or "", ignore_merges=True)
    if "minbpe" in spec:
        model = load_minbpe(record.only_file())
        raws = model.vocabulary()
        pairs = [(raws[left], raws[right]) for left, right in model.merges]
        return _build_byte_level_json(record, map_ranks(raws), pairs, model.pattern, ignore_merges=False)
    if info.family == "longest-match":
        raise BadFile(f"No other format has the longest match, by which {info.title} finds tokens.")
    if not names:
        raise BadFile(f"{info.title} has no vocabulary: it makes its tokens without one, and no format says how.")
    return model_to_json(load_model(record.only_file()), info)


def _unpack(record: Record) -> bytes:
    """Return the tokenizer.json that was packed in columns, which may lack the tokens around a text."""
    info = record.info
    file = load_packed(record.file(PACKED))
    model = {**file.header["model"], "vocab": file.vocabulary, "merges": [[*pair] for pair in file.merges]}
    processor = file.header.get("post_processor")
    template = make_template_processor(info.prefix, info.suffix, info.special_tokens)
    if template and find_surrounding_ids(processor) == ([], []):  # a ByteLevel, which only sets offsets, or none
        processor = as_component("post_processor", [*flatten(processor, "post_processor"), template])
    return json.dumps({**file.header, "post_processor": processor, "model": model}, ensure_ascii=False).encode()


def map_ranks(raws: Sequence[bytes]) -> dict[bytes, int]:
    """Return the ids of tokens by their bytes. Raises `BadFile` if two tokens have the same."""
    ranks = {raw: id for id, raw in enumerate(raws)}
    if len(ranks) < len(raws):
        merges = plural(len(raws) - len(ranks), "merge makes", "merges make")
        raise BadFile(f"{merges} a token that another merge makes, which has one id there.")
    return ranks


def _build_byte_level_json(
    record: Record,
    ranks: Mapping[bytes, int],
    pairs: Iterable[tuple[bytes, bytes]],
    pattern: str,
    *,
    ignore_merges: bool,
) -> bytes:
    """Return the tokenizer.json of byte-level BPE."""
    vocabulary = {_spell_bytes(token): rank for token, rank in ranks.items()}
    merges = [(_spell_bytes(left), _spell_bytes(right)) for left, right in pairs]
    info = record.info
    plain = {token: id for token, id in info.added_tokens.items() if token not in info.special_tokens}
    specials = sorted({**info.special_tokens, **plain}.items(), key=lambda item: item[1])
    added = [
        make_token_component(token, id, special=token not in plain) | {"normalized": False} for token, id in specials
    ]
    if [id for _, id in specials] != [*range(len(vocabulary), len(vocabulary) + len(specials))]:
        vocabulary |= specials  # the library gives added tokens the ids behind the vocabulary, unless it has them
    words = [] if pattern in ("", WHOLE) else [make_matching_split(make_portable(pattern))]
    form = record.spec.get("normalizer")
    top = document(
        bpe(vocabulary, merges, ignore_merges=ignore_merges),
        added,
        normalizer={"type": form} if form else None,
        pre_tokenizer=as_component("pre_tokenizer", [*words, SPELLED_BYTES]),
        post_processor=make_template_processor(info.prefix, info.suffix, info.special_tokens),
        decoder=SPELLED_BYTES,
    )
    return json.dumps(top, ensure_ascii=False).encode()


def parents(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """Return the two tokens that the last merge of a token joins; None if merges of lower ranks do not make it.

    >>> parents(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"abc": 4})
    (b'ab', b'c')
    """
    parts = [token[i : i + 1] for i in range(len(token))]
    own = ranks[token]
    while len(parts) > 2:
        pairs = [ranks.get(left + right, own) for left, right in pairwise(parts)]
        lowest = min(pairs)
        if lowest >= own:
            return None
        at = pairs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return (parts[0], parts[1]) if len(parts) == 2 else None


def _spell_bytes(token: bytes) -> str:
    return "".join(ALPHABET[byte] for byte in token)


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
    specials: Mapping[str, int] = {}
    if isinstance(name := spec.get("ranks"), str):
        ranks, pattern = record.file(name), spec["pattern"]
    elif "minbpe" in spec:
        minbpe = load_minbpe(record.only_file())
        ranks, pattern = dump_ranks(map_ranks(minbpe.vocabulary())), minbpe.pattern or WHOLE
    else:
        specials = dict(special)
        ranks, pattern = _rank(document, specials)
    return {"ranks.tiktoken": ranks, **_config(info, {**specials, **info.special_tokens}, pattern)}, pattern


def _rank(document: Mapping[str, Any], specials: Mapping[str, int]) -> tuple[bytes, str]:
    """Return the ranks and the pattern of a tokenizer.json with these special tokens. Raises `BadFile`."""
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
    normal = {piece: id for piece, id in model["vocab"].items() if piece not in specials}
    try:
        ranked = {bytes(BYTE_OF[char] for char in piece): id for piece, id in normal.items()}
    except KeyError:
        raise BadFile("A token of the vocabulary is not spelled in bytes, so it has no place among ranks.") from None
    check_bytes(ranked)
    made = [id for left, right in list_merges(model) if (id := model["vocab"].get(left + right)) is not None]
    if made != sorted(made):
        raise BadFile("The merges are in another order than the ids of their results, which ranks cannot say.")
    return dump_ranks(ranked), pattern


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
