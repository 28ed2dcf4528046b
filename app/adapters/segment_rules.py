"""Where a pipeline may be applied segment by segment: no component may reach across a space that begins a segment.

A component of which it is not known that it is local (`is_local`) makes the pipeline inseparable.
"""

from array import array
from collections.abc import Callable, Iterable

import regex

from ..formats.tokenizer_json import TokenizerJson
from ..scratch.compat.aligned import AlignedText
from ..scratch.compat.pipeline.added_tokens import AddedToken
from ..scratch.compat.pipeline.component import PreTokenizerComponent
from ..scratch.compat.pipeline.normalizers import Replace
from ..scratch.compat.pipeline.pre_tokenizers import ALPHABET, ByteLevel, SplitPreTokenizer, split_parts
from ..scratch.compat.pipeline.segmented import SegmentedPipeline
from ..scratch.fast.bpe.encode_pairs import PairBPE

CROSSING = regex.compile(r"[^\s▁][ ▁]")
"""A space, however it is spelled, after another character: a token that contains it reaches across segments."""
RAW_CROSSING = regex.compile(r"\S ")
WORD_BYTES = frozenset(char for byte, char in enumerate(ALPHABET) if byte >= 0x80 or chr(byte).isalnum())
"""How byte-level models spell the bytes that a letter or a digit may end with."""


def find_no_split_characters(file: TokenizerJson) -> frozenset[str] | None:
    """Return the characters after which a text may not be divided; None if a pipeline is not separable at all."""
    if not _is_local(file):
        return None
    return frozenset() if any(part.ends_words for part in list_splitters(file)) else _find_before_spaces(file)


def is_cut_after_words(file: TokenizerJson) -> bool:
    """True if a text may be divided before a space after a letter or a digit, though not after every other character.

    In a byte-level BPE model no merge reaches across such a place if no token has a space after a byte of either.
    """
    if not _is_local(file) or not file.is_byte_level:
        return False
    before = _characters_before_spaces(file)
    return before is not None and before.isdisjoint(WORD_BYTES)


def list_splitters(file: TokenizerJson) -> list[PreTokenizerComponent]:
    """Return the pre-tokenizers without those at spaces of a text in which a normalizer has replaced all spaces."""
    if not any(isinstance(part, Replace) and part.pattern.text == " " for part in file.normalizers):
        return [*file.splitters]
    return [part for part in file.splitters if not (isinstance(part, SplitPreTokenizer) and part.pattern.text == " ")]


def _is_local(file: TokenizerJson) -> bool:
    """True if no component of a pipeline reaches across a place where segments are divided."""
    respelled = any(part.respells_spaces for part in file.normalizers)
    return (
        not any(token.rstrip or _crosses(token, respelled) for token in file.added)
        and all(part.is_local for part in file.processors)
        and all(part.is_local for part in file.normalizers)
        and all(part.is_local for part in list_splitters(file))
    )


def _crosses(token: AddedToken, respelled: bool) -> bool:
    """True if an added token contains a place where segments are divided; `respelled`: spaces become ▁ before it."""
    return (CROSSING if token.normalized and respelled else RAW_CROSSING).search(token.content) is not None


def _find_before_spaces(file: TokenizerJson) -> frozenset[str] | None:
    """Return the characters that stand before a space in some token of a BPE model, without which none crosses."""
    chars = _characters_before_spaces(file)
    # A character of a byte-level model is a byte, and the text has other characters.
    return None if file.is_byte_level and chars else chars


def _characters_before_spaces(file: TokenizerJson) -> frozenset[str] | None:
    """Return the characters that stand before a space in some token of a BPE model; None for other models."""
    model = file.model
    space = "Ġ" if file.is_byte_level else "▁" if "▁" in model.vocabulary else " "
    if model.type != "BPE" or model.prefix or model.suffix or space not in model.vocabulary:
        return None
    before = regex.compile(rf"[^\s{space}](?=[ {space}])")
    # Tokens are joined by line breaks, which match nothing: one search through all is quicker than one for each.
    return frozenset(before.findall("\n".join(model.vocabulary)))


def plain_ids(file: TokenizerJson, segmented: SegmentedPipeline) -> Callable[[str], bytes | None]:
    """Return a function to the ids of a segment of byte-level BPE that its normalizers leave as it is."""
    bpe = segmented.later.model
    words = word_finder(file.splitters)
    if (
        segmented.first is not segmented.later
        or not isinstance(bpe, PairBPE)
        or words is None
        or not file.model.has_all_bytes()
    ):
        return lambda segment: None
    of_byte = [bpe.vocabulary[char] for char in ALPHABET]
    cache: dict[str, bytes] = {}
    added = segmented.later.added
    changes = bool(file.normalizers)

    def word_ids(word: str) -> bytes:
        data = word.encode()
        if bpe.ignore_merges and (id := bpe.vocabulary.get("".join(map(ALPHABET.__getitem__, data)))) is not None:
            ids = [id]
        else:
            ids = bpe.ids([of_byte[byte] for byte in data])
        if len(cache) > 200_000:
            cache.clear()
        return cache.setdefault(word, array("I", ids).tobytes())

    def segment_ids(segment: str) -> bytes | None:
        if changes and added.normalizer(AlignedText.of(segment)).text != segment:
            return None
        if added.normal and added.may_match_normal(segment):
            return None
        return b"".join([cache.get(word) or word_ids(word) for word in words(segment)])

    return segment_ids


def word_finder(splitters: Iterable[PreTokenizerComponent]) -> Callable[[str], list[str]] | None:
    """Return a function to the words of a text by splitters that keep all of it; None if they are of other kinds."""
    *first, last = splitters or (None,)
    if not isinstance(last, ByteLevel) or last.add_prefix_space:
        return None
    patterns: list[Callable[[str], Iterable[tuple[int, int]]]] = []
    for part in first:
        if not isinstance(part, SplitPreTokenizer) or part.behavior != "Isolated":
            return None
        patterns.append(part.pattern.spans)
    if last.use_regex:
        patterns.append(last.pattern.spans)

    def words(text: str) -> list[str]:
        words = [text]
        for spans in patterns:
            parts = [(word, split_parts(len(word), spans(word))) for word in words]
            words = [word[start:end] for word, places in parts for start, end, _ in places if start < end]
        return words

    return words
