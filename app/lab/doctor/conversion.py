"""Convert a tokenizer to another format, and prove on generated texts that it gives the same tokens."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Literal, get_args

from ...errors import BadFile, TokenariumError, listed
from ...formats.patterns import portable
from ...formats.tiktoken_patterns import GPT2
from ...formats.tiktoken_ranks import check_bytes, dump_ranks, load_ranks
from ...imported import record_from_files
from ...imported.built_json import around, bpe, document, sequence, token_of
from ...scratch.compat.pre_tokenizers import ALPHABET
from ...types import Tokenizer
from ..conformance import MAX_PIECES, texts
from ..tokenizers.adding import try_engines
from .findings import Subject
from .vocabulary import merges_of

Target = Literal["tokenizer.json", "tiktoken"]
TARGETS: tuple[Target, ...] = get_args(Target)
PROOF = 10_000
"""Number of texts on which a converted file must give the same ids before it is handed out."""
SPELLED = dict(enumerate(ALPHABET))
BYTES = {char: byte for byte, char in enumerate(ALPHABET)}


@dataclass(frozen=True, slots=True)
class Converted:
    """The converted files by name, the pattern that ranks need, and the number of texts they were proven on."""

    files: Mapping[str, bytes]
    pattern: str | None
    proven: int


def convert(subject: Subject, target: Target, *, count: int = PROOF) -> Converted:
    """Convert a tokenizer.

    Raises `BadFile` if the format cannot say what the tokenizer does, or if the result gives other tokens.
    """
    if target not in TARGETS:
        raise BadFile(f"{str(target)[:40]!r} is no format to convert to; valid are {listed(TARGETS)}.")
    if not subject.tokenizers:
        raise BadFile("No engine can read the file, so there is nothing to compare a conversion with.")
    make: dict[Target, Callable[[Subject], tuple[dict[str, bytes], str | None]]] = {
        "tokenizer.json": _to_json,
        "tiktoken": _to_ranks,
    }
    files, pattern = make[target](subject)
    record = record_from_files("converted", files, title="converted", pattern=pattern)
    (tokenizer, *_), _ = try_engines(record)
    prove(subject.tokenizers[0], tokenizer, count)
    return Converted(files, pattern, count)


def prove(theirs: Tokenizer, ours: Tokenizer, count: int) -> None:
    """Raise `BadFile` unless both give the same ids for so many generated texts."""
    size = theirs.info.vocab_size or 0
    entries = (theirs.entry(id).piece for id in range(0, size, max(1, size // MAX_PIECES)) if _known(theirs, id))
    drawn = texts(seed=0, pieces=[*entries], specials=[*theirs.info.special_tokens])
    for number, text in enumerate(islice(drawn, count), 1):
        try:
            expected = theirs.encode(text).ids.tolist()
        except TokenariumError:
            continue  # there is nothing to compare with
        if ours.encode(text).ids.tolist() != expected:
            raise BadFile(
                f"The converted file gives other tokens for text {number} of {count:,}; it is not handed out."
            )


def _known(tokenizer: Tokenizer, id: int) -> bool:
    try:
        return tokenizer.entry(id).kind == "normal"
    except TokenariumError:
        return False


def _to_json(subject: Subject) -> tuple[dict[str, bytes], str | None]:
    """Return a tokenizer.json: that which the record already is, or one of ranks."""
    if "tokenizer.json" in subject.record.data:
        return {"tokenizer.json": subject.record.data["tokenizer.json"]}, None
    spec = subject.record.spec
    if not isinstance(name := spec.get("ranks"), str):
        raise BadFile(f"{spec.get('kind')} cannot be converted to tokenizer.json here; byte-level vocabularies can.")
    ranks = load_ranks(subject.record.file(name))
    vocabulary = {_spelled(token): rank for token, rank in ranks.items()}
    merges = [
        tuple(map(_spelled, pair)) for token in sorted(ranks, key=ranks.__getitem__) if (pair := parents(token, ranks))
    ]
    model = bpe(vocabulary, [(left, right) for left, right in merges], ignore_merges=True)
    info = subject.record.info
    added = [token_of(token, id) for token, id in sorted(info.special_tokens.items(), key=lambda item: item[1])]
    words = {"type": "Split", "pattern": {"Regex": portable(spec["pattern"])}, "behavior": "Removed", "invert": True}
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    top = document(
        model,
        added,
        pre_tokenizer=sequence("pretokenizers", [words, spelled]),
        post_processor=around(info.prefix, info.suffix, info.special_tokens),
        decoder=spelled,
    )
    return {"tokenizer.json": json.dumps(top, ensure_ascii=False).encode()}, None


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


def _spelled(token: bytes) -> str:
    return "".join(SPELLED[byte] for byte in token)


def _to_ranks(subject: Subject) -> tuple[dict[str, bytes], str | None]:
    """Return ranks with a config that has the special tokens, and the pattern."""
    spec, info = subject.record.spec, subject.record.info
    if isinstance(name := spec.get("ranks"), str):
        return {"ranks.tiktoken": subject.record.file(name), **_config(info.special_tokens)}, spec["pattern"]
    model = subject.model
    if model.get("type") != "BPE" or subject.document.get("normalizer") is not None:
        raise BadFile("Ranks can say only byte-level BPE without a normalizer.")
    pattern = _pattern(subject.document.get("pre_tokenizer"))
    added = {entry.piece: id for id, entry in subject.entries.items() if entry.kind == "special"}
    try:
        ranks = {bytes(BYTES[char] for char in piece): id for piece, id in model["vocab"].items() if piece not in added}
    except KeyError:
        raise BadFile("A token of the vocabulary is not spelled in bytes, so it has no place among ranks.") from None
    check_bytes(ranks)
    made = [id for left, right in merges_of(subject) if (id := model["vocab"].get(left + right)) is not None]
    if made != sorted(made):
        raise BadFile("The merges are in another order than the ids of their results, which ranks cannot say.")
    return {"ranks.tiktoken": dump_ranks(ranks), **_config({**added, **info.special_tokens})}, pattern


def _config(specials: Mapping[str, int]) -> dict[str, bytes]:
    tokens = {str(id): {"content": token, "special": True} for token, id in specials.items()}
    config = {"tokenizer_class": "", "added_tokens_decoder": tokens}
    return {"tokenizer_config.json": json.dumps(config, ensure_ascii=False).encode()} if tokens else {}


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
            return portable(source)
    raise BadFile("Ranks have one pattern whose matches are the words; this pre-tokenizer does something else.")
