"""The scene about one sequence of text, picture and sound: projected vectors, or codes behind the ids of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby, zip_longest
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.embedding import make_untrained_row
from ...scratch.image_patches import patches
from ...scratch.one_sequence import Array, Part, Position, code_parts, project_parts, stack
from ...scratch.rvq import learn_codebooks
from ...types import Tokenizer
from ..beyond.sound_tokens import STEP, mdct, quantize
from ..beyond.sounds import make_sound
from ..steps.drawing import Drawing, Label, Pixmap, Stroke
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow
from ..steps.tiles import MAX_TILES, NO_ID
from .code import trace_lines
from .prose import PHRASES, fill, say
from .scene import Question, Trace, Wrong, ask
from .senses import Pixels, draw_harbour

MODEL = "gpt2"
MEDIA = {"image": "picture", "sound": "sound", "text": "text"}
UNITS = {"image": "patch", "sound": "frame"}
"""Parts of a prompt and units of a medium, each with its name on the page."""
SEPARATORS = ("<image>", "</image>", "<sound>", "</sound>")
PLACE = re.compile(r"<(image|sound)>")
MOST_MEDIA = 3
PICTURE = (64, 48)
PATCH = 16
"""Width and height of the picture, and side of a patch, in pixels."""
HEARD = slice(8, 12)
LEARNED = 4000
"""The frames of the plucked tone that are the sound, and the samples of which its codebooks are learned."""
IMAGE_CODES = 8
SOUND_CODES = 16
SOUND_BOOKS = 2
"""Vectors of the codebooks, and codebooks of a frame of sound."""
WIDTH = 4
"""Numbers of a row, and so of each vector."""
COLOURS = {"token": 0, "vector": 3, "code": 7}
"""The key of all tiles of a kind of position: a colour is a kind."""
SHOWN_POSITIONS = 4
"""Positions of a table."""


@dataclass(frozen=True, slots=True)
class Media:
    """A picture and a sound: the numbers of their patches and frames by place, and their codes."""

    numbers: dict[str, Array]
    codes: dict[str, NDArray[np.intp]]


@cache
def read_media() -> Media:
    """Return the patches of the harbour and some frames of a plucked tone, with their codes."""
    pixels = np.array([patch.numbers for patch in patches(Pixels(*PICTURE), PATCH)], float) / 255
    (book,) = learn_codebooks(pixels, codebooks=1, size=IMAGE_CODES)
    tone_heard = make_sound("tone")[:LEARNED]
    quantized = quantize(tone_heard, codebooks=SOUND_BOOKS, size=SOUND_CODES)
    sound_codes = np.stack([level.tokens[HEARD] for level in quantized.levels], axis=1)
    return Media(
        {"image": pixels, "sound": mdct(tone_heard)[HEARD]}, {"image": book.tokens[:, None], "sound": sound_codes}
    )


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The ids beside those of the text: the separators, and the first id of each codebook."""

    size: int
    separators: dict[str, tuple[int, int]]
    offsets: dict[str, list[int]]
    whole: int


def extend_vocabulary(size: int) -> Vocabulary:
    """Return where the separators and codebooks stand behind a vocabulary of this size.

    >>> extended = extend_vocabulary(50257)
    >>> extended.separators["sound"], extended.offsets, extended.whole
    ((50259, 50260), {'image': [50261], 'sound': [50269, 50285]}, 50301)
    """
    begins = size + len(SEPARATORS)
    separators = {place: (size + 2 * at, size + 2 * at + 1) for at, place in enumerate(UNITS)}
    image, *sound, whole = stack(begins, [IMAGE_CODES, *[SOUND_CODES] * SOUND_BOOKS])
    return Vocabulary(size, separators, {"image": [image], "sound": sound}, whole)


def trace_sequence(text: str, registry: Registry) -> Trace:
    """Trace a prompt into one sequence: with projected vectors, and then with codes."""
    tokenizer = registry.get(MODEL, "scratch")
    parts = [*_split(text, tokenizer)]
    extended = extend_vocabulary(tokenizer.info.vocab_size or 0)
    media, row = read_media(), partial(make_untrained_row, width=WIDTH)
    random = np.random.default_rng(1)
    matrices = {kind: random.normal(0, 0.1, (one.shape[1], WIDTH)) for kind, one in media.numbers.items()}
    vectors = project_parts(_insert(media.numbers, parts), row, matrices, extended.separators)
    codes = code_parts(_insert(media.codes, parts), row, extended.offsets, extended.separators)
    names = _name_tokens(parts, tokenizer, extended)
    prompt = _show_prompt(parts, names)
    start = Step(say("sequence.steps.start", parts=plural(len(parts), "part")), prompt, figure=_draw_media())
    projected = _trace_way(trace_lines(vectors), parts, names, extended)
    coded = _trace_way(trace_lines(codes), parts, names, extended, coded=True)
    ways = {"vectors": projected.positions, "codes": coded.positions}
    longer = len(coded.positions) - len(projected.positions)
    sentence = say("sequence.steps.longer", longer=longer) if longer else say("sequence.steps.same")
    end = Step(sentence, tuple(_summarize(*way) for way in ways.items()), table=_sum_up(ways, extended))
    return Trace([start, *projected.steps, *coded.steps, end], _ask_ids(ways, parts, prompt, len(projected.steps)))


def _split(text: str, tokenizer: Tokenizer) -> Iterator[Part]:
    """Yield the parts of a prompt: a text with its ids, or the place of a picture or a sound. Raises `Invalid`."""
    places = len(PLACE.findall(text))
    if places > MOST_MEDIA:
        message = f"This scene plays at most {MOST_MEDIA} pictures and sounds; this text has {places}."
        raise Invalid(message, pointer="/text", limit=MOST_MEDIA)
    for at, part in enumerate(PLACE.split(text)):
        if at % 2:
            yield part, np.array([])
        elif part:
            yield "text", tokenizer.encode(part).ids


def _insert(media: Mapping[str, NDArray[Any]], parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a prompt with the picture and the sound in their places."""
    return [(kind, media.get(kind, ids)) for kind, ids in parts]


def _name_tokens(parts: Sequence[Part], tokenizer: Tokenizer, extended: Vocabulary) -> dict[int, str]:
    """Return the tokens of the prompt, and the separators, by id."""
    names = {id: tokenizer.entry(id).piece for kind, ids in parts if kind == "text" for id in ids.tolist()}
    for kind, (begin, end) in extended.separators.items():
        names |= {begin: f"<{kind}>", end: f"</{kind}>"}
    return names


def _show_prompt(parts: Sequence[Part], names: Mapping[int, str]) -> tuple[TileRow, ...]:
    """Return the prompt as it was typed, the text in tokens."""
    return tuple(
        _row(MEDIA[kind], [Tile(names[id], COLOURS["token"]) for id in ids.tolist()])
        if kind == "text"
        else TileRow((Tile(f"<{kind}>", NO_ID, mark="rest"),), MEDIA[kind])
        for kind, ids in parts
    )


def _row(label: str, tiles: Sequence[Tile]) -> TileRow:
    shown = tuple(replace(tile, at=at) for at, tile in enumerate(tiles[:MAX_TILES]))
    return TileRow(shown, label, left_out_after=len(tiles) - len(shown))


def _tile(position: Position, names: Mapping[int, str]) -> Tile:
    """Return the tile of a position: a token with its id, an id, or a dot where there is none."""
    text = "·" if position.id is None else f"{position.id}"
    if position.kind != "token":
        return Tile(text, COLOURS[position.kind])
    name = names[position.id or 0]
    return Tile(f"{name}→{text}", COLOURS["token"], mark="special" if name in SEPARATORS else "")


@dataclass(frozen=True, slots=True)
class Way:
    """One of the two ways: its steps, and all positions."""

    steps: list[Step]
    positions: list[Position]


def _trace_way(
    traced: Iterator[tuple[tuple[str, int], list[Position]]],
    parts: Sequence[Part],
    names: Mapping[int, str],
    extended: Vocabulary,
    *,
    coded: bool = False,
) -> Way:
    """Return the steps in which the parts of a prompt become positions; texts after the first have none."""
    way = Way([], [])
    rows: list[TileRow] = []
    for (kind, _), (line, made) in zip(parts, traced, strict=True):
        way.positions.extend(made)
        rows.append(_row(MEDIA[kind], [_tile(position, names) for position in made]))
        if kind != "text" or len(parts) == 1 or not (coded or way.steps):
            sentence, symbols = _say(kind, made, extended), (made[len(made) // 2].kind,)
            way.steps.append(Step((sentence,), (), line, _compare_numbers(kind, made), symbols=symbols))
        facts = (
            Fact("positions so far", f"{len(way.positions)}"),
            Fact("with an id", f"{_count_ids(way.positions)}"),
        )
        if way.steps:  # a text that follows needs no step of its own
            way.steps[-1] = replace(way.steps[-1], rows=(*rows,), facts=facts)
    return way


def _count_ids(positions: Sequence[Position]) -> int:
    return sum(position.id is not None for position in positions)


def _say(kind: str, made: Sequence[Position], extended: Vocabulary) -> str:
    """Return what a part has become, in a sentence."""
    if kind == "text":
        return fill("sequence.steps.text", tokens=plural(len(made), "token"))
    numbers = read_media().numbers[kind].shape[1]
    if made[1].kind == "vector":
        return fill("sequence.steps.vector", units=_units(kind), unit=UNITS[kind], numbers=numbers, width=WIDTH)
    if kind == "image":
        first = f"{extended.offsets[kind][0]:,}"
        return fill("sequence.steps.image", vectors=IMAGE_CODES, before=first)
    first, second = (f"{offset:,}" for offset in extended.offsets[kind])
    return fill("sequence.steps.sound", vectors=SOUND_CODES, first=first, second=second)


def _units(kind: str) -> str:
    """Return how many patches or frames a picture or a sound has."""
    count = len(read_media().numbers[kind])
    return f"{count} {'patches' if kind == 'image' else 'frames'}"


def _compare_numbers(kind: str, made: Sequence[Position]) -> Table | None:
    """Return what the model reads at the first positions of a picture or a sound."""
    inside = made[1:-1]
    if kind == "text":
        return None
    if inside[0].kind == "vector":
        rows = [
            (f"{UNITS[kind]} {number}", "none", ", ".join(f"{one:+.2f}".replace("-", "−") for one in position.numbers))
            for number, position in enumerate(inside[:SHOWN_POSITIONS], 1)
        ]
        title, heads = f"Each {UNITS[kind]} as a vector", ("", "id", f"{WIDTH} numbers")
    else:
        codes = read_media().codes[kind]
        books = codes.shape[1]
        rows = [
            (f"{UNITS[kind]} {at // books + 1}", f"{codes.ravel()[at]}", f"{position.id:,}")
            for at, position in enumerate(inside[:SHOWN_POSITIONS])
        ]
        title, heads = f"Each {UNITS[kind]} as {plural(books, 'code')}", ("", "code", "id")
    return Table(title, heads, tuple(Row(row) for row in rows), len(inside) - len(rows))


def _draw_media() -> Drawing:
    """Draw the picture with its patches, and the wave of the sound with its frames."""
    scale, top, left, beside = 4, 14, 20, 330
    width, height = (scale * side for side in PICTURE)
    cell = scale * PATCH
    heard = make_sound("tone")[HEARD.start * STEP : HEARD.stop * STEP]
    points = "L".join(
        f"{beside + at:g} {top + height / 2 * (1 - sample / abs(heard).max()):.1f}" for at, sample in enumerate(heard)
    )
    lines = [f"M{left + at} {top}v{height}" for at in range(0, width + 1, cell)]
    lines += [f"M{left} {top + at}h{width}" for at in range(0, height + 1, cell)]
    lines += [f"M{beside + at} {top}v{height}" for at in range(0, len(heard) + 1, STEP)]
    told = [_units(kind) for kind in UNITS]
    middles = (left + width / 2, beside + len(heard) / 2)
    return Drawing(
        width=beside + len(heard) + left,
        height=top + height + 34,
        strokes=(Stroke("".join(lines)), Stroke(f"M{points}", "best")),
        labels=tuple(Label(x, top + height + 22, text, bold=True) for x, text in zip(middles, told, strict=True)),
        says=f"A picture of a harbour in {told[0]}, and the wave of a plucked tone in {told[1]}",
        pixels=Pixmap(draw_harbour(*PICTURE), left, top, width, height),
    )


def _summarize(name: str, positions: Sequence[Position]) -> TileRow:
    """Return the runs of a sequence: how many positions of a kind stand beside each other."""
    runs = [(kind, len([*run])) for kind, run in groupby(positions, key=lambda position: position.kind)]
    return _row(name, [Tile(f"{kind}×{count}", COLOURS[kind]) for kind, count in runs])


def _sum_up(ways: Mapping[str, Sequence[Position]], extended: Vocabulary) -> Table:
    """Return the positions of both ways by kind, and the ids that each needs."""
    first, second = ways.values()
    marks = {id for pair in extended.separators.values() for id in pair}

    def count(positions: Sequence[Position], kind: str) -> str:
        return f"{sum(position.kind == kind and position.id not in marks for position in positions)}"

    rows = [
        ("tokens of the text", count(first, "token"), count(second, "token")),
        ("separators", *(f"{sum(position.id in marks for position in way)}" for way in (first, second))),
        ("projected vectors", count(first, "vector"), count(second, "vector")),
        ("codes + offset", count(first, "code"), count(second, "code")),
        ("positions", f"{len(first)}", f"{len(second)}"),
        ("of them with an id", f"{_count_ids(first)}", f"{_count_ids(second)}"),
        ("ids of the model", f"{extended.size + len(SEPARATORS):,}", f"{extended.whole:,}"),
    ]
    return Table("Two methods", ("", *ways), tuple(Row(row, chosen=row[0] == "of them with an id") for row in rows))


def _ask_ids(
    ways: Mapping[str, Sequence[Position]], parts: Sequence[Part], prompt: tuple[TileRow, ...], shown_at: int
) -> Question | None:
    """Return the question how many positions of the first way have an id; None if there is only text."""
    media = [kind for kind, _ in parts if kind != "text"]
    if not media:
        return None
    first, second = ways.values()
    right = _count_ids(first)
    wrong: list[Wrong] = [
        (len(first), "all"),
        (right - 2 * len(media), "separators"),
        (len(first) - right, "vectors"),
        (len(second), "codes"),
        (right - len(media), "begin"),
    ]
    wrong = [choice for choice in wrong if choice[0]]
    sentence = say("sequence.question.given", image=_units("image"), sound=_units("sound"))
    given = Step(sentence, prompt, figure=_draw_media())
    return ask(
        "sequence.question",
        right,
        wrong,
        given=given,
        shown_at=shown_at,
        tokens=right - 2 * len(media),
        separators=2 * len(media),
    )


def sample_parts(random: Random) -> str:
    """Return a phrase or two with a picture, a sound or both between them."""
    first, second = random.sample(PHRASES, 2)
    places = random.choice((("<image>",), ("<sound>",), ("<image>", "<sound>"), ("<sound>", "<image>")))
    texts = [first, second][: random.randint(1, 2)]
    return " ".join(part for pair in zip_longest(texts, places) for part in pair if part)
