"""All components by stage and type: what a `tokenizer.json` may have, in the order in which a form offers them."""

from collections.abc import Mapping
from typing import Any

from ..sentencepiece.charsmap import Precompiled
from .component import StageName
from .normalizers import NFC, NFD, NFKC, NFKD, BertNormalizer, Lowercase, Nmt, Prepend, Replace, Strip, StripAccents
from .pre_tokenizers import ByteLevelNormalizer

ComponentClass = Any
"""A subclass of `PipelineComponent` with the method of its stage."""


def by_type(*classes: ComponentClass) -> Mapping[str, ComponentClass]:
    """Return components by their names in a file."""
    return {component.type: component for component in classes}


COMPONENTS: Mapping[StageName, Mapping[str, ComponentClass]] = {
    "normalizer": by_type(
        *(NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Nmt, ByteLevelNormalizer),
        *(Strip, Replace, Prepend, BertNormalizer, Precompiled),
    ),
}
