"""Hugging Face's `tokenizer.json`: a pipeline of stages, read into plain data, and how long a text may become in it.

A component or an option that no class of `scratch.compat.pipeline.components` has is refused by name, because leaving
it out would give other tokens.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from ...errors import BadFile, join_names
from ...scratch.compat.pipeline.added_tokens import AddedToken
from ...scratch.compat.pipeline.component import (
    DecoderComponent,
    NormalizerComponent,
    PostProcessorComponent,
    PreTokenizerComponent,
)
from ...scratch.compat.pipeline.components import COMPONENTS
from ...scratch.compat.pipeline.pre_tokenizers import join_byte_level
from ..json_objects import parse_json
from .components import PARTS, flatten
from .models import JsonModel, check_model, repair_json
from .options import read_charsmap, read_fields, read_pattern

MAX_GROWTH = 1000
"""Characters that one character of a text may become."""
MAX_PREPENDED = 100_000
"""Characters that may be put before a text."""
FOLDED = 18.0
"""Characters that one may become in NFKC; other normalizers give fewer."""


@dataclass(frozen=True)
class TokenizerJson:
    """The contents of a file; sequences of components are flattened."""

    model: JsonModel
    added: tuple[AddedToken, ...] = ()
    normalizers: tuple[NormalizerComponent, ...] = ()
    splitters: tuple[PreTokenizerComponent, ...] = ()
    processors: tuple[PostProcessorComponent, ...] = ()
    decoders: tuple[DecoderComponent, ...] | None = None
    notes: tuple[str, ...] = ()
    """Sentences about what is unusual in the file, and what was changed to read it."""

    @cached_property
    def spelled(self) -> Mapping[int, str]:
        """The pieces of the model by id."""
        return {id: piece for piece, id in self.model.vocabulary.items()}

    @property
    def is_byte_level(self) -> bool:
        """True if the model gets the bytes of a text, each spelled as one character."""
        return "ByteLevel" in {*(part.type for part in self.normalizers), *(part.type for part in self.splitters)}

    @cached_property
    def respelled(self) -> tuple[str, ...]:
        """The added tokens that decode to other bytes, since each of their letters also spells a byte."""
        tokens = [token.content for token in self.added] if self.is_byte_level else []
        return tuple(token for token in tokens if join_byte_level([token]) != token.encode())


def check_growth(spec: Any, stage: str) -> None:
    """Raise `BadFile` if a normalizer or decoder may make a text much longer, as 30 times "a" to "aa" would.

    It is as JSON has it, also one that the from-scratch engine cannot read. From its last component to the first, it is
    computed how many characters at most each character becomes in what follows: `others`, unless `weights` has it. What
    a pattern matches becomes the content, so that the characters of a literal pattern together weigh at least as much
    as those of the content. For other patterns any character might.
    """
    others = 1.0
    prepended = 0.0
    folded = False
    weights: dict[str, float] = {}
    for part in reversed([one for one in flatten(spec, stage) if isinstance(one, dict)]):
        most = max([others, *weights.values()])
        if part.get("type") == "Replace":
            source, is_literal = _pattern(part.get("pattern"))
            weight = _weight(str(part.get("content")), weights, others)
            folded = False
            if is_literal and source:
                ratio = max(1.0, weight / _weight(source, weights, others))
                weights |= {char: ratio * weights.get(char, others) for char in {*source}}
            else:
                others = max(most, weight + (most if _can_be_empty(source) else 0.0))
                weights = {}
        elif part.get("type") == "Prepend":
            prepended += _weight(str(part.get("prepend")), weights, others)
        elif part.get("type") == "Precompiled":
            others = _longest(part.get("precompiled_charsmap")) * most
            weights = {}
        elif stage == "normalizer" and not folded:
            others = FOLDED * most
            weights = {}
            folded = True
        if max([others, *weights.values()]) > MAX_GROWTH or prepended > MAX_PREPENDED:
            raise BadFile(f"The components of the {stage} may make a text more than {MAX_GROWTH:,} times as long.")


def _pattern(pattern: Any) -> tuple[str, bool]:
    """Return the source of a pattern, and whether it is a literal."""
    if not isinstance(pattern, dict):
        return str(pattern), isinstance(pattern, str)
    return str(next(iter(pattern.values()), "")), "String" in pattern


def _can_be_empty(source: str) -> bool:
    try:
        return read_pattern(source).can_be_empty
    except Exception:  # whatever is wrong with it, the library may read it
        return True


def _longest(charsmap: Any) -> int:
    """Return the characters of the longest value of a character map."""
    try:
        values = read_charsmap(charsmap).values
    except (TypeError, BadFile):
        return 1  # no library reads it
    return max(1, *map(len, values.decode().split("\0")))


def _weight(text: str, weights: Mapping[str, float], others: float) -> float:
    return sum(weights.get(char, others) for char in text)


def load_tokenizer_json(data: bytes) -> TokenizerJson:
    """Read a file.

    Raises `BadFile` for invalid JSON or a repeated key, with the position; for an unsupported component or option, by
    name; for a vocabulary, merges or added tokens that contradict one another; and for what `check_growth` refuses.
    """
    top, notes = repair_json(parse_json(data).strict())
    if unknown := sorted({*top} - {"version", "truncation", "padding", "added_tokens", "model", *COMPONENTS}):
        raise BadFile(f"{unknown[0][:40]!r} is not supported.")
    model = check_model(top.get("model"))
    steps = {name: tuple(components(top.get(name), name)) for name in COMPONENTS}
    check_growth(top.get("normalizer"), "normalizer")
    check_growth(top.get("decoder"), "decoder")
    notes += model.notes
    return TokenizerJson(
        model=model,
        added=tuple(_read_added_tokens(top.get("added_tokens") or [], model, notes)),
        normalizers=steps["normalizer"],
        splitters=steps["pre_tokenizer"],
        processors=steps["post_processor"],
        decoders=None if top.get("decoder") is None else steps["decoder"],
        notes=tuple(notes),
    )


read_once = lru_cache(maxsize=1)(load_tokenizer_json)
"""`load_tokenizer_json` for who describes a file that is loaded next; the loader clears the cache."""


def components(spec: Any, stage: str) -> Iterable[Any]:
    """Yield the components of a stage in order."""
    if spec is None:
        return
    kind = spec.get("type") if isinstance(spec, dict) else None
    if kind == "Sequence":
        parts = spec.get(PARTS[stage])
        if not isinstance(parts, list) or len(spec) != 2:
            raise BadFile(f"The Sequence of {stage} has no list of {PARTS[stage]}.")
        for part in parts:
            yield from components(part, stage)
        return
    table = COMPONENTS[stage]
    if not isinstance(kind, str) or kind not in table or not isinstance(spec, dict):
        raise BadFile(f"The {stage} {str(kind)[:40]!r} is not supported. Supported: {join_names(sorted(table))}.")
    yield read_fields(table[kind], spec, f"{stage} {kind}", ignored=("type", *table[kind].legacy))


def _read_added_tokens(tokens: Any, model: JsonModel, notes: list[str]) -> Iterable[AddedToken]:
    """Yield the added tokens with the ids that the library gives them, which need not be those of the file.

    A token of the vocabulary keeps its id there. The first other one gets the number of tokens of the vocabulary, even
    where that is the id of a token, and the next ones those behind it. Of two with the same content, the second is left
    out; two with the same id are refused.
    """
    if not isinstance(tokens, list):
        raise BadFile("added_tokens is not a list.")
    ids: dict[str, int] = {}
    contents: dict[int, str] = {}
    next_id = len(model.vocabulary)
    for number, spec in enumerate(tokens):
        if not isinstance(spec, dict) or not {"id", "content"} <= spec.keys():
            raise BadFile(f"Added token {number} has no id or no content.")
        token = read_fields(AddedToken, spec, f"added token {number}")
        if not token.content or token.content in ids:
            notes.append(f"Added token {number} is left out: it is {'a repetition' if token.content else 'empty'}.")
            continue
        id = model.vocabulary.get(token.content)
        if id is None:
            id = next_id
            next_id = next_id + 1
        if id != token.id:
            notes.append(f"The added token {token.content[:40]!r} has the id {token.id} in the file, but gets {id}.")
        if id in contents:
            both = f"{contents[id][:40]!r} and {token.content[:40]!r}"
            raise BadFile(f"The added tokens {both} get the same id {id}, so that the library forgets one of them.")
        ids[token.content], contents[id] = id, token.content
        yield replace(token, id=id)
