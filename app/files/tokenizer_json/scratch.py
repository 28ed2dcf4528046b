"""The from-scratch pipeline of a `tokenizer.json`: each component made from `scratch.compat`, behind `Tokenizer`.

Traces follow WordPiece lookup by lookup, BPE merge by merge and Unigram through its lattice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import UnknownId
from ...scratch.compat.aligned import AlignedText
from ...scratch.compat.pipeline import decoders, normalizers
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
from ..vocab_entries import KIND_FLAGS, Spelling, find_space_mark
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


def decode_ids(file: TokenizerJson, ids: list[int]) -> str:
    """Decode ids by the file's decoders; ids that the file does not have are skipped.

    An added token that is matched in the normalized text is decoded to its normalized form.
    """
    return _decode(file, get_added_spellings(file), ids)


def _decode(file: TokenizerJson, added: Mapping[int, str], ids: Sequence[int]) -> str:
    steps = [decoders.join_with_spaces] if file.decoders is None else [part.decode for part in file.decoders]
    return decoders.apply_decoders(steps, _list_pieces(file, added, ids))


def _list_pieces(file: TokenizerJson, added: Mapping[int, str], ids: Sequence[int]) -> list[str]:
    pieces = (added.get(id) or file.spelled.get(id) for id in ids)
    return [piece for piece in pieces if piece is not None]


def get_added_spellings(file: TokenizerJson) -> dict[int, str]:
    """Return added tokens by id, those that are matched in the normalized text in their normalized form."""
    steps = [part.normalize for part in file.normalizers]
    return {
        token.id: normalizers.apply_normalizers(steps, AlignedText.of(token.content)).text
        if token.normalized
        else token.content
        for token in file.added
    }


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
    """A pipeline as a `Tokenizer`; `entries` by id; `added`: the spellings of added tokens by id."""

    info: TokenizerInfo
    file: TokenizerJson
    pipeline: stages.Pipeline
    entries: "Entries"
    added: Mapping[int, str]
    byte_level: bool
    nbytes: int
    engine: Engine = field(default="scratch", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        if special == "refuse":
            refuse(text, self.info.special_tokens)
        data = text.encode()
        table = np.array(self.pipeline.encode(text, specials=special == "parse"), np.int64).reshape(-1, 3)
        ids = table[:, 0].astype(np.uint32)
        raws = {id: self.entries[id].raw for id in {*ids.tolist()}}
        spans = table[:, 1:].astype(np.int32)
        starts, ends = locate_spans(ids.tolist(), spans, raws=raws, data=data, lost=self._lost)
        return encode_spans(ids, starts, ends, text=text, data=data, flags=self.entries.flags[ids])

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
        if self.file.decoders is not None and [type(part) for part in self.file.decoders] == [ByteLevel]:
            return join_byte_level(_list_pieces(self.file, self.added, ids))
        return _decode(self.file, self.added, ids).encode()

    def entry(self, id: int) -> VocabEntry:
        if id not in self.entries:
            raise UnknownId(id, vocab_size=self.info.vocab_size)
        return self.entries[id]


def load(info: TokenizerInfo, *, file: TokenizerJson) -> PipelineTokenizer:
    """Build the from-scratch tokenizer of a `tokenizer.json`."""
    added = get_added_spellings(file)
    spells = detect_spelling(file, added)
    entries = Entries({**file.spelled, **added}, spells)
    return PipelineTokenizer(
        info=info,
        file=file,
        pipeline=pipeline(file),
        entries=entries,
        added=added,
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


class Entries(Mapping[int, VocabEntry]):
    """The entries of a vocabulary, each made when it is first needed: all at once take longer than to read the file."""

    def __init__(self, pieces: Mapping[int, str], spelling: Spelling) -> None:
        self.pieces = pieces
        self.spelling = spelling
        self._made: dict[int, VocabEntry] = {}

    def __getitem__(self, id: int) -> VocabEntry:
        if (entry := self._made.get(id)) is None:
            entry = self._made[id] = self.spelling.entry(id, self.pieces[id])
        return entry

    def __contains__(self, id: object) -> bool:
        return id in self.pieces

    def __iter__(self) -> Iterator[int]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """The flags of each id, shape `(largest id + 1,)`."""
        table = np.zeros(1 + max(self.pieces, default=-1), np.uint8)
        spells = self.spelling
        table[[*spells.special]] = KIND_FLAGS["special"]
        if spells.unknown_id is not None:
            table[spells.unknown_id] = KIND_FLAGS["unknown"]
        byte_ids = [id for id, piece in self.pieces.items() if len(piece) == 6 and piece[:3] == "<0x"]
        for id in byte_ids if spells.byte_pieces else ():
            table[id] = KIND_FLAGS[self[id].kind]
        return table


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
