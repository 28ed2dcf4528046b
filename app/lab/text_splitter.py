"""Where a long text may be cut so that the numbers of tokens of its parts add up to that of the whole.

A text is cut before a space between two letters or digits, if no token of the tokenizer can reach across such a place.
Tokenizers of which this is not known take the text as a whole. So do unigram models of SentencePiece (T5, uMT5, XLM-R),
whose sums of scores are rounded and run through all of a text: which of two nearly equal segmentations wins can depend
on what stands before them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex

from ..files.rwkv import load_rwkv_vocab
from ..files.sentencepiece.model import load_model
from ..files.tokenizer_json.packed import read_tokenizer_json
from ..files.tokenizer_json.read import TokenizerJson
from ..files.tokenizer_json.segment_rules import find_no_split_characters, is_cut_after_words, may_be_counted_apart
from ..registry import Registry
from ..scratch.fast.pretokenize import ends_before_spaces
from ..store import Record
from ..types import Engine, SpecialPolicy

ALNUM = r"[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}--\p{Grapheme_Cluster_Break=Prepend}]"
LAST_CUT = regex.compile(rf"(?r)(?<={ALNUM}) (?={ALNUM})", regex.V1)
"""The last place where a text may be cut; the space begins the next part."""
BEGINS_OR_ENDS = regex.compile(rf"{ALNUM}.*|.*{ALNUM}", regex.V1 | regex.S)
CUT = regex.compile(rf"{ALNUM} {ALNUM}", regex.V1)
MARKED_CUT = regex.compile(rf"{ALNUM}▁{ALNUM}", regex.V1)
BEFORE_SPACE = re.compile(rb"[0-9A-Za-z\x80-\xff] ")
"""Bytes that may end a letter or a digit, and a space: a token that contains them reaches across a cut."""
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
        return TextSplitter(keeps_space=True) if _is_separable(file) else None
    if "minbpe" not in record.spec and "ranks" not in record.spec and info.family in ("bpe", "unigram"):
        return TextSplitter(keeps_space=False) if _is_scored_bpe(record) else None
    if info.family in ("byte", "character", "wordpiece") or record.spec.get("pattern") == WORDS:
        return TextSplitter(keeps_space=True)
    if info.family == "longest-match":  # the longest token is looked for from where the last one ends
        crossing = any(map(BEFORE_SPACE.search, load_rwkv_vocab(record.only_file())))
        return None if crossing else TextSplitter(keeps_space=True)
    pattern = INTERSECTION.sub("", record.spec.get("pattern", ""))  # larger sets match no less
    return TextSplitter(keeps_space=True) if pattern and ends_before_spaces(pattern) else None


def _is_separable(file: TokenizerJson) -> bool:
    """True if no component of a pipeline reaches across a cut, nor puts something in front of each part."""
    separable = find_no_split_characters(file) is not None or is_cut_after_words(file)
    return separable and may_be_counted_apart(file) and all(part.type != "Prepend" for part in file.normalizers)


def _is_scored_bpe(record: Record) -> bool:
    """True for a SentencePiece BPE model that puts a space in front of each text, and of which no token crosses."""
    model = load_model(record.only_file())
    tokens = (*record.info.special_tokens, *record.info.added_tokens)
    plain = model.add_dummy_prefix and model.escape_whitespaces and not model.whitespace_as_suffix
    crossing = any(MARKED_CUT.search(piece.text) for piece in model.pieces)
    # Beside a token that is matched in the text, a part would not get the space that was cut away.
    return model.algorithm == "bpe" and plain and not crossing and not any(BEGINS_OR_ENDS.fullmatch(t) for t in tokens)
