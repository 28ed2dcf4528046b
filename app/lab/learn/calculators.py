"""Calculators: what a vocabulary costs in parameters, which size is best, and what a text costs to read and to hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from ...scratch.vocabulary_size import (
    ModelDimensions,
    attention_operations,
    by_derivative,
    by_isoflops,
    by_loss,
    cache_bytes,
    embedding_parameters,
    embedding_share,
)
from ..charts import LineChart
from ..languages.atlas import read_atlas
from ..option_schema import Options, declare, validate
from ..steps.tiles import percent
from .calculator_charts import draw_estimates, draw_operations, draw_share
from .prose import build, find_by_id, read_prose

if TYPE_CHECKING:
    from ...settings import Settings

MILLION = 1e6
BILLION = 1e9
MIB = 2**20
GIB = 2**30
LANGUAGES = ("eng", "cmn_hans", "spa", "arb", "hin", "rus", "jpn", "deu_1996", "kor", "tam", "mya", "amh", "shn")
"""Languages of the table of costs, as far as the store has them."""


@dataclass(frozen=True, slots=True)
class CalculatorResult:
    """The rows of a calculator, one of them perhaps that of the form, and a sentence that says the answer.

    `parts` of a whole are drawn as a bar, each with its number; `following` are links to go on with, each an address
    below the calculators and its label.
    """

    text: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    chosen: int = -1
    chart: LineChart | None = None
    parts: tuple[tuple[str, float], ...] = ()
    following: tuple[tuple[str, str], ...] = ()


class EmbeddingTaxOptions(Options):
    """Sizes of a model, of which the share of the vocabulary follows."""

    vocabulary: int = declare("Vocabulary size", 128_256, ge=256, le=10_000_000)
    width: int = declare("Width of the model (d)", 4096, ge=1, le=1_000_000)
    others: float = declare("Other parameters, in millions", 6979.6, gt=0, le=100_000_000)
    tied: bool = declare("Input and output share one matrix (tied)", False)


class BestVocabularyOptions(Options):
    """Sizes of a model, of which the best vocabulary follows."""

    others: float = declare("Parameters beside the vocabulary, in millions", 7000, ge=1, le=100_000_000)
    width: int = declare("Width of the model (d)", 4096, ge=1, le=1_000_000)


class TextCostOptions(Options):
    """A tokenizer, a price and a speed, of which the cost of one text in several languages follows."""

    tokenizer: str = declare("Tokenizer", "o200k_base", help="An id, such as o200k_base.")
    price: float = declare("Dollars per million tokens", 2.5, ge=0, le=1_000_000)
    speed: float = declare("Tokens per second", 50, gt=0, le=10_000_000)
    context: int = declare("Context, in tokens", 128_000, ge=1, le=1_000_000_000)


class LengthCostOptions(Options):
    """A length and the sizes of a model, of which the cost of attention and of its cache follows."""

    tokens: int = declare("Tokens", 8192, ge=1, le=100_000_000)
    layers: int = declare("Layers", 32, ge=1, le=10_000)
    width: int = declare("Width of the queries (heads × size)", 4096, ge=1, le=1_000_000)
    kept: int = declare("Width of the keys (their heads × size)", 1024, ge=1, le=1_000_000)
    others: float = declare("Parameters of the layers, in millions", 6979.6, gt=0, le=100_000_000)
    number: int = declare("Bytes of a number", 2, ge=1, le=8)


def embedding_tax(options: EmbeddingTaxOptions, settings: Settings) -> CalculatorResult:
    """Return the parameters of vocabularies of several sizes, and their share of all."""
    model = ModelDimensions(options.width, options.others * MILLION, options.tied)
    sizes = sorted({options.vocabulary, 8_000, 32_000, 64_000, 128_000, 256_000})
    heads = ("vocabulary", "input matrix", "output matrix", "together", "all parameters", "share")
    rows = tuple(_tax(size, model) for size in sizes)
    share = percent(embedding_share(options.vocabulary, model))
    parameters = embedding_parameters(options.vocabulary, model) / MILLION
    sentence = f"The vocabulary takes {parameters:,.1f} million parameters, {share} of the model."
    matrix = options.vocabulary * options.width / MILLION
    matrices = ("both matrices",) if model.tied else ("input matrix", "output matrix")
    return CalculatorResult(
        sentence,
        heads,
        rows,
        sizes.index(options.vocabulary),
        chart=draw_share(options.vocabulary, model),
        parts=(*((name, matrix) for name in matrices), ("other parameters", options.others)),
    )


def _tax(size: int, model: ModelDimensions) -> tuple[str, ...]:
    matrix = size * model.width / MILLION
    both = embedding_parameters(size, model) / MILLION
    output = "shared" if model.tied else f"{matrix:,.1f} M"
    everything = both + model.others / MILLION
    return (
        *(f"{size:,}", f"{matrix:,.1f} M", output, f"{both:,.1f} M", f"{everything:,.1f} M"),
        percent(embedding_share(size, model)),
    )


def best_vocabulary(options: BestVocabularyOptions, settings: Settings) -> CalculatorResult:
    """Return the three estimates of Tao et al. 2024 for this model and for some others."""
    models = [(options.others * MILLION, options.width), (7e9, 4096), (70e9, 8192), (300e9, 16_384)]
    rows = tuple(_estimates(others, width) for others, width in dict.fromkeys(models))
    model = ModelDimensions(options.width, options.others * MILLION)
    size = round_size(median((by_isoflops(model), by_derivative(model), by_loss(model))))
    sentence = f"The three approaches give {rows[0][2]}, {rows[0][3]} and {rows[0][4]} tokens."
    heads = ("other parameters", "width", "by IsoFLOPs", "by derivative", "by loss")
    query = f"vocabulary={size}&width={options.width}&others={options.others:g}"
    return CalculatorResult(
        sentence,
        heads,
        rows,
        0,
        chart=draw_estimates(options.others * MILLION, options.width),
        following=(
            (f"embedding?{query}", f"What {size:,} tokens take of this model: the middle one, in steps of 128"),
        ),
    )


def round_size(size: float) -> int:
    """Return the multiple of 128 next to a size, within the bounds of a vocabulary.

    >>> round_size(59_548)
    59520
    """
    return min(max(128 * round(size / 128), 256), 9_999_872)


def _estimates(others: float, width: int) -> tuple[str, ...]:
    model = ModelDimensions(width, others)
    sizes = (by_isoflops(model), by_derivative(model), by_loss(model))
    return (f"{others / BILLION:,.6g} B", f"{width:,}", *(f"{size:,.0f}" for size in sizes))


def text_cost(options: TextCostOptions, settings: Settings) -> CalculatorResult:
    """Return what the Universal Declaration of Human Rights costs in several languages. Raises `UnknownTokenizer`."""
    atlas = read_atlas(settings.store)
    (column,) = atlas.select([options.tokenizer])
    known = [row for row, language in enumerate(atlas.languages) if language.code in LANGUAGES]
    cells = {row: atlas.cell(row, column) for row in known}
    order = sorted(known, key=lambda row: cells[row].tokens)
    heads = ("language", "tokens", "times English", "dollars", "seconds", "copies in the context")
    rows = tuple(
        (
            atlas.languages[row].name,
            f"{cells[row].tokens:,}",
            f"{cells[row].tokens / cells[row].english:.2f}",
            f"{cells[row].tokens * options.price / MILLION:.4f}",
            f"{cells[row].tokens / options.speed:,.1f}",
            f"{options.context // cells[row].tokens:,}",
        )
        for row in order
    )
    sentence = f"The same declaration: {rows[0][1]} tokens in {rows[0][0]}, {rows[-1][1]} in {rows[-1][0]}."
    return CalculatorResult(sentence, heads, rows)


def length_cost(options: LengthCostOptions, settings: Settings) -> CalculatorResult:
    """Return what the layers, their attention and its cache cost for this length, and for longer texts."""
    lengths = [options.tokens * factor for factor in (1, 2, 4, 8)]

    def attention(tokens: int) -> int:
        return attention_operations(tokens, options.width, options.layers)

    def matrices(tokens: int) -> float:
        return 2 * options.others * MILLION * tokens

    rows = tuple(
        (
            f"{tokens:,}",
            f"{attention(tokens) / 1e12:,.3f} T",
            f"{matrices(tokens) / 1e12:,.3f} T",
            f"{cache_bytes(tokens, options.kept, options.layers, options.number) / MIB:,.1f} MiB",
        )
        for tokens in lengths
    )
    held = cache_bytes(options.tokens, options.kept, options.layers, options.number) / GIB
    once, twice = (attention(tokens) + matrices(tokens) for tokens in lengths[:2])
    sentence = (
        f"The cache of keys and values takes {held:,.2f} GiB. Twice the length needs {twice / once:.2f} times the "
        "operations: four times those of attention, twice those of the matrices."
    )
    heads = ("tokens", "operations of attention", "operations of the matrices", "cache of keys and values")
    chart = draw_operations(options.tokens, options.width, options.layers, options.others * MILLION)
    return CalculatorResult(sentence, heads, rows, 0, chart=chart)


@dataclass(frozen=True, slots=True)
class Calculator:
    """A calculator: its options, the function that computes it, presets by name, and the publication it follows.

    `origins` says where the numbers of a preset come from. `sliders` are the options that are dragged, from a value to
    another. `estimates` are the ways in which it computes, each with what it assumes, and `limits` what all assume.
    """

    id: str
    title: str
    prompt: str
    source: str
    schema: type[Options]
    compute: Callable[[Any, Settings], CalculatorResult]
    presets: Mapping[str, Mapping[str, Any]]
    origins: Mapping[str, str] = field(default_factory=dict)
    sliders: Mapping[str, Sequence[float]] = field(default_factory=dict)
    estimates: Sequence[Mapping[str, str]] = ()
    limits: str = ""

    def result(self, options: Options, settings: Settings) -> CalculatorResult:
        """Return the result for these options. Raises `Invalid` for one that is out of bounds."""
        validate(options)
        return self.compute(options, settings)


def _build_calculator(*, id: str, **computed: Any) -> Calculator:
    """Return a calculator with the texts, presets and sliders of `calculators.toml`."""
    table = read_prose("calculators.toml").get(id, {})
    return build(Calculator, table, f"calculators.toml: [{id}]", id=id, **computed)


CALCULATORS: Sequence[Calculator] = (
    _build_calculator(id="embedding", schema=EmbeddingTaxOptions, compute=embedding_tax),
    _build_calculator(id="vocabulary", schema=BestVocabularyOptions, compute=best_vocabulary),
    _build_calculator(id="cost", schema=TextCostOptions, compute=text_cost),
    _build_calculator(id="length", schema=LengthCostOptions, compute=length_cost),
)


def calculator(id: str) -> Calculator:
    """Return a calculator. Raises `UnknownScene`."""
    return find_by_id(CALCULATORS, id, "calculators")
