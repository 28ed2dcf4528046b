"""Post-processors: what is done to the tokens of a text once the model has cut it."""

from collections.abc import Callable, Iterable, Sequence

from app.scratch.words import byte_alphabet

Row = tuple[int, int, int]
"""An id, and the code points of the input that it covers, start and end."""
Processor = Callable[[list[Row], Sequence[str], bool], list[Row]]
"""Takes the rows, how each is spelled, and whether the tokens that a model expects around a text are to be added."""

SPACE = byte_alphabet()[32]


def in_turn(processors: Iterable[Processor], rows: list[Row], spelled: Sequence[str], around: bool) -> list[Row]:
    """Apply post-processors one after another; only the last may add tokens.

    >>> in_turn([trim_spaces(), around_text([7], [])], [(1, 0, 1)], ["a"], True)
    [(7, 0, 0), (1, 0, 1)]
    """
    for processor in processors:
        rows = processor(rows, spelled, around)
    return rows


def around_text(before: Sequence[int], after: Sequence[int]) -> Processor:
    """Tokens around the text, which stand for none of it: `[CLS] A [SEP]`, `<s> A </s>`.

    >>> around_text([101], [102])([(7, 0, 2)], ["hi"], True)
    [(101, 0, 0), (7, 0, 2), (102, 0, 0)]
    """

    def added(rows: list[Row], spelled: Sequence[str], around: bool) -> list[Row]:
        return [*((id, 0, 0) for id in before), *rows, *((id, 0, 0) for id in after)] if around else rows

    return added


def trim_spaces(*, prefix_space: bool = True) -> Processor:
    """Leave the spaces at the ends of a byte-level token out of its span; a first one may have been put in front.

    >>> trim_spaces()([(5, 0, 2), (6, 2, 5)], ["Ġhi", "Ġyo"], False)
    [(5, 0, 2), (6, 3, 5)]
    """

    def trimmed(rows: list[Row], spelled: Sequence[str], around: bool) -> list[Row]:
        done = []
        for i, ((id, start, end), piece) in enumerate(zip(rows, spelled, strict=True)):
            lead, trail = _spaces(piece), _spaces(piece[::-1])
            if lead != 1 or not prefix_space or (i > 0 and start > 0):
                start = min(start + lead, end)
            if trail and end >= trail:
                end = max(end - trail, start)
            done.append((id, start, end))
        return done

    return trimmed


def _spaces(piece: str) -> int:
    """How many characters at the beginning of a piece are spaces."""
    return next((i for i, char in enumerate(piece) if char != SPACE and not char.isspace()), len(piece))
