"""Compare an engine of others that is installed with the reference: its ids, its speed, and its smallest difference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from ..errors import Invalid, Unavailable, join_names, reason
from ..files.targets import build_tokenizer_json
from ..files.tiktoken.gigatoken import remove_specials
from ..registry import Registry
from ..store import Record
from ..types import Batched
from .conformance import list_pieces, texts

Encode = Callable[[str], Sequence[int]]
CONTAINED = ("cl100k_base", "o200k_base")
"""The vocabularies that packages of vocabularies contain."""
REPETITIONS = 3
"""How often the texts are tokenized by both, of which the fastest counts."""


def _load_by_name(library: Any, record: Record) -> Encode:
    """Load one of the vocabularies that the package contains: others it might fetch from elsewhere."""
    if record.info.id not in CONTAINED:
        raise Unavailable(f"it contains {join_names(CONTAINED)}")
    encode: Encode = library.get_encoding(record.info.id).encode_ordinary
    return encode


def _load_fastokens(library: Any, record: Record) -> Encode:
    tokenizer = library._native.Tokenizer.from_json_str(build_tokenizer_json(record).decode())
    return lambda text: tokenizer.encode(text, split_special_tokens=True).ids


def _load_kitoken(library: Any, record: Record) -> Encode:
    encode: Encode = partial(
        library.Kitoken.from_tokenizers(build_tokenizer_json(record)).encode, encode_specials=False
    )
    return encode


def _load_nanotoken(library: Any, record: Record) -> Encode:
    tokenizer = library.Tokenizer.from_json(remove_specials(build_tokenizer_json(record)))
    encode: Encode = partial(tokenizer.encode, add_special_tokens=False)
    return encode


OTHER_ENGINES: Mapping[str, tuple[str, str, Callable[[Any, Record], Encode]]] = {
    "bpe-openai": ("bpe-openai", "bpe_openai", _load_by_name),
    "fastokens": ("fastokens", "fastokens", _load_fastokens),
    "kitoken": ("kitoken", "kitoken", _load_kitoken),
    "nanotoken": ("nanotoken", "nanotoken", _load_nanotoken),
    "quicktok": ("quicktok-v1", "quicktok", _load_by_name),
}
"""By the name of an engine its distribution, its package, and what reads a vocabulary for it."""


@dataclass(frozen=True, slots=True)
class EngineComparison:
    """Of `count` texts, of which special tokens are plain text, those with other ids, and those with an error.

    `speed` is that of the engine over that of the reference, one text after another; `smallest` is a text with a
    difference of which no character can be left out.
    """

    tokenizer: str
    engine: str
    reference: str
    count: int
    mismatches: int
    failures: int
    speed: float
    smallest: str | None


def compare_engine(registry: Registry, tokenizer: str, engine: str, *, n: int, seed: int = 0) -> EngineComparison:
    """Compare an engine with the reference on generated texts. Raises `Invalid` if it is missing, `Unavailable`."""
    distribution, package, load = OTHER_ENGINES[engine]
    try:
        library = import_module(package)
    except ModuleNotFoundError:
        raise Invalid(f"{engine} is not installed; pip install {distribution} brings it.") from None
    reference = registry.get(tokenizer)
    try:
        encode = load(library, registry.record(tokenizer))
    except BaseException as error:  # panics of libraries are no Exceptions
        _raise_end(error)
        raise Unavailable(f"{engine} cannot read {tokenizer}: {reason(error)}.") from None

    def differs(text: str) -> bool | None:
        """Return None if one of them fails."""
        try:
            return not np.array_equal(encode(text), reference.encode(text).ids)
        except BaseException as error:
            _raise_end(error)
            return None

    drawn = [*islice(texts(seed=seed, pieces=list_pieces(reference)), n)]
    found = {text: differs(text) for text in dict.fromkeys(drawn)}
    different = [text for text in drawn if found[text]]
    clocked = [text for text in drawn if found[text] is not None]
    usual: Callable[[str], object] = reference.ids if isinstance(reference, Batched) else reference.encode
    seconds = [(_measure(usual, clocked), _measure(encode, clocked)) for _ in range(REPETITIONS)]
    own, others = (min(column) for column in zip(*seconds, strict=True))
    return EngineComparison(
        tokenizer=tokenizer,
        engine=f"{engine} {version(distribution)}",
        reference=reference.engine,
        count=n,
        mismatches=len(different),
        failures=n - len(clocked),
        speed=own / others,
        smallest=shrink(min(different, key=len), lambda text: differs(text) is True) if different else None,
    )


def _raise_end(error: BaseException) -> None:
    """Raise an error again if it ends the program."""
    if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
        raise error


def _measure(encode: Callable[[str], object], texts: Sequence[str]) -> float:
    start = perf_counter()
    for text in texts:
        encode(text)
    return perf_counter() - start


def shrink(text: str, differs: Callable[[str], bool]) -> str:
    """Return a part of a text, with gaps, that still differs, and no more if any one character is left out.

    >>> shrink("some words, and more", lambda text: "," in text and "m" in text)
    ',m'
    """
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            if (shorter := text[:start] + text[start + size :]) and differs(shorter):
                text = shorter
                break
        else:
            size //= 2
    return text
