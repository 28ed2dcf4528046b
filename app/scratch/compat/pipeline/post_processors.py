"""The post-processors of Hugging Face `tokenizers` (0.23): change the tokens of a text after the model."""

from collections.abc import Callable, Iterable, Sequence

from .pre_tokenizers import byte_alphabet

Row = tuple[int, int, int]
"""(id, start, end): a token and its span in code points of the input."""
Processor = Callable[[list[Row], Sequence[str], bool], list[Row]]
"""Takes the rows, the spelling of each, and whether to add the special tokens that the model expects around a text."""

SPACE = byte_alphabet()[32]


def apply_processors(
    processors: Iterable[Processor], rows: list[Row], spelled: Sequence[str], add_special_tokens: bool
) -> list[Row]:
    """Apply post-processors one after another. Only the last may add tokens: spellings are matched to rows by index.

    >>> apply_processors([trim_spaces(), around_text([7], [])], [(1, 0, 1)], ["a"], True)
    [(7, 0, 0), (1, 0, 1)]
    """
    for processor in processors:
        rows = processor(rows, spelled, add_special_tokens)
    return rows


def around_text(before: Sequence[int], after: Sequence[int]) -> Processor:
    """Return the post-processor that adds tokens around the text, with empty spans: `[CLS] A [SEP]`, `<s> A </s>`.

    >>> around_text([101], [102])([(7, 0, 2)], ["hi"], True)
    [(101, 0, 0), (7, 0, 2), (102, 0, 0)]
    """

    def add_tokens(rows: list[Row], spelled: Sequence[str], add_special_tokens: bool) -> list[Row]:
        return [*((id, 0, 0) for id in before), *rows, *((id, 0, 0) for id in after)] if add_special_tokens else rows

    return add_tokens


def template(steps: Sequence[Sequence[int] | None]) -> Processor:
    """Return the post-processor that writes ids with empty spans, and the text at each None, which may be repeated.

    >>> template([[7], None, [8], None])([(1, 0, 2)], ["hi"], True)
    [(7, 0, 0), (1, 0, 2), (8, 0, 0), (1, 0, 2)]
    >>> template([[7], None, [8], None])([(1, 0, 2)], ["hi"], False)  # the library repeats the text also without ids
    [(1, 0, 2), (1, 0, 2)]
    """

    def add_tokens(rows: list[Row], spelled: Sequence[str], add_special_tokens: bool) -> list[Row]:
        kept = [ids for ids in steps if add_special_tokens or ids is None]
        return [row for ids in kept for row in (rows if ids is None else [(id, 0, 0) for id in ids])]

    return add_tokens


def trim_spaces(*, prefix_space: bool = True) -> Processor:
    """Return the post-processor that removes spaces from the ends of byte-level spans; a first one may be inserted.

    >>> trim_spaces()([(5, 0, 2), (6, 2, 5)], ["Ġhi", "Ġyo"], False)
    [(5, 0, 2), (6, 3, 5)]
    """

    def trim(rows: list[Row], spelled: Sequence[str], add_special_tokens: bool) -> list[Row]:
        trimmed_rows = []
        for i, ((id, start, end), piece) in enumerate(zip(rows, spelled, strict=True)):
            lead = _spaces(piece)
            trail = _spaces(piece[::-1])
            # A single leading space of the first token may be the inserted one, which is not part of the input.
            if lead != 1 or not prefix_space or (i > 0 and start > 0):
                start = min(start + lead, end)
            if trail and end >= trail:
                end = max(end - trail, start)
            trimmed_rows.append((id, start, end))
        return trimmed_rows

    return trim


def _spaces(piece: str) -> int:
    """Return the number of leading spaces of a piece."""
    return next((i for i, char in enumerate(piece) if char != SPACE and not char.isspace()), len(piece))
