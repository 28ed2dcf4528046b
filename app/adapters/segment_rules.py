"""Where a pipeline may be applied segment by segment: no component may reach across a space that begins a segment.

Each component is judged by its type and its pattern; one that is not known to be local makes the pipeline inseparable.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import regex

from ..formats.tokenizer_json import Component, TokenizerJson
from ..scratch.compat.aligned import AlignedText
from ..scratch.compat.pipeline.added_tokens import AddedToken
from ..scratch.compat.pipeline.component import NormalizerComponent
from ..scratch.compat.pipeline.normalizers import Prepend, Replace
from ..scratch.compat.pipeline.pre_tokenizers import ALPHABET, byte_alphabet
from ..scratch.compat.pipeline.segmented import SegmentedPipeline
from ..scratch.compat.unicode_versions import as_of_16
from ..scratch.fast.bpe.encode_pairs import PairBPE
from ..scratch.fast.pretokenize import matches
from ..scratch.fast.segments import ALTERNATIVES, ends_before_spaces
from ..scratch.pretokenize import GPT2

SPLITS_AT_SPACES = frozenset(("WhitespaceSplit", "Whitespace", "BertPreTokenizer"))
CROSSING = regex.compile(r"[^\s▁][ ▁]")
"""A space, however it is spelled, after another character: a token that contains it reaches across segments."""
RAW_CROSSING = regex.compile(r"\S ")
ALWAYS = frozenset((r"\s+", r"\s++", r"\s"))
"""Alternatives of a pattern that match at any space."""
GPT2_WORD = regex.compile(GPT2)
WORD_BYTES = frozenset(char for byte, char in enumerate(byte_alphabet()) if byte >= 0x80 or chr(byte).isalnum())
"""How byte-level models spell the bytes that a letter or a digit may end with."""


def find_no_split_characters(file: TokenizerJson) -> frozenset[str] | None:
    """Return the characters after which a text may not be divided; None if a pipeline is not separable at all."""
    if not _is_local(file):
        return None
    return frozenset() if any(map(_splits, _splitters(file))) else _find_before_spaces(file)


def is_cut_after_words(file: TokenizerJson) -> bool:
    """True if a text may be divided before a space after a letter or a digit, though not after every other character.

    In a byte-level BPE model no merge reaches across such a place if no token has a space after a byte of either.
    """
    if not _is_local(file) or not file.is_byte_level:
        return False
    before = _characters_before_spaces(file)
    return before is not None and before.isdisjoint(WORD_BYTES)


def _splitters(file: TokenizerJson) -> list[Component]:
    """Return the pre-tokenizers without those at spaces of a text in which a normalizer has replaced all spaces."""
    spaceless = is_spaceless(file)
    return [part for part in file.splitters if not (spaceless and literal_pattern(part) == " ")]


def is_spaceless(file: TokenizerJson) -> bool:
    """True if a normalizer replaces all spaces."""
    return any(isinstance(part, Replace) and part.pattern.text == " " for part in file.normalizers)


def _is_local(file: TokenizerJson) -> bool:
    """True if no component of a pipeline reaches across a place where segments are divided."""
    respelled = any(part.respells_spaces for part in file.normalizers)
    return (
        not any(token.rstrip or _crosses(token, respelled) for token in file.added)
        and not any(map(_repeats, file.processors))
        and all(part.is_local for part in file.normalizers)
        and all(map(_is_local_splitter, _splitters(file)))
    )


def _repeats(part: Component) -> bool:
    """True if a post-processor writes the tokens of a text more or less often than once."""
    return part.type == "TemplateProcessing" and part.options["single"].count(None) != 1


def _crosses(token: AddedToken, respelled: bool) -> bool:
    """True if an added token contains a place where segments are divided; `respelled`: spaces become ▁ before it."""
    return (CROSSING if token.normalized and respelled else RAW_CROSSING).search(token.content) is not None


def literal_pattern(part: Component) -> str:
    """Return the pattern of a component as text, "" if it has none."""
    pattern = part.options.get("pattern")
    return pattern.translated.pattern.replace(r"\ ", " ") if pattern else ""


def _ends(part: Component) -> bool:
    """True if a match of the pattern of a component ends before the next segment."""
    return ends_before_spaces(literal_pattern(part).replace("\r", r"\r").replace("\n", r"\n"))


def _is_local_splitter(part: Component) -> bool:
    options = part.options
    behavior = part.options.get("behavior", "isolated")
    match part.type:
        case "Split":
            if literal_pattern(part) in (" ", "▁"):
                return bool(behavior in ("isolated", "removed", "merged_with_next"))
            return bool(behavior in ("isolated", "removed") and _ends(part))
        case "Punctuation":
            return bool(behavior != "merged_with_next")
        case "Metaspace":
            return bool(options.get("replacement", "▁") == "▁")
    return part.type in SPLITS_AT_SPACES | {"ByteLevel", "Digits", "CharDelimiterSplit"}


def _splits(part: Component) -> bool:
    """True if a word always ends where a segment does."""
    options = part.options
    match part.type:
        case "Split":
            source = literal_pattern(part)
            kept = options.get("invert", False) and options["behavior"] == "removed"
            return bool(kept or source in (" ", "▁") or not ALWAYS.isdisjoint(ALTERNATIVES.findall(source)))
        case "ByteLevel":
            return bool(options.get("use_regex", True))
        case "Metaspace":
            return options.get("split") is not False
        case "CharDelimiterSplit":
            return bool(options["delimiter"] == " ")
    return part.type in SPLITS_AT_SPACES


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


def remove_prepend(file: TokenizerJson) -> list[NormalizerComponent]:
    """Return the normalizers of the segments after the first, which get nothing put in front."""
    return [part for part in file.normalizers if not isinstance(part, Prepend)]


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


def word_finder(splitters: Iterable[Component]) -> Callable[[str], list[str]] | None:
    """Return a function to the words of a text by splitters that keep all of it; None if they are of other kinds."""
    *first, last = splitters or (None,)
    if last is None or last.type != "ByteLevel" or last.options.get("add_prefix_space", True):
        return None
    patterns: list[Callable[[str], Iterable[tuple[int, int]]]] = []
    for part in first:
        if part is None or part.type != "Split" or part.options["behavior"] != "isolated":
            return None
        patterns.append(part.options["pattern"].spans)
    if last.options.get("use_regex", True):
        patterns.append(_gpt2_words)

    def words(text: str) -> list[str]:
        parts = [text]
        for pattern in patterns:
            parts = [*chain.from_iterable(_isolate_matches(pattern(part), part) for part in parts)]
        return parts

    return words


def _gpt2_words(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in matches(GPT2_WORD, as_of_16(text)))


def _isolate_matches(spans: Iterable[tuple[int, int]], text: str) -> list[str]:
    """Return the matches of a pattern and the text between them."""
    position = 0
    parts = []
    for start, end in spans:
        if position < start:
            parts.append(text[position:start])
        if start < end:
            parts.append(text[start:end])
        position = end
    if position < len(text):
        parts.append(text[position:])
    return parts
