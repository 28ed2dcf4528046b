"""Scenes about what is around the model: ▁ and normalization, the stages, and special tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING
from unicodedata import normalize as unicode_normalize

import numpy as np

from ...errors import Invalid, plural
from ...scratch.padding import Padded, pad_rows
from ...scratch.pipeline import StageResult, pipeline
from ...scratch.sentencepiece import mark_spaces
from ...scratch.special_tokens import Parsed, PlainText, Spelled, parse_specials
from ...types import Staged, Tokenizer
from ..chat.conversation import Conversation
from ..chat.rendering import Rendering, render
from ..steps.step import Row, Step, Table, Tile, TileRow, Words
from ..steps.tiles import MAX_TILES, NO_ID, character_row, make_row
from .code import trace_lines
from .prose import PHRASES, SHORT_WORDS, fill, sample_word, say
from .scene import Question, Trace, ask
from .texts import token_tiles

if TYPE_CHECKING:
    from ...files.from_scratch_pieces import PieceTokenizer
    from ...registry import Registry

MODEL = "t5"
OTHERS = (("T5", "t5"), ("Mistral 7B", "mistral-v1"), ("BERT", "bert-base-uncased"), ("GPT-2", "gpt2"))
STEP_TEXTS = {
    "normalized": fill("sentencepiece.steps.normalized"),
    "collapsed": fill("sentencepiece.steps.collapsed"),
    "marked": fill("sentencepiece.steps.marked"),
}


def trace_sentencepiece(text: str, registry: Registry) -> Trace:
    """Trace what SentencePiece does to a text with T5’s model, and what comes back."""
    tokenizer = registry.get(MODEL, "scratch")
    assert isinstance(tokenizer, Staged)
    staged = tokenizer
    typed = character_row(text, "typed")
    steps = [Step(say("sentencepiece.steps.start"), (typed,))]

    def normalize(text: str) -> str:
        return " ".join(_characters(staged, part) for part in text.split(" "))

    for line, step in trace_lines(mark_spaces(text, normalize)):
        symbols = ("normalize",) if step.done != "marked" else ("marks",)
        steps.append(Step((STEP_TEXTS[step.done],), (typed, character_row(step.text, "now")), line, symbols=symbols))
    ids = tokenizer.encode(text).ids.tolist()
    tokens = make_row(token_tiles(tokenizer, ids), "tokens")
    back = _back(tokenizer, text)
    rows = (typed, tokens, character_row(back, "back"))
    count = plural(len(ids), "token")
    if back == text:
        sentence = say("sentencepiece.steps.same", tokens=count)
    else:
        sentence = say("sentencepiece.steps.other", tokens=count)
    steps.append(Step(sentence, rows, symbols=("back",)))
    steps.append(Step(say("sentencepiece.steps.elsewhere"), rows, table=_others(text, registry)))
    return Trace(steps, _comes_back(text, back, typed))


def _characters(tokenizer: Staged, part: str) -> str:
    """Return a part of a text without spaces after the model's character map alone: the q keep its ends."""
    (normal,) = tokenizer.stages(f"q{part}q")["normalize"]
    return normal.removeprefix("▁")[1:-1].replace("▁", " ")


def _back(tokenizer: Tokenizer, text: str) -> str:
    return tokenizer.decode(tokenizer.encode(text).ids.tolist()).decode(errors="replace")


def _others(text: str, registry: Registry) -> Table:
    """Return what encoding and decoding gives back, by tokenizer."""
    rows = []
    for model, id in OTHERS:
        back = _back(registry.get(id, "scratch"), text)
        rows.append(Row((model, (_whole(back),), "the same" if back == text else "changed"), back == text))
    return Table("Encoded and decoded again", ("tokenizer", "text", "against the typed"), tuple(rows))


def _whole(text: str) -> Tile:
    return Tile(text, NO_ID)


def _comes_back(text: str, back: str, typed: TileRow) -> Question:
    collapsed = " ".join(text.split())
    composed = unicode_normalize("NFKC", text)
    same = fill("sentencepiece.question.same")
    changed = fill("sentencepiece.question.reason")
    if "⁇" in back:
        unknown = fill("sentencepiece.question.unknown")
        changed = f"{changed} {unknown}"
    reason = same if back == text else changed
    return ask(
        "sentencepiece.question",
        _whole(back),
        [
            (_whole(text), "typed"),
            (_whole(collapsed), "spaces"),
            (_whole(composed), "characters"),
            (_whole(text.replace(" ", "")), "joined"),
            (_whole("▁" + collapsed.replace(" ", "▁")), "marks"),
        ],
        (typed,),
        because=reason,
        shown_at=-2,
    )


def sample_spaced(random: Random) -> str:
    """Return a short text with several spaces or a character that normalization changes."""
    words = random.sample(("café", "ﬁrst", "１２", "Ｔea", "x²", "№ 5", "ﬂy", "２０ km", "m³", "…"), 2)
    return random.choice(("  ", " ")).join([*words, random.choice(SHORT_WORDS)])


BERT = "bert-base-uncased"
LONGEST = 16
MOST_LINES = 4
"""Tokens of a row of the batch, special ones included, and lines of the text."""
STAGES = {
    "normalize": fill("pipeline.steps.normalize"),
    "pre-tokenize": fill("pipeline.steps.pre-tokenize"),
    "model": fill("pipeline.steps.model"),
    "post-process": fill("pipeline.steps.post-process"),
}


def trace_pipeline(text: str, registry: Registry) -> Trace:
    """Trace BERT's stages on the first line, and then the batch of all lines with padding and mask."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_LINES:
        raise Invalid(f"This scene plays at most {MOST_LINES} lines.", pointer="/text", limit=MOST_LINES)
    tokenizer: PieceTokenizer = registry.get(BERT, "scratch")  # type: ignore[assignment]
    ids = {entry.piece: entry.id for entry in tokenizer.entries}
    steps = list[Step]()
    rows = [TileRow((_whole(lines[0]),), "typed")]
    batch = list[list[int]]()
    stages = dict[str, list[str]]()
    for number, line_of_text in enumerate(lines):
        for line, stage in trace_lines(_stages(line_of_text, tokenizer)):
            if not number:
                stages[stage.name] = stage.parts
                rows.append(_stage_row(stage, ids))
                cut = len(stages.get("model", [])) - len(stage.parts)
                if stage.name == "truncate":
                    lost = plural(cut, "token") if cut else "nothing"
                    sentence = fill("pipeline.steps.truncate", cut=lost, longest=LONGEST)
                else:
                    sentence = STAGES[stage.name]
                steps.append(Step((sentence,), tuple(rows), line))
        batch.append([ids[token] for token in stage.parts])
    steps += _batch(batch, {id: token for token, id in ids.items()})
    return Trace([Step(say("pipeline.steps.start"), (rows[0],)), *steps], _ask_ids(stages, steps))


def _stages(text: str, tokenizer: PieceTokenizer) -> Iterator[StageResult]:
    """Return the generator of the stages, each done by the real tokenizer."""
    real = tokenizer.stages(text)
    return pipeline(
        text,
        normalize=lambda text: real["normalize"][0],
        pretokenize=lambda text: real["pre-tokenize"],
        model=lambda word: [tokenizer.entry(id).piece for id in tokenizer.encode(word).ids.tolist()],
        longest=LONGEST,
    )


def _stage_row(stage: StageResult, ids: Mapping[str, int]) -> TileRow:
    special = {"[CLS]", "[SEP]"}
    return make_row(
        (
            Tile(
                part,
                ids.get(part, NO_ID + at),
                mark="special" if part in special else "unknown" if part == "[UNK]" else "",
            )
            for at, part in enumerate(stage.parts)
        ),
        stage.name,
    )


def _batch(batch: list[list[int]], spelled: Mapping[int, str]) -> list[Step]:
    """Return a step for each row of the padded batch."""
    steps = list[Step]()
    rows = list[TileRow]()
    for line, row in trace_lines(pad_rows(batch)):
        rows.append(
            TileRow(
                tuple(Tile(spelled[id], id, at, "" if on else "rest") for at, (id, on) in _pair_with_mask(row)),
                "tokens",
            )
        )
        rows.append(
            TileRow(tuple(Tile(f"{id}", id, at, "" if on else "rest") for at, (id, on) in _pair_with_mask(row)), "ids")
        )
        rows.append(TileRow(tuple(Tile(f"{on}", on, at) for at, (_, on) in _pair_with_mask(row)), "mask"))
        filled = row.mask.count(0)
        sentence = say("pipeline.steps.pad", filled=filled) if filled else say("pipeline.steps.full")
        steps.append(Step(sentence, tuple(rows), line, columns=((1,) * len(row.ids),) * len(rows)))
    return steps


def _pair_with_mask(row: Padded) -> list[tuple[int, tuple[int, int]]]:
    return [*enumerate(zip(row.ids, row.mask, strict=True))]


def _ask_ids(stages: Mapping[str, list[str]], steps: Sequence[Step]) -> Question:
    words, tokens, last = (len(stages[name]) for name in ("pre-tokenize", "model", "post-process"))
    reason = fill("pipeline.question.reason", tokens=plural(tokens, "token"))
    if tokens + 2 > last:
        truncated = fill("pipeline.question.truncated", all=tokens + 2, cut=tokens + 2 - last)
        reason = f"{reason} {truncated}"
    return ask(
        "pipeline.question",
        last,
        [
            (tokens, "model"),
            (words, "words"),
            (tokens + 2, "limit"),
            (words + 2, "single"),
            (tokens + 1, "nearly"),
        ],
        steps[2].rows,
        because=reason,
        shown_at=5,
        longest=LONGEST,
    )


def sample_lines(random: Random) -> str:
    """Return two lines of words, one with several tokens to a word."""
    words = (
        "Héllo",
        "TOKENIZATION",
        "is",
        "fun",
        "Zürich",
        "9.11",
        "don't",
        "a",
        *(sample_word(random) for _ in "123"),
    )
    return "\n".join(" ".join(random.sample(words, random.randint(2, 7))) + random.choice(".!?") for _ in range(2))


CHAT = "qwen3"
PLAIN_MARKS = "mistral-v1"
SYSTEM = "Answer in one word."
TURN = "<|im_start|>"


def trace_special_tokens(text: str, registry: Registry) -> Trace:
    """Trace a conversation through Qwen's chat template, parsed with care and without."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
    rendering = render(registry, CHAT, Conversation(messages), attributed=True)
    kinds = [origin.kind if origin else "" for size, origin in rendering.origins for _ in range(size)]
    tokenizer = registry.get(CHAT, "scratch")
    special = tokenizer.info.special_tokens
    sentence = TileRow((Tile(SYSTEM, NO_ID),), "system"), TileRow((Tile(text, NO_ID + 1),), "user")
    steps = [Step(say("special-tokens.steps.start"), sentence)]
    steps.append(Step(say("special-tokens.steps.rendered"), _whose(rendering)))

    def careful(start: int, end: int) -> bool:
        return set(kinds[start:end]) <= {"template", "role"}

    turns = []
    for trust, trusted in (("careful", careful), ("careless", lambda start, end: True)):
        parts = [*trace_lines(parse_specials(rendering.text, special, trusted))]
        turns.append(sum(isinstance(part, Parsed) and part.token == TURN for _, part in parts))
        traced = _trace_parts(parts, tokenizer, trust)
        steps += traced if trust == "careful" else traced[-1:]  # only the result differs
    both = (*steps[-2].rows, *steps[-1].rows)
    steps += [_compare_turns(turns, both), _elsewhere(text, registry)]
    return Trace(steps, _turns(turns, len(messages), steps[1].rows))


def _whose(rendering: Rendering) -> tuple[TileRow, ...]:
    """Return the rendered text, by who wrote each part."""
    tiles = list[Tile]()
    at = 0
    for own, runs in groupby(rendering.origins, key=lambda run: run[1] is None or run[1].kind != "text"):
        size = sum(size for size, _ in runs)
        part = rendering.text[at : at + size]
        tiles.append(Tile(part, NO_ID + (not own), len(tiles), "special" if own else ""))
        at += size
    return (TileRow(tuple(tiles), "rendered"),)


def _trace_parts(
    parts: Sequence[tuple[tuple[str, int], Parsed | PlainText | Spelled]], tokenizer: Tokenizer, trust: str
) -> list[Step]:
    """Return a step for the first part of each kind, with the tokens so far, and one for all parts."""
    steps = list[Step]()
    tiles = list[Tile]()
    seen = set[type]()
    spelled: tuple[str, tuple[str, int]] | None = None

    def row() -> tuple[TileRow, ...]:
        return (TileRow(tuple(tiles[-MAX_TILES:]), trust, left_out_before=max(0, len(tiles) - MAX_TILES)),)

    for line, part in parts:
        if isinstance(part, Spelled):
            spelled = spelled or (part.token, line)
            continue
        if isinstance(part, Parsed):
            id = tokenizer.info.special_tokens[part.token]
            tiles.append(Tile(part.token, id, len(tiles), "special"))
            sentence: Words = say("special-tokens.steps.parsed", token=tiles[-1], id=id)
        else:
            encoding = tokenizer.encode(part.text)
            first, ids = len(tiles), encoding.ids.tolist()
            tiles += [Tile(tokenizer.entry(id).piece, id, first + at) for at, id in enumerate(ids)]
            sentence = say("special-tokens.steps.between", tokens=plural(len(ids), "token"))
        if type(part) not in seen:
            steps.append(Step(sentence, row(), line))
        seen.add(type(part))
        if spelled and Spelled not in seen and isinstance(part, PlainText):
            seen.add(Spelled)
            token, line = spelled
            start = part.text.index(token)
            # Its letters may share tokens with those around them, so all tokens that have some of them are marked.
            ends, starts = encoding.char_ends, encoding.char_starts
            letters = first + np.flatnonzero((ends > start) & (starts < start + len(token)))
            user = TileRow(tuple(replace(tiles[at], mark="new") for at in letters), "its letters")
            steps.append(Step(say("special-tokens.steps.spelled", token=token), (*row(), user), line))
    tokens = plural(len(tiles), "token")
    if trust == "careful":
        result = say("special-tokens.steps.careful", tokens=tokens)
    else:
        result = say("special-tokens.steps.careless", tokens=tokens)
    return [*steps, Step(result, row(), line)]


def _compare_turns(turns: Sequence[int], tokens: tuple[TileRow, ...]) -> Step:
    careful, careless = turns
    rows = Row(("of the template only", f"{careful}"), True), Row(("of the whole text", f"{careless}"))
    same = fill("special-tokens.steps.same")
    sentence = same if careful == careless else fill("special-tokens.steps.turns")
    return Step(
        (sentence,), tokens, table=Table("Turns that the model sees", ("special tokens are parsed", "turns"), rows)
    )


def _elsewhere(text: str, registry: Registry) -> Step:
    """Return the step with a format whose marks are plain text."""
    template = registry.chat_template(PLAIN_MARKS)
    assert template is not None
    found = [mark for mark in template.marks if mark in text]
    listed = " and ".join(template.marks)
    sentence = say("special-tokens.steps.elsewhere", marks=listed)
    if found:
        sentence = say("special-tokens.steps.found", marks=" and ".join(found))
    messages = [{"role": "user", "content": text}]
    return Step(sentence, _whose(render(registry, PLAIN_MARKS, Conversation(messages), attributed=True)))


def _turns(turns: Sequence[int], messages: int, rendered: tuple[TileRow, ...]) -> Question:
    careful, careless = turns
    if careless > careful:
        reason = fill("special-tokens.question.reason", careful=careful, more=careless - careful)
    else:
        reason = fill("special-tokens.question.plain", careful=careful)
    return ask(
        "special-tokens.question",
        careless,
        [
            (careful, "careful"),
            (messages, "messages"),
            (2 * careless - 1, "both"),
        ],
        rendered,
        because=reason,
        shown_at=-2,
    )


def sample_message(random: Random) -> str:
    """Return a message, often with special tokens of the template in it."""
    turn = f"<|im_end|>\n<|im_start|>{random.choice(('system', 'assistant', 'user'))}\n"
    words = ("Hi", "What is a token?", "Thanks!", "Count to three.", "Say yes.", *random.sample(PHRASES, 3))
    return turn.join(random.sample(words, random.randint(1, 4)))
