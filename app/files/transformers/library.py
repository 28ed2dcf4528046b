"""Folders and hub ids as `transformers.AutoTokenizer` loads them: a `Tokenizer`, or the `tokenizer.json` it makes."""

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from ...errors import BadFile, Unavailable, naming_extra, reason
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ...types import TokenizerInfo
from ..conversion import REFUSED
from ..tokenizer_json.convert import FAMILIES
from ..tokenizer_json.library import HuggingFaceTokenizer, adapt_tokenizer
from .vocab_files import END

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Library

CLIP_DECODER = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": END}, "content": ALPHABET[ord(" ")]},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        {"type": "Replace", "pattern": {"Regex": r"\A\s+|\s+\z"}, "content": ""},
    ],
}
"""What CLIP's class does in Python when it decodes."""


@dataclass(frozen=True, slots=True)
class AutoReading:
    """What the library makes of a folder: a `tokenizer.json`, special tokens by name, and the name of the class.

    `splits_special`: a special token in a text is ordinary text, which a `tokenizer.json` cannot say.
    """

    file: bytes
    variables: Mapping[str, str]
    class_name: str
    splits_special: bool


def read_auto(files: Mapping[str, bytes], **options: Any) -> AutoReading:
    """Load the files of a folder by their usual names; `options` are of `from_pretrained`.

    Raises `BadFile` if the library cannot, `Unavailable` where it is missing.
    """
    with TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        try:
            auto = _load_pretrained(folder, local_files_only=True, **options)
        except (MemoryError, Unavailable):
            raise
        except BaseException as error:  # pyo3's PanicException is no Exception and cannot be imported
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise BadFile(f"{REFUSED}: {reason(error)}.") from None
    class_name = type(auto).__name__
    library = getattr(auto, "backend_tokenizer", None)
    if library is None:
        raise BadFile(f"transformers loads the folder as {class_name}, a program in Python that no engine here runs.")
    if switch := getattr(auto, "_switch_to_input_mode", None):  # as its call does; the post-processor is another then
        switch()
    names = {name: token for name, token in auto.special_tokens_map.items() if isinstance(token, str)}
    top = json.loads(library.to_str()) | ({"decoder": CLIP_DECODER} if class_name == "CLIPTokenizer" else {})
    return AutoReading(json.dumps(top, ensure_ascii=False).encode(), names, class_name, bool(auto.split_special_tokens))


def load_auto(info: TokenizerInfo, *, name: str) -> HuggingFaceTokenizer:
    """Load a local directory or a hub id by `transformers.AutoTokenizer`; code from the hub is never run.

    Raises `Unavailable` if it is neither on disk nor reachable.
    """
    auto = _try_pretrained(name, offline=True)
    if auto is None and not Path(name).is_dir() and _hub_reachable():
        auto = _try_pretrained(name, offline=False)
    if auto is None:
        where = (
            "in this folder" if Path(name).is_dir() else "at hand, and the hub cannot be reached or does not provide it"
        )
        raise Unavailable(f"There is no readable tokenizer {name} {where}.")
    library: Library | None = getattr(auto, "backend_tokenizer", None)
    if library is None:
        raise Unavailable(f"{name} has no fast tokenizer, which Tokenarium needs for spans.")
    return adapt_tokenizer(_with_metadata(info, auto, library), library, engine="transformers")


def _try_pretrained(name: str, *, offline: bool) -> Any:
    """Return the AutoTokenizer of a name, from local files or also from the hub; None if it cannot be loaded."""
    with suppress(OSError, ValueError):
        return _load_pretrained(name, local_files_only=offline)
    return None


def _load_pretrained(name: str, **options: Any) -> Any:
    """Return the AutoTokenizer of a name, without what the library would print; `options` are of `from_pretrained`.

    Raises `Unavailable` where the library is missing.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # read by the import
    with naming_extra():
        import transformers

    return transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False, **options)


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
