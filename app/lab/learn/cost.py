"""The scene about what a text of one's own costs: tokens, price, and the pages of it that a context window holds."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from ...errors import plural
from ...scratch.context_costs import ContextCost, ModelOffer, compare_costs
from ...settings import Settings
from ..costs import count_costs, find_paid, format_dollars
from ..languages.declarations import declarations
from ..prices import PricedModel
from ..steps.frames import Fact, Tile, TileRow
from ..steps.tiles import NO_ID, percent
from .code import trace_lines
from .prose import fill
from .scene import MAX_TEXT, Question, SceneTable, Step, TableRow, Trace, Words, build_scene, choices
from .texts import draw_bars, token_row

if TYPE_CHECKING:
    from ...registry import Registry

MODELS = ("gpt-5", "gpt-4", "qwen3", "glm-4.5")
"""Models whose tokenizers the scene runs."""
CLAUDE = "claude-sonnet-5"
PAGE = 1800
"""Characters of a page."""
MOST_BYTES = 4 * MAX_TEXT
SHOWN = 7
"""Tokens of a row."""
CODES = ("eng", "fra", "deu_1996", "spa", "rus", "hin", "jpn", "cmn_hans", "arb", "mya")
"""Languages whose declaration practice asks about."""


def trace_cost(text: str, registry: Registry) -> Trace:
    """Trace the cost of a text in several models, each with its own tokenizer, price and window."""
    models = {model.name: model for model in find_paid(MODELS)}
    offers = [_offer(model, registry) for model in models.values()]
    words = plural(len(text.split()), "word")
    start = fill("cost.steps.start", characters=plural(len(text), "character"), words=words)
    steps = [Step((start,), (TileRow((Tile(text, NO_ID),), "text"),))]
    costs: list[ContextCost] = []
    rows: list[TileRow] = []
    for line, cost in trace_lines("context_costs.compare_costs", compare_costs(text, offers, page=PAGE)):
        model = models[cost.name]
        costs.append(cost)
        rows.append(token_row(registry.get(model.tokenizer, "scratch"), text, cost.name, limit=SHOWN))
        sentence = fill(
            "cost.steps.model",
            model=cost.name,
            tokens=plural(cost.tokens, "token"),
            dollars=format_dollars(cost.dollars),
            pages=plural(cost.pages, "page"),
            window=f"{model.window:,}",
        )
        facts = (
            Fact("of the window", percent(cost.share)),
            Fact("a million tokens to read", f"${model.price:.2f}", f"on {model.date}"),
        )
        figure = draw_bars({one.name: one.pages for one in costs}, "Pages that fit in the window")
        steps.append(
            Step(
                text=(sentence,),
                rows=(*rows[:1], *rows[1:][-1:]),
                line=line,
                table=_tabulate(costs),
                facts=facts,
                symbols=frozenset({"tokens", "price", "window"}),
                figure=figure,
            )
        )
    steps.append(_trace_claude(text, registry, steps[-1]))
    return Trace(steps, _ask_pages(text, costs, models[costs[len(text) % len(costs)].name]))


def _offer(model: PricedModel, registry: Registry) -> ModelOffer:
    tokenizer = registry.get(model.tokenizer, "scratch")
    return ModelOffer(
        model.name, lambda text: tokenizer.encode(text).ids.tolist(), model.price or 0.0, model.window or 0
    )


def _trace_claude(text: str, registry: Registry, before: Step) -> Step:
    """Return the step about a model whose tokenizer is not published: its tokens are a range."""
    (cost,) = count_costs(registry, text, find_paid([CLAUDE]), limit=MOST_BYTES)
    assert cost.tokens is not None
    low, high = f"{cost.tokens.low:,.0f}", f"{cost.tokens.high:,.0f}"
    sentence = fill("cost.steps.end", model=cost.model.name, low=low, high=high)
    return Step((sentence,), table=before.table, figure=before.figure)


def _tabulate(costs: Sequence[ContextCost]) -> SceneTable:
    rows = tuple(
        TableRow(
            (one.name, f"{one.tokens:,}", format_dollars(one.dollars), f"{one.pages:,}"),
            chosen=len(costs) > 1 and one.tokens == min(other.tokens for other in costs),
        )
        for one in costs
    )
    return SceneTable("The fewest tokens are marked", ("", "tokens", "1,000 requests", "pages that fit"), rows)


def _ask_pages(text: str, costs: Sequence[ContextCost], model: PricedModel) -> Question:
    """Return the question how many pages of such text fit in the window of a model."""
    window = model.window or 0
    cost = next(one for one in costs if one.name == model.name)
    words = len(text.split())
    wrong: list[tuple[Words, str]] = [
        (_pages(window // PAGE), fill("cost.question.letter")),
        (_pages(window * len(text) // (words * PAGE)), fill("cost.question.word")),
        *((_pages(one.pages), fill("cost.question.other", model=one.name)) for one in costs if one is not cost),
    ]
    known = {
        "characters of the text": f"{len(text):,}",
        "words of the text": f"{words:,}",
        f"tokens of the text, {model.name}": f"{cost.tokens:,}",
        f"tokens of the window, {model.name}": f"{window:,}",
    }
    table = SceneTable("What is known", ("", ""), tuple(map(TableRow, known.items())))
    given = Step((fill("cost.question.given"),), table=table)
    reason = fill(
        "cost.question.reason",
        characters=f"{len(text):,}",
        tokens=plural(cost.tokens, "token"),
        each=f"{len(text) / cost.tokens:.2f}",
        window=f"{window:,}",
    )
    prompt = fill("cost.question.prompt", model=model.name)
    return Question((prompt,), choices(_pages(cost.pages), reason, wrong), given, shown_at=costs.index(cost) + 1)


def _pages(count: int) -> Words:
    return (plural(count, "page"),)


def sample_text(random: Random) -> str:
    """Return the beginning of an article of the declaration, in one of some languages."""
    articles = declarations(Settings().store)[random.choice(CODES)].articles
    text = articles[random.choice([*articles])].partition("\n")[2].strip()
    return text[: random.randint(80, 300)].strip() or "To be or not to be."


COST = build_scene(
    id="cost",
    trace=trace_cost,
    code=("context_costs.compare_costs",),
    sample=sample_text,
    needs=("languages",),
    equation=True,
    rows=4,
)
