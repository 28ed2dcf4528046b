"""A `tokenizer.json` built from the older files of `transformers`: `vocab.json` with `merges.txt`, and `vocab.txt`.

Which normalizer, pre-tokenizer and post-processor belong to them is known from the tokenizer class of the config, or
else guessed from the spelling of the vocabulary.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...errors import BadFile, plural
from ..conversion import Conversion, Metadata
from ..tokenizer_json.components import (
    Component,
    document,
    make_template_processor,
    make_token_component,
    sort_by_id,
)
from ..tokenizer_json.convert import from_tokenizer_json

END = "</w>"


def make_conversion(top: Mapping[str, Any], metadata: Metadata, *notes: str) -> Conversion:
    """Return the conversion of a file that was built, with the notes on how."""
    conversion = from_tokenizer_json(json.dumps(top, ensure_ascii=False).encode(), metadata)
    return replace(conversion, notes=(*notes, *conversion.notes))


def read_merges(data: bytes) -> list[tuple[str, str]]:
    """Return the pairs of a `merges.txt`; its first line may be a comment. Raises `BadFile` with the line."""
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"The merges are not UTF-8 at byte {error.start}.") from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if not (line := line.rstrip("\r")) or (number == 1 and line.startswith("#version")):
            continue
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            raise BadFile(f"Line {number} of the merges is not two tokens with a space between them.")
        pairs.append((left, right))
    return pairs


def from_wordpiece(data: bytes, metadata: Metadata) -> Conversion:
    """Build BERT's tokenizer from a `vocab.txt`, in which the number of a line is the id of its token."""
    try:
        lines = data.decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"The vocabulary is not UTF-8 at byte {error.start}.") from None
    vocabulary = {line.rstrip("\r"): id for id, line in enumerate(lines)}
    notes = []
    if repeated := len(lines) - len(vocabulary):
        lines_are = plural(repeated, "line of the vocabulary is", "lines of the vocabulary are")
        notes.append(f"{lines_are} repeated; of equal ones, the last gives the id.")
    return make_conversion(bert(vocabulary, metadata, notes), metadata, *notes)


def bert(vocabulary: dict[str, int], metadata: Metadata, notes: list[str]) -> Component:
    """Return the `tokenizer.json` of BERT's tokenizer over a vocabulary."""
    bracketed = [token for token in vocabulary if token[:1] == "[" and token[-1:] == "]"]
    cased = any(token.lower() != token for token in vocabulary.keys() - bracketed)
    lower = metadata.flag("do_lower_case", not cased)
    if "do_lower_case" not in metadata.config:
        notes.append(f"Text is {'lowercased' if lower else 'not lowercased'}, as the vocabulary suggests.")
    accents = metadata.config.get("strip_accents")
    options = {"strip_accents": accents if isinstance(accents, bool) else None, "lowercase": lower}
    names = [
        metadata.variables.get(f"{role}_token", f"[{role.upper()}]") for role in ("unk", "sep", "pad", "cls", "mask")
    ]
    ids = {name: vocabulary[name] for name in names if name in vocabulary}
    unknown, sep, _, cls, _ = names
    around_text = make_template_processor([cls], [sep], ids) if {cls, sep} <= ids.keys() else None
    if around_text:
        around_text["pair"][-1] = {"SpecialToken": {"id": sep, "type_id": 1}}  # that of the second text
    others = {token: id for token, id in metadata.added.items() if token not in ids}
    chinese = metadata.flag("tokenize_chinese_chars", True)
    model = {
        "type": "WordPiece",
        "unk_token": unknown,
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
    }
    return document(
        {**model, "vocab": vocabulary},
        [
            make_token_component(token, id, special=token in ids or token in metadata.special)
            for token, id in sort_by_id(ids | others)
        ],
        normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": chinese, **options},
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=around_text,
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )
