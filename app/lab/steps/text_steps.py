"""The frames before the model runs: the text, its normalization and its pre-tokenization. Also a trace's notes."""

from ...scratch.compat.unicode_versions import lower
from ...types import Trace
from .bpe_steps import is_reached
from .frames import Fact, Frame, Row
from .tiles import character_row, plural, signed, window, word_tile
from .word_steps import MAX_NAMED, segment_name


def initial_frames(text: str, trace: Trace) -> list[Frame]:
    """Return the frames before the first word: the text, its normal form if it differs, and the pre-tokens."""
    frames = [_text_frame(text)]
    if not text:
        return frames
    if trace.normal != text:
        frames.append(_normalization_frame(text, trace, len(frames)))
    frames.append(_pre_tokenization_frame(trace, len(frames)))
    return frames


def _text_frame(text: str) -> Frame:
    size = len(text.encode())
    caption = (
        f"The text has {plural(len(text), 'character')} and {plural(size, 'byte')} in UTF-8."
        if text
        else "The text is empty and has no tokens."
    )
    facts = (Fact("characters", f"{len(text):,}"), Fact("bytes", f"{size:,}"))
    return Frame(0, "text", (caption,), (character_row(text),), facts=facts)


def _normalization_frame(text: str, trace: Trace, step: int) -> Frame:
    # The trace has only the result of normalization; which rule applied is inferred from it.
    if trace.normal == lower(text):
        caption = "The text is converted to lower case."
    elif trace.method == "attempts":
        caption = (
            "The text is normalized: lower case, no accents, no control characters, spaces around Chinese characters."
        )
    elif trace.normal.replace("▁", " ") in (f" {text}", text):
        prefix = ", and one ▁ is added in front" if len(trace.normal) > len(text) else ""
        caption = f"Each space is written as ▁{prefix}."
    else:
        caption = "The text is normalized: this is what the model reads."
    change = len(trace.normal) - len(text)
    facts = (Fact("characters", f"{len(trace.normal):,}", signed(change) if change else ""),)
    rows = (character_row(text, "before"), character_row(trace.normal, "after"))
    return Frame(step, "normalize", (caption,), rows, facts=facts)


def _pre_tokenization_frame(trace: Trace, step: int) -> Frame:
    count = len(trace.words)
    tiles = tuple(
        word_tile(traced.segmentation, at=i, mark="special" if traced.segmentation.special else "")
        for i, traced in zip(window(count, 0), trace.words, strict=False)
    )
    row = Row(tiles, left_out_after=count - len(tiles))
    facts = (Fact(f"{segment_name(trace)}s", f"{count:,}"),)
    return Frame(step, "pre-tokenize", (_pre_tokenization_caption(trace),), (row,), facts=facts)


def _pre_tokenization_caption(trace: Trace) -> str:
    count = len(trace.words)
    pre_tokens = plural(count, "pre-token")
    special = (
        " Special tokens are split off first." if any(traced.segmentation.special for traced in trace.words) else ""
    )
    if trace.pattern and trace.method == "units":
        return f"The pre-tokenization pattern splits the text into {pre_tokens}, each of which is a token."
    if trace.pattern:
        boundaries = " No merge crosses their boundaries." if count > 1 else ""
        return f"The pre-tokenization pattern splits the text into {pre_tokens}.{boundaries}{special}"
    if trace.method == "attempts":
        return f"White space and punctuation split the text into {pre_tokens}; white space is dropped.{special}"
    if trace.method == "units":
        return f"The text consists of {plural(count, 'unit')}, each of which is a token.{special}"
    if count == 1:
        return "There is no pre-tokenizer."
    alone = f"No token spans the boundaries between these {count:,} segments, so each can be followed on its own."
    return f"There is no pre-tokenizer. {alone}{special}"


def notes(trace: Trace) -> tuple[str, ...]:
    """Return a note about words that are tokens of the vocabulary though no merges produce them, if there are any."""
    if trace.method != "merges":
        return ()
    # A dict rather than a set keeps the words in the order of the text.
    unreached = {
        traced.segmentation.symbols: None
        for traced in trace.words
        if traced.segmentation.whole and not is_reached(traced.segmentation)
    }
    if not unreached:
        return ()
    words = [f"“{word.decode()}”" if isinstance(word, bytes) else word for word in [*unreached][:MAX_NAMED]]
    more = f" and {len(unreached) - MAX_NAMED:,} more" if len(unreached) > MAX_NAMED else ""
    return (f"The vocabulary contains tokens that no merges up to their rank produce: {', '.join(words)}{more}.",)
