"""Whether ids are those that the tokenizer gives for their text, where not, and what decoding them step by step shows.

A model can write any ids. Those that the tokenizer would not give are lost as soon as they become text: a rollout that
is decoded and tokenized again trains on other ids than were sampled.
"""

from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, zip_longest
from math import exp
from typing import Annotated

from pydantic import ConfigDict, Field

from ..errors import Invalid
from ..registry import Registry
from ..types import SpecialPolicy, Tokenizer, VocabEntry
from .detokenize import Detokenization, detokenize
from .option_schema import Items, Options, declare, validate
from .segmentations import EDGE, MAX_SPELLED, Segmentations, Spellings, WordMarks
from .tokenize import encode_whole
from .vocabulary.columns import VocabularyColumns
from .vocabulary.search import RecentVocabularies

MAX_STEPS = 500
"""Ids whose decoding is shown step by step."""
MAX_SEED = 2**31
LOST = "The unknown token stands for characters that decoding cannot give back, so nobody can tell."
SPACED = "Decoding puts spaces between words, so other texts give these ids, too; segmentations are counted by word."
NO_TEXT = "The ids end or break inside a character: no text becomes them."


class IdsOptions(Options):
    """Ids of a tokenizer, and the seed of the segmentation that is drawn."""

    model_config = ConfigDict(json_schema_extra={"example": {"tokenizer": "o200k_base", "ids": [4161, 746]}})

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    ids: Items[Annotated[int, Field(ge=0, lt=2**32)]] = Field(description="Ids as a model reads or writes them.")
    seed: int = declare("Seed", 0, ge=0, le=MAX_SEED, help="Equal seeds draw the same segmentation")


@dataclass(frozen=True, slots=True)
class IdDifference:
    """The first id that is not that of the tokenizer: its index and both tokens; None where one of the lists ends."""

    index: int
    given: VocabEntry | None
    canonical: VocabEntry | None


@dataclass(frozen=True, slots=True)
class DecodingStep:
    """What a token adds to the decoded text, and the bytes that are held back until their character is whole.

    `erased` is how many characters at the end of the text so far it replaces, where the decoder changes what it wrote.
    """

    entry: VocabEntry
    text: str
    held: bytes
    erased: int = 0


@dataclass(frozen=True, slots=True)
class ExaminedIds:
    """Ids, their text, and what the tokenizer gives for it.

    - `canonical`: True if that is the same; None where it cannot be known, as `notes` say.
    - `special`: how special tokens in the text were read: recognized where the ids have some.
    - `canonical_ids`: the ids that the tokenizer gives; None without a text.
    - `segmentations`: all lists of ids that spell the text; None if they were not counted, as `notes` say.
    - `scores`: the log-probabilities of tokens by id; None unless it is a unigram vocabulary.
    """

    tokenizer: Tokenizer
    ids: Sequence[int]
    decoded: Detokenization
    canonical: bool | None
    special: SpecialPolicy
    canonical_ids: Sequence[int] | None
    difference: IdDifference | None
    segmentations: Segmentations | None
    steps: Sequence[DecodingStep]
    notes: tuple[str, ...]
    scores: Mapping[int, float] | None = None

    def log_probability(self, ids: Sequence[int]) -> float | None:
        """Return the log-probability of ids, in which special tokens do not count; None without scores for them."""
        spelled = [id for id in ids if self.tokenizer.entry(id).kind != "special"]
        if self.scores is None or not self.scores.keys() >= {*spelled}:
            return None
        return sum(map(self.scores.__getitem__, spelled))

    def share(self, ids: Sequence[int]) -> float | None:
        """Return the probability of ids among all segmentations of the text; None if it is not known."""
        one = self.log_probability(ids)
        every = self.segmentations.log_probability if self.segmentations else None
        return None if one is None or every is None else exp(one - every)

    @property
    def others(self) -> int | None:
        """How many lists of ids spell this text beside that of the tokenizer; None if they were not counted."""
        return max(0, self.segmentations.count - 1) if self.segmentations else None


def is_canonical(registry: Registry, ids: Sequence[int], *, tokenizer: str, engine: str | None = None) -> bool:
    """Return whether ids are those that the tokenizer gives for their text.

    Special tokens in the text are recognized if the ids have some, and else read as text. Those that the tokenizer adds
    around a text may be there. Ids with the unknown token are not canonical, since their text is lost.

    >>> from tokenarium.settings import Settings
    >>> registry = Registry(Settings())
    >>> [is_canonical(registry, ids, tokenizer="gpt2") for ids in ([31373], [258, 18798])]
    [True, False]

    Raises `UnknownTokenizer`, `UnknownId`, and what encoding raises.
    """
    return _give_ids(registry, registry.get(tokenizer, engine), ids)[0] == [*ids]


def examine_ids(registry: Registry, vocabularies: RecentVocabularies, options: IdsOptions) -> ExaminedIds:
    """Compare ids with those that the tokenizer gives for their text, and count all segmentations of it.

    Raises `UnknownTokenizer`, `UnknownId` with a pointer to the first unknown id, and what encoding raises.
    """
    validate(options)
    ids = options.ids
    decoded = detokenize(registry, ids, tokenizer=options.tokenizer)
    loaded = registry.get(options.tokenizer)
    given, special, note = _give_ids(registry, loaded, ids)
    notes = [note] if note else [SPACED] if WordMarks.of(loaded) != WordMarks() else []
    segmentations = scores = None
    try:
        if note != LOST:
            columns = vocabularies.columns(registry, options.tokenizer)
            unigram = loaded.info.family == "unigram"
            values = vocabularies.merges(registry, options.tokenizer).scores if unigram else ()
            segmentations, scores = _segment(loaded, columns, given or ids, options.seed, values)
    except Invalid as error:
        notes.append(f"Segmentations are not counted: {error.detail}")
    return ExaminedIds(
        tokenizer=loaded,
        ids=ids,
        decoded=decoded,
        canonical=None if note == LOST else given == ids,
        special=special,
        canonical_ids=given,
        difference=None if given is None else find_difference(loaded, ids, given),
        segmentations=segmentations,
        steps=[*decode_steps(loaded, ids[:MAX_STEPS])],
        notes=tuple(notes),
        scores=scores,
    )


def _give_ids(
    registry: Registry, tokenizer: Tokenizer, ids: Sequence[int]
) -> tuple[list[int] | None, SpecialPolicy, str]:
    """Return the ids that the tokenizer gives for the text of ids, and how special tokens in it were read.

    Those that the tokenizer adds around a text stay where they are. Without a text, None and a sentence that says why.
    """
    info = tokenizer.info
    before, after = ([info.special_tokens[token] for token in side] for side in (info.prefix, info.suffix))
    start = len(before) if [*ids[: len(before)]] == before else 0
    end = len(ids) - len(after) if [*ids[start:]][len(ids) - start - len(after) :] == after else len(ids)
    inner = ids[start:end]
    kinds = {tokenizer.entry(id).kind for id in {*inner}}
    special: SpecialPolicy = "parse" if "special" in kinds else "text"
    text = None if "unknown" in kinds else _decode_text(tokenizer, inner)
    if text is None:
        return None, special, LOST if "unknown" in kinds else NO_TEXT
    _, encoding, _ = encode_whole(registry, tokenizer, text, special=special)
    return [*ids[:start], *encoding.ids.tolist(), *ids[end:]], special, ""


def _decode_text(tokenizer: Tokenizer, ids: Sequence[int]) -> str | None:
    """Return the text of ids, or None if their bytes are none."""
    decoded = tokenizer.decode(ids)
    if suffix := WordMarks.of(tokenizer).suffix.encode():  # CLIP's file has a decoder that leaves them in the text
        return decoded.replace(suffix, b" ").decode(errors="replace")
    with suppress(UnicodeDecodeError):
        return decoded.decode()
    with suppress(UnicodeDecodeError):  # a byte-level decoder breaks an added token, not spelled in its alphabet
        return b"".join(tokenizer.entry(id).raw for id in ids).decode()
    return None


def find_difference(tokenizer: Tokenizer, given: Sequence[int], canonical: Sequence[int]) -> IdDifference | None:
    """Return the first difference of two lists of ids, None if they are equal."""
    for index, pair in enumerate(zip_longest(given, canonical)):
        if pair[0] != pair[1]:
            return IdDifference(index, *(None if id is None else tokenizer.entry(id) for id in pair))
    return None


def describe_ids(found: ExaminedIds) -> str:
    """Return a sentence that says whether ids are canonical, and where they first differ."""
    if found.canonical is None:
        return "It cannot be known whether these ids are canonical."
    if found.canonical:
        return "Canonical: the tokenizer gives these ids for their text."
    if (one := found.difference) is None:
        return "Not canonical: no text becomes these ids."
    given, expected = (f"{token.id} {token.piece!r}" if token else "no token" for token in (one.given, one.canonical))
    return f"Not canonical: at index {one.index:,} there is {given}, where the tokenizer gives {expected}."


def _segment(
    tokenizer: Tokenizer, columns: VocabularyColumns, ids: Sequence[int], seed: int, values: Sequence[float]
) -> tuple[Segmentations, Mapping[int, float] | None]:
    """Return the segmentations of the text that ids spell, special tokens as they are, and the scores of its tokens.

    `values` are the scores of a unigram vocabulary by id, else empty. Raises `Invalid`.
    """
    marks = WordMarks.of(tokenizer)
    if marks.suffix and getattr(tokenizer, "byte_level", False):
        raise Invalid("the bytes of its tokens do not say where a word ends.")
    parts = list[bytes | int]()
    known = {id: tokenizer.entry(id) for id in {*ids}}  # to make the entry of each id takes longer than all the rest
    for spelled, entries in groupby(map(known.__getitem__, ids), lambda entry: entry.kind in ("normal", "byte")):
        some = [*entries]
        parts += [b"".join(map(marks.spell, some))] if spelled else [entry.id for entry in some]
    size = sum(len(part) - part.count(EDGE) for part in parts if isinstance(part, bytes))
    if size > MAX_SPELLED:
        raise Invalid(f"The tokens spell {size:,} bytes; the limit is {MAX_SPELLED:,}.", limit=MAX_SPELLED)
    spellings = Spellings.of(tokenizer, columns, parts)
    usable = (id for some in spellings.ids.values() for id in some)
    scores = {id: values[id] for id in usable if tokenizer.entry(id).kind == "normal"} if values else None
    return spellings.segment(parts, seed=seed, scores=scores), scores


def decode_steps(tokenizer: Tokenizer, ids: Sequence[int]) -> Iterator[DecodingStep]:
    """Yield what each id adds to the text when ids are decoded as they come.

    A decoder that joins bytes holds back those of a character that is not yet whole. One that reads words is asked for
    the text so far at each step, as servers do that stream.
    """
    entries = [tokenizer.entry(id) for id in ids]
    joined = b"".join(entry.raw for entry in entries)
    whole = tokenizer.decode(ids)
    if not joined.endswith(whole) or len(joined) - len(whole) > 1:
        yield from _decode_again(tokenizer, entries)
        return
    skipped = len(joined) - len(whole)  # a space that was inserted in front
    decoder = getincrementaldecoder("utf-8")("replace")
    for entry in entries:
        raw = entry.raw[skipped:]
        skipped = max(0, skipped - len(entry.raw))
        text = decoder.decode(raw)
        yield DecodingStep(entry, text, decoder.getstate()[0])


def _decode_again(tokenizer: Tokenizer, entries: Sequence[VocabEntry]) -> Iterator[DecodingStep]:
    before = ""
    for end, entry in enumerate(entries, 1):
        decoder = getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(tokenizer.decode([one.id for one in entries[:end]]))
        pairs = enumerate(zip(before, text, strict=False))
        kept = next((at for at, (old, new) in pairs if old != new), min(len(before), len(text)))
        yield DecodingStep(entry, text[kept:], decoder.getstate()[0], len(before) - kept)
        before = text
