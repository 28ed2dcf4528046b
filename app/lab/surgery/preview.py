"""A preview of an operation: what it would do to the tokens and ids of a text, before anything is built or proven."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...errors import Invalid
from ...types import UNKNOWN, Encoding
from ..metrics import count_flagged
from .change import change_tokenizer, split_corpus
from .jobs import ProgressReporter
from .operation import measure_savings
from .options import SurgeryOptions
from .subject import EditableTokenizer, RenumberedTokenizer, load_subject

MAX_SAMPLE = 5_000
"""Characters of a text to preview on."""
MAX_CORPUS = 300_000
"""Characters of a corpus that a preview reads."""
MAX_SHOWN_TOKENS = 400
"""Tokens of the text that are shown."""
Change = Literal["stays", "moves", "vanishes", "new"]


@dataclass(frozen=True, slots=True)
class PreviewToken:
    """A token of the text in one of both vocabularies.

    `changed` if the other one divides the text differently here; `id` is its own id, `other` that in the other
    vocabulary, None if that lacks it.
    """

    text: str
    id: int
    other: int | None
    changed: bool

    @property
    def change(self) -> Change:
        """What happens to the id of a token of the old vocabulary."""
        return "vanishes" if self.other is None else "stays" if self.id == self.other else "moves"


@dataclass(frozen=True, slots=True)
class SurgeryPreview:
    """What an operation would do: `figures` as in a report, `ids` by what happens to them, and the text's tokens.

    `counts` are the tokens of the text before and after, `unknown` those of them that are unknown. `read` of the
    `characters` of the corpus were read for it.
    """

    figures: Mapping[str, Any]
    measured: Mapping[str, Any] | None
    ids: Mapping[Change, int]
    before: Sequence[PreviewToken]
    after: Sequence[PreviewToken]
    counts: tuple[int, int]
    unknown: tuple[int, int]
    read: int
    characters: int

    @property
    def rows(self) -> list[tuple[PreviewToken, Change]]:
        """The different tokens of the text, each with what happens to it: those that go or come first."""
        rows = {("old", token.id): (token, token.change) for token in self.before}
        new: dict[tuple[str, int], tuple[PreviewToken, Change]] = {
            ("new", token.id): (token, "new") for token in self.after if token.other is None
        }
        order = ("vanishes", "new", "moves", "stays")
        return sorted({**rows, **new}.values(), key=lambda row: order.index(row[1]))


def preview_operation(
    old: EditableTokenizer, texts: Sequence[str], options: SurgeryOptions, sample: str
) -> SurgeryPreview:
    """Return what an operation would do to a text. Raises what `operate` raises for options and files.

    Of a large corpus, only the first `MAX_CORPUS` characters are read, and nothing is proven.
    """
    if len(sample) > MAX_SAMPLE:
        raise Invalid(f"A preview takes at most {MAX_SAMPLE:,} characters.", pointer="/sample", limit=MAX_SAMPLE)
    beginnings = cut_texts(texts, MAX_CORPUS)
    split = split_corpus(beginnings, options)
    progress = ProgressReporter(lambda event: None)
    result, figures = change_tokenizer(old, split=split, options=options, progress=progress)
    new = load_subject(result.data, title=old.record.info.title)
    encodings = [one.reference.encode(sample) for one in (old, new)]
    back = {id: old_id for old_id, id in result.kept.items()}
    spans = [Counter(_spans(one)) for one in encodings]
    equal = {span for span in spans[0] if spans[0][span] == spans[1][span]}
    return SurgeryPreview(
        figures=figures,
        measured=measure_savings(old, new, split) if split else None,
        ids=_count_changes(result, figures),
        before=_tokens(old, encodings[0], result.kept, equal),
        after=_tokens(new, encodings[1], back, equal),
        counts=(len(encodings[0]), len(encodings[1])),
        unknown=(count_flagged(encodings[0], UNKNOWN), count_flagged(encodings[1], UNKNOWN)),
        read=sum(map(len, beginnings)),
        characters=sum(map(len, texts)),
    )


def cut_texts(texts: Sequence[str], most: int) -> list[str]:
    """Return the beginnings of texts, at most so many characters together, as equal as they can be.

    >>> cut_texts(["abcdef", "gh", "ijklmn"], 9)
    ['abc', 'gh', 'ijkl']
    """
    beginnings = {}
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    for place, number in enumerate(order):
        beginnings[number] = texts[number][: most // (len(order) - place)]
        most -= len(beginnings[number])
    return [beginnings[number] for number in range(len(texts))]


def _count_changes(result: RenumberedTokenizer, figures: Mapping[str, Any]) -> dict[Change, int]:
    stays = sum(old == new for old, new in result.kept.items())
    gone: int = figures["tokens"]["before"] - figures["tokens"]["kept"]
    return {"stays": stays, "moves": len(result.kept) - stays, "vanishes": gone, "new": len(result.new)}


def _spans(encoding: Encoding) -> list[tuple[int, int]]:
    return [*zip(encoding.byte_starts.tolist(), encoding.byte_ends.tolist(), strict=True)]


def _tokens(
    subject: EditableTokenizer, encoding: Encoding, others: Mapping[int, int], equal: set[tuple[int, int]]
) -> list[PreviewToken]:
    """Return the first tokens of a text; `others` has ids of the other vocabulary, `equal` places divided as there."""
    rows = zip(encoding.ids.tolist()[:MAX_SHOWN_TOKENS], _spans(encoding), strict=False)
    entries = ((subject.reference.entry(id), span) for id, span in rows)
    return [PreviewToken(one.text or one.piece, one.id, others.get(one.id), span not in equal) for one, span in entries]
