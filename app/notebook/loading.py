"""Load tokenizers, count tokens, and turn texts into ids and back, with the libraries of the tokenizers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ..errors import EngineFailed, LoneSurrogate
from ..lab.models import resolve_model
from ..registry import Registry
from ..settings import Settings
from ..types import Batched, SpecialPolicy, Tokenizer, TokenizerInfo

if TYPE_CHECKING:
    from ..lab.tokenize import Tokenization
    from .display import ShownTokens

DEFAULT_TOKENIZER = "gpt-4o"


@lru_cache(maxsize=1)
def registry() -> Registry:
    """Return the tokenizers that this process shares, those of the store and those of the environment's settings."""
    return Registry(Settings.from_env())


def load(name: str = DEFAULT_TOKENIZER, *, engine: str | None = None) -> LoadedTokenizer:
    """Return a tokenizer by its id or by the name of a model.

    `engine` is the reference library of the tokenizer unless one is named; `scratch` is the Python implementation.

    >>> t = load("gpt-4o")
    >>> t.encode("Hello, world"), t.decode([13225, 11]), t.count("Hello, world")
    ([13225, 11, 2375], 'Hello,', 3)

    Raises `UnknownTokenizer`, which suggests the nearest names, `UnknownEngine`, `Unavailable`.
    """
    return LoadedTokenizer(registry().get(resolve_model(registry(), name), engine))


def count(text: str, tokenizer: str = DEFAULT_TOKENIZER, *, special: SpecialPolicy = "text") -> int:
    """Return the number of tokens of a text.

    >>> count("Hello, world", "gpt-4o")
    3

    Raises what `load` and `LoadedTokenizer.encode` raise.
    """
    return load(tokenizer).count(text, special=special)


@dataclass(frozen=True)
class LoadedTokenizer:
    """A tokenizer, ready to use."""

    tokenizer: Tokenizer

    @property
    def info(self) -> TokenizerInfo:
        """Its id, engines, size of vocabulary, special tokens and source."""
        return self.tokenizer.info

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> list[int]:
        """Return the ids of a text. Raises `LoneSurrogate`, `SpecialTokenRefused`, `EngineFailed`."""
        return [*self._find_ids(text, special)]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids; bytes that are no UTF-8 become U+FFFD. Raises `UnknownId`."""
        return self.tokenizer.decode(ids).decode(errors="replace")

    def count(self, text: str, *, special: SpecialPolicy = "text") -> int:
        """Return the number of tokens of a text. Raises what `encode` raises."""
        return len(self._find_ids(text, special))

    def tokens(self, text: str, *, special: SpecialPolicy = "text") -> list[str]:
        """Return the tokens of a text as they are spelled in the vocabulary. Raises what `encode` raises."""
        return [token.entry.piece for token in self._tokenization(text, special).tokens()]

    def show(self, text: str, *, special: SpecialPolicy = "text") -> ShownTokens:
        """Return the tokens of a text, to be displayed. Raises what `encode` raises."""
        from .display import ShownTokens  # with all that a page needs, which a count is spared

        return ShownTokens(self._tokenization(text, special))

    def _find_ids(self, text: str, special: SpecialPolicy) -> Sequence[int]:
        """Return the ids of a text, by the library alone where it gives them; another engine may if it fails."""
        if special == "text" and (ids_of := self._library_ids) is not None:
            try:
                return ids_of(text)
            except UnicodeEncodeError as error:
                raise LoneSurrogate(error.start) from None
            except EngineFailed:
                pass
        ids: list[int] = self._tokenization(text, special).encoding.ids.tolist()
        return ids

    @cached_property
    def _library_ids(self) -> Callable[[str], Sequence[int]] | None:
        return self.tokenizer.ids if isinstance(self.tokenizer, Batched) else None

    def _tokenization(self, text: str, special: SpecialPolicy) -> Tokenization:
        from ..lab.tokenize import tokenize  # with numpy, which a count is spared

        return tokenize(registry(), text, tokenizer=self.info.id, engine=self.tokenizer.engine, special=special)

    def __repr__(self) -> str:
        return f"<tokenizer {self.info.id}, engine {self.tokenizer.engine}>"
