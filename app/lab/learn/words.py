"""Scenes about what a vocabulary lacks: unknown words, and characters that fall back to bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.byte_fallback import KnownPiece, fall_back, iter_text
from ...scratch.learn_words import (
    SPECIAL,
    ExcludedWord,
    IncludedWord,
    WordFrequencies,
    look_up,
    select_words,
)
from ...scratch.padding import Padded, pad_rows
from ...scratch.words import split
from ...types import Tokenizer, VocabEntry
from ..palette import COLOURS
from ..steps.step import Cell, Fact, Row, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import MAX_TILES, enumeration, make_row, percent, spell, visible
from .code import trace_lines
from .colours import distinguish
from .prose import SIGNS, count_times, fill, say
from .scene import MAX_STEPS, Question, Trace, ask, limit_text
from .texts import trace_text

MAX_SIZE = COLOURS + 2
"""Tokens of the vocabulary: the two special ones, and as many words as there are colours."""
MAX_SENTENCES = 6
MOST_WORDS = 12
"""Words that the table of counts shows."""
MOST_LEFT_OUT = 4
"""Words without an id that a step names."""
Sentences = Sequence[Sequence[str]]


def trace_words(text: str, registry: Registry) -> Trace:
    """Trace a vocabulary counted from all lines but the last, and then the ids, the padding and the mask of each."""
    split_lines = ([word for _, word in split(line) if word.strip()] for line in text.lower().splitlines())
    sentences = [words for words in split_lines if words]
    limit_text(len(sentences), MAX_SENTENCES, "lines")
    corpus = sentences[:-1] or sentences
    whole = _sentence_rows(sentences, len(corpus), {})
    lines = plural(len(corpus), "line")
    start = say("words.steps.start", lines=lines) if len(sentences) > 1 else say("words.steps.whole", lines=lines)
    steps = [Step(start, whole)]
    counts: Mapping[str, int] = {}
    ids: dict[str, int] = {}
    selected = trace_lines(select_words(chain(*corpus), max_size=MAX_SIZE))
    for _, group in groupby(selected, key=lambda traced: _kind(traced[1])):
        alike = [*group]
        line, first = alike[-1]
        symbols: tuple[str, ...] = ("count", "known")
        if isinstance(first, WordFrequencies):
            counts, ids, symbols = first.counts, {**first.vocabulary}, ("count",)
        ids |= {step.word: step.id for _, step in alike if isinstance(step, IncludedWord)}
        sentence = _says([step for _, step in alike])
        rows, table = _sentence_rows(sentences, len(corpus), ids), _tabulate_words(counts, ids)
        size = Fact("vocabulary", f"{len(ids)}", f"of at most {MAX_SIZE} in this scene")
        steps.append(Step(sentence, rows, line, table, (size,), symbols))
    shown_at = len(steps) + len(sentences) - 1
    steps += _trace_lookups(sentences, ids)
    full = any(count > 1 and word not in ids for word, count in counts.items())
    rule = say("words.question.given-room", room=MAX_SIZE - len(SPECIAL)) if full else say("words.question.given")
    return Trace(steps, _unknown_words(sentences, counts, ids, Step(rule, whole), shown_at))


Selection = WordFrequencies | IncludedWord | ExcludedWord


def _kind(step: Selection) -> tuple[int, str]:
    """Return what consecutive words have in common that share a step: how often they occur, and why they have no id."""
    if isinstance(step, WordFrequencies):
        return 0, ""
    return step.frequency, step.reason if isinstance(step, ExcludedWord) else ""


def _says(steps: Sequence[Selection]) -> Words:
    first = steps[0]
    if isinstance(first, WordFrequencies):
        return say("words.steps.count")
    times = count_times(first.frequency)
    if isinstance(first, IncludedWord):
        tiles = [Tile(step.word, step.id - 2) for step in steps if isinstance(step, IncludedWord)]
        if len(tiles) == 1:
            return say("words.steps.included", word=tiles[0], times=times, id=first.id)
        listed: list[str | Tile] = [part for tile in tiles for part in (" ", tile)]
        last = first.id + len(tiles) - 1
        return *listed[1:], *say("words.steps.included-all", times=times, first=first.id, last=last)
    words = [step.word for step in steps if isinstance(step, ExcludedWord)]
    if len(words) == 1:
        return say("words.steps.excluded", word=_word_tile(first.word, 0), times=times, reason=first.reason)
    named = enumeration([_word_tile(word, 0) for word in words[:MOST_LEFT_OUT]])
    more = f" and {len(words) - MOST_LEFT_OUT} more" if len(words) > MOST_LEFT_OUT else ""
    return *named, *say("words.steps.excluded-all", more=more, times=times, reason=first.reason)


def _sentence_rows(sentences: Sentences, known: int, ids: Mapping[str, int]) -> tuple[TileRow, ...]:
    """Return the lines as rows; a word with an id has a colour of its own, all others have none."""
    return tuple(
        make_row((_word_tile(word, ids.get(word, 0)) for word in words), "corpus" if number < known else "new")
        for number, words in enumerate(sentences)
    )


def _word_tile(word: str, id: int) -> Tile:
    """Return the tile of a word: coloured by its id after the two special tokens; these and other words are plain."""
    return Tile(word, id - 2) if id > 1 else Tile(word, 0, mark="rest")


def _tabulate_words(counts: Mapping[str, int], ids: Mapping[str, int]) -> Table:
    order = sorted(counts, key=lambda word: -counts[word])
    rows = (Row((visible(word), f"{counts[word]:,}", f"{ids.get(word, '')}"), chosen=word in ids) for word in order)
    return tabulate("Words", ("word", "count", "id"), rows, most=MOST_WORDS)


def _trace_lookups(sentences: Sentences, ids: Mapping[str, int]) -> list[Step]:
    """Return a step for each sentence with its ids, and one for the padding of all."""
    steps = list[Step]()
    batch = list[list[int]]()
    rows = list[TileRow]()
    table = tabulate("Vocabulary", ("token", "id"), ((token, f"{id}") for token, id in ids.items()))
    for number, words in enumerate(sentences, 1):
        traced = [*trace_lines(look_up(words, ids))]
        line, found = traced[-1][0], [step for _, step in traced]
        batch.append([step.id for step in found])
        unknown = sum(not step.known for step in found)
        key = "one" if unknown == 1 else "unknown"
        sentence = say(f"words.steps.{key}", number=number, words=plural(unknown, "word"), all=len(words))
        rows.append(make_row(_word_tile(step.word if step.known else "[UNK]", step.id) for step in found))
        rate = Fact(
            "[UNK] rate of this line", percent(unknown / len(words)) if unknown else "0 %", f"{unknown} of {len(words)}"
        )
        symbols = ("unknown",) if unknown else ("known",)
        steps.append(Step(sentence, tuple(rows), line, table, (rate,), symbols))
    traced_rows = [*trace_lines(pad_rows(batch, longest=MAX_TILES))]
    padded = [step for _, step in traced_rows]
    size = len(padded[0].ids)
    longest = plural(size, "token")
    sentence = say("words.steps.full", longest=longest)
    if cut := sum(step.cut for step in padded):
        sentence = say("words.steps.cut", longest=longest, cut=cut)
    elif any(0 in step.mask for step in padded):
        sentence = say("words.steps.pad", longest=longest)
    spelled = {id: word for word, id in ids.items()}
    filled = tuple(row for step in padded for row in _make_padded_rows(step, spelled))
    columns = ((1,) * size,) * len(filled)
    return [*steps, Step(sentence, filled, traced_rows[-1][0], symbols=("mask",), columns=columns)]


def _make_padded_rows(step: Padded, spelled: Mapping[int, str]) -> tuple[TileRow, TileRow]:
    mask = (Tile(f"{on}", 0, mark="rest") for on in step.mask)
    return make_row((_word_tile(spelled[id], id) for id in step.ids), "tokens"), make_row(mask, "mask")


def _unknown_words(
    sentences: Sentences, counts: Mapping[str, int], ids: Mapping[str, int], given: Step, shown_at: int
) -> Question:
    last = sentences[-1]
    unknown = [word for word in last if word not in ids]
    return ask(
        "words.question",
        len(unknown),
        [(sum(word not in counts for word in last), "rare"), (0, "closed"), (len(last), "all")],
        given=given,
        shown_at=shown_at,
        reason="reason" if unknown else "none",
        which=", ".join(unknown[:MOST_WORDS]),
    )


NOUNS = ("cat", "dog", "bird", "fish", "horse", "fox")
VERBS = ("sat", "ran", "slept", "sang")


def sample_sentences(random: Random) -> str:
    """Return four sentences of few words."""
    lines = [
        f"the {random.choice(NOUNS)} {random.choice(VERBS)} and the {random.choice(NOUNS)} {random.choice(VERBS)}"
        for _ in range(3)
    ]
    return "\n".join([*lines, f"a {random.choice(NOUNS)} and the {random.choice(NOUNS)} {random.choice(VERBS)}"])


BYTE_LEVEL = "gpt2"
FALLBACK = "mistral-v1"
NEITHER = "t5"
MOST_STREAMED = 30
"""Tokens that the scene streams one by one."""


def trace_byte_fallback(text: str, registry: Registry) -> Trace:
    """Trace a text with bytes as the start (GPT-2), as the last resort (Mistral 7B) and not at all (T5)."""
    byte_level = registry.get(BYTE_LEVEL, "scratch")
    whole_words = registry.get(NEITHER, "scratch")
    entries = [byte_level.entry(id) for id in byte_level.encode(text).ids.tolist()]
    starts = _starts(byte_level, text)
    first = [Tile(spell(entry.raw), start) for entry, start in zip(entries, starts, strict=True)]
    utf8 = (Tile(f"{byte:02x}", at) for at, char in enumerate(text) for byte in char.encode())
    whole = (make_row(utf8, "bytes"), make_row(first, "GPT-2"))
    merged = say("byte-fallback.steps.merged", tokens=plural(len(entries), "token"))
    steps = [Step(say("byte-fallback.steps.start"), whole[:1]), Step(merged, whole)]
    fallback = _fallback(text, registry, whole)
    rows = fallback[-1].rows
    pieces = map(whole_words.entry, whole_words.encode(text).ids.tolist())
    placed = zip(pieces, _starts(whole_words, text), strict=True)
    lost = [Tile(one.piece, start, mark="unknown" if one.kind == "unknown" else "") for one, start in placed]
    shown_at = len(steps) + len(fallback) - 1
    sentence = say("byte-fallback.steps.known")
    if count := sum(tile.mark == "unknown" for tile in lost):
        sentence = say("byte-fallback.steps.lost", tokens=plural(count, "unknown token"))
    given = _known_parts(text, registry)
    fallback.append(Step(sentence, (*rows, make_row(lost, "T5"))))
    steps += [replace(step, table=given.table) for step in fallback]
    stream = Step(say("byte-fallback.steps.stream"), whole[1:])
    steps = [*steps[: MAX_STEPS - MOST_STREAMED - 2], stream, *_trace_stream(entries, first)]
    tokens = len(rows[-1].tiles) + rows[-1].left_out_after
    return distinguish(Trace(steps, _fallback_tokens(text, tokens, len(entries), given, shown_at)))


def _starts(tokenizer: Tokenizer, text: str) -> Sequence[int]:
    """Return where in the text each token begins: what colours it in all rows."""
    starts: list[int] = tokenizer.encode(text).char_starts.tolist()
    return starts


def _known_parts(text: str, registry: Registry) -> Step:
    """Return which parts of a text Mistral's vocabulary has, and the bytes of the others."""
    trace = trace_text(registry, FALLBACK, text)
    places = iter(_starts(registry.get(FALLBACK, "scratch"), text))
    rows = dict[tuple[int, int, int], Sequence[Cell]]()
    for number, word in enumerate(trace.words):
        for id, start, end in word.segmentation.tokens:
            part = str(word.segmentation.symbols[start:end])
            known = "in the vocabulary"
            if id in trace.byte_ids:
                known = fill("byte-fallback.question.missing", bytes=plural(len(part.encode()), "byte"))
            rows[number, start, end] = ((Tile(part, next(places, 0)),), known)
    table = tabulate("Parts of the text for Mistral 7B", ("part", ""), rows.values())
    characters = make_row(Tile(char, at) for at, char in enumerate(text))
    return Step(say("byte-fallback.question.given"), (characters,), table=table)


def _fallback(text: str, registry: Registry, above: tuple[TileRow, ...]) -> list[Step]:
    """Return a step for each character that Mistral's vocabulary lacks, and one with all tokens at the end."""
    trace = trace_text(registry, FALLBACK, text)
    pieces = [
        str(word.segmentation.symbols[start:end])
        for word in trace.words
        for start, end in dict.fromkeys((start, end) for _, start, end in word.segmentation.tokens)
    ]
    starts = _starts(registry.get(FALLBACK, "scratch"), text)
    steps = list[Step]()
    tiles = list[Tile]()
    pending = 0
    for line, step in trace_lines(fall_back(pieces, trace.ids, trace.byte_ids)):
        start = starts[len(tiles)]
        if isinstance(step, KnownPiece):
            tiles.append(Tile(step.piece, start))
            continue
        tiles.append(Tile(f"{step.byte:02x}", start, mark="byte"))
        pending += 1
        if pending == len(step.piece.encode()):
            tokens = plural(pending, "token")
            sentence = say("byte-fallback.steps.bytes", character=Tile(step.piece, start), tokens=tokens)
            steps.append(Step(sentence, (*above, make_row(tiles, "Mistral 7B")), line, symbols=("bytes",)))
            pending = 0
    last = say("byte-fallback.steps.last", tokens=plural(len(tiles), "token"))
    return [*steps, Step(last, (*above, make_row(tiles, "Mistral 7B")), line, symbols=("known",))]


def _trace_stream(entries: Sequence[VocabEntry], tiles: Sequence[Tile]) -> list[Step]:
    """Return the steps in which GPT-2's tokens come one by one, as a model writes them, in the colours of its tiles."""
    steps = list[Step]()
    shown = ""
    halved = False
    traced = trace_lines(iter_text(entry.raw for entry in entries[:MOST_STREAMED]))
    for (line, step), tile in zip(traced, tiles, strict=False):
        shown += step.text
        token = replace(tile, mark="new")
        sentence = say("byte-fallback.steps.half", token=token)
        if step.text:
            whole = say("byte-fallback.steps.whole", token=token)
            sentence = say("byte-fallback.steps.complete", token=token) if halved else whole
        halved = not step.text
        screen = Tile(shown or " ", tiles[0].key)
        waiting = (Tile(spell(step.waiting), tile.key, 0, "rest"),) if step.waiting else ()
        labelled = (((token,), "token"), ((screen,), "on screen"), (waiting, "waiting"))
        steps.append(Step(sentence, tuple(TileRow(*row) for row in labelled), line))
    return steps


def _fallback_tokens(text: str, tokens: int, byte_level: int, given: Step, shown_at: int) -> Question:
    wrong = [(byte_level, "merged"), (len(text), "characters"), (len(text.encode()), "bytes")]
    wrong += [(len(given.table.rows), "single")] if given.table else []
    return ask("byte-fallback.question", tokens, wrong, given=given, shown_at=shown_at, tokens=plural(tokens, "token"))


def sample_rare_character(random: Random) -> str:
    """Return a word with a character that few vocabularies have."""
    word = random.choice(("Hello", "tea", "good", "naïve", "I see", "look", "my", "one", "the sea", "yes"))
    return f"{word} {random.choice(SIGNS + 'ꙮ𓀀𝕳☃')}{random.choice(('', '!', ' ok', '?', ' now'))}"
