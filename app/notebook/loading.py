"""Load tokenizers, count tokens, and turn texts into ids and back, with the libraries of the tokenizers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import EngineFailed, Invalid
from ..lab.models import resolve_model
from ..registry import Registry
from ..settings import Settings
from ..types import Batched, SpecialPolicy, Tokenizer, TokenizerInfo

if TYPE_CHECKING:
    from ..lab.text_splitter import TextSplitter
    from ..lab.tokenize import Tokenization
    from .display import ShownTokens

DEFAULT_TOKENIZER = "gpt-4o"
PART = 1 << 16
"""Characters of a part of a text that comes in pieces, at least."""


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
        """Return the ids of a text. `special`: special tokens in it are text, parsed, or refused.

        Raises `LoneSurrogate`, `SpecialTokenRefused`, `EngineFailed`, and `Invalid` for another `special`.
        """
        return [*self._find_ids(text, special)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; bytes that are no UTF-8 become U+FFFD. Raises `UnknownId`."""
        return self.tokenizer.decode([*ids]).decode(errors="replace")

    def count(self, text: str, *, special: SpecialPolicy = "text") -> int:
        """Return the number of tokens of a text. Raises what `encode` raises."""
        return len(self._find_ids(text, special))

    def tokens(self, text: str, *, special: SpecialPolicy = "text") -> list[str]:
        """Return the tokens of a text as they are spelled in the vocabulary. Raises what `encode` raises."""
        return [token.entry.piece for token in self._tokenization(text, special).tokens()]

    def offsets(self, text: str, *, special: SpecialPolicy = "text") -> list[tuple[int, int]]:
        """Return the code points of the text that each token covers, half-open; a character may have several tokens.

        >>> load("gpt-4o").offsets("Hello 🌍")
        [(0, 5), (5, 7), (6, 7)]

        Raises what `encode` raises.
        """
        return self._tokenization(text, special).encoding.char_spans

    def encode_batch(self, texts: Iterable[str], *, special: SpecialPolicy = "text") -> list[list[int]]:
        """Return the ids of each text. Raises what `encode` raises, and `Invalid` for one text instead of several.

        >>> load("gpt-4o").encode_batch(["Hello", "Hello, world"])
        [[13225], [13225, 11, 2375]]
        """
        if isinstance(texts, str):  # whose characters would be texts
            raise Invalid("A batch has several texts; give one text to encode or count, or [text].")
        texts = [*texts]
        if special == "text" and isinstance(self.tokenizer, Batched):
            with suppress(EngineFailed, UnicodeEncodeError):  # some text of them, which is found one by one
                return [[*ids] for ids in self.tokenizer.ids_of_many(texts)]
        return [self.encode(text, special=special) for text in texts]

    def count_batch(self, texts: Iterable[str], *, special: SpecialPolicy = "text") -> list[int]:
        """Return the number of tokens of each text. Raises what `encode` raises."""
        return [*map(len, self.encode_batch(texts, special=special))]

    def decode_batch(self, batch: Iterable[Iterable[int]]) -> list[str]:
        """Return the text of each list of ids. Raises what `decode` raises."""
        return [*map(self.decode, batch)]

    def iter_encode(self, texts: Iterable[str], *, special: SpecialPolicy = "text") -> Iterator[int]:
        """Yield the ids of one text that comes in pieces, such as a file: those that `encode` gives the whole of it.

        It is cut before spaces between letters or digits, where no token of the tokenizer can reach across, into parts
        of `PART` characters; of a text without such places, more are in memory.

        >>> [*load("gpt-4o").iter_encode(["Hel", "lo, wor", "ld"])]
        [13225, 11, 2375]

        Raises `Invalid` at once where such places are not known: for unigram models of SentencePiece, some files of
        users, words, and `special="refuse"`. Otherwise raises what `encode` raises.
        """
        self.count("", special=special)  # a wrong value is refused at once
        splitter = self._find_splitter(special)
        if splitter is None or self.info.vocab_size is None:  # words are numbered as a text has them
            why = 'special is "refuse"' if special == "refuse" else f"{self.info.id} has no safe place to cut a text"
            raise Invalid(f"The ids of parts could differ from those of the whole: {why}. Join the pieces for encode.")
        parts = enumerate(splitter.parts(texts, size=PART))
        each = (self._find_ids(splitter.trim(number, part), special) for number, part in parts)
        return chain.from_iterable(each)

    def show(self, text: str, *, special: SpecialPolicy = "text") -> ShownTokens:
        """Return the tokens of a text, to be displayed. Raises what `encode` raises."""
        from .display import ShownTokens  # with all that a page needs, which a count is spared

        return ShownTokens(self._tokenization(text, special))

    def _find_ids(self, text: str, special: SpecialPolicy) -> Sequence[int]:
        """Return the ids of a text, by the library alone where it gives them; another engine may if it fails."""
        if not isinstance(text, str):  # libraries take a list for a pair, or bytes
            raise Invalid(f"A text is a str, not {type(text).__name__}.")
        if special == "text" and (ids_of := self._library_ids) is not None:
            try:
                return ids_of(text)
            except (EngineFailed, UnicodeEncodeError):  # that of a normalized text says not where in the text
                pass
        ids: list[int] = self._tokenization(text, special).encoding.ids.tolist()
        return ids

    @cached_property
    def _find_splitter(self) -> Callable[[SpecialPolicy], TextSplitter | None]:
        from ..lab.text_splitter import find_splitter  # with all that pipelines consist of

        # It takes up to half a second, as it reads all tokens of a pipeline.
        return cache(partial(find_splitter, registry(), self.info.id, self.tokenizer.engine))

    @cached_property
    def _library_ids(self) -> Callable[[str], Sequence[int]] | None:
        return self.tokenizer.ids if isinstance(self.tokenizer, Batched) else None

    def _tokenization(self, text: str, special: SpecialPolicy) -> Tokenization:
        from ..lab.tokenize import tokenize  # with numpy, which a count is spared

        return tokenize(registry(), text, tokenizer=self.info.id, engine=self.tokenizer.engine, special=special)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(load, self.info.id, engine=self.tokenizer.engine), ()  # libraries cannot all be pickled

    def __repr__(self) -> str:
        return f"<tokenizer {self.info.id}, engine {self.tokenizer.engine}>"
