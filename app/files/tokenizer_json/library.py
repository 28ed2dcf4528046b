"""Hugging Face's `tokenizers` as `Tokenizer`s."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BacktrackLimit, BadFile, EngineFailed, Invalid, NoUnknownToken, UnknownId, reason
from ...scratch.compat.aligned import AlignedText
from ...scratch.compat.pipeline.added_tokens import AddedToken, AddedTokens
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET, join_byte_level
from ...scratch.fast.pretokenize import compile_untrusted, matches
from ...types import (
    BYTE_FALLBACK,
    SPECIAL,
    UNKNOWN,
    Encoding,
    Engine,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    VocabEntry,
)
from ..json_objects import read_json
from ..patterns import check_pattern_complexity, patterns_of_json
from ..spans import column, encode_spans, locate_spans
from ..special_tokens import refuse
from ..spelling import Spelling
from ..vocab_entries import find_space_mark
from .components import flatten
from .models import repair_json
from .packed import PackedJson
from .read import read_once

if TYPE_CHECKING:
    import regex
    from tokenizers import AddedToken as Added
    from tokenizers import Tokenizer as Library

UNKNOWN_ID = re.compile(rb'\{"type":"Unigram","unk_id":(\d+)')
NEEDS_UNKNOWN = re.compile("Missing .* token from the vocabulary|`unk_id` is missing|Unk token .* not found")
"""What the library says of a text that needs an unknown token where the vocabulary has none."""


@dataclass(frozen=True, eq=False)
class HuggingFaceTokenizer:
    """A `tokenizers.Tokenizer`, twice: `parsing` matches special tokens, `as_text` treats them as plain text.

    - `flags`: by id, shape `(vocab_size,)`.
    - `spelling`: how the vocabulary spells bytes.
    - `untrusted`: patterns of a user. The library searches without a time limit, so each text is first searched here
      with one.
    """

    info: TokenizerInfo
    parsing: "Library"
    as_text: "Library"
    flags: NDArray[np.uint8]
    spelling: Spelling
    nbytes: int
    engine: Engine
    untrusted: tuple["regex.Pattern[str]", ...] = ()

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        if special == "refuse":
            refuse(text, self.info.special_tokens)
        library = self.parsing if special == "parse" else self.as_text
        for pattern in self.untrusted:
            matches(pattern, text)
        with _panics(self.spelling.unknown):  # a batch of one, since only batches release the interpreter lock
            result = library.encode_batch([text], add_special_tokens=False)[0]
        data = text.encode()
        raws = {id: self.entry(id).raw for id in set(result.ids)}
        # Where the end of a word is marked and falls back to bytes, the library's offsets go past the text.
        offsets = np.minimum(column(result.offsets).reshape(-1, 2), len(text))
        starts, ends = locate_spans(result.ids, offsets, raws=raws, data=data, lost=self._lost)
        ids = np.array(result.ids, np.uint32)
        return encode_spans(ids, starts, ends, text=text, data=data, flags=self.flags[ids])

    @cached_property
    def _lost(self) -> bytes:
        """The bytes that a byte-level model without an unknown token has no token for, and leaves out."""
        id_of = self.as_text.model.token_to_id
        return bytes(byte for byte, letter in enumerate(ALPHABET) if self.byte_level and id_of(letter) is None)

    @property
    def matches_specials_first(self) -> bool:
        """True if special tokens are matched in the text as it is, before it is normalized."""
        added = self.parsing.get_added_tokens_decoder().values()
        return not any(token.special and token.normalized for token in added)

    def ids_of_many(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of each text: see `Batched`."""
        for pattern in self.untrusted:
            matches(pattern, "\n".join(texts))
        with _panics(self.spelling.unknown):
            return [one.ids for one in self.as_text.encode_batch_fast([*texts], add_special_tokens=False)]

    def ids(self, text: str) -> Sequence[int]:
        """Return the ids of a text: see `Batched`."""
        return self.ids_of_many((text,))[0]

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the text as the library normalizes it, and its words."""
        with _panics():
            parts = [(part, token) for part, token in self._added.split(AlignedText.of(text), specials=False) if part]
            words = [word for part, token in parts for word in ([part.text] if token else self._words(part))]
        return {"normalize": ["".join(part.text for part, _ in parts)], "pre-tokenize": words}

    @cached_property
    def _added(self) -> AddedTokens:
        """The added tokens, which the library matches before its normalizer and after it."""
        normalizer = self.as_text.normalizer
        whole = _make_one_token(normalizer=json.loads(normalizer.__getstate__()) if normalizer else None)

        def normalize(text: AlignedText) -> AlignedText:
            if not normalizer:
                return text
            removed = next((start for start, _ in whole.encode(text.text).offsets), 0)
            return AlignedText.of(normalizer.normalize_str(text.text), text.at + removed)

        rules = ("lstrip", "rstrip", "single_word", "normalized", "special")
        tokens = [
            AddedToken(token.content, id, *(getattr(token, rule) for rule in rules))
            for id, token in self.as_text.get_added_tokens_decoder().items()
        ]
        return AddedTokens(tokens, normalize)

    def _words(self, part: AlignedText) -> list[str]:
        splitter = self.as_text.pre_tokenizer if not part.at else self._inner_splitter
        return [word for word, _ in splitter.pre_tokenize_str(part.text)] if splitter else [part.text]

    @cached_property
    def _inner_splitter(self) -> Any:
        """The pre-tokenizer of text after an added token, where a ▁ that only the first word gets is not added."""
        state = self.as_text.pre_tokenizer.__getstate__() if self.as_text.pre_tokenizer else b"null"
        inner = state.replace(b'"prepend_scheme":"first"', b'"prepend_scheme":"never"')
        return _make_one_token(pre_tokenizer=json.loads(inner)).pre_tokenizer

    def decode(self, ids: Sequence[int]) -> bytes:
        for id in {*ids}:
            self.entry(id)  # raises `UnknownId`
        with _panics():  # its Strip of a decoder panics where nothing is left
            text: str = self.as_text.decode([*ids], skip_special_tokens=False)
        if "\ufffd" in text and type(self.as_text.decoder).__name__ == "ByteLevel":
            return join_byte_level(filter(None, map(self.as_text.id_to_token, ids)))  # parts of characters, too
        return text.encode()

    def entry(self, id: int) -> VocabEntry:
        piece = self.as_text.id_to_token(id) if 0 <= id < len(self.flags) else None
        if piece is None:
            raise UnknownId(id, vocab_size=len(self.flags))
        return self.spelling.entry(id, piece)

    @property
    def byte_level(self) -> bool:
        """True if each character of a piece spells one byte."""
        return self.spelling.byte_level


@contextmanager
def _panics(unknown: str | None = None) -> Iterator[None]:
    """Turn an error or panic of the library into `EngineFailed`, or `BacktrackLimit` if Oniguruma exceeded its own.

    It becomes `NoUnknownToken` if the `unknown` token is missing.
    """
    try:
        yield
    except BaseException as error:  # pyo3's PanicException is no Exception and cannot be imported
        if isinstance(error, Exception):
            if NEEDS_UNKNOWN.search(str(error)):
                raise NoUnknownToken(unknown) from None
            raise EngineFailed(f"tokenizers failed on this text: {reason(error)}.") from None
        if type(error).__name__ != "PanicException":
            raise
        if "-limit-in-" in str(error):
            raise BacktrackLimit(
                "A regular expression of tokenizers exceeded its backtracking limit on this text."
            ) from None
        raise EngineFailed("tokenizers panicked on this text.") from None


def adapt_tokenizer(
    info: TokenizerInfo, library: "Library", *, engine: Engine, gaps: bool = True
) -> HuggingFaceTokenizer:
    """Return a library tokenizer, whose special tokens are registered, as a `Tokenizer`.

    `gaps`: some ids may have no token, so that there are larger ones than their number.
    """
    as_text = _copy_tokenizer(library)
    as_text.encode_special_tokens = True
    spelling = _detect_spelling(library)
    ids = library.get_vocab(with_added_tokens=True).values() if gaps else ()
    top = max(library.get_vocab_size(with_added_tokens=True) - 1, *ids, *spelling.added, 0)
    flags = np.zeros(top + 1, np.uint8)
    for byte in range(256) if spelling.byte_pieces else ():
        if (id := library.token_to_id(f"<0x{byte:02X}>")) is not None and id not in spelling.added:
            flags[id] = BYTE_FALLBACK
    flags[list(spelling.special)] = SPECIAL
    if spelling.unknown_id is not None:
        flags[spelling.unknown_id] = UNKNOWN
    each = 900 if type(library.model).__name__ == "Unigram" else 230  # as measured
    return HuggingFaceTokenizer(
        info=info,
        parsing=library,
        as_text=as_text,
        flags=flags,
        spelling=spelling,
        nbytes=each * len(flags),
        engine=engine,
    )


def _make_one_token(**stages: Any) -> "Library":
    """Return a tokenizer of the library with these stages, as JSON, that makes one token of any word."""
    from tokenizers import Tokenizer

    model = {"type": "WordLevel", "vocab": {"": 0}, "unk_token": ""}
    return Tokenizer.from_str(json.dumps({"version": "1.0", "added_tokens": [], "model": model, **stages}))


def _copy_tokenizer(library: "Library") -> "Library":
    """Return a second tokenizer around the same model, which is most of it."""
    from tokenizers import Tokenizer

    copy = Tokenizer(library.model)
    _set_stages(copy, library)
    tokens = sorted(library.get_added_tokens_decoder().items())
    _add_tokens(copy, [token for _, token in tokens])
    same = all(copy.token_to_id(token.content) == id for id, token in tokens)
    return copy if same else Tokenizer.from_str(library.to_str())


def _set_stages(library: "Library", source: "Library") -> None:
    """Give a tokenizer the components of another."""
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if (part := getattr(source, name)) is not None:
            setattr(library, name, part)


def _add_tokens(library: "Library", tokens: Iterable["Added"]) -> None:
    """Add tokens in order."""
    for special, group in groupby(tokens, key=attrgetter("special")):
        add = library.add_special_tokens if special else library.add_tokens
        add([*group])


def _detect_spelling(library: "Library") -> Spelling:
    """Return how the vocabulary of a library tokenizer spells bytes."""
    model = library.model
    unknown = getattr(model, "unk_token", None)
    byte_fallback = bool(getattr(model, "byte_fallback", False))
    unknown_id = None if unknown is None else library.token_to_id(unknown)
    if type(model).__name__ == "Unigram":  # has no attributes for them, and a long list between them in its JSON
        state = model.__getstate__()
        id = UNKNOWN_ID.match(state)
        unknown_id = int(id[1]) if id else None
        unknown = None if unknown_id is None else library.id_to_token(unknown_id)
        byte_fallback = state.endswith(b'"byte_fallback":true}')
    stages = {stage: getattr(library, stage) for stage in ("normalizer", "pre_tokenizer", "decoder")}
    parts = [part for stage, own in stages.items() if own for part in flatten(json.loads(own.__getstate__()), stage)]
    kinds = {part["type"] for part in parts}
    tokens = library.get_added_tokens_decoder()
    return Spelling(
        byte_level="ByteLevel" in kinds,
        byte_pieces=byte_fallback or "ByteFallback" in kinds,
        mark=find_space_mark((part["type"], part) for part in parts),
        prefix=getattr(model, "continuing_subword_prefix", None) or "",
        suffix=getattr(model, "end_of_word_suffix", None) or "",
        unknown=unknown,
        unknown_id=unknown_id,
        added={id: token.content for id, token in tokens.items()},
        special=frozenset(id for id, token in tokens.items() if token.special),
    )


def load_packed_json(info: TokenizerInfo, *, file: PackedJson) -> HuggingFaceTokenizer:
    """Build the tokenizer of a packed `tokenizer.json`. Raises `BadFile` if ids would differ."""
    from tokenizers import AddedToken, Tokenizer, models

    spec = {name: value for name, value in file.header["model"].items() if name != "type" and value is not None}
    model = models.BPE(vocab=file.vocabulary, merges=[*file.merges], **spec)
    small = {**file.header, "model": {"type": "BPE", "vocab": {}, "merges": []}, "added_tokens": []}
    library = Tokenizer.from_str(json.dumps(small))
    library.model = model
    tokens = file.header["added_tokens"]
    _add_tokens(library, [AddedToken(**{key: value for key, value in one.items() if key != "id"}) for one in tokens])
    for token in tokens:
        if library.token_to_id(token["content"]) != token["id"]:
            raise BadFile(f"tokenizers gives {token['content'][:40]!r} of {info.id} another id.")
    return adapt_tokenizer(info, library, engine="tokenizers", gaps=False)


def load_json(info: TokenizerInfo, *, file: bytes, trusted: bool = True) -> HuggingFaceTokenizer:
    """Read a `tokenizer.json`. Raises `BadFile` if the library cannot.

    The patterns of a file that is not `trusted` are bounded before they are compiled, and searched with a time limit.
    """
    top = None if trusted else read_json(file)
    patterns = tuple(_find_untrusted_patterns(top)) if top else ()
    library = read_library(_repair(file, top) if top else file)
    library.no_truncation()
    library.no_padding()
    if getattr(library.model, "dropout", None):
        library.model.dropout = None
    return replace(adapt_tokenizer(info, library, engine="tokenizers"), untrusted=patterns)


def read_library(file: bytes) -> "Library":
    """Return the library's tokenizer of a file. Raises `BadFile` with the reasons of both engines."""
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_buffer(file)
    except BaseException as error:  # the library raises bare Exception, and pyo3's PanicException is not even that
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        detail = f"tokenizers cannot read the file: {reason(error)}."
        try:
            read_once(file)
        except BadFile as own:
            detail = f"{own.detail} {detail}"
        raise BadFile(detail) from None


def _repair(file: bytes, top: dict[str, Any]) -> bytes:
    """Return a file that the library reads as this project does; without a byte order mark, which it refuses."""
    if repair_json(top)[0] == top:
        return file.removeprefix(BOM_UTF8)
    changed, _ = repair_json(json.loads(file.decode("utf-8-sig")))  # numbers as they are spelled
    return json.dumps(changed, ensure_ascii=False).encode()


def _find_untrusted_patterns(top: dict[str, Any]) -> Iterator["regex.Pattern[str]"]:
    """Yield the patterns of a `tokenizer.json` that `regex` can read. Raises `BadFile` for one that is too complex."""
    for source in patterns_of_json(top):
        check_pattern_complexity(source)
        with suppress(Invalid):  # another dialect; the worker's limits hold
            yield compile_untrusted(source)
