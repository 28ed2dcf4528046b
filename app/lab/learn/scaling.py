"""Scenes about training on a large corpus: the index of pairs, counts in chunks, and what a book teaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.bpe import encode
from ...scratch.chunked_counts import END_OF_TEXT, ChunkCounts, CutChunks, count_in_chunks, cut_evenly, move_cuts
from ...scratch.incremental_bpe import Indexed, MergedWords, Stale, learn_by_index
from ...scratch.pretokenize import GPT2, pretokenize
from ...scratch.vocabulary_size import grow_vocabulary
from ...settings import Settings
from ..steps.learning import is_table
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, make_row, percent, spell
from .at_scale import BYTES, SIZE, SIZES, LearnedBook, RowUse, learn_book, load_figures
from .code import trace_lines
from .colours import distinguish
from .merging import END, corpus, corpus_rows
from .prose import LONG_WORDS, SHORT_WORDS, count_times, say
from .scene import Question, Trace, ask
from .sizes import LLAMA2_7B, build_row

MERGES = 6
"""Merges that the scene of the index shows."""
MOST_ENTRIES = 8
"""Entries of the heap that its table shows."""
PARTS = 3
"""Workers of the scene of chunks."""
MOST_WORDS = 10
"""Words that a table of counts shows."""
LISTED = 10
"""Merges of a book in a table."""


def trace_index(text: str, registry: Registry) -> Trace:
    """Trace the training of BPE by an index of pairs and a heap, and count the pairs that are looked at."""
    words = corpus(text)
    spelled = [(*word, END) if is_table(text) else tuple(word) for word in words]
    vocabulary = sorted({symbol for word in spelled for symbol in word})
    labels = [f"×{count}" for count in words.values()]
    ids = [[vocabulary.index(symbol) for symbol in word] for word in spelled]
    steps: list[Step] = []
    looked = recounted = merges = 0
    question: Question | None = None
    tables = Indexed([], Counter(), {}, [], 0)
    for line, step in trace_lines(learn_by_index(ids, [*words.values()])):
        new = -1
        if isinstance(step, Indexed):
            tables = step
            looked, more = step.looked, ""
            sentence = say("pair-index.steps.start", words=plural(len(ids), "word"), pairs=plural(looked, "pair"))
        elif isinstance(step, Stale):
            key = "stale" if step.frequency else "gone"
            pair = _tiles(step.pair, vocabulary)
            said = count_times(step.said)
            sentence = say(f"pair-index.steps.{key}", first=pair[0], second=pair[1], said=said, count=step.frequency)
            more = ""
        else:
            pair = _tiles(step.pair, vocabulary)
            question = question or _ask_changed(step, pair, words, steps[0])
            new = len(vocabulary)
            vocabulary.append(pair[0].text + pair[1].text)
            looked, more = looked + step.looked, f"+{step.looked}"
            changed = plural(len(step.changed), "word")
            made = Tile(vocabulary[new], new, mark="new")
            sentence = say("pair-index.steps.merge", new=made, changed=changed, words=len(ids), looked=step.looked)
            merges += 1
        again = sum(len(word) - 1 for word in tables.words) if new >= 0 or not steps else 0
        recounted += again
        facts = (
            Fact("pairs looked at", f"{looked}", more),
            Fact("if all were counted again", f"{recounted}", f"+{again}" if new >= 0 else ""),
        )
        rows = corpus_rows(tables.words, vocabulary, labels, new)
        steps.append(Step(sentence, rows, line, _tabulate_heap(tables, vocabulary), facts))
        if merges == MERGES:
            break
    end = say("pair-index.steps.end", looked=looked, recounted=recounted)
    steps.append(Step(end, steps[-1].rows, ("", 0), steps[-1].table, steps[-1].facts))
    return distinguish(Trace(steps, question))


def _tiles(pair: tuple[int, int], vocabulary: Sequence[str]) -> tuple[Tile, Tile]:
    first, second = pair
    return Tile(vocabulary[first], first), Tile(vocabulary[second], second)


def _tabulate_heap(tables: Indexed, vocabulary: Sequence[str]) -> Table:
    """Return the best entries of the heap, beside what the index of pairs says; stale ones are struck."""
    rows: list[Row] = []
    for less, pair in sorted(tables.heap)[:MOST_ENTRIES]:
        count = tables.pairs[pair]
        first, second = (replace(tile, mark="" if count == -less else "rest") for tile in _tiles(pair, vocabulary))
        cells = ((first, " ", second), f"{-less}", f"{count}", f"{len(tables.where[pair])}")
        rows.append(Row(cells, chosen=not rows and count == -less, struck=count != -less))
    left_out = len(tables.heap) - len(rows)
    return tabulate("Top of the heap", ("pair", "heap says", "count now", "in words"), rows, left_out=left_out)


def _ask_changed(step: MergedWords, pair: tuple[Tile, Tile], words: Mapping[str, int], start: Step) -> Question | None:
    """Return the question how many words the first merge changes; None if there is but one answer."""
    changed = len(step.changed)
    wrong = [(len(words), "all"), (step.frequency, "count"), (1, "one")]
    if {number for number, _ in wrong} == {changed}:
        return None
    first, second = pair
    count = count_times(step.frequency)
    return ask("pair-index.question", changed, wrong, start.rows, first=first, second=second, count=count)


def sample_counted_words(random: Random) -> str:
    """Return words with counts that share their beginnings and ends."""
    stems = random.sample(SHORT_WORDS, 4)
    ends = random.sample(("er", "ing", "s", "ed", "est"), 2)
    return "\n".join(f"{stem}{end} {random.randint(1, 9)}" for stem in stems for end in ("", *ends))


def trace_chunks(text: str, registry: Registry) -> Trace:
    """Trace the counts of a text in chunks: cut evenly, and then where a document ends."""
    whole = _count(text, ())
    even = cut_evenly(text, PARTS)
    wrong = _count(text, even)
    moved = move_cuts(text, even)
    start = say("count-chunks.steps.start", documents=plural(text.count(END_OF_TEXT) + 1, "document"))
    steps = [Step(start, (_mark_borders(text, "text"),), table=_tabulate_counts("The whole", {"count": whole}))]
    rows = _chunk_rows(text, even)
    differing = [word for word in whole | wrong if whole[word] != wrong[word]]
    key = "uneven" if differing else "lucky"
    cut = say(f"count-chunks.steps.{key}")
    counts = {"whole": Counter({word: whole[word] for word in differing}), "chunks": wrong}
    steps.append(Step(cut, rows, table=_tabulate_counts("Counts that differ", counts, known=whole)))
    pieces: Sequence[str] = ()
    total = Counter[str]()
    for line, step in trace_lines(count_in_chunks(text, moved, _split)):
        if isinstance(step, CutChunks):
            pieces = step.chunks
            sentence = say("count-chunks.steps.cut", chunks=plural(len(pieces), "chunk"))
            steps.append(Step(sentence, _chunk_rows(text, moved), line, steps[0].table))
        else:
            sentence = say(
                "count-chunks.steps.count", number=step.number + 1, words=plural(step.counts.total(), "word")
            )
            here = (_mark_borders(pieces[step.number], f"chunk {step.number + 1}"),)
            table = _tabulate_counts("Counts", {"chunk": step.counts, "sum": step.total})
            steps.append(Step(sentence, here, line, table))
            total = step.total
    key = "same" if total == whole else "differs"
    end = say(f"count-chunks.steps.{key}")
    table = _tabulate_counts("Counts", {"whole": whole, "sum": total})
    steps.append(Step(end, _chunk_rows(text, moved), table=table))
    lost = next((word for word in differing if whole[word] > wrong[word]), None)
    return distinguish(Trace(steps, None if lost is None else _ask_count(lost, whole, wrong, rows)))


def _split(text: str) -> Iterator[str]:
    return (word for _, word in pretokenize(text, GPT2))


def _count(text: str, cuts: Iterable[int]) -> Counter[str]:
    """Return the words of a text that is counted in chunks."""
    total = Counter[str]()
    for step in count_in_chunks(text, cuts, _split):
        if isinstance(step, ChunkCounts):
            total = step.total
    return total


def _tile(word: str) -> Tile:
    return Tile(spell(word), NO_ID)


def _mark_borders(text: str, label: str) -> TileRow:
    """Return a text as its documents, with the special tokens between them."""
    tiles: list[Tile] = []
    for number, document in enumerate(text.split(END_OF_TEXT)):
        tiles += [Tile(END_OF_TEXT, NO_ID + 1, mark="special")] if number else []
        tiles += [Tile(document, NO_ID)] if document else []
    return make_row(tiles, label)


def _chunk_rows(text: str, cuts: Sequence[int]) -> tuple[TileRow, ...]:
    chunks = next(step.chunks for step in count_in_chunks(text, cuts, _split) if isinstance(step, CutChunks))
    return tuple(_mark_borders(chunk, f"chunk {number}") for number, chunk in enumerate(chunks, 1))


def _tabulate_counts(title: str, counts: Mapping[str, Counter[str]], known: Collection[str] | None = None) -> Table:
    """Return the words of the first counts, the most frequent first, in all counts; those not `known` are struck."""
    first = next(iter(counts.values()))
    rows = []
    for word in sorted(first, key=first.__getitem__, reverse=True):
        struck = known is not None and word not in known
        tile = replace(_tile(word), mark="rest" if struck else "")
        rows.append(Row(((tile,), *(f"{one[word]}" for one in counts.values())), struck=struck))
    return tabulate(title, ("word", *counts), rows, most=MOST_WORDS)


def _ask_count(word: str, whole: Counter[str], wrong: Counter[str], rows: tuple[TileRow, ...]) -> Question:
    """Return the question how often a word is counted that an even cut has halved."""
    right, all = wrong[word], whole[word]
    offered = [(all, "uncut"), (all + 1, "halves"), (0, "all")]
    return ask("count-chunks.question", right, offered, rows, word=_tile(word), all=count_times(all))


def sample_documents(random: Random) -> str:
    """Return three documents of a few words, some of them several times."""
    words = random.sample([word for word in SHORT_WORDS if len(word) > 4], 3)
    return END_OF_TEXT.join(" ".join(random.choices(words, k=random.randint(3, 5))) for _ in range(PARTS))


def trace_book(text: str, registry: Registry) -> Trace:
    """Trace what BPE learns from a book: its merges, the rows that it uses, and what the vocabulary makes of a text."""
    store = Settings().store
    book, figures = learn_book(store), load_figures(store)
    words, different, size = (f"{number:,}" for number in (book.words, book.different, book.byte_length))
    start = say("real-corpus.steps.start", bytes=size, words=words, different=different)
    steps = [Step(start, (build_row([text]),))]
    for key, first in (("first", 0), ("middle", len(book.tokens) // 2), ("last", len(book.tokens) - LISTED)):
        table = _list_tokens(book, first)
        count = plural(book.counts[first], "time")
        steps.append(Step(say(f"real-corpus.steps.{key}", count=count), steps[0].rows, table=table))
    ranks = book.ranks
    parts = [word.encode() for word in _split(text)]

    def cut(_: str, size: int) -> Sequence[str]:
        known = {token: rank for token, rank in ranks.items() if rank < size}
        return [spell(token) for word in parts for token in encode(word, known)]

    lengths: list[int] = []
    for line, step in trace_lines(grow_vocabulary(text, SIZES, cut, (LLAMA2_7B,))):
        lengths.append(len(step.tokens))
        use = book.uses[len(lengths) - 1]
        tokens = plural(len(step.tokens), "token")
        sentence = say("real-corpus.steps.size", size=f"{step.size:,}", tokens=tokens, rare=f"{use.rare:,}")
        table = tabulate_uses(book.uses[: len(lengths)], book.byte_length, "The book by its own vocabulary")
        steps.append(Step(sentence, (build_row(step.tokens),), line, table))
    share = percent(figures.uses[-1].share)
    table = tabulate_uses(figures.uses, book.byte_length, "The book by larger vocabularies")
    steps.append(Step(say("real-corpus.steps.models", share=share), steps[-1].rows, table=table))
    return distinguish(Trace(steps, _ask_tokens(text, parts, lengths, len(steps) - 2)))


def _list_tokens(book: LearnedBook, first: int) -> Table:
    """Return ten tokens in the order in which they were learned."""
    rows = [
        (f"{rank - BYTES + 1:,}", (Tile(spell(book.tokens[rank - BYTES]), rank),), f"{book.counts[rank - BYTES]:,}")
        for rank in range(BYTES + first, BYTES + first + LISTED)
    ]
    return tabulate("Learned from the book", ("merge", "token", "its pair occurred"), rows)


def tabulate_uses(uses: Iterable[RowUse], size: int, title: str) -> Table:
    """Return what vocabularies make of a book of a size in bytes, a row each."""
    heads = ("vocabulary", "rows", "bytes a token", "seen < 100 times", "output")
    rows = [
        (one.name, f"{one.size:,}", f"{size / one.tokens:.2f}", f"{one.rare:,}", f"{100 * one.share:.2f} %")
        for one in uses
    ]
    return tabulate(title, heads, rows)


def _ask_tokens(text: str, words: Sequence[bytes], lengths: Sequence[int], shown_at: int) -> Question | None:
    """Return the question how many tokens the largest vocabulary makes of the text; None if there is but one answer."""
    wrong = [(len(words), "words"), (lengths[0], "small"), (len(text.encode()), "bytes")]
    if {number for number, _ in wrong} == {lengths[-1]}:
        return None
    given = Step(say("real-corpus.question.given"), (build_row([text]),))
    return ask("real-corpus.question", lengths[-1], wrong, given=given, shown_at=shown_at, size=f"{SIZE:,}")


def sample_sea_text(random: Random) -> str:
    """Return words of a book of the sea, and two that it may not have."""
    words = random.sample(("whale", "captain", "harpoon", "deck", "sea", "ship", "boat", "oil", "mast"), 3)
    words += random.sample(LONG_WORDS, 2)
    random.shuffle(words)
    return " ".join(words)
