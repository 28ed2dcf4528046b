"""The four stages in a row: normalize, pre-tokenize, model, post-process, with added tokens found before them.

So tokenizers are described by a `tokenizer.json`, and so most that are published can be put together.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from app.scratch.added import AddedToken, AddedTokens
from app.scratch.aligned import Aligned
from app.scratch.merges import Piece
from app.scratch.normalize import Normalizer
from app.scratch.normalize import in_turn as normalized
from app.scratch.postprocess import Processor, Row
from app.scratch.postprocess import in_turn as processed
from app.scratch.words import Splitter
from app.scratch.words import in_turn as pretokenized


class Model(Protocol):
    """What cuts a word."""

    def pieces(self, word: str) -> list[Piece]: ...


class Pipeline:
    """A tokenizer of stages.

    >>> from app.scratch.normalize import lowercase
    >>> from app.scratch.words import whitespace
    >>> from app.scratch.word_models import WordLevel
    >>> model = WordLevel({"the": 0, "?": 1}, unknown="?")
    >>> Pipeline(model, normalizers=[lowercase], splitters=[whitespace]).encode("The cat")
    [(0, 0, 3), (1, 4, 7)]
    """

    def __init__(
        self,
        model: Model,
        *,
        normalizers: Sequence[Normalizer] = (),
        splitters: Sequence[Splitter] = (),
        processors: Sequence[Processor] = (),
        added: Sequence[AddedToken] = (),
        spelled: Mapping[int, str] | None = None,
    ) -> None:
        self.model = model
        self.splitters = splitters
        self.processors = processors
        self.spelled = spelled or {}
        self.added = AddedTokens(added, lambda text: normalized(normalizers, text))

    def words(self, text: str, *, specials: bool = True) -> Iterator[tuple[Aligned, AddedToken | None]]:
        """The words before the model, and the added tokens among them."""
        for part, token in self.added.cut(Aligned.of(text), specials=specials):
            if token:
                yield part, token
            else:
                yield from ((word, None) for word in pretokenized(self.splitters, part))

    def encode(self, text: str, *, specials: bool = True, around: bool = False) -> list[Row]:
        """The tokens with the code points they cover. A word that comes again is looked up.

        `specials` reads special tokens that are spelled out, `around` adds those that a model expects.
        """
        rows: list[Row] = []
        spelled: list[str] = []
        known: dict[str, list[Piece]] = {}
        for word, token in self.words(text, specials=specials):
            if token:
                rows.append((token.id, *word.span(0, len(word))))
                spelled.append(word.text)
                continue
            pieces = known.get(word.text)
            if pieces is None:
                pieces = known[word.text] = self.model.pieces(word.text)
            rows += [(id, *word.span(start, end)) for id, start, end in pieces]
            spelled += [self.spelled.get(id, "") for id, _, _ in pieces]
        return processed(self.processors, rows, spelled, around)
