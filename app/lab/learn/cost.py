"""Scenes about what a text costs, how much of it a context window holds, and a prompt of text, image and sound."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.budget import iter_shares
from ...scratch.context_costs import ContextCost, ModelOffer, compare_costs
from ...settings import Settings
from ..beyond.budget import MAX_SECONDS, Image, Prompt, PromptBudget, budget, budget_model
from ..beyond.image_tokens import LARGEST_SIDE
from ..costs import count_costs, find_paid
from ..languages.declarations import declarations
from ..option_schema import from_mapping
from ..prices import PricedModel, format_dollars
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, percent
from .code import trace_lines
from .prose import say
from .scene import MAX_TEXT, Question, Trace, ask
from .texts import draw_bars, tell_price, token_row

MODELS = ("gpt-5", "gpt-4", "qwen3", "glm-4.5")
"""Models whose tokenizers the scene runs."""
CLAUDE = "claude-sonnet-5"
PAGE = 1800
"""Characters of a page."""
MOST_BYTES = 4 * MAX_TEXT
TOKENS_OF_ROW = 7
"""Tokens of a row."""
CODES = ("eng", "fra", "deu_1996", "spa", "rus", "hin", "jpn", "cmn_hans", "arb", "mya")
"""Languages whose declaration practice asks about."""
SIZE = re.compile(r"([0-9]{1,6})\s*[×xX*]\s*([0-9]{1,6})")
SECONDS = re.compile(r"([0-9]{1,5}(?:\.[0-9]+)?) ?s")
BUDGETED = "gemini-3"
OTHER = "gpt-4o"
WINDOW = 128_000
"""The window that the shares are of, that of GPT-4o."""
MAX_PARTS = 12


def trace_cost(text: str, registry: Registry) -> Trace:
    """Trace the cost of a text in several models, each with its own tokenizer, price and window."""
    models = {model.name: model for model in find_paid(MODELS)}
    offers = [_offer(model, registry) for model in models.values()]
    words = plural(len(text.split()), "word")
    start = say("cost.steps.start", characters=plural(len(text), "character"), words=words)
    steps = [Step(start, (TileRow((Tile(text, NO_ID),), "text"),))]
    costs: list[ContextCost] = []
    rows: list[TileRow] = []
    for line, cost in trace_lines(compare_costs(text, offers, page=PAGE)):
        model = models[cost.name]
        costs.append(cost)
        rows.append(token_row(registry.get(model.tokenizer, "scratch"), text, cost.name, limit=TOKENS_OF_ROW))
        sentence = say(
            "cost.steps.model",
            model=cost.name,
            tokens=plural(cost.tokens, "token"),
            dollars=format_dollars(cost.dollars),
            pages=plural(cost.pages, "page"),
            window=f"{model.window:,}",
        )
        facts = (
            Fact("of the window", percent(cost.share)),
            Fact("a million tokens to read", tell_price(model.price), f"on {model.date}"),
        )
        symbols = ("tokens", "price", "window")
        figure = draw_bars({one.name: one.pages for one in costs}, "Pages that fit in the window")
        compared = (*rows[:1], *rows[1:][-1:])
        steps.append(Step(sentence, compared, line, _tabulate(costs), facts, symbols, figure))
    steps.append(_trace_claude(text, registry, steps[-1]))
    return Trace(steps, _ask_pages(text, costs, models[costs[len(text) % len(costs)].name]))


def _offer(model: PricedModel, registry: Registry) -> ModelOffer:
    tokenizer = registry.get(model.tokenizer, "scratch")
    return ModelOffer(model.name, lambda text: tokenizer.encode(text).ids.tolist(), model.price, model.window or 0)


def _trace_claude(text: str, registry: Registry, before: Step) -> Step:
    """Return the step about a model whose tokenizer is not published: its tokens are a range."""
    (cost,) = count_costs(registry, text, find_paid([CLAUDE]), limit=MOST_BYTES)
    assert cost.tokens is not None
    low, high = f"{cost.tokens.low:,.0f}", f"{cost.tokens.high:,.0f}"
    sentence = say("cost.steps.end", model=cost.model.name, low=low, high=high)
    return Step(sentence, table=before.table, figure=before.figure)


def _tabulate(costs: Sequence[ContextCost]) -> Table:
    fewest = min(one.tokens for one in costs) if len(costs) > 1 else 0
    rows = (
        Row((one.name, f"{one.tokens:,}", format_dollars(one.dollars), f"{one.pages:,}"), one.tokens == fewest)
        for one in costs
    )
    return tabulate("The fewest tokens are marked", ("", "tokens", "1,000 requests", "pages that fit"), rows)


def _ask_pages(text: str, costs: Sequence[ContextCost], model: PricedModel) -> Question:
    """Return the question how many pages of such text fit in the window of a model."""
    window = model.window or 0
    cost = next(one for one in costs if one.name == model.name)
    words = len(text.split())
    known = {
        "characters of the text": f"{len(text):,}",
        "words of the text": f"{words:,}",
        f"tokens of the text, {model.name}": f"{cost.tokens:,}",
        f"tokens of the window, {model.name}": f"{window:,}",
    }
    return ask(
        "cost.question",
        _pages(cost.pages),
        [
            (_pages(window // PAGE), "letter"),
            (_pages(window * len(text) // (words * PAGE)), "word"),
            *((_pages(one.pages), "other", {"model": one.name}) for one in costs if one is not cost),
        ],
        table=tabulate("What is known", ("", ""), known.items()),
        shown_at=costs.index(cost) + 1,
        model=model.name,
        characters=f"{len(text):,}",
        tokens=plural(cost.tokens, "token"),
        each=f"{len(text) / cost.tokens:.2f}",
        window=f"{window:,}",
        held=f"{round(window * len(text) / cost.tokens):,}",
    )


def _pages(count: int) -> Words:
    return (plural(count, "page"),)


def sample_text(random: Random) -> str:
    """Return the beginning of an article of the declaration, in one of some languages."""
    articles = declarations(Settings().store)[random.choice(CODES)].articles
    text = articles[random.choice([*articles])].partition("\n")[2].strip()
    return text[: random.randint(80, 300)].strip() or "To be or not to be."


def trace_budget(text: str, registry: Registry) -> Trace:
    """Trace the parts of a prompt into one context, and say how another model counts them."""
    prompt = parse_prompt(text)
    counted, other = (budget(registry, budget_model(id), prompt) for id in (BUDGETED, OTHER))
    sentence = say("budget.steps.start", parts=plural(len(counted.parts), "part"), window=f"{WINDOW:,}")
    whole = tuple(TileRow((Tile(part.kind, NO_ID + at),), part.name) for at, part in enumerate(counted.parts))
    steps = [Step(sentence, whole)]
    rows: list[TileRow] = []
    shares = trace_lines(iter_shares([(part.name, part.tokens or 0) for part in counted.parts], WINDOW))
    for at, (part, (line, step)) in enumerate(zip(counted.parts, shares, strict=True)):
        rows.append(TileRow((Tile(f"{step.tokens:,}", NO_ID + at),), step.name))
        sentence = (f"{step.name[0].upper()}{step.name[1:]}: {part.formula.removesuffix('.')}.",)
        facts = (Fact("tokens", f"{step.total:,}", f"+{step.tokens:,}"), Fact("of the context", percent(step.share)))
        symbol = part.kind if part.kind in ("text", "image", "sound") else "sound"
        steps.append(Step(sentence, (*rows,), line, facts=facts, symbols=(symbol,)))
    steps.append(Step(say("budget.steps.other"), (*rows,), table=_table(counted, other)))
    return Trace(steps, _question(counted, whole))


def parse_prompt(text: str) -> Prompt:
    """Return the prompt that lines describe: a size in pixels is an image, seconds are sound, all else is text.

    >>> parse_prompt("Hello\\n1024 × 768\\n30 s").images, parse_prompt("Hello\\n30 s").audio_seconds
    ([Image(width=1024, height=768, detail='')], 30.0)

    Raises `Invalid`.
    """
    words = []
    images = []
    seconds = 0.0
    for line in text.splitlines():
        if size := SIZE.fullmatch(line.strip()):
            images.append(from_mapping(Image, {"width": int(size[1]), "height": int(size[2])}))
        elif sound := SECONDS.fullmatch(line.strip()):
            seconds += float(sound[1])
        elif line.strip():
            words.append(line)
    sides = [side for image in images for side in (image.width, image.height)]
    if len(images) > MAX_PARTS or seconds > MAX_SECONDS or not all(1 <= side <= LARGEST_SIDE for side in sides):
        message = (
            f"A scene shows at most {MAX_PARTS} images, of 1 to {LARGEST_SIDE:,} pixels a side, and a day of sound."
        )
        raise Invalid(message, pointer="/text", limit=MAX_PARTS)
    if not (words or images or seconds):
        raise Invalid("Type a text, the size of an image such as 640 × 480, or seconds of sound.", pointer="/text")
    return from_mapping(Prompt, {"text": "\n".join(words), "images": images, "audio_seconds": seconds})


def _table(counted: PromptBudget, other: PromptBudget) -> Table:
    pairs = [(mine.name, mine.tokens, theirs.tokens) for mine, theirs in zip(counted.parts, other.parts, strict=True)]
    pairs.append(("all that is known", counted.tokens, other.tokens))
    rows = [(name, *("not known" if one is None else f"{one:,}" for one in tokens)) for name, *tokens in pairs]
    return tabulate("Tokens by model", ("", counted.model.name, other.model.name), rows, chosen=(len(rows) - 1,))


def _question(counted: PromptBudget, rows: tuple[TileRow, ...]) -> Question | None:
    """Return the question for the tokens of pictures and sound together; None without one of them."""
    parts = [part for part in counted.parts if part.kind != "text"]
    if not {"image", "sound"} <= {part.kind for part in parts}:
        return None
    images, sound = (sum(part.tokens or 0 for part in parts if part.kind == kind) for kind in ("image", "sound"))
    older = images + sound * 25 // 32
    return ask(
        "budget.question",
        f"{images + sound:,}",
        [(f"{sound:,}", "sound"), (f"{images:,}", "image"), (f"{older:,}", "older")],
        rows,
        table=tabulate(counted.model.name, ("", "rule"), ((part.name, part.formula) for part in parts)),
        shown_at=-2,
        model=counted.model.name,
        images=f"{images:,}",
        sound=f"{sound:,}",
    )


def sample_prompt(random: Random) -> str:
    """Return a random prompt of a text, an image and a sound.

    >>> len(sample_prompt(Random(1)).splitlines())
    3
    """
    text = random.choice(("Describe this.", "What is said here, and who says it?", "Write a caption for the picture."))
    side = random.choice((320, 640, 1024, 1920))
    return f"{text}\n{side} × {side * 3 // 4}\n{random.randint(2, 120)} s"
