"""How the vocabularies of Hugging Face's `tokenizers` spell bytes: in GPT-2's alphabet, with ▁ for a space, with ## …

Added tokens are spelled as they are: what looks like ▁, ## or the byte alphabet in them stands for itself.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from ..types import Kind, VocabEntry
from .vocab_entries import make_raw_entry

BYTE_PIECE = re.compile("<0x[0-9A-F]{2}>")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The spelling of a vocabulary.

    - `byte_level`: each character of a piece spells one byte.
    - `byte_pieces`: `<0x41>` is the piece of a byte.
    - `mark`: the character for a space, "" for none.
    - `prefix`, `suffix`: what is put before a piece that continues a word, or after one that ends it.
    - `unknown_id`: that of the unknown token, which an added one spells in its normalized form.
    """

    byte_level: bool = False
    byte_pieces: bool = False
    mark: str = ""
    prefix: str = ""
    suffix: str = ""
    unknown: str | None = None
    unknown_id: int | None = None
    added: Mapping[int, str] = field(default_factory=dict)
    special: frozenset[int] = frozenset()

    def entry(self, id: int, piece: str) -> VocabEntry:
        """Return the entry of a piece or an added token.

        >>> Spelling(byte_level=True).entry(5, "Ġthe"), Spelling(mark="▁", added={6: "<a▁b>"}).entry(6, "<a▁b>").raw
        (VocabEntry(id=5, piece=' the', raw=b' the', kind='normal'), b'<a\\xe2\\x96\\x81b>')
        """
        kind: Kind = "unknown" if id == self.unknown_id else "special" if id in self.special else "normal"
        if id in self.added:
            return VocabEntry(id, piece, piece.encode(), kind)
        if self.byte_pieces and BYTE_PIECE.fullmatch(piece):
            return VocabEntry(id, piece, bytes([int(piece[3:5], 16)]), "byte")
        bare = piece.removesuffix(self.suffix) if len(piece) > len(self.suffix) else piece
        if self.byte_level and all(char in BYTE_OF for char in bare):
            return make_raw_entry(id, bytes(map(BYTE_OF.__getitem__, bare)), kind=kind)
        bare = bare.removeprefix(self.prefix) if len(bare) > len(self.prefix) else bare
        return VocabEntry(id, piece, (bare.replace(self.mark, " ") if self.mark else bare).encode(), kind)
