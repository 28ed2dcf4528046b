"""What the files of a user become, and what the files beside them say: special tokens, options, chat template."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, get_args

from ..errors import BadFile
from ..types import Engine, Family, TokenRule
from .archives import TEMPLATES
from .detection import Role, TokenizerFiles
from .json_objects import decode_text, read_json

REFUSED = "transformers refuses this folder"
"""How a note begins that says so: it stands first."""
REPLACED: tuple[Role, ...] = ("special_tokens_map", "added_tokens")
"""Older files, which `transformers` does not open where the config has `added_tokens_decoder`."""
IGNORED = " transformers does not read this file, because tokenizer_config.json has added_tokens_decoder."
AS_DEFINED = "As its own files define."
BESIDE: Mapping[Role, str] = {
    "config": "tokenizer_config.json",
    "special_tokens_map": "special_tokens_map.json",
    "added_tokens": "added_tokens.json",
    "model_config": "config.json",
}
"""The usual names of the files beside a tokenizer."""
NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of converting files; the fields are those of `TokenizerInfo`, and `files` and `spec` of `Record`."""

    family: Family
    engines: tuple[Engine, ...]
    files: Mapping[str, bytes]
    vocab_size: int
    lossless: bool = False
    normalization: str = AS_DEFINED
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    token_rules: Mapping[str, Sequence[TokenRule]] = field(default_factory=dict)
    gaps: int = 0
    spec: Mapping[str, Any] = field(default_factory=dict)
    chat_template: str | None = None
    variables: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the files beside a tokenizer say.

    - `config`: the contents of `tokenizer_config.json`; `class_name`: its `tokenizer_class`, without `Fast`.
    - `variables`: special tokens by name (`bos_token` …), as chat templates get them.
    - `added`: tokens beyond the vocabulary, with their ids; `special`: those of them that are special.
    - `rules`: how tokens are matched (`lstrip`, `rstrip`, `single_word`, `normalized`), where the files say it.
    - `templates`: chat templates by name; the usual one is `default`.
    - `merges`: the contents of the merges file; `pattern`: a pre-tokenization pattern that the user chose.
    - `beside`: the contents of all JSON files that `transformers` reads beside a vocabulary, by their usual names.
    """

    config: Mapping[str, Any] = field(default_factory=dict)
    class_name: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, int] = field(default_factory=dict)
    special: frozenset[str] = frozenset()
    rules: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)
    merges: bytes = b""
    pattern: str | None = None
    notes: tuple[str, ...] = ()
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def flag(self, name: str, default: bool) -> bool:
        """Return an option of the config that is true or false."""
        value = self.config.get(name)
        return value if isinstance(value, bool) else default


def name_rules(rules: Mapping[str, Mapping[str, Any]], tokens: Iterable[str]) -> dict[str, list[TokenRule]]:
    """Return the rules that are set of each token that has any.

    >>> name_rules({"<mask>": {"lstrip": True, "rstrip": False}}, ["<mask>", "<s>"])
    {'<mask>': ['lstrip']}
    """
    names: tuple[TokenRule, ...] = get_args(TokenRule)
    named = {token: [name for name in names if rules.get(token, {}).get(name) is True] for token in tokens}
    return {token: on for token, on in named.items() if on}


def read_metadata(detected: TokenizerFiles, files: Mapping[str, bytes]) -> Metadata:
    """Read the files beside a tokenizer. One that is damaged is left out, with a note."""
    notes: list[str] = []
    beside: dict[str, Mapping[str, Any]] = {}
    for role, usual in BESIDE.items():
        if (name := detected.companions.get(role)) is None:
            continue
        ignored = role in REPLACED and "added_tokens_decoder" in beside.get(BESIDE["config"], {})
        before, after = ("", IGNORED) if ignored else (f"{REFUSED}: ", "")
        try:
            if contents := _read_beside(role, files[name]):
                beside[usual] = contents
            if files[name].startswith(BOM_UTF8):
                notes.append(f"{before}{name[:80]} begins with a byte order mark. It is read here without it.{after}")
        except BadFile as error:
            notes.append(f"{before}{name[:80]} is damaged. {error.detail} It is left out here.{after}")
    config, names = (beside.get(BESIDE[role], {}) for role in ("config", "special_tokens_map"))
    named = {name: names.get(name, config.get(name)) for name in NAMES}
    variables = {name: text for name, token in named.items() if (text := content(token)) is not None}
    rules = {text: _rules(token) for token in named.values() if (text := content(token))}
    ids = beside.get(BESIDE["added_tokens"], {})
    added = {token: int(id) for token, id in ids.items() if id >= 0 and id % 1 == 0}
    special = {*variables.values()}
    for token, id, entry in _decoder(config.get("added_tokens_decoder")):
        added[token] = id
        rules[token] = _rules(entry)
        special |= {token} if entry.get("special") is True else set()
    for extra in (names.get("additional_special_tokens"), config.get("additional_special_tokens")):
        special |= {text for item in extra if (text := content(item))} if isinstance(extra, list) else set()
    return Metadata(
        config=config,
        class_name=_class_name(config),
        beside=beside,
        variables=variables,
        added=added,
        special=frozenset(special),
        rules=rules,
        templates=_read_templates(detected, files, config, notes),
        merges=files[detected.companions["merges"]] if "merges" in detected.companions else b"",
        pattern=config["pat_str"] if isinstance(config.get("pat_str"), str) else None,
        notes=tuple(notes),
    )


def _read_beside(role: Role, data: bytes) -> Mapping[str, Any]:
    """Return the contents of a file beside a tokenizer. Raises `BadFile`, also for an id that is no number.

    `transformers` only sorts by these ids, whatever numbers they are.
    """
    contents = read_json(data)
    for token, id in contents.items() if role == "added_tokens" else ():
        if not isinstance(id, int | float):
            raise BadFile(f"The id of {token[:40]!r} is not a number.")
    return contents


def content(token: Any) -> str | None:
    """Return the spelling of a special token, which is a text or an object with `content`; None for anything else.

    >>> content("<s>"), content({"content": "</s>", "lstrip": False}), content(None)
    ('<s>', '</s>', None)
    """
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) and text else None


def _rules(token: Any) -> dict[str, bool]:
    """Return the rules of matching of a token that is an object."""
    names = ("lstrip", "rstrip", "single_word", "normalized") if isinstance(token, dict) else ()
    return {name: token[name] for name in names if isinstance(token.get(name), bool)}


def _decoder(entries: Any) -> list[tuple[str, int, Mapping[str, Any]]]:
    """Return the token, its id and the entry for each of `added_tokens_decoder`."""
    if not isinstance(entries, dict):
        return []
    return [
        (text, int(id), entry)
        for id, entry in entries.items()
        if isinstance(entry, dict) and (text := content(entry)) and id.isascii() and id.isdigit() and len(id) < 8
    ]


def _class_name(config: Mapping[str, Any]) -> str:
    name = config.get("tokenizer_class")
    return name.removesuffix("Fast") if isinstance(name, str) else ""


def _read_template(name: str, data: bytes, notes: list[str]) -> str | None:
    """Return a chat template; None for one that is not UTF-8, with a note."""
    try:
        return decode_text(data)
    except BadFile as error:
        notes.append(f"{REFUSED}: {name[:80]} is damaged. {error.detail} It is left out here.")
    return None


def _read_templates(
    detected: TokenizerFiles, files: Mapping[str, bytes], config: Mapping[str, Any], notes: list[str]
) -> dict[str, str]:
    """Return the chat templates by name: those in files of their own, or else those of the config."""
    named: dict[Any, Any] = {}
    for name in files:
        path = PurePosixPath(name)
        if path.parent.name == TEMPLATES:
            named[path.stem] = _read_template(name, files[name], notes)
    companion = detected.companions.get("chat_template", "")
    value = None if named else config.get("chat_template")
    beside = bool(companion) and PurePosixPath(companion).parent.name != TEMPLATES
    if beside and (text := _read_template(companion, files[companion], notes)) is not None:
        is_json = text.lstrip().startswith('{"') and not companion.endswith(".jinja")
        value = read_json(files[companion]).get("chat_template") if is_json else text
    if value is not None:
        items = value if isinstance(value, list) else [{"name": "default", "template": value}]
        named |= {item.get("name"): item.get("template") for item in items if isinstance(item, dict)}
    templates = {name: text for name, text in named.items() if isinstance(name, str) and isinstance(text, str)}
    if len(templates) > 1:
        for_tools = ", and tool_use for a conversation with tools" if "tool_use" in templates else ""
        notes.append(f"Of {len(templates)} chat templates, default is used{for_tools}; others are chosen by name.")
    return templates
