"""The scene about one sequence of text, picture and sound: projected vectors, or codes behind the ids of the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby, zip_longest
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import plural
from ...registry import Registry
from ...scratch.embedding import make_untrained_row
from ...scratch.image_patches import patches
from ...scratch.one_sequence import Array, Part, Position, code_parts, project_parts, stack
from ...scratch.rvq import learn_codebooks
from ...types import Tokenizer
from ..beyond.sound_tokens import STEP, mdct, quantize
from ..beyond.sounds import make_sound
from ..steps.drawing import Drawing, Label, Pixmap, Stroke
from ..steps.step import Fact, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, make_row
from .code import trace_lines
from .prose import PHRASES, say
from .scene import Question, Trace, ask, limit_text
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
    limit_text(len(PLACE.findall(text)), MOST_MEDIA, "pictures and sounds")
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
        make_row((Tile(names[id], COLOURS["token"]) for id in ids.tolist()), MEDIA[kind])
        if kind == "text"
        else TileRow((Tile(f"<{kind}>", NO_ID, mark="rest"),), MEDIA[kind])
        for kind, ids in parts
    )


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
        rows.append(make_row((_tile(position, names) for position in made), MEDIA[kind]))
        if kind != "text" or len(parts) == 1 or not (coded or way.steps):
            table, symbols = _compare_numbers(kind, made), (made[len(made) // 2].kind,)
            way.steps.append(Step(_say(kind, made, extended), (), line, table, symbols=symbols))
        facts = (
            Fact("positions so far", f"{len(way.positions)}"),
            Fact("with an id", f"{_count_ids(way.positions)}"),
        )
        if way.steps:  # a text that follows needs no step of its own
            way.steps[-1] = replace(way.steps[-1], rows=(*rows,), facts=facts)
    return way


def _count_ids(positions: Sequence[Position]) -> int:
    return sum(position.id is not None for position in positions)


def _say(kind: str, made: Sequence[Position], extended: Vocabulary) -> Words:
    """Return what a part has become, in a sentence."""
    if kind == "text":
        return say("sequence.steps.text", tokens=plural(len(made), "token"))
    numbers = read_media().numbers[kind].shape[1]
    if made[1].kind == "vector":
        return say("sequence.steps.vector", units=_units(kind), unit=UNITS[kind], numbers=numbers, width=WIDTH)
    offsets = [f"{offset:,}" for offset in extended.offsets[kind]]
    if kind == "image":
        return say("sequence.steps.image", vectors=IMAGE_CODES, before=offsets[0])
    return say("sequence.steps.sound", vectors=SOUND_CODES, first=offsets[0], second=offsets[1])


def _units(kind: str) -> str:
    """Return how many patches or frames a picture or a sound has."""
    count = len(read_media().numbers[kind])
    return f"{count} {'patches' if kind == 'image' else 'frames'}"


def _compare_numbers(kind: str, made: Sequence[Position]) -> Table | None:
    """Return what the model reads at the first positions of a picture or a sound."""
    if kind == "text":
        return None
    unit, inside = UNITS[kind], made[1:-1]
    if inside[0].kind == "vector":
        title, heads = f"Each {unit} as a vector", ("", "id", f"{WIDTH} numbers")
        numbers = (", ".join(f"{one:+.2f}".replace("-", "−") for one in position.numbers) for position in inside)
        rows = [(f"{unit} {number}", "none", listed) for number, listed in enumerate(numbers, 1)]
    else:
        codes = read_media().codes[kind]
        books = codes.shape[1]
        title, heads = f"Each {unit} as {plural(books, 'code')}", ("", "code", "id")
        pairs = enumerate(zip(codes.ravel(), inside, strict=True))
        rows = [(f"{unit} {at // books + 1}", f"{code}", f"{position.id:,}") for at, (code, position) in pairs]
    return tabulate(title, heads, rows, most=SHOWN_POSITIONS)


def _draw_media() -> Drawing:
    """Draw the picture with its patches, and the wave of the sound with its frames."""
    scale, top, left, beside = 2, 4, 20, 190
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
    return make_row((Tile(f"{kind}×{count}", COLOURS[kind]) for kind, count in runs), name)


def _sum_up(ways: Mapping[str, Sequence[Position]], extended: Vocabulary) -> Table:
    """Return the positions of both ways by kind, and the ids that each needs."""
    marks = {id for pair in extended.separators.values() for id in pair}
    counts = [Counter("mark" if one.id in marks else one.kind for one in way) for way in ways.values()]
    numbers: dict[str, Iterable[int]] = {
        "tokens of the text": (count["token"] for count in counts),
        "separators": (count["mark"] for count in counts),
        "projected vectors": (count["vector"] for count in counts),
        "codes + offset": (count["code"] for count in counts),
        "positions": map(len, ways.values()),
        "of them with an id": map(_count_ids, ways.values()),
        "ids of the model": (extended.size + len(SEPARATORS), extended.whole),
    }
    rows = [(name, *(f"{one:,}" for one in both)) for name, both in numbers.items()]
    return tabulate("Two methods", ("", *ways), rows, chosen=(len(rows) - 2,))


def _ask_ids(
    ways: Mapping[str, Sequence[Position]], parts: Sequence[Part], prompt: tuple[TileRow, ...], shown_at: int
) -> Question | None:
    """Return the question how many positions of the first way have an id; None if there is only text."""
    media = sum(kind != "text" for kind, _ in parts)
    if not media:
        return None
    first, second = ways.values()
    right = _count_ids(first)
    wrong: list[tuple[int, str]] = [
        (len(first), "all"),
        (right - 2 * media, "separators"),
        (len(first) - right, "vectors"),
        (len(second), "codes"),
        (right - media, "begin"),
    ]
    sentence = say("sequence.question.given", image=_units("image"), sound=_units("sound"))
    return ask(
        "sequence.question",
        right,
        [choice for choice in wrong if choice[0]],
        given=Step(sentence, prompt, figure=_draw_media()),
        shown_at=shown_at,
        tokens=right - 2 * media,
        separators=2 * media,
    )


def sample_parts(random: Random) -> str:
    """Return a phrase or two with a picture, a sound or both between them."""
    first, second = random.sample(PHRASES, 2)
    places = random.choice((("<image>",), ("<sound>",), ("<image>", "<sound>"), ("<sound>", "<image>")))
    texts = [first, second][: random.randint(1, 2)]
    return " ".join(part for pair in zip_longest(texts, places) for part in pair if part)
