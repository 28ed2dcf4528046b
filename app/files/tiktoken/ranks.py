"""The tiktoken ranks file: a byte-level BPE vocabulary, one `base64-of-the-token rank` per line.

A token's rank is both its id and the priority of the merge that makes it: of two possible merges, the one with the
lower rank goes first. Ranks may start above 0 and leave gaps for special tokens.

The pattern and the special tokens that belong to such a file are not in it, and are found here. In `claude.json`, the
tokenizer of Claude 1 and 2, and other files of its kind, the same ranks are packed in JSON.

They are chosen by the number of ranks, which differs between the published vocabularies, or by the tokenizer class of
the config beside the file.

A line of `bpe_ranks` is `! first-rank token token …` with the tokens in base64 and ranks counting up. npm's package
tiktoken uses the same form for OpenAI's vocabularies.
"""

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import BadFile, plural
from ...store import Record

MAX_RANK = 9_999_999
"""The largest rank accepted, so that tables indexed by id stay small."""
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{REST}"
QWEN2 = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}|{REST}"
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
START = r"[^\r\n\p{L}\p{N}]?"
O200K = (
    rf"{START}{UPPER}*{LOWER}+{CONTRACTIONS}?|{START}{UPPER}+{LOWER}*{CONTRACTIONS}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Kimi's own pattern intersects its classes with "not Han"; a look-ahead before each character says the same.
NOT_HAN_UPPER = rf"(?:(?!\p{{Han}}){UPPER})"
NOT_HAN_LOWER = rf"(?:(?!\p{{Han}}){LOWER})"
KIMI = (
    rf"\p{{Han}}+|{START}{NOT_HAN_UPPER}*{NOT_HAN_LOWER}+{CONTRACTIONS}?"
    rf"|{START}{NOT_HAN_UPPER}+{NOT_HAN_LOWER}*{CONTRACTIONS}?|\p{{N}}{{1,3}}|{REST}"
)
PUBLISHED = re.compile(rb"(?:(?! )(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?+ [0-9]{1,7}\n)++")
"""A ranks file of complete lines alone, each with a token in base64 and a rank."""
KEYS = {"pat_str": str, "special_tokens": dict, "bpe_ranks": str}


@dataclass(frozen=True, slots=True)
class RanksPreset:
    """The name of a vocabulary, its pattern, and its special tokens, whose ids follow the ranks if none are listed."""

    name: str
    pattern: str
    special_tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PackedRanks:
    """The contents of a file: ranks, the pattern that is applied before, and special tokens."""

    ranks: Mapping[bytes, int]
    pattern: str
    special_tokens: Mapping[str, int]


def load_ranks(data: bytes) -> dict[bytes, int]:
    r"""Read the tokens of a ranks file and their ranks, in the file's order. Empty lines are skipped.

    >>> single_bytes = dump_ranks({bytes([value]): value for value in range(256)})
    >>> load_ranks(single_bytes + b"SGVsbG8= 256\n")[b"Hello"]
    256

    Raises `BadFile`, with the number of the line, for a line that is not a token and a rank, for a repeated token or
    rank, and for a rank above `MAX_RANK`; and for a vocabulary without one of the 256 single bytes.
    """
    ranks = _load_published(data)
    if ranks:
        check_bytes(ranks)
        return ranks
    used_ranks: set[int] = set()
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        token, rank = _read_line(line, number)
        if token in ranks:
            raise BadFile(f"Line {number} repeats the token {token!r}, which already has the rank {ranks[token]}.")
        if rank in used_ranks:
            raise BadFile(f"Line {number} repeats the rank {rank}.")
        used_ranks.add(rank)
        ranks[token] = rank
    check_bytes(ranks)
    return ranks


def _load_published(data: bytes) -> dict[bytes, int]:
    """Return the ranks of a file as it is published, in a third of the time that its lines take; of any other none."""
    if not PUBLISHED.fullmatch(data):
        return {}
    words = data.split()
    ranks = dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
    distinct = 2 * len(ranks) == 2 * len({*ranks.values()}) == len(words)
    return ranks if distinct and max(ranks.values()) <= MAX_RANK else {}


def decode_token(base64: str | bytes) -> bytes:
    """Return the bytes that base64 spells; none if it is not valid.

    >>> decode_token("SGk="), decode_token("SGk")
    (b'Hi', b'')
    """
    try:
        return a2b_base64(base64, strict_mode=True)
    except ValueError:
        return b""


def check_bytes(ranks: Mapping[bytes, int]) -> None:
    """Raise `BadFile` unless each of the 256 single bytes has a rank."""
    for value in range(256):
        if bytes([value]) not in ranks:
            raise BadFile(f"The byte 0x{value:02X} is missing: of {plural(len(ranks), 'line')}, none gives it a rank.")


def read_ranks(record: Record) -> dict[bytes, int]:
    """Return the byte-level BPE ranks of a record that has a ranks file. Raises `BadFile`."""
    return load_ranks(record.file(record.spec["ranks"]))


def dump_ranks(ranks: Mapping[bytes, int]) -> bytes:
    r"""Write a ranks file, lowest rank first, every line ended: byte for byte what OpenAI publishes.

    >>> dump_ranks({b"Hello": 256, b"!": 0})
    b'IQ== 0\nSGVsbG8= 256\n'
    """
    in_order = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(b"%s %d\n" % (b64encode(token), rank) for token, rank in in_order)


def _read_line(line: bytes, number: int) -> tuple[bytes, int]:
    base64, _, digits = line.partition(b" ")
    token = decode_token(base64)
    if base64 and not token:
        raise BadFile(f"Line {number} does not start with a token in base64: {_excerpt(line)}.")
    if not token or not digits.isdigit():
        raise BadFile(f"Line {number} is not a token in base64, a space and a rank: {_excerpt(line)}.")
    if len(digits) > 7:  # checked as text, since int() of a long text is slow
        raise BadFile(f"Line {number} has the rank {_excerpt(digits)}; the largest valid rank is {MAX_RANK}.")
    return token, int(digits)


def _excerpt(line: bytes) -> str:
    return repr(line if len(line) <= 40 else line[:40] + b"...")[1:]


def _number_tokens(first: int, tokens: list[str]) -> dict[str, int]:
    return {token: id for id, token in enumerate(tokens, first)}


def _llama3(first: int) -> dict[str, int]:
    named = ["<|begin_of_text|>", "<|end_of_text|>", "<|reserved_special_token_0|>", "<|reserved_special_token_1|>"]
    named += ["<|finetune_right_pad_id|>", "<|step_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>"]
    named += ["<|eot_id|>", "<|python_tag|>"]
    reserved = [f"<|reserved_special_token_{number}|>" for number in range(2, 2 + 256 - len(named))]
    return _number_tokens(first, [*named, *reserved])


FIM = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}
PRESETS: Mapping[int, RanksPreset] = {
    50256: RanksPreset("gpt2", GPT2, {"<|endoftext|>": 50256}),
    50257: RanksPreset("whisper", GPT2),
    50280: RanksPreset("p50k_base", GPT2, {"<|endoftext|>": 50256}),
    100256: RanksPreset("cl100k_base", CL100K, {"<|endoftext|>": 100257, **FIM, "<|endofprompt|>": 100276}),
    128000: RanksPreset("Llama 3", CL100K, _llama3(128000)),
    151643: RanksPreset("Qwen 2 and 3", QWEN2, _number_tokens(151643, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])),
    163584: RanksPreset("Kimi K2", KIMI),
    199998: RanksPreset("o200k_base", O200K, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}),
    200000: RanksPreset("Llama 4", O200K),
}
"""Published vocabularies by the number of their ranks."""
CLASSES: Mapping[str, RanksPreset] = {
    "QWenTokenizer": RanksPreset("Qwen", QWEN2),
    "Qwen2Tokenizer": RanksPreset("Qwen 2", QWEN2),
    "TikTokenTokenizer": RanksPreset("Kimi K2", KIMI),
    "GPT2Tokenizer": RanksPreset("gpt2", GPT2),
    "WhisperTokenizer": RanksPreset("whisper", GPT2),
    "LlamaTokenizer": RanksPreset("Llama 3", CL100K),
    "GPTNeoXTokenizer": RanksPreset("GPT-NeoX", GPT2),
    "ChatGLM4Tokenizer": RanksPreset("GLM 4", CL100K),
}
"""Tokenizers of `transformers` that read a ranks file, by `tokenizer_class`."""


def choose_preset(count: int, class_name: str) -> tuple[RanksPreset, str]:
    """Return the preset of a ranks file, and a note on why it was chosen.

    >>> choose_preset(100256, "")[0].name, choose_preset(300, "Qwen2Tokenizer")[1]
    ('cl100k_base', 'The pattern is that of Qwen 2, chosen by the tokenizer_class Qwen2Tokenizer.')
    """
    if preset := PRESETS.get(count):
        return preset, f"The pattern is that of {preset.name}, chosen by the {count:,} ranks."
    if preset := CLASSES.get(class_name):
        return preset, f"The pattern is that of {preset.name}, chosen by the tokenizer_class {class_name}."
    guess = RanksPreset("cl100k_base", CL100K)
    return guess, "The pattern is a guess, that of cl100k_base: a ranks file has none. Pass the right one with it."


def load_claude_json(data: bytes) -> PackedRanks:
    r"""Read a file.

    >>> from base64 import b64encode
    >>> letters = " ".join(b64encode(bytes([value])).decode() for value in range(256))
    >>> file = {"pat_str": ".", "special_tokens": {"<EOT>": 0}, "bpe_ranks": f"! 1 {letters}\n! 300 SGk="}
    >>> load_claude_json(json.dumps(file).encode()).ranks[b"Hi"]
    300

    Raises `BadFile` for invalid JSON, a missing key, or a token, rank or id that is invalid or repeated.
    """
    try:
        top = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise BadFile("The file is not JSON in UTF-8.") from error
    for key, kind in KEYS.items():
        if not isinstance(top, dict) or not isinstance(top.get(key), kind):
            raise BadFile(f"The file has no {key} of type {kind.__name__}.")
    ranks = _unpack_ranks(top["bpe_ranks"])
    check_bytes(ranks)
    return PackedRanks(ranks, top["pat_str"], _specials(top["special_tokens"], ranks))


def _unpack_ranks(packed: str) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    used: set[int] = set()
    for number, line in enumerate(packed.splitlines(), 1):
        mark, _, rest = line.partition(" ")
        first, *tokens = rest.split(" ")
        if mark != "!" or not tokens or not first.isascii() or not first.isdigit() or len(first) > 7:
            raise BadFile(f"Line {number} of bpe_ranks does not begin with !, a rank and a token.")
        for rank, token in enumerate(tokens, int(first)):
            if not (raw := decode_token(token)):
                raise BadFile(f"The token of rank {rank} is not base64: {token[:40]!r}.")
            if raw in ranks or rank in used or rank > MAX_RANK:
                raise BadFile(f"Rank {rank} or its token {raw[:40]!r} is repeated or too large.")
            ranks[raw] = rank
            used.add(rank)
    return ranks


def _specials(tokens: dict[str, Any], ranks: Mapping[bytes, int]) -> dict[str, int]:
    used = {*ranks.values()}
    for token, id in tokens.items():
        if not token or type(id) is not int or not 0 <= id <= MAX_RANK or id in used:
            raise BadFile(f"The special token {token[:40]!r} has no valid id of its own.")
        used.add(id)
    return tokens
