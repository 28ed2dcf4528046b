"""What kind of tokenizer some files are, and which file holds what.

The content decides what is a tokenizer: a `tokenizer.model` may be a SentencePiece model or a tiktoken ranks file, and
a `vocab.json` the vocabulary of a BPE model or a whole tokenizer. What lies beside it has the role of its name, if that
is a usual one. Detection reads only what tells the kinds apart; the reader of each kind checks the rest.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from ..errors import BadFile, join_names
from .json_objects import decode_text, read_json
from .protobuf import BYTES, fields

Kind = Literal[
    "tokenizer.json",
    "tekken",
    "sentencepiece",
    "tiktoken",
    "claude",
    "gguf",
    "vocab-merges",
    "wordpiece",
    "minbpe",
    "rwkv",
]
"""Formats of tokenizers; of several in one folder, the first in this order is used."""
Role = Literal["vocabulary", "merges", "config", "special_tokens_map", "added_tokens", "chat_template", "model_config"]
"""What a file that is no tokenizer by itself holds: the parts of `vocab-merges`, and metadata beside a tokenizer."""
KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES: tuple[Role, ...] = get_args(Role)
TITLES: Mapping[Kind, str] = {
    "tokenizer.json": "tokenizer.json of Hugging Face",
    "tekken": "tekken.json of Mistral",
    "sentencepiece": "SentencePiece .model",
    "tiktoken": "tiktoken ranks",
    "claude": "claude.json of Anthropic",
    "gguf": "GGUF",
    "vocab-merges": "vocab.json with merges.txt",
    "wordpiece": "vocab.txt",
    "minbpe": "minbpe .model",
    "rwkv": "RWKV vocabulary",
}
USUAL_NAMES: Mapping[str, Role] = {
    "tokenizer_config.json": "config",
    "special_tokens_map.json": "special_tokens_map",
    "added_tokens.json": "added_tokens",
    "config.json": "model_config",
    "merges.txt": "merges",
    "chat_template.jinja": "chat_template",
}
"""Names of files beside a tokenizer by which `transformers` finds them, whatever they contain."""
FIRST_NAMES = frozenset({*USUAL_NAMES, "tokenizer.json", "vocab.json"})
"""Names of files that are used before others of the same kind or role."""
SPECIAL_NAMES = frozenset(f"{name}_token" for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))
CONFIG_KEYS = frozenset({
    *SPECIAL_NAMES,
    *("tokenizer_class", "added_tokens_decoder", "model_max_length", "clean_up_tokenization_spaces", "add_bos_token"),
    *("do_lower_case", "chat_template", "add_prefix_space"),
})  # fmt: skip
RANKS_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} \d{1,7}")
RWKV_LINE = re.compile(rb"\d{1,7} b?(?:'.+'|\".+\") \d{1,4}")
MERGE_LINE = re.compile(r"\S+ \S+")
TEMPLATE = re.compile(r"\{[%{][-+]?\s*\w")
SAMPLE = 20
"""The number of lines that decide what kind of text a file is."""


@dataclass(frozen=True, slots=True)
class TokenizerFiles:
    """The kind of a tokenizer, the name of its main file, and the names of the files beside it, by role.

    - `others`: further tokenizers among the files, which are not used, by kind.
    - `notes`: sentences about what was found.
    """

    kind: Kind
    main: str
    companions: Mapping[Role, str] = field(default_factory=dict)
    others: Mapping[Kind, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def detect(files: Mapping[str, bytes]) -> TokenizerFiles:
    r"""Return which kind of tokenizer some files are, given as a mapping from names to contents.

    >>> detect({"a.bin": b"IQ== 0\nIg== 1\n", "b": b'{"tokenizer_class": "X"}'})
    TokenizerFiles(kind='tiktoken', main='a.bin', companions={'config': 'b'}, others={}, notes=())

    Raises `BadFile` if no file is a tokenizer, saying what each is instead.
    """
    kinds: dict[Kind, str] = {}
    roles: dict[Role, str] = {}
    causes: list[str] = []
    notes: list[str] = []
    for name in sorted(files, key=_rank):
        what = _detect_or_explain(files[name], name, causes)
        if what == "vocabulary" and "vocabulary" in roles:
            _add_vocabulary(roles, name, files)
        roles |= {role: name for role in ROLES if role == what and role not in roles}
        if what in kinds:
            used = next(kind for kind in kinds if kind == what)
            notes.append(f"{_short(name)} is another {TITLES[used]}; {_short(kinds[used])} is used.")
        kinds |= {kind: name for kind in KINDS if kind == what and kind not in kinds}
    if "vocabulary" in roles and "merges" in roles:
        kinds["vocab-merges"] = roles["vocabulary"]
    if not kinds:
        if "vocabulary" in roles and not _numbers_from_zero(files[roles["vocabulary"]]):
            name = roles.pop("vocabulary")
            detail = "It maps names to numbers, but is no vocabulary: the ids of one are 0, 1, 2 and so on."
            causes.insert(0, f"{_short(name)}: {detail}")
        raise BadFile(_explain_nothing(files, roles, causes))
    kind = min(kinds, key=KINDS.index)
    if kind != "vocab-merges" and "vocabulary" in roles and not _numbers_from_zero(files[roles["vocabulary"]]):
        roles.setdefault("added_tokens", roles.pop("vocabulary"))  # a mapping from tokens to ids, as both are
    main = kinds.pop(kind)
    if kinds:
        notes.append(f"{_short(main)} is used; beside it there is also {join_names(TITLES[other] for other in kinds)}.")
    return TokenizerFiles(kind, main, roles, kinds, tuple(notes))


def _detect_or_explain(data: bytes, name: str, causes: list[str]) -> Kind | Role | None:
    """Return what a file is; of a damaged one the role of its name, whose reader says so, and append the cause."""
    try:
        return detect_role(data, name)
    except BadFile as error:
        causes.append(f"{_short(name)}: {error.detail}")
        return _usual_role(name)


def _rank(name: str) -> tuple[int, bool, str]:
    """Return a key that sorts files so that of equal ones the first is used: in the outer folder, of a usual name."""
    return name.count("/"), PurePosixPath(name).name not in FIRST_NAMES, name


def _usual_role(name: str) -> Role | None:
    return USUAL_NAMES.get(PurePosixPath(name).name)


def detect_role(data: bytes, name: str = "") -> Kind | Role:
    r"""Return what one file is; one that is no tokenizer has the role of its name, if that is a usual one.

    >>> detect_role(b"minbpe v1\n\n0\n"), detect_role(b'{"a": 0}'), detect_role(b"#version: 0.2\na b\n")
    ('minbpe', 'vocabulary', 'merges')
    >>> detect_role(b'{"pad_token": "<pad>"}'), detect_role(b'{"pad_token": "<pad>"}', "tokenizer_config.json")
    ('special_tokens_map', 'config')

    Raises `BadFile`, with what speaks against each kind, for anything else.
    """
    usual = _usual_role(name)
    try:
        what = _detect_content(data)
    except BadFile:
        if usual is None or not data.strip():
            raise
        if name.endswith(".json"):
            read_json(data)
        else:
            decode_text(data)
        return usual
    return what if what in KINDS else usual or what


def _detect_content(data: bytes) -> Kind | Role:
    if data.startswith(b"GGUF"):
        return "gguf"
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{") and not head.startswith((b"{%", b"{{", b"{#")):
        return _detect_json(data)
    if _is_sentencepiece(data):
        return "sentencepiece"
    if not data.strip():
        raise BadFile("The file is empty.")
    lines = [line.rstrip(b"\r") for line in data[:200_000].split(b"\n", SAMPLE + 1)[:SAMPLE] if line.strip()]
    if lines and all(RANKS_LINE.fullmatch(line) for line in lines):
        return "tiktoken"
    if lines and all(RWKV_LINE.fullmatch(line) for line in lines):
        return "rwkv"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(f"It is no known binary format, and not UTF-8 at byte {error.start}.") from None
    return _detect_text(text)


def _detect_text(text: str) -> Kind | Role:
    if "\0" in text[:1000]:
        raise BadFile("It has bytes that are 0, as no text has, but is no known binary format.")
    if text.startswith("minbpe v"):
        return "minbpe"
    if TEMPLATE.search(text):
        return "chat_template"
    lines = text.splitlines()
    sample = [line for line in lines[:SAMPLE] if not line.startswith("#version")]
    if text.startswith("#version") or (sample and all(MERGE_LINE.fullmatch(line) for line in sample)):
        return "merges"
    if "[UNK]" in lines:
        return "wordpiece"
    raise BadFile("It is text, but neither ranks, nor merges, nor a vocab.txt, which has a line [UNK], nor a template.")


def _is_sentencepiece(data: bytes) -> bool:
    """True if the file begins with a piece: a message with a text and a score."""
    try:
        number, wire, value, _ = next(fields(data[:10_000] if data[:1] == b"\x0a" else b""))
        parts = {(number, wire) for number, wire, _, _ in fields(value)} if isinstance(value, bytes) else set()
    except (BadFile, StopIteration):
        return False
    return (number, wire) == (1, BYTES) and (1, BYTES) in parts and all(number <= 3 for number, _ in parts)


def _detect_json(data: bytes) -> Kind | Role:
    top = read_json(data)
    for what, matches in JSON_KINDS.items():
        if matches(top):
            return what
    raise BadFile(
        f"It is a JSON object, but its keys are of no known format: {join_names(k[:40] for k in [*top][:5])}."
    )


def _is_flat(top: dict[str, Any]) -> bool:
    return bool(top) and all(type(value) is int for value in top.values())


def _is_tokenizer(top: dict[str, Any]) -> bool:
    model = top.get("model")
    return isinstance(model, dict) and ("vocab" in model or "merges" in model)


JSON_KINDS: Mapping[Kind | Role, Callable[[dict[str, Any]], bool]] = {
    "tokenizer.json": _is_tokenizer,
    "tekken": lambda top: isinstance(top.get("config"), dict) and isinstance(top.get("vocab"), list),
    "claude": lambda top: "bpe_ranks" in top and "pat_str" in top,
    "vocabulary": _is_flat,
    "model_config": lambda top: "model_type" in top or "architectures" in top,
    "special_tokens_map": lambda top: bool(top) and {*top} <= SPECIAL_NAMES | {"additional_special_tokens"},
    "chat_template": lambda top: {*top} == {"chat_template"},
    "config": lambda top: not CONFIG_KEYS.isdisjoint(top),
}
"""Each format of JSON and the test for it; the first that matches is the kind."""


def _add_vocabulary(roles: dict[Role, str], name: str, files: Mapping[str, bytes]) -> None:
    """Of two mappings from tokens to ids, the larger is the vocabulary and the other its added tokens."""
    smaller, larger = sorted((roles["vocabulary"], name), key=lambda name: len(files[name]))
    roles["vocabulary"] = larger
    roles["added_tokens"] = smaller


def _numbers_from_zero(data: bytes) -> bool:
    """True if most ids of a mapping from tokens to ids are 0, 1, 2 and so on; a few may be added tokens."""
    ids = {*read_json(data).values()}
    return 2 * sum(id in ids for id in range(len(ids))) > len(ids)


def _explain_nothing(files: Mapping[str, bytes], roles: Mapping[Role, str], causes: list[str]) -> str:
    """Return why no file is a tokenizer."""
    if not files:
        return "There is no file that can belong to a tokenizer; a zip in a zip is not read."
    if "vocabulary" in roles or "merges" in roles:
        lacking = "merges.txt" if "vocabulary" in roles else "vocab.json"
        return f"A BPE model in two files needs its {lacking} as well."
    if len(files) == 1 and causes:
        return f"This is not a tokenizer file. {causes[0].partition(': ')[2]}"
    known = join_names(TITLES.values())
    details = " ".join(causes[:3])
    return f"None of the {len(files)} files is a tokenizer; known are {known}. {details}".rstrip()


def _short(name: str) -> str:
    return name if len(name) <= 80 else f"{name[:77]}…"
