"""Where a pipeline may be applied segment by segment: no component may reach across a space that begins a segment.

Each component says what becomes of such a place (`pass_boundary`). A pipeline is divided only where all of them, and
the model, are proved not to reach across; if that is not known, it is not divided.
"""

import regex

from ...scratch.compat.aligned import AlignedText
from ...scratch.compat.pipeline.added_tokens import AddedToken
from ...scratch.compat.pipeline.component import PreTokenizerComponent, SegmentBoundary
from ...scratch.compat.pipeline.normalizers import SPACES, Replace, apply_normalizers
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET, BLANK, SplitPreTokenizer
from .read import TokenizerJson

CROSSING = regex.compile(r"[^\s▁][ ▁]")
"""A space, however it is spelled, after another character: a token that contains it reaches across segments."""
RAW_CROSSING = regex.compile(r"\S ")
WORD_BYTES = frozenset(char for byte, char in enumerate(ALPHABET) if byte >= 0x80 or chr(byte).isalnum())
"""How byte-level models spell the bytes that a letter or a digit may end with."""


def find_no_split_characters(file: TokenizerJson) -> frozenset[str] | None:
    """Return the characters after which a text may not be divided; None if a pipeline is not separable at all."""
    boundary = find_boundary(file)
    if boundary is None or boundary.divided:
        return None if boundary is None else frozenset()
    chars = _find_before_spaces(file, boundary.spaces)
    # A character of a byte-level model is a byte, and the text has other characters.
    return None if file.is_byte_level and chars else chars


def is_cut_after_words(file: TokenizerJson) -> bool:
    """True if a text may be divided before a space after a letter or a digit, though not after every other character.

    In a byte-level BPE model no merge reaches across such a place if no token has a space after a byte of either.
    """
    boundary = find_boundary(file)
    if boundary is None or not file.is_byte_level:
        return False
    before = _find_before_spaces(file, boundary.spaces)
    return before is not None and before.isdisjoint(WORD_BYTES)


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


def list_splitters(file: TokenizerJson) -> list[PreTokenizerComponent]:
    """Return the pre-tokenizers without those at spaces of a text in which a normalizer has replaced all spaces."""
    if not any(isinstance(part, Replace) and part.pattern.text == " " for part in file.normalizers):
        return [*file.splitters]
    return [part for part in file.splitters if not (isinstance(part, SplitPreTokenizer) and part.pattern.text == " ")]


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
