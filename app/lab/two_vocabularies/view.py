"""What the page of two vocabularies shows: samples, runs, languages and the cost of texts, cut to what one reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...errors import TooLarge
from ...registry import Registry
from ...types import TokenizerInfo
from ..cell_views import clip_text, hex_bytes
from ..display_runs import DisplayRun, runs
from ..languages.atlas import add_trained_columns, read_atlas
from ..tokenize import tokenize
from ..vocabulary.search import RecentVocabularies
from .comparison import ClassCount, ShiftedRun, SpecialPair, TwoVocabularies, compare_columns
from .merges import Merge, TwoMerges, compare_merges

MAX_TEXT = 100_000
"""The maximum length of a text, in characters."""
SAMPLES = 120
RUNS = 10
SPECIALS = 60
LANGUAGES = 12
SCRIPTS = 30
MERGES = 12
"""What is shown at most of each."""
MAX_CHARACTERS = 20
"""Characters of a token that are shown."""


@dataclass(frozen=True, slots=True)
class LanguageCost:
    """The tokens of the declaration in one language. `ratio` is those of the second by those of the first."""

    code: str
    name: str
    script: str
    a: int
    b: int
    unread: bool

    @property
    def ratio(self) -> float:
        return self.b / self.a if self.a else 1.0


@dataclass(frozen=True, slots=True)
class TokenSample:
    """A token: its id, and its text in runs, or its bytes in hex."""

    id: int
    runs: tuple[DisplayRun, ...]
    hex: str


def count_text_costs(registry: Registry, text: str, a: str, b: str) -> tuple[int, int]:
    """Return the number of tokens of a text in both. Raises `TooLarge`, `LoneSurrogate` and what encoding raises."""
    if len(text) > MAX_TEXT:
        raise TooLarge(f"The text has {len(text):,} characters; at most {MAX_TEXT:,} are counted.", limit=MAX_TEXT)
    one, other = (len(tokenize(registry, text, tokenizer=id).encoding) for id in (a, b))
    return one, other


def count_language_costs(registry: Registry, store: Path, a: str, b: str) -> list[LanguageCost]:
    """Return the counts of every language, the largest change first; none if one of both has not been counted.

    `unread` are languages that one of both does not support, where few tokens say nothing.

    >>> from tokenarium.settings import Settings
    >>> costs = count_language_costs(Registry(Settings()), Settings().store, "gpt2", "o200k_base")
    >>> max(costs, key=lambda cost: cost.a / cost.b).name
    'Georgian'
    """
    atlas = add_trained_columns(read_atlas(store), registry)
    columns = {column.id: column for column in atlas.columns}
    if not {a, b} <= {*columns}:
        return []
    first = columns[a]
    second = columns[b]
    costs = []
    for row, language in enumerate(atlas.languages):
        unread = atlas.cell(row, first).unread or atlas.cell(row, second).unread
        tokens = first.tokens[row], second.tokens[row]
        costs.append(LanguageCost(language.code, language.name, language.script, *tokens, unread))
    return sorted(costs, key=lambda cost: (-max(cost.ratio, 1 / cost.ratio if cost.ratio else 1.0), cost.name))


@dataclass(frozen=True)
class TwoView:
    """All that is compared of two vocabularies, for the page and for the API; `script` filters the samples."""

    infos: tuple[TokenizerInfo, TokenizerInfo]
    both: TwoVocabularies
    merges: TwoMerges | None
    languages: Sequence[LanguageCost]
    costs: tuple[int, int] | None
    script: str = ""

    @property
    def runs(self) -> Sequence[ShiftedRun]:
        return self.both.runs[:RUNS]

    @cached_property
    def in_runs(self) -> int:
        """The moved tokens that the shown runs have."""
        return sum(run.count for run in self.runs)

    @property
    def scripts(self) -> Sequence[ClassCount]:
        return self.both.scripts[:SCRIPTS]

    @cached_property
    def specials(self) -> Sequence[SpecialPair]:
        """The special tokens, those that differ first."""
        return sorted(self.both.specials, key=lambda pair: pair.a == pair.b)[:SPECIALS]

    @cached_property
    def specials_alike(self) -> int:
        """The number of special tokens that both have, with the same id."""
        return sum(pair.a == pair.b for pair in self.both.specials)

    def count(self, side: str) -> int:
        """Return the number of tokens that only one side has, of the chosen script."""
        return len(self.both.select_rows(side, self.script))

    def samples(self, side: str) -> list[TokenSample]:
        """Return the first tokens that only one side has."""
        columns = self.both.a if side == "a" else self.both.b
        rows = self.both.select_rows(side, self.script)[:SAMPLES].tolist()
        return [sample(int(columns.ids[row]), columns.raws[row]) for row in rows]

    @cached_property
    def moved_firsts(self) -> list[tuple[int, TokenSample]]:
        """The first token of each run that is shown, by its id in the first vocabulary."""
        columns = self.both.a
        rows = [(run.first, columns.index(run.first)) for run in self.runs]
        return [(id, sample(id, columns.raws[row])) for id, row in rows if row is not None]

    def only_merges(self, side: str) -> list[tuple[Merge, list[TokenSample], TokenSample]]:
        """Return the first merges that only one side has, with their parts and what they make."""
        merges = self.merges
        some = (merges.only_a if side == "a" else merges.only_b)[:MERGES] if merges else ()
        return [(one, [sample(0, part) for part in one.parts], sample(0, one.made)) for one in some]

    @cached_property
    def read(self) -> list[LanguageCost]:
        """The languages that both support."""
        return [cost for cost in self.languages if not cost.unread]

    @cached_property
    def totals(self) -> tuple[int, int]:
        """The tokens of all languages that both support."""
        return sum(cost.a for cost in self.read), sum(cost.b for cost in self.read)

    @cached_property
    def cheaper(self) -> list[LanguageCost]:
        """The languages that need the fewest tokens in the second by those in the first."""
        return [cost for cost in sorted(self.read, key=lambda cost: cost.ratio) if cost.ratio < 1][:LANGUAGES]

    @cached_property
    def dearer(self) -> list[LanguageCost]:
        """The languages that need the most tokens in the second by those in the first."""
        return [cost for cost in sorted(self.read, key=lambda cost: -cost.ratio) if cost.ratio > 1][:LANGUAGES]


def compare_vocabularies(
    registry: Registry, recent: RecentVocabularies, store: Path, a: str, b: str, *, text: str = "", script: str = ""
) -> TwoView:
    """Compare the vocabularies of two tokenizers. Raises `UnknownTokenizer`, `Invalid`, `TooLarge`, `BadFile`."""
    costs = count_text_costs(registry, text, a, b) if text else None
    columns = recent.columns(registry, a), recent.columns(registry, b)
    both = compare_columns(*columns)
    both.select_rows("a", script)  # raises for an unknown script before anything is shown
    merges = compare_merges((registry.record(a), registry.record(b)), columns)
    languages = count_language_costs(registry, store, a, b)
    return TwoView(
        infos=(registry.info(a), registry.info(b)),
        both=both,
        merges=merges,
        languages=languages,
        costs=costs,
        script=script,
    )


def sample(id: int, raw: bytes) -> TokenSample:
    r"""Return a token as it is shown.

    >>> sample(1, b"\xf0\x9f").hex, sample(2, b"ab").runs[0].text
    ('F0 9F', 'ab')
    """
    try:
        return TokenSample(id, tuple(runs(clip_text(raw.decode(), MAX_CHARACTERS))), "")
    except UnicodeDecodeError:
        return TokenSample(id, (), hex_bytes(raw, max_length=16))
