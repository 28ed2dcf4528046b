"""The analysis of a vocabulary as it is made: texts are encoded until each token is seen; others get a cause."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import regex

from ...errors import BadFile, TokenariumError
from ...files.tokenizer_json.packed import read_tokenizer_json
from ...files.tokenizer_json.read import TokenizerJson
from ...files.unicode_normalizer import UnicodeNormalizer
from ...memory import without_collection
from ...scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from ...scratch.fast.pretokenize import split
from ...store import Record
from ...types import Staged, Tokenizer
from .analysis import CLASSES, CODES, Analysis, Class
from .columns import KINDS, VocabularyColumns, load_columns
from .merges import Merges, load_merges
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
    yield replace(analysis, figures=compute_figures(record, columns, analysis, work.orphans))


def analyse_vocabulary(record: Record, tokenizer: Tokenizer) -> Analysis:
    """Return the analysis of a vocabulary. Raises what `analyse` raises."""
    with without_collection():
        return next(step for step in analyse(record, tokenizer) if isinstance(step, Analysis))


class _Work:
    """The analysis of one vocabulary as it goes on: rows by what is known of them."""

    def __init__(self, record: Record, tokenizer: Tokenizer, columns: VocabularyColumns) -> None:
        self.record = record
        self.tokenizer = tokenizer
        self.columns = columns
        self.search = WitnessSearch(tokenizer, columns)
        self.file: TokenizerJson | None = None
        self.merges = Merges("unread")
        with suppress(BadFile):  # only a library can read it
            self.merges = load_merges(record, columns)
            self.file = read_tokenizer_json(record)
        kinds = [KINDS[kind] for kind in columns.kinds.tolist()]
        self.orphans = list_orphans(self.merges, columns)
        self.specials = [row for row, kind in enumerate(kinds) if kind in ("special", "unknown")]
        ordinary = [row for row, kind in enumerate(kinds) if kind not in ("special", "unknown")]
        self.whole = [row for row in ordinary if columns.characters[row]]
        self.fragments = [row for row in ordinary if not columns.characters[row] and columns.raws[row]]
        self.causes = {row: "empty" for row in ordinary if not columns.raws[row]}
        self.instead: dict[int, tuple[int, ...]] = {}
        self.parsed: dict[int, str] = {}

    def run(self) -> Iterator[AnalysisProgress]:
        """Encode more and more texts, each for the tokens that are not yet seen."""
        search = self.search
        self._specials()
        counts = search.own_texts(self.whole)
        yield from self._report_counts("Encoding the text of each token", 0.1, 0.5, counts, len(self.whole))
        self._only_whole_words()
        possible = [row for row in self.fragments if divide_bytes(self.columns.raws[row]) is not None]
        self.causes |= dict.fromkeys({*self.fragments}.difference(possible), "not UTF-8")
        unknown = [row for row in self.specials if KINDS[self.columns.kinds[row]] == "unknown"]
        bytewise = [row for row in self.whole if KINDS[self.columns.kinds[row]] == "byte"]
        texts = search.characters([*possible, *bytewise, *unknown])
        yield from self._report_counts("Encoding every character", 0.5, 0.75, texts, CHARACTERS)
        for _ in search.completions(search.list_missing(possible)):
            yield AnalysisProgress("Completing parts of characters", 0.75)
        left = search.list_missing({*self.whole}.difference(bytewise))
        for _ in search.contexts(left):
            yield AnalysisProgress("Trying texts around tokens", 0.8)
        for _ in search.try_spellings(search.list_missing(left)):
            yield AnalysisProgress("Trying texts over the vocabulary's own characters", 0.88)
        for _ in search.neighbours(search.list_missing(left)):
            yield AnalysisProgress("Trying other tokens beside tokens", 0.9)
        self._explain(search.list_missing(self.whole))
        bytewise = [row for row in search.list_missing(possible) if KINDS[self.columns.kinds[row]] == "byte"]
        self.causes |= dict.fromkeys(bytewise, "byte fallback")

    def _report_counts(
        self, doing: str, first: float, last: float, counts: Iterator[int], of: int
    ) -> Iterator[AnalysisProgress]:
        done = 0
        for count in counts:
            done += count
            yield AnalysisProgress(doing, first + (last - first) * min(1.0, done / max(1, of)))

    def _specials(self) -> None:
        """Encode the spelling of each special token where special tokens are parsed."""
        for row in self.specials:
            piece = self.columns.pieces[row]
            id = int(self.columns.ids[row])
            with suppress(TokenariumError):
                if id in self.tokenizer.encode(piece, special="parse").ids:
                    self.parsed[row] = piece

    def _only_whole_words(self) -> None:
        """Note the tokens that merging never gives, and some text does because a whole word is looked up."""
        if self.merges.source == "ranks" or (self.file and self.file.model.ignore_merges):
            for row in self.whole:
                id = int(self.columns.ids[row])
                if parts := self._merge_otherwise(id):
                    self.causes[row] = "orphan" if row in self.orphans else "merge order"
                    self.instead[id] = parts

    def _merge_otherwise(self, id: int) -> tuple[int, ...]:
        """Return the tokens that the symbols of a token merge to by themselves; none if they give the token."""
        symbol = self.merges.symbols.get(id)
        parts = self.merges.merge_alone(symbol) if symbol else []
        return tuple(part.id for part in parts if part.id is not None) if len(parts) > 1 else ()

    def _explain(self, rows: Sequence[int]) -> None:
        """Find the likely cause for tokens that no text gave, and what their own text becomes."""
        added = {token.id for token in self.file.added} if self.file else set()
        added.update(self.record.info.added_tokens.values())
        texts = [self.columns.texts[row] for row in rows]
        for row, ids in zip(rows, encode_texts(self.tokenizer, texts) if texts else (), strict=True):
            self.instead[int(self.columns.ids[row])] = tuple(ids)
            self.causes[row] = self._find_cause(row, has_added=not added.isdisjoint(ids))

    def _find_cause(self, row: int, *, has_added: bool) -> str:
        """Return the first stage at which the text of a token is no longer whole."""
        text = self.columns.texts[row]
        if KINDS[self.columns.kinds[row]] == "byte":
            return "byte fallback"
        if has_added:
            return "added token"
        if self.record.info.family == "wordpiece" and self.columns.pieces[row].startswith("##"):
            text = f"a{text}"  # it stands behind something
        normal, words = self._stages(text) or (text, [text])
        if text not in normal.replace("▁", " "):
            return "normalizer"
        if not any(text in spelled for word in words for spelled in (word.replace("▁", " "), _unspell(word))):
            return "pattern"
        if row in self.orphans:
            return "orphan"
        return "merge order" if self._merge_otherwise(int(self.columns.ids[row])) else "other tokens"

    def _stages(self, text: str) -> tuple[str, Sequence[str]] | None:
        """Return a text as it is normalized, and its words; None if the tokenizer cannot say."""
        with suppress(TokenariumError):
            if isinstance(self.tokenizer, Staged):
                stages = self.tokenizer.stages(text)
                normal = "".join(stages.get("normalize", [text]))
                return normal, stages.get("pre-tokenize", [normal])
            form = self.record.spec.get("normalizer")
            normal = UnicodeNormalizer(form).text(text) if form else text
            return normal, [word for _, word in split(self.record.pattern or "", normal, trusted=self.record.trusted)]
        return None

    def result(self) -> Analysis:
        """Return the columns; the figures are still missing."""
        columns = self.columns
        size = len(self.columns)
        witnesses = {row: text for row, text in enumerate(self.search.found) if text is not None} | self.parsed
        classes = np.zeros(size, np.uint8)
        causes = np.zeros(size, np.uint8)
        tried = np.zeros(size, np.uint32)
        for row in range(size):
            name, cause = self._classify(row, row in witnesses)
            classes[row] = CLASSES.index(name)
            causes[row] = CODES.index(cause)
            if cause and row not in witnesses:
                tried[row] = self.search.count_tried(row)
        texts = [witnesses[row].encode() for row in sorted(witnesses)]
        ends = np.full(size, -1, np.int64)
        ends[sorted(witnesses)] = np.cumsum([len(text) for text in texts], dtype=np.int64)
        lost = {id: ids[:MAX_INSTEAD] for id, ids in self.instead.items() if causes[columns.index(id) or 0]}
        return Analysis(
            ids=columns.ids,
            classes=classes,
            causes=causes,
            tried=tried,
            texts=b"".join(texts),
            ends=ends,
            instead=lost,
            figures={},
        )

    def _classify(self, row: int, found: bool) -> tuple[Class, str]:
        """Return the class of a token, and why it is not an ordinary one."""
        kind = KINDS[self.columns.kinds[row]]
        if kind == "special":
            return ("special", "special") if found else ("special, no text found", "not parsed")
        if kind == "unknown":
            return ("special", "") if found else ("special, no text found", "unknown")
        cause = self.causes.get(row, "")
        if not self.columns.characters[row]:
            return "undecodable", cause or "fragment"
        if found:
            return "ok", cause if cause in ("orphan", "merge order") else ""
        special = LIKE_SPECIAL.fullmatch(self.columns.texts[row])
        return "special, no text found" if special else "no text found", cause


def list_orphans(merges: Merges, columns: VocabularyColumns) -> frozenset[int]:
    """Return the rows of the normal tokens that no merge of two earlier tokens makes."""
    rows = np.flatnonzero(columns.kinds == KINDS.index("normal")).tolist()
    return frozenset(row for row in rows if merges.orphan(int(columns.ids[row])))


def _unspell(word: str) -> str:
    """Return a word that spells bytes as text.

    >>> _unspell("Ġthe"), _unspell("日")
    (' the', '日')
    """
    try:
        return bytes([BYTE_OF[char] for char in word]).decode()
    except (KeyError, UnicodeDecodeError):
        return word
