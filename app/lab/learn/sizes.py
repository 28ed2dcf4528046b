"""Scenes about the size and the quality of a vocabulary: how large, how to judge it, and whether to extend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from ...scratch.extending import add_merges, add_tokens
from ...scratch.fast.bpe.encode import merge
from ...scratch.fast.bpe.train import train_bpe
from ...scratch.fast.word_counts import count_text_words
from ...scratch.measures import Measurement, iter_measures
from ...scratch.pretokenize import GPT2, pretokenize
from ...scratch.vocabulary_size import (
    ModelDimensions,
    Sized,
    attention_operations,
    cache_bytes,
    embedding_parameters,
    estimate_sizes,
    grow_vocabulary,
)
from ...settings import Settings
from ...types import Tokenizer, TrainedVocab
from ..charts import Scale, draw_path
from ..languages.declarations import declarations
from ..steps.drawing import Drawing, Label, Stroke
from ..steps.patterns import expression
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, character_row, make_row, percent, spell, visible
from .code import trace_lines
from .plots import Axes
from .prose import PHRASES, fill, sample_word, say
from .scene import Question, Trace, ask
from .size_trend import trace_trend
from .texts import token_row, trace_text

SIZES = (*(256 << doubled for doubled in range(9)), 199_998)
"""256, 512 and so on to 65,536, and all merges of GPT-4o."""
LABELLED = (256, 1024, 4096, 16_384, 65_536, 199_998)
"""Sizes whose numbers have room below the curve."""
SMALL = 256
MIDDLE = 4096
LARGE = 65_536
GPT2_SMALL = ModelDimensions(768, 85_842_432, tied=True)
LLAMA2_7B = ModelDimensions(4096, 6_476_271_616)
CORPUS = ("eng", "fra", "deu_1996", "spa", "rus", "arb", "hin", "jpn")
"""Languages of the corpus that the scene trains on: 66,000 characters, so that it takes a fifth of a second, once."""
LAYERS = 32
"""Layers of Llama 2 7B, all of whose heads have keys and values of their own."""
ESTIMATED = (
    ("85 M", GPT2_SMALL),
    ("7 B", ModelDimensions(4096, 7e9)),
    ("70 B", ModelDimensions(8192, 70e9)),
    ("300 B", ModelDimensions(16_384, 300e9)),
)


def trace_vocabulary_size(text: str, registry: Registry) -> Trace:
    """Trace a text through the first merges of GPT-4o, more and more of them, and through those learned on the spot."""
    encode = _first_merges(text, trace_text(registry, "o200k_base", "").ids, expression("o200k"))
    learned = _learn_ranks()
    encode_learned = _first_merges(text, learned, GPT2)
    start = say("vocabulary-size.steps.start", bytes=plural(len(text.encode()), "byte"))
    steps = [Step(start, (build_row([text]),))]
    sizes: list[Sized] = []
    here: list[str] = []
    for line, step in trace_lines(grow_vocabulary(text, SIZES, encode, (GPT2_SMALL, LLAMA2_7B))):
        sizes.append(step)
        here.append(f"{len(encode_learned(text, step.size))}" if step.size <= len(learned) else "–")
        tokens = plural(len(step.tokens), "token")
        sentence = say("vocabulary-size.steps.size", size=f"{step.size:,}", tokens=tokens)
        symbols = ("size", "share") if len(sizes) > 1 else ("size",)
        table, rows = _sizes(sizes, here), (build_row(step.tokens),)
        steps.append(Step(sentence, rows, line, table, _length(step), symbols, _curve(sizes)))
    steps += trace_trend(registry)
    steps.append(replace(_trace_estimates(), figure=steps[-1].figure))
    figure = _curve([step for step in sizes if step.size <= MIDDLE])
    given = Step(say("vocabulary-size.question.given"), (build_row([text]),), figure=figure)
    return Trace(steps, _again({step.size: len(step.tokens) for step in sizes}, given))


def _trace_estimates() -> Step:
    *_, (line, _) = traced = [*trace_lines(estimate_sizes(model for _, model in ESTIMATED))]
    rows = [
        (name, *(f"{size / 1000:,.0f}k" for size in estimate[1:]))
        for (name, _), (_, estimate) in zip(ESTIMATED, traced, strict=True)
    ]
    heads = ("other parameters", "by IsoFLOPs", "by derivative", "by fit of the loss")
    table = tabulate("The best size of the vocabulary, as estimated", heads, rows)
    return Step(say("vocabulary-size.steps.estimates"), (), line, table, symbols=("best",))


def _first_merges(text: str, ranks: Mapping[bytes, int], pattern: str) -> Callable[[str, int], Sequence[str]]:
    """Return a function that encodes the text with the first tokens of a vocabulary.

    Merges stand in the order of training, so the first of them are what a training that ended there would have given.
    """
    words = [word.encode() for _, word in pretokenize(text, pattern)]
    parts = {word[start:end] for word in {*words} for start in range(len(word)) for end in range(start + 1, start + 33)}
    known = {part: ranks[part] for part in parts if part in ranks}

    def encode(_: str, size: int) -> Sequence[str]:
        first = {part: rank for part, rank in known.items() if rank < size}
        return [spell(token) for word in words for token in merge(word, first)]

    return encode


@cache
def _learn_ranks() -> Mapping[bytes, int]:
    """Return the ranks of BPE, trained here on the declaration in some languages until no pair occurs twice."""
    return train_ranks(corpus())


def corpus() -> list[str]:
    """Return the declaration in some languages."""
    known = declarations(Settings().store)
    return [known[code].text for code in CORPUS]


def train_ranks(texts: Iterable[str], *, pattern: str = GPT2) -> Mapping[bytes, int]:
    """Return the ranks of BPE, trained on texts until no pair occurs twice; without a pattern, across their spaces.

    >>> [token for token, rank in train_ranks(["abcab"], pattern="").items() if rank > 255]
    [b'ab']
    """
    *_, vocabulary = train_bpe(count_text_words(texts, pattern=pattern, trusted=True), size=LARGE)
    assert isinstance(vocabulary, TrainedVocab)
    return read_ranks(vocabulary)


def read_ranks(vocabulary: TrainedVocab) -> Mapping[bytes, int]:
    """Return the tokens of a vocabulary of bytes with their ids, which are their ranks."""
    byte_of = {char: byte for byte, char in enumerate(byte_alphabet())}
    return {bytes(byte_of[char] for char in piece): id for id, piece in enumerate(vocabulary.pieces)}


def build_row(tokens: Sequence[str], label: str = "") -> TileRow:
    """Return tokens as a row, equal ones in the same colour."""
    keys = {token: NO_ID + number for number, token in enumerate(dict.fromkeys(tokens))}
    return make_row((Tile(token, keys[token]) for token in tokens), label)


def _sizes(sizes: Sequence[Sized], here: Sequence[str]) -> Table:
    rows = [
        (f"{step.size:,}", f"{len(step.tokens)}", learned, *map(percent, step.shares))
        for step, learned in zip(sizes, here, strict=True)
    ]
    heads = ("vocabulary", "tokens", "trained here", "of GPT-2, tied", "of Llama 2 7B")
    return tabulate("Length of the text, and share of the parameters", heads, rows, chosen=(len(rows) - 1,))


def _length(step: Sized) -> tuple[Fact, ...]:
    tokens, width = len(step.tokens), LLAMA2_7B.width
    parameters = embedding_parameters(step.size, LLAMA2_7B) / 1e6
    attention = attention_operations(tokens, width, LAYERS) / 1e6
    cache = cache_bytes(tokens, width, LAYERS) / 2**20
    return (
        Fact("learned here, until no pair is left", f"{len(_learn_ranks()):,}", "from the declaration in 8 languages"),
        Fact("parameters for the vocabulary", f"{parameters:,.0f} M", "Llama 2 7B"),
        Fact("operations of attention", f"{attention:,.0f} M", "tokens²"),
        Fact("cache of keys and values", f"{cache:,.1f} MiB", "tokens"),
    )


def _curve(sizes: Sequence[Sized]) -> Drawing:
    """Draw the length of the text by the size of the vocabulary, which doubles from point to point."""
    counts = [len(step.tokens) for step in sizes]
    last = len(SIZES) - 1
    axes = Axes(Scale(0, last, 40, 40 + 54 * last), Scale(0, max(counts), 170, 30))
    points = axes.place(enumerate(counts))
    labels = [Label(x + 10, y - 10, f"{count}", bold=True) for (x, y), count in zip(points, counts, strict=True)]
    marks = {at: f"{step.size:,}" for at, step in enumerate(sizes) if step.size in LABELLED}
    listed = ", ".join(f"{step.size:,} {len(step.tokens)}" for step in sizes)
    says = f"Tokens of the text by size of the vocabulary: {listed}"
    return axes.draw([Stroke(draw_path(points), "best")], marks, says, labels)


def _again(tokens: Mapping[int, int], given: Step) -> Question | None:
    first = tokens[SMALL] - tokens[MIDDLE]
    again = tokens[MIDDLE] - tokens[LARGE]
    kind = "none" if not again else "fewer" if again < first else "as many" if again == first else "more"
    if not first:
        return None
    return ask(
        "vocabulary-size.question",
        kind,
        [("as many", "same"), ("more", "times"), ("fewer", "fewer"), ("none", "none")],
        given=given,
        shown_at=SIZES.index(LARGE) + 1,
        near=False,
        reason="late" if again >= first else "reason",
        again=again,
        before=tokens[MIDDLE],
        after=tokens[LARGE],
        middle=f"{MIDDLE:,}",
        small=SMALL,
        saved=plural(first, "token"),
        large=f"{LARGE:,}",
    )


JUDGED = {"words": "words", "bytes": "bytes", "BERT": "bert-base-uncased", "T5": "t5", "GPT-4o": "o200k_base"}
"""The tokenizers of the scene; nobody would train a large model with the first two."""
MISLEADS = {
    "fertility": "fertility",
    "round trip": "round-trip",
    "word edges": "edges",
    "utilisation": "utilisation",
    "Rényi": "renyi",
}
"""Each measure, and the key of the sentence that says why it misleads."""


def trace_judging(text: str, registry: Registry) -> Trace:
    """Trace five measures of five tokenizers on a text."""
    rows = list[TileRow]()
    measured = dict[str, list[tuple[tuple[str, int], Measurement]]]()
    for name, id in JUDGED.items():
        tokenizer = registry.get(id, "scratch")
        encoding = tokenizer.encode(text)
        ids = encoding.ids.tolist()
        spans = [*zip(encoding.byte_starts.tolist(), encoding.byte_ends.tolist(), strict=True)]
        if encoding.grown:
            pieces = [encoding.grown[id] for id in ids]
            restored, vocabulary = b"".join(pieces), len(encoding.grown)
            rows.append(build_row([*map(spell, pieces)], name))
        else:
            restored, vocabulary = tokenizer.decode(ids), tokenizer.info.tokens or 0
            rows.append(token_row(tokenizer, text, name))
        measured[name] = [*trace_lines(iter_measures(text, ids, spans, restored, vocabulary))]
    steps = [Step(say("judging.steps.start"), tuple(rows))]
    for at, (name, key) in enumerate(MISLEADS.items()):
        values = {one: [step.value for _, step in traced[: at + 1]] for one, traced in measured.items()}
        sentence = f"{name[0].upper()}{name[1:]}: {fill(f'judging.steps.{key}')}"
        symbols = tuple({name.split()[-1].lower()} & {"fertility", "utilisation", "rényi"})
        line = measured["GPT-4o"][at][0]
        steps.append(Step((sentence,), tuple(rows), line, _tabulate_measures(values), symbols=symbols))
    passed = {one: bool(traced[1][1].value) for one, traced in measured.items()}
    return Trace(steps, _ask_round_trips(passed, text))


def _tabulate_measures(values: Mapping[str, Sequence[float | None]]) -> Table:
    names = [*MISLEADS][: len(values["GPT-4o"])]

    def cell(name: str, value: float | None) -> str:
        if value is None:
            return "–"
        if name == "round trip":
            return "yes" if value else "no"
        return percent(value) if name == "utilisation" else f"{value:.2f}"

    last = {one: row[-1] for one, row in values.items() if row[-1] is not None}
    best = (min if names[-1] == "fertility" else max)(last.values(), default=None)
    rows = tuple(
        Row((one, *map(cell, names, row)), chosen=best is not None and last.get(one) == best)
        for one, row in values.items()
    )
    return Table("The best of the last column is marked", ("", *names), rows)


def _ask_round_trips(passed: Mapping[str, bool], text: str) -> Question:
    right = sum(passed.values())
    failed = [name for name, same in passed.items() if not same]
    key = "all" if not failed else "one" if len(failed) == 1 else "several"
    return ask(
        "judging.question",
        right,
        [(count, "changed" if count > right else "plain") for count in (1, 2, 3, 4, 5)],
        (character_row(text),),
        because=fill(f"judging.question.{key}", name="".join(failed[:1]), names=" and ".join(failed)),
        shown_at=2,
        near=False,
        names=", ".join(passed),
    )


ROWS = 4
"""New rows of the scene at most."""
FIELDS = (
    "encephalitis encephalopathy encephalogram encephalography encephalomyelitis",
    "ophthalmology ophthalmologist ophthalmopathy ophthalmitis ophthalmoscope",
    "rheumatology rheumatologist rheumatoid rheumatism rheumatic",
    "gastroenterology gastroenterologist gastroenteritis gastroenteropathy",
    "nephrology nephrologist nephropathy nephritis nephrotic",
)


def trace_extend(text: str, registry: Registry) -> Trace:
    """Trace four ways to tokenize a domain: keep GPT-2’s vocabulary, add merges, add tokens, train a new one."""
    encode = partial(_latin_tokens, registry.get("gpt2", "scratch"))
    order = [_latin(word.encode()) for _, word in pretokenize(text)]
    kept = merged = [token for word in order for token in encode(word)]
    keep = _latin_row(kept, "keep")
    lengths = {"keep": len(kept)}
    steps = [Step(say("extend.steps.keep", tokens=plural(len(kept), "token")), (keep,))]
    words = Counter(order)
    learned: list[str] = []
    for line, step in trace_lines(add_merges(words, ROWS, encode)):
        cut = dict(zip(words, step.words, strict=True))
        merged = [token for word in order for token in cut[word]]
        lengths["merges"] = len(merged)
        token = _spell_latin(step.token)
        learned.append(visible(token))
        made = say("extend.steps.merge", new=Tile(token, NO_ID), tokens=plural(len(merged), "token"))
        rows = (keep, _latin_row(merged, "merges", step.token))
        steps.append(Step(made, rows, line, _ways(lengths), _rows(len(learned))))
    if not learned:
        return Trace([*steps, Step(say("extend.steps.nothing"), (keep,))])
    new = len(learned)
    steps += _without_merges(text, (keep, _latin_row(merged, "merges")), lengths, new, encode)
    dear = ", ".join(_dear(text, encode, new))
    given = Step(say("extend.question.given", merges=", ".join(learned), words=dear), (keep,))
    return Trace(steps, _saves(lengths, new, given))


def _without_merges(
    text: str, rows: tuple[TileRow, ...], lengths: dict[str, int], new: int, encode: Callable[[str], Sequence[str]]
) -> Iterator[Step]:
    """Yield the steps of the other two ways: the words that cost most as added tokens, and a new training."""
    whole = [_latin(word.encode()) for word in _dear(text, encode, new)]
    parts = [*trace_lines(add_tokens(_latin(text.encode()), whole, encode))]
    tokens = [token for _, part in parts for token in part.tokens]
    lengths["tokens"] = len(tokens)
    rows = (*rows, _latin_row(tokens, "tokens"))
    words = plural(len(whole), "whole word")
    sentence = say("extend.steps.tokens", words=words, tokens=plural(len(tokens), "token"))
    yield Step(sentence, rows, parts[-1][0], _ways(lengths), _rows(new))
    ranks = train_ranks([text])
    anew = [_latin(token) for _, word in pretokenize(text) for token in merge(word.encode(), ranks)]
    lengths["train"] = len(anew)
    rows = (*rows, _latin_row(anew, "train"))
    sentence = say("extend.steps.train", tokens=plural(len(anew), "token"))
    yield Step(sentence, rows, table=_ways(lengths), facts=_rows(len(ranks)))


def _dear(text: str, encode: Callable[[str], Sequence[str]], count: int) -> list[str]:
    """Return the words of a text that cost most tokens."""
    counts = Counter(_latin(word.encode()) for word in text.split())
    order = sorted(counts, key=lambda word: (-counts[word] * (len(encode(word)) - 1), word))
    return [word.encode("latin-1").decode() for word in order[:count]]


def _latin(data: bytes) -> str:
    """Return bytes as characters of Latin-1, so that tokens can be joined that are only a part of a character."""
    return data.decode("latin-1")


def _latin_tokens(tokenizer: Tokenizer, part: str) -> list[str]:
    ids = tokenizer.encode(part.encode("latin-1").decode()).ids.tolist()
    return [_latin(tokenizer.entry(id).raw) for id in ids]


def _spell_latin(token: str) -> str:
    return spell(token.encode("latin-1"))


def _latin_row(tokens: Sequence[str], label: str, new: str = "") -> TileRow:
    keys = {token: NO_ID + sum(map(ord, token)) for token in tokens}
    return make_row(
        (Tile(_spell_latin(token), keys[token], mark="new" if token == new else "") for token in tokens), label
    )


def _ways(lengths: Mapping[str, int]) -> Table:
    labels = {"keep": "keep", "merges": "add merges", "tokens": "add tokens", "train": "train a new one"}
    rows = ((labels[way], f"{length}") for way, length in lengths.items())
    return tabulate("Tokens of this text", ("", "tokens"), rows)


def _rows(new: int) -> tuple[Fact, ...]:
    small, large = (embedding_parameters(new, model) for model in (GPT2_SMALL, LLAMA2_7B))
    return (
        Fact("rows that nothing has trained", f"{new:,}"),
        Fact("numbers in them, GPT-2", f"{small:,}", "768 a token, tied"),
        Fact("numbers in them, Llama 2 7B", f"{large:,}", "2 · 4,096 a token"),
    )


def _saves(lengths: Mapping[str, int], new: int, given: Step) -> Question:
    merges, tokens = lengths["merges"], lengths["tokens"]
    labels = {key: fill(f"extend.question.label-{key}") for key in ("merges", "tokens", "equal")}
    right = "equal" if merges == tokens else "merges" if merges < tokens else "tokens"
    return ask(
        "extend.question",
        labels[right],
        [(label, key) for key, label in labels.items()],
        given=given,
        shown_at=new + 1,
        rows=plural(new, "new row"),
        merges=merges,
        tokens=tokens,
    )


def sample_sentence(random: Random) -> str:
    """Return a short sentence with two long words."""
    place = random.choice(("people", "world", "house"))
    first, second = sample_word(random), sample_word(random)
    return f"The {first} of the other {place} and a new {second} in {random.randint(2, 99)} years"


def sample_mixed(random: Random) -> str:
    """Return a short text with or without capitals, accents, double spaces and emoji."""
    parts = ("To Be", "café", "naïve", "two  spaces", "🙂", "ﬁne", "x²", "and", "or", "while")
    return f"{sample_word(random)} {random.choice(parts)} {random.choice(PHRASES)}"


def sample_domain(random: Random) -> str:
    """Return words of medicine: all of a field, which share parts, or two of them, one repeated."""
    words = random.choice(FIELDS).split()
    random.shuffle(words)
    return " ".join(words if random.random() < 0.5 else [words[0], words[1], words[0]])
