"""Convert a tokenizer of any format to a `tokenizer.json`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..errors import BadFile, plural
from ..formats.minbpe_model import load_minbpe
from ..formats.packed_json import NAME as PACKED
from ..formats.packed_json import load_packed
from ..formats.patterns import WHOLE, make_portable
from ..formats.sentencepiece_model import load_model
from ..formats.tiktoken_ranks import load_ranks
from ..scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ..store import Record
from .components import bpe, byte_level, document, make_template_processor, make_token_component, sequence
from .metadata import Metadata
from .sentencepiece_json import model_to_json
from .vocab_files import from_wordpiece

VOCAB = "vocab.txt"
SPELLED = dict(enumerate(ALPHABET))


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
    if VOCAB in names:
        return from_wordpiece(record.file(VOCAB), Metadata(config={"do_lower_case": True})).files["tokenizer.json"]
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
    template = file.header.get("post_processor") or make_template_processor(
        info.prefix, info.suffix, info.special_tokens
    )
    return json.dumps({**file.header, "post_processor": template, "model": model}, ensure_ascii=False).encode()


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
    spelled = {**byte_level(), "use_regex": False}
    splitter: dict[str, Any] = spelled
    if pattern not in ("", WHOLE):
        words = {"type": "Split", "pattern": {"Regex": make_portable(pattern)}, "behavior": "Removed", "invert": True}
        splitter = sequence("pretokenizers", [words, spelled])
    form = record.spec.get("normalizer")
    top = document(
        bpe(vocabulary, merges, ignore_merges=ignore_merges),
        added,
        normalizer={"type": form} if form else None,
        pre_tokenizer=splitter,
        post_processor=make_template_processor(info.prefix, info.suffix, info.special_tokens),
        decoder=spelled,
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
    return "".join(SPELLED[byte] for byte in token)
