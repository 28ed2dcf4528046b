"""The normalizers of Hugging Face `tokenizers` (0.23): change a text before it is split, and keep it aligned.

Each takes and returns an `AlignedText`; a sequence of them is applied from the left. Other stages have `Precompiled`
(`sentencepiece.charsmap`) and `ByteLevelNormalizer` (`pre_tokenizers`) beside what they need.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import cast

import regex

from ..aligned import AlignedText, Form, normalize_to_form
from ..oniguruma.search import OnigPattern
from ..unicode_versions import as_of_8, lower, marks_as_of_9
from .component import DecoderComponent, Normalizer, NormalizerComponent, SegmentBoundary, initial

CJK = regex.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf"
    "\U0002f800-\U0002fa1f]"
)
"""What BERT considers Chinese: the blocks of ideographs, without kana and hangul."""
WHITE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""White space by Unicode's property White_Space, as in Rust; `str.isspace` adds the separators U+001C to U+001F."""
SPACE = regex.compile(r"\s")
SPACES = (" ", "▁")
WHITE_SPACE = regex.compile(r"(?: |\\s|\[\\s\]|\[ \])(?:[+*]|\{\d+,\d*\})?")
"""A pattern of runs of white space."""
CONTROL = regex.compile(r"(?V1)[[\0\ufffd\p{Cc}\p{Cf}\p{Co}]--[\t\n\r]]")


def apply_normalizers(normalizers: Iterable[Normalizer], text: AlignedText) -> AlignedText:
    """Apply normalizers one after another.

    >>> apply_normalizers([Lowercase().normalize, Prepend("_").normalize], AlignedText.of("A")).text
    '_a'
    """
    for normalizer in normalizers:
        text = normalizer(text)
    return text


def keep_boundary(_: NormalizerComponent, boundary: SegmentBoundary) -> SegmentBoundary:
    """Return a boundary as it is: a normalizer changes each character alone, or with those that combine with it."""
    return boundary


class UnicodeForm(NormalizerComponent):
    """One of Unicode's four normalization forms (UAX 15), by the tables of version 9.0.

    >>> NFD().normalize(AlignedText.of("né")).ends
    [1, 2, 2]
    >>> NFKC().normalize(AlignedText.of("ﬁn")).text
    'fin'
    """

    makes_spaces = False
    pass_boundary = keep_boundary

    def normalize(self, text: AlignedText) -> AlignedText:
        return normalize_to_form(cast(Form, self.type), text)


class NFC(UnicodeForm): ...


class NFD(UnicodeForm): ...


class NFKC(UnicodeForm): ...


class NFKD(UnicodeForm): ...


FORMS: Mapping[str, UnicodeForm] = {form.type: form() for form in (NFC, NFD, NFKC, NFKD)}


class Lowercase(NormalizerComponent):
    """Lower case, character by character and without context.

    >>> Lowercase().normalize(AlignedText.of("İB")).ends
    [1, 1, 2]
    """

    makes_spaces = False
    pass_boundary = keep_boundary

    def normalize(self, text: AlignedText) -> AlignedText:
        lowered = lower(text.text)  # only a few characters, such as İ, change the length
        return text.replace_text(lowered) if len(lowered) == len(text.text) else text.map_characters(lower)


class StripAccents(NormalizerComponent):
    """Removes all combining marks; decompose first (NFD) to remove that of é.

    >>> apply_normalizers([NFD().normalize, StripAccents().normalize], AlignedText.of("é"))
    AlignedText(text='e', starts=[0], ends=[1], at=0)
    """

    pass_boundary = keep_boundary

    def normalize(self, text: AlignedText) -> AlignedText:
        return text.filter_characters(lambda char: not unicodedata.category(marks_as_of_9(char)).startswith("M"))


class BertNormalizer(NormalizerComponent):
    """BERT's cleaning, a space on each side of Chinese characters, no accents, and lower case (Devlin et al. 2019).

    >>> BertNormalizer().normalize(AlignedText.of("Zoé你")).text
    'zoe 你 '
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True
    pass_boundary = keep_boundary

    def normalize(self, text: AlignedText) -> AlignedText:
        if self.clean_text:
            text = self._clean(text)
        if self.handle_chinese_chars and CJK.search(text.text):
            text = text.map_characters(lambda char: f" {char} " if CJK.match(char) else char)
        # None is the default: as in BERT, with lowercase.
        if self.lowercase if self.strip_accents is None else self.strip_accents:
            text = self._remove_accents(text)
        return Lowercase().normalize(text) if self.lowercase else text

    def _clean(self, text: AlignedText) -> AlignedText:
        """Remove control characters, turn all white space into spaces."""
        if CONTROL.search(as_of_8(text.text)):
            text = text.filter_characters(lambda char: not CONTROL.match(as_of_8(char)))
        return text.replace_text(SPACE.sub(" ", text.text)) if SPACE.search(text.text) else text

    def _remove_accents(self, text: AlignedText) -> AlignedText:
        """Decompose, then remove non-spacing marks."""
        text = FORMS["NFD"].normalize(text)
        if text.text.isascii():
            return text
        return text.filter_characters(lambda char: unicodedata.category(as_of_8(char)) != "Mn")


NMT_DROPPED = regex.compile(r"[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]")
NMT_SPACES = str.maketrans(dict.fromkeys("\t\n\f\r\u1680\u200b\u200c\u200d\u200e\u200f\u2028\u2029▁\ufeff\ufffd", " "))


class Nmt(NormalizerComponent):
    r"""The cleaning of SentencePiece's rules `nmt`: drop control characters, turn other white space into spaces.

    >>> Nmt().normalize(AlignedText.of("a\x01\tb")).text
    'a b'
    """

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary:
        return SegmentBoundary()

    def normalize(self, text: AlignedText) -> AlignedText:
        if NMT_DROPPED.search(text.text):
            text = text.filter_characters(lambda char: not NMT_DROPPED.match(char))
        return text.replace_text(text.text.translate(NMT_SPACES))


class Prepend(NormalizerComponent):
    """Puts a prefix in front of a text, unless it is empty.

    >>> Prepend("▁").normalize(AlignedText.of("a"))
    AlignedText(text='▁a', starts=[0, 0], ends=[1, 1], at=0)
    """

    prepend: str = field(metadata=initial("▁"))
    pass_boundary = keep_boundary

    def normalize(self, text: AlignedText) -> AlignedText:
        if not text.text:
            return text
        (start, end) = text.span(0, 1)
        size = len(self.prepend)
        return AlignedText(
            self.prepend + text.text, [start] * size + [*text.starts], [end] * size + [*text.ends], text.at
        )


class Replace(NormalizerComponent, DecoderComponent):
    """Replaces every match of a pattern; the new text gets the span of its last character.

    >>> from tokenarium.scratch.compat.oniguruma.search import literal
    >>> Replace(literal(" "), "▁").normalize(AlignedText.of("a b")).text
    'a▁b'
    >>> Replace(literal("▁"), " ").decode(["▁a"])
    [' a']
    """

    pattern: OnigPattern = field(metadata=initial({"String": " "}, decoder={"String": "▁"}))
    content: str = field(metadata=initial("▁", decoder=" "))

    @property
    def makes_spaces(self) -> bool:  # type: ignore[override]  # depends on the options here
        return self.content.endswith(SPACES) and self.pattern.text not in SPACES and not self._takes_white_space

    @property
    def _takes_white_space(self) -> bool:
        """True if nothing but white space is replaced."""
        return WHITE_SPACE.fullmatch(self.pattern.text) is not None

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        """A space may be replaced by another one, or with others by one."""
        if not self.pattern.ends_before(boundary.spaces):
            return None
        if self.pattern.text in boundary.spaces:
            rest = boundary.spaces - {self.pattern.text}
            return SegmentBoundary(rest | {self.content}) if self.content in SPACES else None
        if self._takes_white_space and self.content in SPACES:
            return SegmentBoundary(boundary.spaces | {self.content})
        return boundary

    def normalize(self, text: AlignedText) -> AlignedText:
        content = self.content
        spans = self.pattern.spans(text.text)
        if len(content) == 1 and all(end - start == 1 for start, end in spans):
            # One character for one: the spans stay as they are.
            changed = [*text.text]
            for start, _ in spans:
                changed[start] = content
            return text.replace_text("".join(changed)) if spans else text
        chars = []
        starts = []
        ends = []
        position = 0
        for start, end in spans:
            at = (text.starts[end - 1], text.ends[end - 1]) if end else (text.at, text.at)
            chars += [text.text[position:start], content]
            starts += [*text.starts[position:start], *[at[0]] * len(content)]
            ends += [*text.ends[position:start], *[at[1]] * len(content)]
            position = end
        if not chars:
            return text
        joined = "".join([*chars, text.text[position:]])
        return AlignedText(joined, [*starts, *text.starts[position:]], [*ends, *text.ends[position:]], text.at)

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return [self._replace(token) for token in tokens]

    def _replace(self, token: str) -> str:
        parts = []
        position = 0
        for start, end in self.pattern.spans(token):
            parts += [token[position:start], self.content]
            position = end
        return "".join([*parts, token[position:]])


class Strip(NormalizerComponent):
    """Removes white space at the ends.

    >>> Strip().normalize(AlignedText.of(" a "))
    AlignedText(text='a', starts=range(1, 2), ends=range(2, 3), at=0)
    """

    strip_left: bool = True
    strip_right: bool = True

    makes_spaces = False

    def pass_boundary(self, boundary: SegmentBoundary) -> SegmentBoundary | None:
        return None if self.strip_left else boundary

    def normalize(self, text: AlignedText) -> AlignedText:
        start = len(text) - len(text.text.lstrip(WHITE)) if self.strip_left else 0
        kept = text[start : max(start, len(text.text.rstrip(WHITE)) if self.strip_right else len(text))]
        return AlignedText(kept.text, kept.starts, kept.ends, text.at)
