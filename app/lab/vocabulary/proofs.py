"""Why no text gives a token: what can be proven, and else what is likely."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import regex

from ...errors import BadFile, TokenariumError
from ...files.tokenizer_json.packed import read_tokenizer_json
from ...files.tokenizer_json.read import TokenizerJson
from ...scratch.compat.aligned import AlignedText
from ...scratch.compat.pipeline.normalizers import FORMS
from ...scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from ...scratch.fast.pretokenize import split
from ...store import Record
from ...types import Staged, Tokenizer
from .columns import KINDS, VocabularyColumns
from .isolated import isolate_tokens
from .word_language import WordLanguage, list_languages

Proof = tuple[str, bool, tuple[int, ...]]
"""A cause, whether it is proven, and the ids that the symbols of the token give."""


class Proofs:
    """What is known of the tokens of one tokenizer without encoding any text."""

    def __init__(self, record: Record, tokenizer: Tokenizer, columns: VocabularyColumns) -> None:
        self.record = record
        self.tokenizer = tokenizer
        self.columns = columns
        self._file: TokenizerJson | None = None
        with suppress(BadFile):  # only a library can read it
            self._file = read_tokenizer_json(record)
        self.isolated = isolate_tokens(record, columns, self._file)

    def of(self, rows: Sequence[int]) -> Mapping[int, Proof]:
        """Return causes for those of the rows that have one; not all are proofs."""
        parts = self.isolated.parts(rows)
        found = dict[int, Proof]()
        for row in rows:
            if proof := self._proof(row, parts.get(row)):
                found[row] = proof
        return found

    def _proof(self, row: int, parts: tuple[int, ...] | None) -> Proof | None:
        text = self.columns.texts[row]
        kind = KINDS[self.columns.kinds[row]]
        if kind == "byte":
            return ("byte fallback", True, ()) if self._no_fallback(self.columns.raws[row]) else None
        if text and self._added and self._added.search(text):
            return "added token", True, ()
        if text and self._is_changed(text):
            return "normalizer", True, ()
        if parts is not None:
            cause = "orphan" if row in self.isolated.orphans else self.isolated.cause
            is_word = bool(text) and all(language.equals(text) for language in self._languages[-1:])
            return cause, not (self.isolated.whole_words and is_word), parts
        continues = self.record.info.family == "wordpiece" and self.columns.pieces[row].startswith("##")
        fits = WordLanguage.continues if continues else WordLanguage.contains
        if text and not all(fits(language, text) for language in self._languages):
            return "pattern", True, ()
        return None

    def _no_fallback(self, raw: bytes) -> bool:
        """True if every character with a byte is a token: only others fall back to their bytes."""
        if raw[0] >= 0xE0 or 0x80 <= raw[0] < 0xC0:
            return False  # in thousands of characters; some of them is no token
        chars = [chr(raw[0])] if raw[0] < 0x80 else [(raw + bytes([more])).decode() for more in range(0x80, 0xC0)]
        return all(char in self._characters or self._vanishes(char) for char in chars)

    def _vanishes(self, char: str) -> bool:
        stages = self._stages(char)
        return stages is not None and char not in stages[0]

    @cached_property
    def _characters(self) -> frozenset[str]:
        """The characters that are tokens of the model."""
        marks = {"▁": " "}
        every = zip(self.columns.pieces, self.columns.kinds.tolist(), strict=True)
        return frozenset(marks.get(piece, piece) for piece, kind in every if len(piece) == 1 and kind == 0)

    @cached_property
    def _added(self) -> "regex.Pattern[str] | None":
        """Added tokens that are matched in any text, whatever is beside them."""
        names = [*self.record.info.added_tokens]
        if self._file:
            plain = [token for token in self._file.added if not token.special and not token.single_word]
            names += [token.content for token in plain if not token.normalized or self._is_kept(token.content)]
        return regex.compile("|".join(map(regex.escape, names))) if names else None

    def _is_kept(self, text: str) -> bool:
        """True if the normalizers leave a text as it is, whatever is beside it."""
        normalizers = self._file.normalizers if self._file else ()
        return not normalizers or (len(normalizers) == 1 and self._form is not None and not self._is_changed(text))

    @cached_property
    def _form(self) -> Callable[[str], str] | None:
        """The Unicode normalization form of every text that the model gets.

        Any part of a text in such a form is in that form (Unicode Standard Annex 15), so that a token which is not
        never occurs.
        """
        form = self.record.spec.get("normalizer")
        if self._file and self._file.normalizers:
            form = self._file.normalizers[-1].type
        normalizer = FORMS.get(form or "")
        return None if normalizer is None else lambda text: normalizer.normalize(AlignedText.of(text)).text

    def _is_changed(self, text: str) -> bool:
        return self._form is not None and self._form(text) != text

    @cached_property
    def _languages(self) -> list[WordLanguage]:
        """The languages that every word belongs to, or is a part of a word of."""
        try:
            if isinstance(self.record.spec.get("ranks"), str) and self.record.pattern:
                return [WordLanguage(self.record.pattern)]
            return [*list_languages(self._file)] if self._file else []
        except BadFile:  # syntax that cannot be read here
            return []

    def likely(self, row: int) -> str:
        """Return the stage that most likely keeps texts from giving a token."""
        text = self.columns.texts[row]
        if not text:
            return "fragment"
        stages = self._stages(text)
        if stages is None:
            return "other tokens"
        normal, words = stages
        plain = _plain(text)
        if plain not in _plain(normal):
            return "normalizer"
        if not any(plain in _plain(word) or plain in _plain(_unspell(word)) for word in words):
            return "pattern"
        return "other tokens"

    def _stages(self, text: str) -> tuple[str, Sequence[str]] | None:
        """Return a text as it is normalized, and its words; None if the tokenizer cannot say."""
        try:
            if isinstance(self.tokenizer, Staged):
                stages = self.tokenizer.stages(text)
                normal = "".join(stages.get("normalize", [text]))
                return normal, stages.get("pre-tokenize", [normal])
            normal = self._form(text) if self._form else text
            return normal, [word for _, word in split(self.record.pattern or "", normal, trusted=self.record.trusted)]
        except TokenariumError:
            return None


def _plain(text: str) -> str:
    return text.replace("▁", " ").strip(" ") or text


def _unspell(word: str) -> str:
    """Return a word that spells bytes as text.

    >>> _unspell("Ġthe"), _unspell("日")
    (' the', '日')
    """
    try:
        return bytes([BYTE_OF[char] for char in word]).decode()
    except (KeyError, UnicodeDecodeError):
        return word
