"""The from-scratch pipeline of a `tokenizer.json`: each component made from `scratch.compat`, behind `Tokenizer`.

Traces follow WordPiece lookup by lookup, BPE merge by merge and Unigram through its lattice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import UnknownId
from ...scratch.compat.aligned import AlignedText
from ...scratch.compat.pipeline import decoders
from ...scratch.compat.pipeline import encode as stages
from ...scratch.compat.pipeline.added_tokens import AddedToken
from ...scratch.compat.pipeline.component import PipelineComponent, PreTokenizerComponent
from ...scratch.compat.pipeline.encode import Pipeline
from ...scratch.compat.pipeline.normalizers import Replace
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET, ByteLevel, SplitPreTokenizer, join_byte_level
from ...scratch.compat.pipeline.trace import ListedPairs, get_symbols, recorder
from ...scratch.compat.pipeline.word_models import WordLevel, WordUnigram
from ...scratch.fast.bpe.encode_pairs import PairBPE
from ...scratch.fast.wordpiece.encode import WordPiece
from ...scratch.pretokenize import GPT2
from ...types import (
    Encoding,
    EncodingTrace,
    Engine,
    Segmentation,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    TracedWord,
    VocabEntry,
)
from ..from_scratch import units
from ..spans import column, encode_spans, locate_spans
from ..special_tokens import refuse
from ..spelling import Spelling
from ..vocab_entries import KIND_FLAGS, find_space_mark
from .models import JsonModel
from .read import TokenizerJson


def pipeline(file: TokenizerJson) -> stages.Pipeline:
    """Return the pipeline that a file describes."""
    spelled = {**file.spelled} | {token.id: token.content for token in file.added}
    return stages.Pipeline(
        model(file.model),
        normalizers=[part.normalize for part in file.normalizers],
        splitters=[part.pre_tokenize for part in file.splitters],
        processors=file.processors,
        added=file.added,
        spelled=spelled,
    )


def model(spec: JsonModel) -> stages.WordModel:
    """Return the model of a file."""
    match spec.type:
        case "BPE":
            return PairBPE(
                spec.vocabulary,
                spec.pairs,
                made=spec.made,
                unknown=spec.unknown,
                fuse_unk=spec.fuse_unknown,
                ignore_merges=spec.ignore_merges,
                byte_fallback=spec.byte_fallback,
                prefix=spec.prefix,
                suffix=spec.suffix,
            )
        case "WordPiece":
            return WordPiece(spec.vocabulary, unknown=spec.unknown or "", prefix=spec.prefix, max_chars=spec.max_chars)
        case "WordLevel":
            return WordLevel(spec.vocabulary, unknown=spec.unknown or "")
        case _:
            entries = [*zip(spec.vocabulary, spec.scores, strict=True)]
            unknown = None if spec.unknown is None else spec.vocabulary[spec.unknown]
            return WordUnigram(entries, unknown=unknown, byte_fallback=spec.byte_fallback)


def detect_spelling(file: TokenizerJson, added: Mapping[int, str]) -> Spelling:
    """Return how the vocabulary of a file spells bytes; `added` are its added tokens by id."""
    parts: list[PipelineComponent] = [*file.normalizers, *file.splitters, *(file.decoders or ())]
    kinds = {part.type for part in parts}
    unknown = file.model.unknown
    return Spelling(
        byte_level="ByteLevel" in kinds,
        byte_pieces=file.model.byte_fallback or "ByteFallback" in kinds,
        mark=find_space_mark((part.type, vars(part)) for part in parts),
        prefix=file.model.prefix,
        suffix=file.model.suffix,
        unknown=unknown,
        unknown_id=None if unknown is None else file.model.vocabulary.get(unknown),
        added=added,
        special=frozenset(token.id for token in file.added if token.special),
    )


@dataclass(frozen=True, eq=False)
class PipelineTokenizer:
    """A pipeline as a `Tokenizer`.

    - `make_entry`: returns the entry of an id; all at once take longer to make than to read the file.
    - `flags`: by id.
    """

    info: TokenizerInfo
    file: TokenizerJson
    pipeline: stages.Pipeline
    make_entry: Callable[[int], VocabEntry]
    flags: NDArray[np.uint8]
    byte_level: bool
    nbytes: int
    engine: Engine = field(default="scratch", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        if special == "refuse":
            refuse(text, self.info.special_tokens)
        data = text.encode()
        table = np.array(self.pipeline.encode(text, specials=special == "parse"), np.int64).reshape(-1, 3)
        ids = table[:, 0].astype(np.uint32)
        raws = {id: self.make_entry(id).raw for id in {*ids.tolist()}}
        spans = table[:, 1:].astype(np.int32)
        starts, ends = locate_spans(ids.tolist(), spans, raws=raws, data=data, lost=self._lost)
        return encode_spans(ids, starts, ends, text=text, data=data, flags=self.flags[ids])

    @cached_property
    def _lost(self) -> bytes:
        """The bytes that a byte-level model without an unknown token has no token for, and leaves out."""
        vocabulary = self.file.model.vocabulary if self.byte_level else ALPHABET
        return bytes(byte for byte, letter in enumerate(ALPHABET) if letter not in vocabulary)

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> EncodingTrace:
        """Trace a text, step by step."""
        encoding = self.encode(text, special=special)
        specials = special == "parse"
        return pipeline_trace(self.pipeline, text, encoding, specials=specials, file=self.file)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the normalized text, and its words."""
        parts = [part.text for part, _ in self.pipeline.added.split(AlignedText.of(text), specials=False)]
        words = [word.text for word, _ in self.pipeline.words(text, specials=False)]
        return {"normalize": ["".join(parts)], "pre-tokenize": words}

    def decode(self, ids: Sequence[int]) -> bytes:
        for id in {*ids}:
            self.entry(id)  # raises `UnknownId`
        pieces = [self.pipeline.added.spelled.get(id) or self.file.spelled[id] for id in ids]
        parts = self.file.decoders
        if parts is not None and [type(part) for part in parts] == [ByteLevel]:
            return join_byte_level(pieces)
        steps = [decoders.join_with_spaces] if parts is None else [part.decode for part in parts]
        return decoders.apply_decoders(steps, pieces).encode()

    def entry(self, id: int) -> VocabEntry:
        try:
            return self.make_entry(id)
        except KeyError:
            raise UnknownId(id, vocab_size=self.info.vocab_size) from None


def load(info: TokenizerInfo, *, file: TokenizerJson) -> PipelineTokenizer:
    """Build the from-scratch tokenizer of a `tokenizer.json`."""
    stages = pipeline(file)
    added = stages.added.spelled
    spells = detect_spelling(file, added)
    pieces = {**file.spelled, **added}
    return PipelineTokenizer(
        info=info,
        file=file,
        pipeline=stages,
        make_entry=cache(lambda id: spells.entry(id, pieces[id])),
        flags=_list_flags(pieces, spells),
        byte_level=spells.byte_level,
        nbytes=nbytes(file.model),
    )


def nbytes(model: JsonModel) -> int:
    """Return the memory that a model takes with its tokenizer, as measured for each part.

    >>> nbytes(JsonModel("BPE", {"a": 0, "b": 1, "ab": 2}, pairs=(("a", "b"),)))
    1300
    """
    if model.type != "BPE":
        return {"Unigram": 400}.get(model.type, 170) * len(model.vocabulary)
    # Pairs are kept beside the merges that are made of them, unless the file has them in columns.
    return 300 * len(model.vocabulary) + (230 if model.made else 400) * len(model.pairs)


def _list_flags(pieces: Mapping[int, str], spelling: Spelling) -> NDArray[np.uint8]:
    """Return the flags of each id, shape `(largest id + 1,)`."""
    flags = np.zeros(1 + max(pieces, default=-1), np.uint8)
    flags[[*spelling.special]] = KIND_FLAGS["special"]
    if spelling.unknown_id is not None:
        flags[spelling.unknown_id] = KIND_FLAGS["unknown"]
    byte_ids = [id for id, piece in pieces.items() if len(piece) == 6 and piece[:3] == "<0x"]
    for id in byte_ids if spelling.byte_pieces else ():
        flags[id] = KIND_FLAGS[spelling.entry(id, pieces[id]).kind]
    return flags


def pipeline_trace(
    pipeline: Pipeline, text: str, encoding: Encoding, *, specials: bool, file: TokenizerJson
) -> EncodingTrace:
    """Return the trace of a text with its encoding: how each word became tokens, or the tokens if that is not known."""
    pattern, others = find_split_pattern(file)
    plain = replace(units(encoding, text), pretokenized=isinstance(pipeline.model, WordLevel))
    byte_level = file.is_byte_level
    record = recorder(pipeline.model, byte_level=byte_level)
    model = pipeline.model
    if record is None:
        return plain
    segmentations = list[Segmentation]()
    spans = list[tuple[int, int]]()
    raws = dict[int, bytes]()
    for word, token in _parts(pipeline, text, specials=specials):
        segmentation = (
            Segmentation(word.text, ((token.id, 0, len(word)),), special=True) if token else record(word.text)
        )
        segmentations.append(segmentation)
        spans.append(word.span(0, len(word)))
        raws[len(raws)] = _raw(word.text if token else get_symbols(word.text, byte_level=byte_level))
    if [id for segmentation in segmentations for id, _, _ in segmentation.tokens] != encoding.ids.tolist():
        return plain  # the template repeats the text, or a merge takes part of what is not in the vocabulary
    words = _place_words(segmentations, spans, text, raws=raws)
    normal = "".join(part.text for part, _ in pipeline.added.split(AlignedText.of(text), specials=specials))
    common = EncodingTrace("units", words, normal, pattern, pretokenized=others)
    if isinstance(model, WordPiece):
        return replace(common, method="attempts", unknown=model.unknown, prefix=model.prefix)
    if isinstance(model, PairBPE):
        common = replace(common, byte_ids=_byte_ids(model), prefix=model.prefix, suffix=model.suffix)
        unknown = -1 if model.unknown is None else model.unknown
        return replace(common, method="merges", pairs=ListedPairs(model), unknown=unknown)
    if isinstance(model, WordUnigram):
        common = replace(common, byte_ids=_byte_ids(model), lattice=model.model, ids=model.ids)
        return replace(common, method="lattice", unknown=model.model.unknown)
    return common


def _byte_ids(model: PairBPE | WordUnigram) -> list[int]:
    return [id for id in model.bytes if id is not None]


def list_splitters(file: TokenizerJson) -> list[PreTokenizerComponent]:
    """Return the pre-tokenizers without those at spaces of a text in which a normalizer has replaced all spaces."""
    if not any(isinstance(part, Replace) and part.pattern.text == " " for part in file.normalizers):
        return [*file.splitters]
    return [part for part in file.splitters if not (isinstance(part, SplitPreTokenizer) and part.pattern.text == " ")]


def find_split_pattern(file: TokenizerJson) -> tuple[str, bool]:
    """Return the pattern that splits a text into words, if a single one does; and whether anything else does."""
    patterns = list[str]()
    others = 0
    for part in list_splitters(file):  # without Gemma's at spaces, of which there are none left
        if isinstance(part, SplitPreTokenizer):
            patterns.append(part.pattern.translated.pattern)
        elif isinstance(part, ByteLevel):
            patterns += [GPT2] * part.use_regex
        else:
            others += part.type != "BertPreTokenizer" or file.model.type != "WordPiece"
    alone = len(patterns) == 1 and not others
    return patterns[0] if alone else "", bool(patterns or others) and not alone


def _parts(pipeline: Pipeline, text: str, *, specials: bool) -> Iterator[tuple[AlignedText, AddedToken | None]]:
    """Yield the words that the model gets, divided where no token crosses if it has no unknown token."""
    model = pipeline.model
    divide = model.parts if isinstance(model, PairBPE) and len(_byte_ids(model)) == 256 else None
    for word, token in pipeline.words(text, specials=specials):
        if token or divide is None:
            yield word, token
            continue
        start = 0
        for part in divide(word.text):
            yield word[start : start + len(part)], None
            start += len(part)


def _place_words(
    segmentations: list[Segmentation], spans: list[tuple[int, int]], text: str, *, raws: Mapping[int, bytes]
) -> list[TracedWord]:
    """Return words with their byte spans: exact if the words join to the text, even if a character is cut apart.

    A word that the model drops as a whole has no tokens and is left out, but takes its place beside the others.
    """
    starts, ends = locate_spans([*raws], column(spans).reshape(-1, 2), raws=raws, data=text.encode())
    placed = map(TracedWord, segmentations, starts.tolist(), ends.tolist())
    return [word for word in placed if word.segmentation.tokens]


def _raw(symbols: bytes | str) -> bytes:
    return symbols if isinstance(symbols, bytes) else symbols.encode()
