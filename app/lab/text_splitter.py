"""Where a long text may be cut so that the numbers of tokens of its parts add up to that of the whole.

A text is cut before a space between two letters or digits, if no token of the tokenizer can reach across such a place.
Tokenizers of which this is not known take the text as a whole. So do unigram models of SentencePiece (T5, uMT5, XLM-R),
whose sums of scores are rounded and run through all of a text: which of two nearly equal segmentations wins can depend
on what stands before them.

The proof for a `tokenizer.json`: each component says what becomes of such a place (`pass_boundary`). If all of them,
and the model, are known not to reach across it, the words on both sides are normalized, split and segmented as they are
in a text that ends or begins there, so that the tokens of the parts, joined, are those of the whole. If that is not
known of one of them, the text is not cut. For patterns of tiktoken's files the proof is that of `ends_before_spaces`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from ..files.rwkv import load_rwkv_vocab
from ..files.sentencepiece.model import load_model
from ..files.tokenizer_json.packed import read_tokenizer_json
from ..files.tokenizer_json.read import TokenizerJson
from ..registry import Registry
from ..scratch.compat.aligned import AlignedText
from ..scratch.compat.pipeline.added_tokens import AddedToken
from ..scratch.compat.pipeline.component import SegmentBoundary
from ..scratch.compat.pipeline.normalizers import SPACES, Replace, apply_normalizers
from ..scratch.compat.pipeline.pre_tokenizers import ALPHABET, BLANK
from ..scratch.fast.pretokenize import ends_before_spaces
from ..store import Record
from ..types import Engine, SpecialPolicy

ALNUM = r"[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}--\p{Grapheme_Cluster_Break=Prepend}]"
LAST_CUT = regex.compile(rf"(?r)(?<={ALNUM}) (?={ALNUM})", regex.V1)
"""The last place where a text may be cut; the space begins the next part."""
BEGINS_OR_ENDS = regex.compile(rf"{ALNUM}.*|.*{ALNUM}", regex.V1 | regex.S)
CUT = regex.compile(rf"{ALNUM} {ALNUM}", regex.V1)
WORD_CHARACTER = regex.compile(ALNUM, regex.V1)
MARKED_CUT = regex.compile(rf"{ALNUM}▁{ALNUM}", regex.V1)
BEFORE_SPACE = re.compile(rb"[0-9A-Za-z\x80-\xff] ")
"""Bytes that may end a letter or a digit, and a space: a token that contains them reaches across a cut."""
CROSSING = regex.compile(r"[^\s▁][ ▁]")
"""A space, however it is spelled, after another character: a token that contains it reaches across segments."""
RAW_CROSSING = regex.compile(r"\S ")
WORD_BYTES = frozenset(char for byte, char in enumerate(ALPHABET) if byte >= 0x80 or chr(byte).isalnum())
"""How byte-level models spell the bytes that a letter or a digit may end with."""
WORDS = r"(?s)\w+|."
"""A pattern whose matches are words without spaces, or single characters."""
INTERSECTION = regex.compile(r"&&\[\^(?:\\.|[^\[\]\\])*\]")
"""What removes characters from a set of a pattern."""


@dataclass(frozen=True, slots=True)
class TextSplitter:
    """How a text is cut.

    `keeps_space`: the space that begins a part is tokenized. If not, the tokenizer puts one in front of every text.
    """

    keeps_space: bool

    def trim(self, number: int, part: str) -> str:
        """Return the part of that number as it is tokenized: without the space that the tokenizer puts in front.

        >>> [TextSplitter(keeps_space=False).trim(number, part) for number, part in enumerate(["one", " two"])]
        ['one', 'two']
        """
        return part if self.keeps_space or not number else part[1:]

    def parts(self, texts: Iterable[str], *, size: int) -> Iterator[str]:
        """Yield the parts of a text that comes in pieces, each of `size` characters or somewhat more.

        >>> [*TextSplitter(keeps_space=True).parts(["one two", " three"], size=5)]
        ['one', ' two', ' three']
        """
        rest = ""
        searched = 0
        for text in texts:
            rest += text
            if len(rest) < size:
                continue
            match = LAST_CUT.search(rest, max(0, searched - 2))
            searched = len(rest)
            if match is not None:
                yield rest[: match.start()]
                rest = rest[match.start() :]
                searched = 0
        if rest:
            yield rest


def find_splitter(registry: Registry, id: str, engine: Engine, special: SpecialPolicy) -> TextSplitter | None:
    """Return how texts may be cut for a tokenizer on one of its engines; None if not at all, or not known."""
    record = registry.record(id)
    info = record.info
    if special == "refuse" or engine == "transformers" or not record.spec:  # a refusal names the place in the text
        return None
    if any(CUT.search(token) for token in (*info.special_tokens, *info.added_tokens)):
        return None
    if (file := read_tokenizer_json(record)) is not None:
        return TextSplitter(keeps_space=True) if is_separable(file) else None
    if "minbpe" not in record.spec and "ranks" not in record.spec and info.family in ("bpe", "unigram"):
        return TextSplitter(keeps_space=False) if _is_scored_bpe(record) else None
    if info.family in ("byte", "character", "wordpiece") or record.spec.get("pattern") == WORDS:
        return TextSplitter(keeps_space=True)
    if info.family == "longest-match":  # the longest token is looked for from where the last one ends
        crossing = any(map(BEFORE_SPACE.search, load_rwkv_vocab(record.only_file())))
        return None if crossing else TextSplitter(keeps_space=True)
    pattern = INTERSECTION.sub("", record.spec.get("pattern", ""))  # larger sets match no less
    return TextSplitter(keeps_space=True) if pattern and ends_before_spaces(pattern) else None


def is_separable(file: TokenizerJson) -> bool:
    """True if no component of a pipeline reaches across a cut, nor puts something in front of each part.

    Of a BPE model no merge reaches across if no token has a space after a letter or a digit, or in a byte-level model
    after a byte of either.
    """
    boundary = find_boundary(file)
    if boundary is None or not may_be_counted_apart(file) or any(part.type == "Prepend" for part in file.normalizers):
        return False
    if boundary.divided:
        return True
    before = _find_before_spaces(file, boundary.spaces)
    if not before:
        return before is not None
    # Any other normalizer may make a sign that tokens join with a space of a letter: of ⑴, it makes (1).
    if not all(isinstance(part, Replace) and part.pattern.text == " " for part in file.normalizers):
        return False
    return before.isdisjoint(WORD_BYTES) if file.is_byte_level else not any(map(WORD_CHARACTER.match, before))


def may_be_counted_apart(file: TokenizerJson) -> bool:
    """True if a text may be divided before its normalizers have shown whether they leave the place as it is."""
    dropped = any(part.drops_spaces for part in file.splitters) and find_normalized_spaces(file) == BLANK
    return dropped or not any(part.makes_spaces for part in file.normalizers)


def find_boundary(file: TokenizerJson) -> SegmentBoundary | None:
    """Return what the model gets of a place where segments are divided; None if any component may reach across it."""
    spaces = find_normalized_spaces(file)
    if spaces is None or not all(part.is_local for part in file.processors):
        return None
    if any(_reaches_across(token, file, spaces) for token in file.added):
        return None
    if file.model.byte_fallback and (file.model.prefix or file.model.suffix):
        return None  # spans behind the end of a word point anywhere into the text
    boundary: SegmentBoundary | None = SegmentBoundary(spaces)
    for part in file.splitters:
        if boundary is None or boundary.divided:
            break  # from there on each word is treated alone
        boundary = part.pass_boundary(boundary)
    return boundary


def find_normalized_spaces(file: TokenizerJson) -> frozenset[str] | None:
    """Return the characters with which segments begin once they are normalized; None if a normalizer reaches across."""
    boundary = SegmentBoundary()
    for part in file.normalizers:
        if (passed := part.pass_boundary(boundary)) is None:
            return None
        boundary = passed
    return boundary.spaces


def _reaches_across(token: AddedToken, file: TokenizerJson, spaces: frozenset[str]) -> bool:
    """True if an added token may be matched differently where a text is divided: before any of some `spaces`."""
    content = token.content
    if token.normalized:
        content = apply_normalizers([part.normalize for part in file.normalizers], AlignedText.of(content)).text
    crossing = CROSSING if token.normalized and spaces != BLANK else RAW_CROSSING
    begins = token.single_word and content.startswith(SPACES)  # what stands before it decides
    return token.rstrip or begins or not content or crossing.search(content) is not None


def _find_before_spaces(file: TokenizerJson, spaces: frozenset[str]) -> frozenset[str] | None:
    """Return the characters that stand before a space in some token of a BPE model, without which none crosses.

    None for other models, and for one of which more than the characters beside a space decides.
    """
    model = file.model
    alone = model.type == "BPE" and not (model.prefix or model.suffix or model.ignore_merges)
    # The characters before and behind a dropped one become neighbours, and spans behind it are moved.
    if not alone or not spaces <= model.vocabulary.keys() or _may_drop_characters(file):
        return None
    either = regex.escape("".join(sorted(spaces)), special_only=False)
    # Tokens are joined by line breaks, which match nothing: one search through all is quicker than one for each.
    joined = "\n".join(model.vocabulary)
    if regex.search(rf"(?:<0x[0-9A-F]{{2}}>|{regex.escape(model.unknown or '<0x00>')})[{either}]", joined):
        return None  # what the model has for other characters merges, too
    return frozenset(regex.findall(rf"[^\s{either}](?=[{either}])", joined))


def _may_drop_characters(file: TokenizerJson) -> bool:
    """True if a BPE model leaves out what it has no token for."""
    model = file.model
    bytes_ = (f"<0x{byte:02X}>" for byte in range(256))
    if file.is_byte_level and model.has_all_bytes():
        return False
    return model.unknown is None and not (model.byte_fallback and all(map(model.vocabulary.__contains__, bytes_)))


def _is_scored_bpe(record: Record) -> bool:
    """True for a SentencePiece BPE model that puts a space in front of each text, and of which no token crosses."""
    model = load_model(record.only_file())
    tokens = (*record.info.special_tokens, *record.info.added_tokens)
    plain = model.add_dummy_prefix and model.escape_whitespaces and not model.whitespace_as_suffix
    crossing = any(MARKED_CUT.search(piece.text) for piece in model.pieces)
    # Beside a token that is matched in the text, a part would not get the space that was cut away.
    return model.algorithm == "bpe" and plain and not crossing and not any(BEGINS_OR_ENDS.fullmatch(t) for t in tokens)
