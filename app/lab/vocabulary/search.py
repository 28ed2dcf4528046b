"""Search through the columns of a vocabulary: by text, bytes, id or regular expression, filtered, sorted, and kept."""

from collections.abc import Iterable, Iterator
from time import process_time
from typing import AnyStr, Literal

import numpy as np
import regex
from numpy.typing import NDArray
from pydantic import ConfigDict

from ...errors import BadFile, Invalid, RegexTimeout, UnknownId
from ...files.patterns import check_pattern_complexity
from ...registry import Registry
from ..caches import LRUCache, hash_text
from ..option_schema import Options, declare
from .analysis import CLASSES
from .columns import KINDS, SCRIPTS, VocabularyColumns, load_columns
from .merges import Merges, load_merges

Match = Literal["contains", "begins", "ends", "exact"]
Sort = Literal["id", "bytes", "characters", "text", "script"]
REGEX_SECONDS = 2.0
"""Processor time that a regular expression may take on all tokens of a vocabulary."""
MAX_PATTERN = 500
"""The maximum length of a regular expression, in characters."""
HEX = regex.compile(r"(?:0x|\\x)?[0-9A-Fa-f]{2}")
IDS = regex.compile(r"([0-9]+)(?:\s*(?:-|–|\.\.)\s*([0-9]+))?")
EVERY = 512
"""Tokens between two looks at the clock."""
Rows = NDArray[np.int32]
MAX_VOCABULARIES = 2
MAX_SEARCHES = 8
MAX_TOKENS = 600_000
"""The largest vocabulary that is looked through: one of all characters would take the memory of a whole worker."""


class Query(Options):
    """What is searched for; without any field it is every token, by id.

    A regular expression knows `ignore_case` alone of how text is compared; for `token_class` an analysis is needed.
    """

    model_config = ConfigDict(strict=False, populate_by_name=True)

    q: str = declare("Search", "", max_length=2000, description="What to search for; without it, every token.")
    by: Literal["text", "bytes", "id", "regex"] = declare(
        "By",
        "text",
        description="What `q` is: a text, bytes in hex, ids such as `17, 100-120`, or a regular expression.",
    )
    match: Match = declare("Match", "contains", description="How text or bytes are compared.")
    ignore_case: bool = declare("Ignore case", False)
    sort: Sort = declare("Sort by", "id", description="Equal ones follow by id.")
    descending: bool = declare("Descending", False)
    script: str = declare("Script", "", description="A name from `scripts`: `Latin`, `digits`, `bytes` …")
    kind: Literal["", "normal", "special", "unknown", "byte"] = declare("Type", "", description="The type of token.")
    space: Literal["", "yes", "no"] = declare("Space", "", description="Whether the token begins with a space.")
    shortest: int = declare("Shortest", 0, ge=0, le=10**6, description="The least length in bytes.")
    longest: int | None = declare("Longest", None, ge=0, le=10**6, description="The greatest length in bytes.")
    token_class: Literal["", "ok", "special", "special, no text found", "undecodable", "no text found"] = declare(
        "Class",
        "",
        alias="class",
        field="class",
        description="The class of the token, once the vocabulary has been analysed.",
    )


def search(columns: VocabularyColumns, query: Query, classes: NDArray[np.uint8] | None = None) -> Rows:
    """Return the rows of `columns` that a query finds, in its order; `classes` are those of the analysis.

    Raises `Invalid` with a pointer to the field, `UnknownId` for ids beyond the largest, and `RegexTimeout` for a
    regular expression that takes too long.
    """
    found = _filter_rows(columns, query)
    if query.token_class:
        if classes is None:
            detail = "The tokens have no classes before the vocabulary has been analysed: open its summary."
            raise Invalid(detail, pointer="/class")
        found &= classes == CLASSES.index(query.token_class)
    if query.q:
        found &= _match_query(columns, query)
    return _sort_rows(columns, np.flatnonzero(found).astype(np.int32), query)


def _filter_rows(columns: VocabularyColumns, query: Query) -> NDArray[np.bool_]:
    """Return a mask over all rows: true for the tokens that pass the filters."""
    if query.longest is not None and query.longest < query.shortest:
        detail = f"The longest length, {query.longest}, is below the shortest, {query.shortest}."
        raise Invalid(detail, pointer="/longest")
    mask = columns.lengths >= query.shortest
    if query.longest is not None:
        mask &= columns.lengths <= query.longest
    if query.script:
        if query.script not in SCRIPTS:
            raise Invalid("script is one that /api/vocabulary/{id}/tokens names in `scripts`.", pointer="/script")
        mask &= columns.scripts == SCRIPTS.index(query.script)
    if query.kind:
        mask &= columns.kinds == KINDS.index(query.kind)
    if query.space:
        mask &= columns.prefix_space == (query.space == "yes")
    return mask


def _match_query(columns: VocabularyColumns, query: Query) -> NDArray[np.bool_]:
    match query.by:
        case "text":
            return _by_text(columns, query)
        case "bytes":
            return np.array(_match_values(query.match, parse_hex(query.q), columns.raws), np.bool_)
        case "id":
            return _by_id(columns, query.q)
        case _:
            return _by_regex(columns, query)


def _by_text(columns: VocabularyColumns, query: Query) -> NDArray[np.bool_]:
    """Return the tokens whose text matches, or whose spelling does where it is not the text, as `##ing` or `▁the`."""
    texts, pieces = columns.folded if query.ignore_case else (columns.texts, columns.spelled)
    part = query.q.casefold() if query.ignore_case else query.q
    mask = np.array(_match_values(query.match, part, texts), np.bool_)
    mask[[*pieces]] |= np.array(_match_values(query.match, part, pieces.values()), np.bool_)
    return mask


def _match_values(match: Match, part: AnyStr, values: Iterable[AnyStr]) -> list[bool]:
    """Return a mask over values: true for those that contain a part, begin or end with it, or equal it."""
    match match:
        case "begins":
            return [value.startswith(part) for value in values]
        case "ends":
            return [value.endswith(part) for value in values]
        case "exact":
            return [value == part for value in values]
        case _:
            return [part in value for value in values]


def parse_hex(text: str) -> bytes:
    r"""Return bytes that are written in hex, with or without spaces, `0x` or `\x`. Raises `Invalid`.

    >>> parse_hex("F0 9f"), parse_hex(r"\xF0\x9F"), parse_hex("0xf0,0x9f")
    (b'\xf0\x9f', b'\xf0\x9f', b'\xf0\x9f')
    """
    bare = regex.sub(r"[\s,]+", "", text)
    if not bare or regex.fullmatch(rf"(?:{HEX.pattern})+", bare) is None:
        raise Invalid("Bytes are written in hex, two digits each: F0 9F 8C 8D.", pointer="/q")
    return bytes(int(part[-2:], 16) for part in HEX.findall(bare))


def _by_id(columns: VocabularyColumns, text: str) -> NDArray[np.bool_]:
    mask = np.zeros(len(columns), np.bool_)
    largest = int(columns.ids[-1])
    for first, last in parse_ranges(text):
        if first > largest:
            raise UnknownId(first, vocab_size=largest + 1, pointer="/q")
        mask[np.searchsorted(columns.ids, first) : np.searchsorted(columns.ids, min(last, largest), "right")] = True
    return mask


def parse_ranges(text: str) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of ids and ranges of ids, separated by commas or spaces. Raises `Invalid`.

    >>> list(parse_ranges("17, 100-120"))
    [(17, 17), (100, 120)]
    """
    text = regex.sub(r"\s*(-|–|\.\.)\s*", r"\1", text.strip())
    for part in regex.split(r"[\s,]+", text):
        parsed = IDS.fullmatch(part)
        if parsed is None or len(part) > 30:
            raise Invalid("Ids are whole numbers or ranges of them: 17, 100-120.", pointer="/q")
        first = int(parsed[1])
        last = int(parsed[2] or parsed[1])
        if last < first:
            raise Invalid(f"The range from {first} to {last} has its end before its beginning.", pointer="/q")
        yield first, last


def _by_regex(columns: VocabularyColumns, query: Query) -> NDArray[np.bool_]:
    """Return the tokens in whose text a regular expression of a user matches somewhere; to be run in a worker."""
    find = compile_regex(query.q, ignore_case=query.ignore_case).search
    mask = np.zeros(len(columns), np.bool_)
    begin = process_time()
    every = enumerate(zip(columns.texts, columns.characters.tolist(), strict=True))
    left = REGEX_SECONDS
    try:
        for row, (text, characters) in every:
            if row % EVERY == 0:
                left = REGEX_SECONDS - (process_time() - begin)
            # A limit of zero or less would be none.
            if characters and find(text, timeout=max(left, 1e-3)):
                mask[row] = True
            if left <= 0:
                raise TimeoutError
    except TimeoutError:
        detail = f"The pattern takes longer than {REGEX_SECONDS:.0f} seconds on this vocabulary."
        raise RegexTimeout(detail, pointer="/q") from None
    return mask


def compile_regex(pattern: str, *, ignore_case: bool) -> regex.Pattern[str]:
    """Return a regular expression of a user, bounded before it is compiled. Raises `Invalid`."""
    try:
        check_pattern_complexity(pattern, max_length=MAX_PATTERN)
        return regex.compile(pattern, regex.V0 | regex.DOTALL | (regex.IGNORECASE if ignore_case else 0))
    except BadFile as error:
        raise Invalid(error.detail, pointer="/q", limit=error.limit) from None
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        reason = str(error) if isinstance(error, regex.error) else "it is too complex"
        raise Invalid(f"The pattern is no regular expression: {reason}.", pointer="/q") from None


def _sort_rows(columns: VocabularyColumns, rows: Rows, query: Query) -> Rows:
    """Return rows in the order of a query; equal ones by id."""
    if query.sort == "id":
        return rows[::-1] if query.descending else rows
    keys = _keys(columns, query.sort)[rows]
    return rows[np.argsort(-keys if query.descending else keys, kind="stable")]


def _keys(columns: VocabularyColumns, sort: Sort) -> Rows:
    match sort:
        case "bytes":
            return columns.lengths
        case "characters":
            return columns.characters
        case "text":
            return columns.places
        case "script":
            return SCRIPT_PLACES[columns.scripts]
        case _:
            return np.arange(len(columns), dtype=np.int32)


SCRIPT_PLACES = np.argsort(np.argsort(SCRIPTS)).astype(np.int32)
"""The place of each script in alphabetical order."""


def scripts_in(columns: VocabularyColumns) -> list[tuple[str, int]]:
    """Return the scripts of a vocabulary, each with its number of tokens, the most frequent first."""
    counts = np.bincount(columns.scripts, minlength=len(SCRIPTS))
    return [(SCRIPTS[code], int(counts[code])) for code in np.argsort(-counts, kind="stable").tolist() if counts[code]]


class RecentVocabularies:
    """Caches bounded by bytes, so that the next page of a search takes neither the vocabulary nor the search again."""

    def __init__(self, *, max_bytes: int = 80_000_000) -> None:
        # Each with the id of its tokenizer.
        self._columns = LRUCache[tuple[str, VocabularyColumns]](
            entries=MAX_VOCABULARIES, max_bytes=max_bytes, size=lambda value: value[1].nbytes
        )
        self._merges = LRUCache[tuple[str, Merges]](entries=1, max_bytes=max_bytes, size=lambda value: value[1].nbytes)
        self._found = LRUCache[tuple[str, Rows]](
            entries=MAX_SEARCHES, max_bytes=max_bytes // 8, size=lambda value: value[1].nbytes
        )

    def forget(self, tokenizer: str) -> None:
        """Drop what was made of a tokenizer, which may have been replaced by another of its name."""
        self._columns.discard(lambda value: value[0] == tokenizer)
        self._merges.discard(lambda value: value[0] == tokenizer)
        self._found.discard(lambda value: value[0] == tokenizer)

    def columns(self, registry: Registry, id: str) -> VocabularyColumns:
        """Return the columns of a tokenizer.

        Raises `Invalid` for one that is too large, and what `Registry.get_once` and `columns_of` raise.
        """
        size = registry.info(id).vocab_size or 0  # raises UnknownTokenizer, and drops what was made of one that is gone
        if size > MAX_TOKENS:
            detail = f"{id} has {size:,} tokens; vocabularies of at most {MAX_TOKENS:,} can be looked through."
            raise Invalid(detail, pointer="/tokenizer", limit=MAX_TOKENS)
        return self._columns.get_or_create(id, lambda: (id, load_columns(registry.get_once(id))))[1]

    def merges(self, registry: Registry, id: str) -> Merges:
        """Return the merges of a tokenizer. Raises what `columns` and `load_merges` raise."""
        columns = self.columns(registry, id)
        return self._merges.get_or_create(id, lambda: (id, load_merges(registry.record(id), columns)))[1]

    def search(
        self, registry: Registry, id: str, query: Query, classes: NDArray[np.uint8] | None = None
    ) -> tuple[VocabularyColumns, Rows]:
        """Return the columns of a tokenizer and the rows that a query finds. Raises what `search` raises."""
        columns = self.columns(registry, id)
        key = hash_text(query.q, id, query.model_dump_json(exclude={"q"}))
        return columns, self._found.get_or_create(key, lambda: (id, search(columns, query, classes)))[1]
