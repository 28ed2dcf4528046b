"""All components by stage and type: what a `tokenizer.json` may have, in the order in which a form offers them."""

from collections.abc import Mapping
from typing import Any

from ..sentencepiece.charsmap import Precompiled
from .decoders import CTC, BPEDecoder, ByteFallback, Fuse, StripDecoder, WordPieceDecoder
from .normalizers import NFC, NFD, NFKC, NFKD, BertNormalizer, Lowercase, Nmt, Prepend, Replace, Strip, StripAccents
from .post_processors import BertProcessing, RobertaProcessing, TemplateProcessing
from .pre_tokenizers import (
    BertPreTokenizer,
    ByteLevel,
    ByteLevelNormalizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Metaspace,
    Punctuation,
    SplitPreTokenizer,
    Whitespace,
    WhitespaceSplit,
)
from .script_words import UnicodeScripts

ComponentClass = Any
"""A subclass of `PipelineComponent` with the method of its stage."""


def by_type(*classes: ComponentClass) -> Mapping[str, ComponentClass]:
    """Return components by their names in a file."""
    return {component.type: component for component in classes}


COMPONENTS: Mapping[str, Mapping[str, ComponentClass]] = {
    "normalizer": by_type(
        *(NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Nmt, ByteLevelNormalizer),
        *(Strip, Replace, Prepend, BertNormalizer, Precompiled),
    ),
    "pre_tokenizer": by_type(
        *(BertPreTokenizer, Whitespace, WhitespaceSplit, UnicodeScripts, ByteLevel, Metaspace, SplitPreTokenizer),
        *(Punctuation, Digits, CharDelimiterSplit, FixedLength),
    ),
    "post_processor": by_type(TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel),
    "decoder": by_type(
        *(ByteLevel, ByteFallback, Fuse, Metaspace, WordPieceDecoder, BPEDecoder, Replace, StripDecoder, CTC)
    ),
}
