"""Scenes about what a vocabulary lacks: unknown words, and characters that fall back to bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from random import Random

from ...errors import Invalid, join_names, plural
from ...registry import Registry
from ...scratch.byte_fallback import KnownPiece, fall_back, iter_text
from ...scratch.learn_words import (
    SPECIAL,
    ExcludedWord,
    IncludedWord,
    LookedUp,
    WordFrequencies,
    look_up,
    select_words,
)
from ...scratch.padding import Padded, pad_rows
from ...scratch.words import split
from ...types import Tokenizer, Traced, VocabEntry
from ..palette import COLOURS
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, Words
from ..steps.tiles import MAX_TILES, spell
from .code import trace_lines
from .colours import distinguish
from .prose import SIGNS, fill, say
from .scene import MAX_STEPS, Question, Trace, ask

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
    sentences = [[word for _, word in split(line) if word.strip()] for line in text.lower().splitlines()]
    sentences = [words for words in sentences if words]
    if len(sentences) > MAX_SENTENCES:
        raise Invalid(f"This scene plays at most {MAX_SENTENCES} lines.", pointer="/text", limit=MAX_SENTENCES)
    corpus = sentences[:-1] or sentences
    whole = _sentence_rows(sentences, len(corpus), {})
    lines = plural(len(corpus), "line")
    if len(sentences) > 1:
        start = say("words.steps.start", lines=lines)
    else:
        start = say("words.steps.whole", lines=lines)
    steps = [Step(start, whole)]
    counts: Mapping[str, int] = {}
    ids: dict[str, int] = {}
    selected = trace_lines(select_words(chain(*corpus), max_size=MAX_SIZE))
    for _, group in groupby(selected, key=lambda traced: _kind(traced[1])):
        alike = [*group]
        line, first = alike[-1]
        symbols = ("count",) if isinstance(first, WordFrequencies) else ("count", "known")
        if isinstance(first, WordFrequencies):
            counts = first.counts
            ids = {**first.vocabulary}
        ids |= {step.word: step.id for _, step in alike if isinstance(step, IncludedWord)}
        steps.append(
            Step(
                sentence=_says([step for _, step in alike]),
                rows=_sentence_rows(sentences, len(corpus), ids),
                line=line,
                table=_tabulate_words(counts, ids),
                facts=(_size(ids),),
                symbols=symbols,
            )
        )
    shown_at = len(steps) + len(sentences) - 1
    steps += _trace_lookups(sentences, ids)
    full = any(count > 1 and word not in ids for word, count in counts.items())
    rule = say("words.question.given-room", room=MAX_SIZE - len(SPECIAL)) if full else say("words.question.given")
    given = Step(rule, whole)
    return Trace(steps, _unknown_words(sentences, counts, ids, given, shown_at))


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
    times = plural(first.frequency, "time")
    words = [step for step in steps if not isinstance(step, WordFrequencies)]
    if isinstance(first, IncludedWord):
        tiles = [Tile(step.word, step.id - 2) for step in words if isinstance(step, IncludedWord)]
        if len(tiles) == 1:
            return say("words.steps.included", word=tiles[0], times=times, id=first.id)
        listed: list[str | Tile] = [tiles[0]]
        for tile in tiles[1:]:
            listed += [" ", tile]
        last = first.id + len(tiles) - 1
        return *listed, fill("words.steps.included-all", times=times, first=first.id, last=last)
    if len(words) == 1:
        return say("words.steps.excluded", word=first.word, times=times, reason=first.reason)
    named = join_names(f"“{step.word}”" for step in words[:MOST_LEFT_OUT])
    named += f" and {len(words) - MOST_LEFT_OUT} more" if len(words) > MOST_LEFT_OUT else ""
    return say("words.steps.excluded-all", words=named, times=times, reason=first.reason)


def _sentence_rows(sentences: Sentences, known: int, ids: Mapping[str, int]) -> tuple[TileRow, ...]:
    """Return the lines as rows; a word with an id has a colour of its own, all others have none."""
    rows = []
    for number, words in enumerate(sentences):
        tiles = tuple(_word_tile(word, ids.get(word, 0), at) for at, word in enumerate(words[:MAX_TILES]))
        left = max(0, len(words) - MAX_TILES)
        rows.append(TileRow(tiles, "corpus" if number < known else "new", left_out_after=left))
    return tuple(rows)


def _word_tile(word: str, id: int, at: int) -> Tile:
    """Return the tile of a word: coloured by its id after the two special tokens; these and other words are plain."""
    return Tile(word, id - 2, at) if id > 1 else Tile(word, 0, at, "rest")


def _tabulate_words(counts: Mapping[str, int], ids: Mapping[str, int]) -> Table:
    order = sorted(counts, key=lambda word: -counts[word])
    rows = tuple(
        Row((word, f"{counts[word]:,}", f"{ids[word]}" if word in ids else ""), chosen=word in ids)
        for word in order[:MOST_WORDS]
    )
    return Table("Words", ("word", "count", "id"), rows, max(0, len(order) - MOST_WORDS))


def _size(ids: Mapping[str, int]) -> Fact:
    return Fact("vocabulary", f"{len(ids)} of {MAX_SIZE}")


def _trace_lookups(sentences: Sentences, ids: Mapping[str, int]) -> list[Step]:
    """Return a step for each sentence with its ids, and one for the padding of all."""
    steps = list[Step]()
    batch = list[list[int]]()
    spelled = {id: word for word, id in ids.items()}
    rows = list[TileRow]()
    for number, words in enumerate(sentences, 1):
        traced = [*trace_lines(look_up(words, ids))]
        batch.append([step.id for _, step in traced])
        unknown = [step for _, step in traced if not step.known]
        if len(unknown) == 1:
            sentence = say("words.steps.one", number=number, words=plural(len(unknown), "word"), all=len(words))
        else:
            sentence = say("words.steps.unknown", number=number, words=plural(len(unknown), "word"), all=len(words))
        rows.append(_id_row([step for _, step in traced]))
        symbols = ("unknown",) if unknown else ("known",)
        steps.append(Step(sentence, tuple(rows), traced[-1][0], _tabulate_ids(ids), symbols=symbols))
    traced_rows = [*trace_lines(pad_rows(batch, longest=MAX_TILES))]
    padded = [step for _, step in traced_rows]
    longest = plural(len(padded[0].ids), "token")
    if cut := sum(step.cut for step in padded):
        sentence = say("words.steps.cut", longest=longest, cut=cut)
    elif any(0 in step.mask for step in padded):
        sentence = say("words.steps.pad", longest=longest)
    else:
        sentence = say("words.steps.full", longest=longest)
    filled = tuple(row for step in padded for row in _make_padded_rows(step, spelled))
    columns = ((1,) * len(padded[0].ids),) * len(filled)
    return [*steps, Step(sentence, filled, traced_rows[-1][0], symbols=("mask",), columns=columns)]


def _id_row(steps: Sequence[LookedUp]) -> TileRow:
    tiles = tuple(
        _word_tile(step.word if step.known else "[UNK]", step.id, at) for at, step in enumerate(steps[:MAX_TILES])
    )
    return TileRow(tiles, left_out_after=max(0, len(steps) - MAX_TILES))


def _tabulate_ids(ids: Mapping[str, int]) -> Table:
    return Table("Vocabulary", ("token", "id"), tuple(Row((token, f"{id}")) for token, id in ids.items()))


def _make_padded_rows(step: Padded, spelled: Mapping[int, str]) -> tuple[TileRow, TileRow]:
    tiles = tuple(_word_tile(spelled[id], id, at) for at, id in enumerate(step.ids))
    mask = tuple(Tile(f"{on}", 0, at, "rest") for at, on in enumerate(step.mask))
    return TileRow(tiles, "tokens"), TileRow(mask, "mask")


def _unknown_words(
    sentences: Sentences, counts: Mapping[str, int], ids: Mapping[str, int], given: Step, shown_at: int
) -> Question:
    last = sentences[-1]
    unknown = [word for word in last if word not in ids]
    new = [word for word in last if word not in counts]
    reason = fill("words.question.none")
    if unknown:
        words = plural(len(last), "word")
        reason = fill("words.question.reason", unknown=len(unknown), words=words, which=", ".join(unknown[:MOST_WORDS]))
    return ask(
        "words.question",
        len(unknown),
        [
            (len(new), "rare"),
            ("0", "closed"),
            (len(last), "all"),
        ],
        given=given,
        because=reason,
        shown_at=shown_at,
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
    ids = byte_level.encode(text).ids.tolist()
    unknown_ids = whole_words.encode(text).ids.tolist()
    starts = _starts(byte_level, text)
    first = tuple(
        Tile(spell(byte_level.entry(id).raw), start, at) for at, (id, start) in enumerate(zip(ids, starts, strict=True))
    )
    whole = (_clip_row(_utf8(text), "bytes"), _clip_row(first, "GPT-2"))
    sentence = fill("byte-fallback.steps.merged", tokens=plural(len(ids), "token"))
    steps = [Step(say("byte-fallback.steps.start"), whole[:1]), Step((sentence,), whole)]
    fallback = _fallback(text, registry, whole)
    rows = fallback[-1].rows
    tokens = len(fallback[-1].rows[-1].tiles) + fallback[-1].rows[-1].left_out_after
    starts = _starts(whole_words, text)
    lost = tuple(
        _piece(whole_words.entry(id), start, at) for at, (id, start) in enumerate(zip(unknown_ids, starts, strict=True))
    )
    shown_at = len(steps) + len(fallback) - 1
    count = sum(tile.mark == "unknown" for tile in lost)
    sentence = fill("byte-fallback.steps.lost", tokens=plural(count, "unknown token"))
    sentence = sentence if count else fill("byte-fallback.steps.known")
    steps += [*fallback, Step((sentence,), (*rows, _clip_row(lost, "T5")))]
    stream = Step(say("byte-fallback.steps.stream"), (whole[1],))
    streamed = _trace_stream([byte_level.entry(id) for id in ids], first)
    steps = [*steps[: MAX_STEPS - MOST_STREAMED - 2], stream, *streamed]
    given = _known_parts(text, registry)
    steps = [replace(step, table=given.table) for step in steps]
    return distinguish(Trace(steps, _fallback_tokens(text, tokens, len(ids), given, shown_at)))


def _clip_row(tiles: Sequence[Tile], label: str) -> TileRow:
    return TileRow(tuple(tiles[:MAX_TILES]), label, left_out_after=max(0, len(tiles) - MAX_TILES))


def _utf8(text: str) -> list[Tile]:
    return [Tile(f"{byte:02x}", at, at) for at, char in enumerate(text) for byte in char.encode()]


def _starts(tokenizer: Tokenizer, text: str) -> Sequence[int]:
    """Return where in the text each token begins: what colours it in all rows."""
    starts: list[int] = tokenizer.encode(text).char_starts.tolist()
    return starts


def _piece(entry: VocabEntry, start: int, at: int) -> Tile:
    return Tile(entry.piece, start, at, "unknown" if entry.kind == "unknown" else "")


def _known_parts(text: str, registry: Registry) -> Step:
    """Return which parts of a text Mistral's vocabulary has, and the bytes of the others."""
    tokenizer = registry.get(FALLBACK, "scratch")
    assert isinstance(tokenizer, Traced)
    trace = tokenizer.trace(text)
    places = iter(_starts(tokenizer, text))
    rows = dict[tuple[int, int, int], Row]()
    for number, word in enumerate(trace.words):
        for id, start, end in word.segmentation.tokens:
            part = str(word.segmentation.symbols[start:end])
            missing = plural(len(part.encode()), "byte")
            known = (
                fill("byte-fallback.question.missing", bytes=missing) if id in trace.byte_ids else "in the vocabulary"
            )
            rows[number, start, end] = Row(((Tile(part, next(places, 0)),), known))
    table = Table("Parts of the text for Mistral 7B", ("part", ""), tuple(rows.values())[:MOST_WORDS])
    characters = [Tile(char, at, at) for at, char in enumerate(text)]
    return Step(say("byte-fallback.question.given"), (_clip_row(characters, ""),), table=table)


def _fallback(text: str, registry: Registry, above: tuple[TileRow, ...]) -> list[Step]:
    """Return a step for each character that Mistral's vocabulary lacks, and one with all tokens at the end."""
    tokenizer = registry.get(FALLBACK, "scratch")
    assert isinstance(tokenizer, Traced)
    trace = tokenizer.trace(text)
    pieces = [
        str(word.segmentation.symbols[start:end])
        for word in trace.words
        for start, end in dict.fromkeys((start, end) for _, start, end in word.segmentation.tokens)
    ]
    starts = _starts(tokenizer, text)
    steps = list[Step]()
    tiles = list[Tile]()
    pending = ""
    for line, step in trace_lines(fall_back(pieces, trace.ids, trace.byte_ids)):
        if isinstance(step, KnownPiece):
            tiles.append(Tile(step.piece, starts[len(tiles)], len(tiles)))
            continue
        tiles.append(Tile(f"{step.byte:02x}", starts[len(tiles)], len(tiles), "byte"))
        pending += f"{step.byte:02x}"
        if len(pending) == 2 * len(step.piece.encode()):
            rows = (*above, _clip_row(tiles, "Mistral 7B"))
            sentence = say(
                "byte-fallback.steps.bytes",
                character=Tile(step.piece, starts[len(tiles) - 1]),
                tokens=plural(len(pending) // 2, "token"),
            )
            steps.append(Step(sentence, rows, line, symbols=("bytes",)))
            pending = ""
    last = say("byte-fallback.steps.last", tokens=plural(len(tiles), "token"))
    symbols = ("known",)
    return [*steps, Step(last, (*above, _clip_row(tiles, "Mistral 7B")), line, symbols=symbols)]


def _trace_stream(entries: Sequence[VocabEntry], tiles: Sequence[Tile]) -> list[Step]:
    """Return the steps in which GPT-2's tokens come one by one, as a model writes them, in the colours of its tiles."""
    steps = list[Step]()
    shown = ""
    halves = 0
    traced = trace_lines(iter_text(entry.raw for entry in entries[:MOST_STREAMED]))
    for (line, step), tile in zip(traced, tiles, strict=False):
        shown += step.text
        token = replace(tile, at=0, mark="new")
        if not step.text:
            sentence = say("byte-fallback.steps.half", token=token)
        elif halves:
            sentence = say("byte-fallback.steps.complete", token=token)
        else:
            sentence = say("byte-fallback.steps.whole", token=token)
        halves = 0 if step.text else halves + 1
        rows = (TileRow((token,), "token"), TileRow((Tile(shown or " ", tiles[0].key),), "on screen"))
        waiting = (Tile(spell(step.waiting), tile.key, 0, "rest"),) if step.waiting else ()
        steps.append(Step(sentence, (*rows, TileRow(waiting, "waiting")), line))
    return steps


def _fallback_tokens(text: str, tokens: int, byte_level: int, given: Step, shown_at: int) -> Question:
    size = len(text.encode())
    wrong = [
        (byte_level, "merged"),
        (len(text), "characters"),
        (size, "bytes"),
    ]
    if given.table:
        parts = len(given.table.rows)
        wrong.append((parts, "single"))
    return ask("byte-fallback.question", tokens, wrong, given=given, shown_at=shown_at, tokens=plural(tokens, "token"))


def sample_rare_character(random: Random) -> str:
    """Return a word with a character that few vocabularies have."""
    word = random.choice(("Hello", "tea", "good", "naïve", "I see", "look", "my", "one", "the sea", "yes"))
    return f"{word} {random.choice(SIGNS + 'ꙮ𓀀𝕳☃')}{random.choice(('', '!', ' ok', '?', ' now'))}"
