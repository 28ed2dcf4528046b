"""A text after each stage of a pipeline, as pieces with spans in the input: added tokens, normalizers, pre-tokenizers.

`pipeline` computes the tokens alone; here each component leaves a band of pieces, so that one sees what it changed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from ..aligned import AlignedText
from .added_tokens import AddedToken, AddedTokens
from .batches import PipelineToken
from .component import Normalizer, Splitter
from .encode import WordModel

PieceKind = Literal["kept", "changed", "inserted", "added", "unknown", "byte", "special", "padding"]
"""As in the band above · other characters · not in the input · an added token · the unknown token · a byte token · a
token that a post-processor added · padding."""
Piece = tuple[str, int, int, PieceKind]
Part = tuple[AlignedText, AddedToken | None]
LONGEST = 24
"""A run of unchanged text ends after so many characters, or before a space, so that a long text can be laid out."""


@dataclass(slots=True)
class Band:
    """The pieces of a text after a stage, as (text, start, end, kind); spans are code points of the input.

    `component` is the index of the component in its stage; `ids` are those of tokens.
    """

    stage: str
    component: int | None = None
    pieces: list[Piece] = field(default_factory=list)
    ids: list[int] | None = None

    @property
    def texts(self) -> list[str]:
        """The texts of the pieces."""
        return [text for text, _, _, _ in self.pieces]

    @property
    def starts(self) -> list[int]:
        """Where the pieces begin in the input."""
        return [start for _, start, _, _ in self.pieces]

    @property
    def ends(self) -> list[int]:
        """Where the pieces end in the input."""
        return [end for _, _, end, _ in self.pieces]

    @property
    def kinds(self) -> list[PieceKind]:
        """The kinds of the pieces."""
        return [kind for _, _, _, kind in self.pieces]


def text_bands(
    text: str,
    added: AddedTokens,
    normalizers: Sequence[Normalizer],
    splitters: Sequence[Splitter],
    *,
    specials: bool = True,
) -> tuple[list[Band], list[Part]]:
    """Return the bands before the model, and the words and added tokens that the model gets.

    >>> from tokenarium.scratch.compat.pipeline.normalizers import Lowercase
    >>> bands, words = text_bands("Ab", AddedTokens([]), [Lowercase().normalize], [])
    >>> [(band.stage, band.pieces) for band in bands]
    [('input', [('Ab', 0, 2, 'kept')]), ('normalizer', [('a', 0, 1, 'changed'), ('b', 1, 2, 'kept')])]
    """
    bands = [Band("input")]
    bands[0].pieces += [(text[start:end], start, end, "kept") for start, end in runs(text, 0, len(text))]
    parts: list[Part] = [*added.raw_parts(AlignedText.of(text), specials=specials)]
    if added.raw:
        bands.append(_band("added_tokens", None, parts, lambda part: _words([part], part)))
    for number, normalizer in enumerate(normalizers):
        changed = [(part if token else normalizer(part), token) for part, token in parts]
        band = Band("normalizer", number)
        for (part, token), (before, _) in zip(changed, parts, strict=True):
            _add(band, part, token, changes(before, part))
        bands.append(band)
        parts = changed
    matched = [
        (part, token)
        for whole, own in parts
        for part, token in ([(whole, own)] if own else added.matches(whole, specials=specials))
    ]
    if added.normal:
        bands.append(_band("added_tokens", 1, matched, lambda part: _words([part], part)))
    return _split(bands, matched, splitters)


def _split(bands: list[Band], parts: list[Part], splitters: Sequence[Splitter]) -> tuple[list[Band], list[Part]]:
    for number, splitter in enumerate(splitters):
        band = Band("pre_tokenizer", number)
        words: list[Part] = []
        for part, token in parts:
            split = [part] if token else [word for word in splitter(part) if word.text]
            words += [(word, token) for word in split]
            _add(band, part, token, () if token else _words(split, part))
        bands.append(band)
        parts = words
    return bands, parts


Pieces = Iterable[Piece]


def _band(stage: str, component: int | None, parts: Iterable[Part], pieces: Callable[[AlignedText], Pieces]) -> Band:
    band = Band(stage, component)
    for part, token in parts:
        _add(band, part, token, () if token else pieces(part))
    return band


def _add(band: Band, part: AlignedText, token: AddedToken | None, pieces: Pieces) -> None:
    band.pieces += [(part.text, *part.span(0, len(part)), "added")] if token else pieces


def _words(words: Iterable[AlignedText], before: AlignedText) -> Pieces:
    """Yield words as pieces: kept if they are in the text before in this order, and changed else."""
    position = 0
    for word in words:
        found = before.text.find(word.text, position) if word.text else position
        if found >= 0:
            position = found + len(word)
        yield word.text, *word.span(0, len(word)), "kept" if found >= 0 else "changed"


def runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of runs of a text, which begin at spaces and line ends."""
    begin = start
    for at in range(start + 1, end):
        if (text[at] in " \n" and text[at - 1] not in " \n") or at - begin >= LONGEST:
            yield begin, at
            begin = at
    if begin < end:
        yield begin, end


Group = tuple[str, int, int]


def changes(before: AlignedText, after: AlignedText) -> Iterator[tuple[str, int, int, PieceKind]]:
    """Yield a normalized text as runs that are kept, changed and inserted.

    >>> [*changes(AlignedText.of("aB"), AlignedText("▁ab", [0, 0, 1], [1, 1, 2]))]
    [('▁', 0, 0, 'inserted'), ('a', 0, 1, 'kept'), ('b', 1, 2, 'changed')]
    """
    if after.starts is before.starts or [*after.starts] == [*before.starts]:
        yield from _find_respelled(before.text, after)
        return
    old = {(start, end): text for text, start, end in _groups(before)}
    fine = (piece for group in _groups(after) for piece in _compare_group(group, old.get(group[1:])))
    for _, run in groupby(_joinable(fine, old), key=lambda piece: piece[0]):
        pieces = [piece for _, piece in run]
        (_, start, _, kind) = pieces[0]
        (_, _, end, _) = pieces[-1]
        yield "".join([text for text, *_ in pieces]), start, end, kind


def _find_respelled(old: str, after: AlignedText) -> Iterator[Piece]:
    """Yield the runs of a text of which some characters are others now."""
    new = after.text
    for differs, run in groupby(range(len(new)), key=lambda at: old[at] != new[at]):
        places = [*run]
        for start, end in runs(new, places[0], places[-1] + 1):
            yield new[start:end], *after.span(start, end), "changed" if differs else "kept"


def _groups(text: AlignedText) -> Iterator[Group]:
    """Yield the characters of a text, those from the same part of the input together."""
    begin = 0
    chars = text.text
    starts = text.starts
    ends = text.ends
    for at in range(1, len(chars) + 1):
        if at == len(chars) or starts[at] != starts[begin] or ends[at] != ends[begin]:
            yield chars[begin:at], starts[begin], ends[begin]
            begin = at


def _compare_group(group: Group, old: str | None) -> Iterator[tuple[str, int, int, PieceKind]]:
    """Yield a group as one piece, or as the old text with what was inserted beside it."""
    text, start, end = group
    at = text.find(old) if old and text != old else -1
    if at < 0 or not old:
        yield text, start, end, "inserted" if start == end else "kept" if text == old else "changed"
        return
    if at:
        yield text[:at], start, start, "inserted"
    yield old, start, end, "kept"
    if text[at + len(old) :]:
        yield text[at + len(old) :], end, end, "inserted"


def _joinable(
    pieces: Iterable[tuple[str, int, int, PieceKind]], old: dict[tuple[int, int], str]
) -> Iterator[tuple[int, tuple[str, int, int, PieceKind]]]:
    """Yield pieces with the number of their run: kept ones join, and so do characters that replace one each."""
    number = 0
    size = 0
    last: tuple[str, int, int, PieceKind] | None = None
    for piece in pieces:
        text, start, end, kind = piece
        single = kind == "kept" or (kind == "changed" and len(text) == 1 and len(old.get((start, end), "")) == 1)
        space = text in (" ", "\n", "▁") and last is not None and last[0] != text
        if last is None or last[3] != kind or last[2] != start or not single or size >= LONGEST or space:
            number = number + 1
            size = 0
        size += len(text)
        last = piece
        yield number, piece


def model_band(
    parts: Iterable[Part],
    model: WordModel,
    spelled: Callable[[int], str],
    kind_of: Callable[[int], PieceKind],
    *,
    as_text: bool = False,
) -> Band:
    """Return the tokens of the words as a band; `as_text`: an unknown token is spelled as its text, as in Unigram."""
    band = Band("model")
    ids = list[int]()
    cache: dict[str, list[tuple[str, int, int, PieceKind, int]]] = {}
    for word, token in parts:
        if token:
            band.pieces.append((word.text, *word.span(0, len(word)), "added"))
            ids.append(token.id)
            continue
        pieces = cache.get(word.text)
        if pieces is None:
            pieces = [(spelled(id), start, end, kind_of(id), id) for id, start, end in model.pieces(word.text)]
            if as_text:
                own = word.text
                pieces = [(own[a:b] if kind == "unknown" else text, a, b, kind, id) for text, a, b, kind, id in pieces]
            cache[word.text] = pieces
        starts = word.starts
        ends = word.ends
        last = len(word) - 1  # bytes of a prefix or suffix stand behind it
        band.pieces += [
            (text, starts[min(start, last)], ends[min(end - 1, last)], kind) for text, start, end, kind, _ in pieces
        ]
        ids += [id for _, _, _, _, id in pieces]
    band.ids = ids
    return band


def get_tokens(band: Band, sequence: int) -> tuple[PipelineToken, ...]:
    """Return the tokens of a band, of the first or second text."""
    ids = band.ids or []
    return tuple(
        PipelineToken(id, text, start, end, sequence, sequence=sequence)
        for id, (text, start, end, _) in zip(ids, band.pieces, strict=True)
    )
