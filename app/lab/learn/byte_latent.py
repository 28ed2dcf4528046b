"""The scene about a model of patches: bytes into vectors of patches, one step a patch, and bytes again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.byte_latent import (
    ROWS,
    PooledPatch,
    WrittenByte,
    embed,
    iter_hashed_grams,
    iter_pooled_patches,
    iter_written_bytes,
)
from ...scratch.patch_operations import CONTEXT, iter_operations
from ...scratch.patching import iter_patch_starts
from ...settings import Settings
from ..beyond.byte_model import load
from ..steps.drawing import Drawing
from ..steps.step import Fact, Step, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, spell, two_decimals, visible
from .architectures import MaskLine, draw_mask
from .code import trace_lines
from .patches import RISE
from .prose import LONG_WORDS, PHRASES, fill, say
from .scene import Question, Trace, Wrong, ask, limit_text
from .texts import draw_bars

MODEL = "o200k_base"
MOST = 40
"""Bytes of a text."""
START = Tile("⟨s⟩", NO_ID)
PATCHES_ASK, BYTES_ASK = "queries ↓ keys →", "keys ↓ queries →"
"""What asks in a mask, and what answers: rows or columns."""
WIDTH = 16
"""Numbers of a vector."""


@dataclass(frozen=True, slots=True)
class PatchedText:
    """A text as bytes, the number of the patch of each byte, and both as tiles in the colours of the patches."""

    data: bytes
    numbers: tuple[int, ...]
    bytes: tuple[Tile, ...]
    patches: tuple[Tile, ...]

    @property
    def rows(self) -> tuple[TileRow, TileRow]:
        return TileRow(self.bytes, "bytes"), TileRow(self.patches, "patches")

    def count_bytes(self) -> str:
        return plural(len(self.bytes), "byte")

    def count_patches(self) -> str:
        return f"{len(self.patches)} patch{'es' * (len(self.patches) != 1)}"


def patch_text(text: str) -> PatchedText:
    """Return a text in the patches of the scene before. Raises `Invalid` if it is too long to be drawn.

    >>> [patch.text for patch in patch_text("To be or not").patches]
    ['To ', 'be', ' or ', 'no', 't']
    """
    data = text.encode()
    limit_text(len(data), MOST, "bytes")
    entropies = load(Settings().store).entropies(data).tolist()
    starts = [one.at for one in iter_patch_starts(entropies, "monotonic", rise=RISE) if one.begins]
    spans = [*pairwise((*starts, len(data)))]
    patches = tuple(Tile(spell(data[a:b]), NO_ID + number, number) for number, (a, b) in enumerate(spans, 1))
    numbers = tuple(number for number, (a, b) in enumerate(spans) for _ in range(a, b))
    tiles = tuple(Tile(spell(data[at : at + 1]), NO_ID + 1 + number, at) for at, number in enumerate(numbers))
    return PatchedText(data, numbers, tiles, patches)


def trace_byte_latent(text: str, registry: Registry) -> Trace:
    """Trace the bytes of a text into vectors of patches, and from there to the bytes that are written."""
    patched = patch_text(text)
    start = say("byte-latent.steps.start", bytes=patched.count_bytes(), patches=patched.count_patches())
    steps = [Step(start, patched.rows), *_trace_embedding(patched), *_trace_encoder(patched)]
    latent = say("byte-latent.steps.latent", patches=patched.count_patches())
    steps += [Step(latent, figure=_draw_latent(patched)), *_trace_decoder(patched)]
    asked = _find_asked(patched)
    shown_at = len(steps) - 1
    steps.append(_trace_operations(text, patched, registry))
    return Trace(steps, _ask_seen(patched, asked, shown_at) if asked else None)


def _trace_embedding(patched: PatchedText) -> list[Step]:
    """Return the step of the n-grams that end with one of the first bytes that has all of them."""
    at = min(len(patched.data), 8) - 1
    traced = [*trace_lines(iter_hashed_grams(patched.data, at))]
    if not traced:
        return []
    sentence = say("byte-latent.steps.embed", byte=patched.bytes[at], rows=f"{ROWS:,}")
    rows = ((visible(spell(one.gram)), f"{len(one.gram)}", f"{one.row:,}") for _, one in traced)
    table = tabulate("What is added to the row of the byte", ("n-gram", "n", "row of its table"), rows)
    return [Step(sentence, patched.rows[:1], traced[-1][0], table=table)]


def _trace_encoder(patched: PatchedText) -> list[Step]:
    """Return the steps of the first two patches and of all: a query of a patch, and keys of its bytes."""
    pooled = iter_pooled_patches(embed(patched.data, WIDTH), patched.numbers)
    met = list[PooledPatch]()
    steps = list[Step]()
    for line, one in trace_lines(pooled):
        met.append(one)
        if 1 < one.patch < len(patched.patches) - 1:
            continue
        sentence = say("byte-latent.steps.pooled", patches=len(met), bytes=patched.count_bytes())
        if one.patch <= 1:
            strongest = int(one.weights.argmax())
            patch, byte, weight = patched.patches[one.patch], patched.bytes[strongest], one.weights[strongest]
            sentence = say("byte-latent.steps.pool", patch=patch, byte=byte, weight=two_decimals(weight))
        steps.append(Step(sentence, (), line, symbols=("query", "key"), figure=_draw_encoder(patched, met)))
    return steps


def _draw_encoder(patched: PatchedText, met: Sequence[PooledPatch]) -> Drawing:
    weights = [one.weights.tolist() for one in met]
    parts = [f"{visible(patched.patches[one.patch].text)} sees only its own bytes" for one in met]
    line = MaskLine(PATCHES_ASK, patched.bytes)
    return draw_mask([line], patched.patches, weights, "; ".join(parts), met[-1].patch)


def _draw_latent(patched: PatchedText) -> Drawing:
    """Draw which patches each patch sees in the latent transformer: itself and those before."""
    count = len(patched.patches)
    numbers = [Tile(f"{at + 1}", patch.key, at) for at, patch in enumerate(patched.patches)]
    weights = [[float(key <= query) for key in range(count)] for query in range(count)]
    line = MaskLine(PATCHES_ASK, numbers)
    return draw_mask([line], patched.patches, weights, "Each patch sees itself and those before it.")


def _trace_decoder(patched: PatchedText) -> list[Step]:
    """Return the steps of the first byte, of the first two of the second patch, and of all."""
    second = patched.numbers.index(1) if len(patched.patches) > 1 else 0
    met = list[WrittenByte]()
    steps = list[Step]()
    for line, one in trace_lines(iter_written_bytes(patched.numbers)):
        met.append(one)
        byte, seen = patched.bytes[one.at], _find_seen(patched, one)
        asks = patched.bytes[one.asks] if one.asks >= 0 else START
        if not one.at:
            sentence = say("byte-latent.steps.first", byte=byte, start=START)
        elif one.at == second:
            sentence = say("byte-latent.steps.begin", byte=byte, asks=asks, seen=seen)
        elif one.at == second + 1 and patched.numbers[one.at] == 1:
            sentence = say("byte-latent.steps.inside", byte=byte, asks=asks, seen=seen)
        elif one.at == len(patched.bytes) - 1:
            sentence = say("byte-latent.steps.all")
        else:
            continue
        figure = _draw_decoder(patched, met)
        steps.append(Step(sentence, (), line, symbols=("query", "mask"), figure=figure))
    return steps


def _find_seen(patched: PatchedText, one: WrittenByte) -> Tile:
    return patched.patches[one.sees] if one.sees >= 0 else START


def _draw_decoder(patched: PatchedText, met: Sequence[WrittenByte]) -> Drawing:
    """Draw the bytes that ask above those that are written, and which patch each of them sees."""
    rows = (START, *patched.patches[:-1]) if len(patched.patches) > 1 else (START,)
    asking = MaskLine(BYTES_ASK, (Tile("", START.key), *patched.bytes[:-1]))
    written = MaskLine("to write", patched.bytes)
    weights = [
        [float(at < len(met) and met[at].sees + 1 == number) for at in range(len(patched.bytes))]
        for number in range(len(rows))
    ]
    last = met[-1]
    says = (
        f"To write {visible(patched.bytes[last.at].text)}, the decoder sees {visible(_find_seen(patched, last).text)}"
    )
    return draw_mask([asking, written], rows, weights, says, met[-1].sees + 1)


def _trace_operations(text: str, patched: PatchedText, registry: Registry) -> Step:
    """Return the step that compares the operations a byte with those of a model of tokens that is as large."""
    tokenizer = registry.get(MODEL, "scratch")
    size, tokens, vocabulary = len(patched.data), len(tokenizer.encode(text).ids), tokenizer.info.vocab_size or 0
    traced = [*trace_lines(iter_operations(size, tokens, len(patched.patches), vocabulary))]
    counts = {one.part: one.operations / 1e9 for _, one in traced}
    whole = sum(counts.values()) - counts["tokens"]
    sentence = say(
        "byte-latent.steps.operations",
        patches=two_decimals(whole),
        tokens=two_decimals(counts["tokens"]),
        least=f"{_find_equal_length(size, tokens, vocabulary):.1f}",
    )
    bars = {"tokens": counts["tokens"], "patches": whole}
    parts = {"… large model": counts["patches"], "… small models": counts["bytes"], "… between": counts["between"]}
    figure = draw_bars(bars | parts, "Billion operations a byte", ".2f", {*bars})
    facts = (
        Fact("bytes per patch", two_decimals(size / len(patched.patches))),
        Fact("bytes per token", two_decimals(size / tokens), "GPT-4o"),
        Fact("bytes of context", f"{CONTEXT:,}"),
    )
    return Step(sentence, (), traced[-1][0], facts=facts, figure=figure)


def _find_equal_length(size: int, tokens: int, vocabulary: int) -> float:
    """Return the bytes of a patch, to a tenth, from which on the model of patches needs no more operations."""

    def pays(tenths: int) -> bool:
        counts = {one.part: one.operations for one in iter_operations(size, tokens, 10 * size / tenths, vocabulary)}
        return 2 * counts["tokens"] >= sum(counts.values())

    return bisect_left(range(5_000), True, lo=1, key=pays) / 10


def _find_asked(patched: PatchedText) -> WrittenByte | None:
    """Return a byte in the middle of the text that does not begin its patch, if there is one; None for one patch."""
    if len(patched.patches) < 2:
        return None
    written = [*iter_written_bytes(patched.numbers)]
    behind = [one for one in written if one.sees >= 0]
    inside = [one for one in behind if patched.numbers[one.at - 1] == patched.numbers[one.at]]
    least, most = 1, len(patched.patches) - 2
    middle = [one for one in inside if least <= one.sees and one.sees + 1 <= most]
    found = middle or inside or behind
    return found[len(patched.data) % len(found)]


def _ask_seen(patched: PatchedText, asked: WrittenByte, shown_at: int) -> Question:
    """Return the question which patch the decoder sees while it writes a byte."""

    def name(number: int) -> Words:
        return (f"patch {number + 1}, ", patched.patches[number])

    own, byte = asked.sees + 1, patched.bytes[asked.at]
    wrong: list[Wrong] = [(name(own), "own")]
    wrong += [(name(own + 1), "next")] if own + 1 < len(patched.patches) else []
    if asked.sees:
        wrong += [(name(asked.sees - 1), "before"), (fill("byte-latent.question.all"), "every")]
    return ask(
        "byte-latent.question",
        name(asked.sees),
        wrong,
        given=Step(say("byte-latent.question.given", byte=byte, number=own + 1), patched.rows),
        shown_at=shown_at,
        byte=byte,
        number=asked.at + 1,
        own=own + 1,
        seen=asked.sees + 1,
    )


def sample_few_bytes(random: Random) -> str:
    """Return a phrase of at most 40 bytes, or two long words."""
    short = [phrase for phrase in PHRASES if 16 <= len(phrase) <= MOST]
    return random.choice((random.choice(short), " ".join(random.sample(LONG_WORDS, 2))))[:MOST].strip()
