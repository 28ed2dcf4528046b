"""The pipeline of Hugging Face `tokenizers`: added tokens, normalizer, pre-tokenizer, model, post-processor.

A `tokenizer.json` describes such a pipeline; most published tokenizers can be assembled from these parts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from ...fast.bpe.encode_pairs import PairBPE, Piece
from ..aligned import AlignedText
from .added_tokens import AddedToken, AddedTokens
from .batches import PipelineEncoding, PipelineToken
from .component import Normalizer, PostProcessorComponent, Splitter
from .normalizers import apply_normalizers as normalized
from .pre_tokenizers import apply_splitters as pretokenized
from .word_models import WordUnigram

Row = tuple[int, int, int]
"""(id, start, end): a token and its span in code points of the input."""


Words = Iterator[tuple[AlignedText, AddedToken | None]]
"""Words that the model gets, and added tokens between them."""


class WordModel(Protocol):
    """Tokenizes one word."""

    def pieces(self, word: str) -> list[Piece]: ...


class Pipeline:
    """A tokenizer assembled from stages.

    >>> from tokenarium.scratch.compat.pipeline.normalizers import Lowercase
    >>> from tokenarium.scratch.compat.pipeline.pre_tokenizers import Whitespace
    >>> from tokenarium.scratch.compat.pipeline.word_models import WordLevel
    >>> model = WordLevel({"the": 0, "?": 1}, unknown="?")
    >>> Pipeline(model, normalizers=[Lowercase().normalize], splitters=[Whitespace().pre_tokenize]).encode("The cat")
    [(0, 0, 3), (1, 4, 7)]
    """

    def __init__(
        self,
        model: WordModel,
        *,
        normalizers: Sequence[Normalizer] = (),
        splitters: Sequence[Splitter] = (),
        processors: Sequence[PostProcessorComponent] = (),
        added: Sequence[AddedToken] = (),
        spelled: Mapping[int, str] | None = None,
    ) -> None:
        self.model = model
        self.splitters = splitters
        self.processors = processors
        self.changing = [part for part in processors if part.changes_tokens]
        self.spelled = spelled or {}
        # The library spells an unknown token of Unigram as the text has it.
        self.spelled_as_text = model.unknown if isinstance(model, WordUnigram) else None
        self.passes_end = isinstance(model, PairBPE) and model.passes_end
        self.added = AddedTokens(added, lambda text: normalized(normalizers, text))

    def words(self, text: str, *, specials: bool = True) -> Words:
        """Yield the words that the model gets, and the added tokens between them."""
        for part, token in self.added.split(AlignedText.of(text), specials=specials):
            if token:
                yield part, token
            else:
                yield from ((word, None) for word in pretokenized(self.splitters, part))

    def encode(self, text: str, *, specials: bool = True, add_special_tokens: bool = False) -> list[Row]:
        """Return the tokens, as (id, start, end) in code points of the input. Equal words are tokenized once.

        `specials`: parse special tokens in the text; `add_special_tokens`: add those that the model expects around it.
        """
        words = self.words(text, specials=specials)
        rows = self._encode(words, add_special_tokens=add_special_tokens, text=text)
        size = len(text)
        return [(id, min(start, size), min(end, size)) for id, start, end in rows] if self.passes_end else rows

    def _encode(self, words: Words, *, add_special_tokens: bool, text: str) -> list[Row]:
        rows = list[Row]()
        spelled = list[str]()
        processors = self.processors if add_special_tokens else self.changing
        cache: dict[str, list[Piece]] = {}  # words repeat often; lives for one text, so it needs no limit
        for word, token in words:
            if token:
                rows.append((token.id, *word.span(0, len(word))))
                spelled.append(word.text)
                continue
            pieces = cache.get(word.text)
            if pieces is None:
                pieces = cache[word.text] = self.model.pieces(word.text)
            if self.passes_end:
                rows += [(id, *_find_span(word, start, end, text)) for id, start, end in pieces]
            else:
                rows += [(id, *word.span(start, end)) for id, start, end in pieces]
            if processors:
                spelled += [self._spell(word.text, *piece) for piece in pieces]
        return _post_process(processors, rows, spelled, add_special_tokens) if processors else rows

    def _spell(self, word: str, id: int, start: int, end: int) -> str:
        return word[start:end] if id == self.spelled_as_text else self.spelled.get(id, "")


def _find_span(word: AlignedText, start: int, end: int, text: str) -> tuple[int, int]:
    """Return the span of a token of a word; see `PairBPE.pieces` for those that pass the end of it.

    The library takes positions in bytes of such a word for those of the text, and the end of a token that passes the
    end of the text for the second character after its start.
    """
    if end <= len(word):
        return word.span(start, end)
    data = text.encode()
    first, last = start - len(word), end - len(word)
    if first >= len(data):
        return first, last
    first = len(data[:first].decode(errors="ignore"))
    return first, first + 2 if last > len(data) else len(data[:last].decode(errors="ignore"))


def _post_process(
    processors: Sequence[PostProcessorComponent], rows: list[Row], spelled: Sequence[str], add_special_tokens: bool
) -> list[Row]:
    tokens = [PipelineToken(id, text, start, end) for (id, start, end), text in zip(rows, spelled, strict=True)]
    encodings = [PipelineEncoding(tuple(tokens))]
    for processor in processors:
        encodings = processor.process(encodings, add_special_tokens)
    return [(token.id, token.start, token.end) for one in encodings for token in one.tokens]
