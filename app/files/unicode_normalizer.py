"""Spans in a text as it was typed before normalization, for engines that read the normalized text.

tiktoken's vocabularies are used with NFC (Qwen) and NFKC (Claude 2), which the programs around tiktoken apply.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..scratch.compat.aligned import AlignedText, Form
from ..scratch.compat.pipeline.normalizers import FORMS
from ..types import Encoding, EncodingTrace, TracedWord
from .spans import Column, byte_offsets, code_points, column, encode_spans


class UnicodeNormalizer:
    """A normalization form that is applied before an encoder or a tracer.

    >>> UnicodeNormalizer("NFC").text("e\\u0301")
    'é'
    """

    def __init__(self, normalization_form: Form) -> None:
        self._normalizer = FORMS[normalization_form].normalize

    def text(self, text: str) -> str:
        """Return the normalized text."""
        return text if text.isascii() else self._normalizer(AlignedText.of(text)).text

    def encode(self, encode: Callable[[str], Encoding], text: str) -> Encoding:
        """Encode the normalized text; the spans are those of the text."""
        aligned = self._normalizer(AlignedText.of(text))
        encoding = encode(aligned.text)
        if aligned.text == text:
            return encoding
        starts, ends = _map_to_input(aligned, text, encoding.byte_starts, encoding.byte_ends)
        return encode_spans(encoding.ids, starts, ends, text=text, data=text.encode(), flags=encoding.flags)

    def trace(self, trace: Callable[[str], EncodingTrace], text: str) -> EncodingTrace:
        """Trace the normalized text; the words are placed in the text."""
        aligned = self._normalizer(AlignedText.of(text))
        result = trace(aligned.text)
        if aligned.text == text:
            return result
        spans = column([(word.byte_start, word.byte_end) for word in result.words]).reshape(-1, 2)
        starts, ends = _map_to_input(aligned, text, spans[:, 0], spans[:, 1])
        words = [
            TracedWord(word.segmentation, start, end)
            for word, start, end in zip(result.words, starts.tolist(), ends.tolist(), strict=True)
        ]
        return replace(result, words=words)


def _map_to_input(aligned: AlignedText, text: str, starts: Column, ends: Column) -> tuple[Column, Column]:
    """Return byte spans of the normalized text (none empty) as byte spans of the text.

    A span that begins or ends inside of a character does so in the text too, if normalization kept the character; else
    it covers everything that the character was made from.
    """
    at = byte_offsets(text.encode())
    normal_at = byte_offsets(aligned.text.encode())
    first = column(aligned.starts)
    after = column(aligned.ends)
    chars = code_points(text)
    kept = (after - first == 1) & (np.append(chars, 0)[first] == code_points(aligned.text))
    # A form drops nothing: what no character was made from has been composed with the character before.
    after = np.maximum(after, np.append(first[1:], len(text)))
    from_char = np.searchsorted(normal_at, starts, side="right") - 1
    to_char = np.searchsorted(normal_at, ends, side="left") - 1
    new_starts = at[first[from_char]] + kept[from_char] * (starts - normal_at[from_char])
    new_ends = at[after[to_char]] - kept[to_char] * (normal_at[to_char + 1] - ends)
    return new_starts.astype(np.int32), new_ends.astype(np.int32)
