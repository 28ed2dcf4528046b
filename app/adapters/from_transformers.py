"""Hugging Face's `tokenizers`, and `transformers.AutoTokenizer` on top of it, as `Tokenizer`s."""

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import numpy as np
from numpy.typing import NDArray

from ..errors import BacktrackLimit, BadFile, EngineFailed, Invalid, Unavailable, UnknownId
from ..formats.patterns import check_pattern_complexity, patterns_of_json
from ..scratch.compat.pre_tokenizers import byte_alphabet
from ..scratch.fast.pretokenize import compile_untrusted, matches
from ..types import (
    BYTE_FALLBACK,
    SPECIAL,
    UNKNOWN,
    Encoding,
    Engine,
    Family,
    Kind,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    VocabEntry,
)
from .spans import column, exact_or_outward, spanned
from .special_tokens import refuse
from .vocab_entries import KINDS, raw_entry

if TYPE_CHECKING:
    import regex
    from tokenizers import Tokenizer as Library

FAMILIES: Mapping[str, Family] = {"BPE": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram", "WordLevel": "word"}


@dataclass(frozen=True, eq=False)
class HuggingFaceTokenizer:
    """A `tokenizers.Tokenizer`, twice: `parsing` matches special tokens, `as_text` treats them as plain text.

    - `flags`: by id, shape `(vocab_size,)`.
    - `alphabet`: the byte that each character of a piece spells; empty unless the vocabulary is byte-level.
    - `untrusted`: patterns of a user. The library searches without a time limit, so each text is first searched here
      with one.
    """

    info: TokenizerInfo
    parsing: "Library"
    as_text: "Library"
    flags: NDArray[np.uint8]
    alphabet: Mapping[str, int]
    nbytes: int
    engine: Engine
    untrusted: tuple["regex.Pattern[str]", ...] = ()

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        if special == "refuse":
            refuse(text, self.info.special_tokens)
        library = self.parsing if special == "parse" else self.as_text
        for pattern in self.untrusted:
            matches(pattern, text)
        with _panics():  # a batch of one, since only batches release the interpreter lock
            result = library.encode_batch([text], add_special_tokens=False)[0]
        data = text.encode()
        raws = {id: self.entry(id).raw for id in set(result.ids)}
        offsets = column(result.offsets).reshape(-1, 2)
        starts, ends = exact_or_outward(result.ids, offsets, raws=raws, data=data)
        ids = np.array(result.ids, np.uint32)
        return spanned(ids, starts, ends, text=text, data=data, flags=self.flags[ids])

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the text as the library normalizes it, and its words."""
        normalizer, splitter = self.as_text.normalizer, self.as_text.pre_tokenizer
        with _panics():
            normal = normalizer.normalize_str(text) if normalizer else text
            words = [word for word, _ in splitter.pre_tokenize_str(normal)] if splitter else [normal]
        return {"normalize": [normal], "pre-tokenize": words}

    def decode(self, ids: Sequence[int]) -> bytes:
        raws = [self.entry(id).raw for id in ids]
        if self.alphabet:
            return b"".join(raws)
        return self.as_text.decode(list(ids), skip_special_tokens=False).encode()

    def entry(self, id: int) -> VocabEntry:
        piece = self.as_text.id_to_token(id) if 0 <= id < len(self.flags) else None
        if piece is None:
            raise UnknownId(id, vocab_size=len(self.flags))
        kind = KINDS[int(self.flags[id])]
        if kind == "special":
            return raw_entry(id, piece.encode(), kind=kind)
        return VocabEntry(id, piece, self._raw(piece, kind), kind)

    def _raw(self, piece: str, kind: Kind) -> bytes:
        if kind == "byte":
            return bytes([int(piece[3:5], 16)])
        if self.alphabet and all(char in self.alphabet for char in piece):
            return bytes(self.alphabet[char] for char in piece)
        return piece.removeprefix("##").replace("▁", " ").encode()


@contextmanager
def _panics() -> Iterator[None]:
    """Turn a panic of the library into `EngineFailed`, or `BacktrackLimit` if Oniguruma exceeded its limit."""
    try:
        yield
    except BaseException as error:  # pyo3's PanicException is no Exception and cannot be imported
        if type(error).__name__ != "PanicException":
            raise
        if "-limit-in-" in str(error):
            raise BacktrackLimit(
                "A regular expression of tokenizers exceeded its backtracking limit on this text."
            ) from None
        raise EngineFailed("tokenizers panicked on this text.") from None


def adapted(info: TokenizerInfo, library: "Library", *, engine: Engine) -> HuggingFaceTokenizer:
    """Return a library tokenizer, whose special tokens are registered, as a `Tokenizer`."""
    from tokenizers import Tokenizer

    as_text = Tokenizer.from_str(serialized := library.to_str())
    as_text.encode_special_tokens = True
    vocabulary = library.get_vocab(with_added_tokens=True)
    flags = np.zeros(max(vocabulary.values(), default=-1) + 1, np.uint8)
    for byte in range(256):
        if (id := vocabulary.get(f"<0x{byte:02X}>")) is not None:
            flags[id] = BYTE_FALLBACK
    flags[list(info.special_tokens.values())] = SPECIAL
    unknown = getattr(library.model, "unk_token", None)
    if type(library.model).__name__ == "Unigram":  # has no attribute for it
        unknown = library.id_to_token(json.loads(serialized)["model"]["unk_id"] or 0)
    if unknown in vocabulary:
        flags[vocabulary[unknown]] = UNKNOWN
    byte_level = "ByteLevel" in repr(library.decoder)
    alphabet = {char: byte for byte, char in enumerate(byte_alphabet())} if byte_level else {}
    return HuggingFaceTokenizer(info, library, as_text, flags, alphabet, 600 * len(flags), engine)


def load_bert(info: TokenizerInfo, *, vocab: bytes) -> HuggingFaceTokenizer:
    """Build WordPiece over a `vocab.txt`, with BERT's normalizer and pre-tokenizer (Devlin et al. 2019)."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    pieces = {piece: id for id, piece in enumerate(vocab.decode().splitlines())}
    if "[UNK]" not in pieces:
        raise BadFile(f"The vocabulary of {info.id} has no [UNK].")
    library = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100))
    library.normalizer = normalizers.BertNormalizer(lowercase=True)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    library.add_special_tokens(list(info.special_tokens))
    return adapted(info, library, engine="tokenizers")


def load_json(info: TokenizerInfo, *, file: bytes, trusted: bool = True) -> HuggingFaceTokenizer:
    """Read a `tokenizer.json`. Raises `BadFile` if the library cannot.

    The patterns of a file that is not `trusted` are bounded before they are compiled, and searched with a time limit.
    """
    from tokenizers import Tokenizer

    patterns = () if trusted else tuple(_untrusted_patterns(file))
    try:
        library = Tokenizer.from_buffer(file)
    except ValueError as error:
        raise BadFile(f"tokenizers cannot read the file of {info.id}.") from error
    return replace(adapted(info, library, engine="tokenizers"), untrusted=patterns)


def _untrusted_patterns(file: bytes) -> Iterator["regex.Pattern[str]"]:
    """Yield the patterns of a `tokenizer.json` that `regex` can read. Raises `BadFile` for one that is too complex."""
    try:
        sources = [*patterns_of_json(json.loads(file))]
    except (ValueError, RecursionError) as error:
        raise BadFile("The tokenizer.json is not JSON.") from error
    for source in sources:
        check_pattern_complexity(source)
        with suppress(Invalid):  # another dialect; the worker's limits hold
            yield compile_untrusted(source)


def load_auto(info: TokenizerInfo) -> HuggingFaceTokenizer:
    """Load a local directory or a hub id by `transformers.AutoTokenizer`; code from the hub is never run.

    Raises `Unavailable` if it is neither on disk nor reachable.
    """
    auto = _pretrained(info.id, offline=True)
    if auto is None and not Path(info.id).is_dir() and _hub_reachable():
        auto = _pretrained(info.id, offline=False)
    if auto is None:
        where = (
            "in this folder"
            if Path(info.id).is_dir()
            else "at hand, and the hub cannot be reached or does not provide it"
        )
        raise Unavailable(f"There is no readable tokenizer {info.id} {where}.")
    library: Library | None = getattr(auto, "backend_tokenizer", None)
    if library is None:
        raise Unavailable(f"{info.id} has no fast tokenizer, which Tokenarium needs for spans.")
    return adapted(_with_metadata(info, auto, library), library, engine="transformers")


def _pretrained(name: str, *, offline: bool) -> Any:
    """Return the AutoTokenizer of a name, from local files or also from the hub; None if it cannot be loaded."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(name, trust_remote_code=False, local_files_only=offline)
    except (OSError, ValueError):
        return None


def _hub_reachable() -> bool:
    """True if a connection to the hub can be opened; the library itself would retry for most of a minute."""
    from huggingface_hub.constants import ENDPOINT, HF_HUB_OFFLINE

    if HF_HUB_OFFLINE:
        return False
    address = urlsplit(getproxies().get("https") or ENDPOINT)
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname or "", port), timeout=3).close()
    except OSError:
        return False
    return True


def _with_metadata(info: TokenizerInfo, auto: Any, library: "Library") -> TokenizerInfo:
    """Fill in what only the loaded tokenizer knows: family, sizes, special tokens, and those around a text."""
    added = library.get_added_tokens_decoder()
    specials = {token.content: id for id, token in added.items() if token.special}
    bare = auto.encode("a", add_special_tokens=False)
    full = auto.encode("a", add_special_tokens=True)
    before = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), len(full))
    spelled = [str(library.id_to_token(id)) for id in full]
    return replace(
        info,
        family=FAMILIES.get(type(library.model).__name__, "other"),
        vocab_size=max(library.get_vocab(with_added_tokens=True).values()) + 1,
        special_tokens=specials,
        prefix=tuple(spelled[:before]),
        suffix=tuple(spelled[before + len(bare) :]),
    )
