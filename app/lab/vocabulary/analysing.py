"""The analysis of a vocabulary as it is made: witnesses, then proofs, then searches for the tokens that are left."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import regex

from ...errors import TokenariumError
from ...store import Record
from ...types import Tokenizer
from .analysis import CLASSES, CODES, Analysis, Class
from .columns import KINDS, VocabularyColumns, load_columns
from .proofs import Proofs
from .summary import compute_figures
from .witness import WitnessSearch, divide_bytes, encode_texts

LIKE_SPECIAL = regex.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]|\|\|\|\w+\|\|\|")
"""How the vocabularies of the store spell special tokens, which their tokenizers do not all declare."""
MAX_INSTEAD = 16
"""Ids that are kept of those that a token becomes instead."""
CHARACTERS = 160_000
"""About as many as Unicode assigns."""


@dataclass(frozen=True, slots=True)
class AnalysisProgress:
    """What an analysis is doing, and the share of the work that is done."""

    doing: str
    share: float


def analyse(record: Record, tokenizer: Tokenizer) -> Iterator[AnalysisProgress | Analysis]:
    """Yield the progress of an analysis, and at last the analysis.

    Raises `Invalid` for a tokenizer that builds its vocabulary anew from each text.
    """
    yield AnalysisProgress("Reading the vocabulary", 0.0)
    columns = load_columns(tokenizer)
    yield AnalysisProgress("Encoding the text of each token", 0.1)
    work = _Work(record, tokenizer, columns)
    yield from work.run()
    analysis = work.result()
    yield AnalysisProgress("Counting", 0.95)
    yield replace(analysis, figures=compute_figures(record, columns, analysis, work.isolated.orphans))


def analyse_vocabulary(record: Record, tokenizer: Tokenizer) -> Analysis:
    """Return the analysis of a vocabulary. Raises what `analyse` raises."""
    return next(step for step in analyse(record, tokenizer) if isinstance(step, Analysis))


class _Work:
    """The analysis of one vocabulary as it goes on: rows by what is known of them."""

    def __init__(self, record: Record, tokenizer: Tokenizer, columns: VocabularyColumns) -> None:
        self.tokenizer = tokenizer
        self.columns = columns
        self.search = WitnessSearch(tokenizer, columns)
        self.proofs = Proofs(record, tokenizer, columns)
        self.isolated = self.proofs.isolated
        kinds = columns.kinds.tolist()
        sizes = columns.characters.tolist()
        special = KINDS.index("special")
        unknown = KINDS.index("unknown")
        self.specials = [row for row, kind in enumerate(kinds) if kind in (special, unknown)]
        ordinary = [row for row, kind in enumerate(kinds) if kind not in (special, unknown)]
        self.bytes = [row for row in ordinary if kinds[row] == KINDS.index("byte")]
        self.whole = [row for row in ordinary if sizes[row]]
        self.fragments = [row for row in ordinary if not sizes[row] and columns.raws[row]]
        self.causes: dict[int, tuple[str, bool]] = {row: ("empty", True) for row in ordinary if not columns.raws[row]}
        self.instead: dict[int, tuple[int, ...]] = {}
        self.parsed: dict[int, str] = {}

    def run(self) -> Iterator[AnalysisProgress]:
        """Look for witnesses and proofs in turn, each only for the tokens that are left."""
        search = self.search
        self._specials()
        yield from self._report_counts(
            "Encoding the text of each token", 0.1, 0.5, search.own_texts(self.whole), len(self.whole)
        )
        impossible = {row for row in self.fragments if divide_bytes(self.columns.raws[row]) is None}
        self.causes |= dict.fromkeys(impossible, ("not UTF-8", True))
        yield AnalysisProgress("Merging the bytes of each token", 0.5)
        possible = [row for row in self.fragments if row not in impossible]
        self._prove(search.list_missing(possible))
        self._only_whole_words()
        open_fragments = search.list_missing(self._unproven(possible))
        unknown = [row for row in self.specials if KINDS[self.columns.kinds[row]] == "unknown"]
        texts = search.characters([*open_fragments, *unknown])
        yield from self._report_counts("Encoding every character", 0.55, 0.75, texts, CHARACTERS)
        for _ in search.completions(search.list_missing(open_fragments)):
            yield AnalysisProgress("Completing parts of characters", 0.75)
        yield AnalysisProgress("Looking for proofs", 0.8)
        self._prove(search.list_missing([*self.whole, *possible]))
        left = search.list_missing(self._unproven(self.whole))
        for _ in search.contexts(left):
            yield AnalysisProgress("Trying texts around tokens", 0.85)
        for _ in search.try_spellings(search.list_missing(left)):
            yield AnalysisProgress("Trying texts over the vocabulary's own characters", 0.88)
        for _ in search.neighbours(search.list_missing(left)):
            yield AnalysisProgress("Trying other tokens beside tokens", 0.9)
        self._explain(search.list_missing([*self.whole, *possible]))

    def _report_counts(
        self, doing: str, first: float, last: float, counts: Iterator[int], of: int
    ) -> Iterator[AnalysisProgress]:
        done = 0
        for count in counts:
            done += count
            yield AnalysisProgress(doing, first + (last - first) * min(1.0, done / max(1, of)))

    def _unproven(self, rows: Sequence[int]) -> list[int]:
        return [row for row in rows if row not in self.causes or not self.causes[row][1]]

    def _specials(self) -> None:
        """Encode the spelling of each special token where special tokens are parsed."""
        for row in self.specials:
            piece = self.columns.pieces[row]
            id = int(self.columns.ids[row])
            with suppress(TokenariumError):
                if id in self.tokenizer.encode(piece, special="parse").ids:
                    self.parsed[row] = piece

    def _prove(self, rows: Sequence[int]) -> None:
        for row, (cause, proven, instead) in self.proofs.of(rows).items():
            self.causes[row] = cause, proven
            if instead:
                self.instead[int(self.columns.ids[row])] = instead

    def _only_whole_words(self) -> None:
        """Note the tokens that merging never gives, and some text does because a whole word is looked up."""
        if self.isolated.whole_words:
            orphans = self.isolated.orphans.intersection(self.whole)
            self.causes |= dict.fromkeys(orphans, ("orphan", False))  # later tokens may make it
            for row, parts in self.isolated.parts(self.whole).items():
                cause = "orphan" if row in self.isolated.orphans else self.isolated.cause
                self.causes[row], self.instead[int(self.columns.ids[row])] = (cause, False), parts

    def _explain(self, rows: Sequence[int]) -> None:
        """Find a cause for tokens that are neither found nor proven to be impossible."""
        whole = [row for row in rows if self.columns.characters[row]]
        texts = [self.columns.texts[row] for row in whole]
        for row, ids in zip(whole, encode_texts(self.tokenizer, texts) if texts else (), strict=True):
            self.instead.setdefault(int(self.columns.ids[row]), tuple(ids))
        for row in rows:
            if row not in self.causes:
                self.causes[row] = self.proofs.likely(row), False

    def result(self) -> Analysis:
        """Return the columns; the figures are still missing."""
        columns = self.columns
        size = len(self.columns)
        witnesses = {row: text for row, text in enumerate(self.search.found) if text is not None} | self.parsed
        classes = np.zeros(size, np.uint8)
        causes = np.zeros(size, np.uint8)
        proven = np.zeros(size, np.bool_)
        tried = np.zeros(size, np.uint32)
        for row in range(size):
            name, cause = self._classify(row, row in witnesses)
            classes[row] = CLASSES.index(name)
            if cause:
                causes[row], proven[row] = CODES.index(cause[0]), cause[1]
                others = 0 if columns.characters[row] else self.search.others
                tried[row] = 0 if row in witnesses else self.search.tried[row] + others
        texts = [witnesses[row].encode() for row in sorted(witnesses)]
        ends = np.full(size, -1, np.int64)
        ends[sorted(witnesses)] = np.cumsum([len(text) for text in texts], dtype=np.int64)
        lost = {id: ids[:MAX_INSTEAD] for id, ids in self.instead.items() if causes[columns.index(id) or 0]}
        return Analysis(
            ids=columns.ids,
            classes=classes,
            causes=causes,
            proven=proven,
            tried=tried,
            texts=b"".join(texts),
            ends=ends,
            instead=lost,
            figures={},
        )

    def _classify(self, row: int, found: bool) -> tuple[Class, tuple[str, bool] | None]:
        """Return the class of a token, and why it is not an ordinary one."""
        cause = self.causes.get(row)
        kind = KINDS[self.columns.kinds[row]]
        if kind == "special":
            return ("special", ("special", False)) if found else ("unreachable special", ("not parsed", False))
        if kind == "unknown":
            return ("special", None) if found else ("unreachable special", ("unknown", False))
        if not self.columns.characters[row]:
            return "undecodable", cause if cause and not found else ("fragment", False)
        if found:
            return "ok", cause  # such as an orphan that is a whole word of some text
        special = LIKE_SPECIAL.fullmatch(self.columns.texts[row])
        return "unreachable special" if special else "unreachable", cause
