"""Scenes about what a vocabulary lacks: unknown words, and characters that fall back to bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

from ...errors import Invalid
from ...scratch.learn_words import Counted, Kept, LeftOut, LookedUp, counting, looking_up
from ...scratch.padding import Padded, padding
from ...scratch.words import split
from ..steps.frames import Fact, Row, Tile
from ..steps.tiles import MAX_TILES, NO_ID, percent, plural
from .code import lit
from .scene import MAX_MOMENTS, Claim, Moment, Play, Question, Scene, Table, TableRow, Words, choices

if TYPE_CHECKING:
    from ...registry import Registry

# 3. Words and the unknown

MAX_SIZE = 12
"""Tokens of the vocabulary, the two special ones among them."""
MAX_SENTENCES = 6
MOST_WORDS = 12
"""Words that the table of counts shows."""
MOST_LEFT_OUT = 4
"""Words without an id that have a moment of their own."""
Sentences = Sequence[Sequence[str]]


def counts_words(text: str, registry: Registry) -> Play:
    """Play a vocabulary counted from all lines but the last, and then the ids, the padding and the mask of each."""
    sentences = [[word for _, word in split(line) if word.strip()] for line in text.lower().splitlines()]
    sentences = [words for words in sentences if words]
    if len(sentences) > MAX_SENTENCES:
        raise Invalid(f"This scene plays at most {MAX_SENTENCES} lines.", pointer="/text", limit=MAX_SENTENCES)
    corpus = sentences[:-1] or sentences
    whole = _sentence_rows(sentences, len(corpus))
    learned = "The last line is not among them." if len(sentences) > 1 else "It is all there is to count."
    moments = [Moment((f"The corpus: {plural(len(corpus), 'line')}. {learned}",), whole)]
    counts: Mapping[str, int] = {}
    ids: dict[str, int] = {}
    left_out = 0
    for line, step in lit("learn_words.counting", counting(chain(*corpus), max_size=MAX_SIZE)):
        symbols = frozenset({"count"} if isinstance(step, Counted) else {"count", "known"})
        if isinstance(step, Counted):
            counts, ids = step.counts, {**step.vocabulary}
        elif isinstance(step, Kept):
            ids[step.word] = step.id
        else:
            left_out += 1
        if left_out <= MOST_LEFT_OUT:
            moments.append(Moment(_says(step), whole, line, _kept(counts, ids), (_size(ids),), symbols))
    moments += _looked_up(sentences, ids)
    return Play(moments[:MAX_MOMENTS], _unknown_words(sentences, counts, ids))


def _says(step: Counted | Kept | LeftOut) -> Words:
    if isinstance(step, Counted):
        return ("Each word is counted. The special tokens take the first ids.",)
    times = f" occurs {plural(step.frequency, 'time')}: "
    if isinstance(step, Kept):
        return Tile(step.word, step.id), f"{times}it gets the id {step.id}."
    return Tile(step.word, NO_ID), f"{times}{step.reason}."


def _sentence_rows(sentences: Sentences, known: int) -> tuple[Row, ...]:
    rows = []
    for number, words in enumerate(sentences):
        tiles = tuple(Tile(word, NO_ID + sum(map(ord, word)), at) for at, word in enumerate(words[:MAX_TILES]))
        left = max(0, len(words) - MAX_TILES)
        rows.append(Row(tiles, "corpus" if number < known else "new", left_out_after=left))
    return tuple(rows)


def _kept(counts: Mapping[str, int], ids: Mapping[str, int]) -> Table:
    order = sorted(counts, key=lambda word: -counts[word])
    rows = tuple(
        TableRow((word, f"{counts[word]:,}", f"{ids[word]}" if word in ids else ""), chosen=word in ids)
        for word in order[:MOST_WORDS]
    )
    return Table("Words", ("word", "count", "id"), rows, max(0, len(order) - MOST_WORDS))


def _size(ids: Mapping[str, int]) -> Fact:
    return Fact("vocabulary", f"{len(ids)} of {MAX_SIZE}")


def _looked_up(sentences: Sentences, ids: Mapping[str, int]) -> list[Moment]:
    """Return a moment for each sentence with its ids, and one for each with its padding."""
    moments, batch = list[Moment](), list[list[int]]()
    spelled = {id: word for word, id in ids.items()}
    rows = list[Row]()
    for words in sentences:
        steps = [*lit("learn_words.looking_up", looking_up(words, ids))]
        batch.append([step.id for _, step in steps])
        unknown = [step for _, step in steps if not step.known]
        names = f"{plural(len(unknown), 'word')} of {len(words)} " + ("is" if len(unknown) == 1 else "are")
        rows.append(_id_row([step for _, step in steps]))
        symbols = frozenset({"unknown"} if unknown else {"known"})
        moments.append(Moment((f"{names} unknown.",), tuple(rows), steps[-1][0], _kept_ids(ids), symbols=symbols))
    padded = list[Row]()
    for line, step in lit("padding.padding", padding(batch, longest=MAX_TILES)):
        padded += _padded_rows(step, spelled)
        filled = plural(step.mask.count(0), "position")
        says = f"{filled.capitalize()} of [PAD]: mask 0." if 0 in step.mask else "Nothing to fill: the mask is 1."
        if step.cut:
            says = f"Cut off after {len(step.ids)} ids; {step.cut} are lost."
        moments.append(Moment((says,), tuple(padded), line, symbols=frozenset({"mask"})))
    return moments


def _id_row(steps: Sequence[LookedUp]) -> Row:
    tiles = tuple(
        Tile(step.word if step.known else "[UNK]", step.id, at, "" if step.known else "unknown")
        for at, step in enumerate(steps[:MAX_TILES])
    )
    return Row(tiles, left_out_after=max(0, len(steps) - MAX_TILES))


def _kept_ids(ids: Mapping[str, int]) -> Table:
    return Table("Vocabulary", ("token", "id"), tuple(TableRow((token, f"{id}")) for token, id in ids.items()))


def _padded_rows(step: Padded, spelled: Mapping[int, str]) -> tuple[Row, Row]:
    tiles = tuple(
        Tile(spelled[id], id, at, "special" if not on else "unknown" if spelled[id] == "[UNK]" else "")
        for at, (id, on) in enumerate(zip(step.ids, step.mask, strict=True))
    )
    mask = tuple(Tile(f"{on}", on, at) for at, on in enumerate(step.mask))
    return Row(tiles, "tokens"), Row(mask, "mask")


def _unknown_words(sentences: Sentences, counts: Mapping[str, int], ids: Mapping[str, int]) -> Question:
    last = sentences[-1]
    unknown = [word for word in last if word not in ids]
    new = [word for word in last if word not in counts]
    share = percent(len(unknown) / len(last)) if unknown else "none"
    reason = f"{len(unknown)} of its {plural(len(last), 'word')} ({share}) did not get an id."
    rare = "So many words never occurred. A word that occurred only once, or found no room, has no id either."
    wrong = [
        ((f"{len(new)}",), rare),
        (("0",), "A vocabulary of words is closed: what it does not have stays unknown."),
        ((f"{len(last)}",), "Those are all its words; some of them are in the vocabulary."),
        ((f"{len(unknown) + 1}",), "One less: see the table of counts."),
    ]
    asks = "How many words of the last line become [UNK]?"
    return Question((asks,), choices((f"{len(unknown)}",), reason, wrong))


NOUNS = ("cat", "dog", "bird", "fish", "horse", "fox")
VERBS = ("sat", "ran", "slept", "sang")


def sample_sentences(random: Random) -> str:
    """Return four sentences of few words."""
    lines = [
        f"the {random.choice(NOUNS)} {random.choice(VERBS)} and the {random.choice(NOUNS)} {random.choice(VERBS)}"
        for _ in range(3)
    ]
    return "\n".join([*lines, f"a {random.choice(NOUNS)} and the {random.choice(NOUNS)} {random.choice(VERBS)}"])


WORDS = Scene(
    "words",
    "Words and the unknown",
    Claim("A vocabulary of words is counted once and then closed. Every other word becomes the same [UNK]."),
    (
        Claim(
            "Translation models had 30,000 to 50,000 words. Names, compounds and rare forms were all unknown.",
            "source",
            "sennrich-2016",
            "section 1",
        ),
        Claim(
            "A batch is a rectangle: short lines are filled with [PAD], and attention gives no weight where the mask "
            "is 0.",
            "convention",
        ),
    ),
    "the cat sat on the mat\nthe dog sat on the log\na cat and a dog\nthe bird sang on a mat today",
    "A corpus, and a new sentence on the last line",
    counts_words,
    (
        ("I walk and walk\nI walked and you walked\nwe walk, walking", "Forms of a word are different words to it."),
        ("我喜欢猫\n我喜欢猫和狗\n我喜欢狗", "Without spaces, a whole sentence is one word, and hardly ever the same."),
    ),
    ("learn_words.counting", "learn_words.looking_up", "padding.padding"),
    sample_sentences,
    needs=("bytes",),
    opens=(("Playground", "/?tokenizer=words"), ("Tokenizers", "/tokenizers")),
    equation=True,
    rows=4,
)
