"""Scenes about the size and the quality of a vocabulary: how large, how to judge it, and whether to extend it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from ...scratch.compat.pre_tokenizers import byte_alphabet
from ...scratch.fast.bpe import merge
from ...scratch.fast.train_merges import train_bpe
from ...scratch.fast.word_counts import counted
from ...scratch.pretokenize import GPT2, pretokenize
from ...scratch.vocabulary_size import (
    Estimate,
    Model,
    Sized,
    attention_operations,
    cache_bytes,
    embedding_parameters,
    estimating,
    growing,
)
from ...settings import Settings
from ...types import Traced, TrainedVocab
from ..languages.declarations import declarations
from ..steps.drawing import Drawing, Label, Stroke
from ..steps.frames import Fact, Row, Tile
from ..steps.patterns import expression
from ..steps.tiles import MAX_TILES, NO_ID, percent, plural, spelled
from .code import lit
from .scene import MAX_MOMENTS, Claim, Moment, Play, Question, Scene, Table, TableRow, Words, choices

if TYPE_CHECKING:
    from ...registry import Registry

# 16. How large a vocabulary

SIZES = (*(256 << doubled for doubled in range(9)), 199_998)
"""256, 512 and so on to 65,536, and all merges of GPT-4o."""
SMALL, MIDDLE, LARGE = 256, 4096, 65_536
GPT2_SMALL = Model(768, 85_842_432, tied=True)
LLAMA2_7B = Model(4096, 6_476_271_616)
CORPUS = ("eng", "fra", "deu_1996", "spa", "rus", "arb", "hin", "jpn")
"""Languages of the corpus that the scene trains on: 66,000 characters, so that it takes a fifth of a second, once."""
LAYERS = 32
"""Layers of Llama 2 7B, all of whose heads have keys and values of their own."""
ESTIMATED = (
    ("85 M", GPT2_SMALL),
    ("7 B", Model(4096, 7e9)),
    ("70 B", Model(8192, 70e9)),
    ("300 B", Model(16_384, 300e9)),
)
WORDS = ("embedding", "internationalization", "photosynthesis", "uncharacteristically", "thermodynamics", "grandmother")


def how_large(text: str, registry: Registry) -> Play:
    """Play a text through the first merges of GPT-4o, more and more of them, and through those learned on the spot."""
    tokenizer = registry.get("o200k_base", "scratch")
    assert isinstance(tokenizer, Traced)
    encode = _first_merges(text, tokenizer.trace("").ids, expression("o200k"))
    learned = _learned()
    encode_learned = _first_merges(text, learned, GPT2)
    moments = [
        Moment((f"{plural(len(text.encode()), 'byte')}. Now allow more and more merges.",), (_spelled_row([text], {}),))
    ]
    sizes: list[Sized] = []
    here: list[str] = []
    for line, step in lit("vocabulary_size.growing", growing(text, SIZES, encode, (GPT2_SMALL, LLAMA2_7B))):
        sizes.append(step)
        trained = step.size <= len(learned)
        here.append(f"{len(encode_learned(text, step.size))}" if trained else "–")
        says = f"{step.size:,} tokens in the vocabulary: the text has {plural(len(step.tokens), 'token')}."
        symbols = frozenset({"size", "share"} if len(sizes) > 1 else {"size"})
        moments.append(
            Moment(
                (says,),
                (_spelled_row(step.tokens, {}),),
                line,
                _sizes(sizes, here),
                _length(step),
                symbols,
                _curve(sizes),
            )
        )
    estimates = [*lit("vocabulary_size.estimating", estimating(model for _, model in ESTIMATED))]
    says = "Three estimates of the best size. It grows with the model, but more slowly."
    table = _estimates([estimate for _, estimate in estimates])
    moments.append(Moment((says,), (), estimates[-1][0], table, symbols=frozenset({"best"})))
    return Play(moments[:MAX_MOMENTS], _again({step.size: len(step.tokens) for step in sizes}))


def _first_merges(text: str, ranks: Mapping[bytes, int], pattern: str) -> Callable[[str, int], Sequence[str]]:
    """Return a function that encodes the text with the first tokens of a vocabulary.

    Merges stand in the order of training, so the first of them are what a training that ended there would have given.
    """
    words = [word.encode() for _, word in pretokenize(text, pattern)]
    parts = {word[start:end] for word in {*words} for start in range(len(word)) for end in range(start + 1, start + 33)}
    known = {part: ranks[part] for part in parts if part in ranks}

    def encode(_: str, size: int) -> Sequence[str]:
        first = {part: rank for part, rank in known.items() if rank < size}
        return [spelled(token) for word in words for token in merge(word, first)]

    return encode


@cache
def _learned() -> Mapping[bytes, int]:
    """Return the ranks of BPE, trained here on the declaration in some languages until no pair occurs twice."""
    known = declarations(Settings().store)
    words = counted([known[code].text for code in CORPUS], pattern=GPT2, trusted=True)
    *_, vocabulary = train_bpe(words, size=LARGE)
    assert isinstance(vocabulary, TrainedVocab)
    byte_of = {char: byte for byte, char in enumerate(byte_alphabet())}
    return {bytes(byte_of[char] for char in piece): id for id, piece in enumerate(vocabulary.pieces)}


def _spelled_row(tokens: Sequence[str], ids: Mapping[str, int], label: str = "") -> Row:
    keys = {token: NO_ID + number for number, token in enumerate(dict.fromkeys(tokens))}
    tiles = tuple(Tile(token, ids.get(token, keys[token]), at) for at, token in enumerate(tokens[:MAX_TILES]))
    return Row(tiles, label, left_out_after=max(0, len(tokens) - MAX_TILES))


def _sizes(sizes: Sequence[Sized], here: Sequence[str]) -> Table:
    rows = tuple(
        TableRow(
            (f"{step.size:,}", f"{len(step.tokens)}", learned, *(percent(share) for share in step.shares)),
            chosen=at == len(sizes) - 1,
        )
        for at, (step, learned) in enumerate(zip(sizes, here, strict=True))
    )
    heads = ("vocabulary", "tokens", "trained here", "of GPT-2, tied", "of Llama 2 7B")
    return Table("Length of the text, and share of the parameters", heads, rows)


def _length(step: Sized) -> tuple[Fact, ...]:
    tokens = len(step.tokens)
    return (
        Fact("learned here, until no pair is left", f"{len(_learned()):,}", "from the declaration in 8 languages"),
        Fact(
            "parameters for the vocabulary", f"{embedding_parameters(step.size, LLAMA2_7B) / 1e6:,.0f} M", "Llama 2 7B"
        ),
        Fact(
            "operations of attention",
            f"{attention_operations(tokens, LLAMA2_7B.width, LAYERS) / 1e6:,.0f} M",
            "tokens²",
        ),
        Fact("cache of keys and values", f"{cache_bytes(tokens, LLAMA2_7B.width, LAYERS) / 2**20:,.1f} MiB", "tokens"),
    )


def _curve(sizes: Sequence[Sized]) -> Drawing:
    """Draw the length of the text by the size of the vocabulary, which doubles from point to point."""
    top, base, width = 30, 170, 62
    most = max(len(step.tokens) for step in sizes)
    points = [(40 + width * at, base - (base - top) * len(step.tokens) / most) for at, step in enumerate(sizes)]
    line = "M" + "L".join(f"{x:g} {y:.1f}" for x, y in points)
    labels = [Label(x, y - 8, f"{len(step.tokens)}", bold=True) for (x, y), step in zip(points, sizes, strict=True)]
    labels += [Label(x, base + 22, f"{step.size:,}") for (x, _), step in zip(points, sizes, strict=True)]
    axis = Stroke(f"M20 {base}H{60 + width * (len(SIZES) - 1)}")
    says = "Tokens of the text by size of the vocabulary: " + ", ".join(
        f"{step.size:,} {len(step.tokens)}" for step in sizes
    )
    return Drawing(80 + width * (len(SIZES) - 1), base + 34, (), (axis, Stroke(line, "best")), tuple(labels), says)


def _estimates(estimates: Sequence[Estimate]) -> Table:
    def thousands(size: float) -> str:
        return f"{size / 1000:,.0f}k"

    rows = tuple(
        TableRow((name, *(thousands(size) for size in estimate[1:])))
        for (name, _), estimate in zip(ESTIMATED, estimates, strict=True)
    )
    heads = ("other parameters", "by IsoFLOPs", "by derivative", "by fit of the loss")
    return Table("The best size of the vocabulary, as estimated", heads, rows)


def _again(tokens: Mapping[int, int]) -> Question | None:
    first, again = tokens[SMALL] - tokens[MIDDLE], tokens[MIDDLE] - tokens[LARGE]
    asks = (
        f"{MIDDLE:,} tokens in the vocabulary instead of {SMALL} save {plural(first, 'token')} of this text. "
        f"How many more do {LARGE:,} save?"
    )
    reason = f"{tokens[MIDDLE]} become {tokens[LARGE]}. " + (
        "What is frequent was merged first; the rest occurs ever less often."
        if again < first
        else "Text like this was rare in the training, so that its merges come late."
    )
    wrong: list[tuple[Words, str]] = [
        ((f"{first}",), "So many were saved before; sixteen times as many tokens do not save the same again."),
        ((f"{16 * first}",), "Sixteen times the vocabulary does not save sixteen times as much."),
        ((f"{again + first}",), f"So many are saved from {SMALL} on."),
    ]
    return Question((asks,), choices((f"{again}",), reason, wrong)) if first else None


def sample_sentence(random: Random) -> str:
    """Return a short sentence with two long words."""
    first, second = random.sample(WORDS, 2)
    place = random.choice(("people", "world", "house"))
    return f"The {first} of the other {place} and a new {second} in {random.randint(2, 99)} years"


HOW_LARGE = Scene(
    "vocabulary-size",
    "How large a vocabulary",
    Claim("Each doubling of the vocabulary costs twice the parameters, and shortens common text by less and less."),
    (
        Claim(
            "If the output matrix is the embedding matrix, the vocabulary is paid for once instead of twice.",
            "source",
            "press-2017",
        ),
        Claim(
            "Attention compares every token with every other, so a text of half the length costs a quarter there.",
            "source",
            "vaswani-2017",
            "section 4",
        ),
        Claim(
            "Larger models deserve larger vocabularies: three approaches give about 60,000 for 7 B parameters, and "
            "more than 200,000 for 70 B.",
            "source",
            "tao-2024",
        ),
    ),
    "Larger vocabularies make shorter texts: internationalization may be one token or twenty.",
    "A text",
    how_large,
    (
        ("ထမင်းစားပြီးပြီလား", "A script that was rare in training needs many merges until it gets shorter at all."),
        ("the the the the the the", "What is frequent is one token early; a larger vocabulary saves nothing more."),
    ),
    (
        "vocabulary_size.growing",
        "vocabulary_size.embedding_share",
        "vocabulary_size.estimating",
        "vocabulary_size.by_derivative",
    ),
    sample_sentence,
    needs=("learn-bpe",),
    opens=(("Train one", "/train"), ("Compare", "/compare")),
    equation=True,
)
