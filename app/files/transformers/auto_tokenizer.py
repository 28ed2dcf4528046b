"""A folder as `AutoTokenizer` of `transformers` reads it, which is what the model of the folder gets.

The library builds the tokenizers of many classes anew, whatever the `tokenizer.json` says, and takes special tokens
from every file of the folder. It reads a copy of the files under their usual names, and runs no code of theirs.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from ...errors import BadFile, join_names, plural
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ..conversion import REFUSED, Conversion, Metadata
from ..json_objects import read_json
from ..patterns import check_pattern_complexity, patterns_of_json
from ..tokenizer_json.components import flatten
from ..tokenizer_json.convert import FILE, find_surrounding_ids, from_tokenizer_json, read_ids
from ..tokenizer_json.library import read_library
from .library import AutoReading, read_auto
from .vocab_files import END, from_wordpiece, read_merges

CONFIG = "tokenizer_config.json"
MAX_LISTED = 20_000
"""Tokens of a list in the config: 10,000 that no other file has take transformers a second, and twice as many four."""
STAGES = {
    "normalizer": "normalizer",
    "pre_tokenizer": "pre-tokenizer",
    "model": "model",
    "post_processor": "tokens around a text",
    "decoder": "decoder",
}
LEFT_OUT = ("_file", "_files", "_path", "_map_file", "_object", "_inputs", "chat_template", "backend")
"""Endings of options that name other files, that only a program can pass, or that change no tokens."""


def _list_beside(metadata: Metadata) -> dict[str, bytes]:
    """Return the files beside a tokenizer, without what names other files.

    `auto_map` stays: it changes which class the library takes, and the library is told to run no code it names.
    """
    model = metadata.beside.get("config.json", {})
    config = {name: value for name, value in metadata.config.items() if not name.endswith(LEFT_OUT)}
    if not (config.get("tokenizer_class") or model.get("model_type") or model.get("tokenizer_class")):
        config["tokenizer_class"] = "PreTrainedTokenizerFast"
    kept = {name: model[name] for name in ("model_type", "tokenizer_class", "transformers_version") if name in model}
    files = {**metadata.beside, CONFIG: config, "config.json": kept}
    return {name: json.dumps(contents).encode() for name, contents in files.items() if contents}


def _check_listed(metadata: Metadata) -> None:
    """Raise `BadFile` for more tokens than the library can compare, each with each other, in a few seconds."""
    for name in ("additional_special_tokens", "extra_special_tokens"):
        for contents in metadata.beside.values():
            listed = contents.get(name)
            if isinstance(listed, list | dict) and len(listed) > MAX_LISTED:
                detail = f"{name} lists {len(listed):,} tokens; at most {MAX_LISTED:,} are read."
                raise BadFile(f"{detail} Put them into added_tokens of {FILE}.", limit=MAX_LISTED)


def _mend(metadata: Metadata) -> tuple[Metadata, list[str]]:
    """Return a config without what the library refuses, where it is plain what is meant, and a sentence on each."""
    config = dict(metadata.config)
    notes = []
    if config.get("tokenizer_class") == "AutoTokenizer":  # which calls itself without end
        del config["tokenizer_class"]
        notes.append(f"{REFUSED}: its tokenizer_class is AutoTokenizer, which is no class. It is read here without it.")
    for name, value in metadata.config.items():
        if isinstance(value, dict) and "content" in value and "__type" not in value:
            config[name] = {"__type": "AddedToken", **value}
            notes.append(f"{REFUSED}: {name[:40]} of {CONFIG} has no __type. It is read here as an AddedToken.")
    return replace(metadata, config=config), notes


def read_folder(data: bytes, metadata: Metadata, **options: Any) -> AutoReading:
    """Load a `tokenizer.json` with the files beside it; `options` are of `from_pretrained`. Raises `BadFile`."""
    return _read({FILE: data}, metadata, **options)[0]


def _read(own: Mapping[str, bytes], metadata: Metadata, **options: Any) -> tuple[AutoReading, list[str]]:
    """Load files with those beside them; if the library refuses them for their `auto_map`, without it, with a note."""
    _check_listed(metadata)
    metadata, notes = _mend(metadata)
    try:
        return read_auto({**_list_beside(metadata), **own}, **options), notes
    except BadFile:
        if "auto_map" not in metadata.config:
            raise
        config = {name: value for name, value in metadata.config.items() if name != "auto_map"}
        reading = read_auto({**_list_beside(replace(metadata, config=config)), **own}, **options)
        detail = "transformers loads this folder only with its own code (auto_map). The tokens are without it."
        return reading, [*notes, detail]


def from_folder(data: bytes, metadata: Metadata) -> Conversion:
    """Describe a `tokenizer.json` as the library reads it with the files beside it; alone, as it is.

    Raises what `from_tokenizer_json` raises.
    """
    if data.startswith(BOM_UTF8):
        note = f"{REFUSED}: {FILE} begins with a byte order mark. It is read here without it."
        conversion = from_folder(data.removeprefix(BOM_UTF8), metadata)
        return replace(conversion, notes=(note, *conversion.notes))
    alone = from_tokenizer_json(data, metadata)
    if not metadata.beside:
        return alone
    for source in patterns_of_json(read_json(data)):
        check_pattern_complexity(source)
    try:
        reading, notes = _read({FILE: data}, metadata)
    except BadFile as error:
        if error.limit is not None:
            raise
        return replace(alone, notes=(*alone.notes, f"{error.detail} The tokens are those of {FILE} alone."))
    spec = {"split_special_tokens": True} if reading.splits_special else {}
    alone = replace(alone, variables=reading.variables, spec=spec)
    if not (notes := [*notes, *_describe_differences(data, reading)]):
        return alone
    conversion = from_tokenizer_json(reading.file, metadata)
    return replace(conversion, variables=reading.variables, spec=spec, notes=(*notes, *conversion.notes))


def _describe_differences(data: bytes, reading: AutoReading) -> Iterator[str]:
    """Yield sentences on how the library's reading differs from the file in what changes tokens."""
    file = json.loads(read_library(data).to_str())
    auto = json.loads(reading.file)
    library = f"transformers {version('transformers')}"
    if stages := [title for stage, title in STAGES.items() if _simplify(file, stage) != _simplify(auto, stage)]:
        yield (
            f"{library} loads this folder as {reading.class_name} and replaces what {FILE} says: "
            f"{join_names(stages)}. The tokens are those of {reading.class_name}."
        )
    tokens, others = ({token["content"]: token for token in one["added_tokens"]} for one in (file, auto))
    if new := [*(others.keys() - tokens.keys())]:
        shown = _quote(sorted(new, key=lambda token: others[token]["id"]))
        yield f"{library} adds {plural(len(new), 'token')} that only the files beside {FILE} name: {shown}."
    if changed := sorted(token for token in tokens.keys() & others.keys() if tokens[token] != others[token]):
        yield f"{library} matches {_quote(changed)} by the rules of the files beside {FILE}."
    if reading.splits_special:
        yield (
            f"{library} reads special tokens in a text and in a chat as ordinary text, because split_special_tokens "
            "is set, and so do the answers here. To recognize them in a text, choose so."
        )


def _quote(tokens: Sequence[str]) -> str:
    r"""Return the first tokens for a message.

    >>> print(_quote(["<x>", "\n"]))
    '<x>', '\n'
    """
    return join_names(f"{token[:40]!r}" for token in tokens[:5])


def _simplify(file: Mapping[str, Any], stage: str) -> Any:
    """Return a stage without what changes no tokens and no decoded text."""
    part = file[stage]
    if stage == "post_processor":
        return find_surrounding_ids(part)
    if stage == "model":
        return {name: value or None for name, value in part.items() if name != "dropout"}
    byte_level = ("trim_offsets",) if stage == "pre_tokenizer" else ("trim_offsets", "add_prefix_space", "use_regex")
    return [
        {name: value for name, value in one.items() if one["type"] != "ByteLevel" or name not in byte_level}
        for one in flatten(part, stage)
    ]


def from_vocab_merges(data: bytes, metadata: Metadata) -> Conversion:
    """Build a BPE tokenizer from the mapping of tokens to ids and the list of merges.

    Raises `BadFile` for merges that are not pairs, and for a vocabulary that is spelled in no known way
    or has an id that is too large.
    """
    vocabulary = read_ids(read_json(data))
    read_merges(metadata.merges)
    notes = []
    if not (metadata.class_name or metadata.beside.get("config.json")):
        name, why = _guess_class(vocabulary)
        metadata = replace(metadata, config={**metadata.config, "tokenizer_class": name})
        notes = [f"The pre-tokenizer is chosen by the spelling: {why}."]
    return _build({"vocab.json": data, "merges.txt": metadata.merges}, metadata, notes)


def from_vocab_txt(data: bytes, metadata: Metadata) -> Conversion:
    """Build the WordPiece tokenizer of a `vocab.txt` and the files beside it. Raises `BadFile`."""
    if not metadata.beside:
        return from_wordpiece(data, metadata)
    if not metadata.class_name:
        metadata = replace(metadata, config={**metadata.config, "tokenizer_class": "BertTokenizer"})
    return _build({"vocab.txt": data}, metadata, [])


def _build(own: Mapping[str, bytes], metadata: Metadata, notes: Sequence[str]) -> Conversion:
    reading, more = _read(own, metadata)
    conversion = from_tokenizer_json(reading.file, metadata)
    return replace(conversion, variables=reading.variables, notes=(*more, *notes, *conversion.notes))


def _guess_class(vocabulary: Mapping[str, int]) -> tuple[str, str]:
    """Return the class whose vocabulary is spelled as one is, and why. Raises `BadFile` if there is none."""
    byte_level = all(char in vocabulary for char in ALPHABET) or any(token.startswith("Ġ") for token in vocabulary)
    ended = any(token.endswith(END) for token in vocabulary)
    if ended and byte_level:
        return "CLIPTokenizer", "a byte-level vocabulary with </w>, as CLIP's"
    if ended:
        return "OpenAIGPTTokenizer", "a vocabulary with </w>, as that of the first GPT"
    if byte_level and {"<s>", "</s>", "<mask>"} <= vocabulary.keys():
        return "RobertaTokenizer", "a byte-level vocabulary with <s>, </s> and <mask>, as RoBERTa's"
    if byte_level:
        return "GPT2Tokenizer", "a byte-level vocabulary, as GPT-2's"
    raise BadFile("The vocabulary spells neither bytes, as GPT-2's, nor the ends of words with </w>.")
