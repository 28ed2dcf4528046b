"""Scenes about units without a vocabulary: patches of bytes, and sentences as concepts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.byte_entropy import Predicted, iter_predictions
from ...scratch.concepts import Concept, concepts
from ...scratch.patching import PatchDecision, iter_patch_starts
from ...settings import Settings
from ..beyond.byte_model import StoredCounts, load
from ..beyond.bytes import HIGHEST
from ..beyond.concepts import VECTOR, sentences
from ..charts import Scale
from ..steps.drawing import Drawing, Stroke
from ..steps.step import Fact, Mark, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, make_row, percent, shorten, spell, visible
from .architectures import ARCHITECTURES, draw_architecture
from .code import trace_lines
from .plots import Axes
from .prose import PHRASES, fill, sample_word, say
from .scene import Question, Trace, Wrong, ask
from .texts import token_row

MODEL = "o200k_base"

SHOWN_BYTES = 48
FIRST_BYTES = 3
"""Bytes of a text that are shown, and the first ones, which have a step even if they begin no patch."""
RISE = 0.5


def trace_patches(text: str, registry: Registry) -> Trace:
    """Trace how unsure the model is of each byte of a text, and the patches that follow from it."""
    model = load(Settings().store)
    data = text.encode()
    walk = [*trace_lines(iter_patch_starts(model.entropies(data).tolist(), "monotonic", rise=RISE))]
    met = [step for _, step in walk]
    steps = [Step(say("patches.steps.start", bytes=plural(len(data), "byte")), (_byte_row(data, met[:0]),))]
    first = 0
    for line, step in trace_lines(iter_predictions(data[:SHOWN_BYTES], StoredCounts(model), weight=model.weight)):
        at = step.at
        begins = at > 0 and met[at].begins
        if not begins and min(FIRST_BYTES, len(data) - 1) <= at < min(len(data), SHOWN_BYTES) - 1:
            continue
        here = met[: at + 1]
        tile = Tile(spell(data[at : at + 1]), NO_ID + sum(one.begins for one in here), at)
        entropy = f"{step.entropy:.2f}"
        sentence = say("patches.steps.entropy", byte=tile, entropy=entropy)
        if begins:
            first = first or len(steps)
            grown = f"{met[at].entropy - met[at - 1].entropy:.2f}"
            sentence = say("patches.steps.begin", byte=tile, entropy=entropy, grown=grown)
            line = walk[at][0]
        table, symbols = _tabulate_expected(data, step), ("rise" if begins else "entropy",)
        steps.append(Step(sentence, (_byte_row(data, here),), line, table, _facts(here), symbols, _bars(data, here)))
    steps.append(_beside(text, data, met, registry))
    return Trace(steps, _first_patch(data, met, first or -1))


def _byte_row(data: bytes, met: Sequence[PatchDecision]) -> TileRow:
    """Return the bytes as tiles, in the colour of their patch as far as it is known."""
    tiles = list[Tile]()
    patch = 0
    for at in range(min(len(data), SHOWN_BYTES)):
        patch += met[at].begins if at < len(met) else 0
        mark: Mark = "new" if at == len(met) - 1 else "" if at < len(met) else "rest"
        tiles.append(Tile(spell(data[at : at + 1]), NO_ID + patch, at, mark))
    return TileRow(tuple(tiles), "bytes", left_out_after=max(0, len(data) - SHOWN_BYTES))


def _tabulate_expected(data: bytes, step: Predicted) -> Table:
    """Return the four bytes that were most probable, and the one that came."""
    order = sorted(range(256), key=lambda byte: -step.spread[byte])
    listed = [*order[:4], *([step.byte] if step.byte not in order[:4] else [])]
    rows = [(visible(spell(bytes([byte]))), percent(step.spread[byte]), f"{order.index(byte) + 1}") for byte in listed]
    title = "What the model expected; what came is marked"
    return tabulate(title, ("byte", "probability", "place"), rows, chosen=(listed.index(step.byte),))


def _facts(met: Sequence[PatchDecision]) -> tuple[Fact, ...]:
    count = sum(one.begins for one in met)
    return (
        Fact("bytes so far", f"{len(met)}", ""),
        Fact("patches so far", f"{count}", f"{len(met) / count:.2f} bytes each"),
    )


def _bars(data: bytes, met: Sequence[PatchDecision]) -> Drawing:
    """Draw the entropies so far, those that begin a patch thicker."""
    shown = min(len(data), SHOWN_BYTES)
    axes = Axes(Scale(0, shown, 22, 22 + 20 * shown), Scale(0, HIGHEST, 132, 12))
    tops = axes.place((one.at, one.entropy) for one in met)
    strokes = [
        Stroke(f"M{x:g} {axes.up.start}V{y:g}", "best" if one.begins else "")
        for (x, y), one in zip(tops, met, strict=True)
    ]
    marks = {one.at: spell(data[one.at : one.at + 1]) for one in met}
    says = "Entropy of each byte in nats: " + ", ".join(f"{one.entropy:.2f}" for one in met)
    return axes.draw(strokes, marks, says, bold={one.at for one in met if one.begins})


def _beside(text: str, data: bytes, met: Sequence[PatchDecision], registry: Registry) -> Step:
    starts = [one.at for one in met if one.begins]
    ends = [*starts[1:], len(data)]
    parts = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    row = make_row((Tile(spell(part), NO_ID + at + 1) for at, part in enumerate(parts)), "patches")
    tokens = token_row(registry.get(MODEL, "scratch"), text, "tokens")
    count = len(tokens.tiles) + tokens.left_out_after
    sentence = say("patches.steps.end", patches=len(parts), tokens=count)
    return Step(sentence, (row, tokens), facts=(Fact("bytes per patch", f"{len(data) / len(parts):.2f}", ""),))


def _first_patch(data: bytes, met: Sequence[PatchDecision], shown_at: int) -> Question:
    length = next((one.at for one in met[1:] if one.begins), len(met))
    begins = length < len(met)
    grown = met[length].entropy - met[length - 1].entropy if begins else 0
    wrong: list[Wrong] = [(1, "second"), (len(data.split(b" ")[0]) + 1, "word"), (8, "fixed")]
    high = next((one.at for one in met[1:] if one.entropy > met[0].entropy), 0)
    wrong += [(high, "high")] if high else []
    shown = met[: min(max(12, length + 2), SHOWN_BYTES)]
    entropies = ((visible(spell(data[one.at : one.at + 1])), f"{one.entropy:.2f}") for one in shown)
    return ask(
        "patches.question",
        length,
        wrong,
        (_byte_row(data, ()),),
        table=tabulate("How unsure the model is before each byte", ("byte", "nats"), entropies),
        shown_at=shown_at,
        reason="reason" if begins else "whole",
        number=length + 1,
        byte=spell(data[length : length + 1]),
        grown=f"{grown:.2f}",
    )


CAP = 120
"""Characters of the longest concept of the scene."""
CONTEXT = 2048
SAID_OF_IT = 32
"""Characters of a concept that the sentence of a step quotes."""
SAID = (
    *(f"{phrase[0].upper()}{phrase[1:]}." for phrase in PHRASES),
    *("Dr. Smith came at 5 p.m.", "It costs 3.50 euros.", "Mr. Jones said so.", "Really?", "Stop!", "Why not?"),
)
"""Sentences that the library takes for one each."""


def trace_concepts(text: str, registry: Registry) -> Trace:
    """Trace a text sentence by sentence, as a model of concepts reads it, and how four of them go on."""
    tokenizer = registry.get(MODEL, "scratch")
    tokens = token_row(tokenizer, text, "tokens")
    count = len(tokens.tiles) + tokens.left_out_after
    steps = [Step(say("concepts.steps.start", steps=plural(count, "step")), (tokens,))]
    found = list[Concept]()
    for line, step in trace_lines(concepts(text, partial(sentences, language="en"), cap=CAP)):
        found.append(step)
        if len(found) > 1 and step.whole == found[-2].whole:
            continue
        kind = fill("concepts.steps.whole") if step.whole else fill("concepts.steps.part", cap=CAP)
        tile = Tile(shorten(step.text.strip(), SAID_OF_IT), NO_ID + len(found), len(found) - 1, "new")
        sentence: Words = say("concepts.steps.vector", text=tile, kind=kind, size=f"{VECTOR:,}")
        steps.append(Step(sentence, (_concept_row(found), tokens), line, _units(text, found, count)))
    last = say("concepts.steps.end", steps=plural(len(found), "step"), tokens=count)
    steps.append(Step(last, (_concept_row(found), tokens), table=_units(text, found, count)))
    asked = _steps(text, len(found), count, len(steps) - 1)
    row = _concept_row(found)
    further = (_ask_layers(len(found), row, len(steps) + 2),)
    tiles = [Tile("", NO_ID + at + 1) for at in range(len(found))]
    steps += _show_architectures(tiles)
    steps.append(Step(say("concepts.steps.compare"), (row, tokens), table=_compare_architectures()))
    return Trace(steps, asked, further)


def _show_architectures(sentences: Sequence[Tile]) -> list[Step]:
    return [Step(say(f"concepts.steps.{one.id}"), figure=draw_architecture(one, sentences)) for one in ARCHITECTURES]


def _compare_architectures() -> Table:
    rows = ((one.name, one.predicts, one.loss, f"{one.runs:,}") for one in ARCHITECTURES)
    return tabulate("Four models of the next vector", ("", "predicts", "loss", "layers"), rows)


def _ask_layers(sentences: int, row: TileRow, shown_at: int) -> Question:
    """Return the question how many layers a Two-Tower model runs to write a text of as many sentences."""
    _, one_tower, two_tower, quantized = ARCHITECTURES
    once, each = two_tower.layers
    wrong: list[Wrong] = [
        (sentences * (once + each) * two_tower.rounds, "both"),
        (sentences * (once + each), "single"),
        (sentences * one_tower.runs, "one_tower"),
        (sentences * quantized.runs, "quantized"),
    ]
    if sentences > 1:
        wrong.append((two_tower.runs, "sentence"))
    return ask(
        "concepts.layers",
        sentences * two_tower.runs,
        wrong,
        (row,),
        kind="estimate",
        shown_at=shown_at,
        sentences=plural(sentences, "sentence"),
        once=once,
        each=each,
        rounds=two_tower.rounds,
        runs=two_tower.runs,
    )


def _concept_row(found: Sequence[Concept]) -> TileRow:
    return make_row((Tile(spell(one.text.strip()), NO_ID + at + 1) for at, one in enumerate(found)), "concepts")


def _units(text: str, found: Sequence[Concept], tokens: int) -> Table:
    read = sum(len(one.text) for one in found)
    size = len(text.encode())
    counts = (("concepts, so far", len(found), read), ("tokens", tokens, len(text)), ("bytes", size, len(text)))
    rows = ((unit, f"{count}", f"{length / count * CONTEXT:,.0f}") for unit, count, length in counts)
    return tabulate("Steps, and what a context holds", ("unit", "of them", f"characters in {CONTEXT:,} of them"), rows)


def _steps(text: str, right: int, tokens: int, shown_at: int) -> Question:
    return ask(
        "concepts.question",
        right,
        [(sum(map(text.count, ".!?")), "signs"), (tokens, "tokens")],
        (TileRow((Tile(text, NO_ID),), "text"),),
        shown_at=shown_at,
        concepts=plural(right, "concept"),
        cap=CAP,
    )


def sample_bytes(random: Random) -> str:
    """Return a long word after a short one."""
    return f"{random.choice(('The', 'A', 'My', 'One'))} {sample_word(random)}"


def sample_sentences(random: Random) -> str:
    """Return some sentences, with points that end none."""
    return " ".join(random.sample(SAID, random.randint(2, 4)))
