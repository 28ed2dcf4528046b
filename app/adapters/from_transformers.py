"""Hugging Face's tokenizers, and transformers' AutoTokenizer over them, behind the `Tokenizer` protocol."""

import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import numpy as np
from numpy.typing import NDArray

from app.adapters.pieces import KINDS, raw_entry
from app.adapters.spans import column, exact_or_outward, spanned
from app.adapters.special import refuse
from app.errors import BadFile, EngineFailed, Unavailable, UnknownId
from app.types import (
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

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

FAMILIES: Mapping[str, Family] = {"BPE": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram", "WordLevel": "word"}


@dataclass(frozen=True, eq=False)
class HuggingFaceTokenizer:
    """A `tokenizers.Tokenizer`, twice: one matches special tokens, one reads them as text.

    `alphabet` says which byte a character of a piece spells, where the vocabulary is byte-level.
    """

    info: TokenizerInfo
    parsing: "Library"
    as_text: "Library"
    flags: NDArray[np.uint8]
    alphabet: Mapping[str, int]
    nbytes: int
    engine: Engine

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        if special == "refuse":
            refuse(text, self.info.special_tokens)
        library = self.parsing if special == "parse" else self.as_text
        try:  # a batch of one, since only batches release the interpreter lock
            found = library.encode_batch([text], add_special_tokens=False)[0]
        except BaseException as error:  # the library's panic is no Exception and has no importable name
            if type(error).__name__ != "PanicException":
                raise
            raise EngineFailed("tokenizers panicked on this text.") from None
        data = text.encode()
        raws = {id: self.entry(id).raw for id in set(found.ids)}
        offsets = column(found.offsets).reshape(-1, 2)
        starts, ends = exact_or_outward(found.ids, offsets, raws=raws, data=data)
        ids = np.array(found.ids, np.uint32)
        return spanned(ids, starts, ends, text=text, data=data, flags=self.flags[ids])

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """The text as the library normalizes it, and the words it makes of that."""
        normalizer, splitter = self.as_text.normalizer, self.as_text.pre_tokenizer
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


def byte_level_alphabet() -> dict[str, int]:
    """GPT-2's spelling of bytes as printable characters (Radford et al. 2019): which byte a character spells.

    >>> byte_level_alphabet()["Ġ"], len(byte_level_alphabet())
    (32, 256)
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


def adapted(info: TokenizerInfo, library: "Library", *, engine: Engine) -> HuggingFaceTokenizer:
    """Wrap a library tokenizer whose special tokens are registered."""
    from tokenizers import Tokenizer

    as_text = Tokenizer.from_str(described := library.to_str())
    as_text.encode_special_tokens = True
    vocabulary = library.get_vocab(with_added_tokens=True)
    flags = np.zeros(max(vocabulary.values(), default=-1) + 1, np.uint8)
    for byte in range(256):
        if (id := vocabulary.get(f"<0x{byte:02X}>")) is not None:
            flags[id] = BYTE_FALLBACK
    flags[list(info.special_tokens.values())] = SPECIAL
    unknown = getattr(library.model, "unk_token", None)
    if type(library.model).__name__ == "Unigram":  # which does not tell
        unknown = library.id_to_token(json.loads(described)["model"]["unk_id"] or 0)
    if unknown in vocabulary:
        flags[vocabulary[unknown]] = UNKNOWN
    alphabet = byte_level_alphabet() if "ByteLevel" in repr(library.decoder) else {}
    return HuggingFaceTokenizer(info, library, as_text, flags, alphabet, 600 * len(flags), engine)


def load_bert(info: TokenizerInfo, *, vocab: bytes) -> HuggingFaceTokenizer:
    """WordPiece over a `vocab.txt`, with BERT's normalizer and pre-tokenizer (Devlin et al. 2019)."""
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


def load_json(info: TokenizerInfo, *, file: bytes) -> HuggingFaceTokenizer:
    """A `tokenizer.json`. Raises `BadFile` where the library cannot read it."""
    from tokenizers import Tokenizer

    try:
        library = Tokenizer.from_buffer(file)
    except ValueError as error:
        raise BadFile(f"tokenizers cannot read the file of {info.id}.") from error
    return adapted(info, library, engine="tokenizers")


def load_auto(info: TokenizerInfo) -> HuggingFaceTokenizer:
    """A local directory or a hub id, through `transformers.AutoTokenizer`; code from the hub is never run.

    Raises `Unavailable`, naming the model, where it is neither at hand nor reachable.
    """
    auto = _pretrained(info.id, offline=True)
    if auto is None and not Path(info.id).is_dir() and _hub_reachable():
        auto = _pretrained(info.id, offline=False)
    if auto is None:
        where = "in this folder" if Path(info.id).is_dir() else "at hand, and the hub does not give it to us now"
        raise Unavailable(f"There is no readable tokenizer {info.id} {where}.")
    library: Library | None = getattr(auto, "backend_tokenizer", None)
    if library is None:
        raise Unavailable(f"{info.id} has no fast tokenizer, which Tokenarium needs for spans.")
    return adapted(_described(info, auto, library), library, engine="transformers")


def _pretrained(name: str, *, offline: bool) -> Any:
    """What AutoTokenizer makes of a name, from files at hand or also from the hub; None where it cannot."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(name, trust_remote_code=False, local_files_only=offline)
    except (OSError, ValueError):
        return None


def _hub_reachable() -> bool:
    """Whether a connection to the hub can be opened; the library itself would try for the better part of a minute."""
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


def _described(info: TokenizerInfo, auto: Any, library: "Library") -> TokenizerInfo:
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
