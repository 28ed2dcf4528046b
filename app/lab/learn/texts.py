"""Scenes about kinds of text: numbers, code and the languages of the world."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from random import Random

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.code_parts import PARTS, charge_tokens
from ...scratch.digits import are_aligned, group_digits
from ...scratch.premium import PremiumCost, compare_languages
from ...settings import Settings
from ...types import EncodingTrace, Tokenizer, Traced
from ..languages.declarations import Declaration, declarations, other_names
from ..languages.premiums import PUBLISHED
from ..languages.table import search_key
from ..prices import PricedModel, load_prices
from ..steps.drawing import Box, Drawing, Label, Stroke, tile_tone
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import MAX_TILES, NO_ID, make_row
from .answers import ask_boundaries
from .code import trace_lines
from .prose import fill, read_prose, say
from .scene import Question, Trace, ask, to_plain_text


def trace_text(registry: Registry, id: str, text: str) -> EncodingTrace:
    """Return how the engine from scratch of a tokenizer cuts a text."""
    tokenizer = registry.get(id, "scratch")
    assert isinstance(tokenizer, Traced)
    return tokenizer.trace(text)


def token_tiles(tokenizer: Tokenizer, ids: Iterable[int]) -> list[Tile]:
    """Return tokens as tiles, by their ids."""
    return [Tile(tokenizer.entry(id).piece, id, at) for at, id in enumerate(ids)]


def token_row(tokenizer: Tokenizer, text: str, label: str, *, limit: int = MAX_TILES) -> TileRow:
    """Return the tokens of a text as a row."""
    return make_row(token_tiles(tokenizer, tokenizer.encode(text).ids.tolist()), label, limit=limit)


MOST_NUMBERS = 6
NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
COUNTERS = (("GPT-2", "gpt2"), ("GPT-4o", "o200k_base"), ("Qwen 3", "qwen3"))
"""The models of the scene: one that merges what was frequent, one that cuts threes from the left, one single digits."""


def trace_numbers(text: str, registry: Registry) -> Trace:
    """Trace the numbers of a text in groups from the left and from the right, and as three tokenizers cut them."""
    every = [match.span() for match in NUMBER.finditer(text)]
    if not every:
        raise Invalid("Type a number to see how it is cut.", pointer="/text")
    spans = every[:MOST_NUMBERS]
    found = [text[start:end] for start, end in spans]
    shown = "" if spans == every else f"the first {len(spans)} of "
    start = say("numbers.steps.start", numbers=shown + plural(len(every), "number"))
    steps = [Step(start, figure=_draw_places(found, [[*number] for number in found]))]
    schemes: Schemes = {}
    for label, from_right in (("from the left", False), ("from the right", True)):
        cut = schemes[label] = []
        for line, (number, tokens) in trace_lines(group_digits(found, from_right=from_right)):
            cut.append(tokens)
            sentence = say("numbers.steps.group", side=label, number=number, tokens=" · ".join(tokens))
            figure = _draw_places(found, cut)
            steps.append(Step(sentence, (), line, _columns(schemes), symbols=("place",), figure=figure))
    for model, id in COUNTERS:
        cut = schemes[model] = [_within(registry.get(id, "scratch"), text, *span) for span in spans]
        sentence = (f"{model}: {plural(sum(map(len, cut)), 'token')}. {_verdict(cut)}",)
        steps.append(Step(sentence, table=_columns(schemes), symbols=("value",), figure=_draw_places(found, cut)))
    question = _ask_grouping(found, schemes)
    steps.append(_write_backwards(registry.get(GPT4O, "scratch"), found, schemes))
    return Trace(steps, question, _ask_cuts(question))


Schemes = dict[str, list[list[str]]]
"""The parts of each number by the name of what cuts them."""


def _write_backwards(tokenizer: Tokenizer, found: Sequence[str], schemes: Schemes) -> Step:
    """Return the step that writes each number with its units first; the tokens of its table are turned back."""
    cut = [_within(tokenizer, number[::-1], 0, len(number)) for number in found]
    turned = [[token[::-1] for token in reversed(tokens)] for tokens in cut]
    sentence = (f"{fill('numbers.steps.backwards')} {_verdict(turned)}",)
    figure = _draw_places(found, cut, backwards=True)
    return Step(sentence, table=_columns(schemes | {"GPT-4o, turned back": turned}), figure=figure)


def _within(tokenizer: Tokenizer, text: str, start: int, end: int) -> list[str]:
    """Return the parts of tokens that lie in a span of characters of the text."""
    spans = tokenizer.encode(text).char_spans
    return [text[max(a, start) : min(b, end)] for a, b in spans if a < end and b > start]


def _digit_row(tokens: Sequence[str]) -> TileRow:
    # The key is the token itself, so that the same digits have the same colour in every row.
    return make_row(Tile(token, NO_ID + int("0" + re.sub(r"\D", "", token)[:9])) for token in tokens)


PLACE, LINE, DIGIT = 12, 30, 16
"""Width of a place, height of a number and size of a digit in a drawing of numbers."""


def _draw_places(found: Sequence[str], cut: Sequence[Sequence[str]], *, backwards: bool = False) -> Drawing:
    """Draw the numbers that have been cut below each other, units below units: backwards, all begin with them."""
    wholes = [0 if backwards else len(number.partition(".")[0]) for number in found]
    left = max(wholes)
    boxes = list[Box]()
    for line, (tokens, whole) in enumerate(zip(cut, wholes, strict=False)):
        at = left - whole
        for tile in _digit_row(tokens).tiles:
            wide = len(tile.text)
            x, y = PLACE * at + 1, LINE * line + 2
            boxes.append(Box(x, y, PLACE * wide - 2, tile.text, tile_tone(tile), height=LINE - 4, size=DIGIT))
            at += wide
    right = max(len(number) - whole for number, whole in zip(found, wholes, strict=True))
    says = "; ".join(" ".join(tokens) for tokens in cut)
    return Drawing(width=PLACE * (left + right), height=LINE * len(found), boxes=tuple(boxes), says=says)


def _verdict(cut: Sequence[Sequence[str]]) -> str:
    if len(cut) < 2:
        return fill("numbers.steps.single")
    return fill("numbers.steps.aligned") if are_aligned(cut) else fill("numbers.steps.unaligned")


def _columns(schemes: Schemes) -> Table:
    rows = []
    for label, cut in schemes.items():
        aligned = ("yes" if are_aligned(cut) else "no") if len(cut) > 1 else ""
        rows.append((label, " | ".join(map(" ".join, cut)), aligned))
    return tabulate("How the numbers are cut", ("", "tokens", "columns align"), rows)


def _ask_grouping(found: Sequence[str], schemes: Schemes) -> Question | None:
    at = max(range(len(found)), key=lambda at: len(found[at]))
    number = found[at]
    ways = {label: " ".join(cut[at]) for label, cut in schemes.items()}
    question = ask(
        "numbers.question",
        ways["GPT-4o"],
        [
            (ways["from the right"], "right"),
            (" ".join(re.findall(r"[0-9]{1,2}|[^0-9]+", number)), "pairs"),
            (ways["GPT-2"], "merged"),
            (" ".join(number), "single"),
            (number, "whole"),
        ],
        (_digit_row(number),),
        shown_at=2 * len(found) + 2,
        number=number,
    )
    return question if len(question.choices) > 1 else None


def _ask_cuts(question: Question | None) -> tuple[Question, ...]:
    """Return the same question with boundaries to mark."""
    if not question or not question.given:
        return ()
    right, *wrong = ((to_plain_text(one.label).split(), one.reason) for one in question.choices)
    letters = [digit for part in right[0] for digit in part]
    marked = ask_boundaries(question.prompt, letters, *right, wrong, question.given, question.shown_at)
    return (marked,) if marked else ()


CODERS = (("GPT-2", "gpt2"), ("Codex", "p50k_base"), ("GPT-4o", "o200k_base"), ("T5", "t5"))
"""The models of the scene: Codex has GPT-2's vocabulary and 24 tokens for runs of spaces; T5 is made for prose."""


def trace_code(text: str, registry: Registry) -> Trace:
    """Trace a piece of code through several tokenizers, and charge each token to the kind of part that it begins."""
    lines = text.splitlines(keepends=True)[:20]
    whole = make_row((Tile(line, NO_ID + at) for at, line in enumerate(lines)), "code")
    steps = [Step(say("code.steps.start", characters=plural(len(text), "character")), (whole,))]
    rows: list[TileRow] = []
    costs: dict[str, Mapping[str, int]] = {}
    for model, id in CODERS:
        tokenizer = registry.get(id, "scratch")
        encoding = tokenizer.encode(text)
        traced = [*trace_lines(charge_tokens(text, [span for span in encoding.char_spans if span[0] < span[1]]))]
        costs[model] = traced[-1][1].tokens if traced else {}
        rows.append(token_row(tokenizer, text, model))
        same = tokenizer.decode(encoding.ids.tolist()) == text.encode()
        spaces = costs[model].get("indentation", 0) or "none"
        key, count = "model" if same else "lost", plural(len(encoding), "token")
        sentence = say(f"code.steps.{key}", model=model, tokens=count, spaces=spaces)
        line = traced[-1][0] if traced else ("", 0)
        steps.append(Step(sentence, tuple(rows), line, _tabulate_charges(costs)))
    return Trace(steps, _spaces(costs, rows[0]))


def _tabulate_charges(costs: Mapping[str, Mapping[str, int]]) -> Table:
    kinds = [kind for kind in (*PARTS, "rest") if any(kind in tokens for tokens in costs.values())]
    rows = [(kind, *(f"{tokens.get(kind, 0)}" for tokens in costs.values())) for kind in kinds]
    rows.append(("together", *(f"{sum(tokens.values())}" for tokens in costs.values())))
    return tabulate("Tokens by what they begin", ("", *costs), rows, chosen=(len(kinds),))


def _spaces(costs: Mapping[str, Mapping[str, int]], row: TileRow) -> Question:
    """Return the question how many tokens are left if each run of spaces is one."""
    before, after, prose = (sum(costs[model].values()) for model in ("GPT-2", "Codex", "T5"))
    spaces = costs["GPT-2"].get("indentation", 0)
    return ask(
        "code.question",
        after,
        [(before, "same"), (before - spaces, "none"), (prose, "lost")],
        (row,),
        shown_at=2,
        before=before,
        spaces=spaces,
        after=after,
    )


MOST_LANGUAGES = 8
GPT4O = "o200k_base"
GPT4 = "cl100k_base"
RATE = 50
"""Tokens a second in this scene: an assumption, of which only the ratios matter."""

BEGINNING = 6
"""Tokens of a text that are shown, so that a slide has room for the picture as well."""


def trace_languages(text: str, registry: Registry) -> Trace:
    """Trace Article 1 of the declaration in the languages that the text lists, with the tokenizer of GPT-4o."""
    found = [find_declaration(name) for name in re.split(r"[,;\n]+", text) if name.strip()][:MOST_LANGUAGES]
    if not found:
        raise Invalid("Type names of languages, such as German, Hindi.", pointer="/text")
    texts = {"English": article(declarations(Settings().store)["eng"])}
    texts |= {one.name: article(one) for one in found if one.code != "eng"}
    model = next(model for model in load_prices() if model.name == "GPT-4o")
    tokenizer, older = (registry.get(id, "scratch") for id in (GPT4O, GPT4))
    compare = partial(compare_languages, texts, english=texts["English"])
    before = {cost.language: cost.premium for cost in compare(encode=_encoder(older))}
    english = token_row(tokenizer, texts["English"], "English", limit=BEGINNING)
    steps = [Step(say("languages.steps.start"), (english,))]
    costs = list[PremiumCost]()
    traced = compare(encode=_encoder(tokenizer), window=model.window or 0, price=model.price, rate=RATE)
    for line, cost in trace_lines(traced):
        costs.append(cost)
        tokens, times = plural(cost.tokens, "token"), _times(cost.premium)
        sentence = say("languages.steps.language", language=cost.language, tokens=tokens, times=times)
        other = token_row(tokenizer, texts[cost.language], cost.language, limit=BEGINNING)
        rows = (english, other) if len(costs) > 1 else (english,)
        figure = draw_premiums({cost.language: cost.premium for cost in costs}) if len(costs) > 1 else None
        symbols = ("premium", "tokens", "english")
        steps.append(Step(sentence, rows, line, _premiums(costs, before), _prices(cost, model), symbols, figure))
    return Trace(steps, _dearest(texts, costs, before, english))


def draw_premiums(premiums: Mapping[str, float]) -> Drawing:
    """Draw premiums as bars by name."""
    return draw_bars(premiums, "Tokens as a multiple of English", ".2f")


LONGEST_NAME = 18
"""Characters of the name of a bar, which has room for them on a slide."""


def draw_bars(
    values: Mapping[str, float], says: str, form: str = ",.0f", marked: Collection[str] | None = None
) -> Drawing:
    """Draw numbers as bars, one below the other, by name, under what they say.

    `form` is the format of a number; the last one is marked, or those that are named.
    """
    left, wide, line, top = 190, 298, 26, 32
    most = max(values.values()) or 1
    strokes: list[Stroke] = []
    labels = [Label(8, 20, says, middle=False)]
    for at, (name, value) in enumerate(values.items()):
        y = top + line * at
        long = wide * value / most
        best = at == len(values) - 1 if marked is None else name in marked
        strokes.append(Stroke(f"M{left} {y}h{long:.1f}v16h{-long:.1f}Z", "best" if best else ""))
        short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        labels.append(Label(8, y + 13, short, middle=False))
        labels.append(Label(left + long + 8, y + 13, f"{value:{form}}", bold=True, middle=False))
    listed = ", ".join(f"{name} {value:{form}}" for name, value in values.items())
    return Drawing(
        width=left + wide + 70,
        height=top + 4 + line * len(values),
        strokes=tuple(strokes),
        labels=tuple(labels),
        says=f"{says}: {listed}",
    )


def _encoder(tokenizer: Tokenizer) -> Callable[[str], Sequence[int]]:
    return lambda text: tokenizer.encode(text).ids.tolist()


def _prices(cost: PremiumCost, model: PricedModel) -> tuple[Fact, ...]:
    return (
        Fact(f"such texts in {model.window:,} tokens", f"{cost.fits:,}"),
        Fact(
            "price of a thousand to read",
            tell_price(cost.dollars),
            f"at {tell_price(model.price)} a million, {model.date}",
        ),
        Fact("seconds to write one", f"{cost.seconds:.1f}", f"at {RATE} tokens a second"),
    )


def tell_price(dollars: float | None) -> str:
    """Return a price with its cents.

    >>> tell_price(2.5), tell_price(None)
    ('$2.50', 'unknown')
    """
    return "unknown" if dollars is None else f"${dollars:.2f}"


def find_declaration(name: str) -> Declaration:
    """Return the declaration in a language, by its English name, its own name or its code.

    >>> [find_declaration(name).code for name in ("german", "Chinese", "Español", "shn")]
    ['deu_1996', 'cmn_hans', 'spa', 'shn']

    Raises `Invalid` for a language without one.
    """
    wanted = search_key(name).split()

    def order(one: Declaration) -> tuple[bool, bool, bool, int]:
        spoken = search_key(other_names(one.iso)).split()
        exact = wanted in (search_key(one.name).split(), [one.code]) or {*wanted} <= {*spoken}
        return not exact, one.code not in PUBLISHED, 1 not in one.articles, len(one.name)

    matching = [one for one, words in _list_named(Settings().store) if words.issuperset(wanted)]
    if not matching or 1 not in min(matching, key=order).articles:
        message = f"The declaration is not here in “{name.strip()[:40]}”. Type names such as German, Hindi, Burmese."
        raise Invalid(message, pointer="/text")
    return min(matching, key=order)


@lru_cache(maxsize=1)
def _list_named(store: Path) -> list[tuple[Declaration, set[str]]]:
    """Return each declaration with the words that its language is found by."""

    def name(one: Declaration) -> set[str]:
        names = search_key(f"{one.name} {one.code} {one.iso} {other_names(one.iso)}")
        return {*re.findall(r"[^\s,()]+", names)}

    return [(one, name(one)) for one in declarations(store).values()]


def article(one: Declaration) -> str:
    """Return Article 1 without its heading."""
    return one.articles[1].partition("\n")[2] or one.articles[1]


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times"


def _premiums(costs: Sequence[PremiumCost], before: Mapping[str, float]) -> Table:
    dearest = max(cost.premium for cost in costs) if len(costs) > 1 else None
    rows = (
        Row(
            (cost.language, f"{cost.tokens}", f"{cost.premium:.2f}", f"{before[cost.language]:.2f}"),
            chosen=cost.premium == dearest,
        )
        for cost in costs
    )
    return tabulate("Premium of Article 1", ("", "tokens", "GPT-4o", "GPT-4"), rows)


def _dearest(
    texts: Mapping[str, str], costs: Sequence[PremiumCost], before: Mapping[str, float], row: TileRow
) -> Question | None:
    if len(costs) < 2:
        return None
    cost = max(costs, key=lambda cost: cost.premium)
    english, text = texts["English"], texts[cost.language]
    sizes, lengths = ([len(one) for one in ones] for ones in ((english.encode(), text.encode()), (english, text)))
    compared = zip(("English", cost.language), lengths, sizes, (costs[0], cost), strict=True)
    rows = ((name, f"{length}", f"{size}", f"{size / each.tokens:.2f}") for name, length, size, each in compared)
    return ask(
        "languages.question",
        _times(cost.premium),
        [
            (_times(before[cost.language]), "older"),
            (_times(sizes[1] / sizes[0]), "bytes"),
            (_times(lengths[1] / lengths[0]), "characters"),
            (_times(1), "equal"),
        ],
        (row,),
        table=tabulate("Article 1", ("", "characters", "bytes", "bytes per token"), rows),
        shown_at=costs.index(cost) + 1,
        language=cost.language,
        tokens=plural(cost.tokens, "token"),
        english=costs[0].tokens,
    )


def sample_sum(random: Random) -> str:
    """Return a sum of two numbers of different lengths."""
    return f"{random.randint(10_000, 9_999_999)} + {random.randint(1000, 99_999)}"


def sample_code(random: Random) -> str:
    """Return a few lines of code with indentation and a name of several words."""
    first, second = random.sample(("user", "file", "page", "order", "token", "item"), 2)
    name = random.choice((f"{first}_{second}", first + second.title(), f"get_{first}_{second}"))
    indentation = " " * random.choice((2, 4, 8))
    return f"if {name} >= {random.randint(2, 99)}:\n{indentation}{name} += 1\n{indentation}return {name}"


LANGUAGE_NAMES = read_prose("samples.toml")["languages"].split()


def sample_languages(random: Random) -> str:
    """Return the names of two languages."""
    return ", ".join(random.sample(LANGUAGE_NAMES, 2))
