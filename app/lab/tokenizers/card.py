"""A tokenizer's card: what one sheet says about it, and the figures that a table of all tokenizers compares.

All but the samples is known without loading a vocabulary.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median
from typing import Any, Literal, get_args

from ...registry import Registry
from ...settings import Settings
from ...store import PRIVATE
from ...types import UNKNOWN, ChatTemplate, TokenizerInfo
from ..chat.templates import special_roles
from ..examples import CHINESE, CODE, EMOJI, ENGLISH
from ..languages.atlas import ENGLISH as ENGLISH_CODE
from ..languages.atlas import Atlas, AtlasColumn
from ..metrics import count_flagged
from ..model_facts import ModelFacts, list_model_facts
from ..models import ModelRow, model_list
from ..pipeline.sources import can_be_shown
from ..regex.effect import has_ranks
from ..tokenization_view import TokenizationView
from ..tokenize import tokenize
from ..train.metadata import escape_markdown, fence_code, quote_code
from ..vocabulary.analysis import load_figures

KINDS: Mapping[str, str] = {
    "bpe": "byte pair encoding (BPE)",
    "wordpiece": "WordPiece",
    "unigram": "Unigram",
    "byte": "one token a byte",
    "character": "one token a character",
    "word": "one token a word",
    "longest-match": "greedy longest match",
    "other": "as its own files define",
}
SUMMARIZED = 256
"""Tokenizers whose premiums are summarized once: it takes a millisecond each."""
CHEAP = 1.5
"""The premium up to which a language counts as one that a tokenizer is good at."""
EXTREMES = 6
"""Languages with the lowest and the highest premiums that a card names."""
SAMPLES = (
    ("English", ENGLISH.partition(";")[0] + "."),
    ("Python", "\n".join(CODE.splitlines()[:3])),
    ("Numbers", "7 42 365 1984 12345 1234567 3.14159 1e-9 0xFF"),
    ("Chinese", CHINESE.partition("！")[0] + "！" + "今天天气很好。"),
    ("Hindi", "नमस्ते दुनिया! क्षत्रिय, ज्ञान और श्रम"),
    ("Emoji", EMOJI.partition(", rainbow")[0]),
)
"""The same short texts on every card, so that cards can be laid side by side."""


@dataclass(frozen=True, slots=True)
class LanguagePremiums:
    """How many tokens the languages of the declaration of human rights take, relative to English.

    `cheap` counts the languages up to `CHEAP`, `unread` those with too many unknown characters. `best` and `worst` are
    (code, name, premium); English itself is in neither.
    """

    languages: int
    median: float
    cheap: int
    unread: int
    best: tuple[tuple[str, str, float], ...]
    worst: tuple[tuple[str, str, float], ...]
    bytes_per_token: float


@dataclass(frozen=True, slots=True)
class Summary:
    """A tokenizer's row in the table of all.

    `names` are those of its models, the newest first, or its title. `has_ranks`: another pattern can be put into it.
    `reading` is None where its languages were never counted, and `no_text`, the number of tokens for which no text
    was found, where its vocabulary was never analysed.
    """

    info: TokenizerInfo
    names: tuple[str, ...]
    has_ranks: bool
    size: int | None
    reading: LanguagePremiums | None
    no_text: int | None = None

    @property
    def origin(self) -> str:
        """How it came to this server, or `private`."""
        return "private" if PRIVATE.fullmatch(self.info.id) else self.info.origin

    def is_about(self, query: str) -> bool:
        """True if each word of a query is in a name of the tokenizer or of its models."""
        return all(word in self.searched for word in query.casefold().split())

    @property
    def searched(self) -> str:
        info = self.info
        return " ".join((*self.names, info.id, info.title, info.family, *info.models)).casefold()


SortKey = Literal[
    "origin", "title", "family", "tokens", "special", "no_text", "bytes", "premium", "cheap", "round", "size"
]
SORT_KEYS: tuple[SortKey, ...] = get_args(SortKey)
RISING: frozenset[SortKey] = frozenset({"origin", "title", "family", "premium"})
"""The columns whose smallest value comes first, unless the other order is requested."""
ORIGINS = ("private", "added", "fetched", "trained", "configured", "bundled")
Value = float | str | None
VALUES: Mapping[SortKey, Callable[[Summary], Value]] = {
    "origin": lambda row: float(ORIGINS.index(row.origin)),
    "title": lambda row: row.names[0].casefold(),
    "family": lambda row: row.info.family,
    "tokens": lambda row: row.info.tokens,
    "special": lambda row: len(row.info.special_tokens),
    "no_text": lambda row: row.no_text,
    "bytes": lambda row: row.reading.bytes_per_token if row.reading else None,
    "premium": lambda row: row.reading.median if row.reading else None,
    "cheap": lambda row: row.reading.cheap if row.reading else None,
    "round": lambda row: row.info.lossless,
    "size": lambda row: row.size,
}


def in_order(rows: Iterable[Summary], key: SortKey, *, rising: bool) -> list[Summary]:
    """Return rows sorted by a column, equal ones as they came; those without a value come last in either order."""
    every = [*rows]
    having = [row for row in every if VALUES[key](row) is not None]
    return [
        *sorted(having, key=VALUES[key], reverse=not rising),  # type: ignore[arg-type]  # a column has one type
        *(row for row in every if VALUES[key](row) is None),
    ]


@dataclass(frozen=True, slots=True)
class TokenizedSample:
    """A text of `SAMPLES` with its tokens."""

    title: str
    view: TokenizationView

    @property
    def bytes_per_token(self) -> float:
        return len(self.view.tokenization.data) / max(1, len(self.view.tokenization.encoding))

    @property
    def unknown(self) -> int:
        """The number of unknown tokens, which make bytes per token look better than they are."""
        return count_flagged(self.view.tokenization.encoding, UNKNOWN)


@dataclass(frozen=True)
class TokenizerCard:
    """Everything that one sheet says about a tokenizer.

    `roles` has the special token of each role by the name of the role in configurations, `pattern` the regular
    expression that pre-tokenizes, where there is one, `figures` those of the vocabulary, once they were computed.
    `has_pipeline` is False for a tokenizer that no pipeline describes. `models` says of each model of the vocabulary
    which chat template writes its prompts, and what it costs.
    """

    summary: Summary
    sha256: str
    pattern: str
    roles: dict[str, str]
    template: ChatTemplate | None
    figures: Mapping[str, Any] | None
    has_pipeline: bool = True
    models: Sequence[ModelFacts] = ()
    samples: Sequence[TokenizedSample] = field(default=())

    @property
    def info(self) -> TokenizerInfo:
        return self.summary.info

    @property
    def named(self) -> list[tuple[str, int, str]]:
        """The special tokens as (spelling, id, roles), by id."""
        by_token: dict[str, list[str]] = {}
        for role, token in self.roles.items():
            by_token.setdefault(token, []).append(role.removesuffix("_token").upper())
        rows = [(token, id, ", ".join(by_token.get(token, ()))) for token, id in self.info.special_tokens.items()]
        return sorted(rows, key=lambda row: row[1])


@lru_cache(maxsize=SUMMARIZED)
def summarize_premiums(atlas: Atlas, column: AtlasColumn) -> LanguagePremiums | None:
    """Return how a tokenizer reads the languages of the atlas, None if it reads none.

    >>> from tokenarium.lab.languages.atlas import read_atlas
    >>> from tokenarium.settings import Settings
    >>> atlas = read_atlas(Settings().store)
    >>> [column] = atlas.select(["bytes"])
    >>> summarize_premiums(atlas, column).best[0][1:]
    ('Cashinahua', 0.49)
    """
    cells = [(language, atlas.cell(row, column)) for row, language in enumerate(atlas.languages)]
    english = next((cell for language, cell in cells if language.code == ENGLISH_CODE), None)
    premiums = sorted(
        (cell.premium, language.name, language.code)
        for language, cell in cells
        if cell.premium is not None and not cell.unread and language.code != ENGLISH_CODE
    )
    if not premiums or english is None:
        return None
    ends = [(code, name, round(premium, 2)) for premium, name, code in premiums]
    return LanguagePremiums(
        languages=len(cells),
        median=median(premium for premium, *_ in premiums),
        cheap=sum(premium <= CHEAP for premium, *_ in premiums) + 1,  # and English
        unread=sum(cell.unread for _, cell in cells),
        best=tuple(ends[:EXTREMES]),
        worst=tuple(reversed(ends[-EXTREMES:])),
        bytes_per_token=english.bytes_per_token or 0.0,
    )


def summaries(
    settings: Settings, registry: Registry, atlas: Atlas, infos: Iterable[TokenizerInfo]
) -> Iterator[Summary]:
    """Yield the row of each tokenizer, in the order of the picker of models; no vocabulary is loaded."""
    columns = {column.id: column for column in atlas.columns}
    models: dict[str, list[ModelRow]] = {}
    for row in (row for _, rows in model_list(infos).groups for row in rows):
        models.setdefault(row.info.id if row.info else "", []).append(row)
    models.pop("", None)  # what is not here
    for id, rows in models.items():
        record, column = registry.record(id), columns.get(id)
        figures = load_figures(settings, record)
        yield Summary(
            registry.info(id),
            names=tuple(row.name for row in rows),
            has_ranks=has_ranks(registry, id),
            size=registry.size(id),
            reading=summarize_premiums(atlas, column) if column else None,
            no_text=figures["classes"]["no text found"] if figures else None,
        )


def build_card(settings: Settings, registry: Registry, atlas: Atlas, id: str) -> TokenizerCard:
    """Return the card of a tokenizer. Raises what loading it raises, and `UnknownTokenizer`."""
    info = registry.info(id)
    (summary,) = summaries(settings, registry, atlas, [info])
    record = registry.record(id)
    template = registry.chat_template(id)
    return TokenizerCard(
        summary=summary,
        sha256=record.sha256() if record.spec else "",
        pattern=record.pattern or "",
        roles=special_roles(info, template),
        template=template,
        figures=load_figures(settings, record),
        has_pipeline=can_be_shown(record),
        models=list_model_facts(registry, id),
        samples=tuple(
            TokenizedSample(title, TokenizationView(tokenize(registry, text, tokenizer=id))) for title, text in SAMPLES
        ),
    )


def as_markdown(card: TokenizerCard) -> str:
    """Return a card as Markdown, as the cards of models are written."""
    return "\n".join(_markdown(card)) + "\n"


def _markdown(card: TokenizerCard) -> Iterator[str]:
    info = card.info
    languages = card.summary.reading
    yield from (
        f"# {escape_markdown(info.title)}",
        "",
        f"`{info.id}`, {KINDS.get(info.family, info.family)}",
        "",
        "| | |",
        "|---|---|",
    )
    yield f"| Tokens | {f'{info.tokens:,}' if info.tokens else 'grows with the text'} |"
    yield f"| Special tokens | {len(info.special_tokens)} |"
    yield f"| Round trip | {'exact' if info.lossless else escape_markdown(info.normalization)} |"
    yield from (
        f"| {role.removesuffix('_token').upper()} | {quote_code(' '.join(token.split()))} |"
        for role, token in card.roles.items()
    )
    yield from (f"| Models | {escape_markdown(', '.join(info.models))} |" for _ in info.models[:1])
    if card.template:
        told = ": ".join(filter(None, (card.template.model, card.template.source)))
        told = "; ".join(filter(None, (told, card.template.provenance)))
        yield f"| Chat template | {escape_markdown(told)} |"
    for model in card.models[1:]:
        yield f"| Chat template of {escape_markdown(model.name)} | {escape_markdown(model.fit.text)} |"
    source = " ".join(filter(None, (info.source.package, info.source.version)))
    licensed = f"{escape_markdown(source)}, {escape_markdown(info.source.licence)}"
    yield from (f"| Source | {licensed} |" for _ in [1] if source)
    yield from (f"| SHA-256 | {quote_code(card.sha256)} |" for _ in [1] if card.sha256)
    if card.figures:
        classes = card.figures["classes"]
        orphans = card.figures["orphans"]["count"]
        yield f"| Tokens for which no text was found | {classes['no text found']:,} |"
        yield f"| Parts of characters | {card.figures['undecodable']['count']:,} |"
        yield f"| Orphans | {orphans:,} |"
    if card.pattern:
        fence = fence_code(card.pattern, least=3)
        yield from ("", "## Pre-tokenization", "", fence, card.pattern.strip("\n"), fence)
    if languages:
        yield from ("", "## Languages", "")
        yield (
            f"Of {languages.languages} versions of the Universal Declaration of Human Rights, {languages.cheap} take "
            f"at most {CHEAP} times the tokens of English; the median is {languages.median:.2f}. English: "
            f"{languages.bytes_per_token:.2f} bytes per token."
        )
        yield ""
        for title, ends in (("Fewest tokens", languages.best), ("Most tokens", languages.worst)):
            yield f"- {title}: {', '.join(f'{escape_markdown(name)} {premium:.2f}' for _, name, premium in ends)}"
    yield from ("", "## Samples", "", "| Text | Tokens | of them unknown | Bytes per token |", "|---|---|---|---|")
    for one in card.samples:
        yield f"| {one.title} | {one.view.counts.tokens} | {one.unknown} | {one.bytes_per_token:.2f} |"
