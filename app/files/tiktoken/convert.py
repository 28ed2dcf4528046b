"""Byte-level vocabularies in ranks files: tiktoken's, Mistral's tekken.json, Anthropic's claude.json, minbpe's."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import BadFile
from ..conversion import Conversion, Metadata
from ..json_objects import read_json
from ..minbpe import load_minbpe
from ..patterns import WHOLE, check_pattern_complexity
from .ranks import MAX_RANK, check_bytes, choose_preset, decode_token, dump_ranks, load_claude_json, load_ranks

RANKS = "ranks.tiktoken"
MODEL = "minbpe.model"
NFKC = "Unicode normalization form NFKC: characters become the ones they are compatible with, so that ﬁ is two letters."


def conversion(
    ranks: Mapping[bytes, int],
    pattern: str,
    specials: Mapping[str, int],
    *,
    data: bytes | None = None,
    prefix: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
) -> Conversion:
    """Return the conversion of ranks with their pattern. Raises `BadFile` for a pattern that is too complex."""
    check_pattern_complexity(pattern)
    taken = {*ranks.values()}
    kept = {token: id for token, id in specials.items() if id not in taken and 0 <= id <= MAX_RANK}
    if dropped := [token for token in specials if token not in kept]:
        notes += (f"{len(dropped)} special tokens, the first {dropped[0][:40]!r}, have ids of ranks and are left out.",)
    ids = {*taken, *kept.values()}
    return Conversion(
        "bpe",
        ("tiktoken", "scratch"),
        {RANKS: dump_ranks(ranks) if data is None else data},
        max(ids) + 1,
        gaps=max(ids) + 1 - len(ids),
        lossless=True,
        normalization="",
        special_tokens=kept,
        prefix=tuple(token for token in prefix if token in kept),
        notes=notes,
        spec={"ranks": RANKS, "pattern": pattern},
    )


def from_ranks(data: bytes, metadata: Metadata) -> Conversion:
    """Read a ranks file; its pattern and special tokens come from the files beside it, or from what is published."""
    ranks = load_ranks(data)
    preset, why = choose_preset(len(ranks), metadata.class_name)
    notes = (why,) if metadata.pattern is None else ()
    own = {token: id for token, id in metadata.added.items() if token in metadata.special}
    before = metadata.variables.get("bos_token", "")
    prefix = (before,) if before and metadata.flag("add_bos_token", False) else ()
    pattern = metadata.pattern or preset.pattern
    return conversion(ranks, pattern, own or preset.special_tokens, data=data, prefix=prefix, notes=notes)


def from_tekken(data: bytes, metadata: Metadata) -> Conversion:
    """Read a `tekken.json`: the ids of its ranks begin after those of its special tokens."""
    top = read_json(data)
    config = top["config"]
    size, count = (_count(config.get(name), name) for name in ("default_vocab_size", "default_num_special_tokens"))
    if not isinstance(pattern := metadata.pattern or config.get("pattern"), str):
        raise BadFile("The config of the file has no pattern.")
    ranks: dict[bytes, int] = {}
    for number, entry in enumerate(top["vocab"]):
        if number + count >= size:
            break
        raw = _token(entry, number)
        if raw in ranks:
            raise BadFile(f"Entry {number} of the vocabulary repeats the token of entry {ranks[raw] - count}.")
        ranks[raw] = number + count
    check_bytes(ranks)
    specials = _tekken_specials(top, count)
    prefix = tuple(token for token in ("<s>",) if token in specials)
    return conversion(ranks, pattern, specials, prefix=prefix)


def _count(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value <= MAX_RANK:
        raise BadFile(f"The config of the file has no valid {name}.")
    return value


def _token(entry: Any, number: int) -> bytes:
    """Return the bytes of an entry, whose rank must be its place."""
    spelled = entry.get("token_bytes") if isinstance(entry, dict) else None
    if not isinstance(spelled, str) or (spelled and not (raw := decode_token(spelled))):
        raise BadFile(f"Entry {number} of the vocabulary has no token_bytes in base64.")
    rank = entry.get("rank", number)
    if not spelled or rank != number:
        raise BadFile(f"Entry {number} of the vocabulary has the rank {str(rank)[:20]}, or no bytes.")
    return raw


DEFAULT_SPECIALS = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""The special tokens of versions that do not list them."""


def _tekken_specials(top: Mapping[str, Any], count: int) -> dict[str, int]:
    listed = top.get("special_tokens")
    if not isinstance(listed, list):
        named = [*DEFAULT_SPECIALS[:count]]
        return {token: id for id, token in enumerate([*named, *(f"<SPECIAL_{id}>" for id in range(len(named), count))])}
    pairs = [(item.get("token_str"), item.get("rank")) for item in listed if isinstance(item, dict)]
    return {token: id for token, id in pairs if isinstance(token, str) and token and type(id) is int and id < count}


def from_claude(data: bytes, metadata: Metadata) -> Conversion:
    """Read a `claude.json`, or another file with packed ranks, a pattern and special tokens."""
    packed = load_claude_json(data)
    read = conversion(packed.ranks, metadata.pattern or packed.pattern, packed.special_tokens)
    if "<EOT>" not in packed.special_tokens:
        return read
    # Anthropic's library does so before it applies the ranks, though its file does not say it.
    return replace(read, lossless=False, normalization=NFKC, spec={**read.spec, "normalizer": "NFKC"})


def from_minbpe(data: bytes, metadata: Metadata) -> Conversion:
    """Read a model of minbpe; its ids are bytes, then merges, then special tokens."""
    model = load_minbpe(data)
    specials = model.special_tokens or {}
    size = max([255 + len(model.merges), *specials.values()]) + 1
    return Conversion(
        "bpe",
        ("scratch",),
        {MODEL: data},
        size,
        lossless=model.pattern in ("", WHOLE),
        normalization="" if model.pattern in ("", WHOLE) else "What the pattern does not match is left out.",
        special_tokens=specials,
        spec={"minbpe": MODEL},
    )
