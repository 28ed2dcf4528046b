"""How large a vocabulary: what each token more costs in parameters, and what it saves in length.

A token more is a row more of the embedding matrix, and of the output matrix unless the two are tied (Press and Wolf
2017). It makes texts shorter, and so attention cheaper, whose cost grows with the square of the length. Tao et al. 2024
estimate in three ways which size is best for a model that is trained with the best amount of text for its size.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, pow, sqrt
from typing import NamedTuple


class ModelDimensions(NamedTuple):
    """The width of a model, its parameters beside the vocabulary, and whether input and output share one matrix."""

    width: int
    others: float
    tied: bool = False


class Sized(NamedTuple):
    """A vocabulary: its size, the tokens it makes of the text, and its share of the parameters of each model."""

    size: int
    tokens: Sequence[str]
    shares: Sequence[float]


class SizeEstimate(NamedTuple):
    """The best sizes of the vocabulary of a model by three approaches: IsoFLOPs, derivative, and fit of the loss."""

    others: float
    by_isoflops: float
    by_derivative: float
    by_loss: float


def grow_vocabulary(
    text: str, sizes: Iterable[int], encode: Callable[[str, int], Sequence[str]], models: Sequence[ModelDimensions]
) -> Iterator[Sized]:
    """Yield what vocabularies of these sizes make of a text. `encode` takes the text and the size.

    >>> pairs = lambda text, size: [text[at : at + size] for at in range(0, len(text), size)]
    >>> [(step.size, step.tokens) for step in grow_vocabulary("abcd", [1, 2], pairs, [])]
    [(1, ['a', 'b', 'c', 'd']), (2, ['ab', 'cd'])]
    """
    for size in sizes:
        yield Sized(size, encode(text, size), [embedding_share(size, model) for model in models])


def embedding_parameters(size: int, model: ModelDimensions) -> float:
    """Return the parameters that a vocabulary needs: a row for each token, twice if they are not tied.

    >>> embedding_parameters(100_000, ModelDimensions(width=4096, others=6e9))
    819200000
    """
    return size * model.width * (1 if model.tied else 2)


def embedding_share(size: int, model: ModelDimensions) -> float:
    """Return the share of all parameters that belong to the vocabulary: of GPT-2, nearly a third.

    >>> round(embedding_share(50_257, ModelDimensions(width=768, others=85_842_432, tied=True)), 3)
    0.31
    """
    parameters = embedding_parameters(size, model)
    return parameters / (parameters + model.others)


def attention_operations(tokens: int, width: int, layers: int) -> int:
    """Return the multiplications and additions of attention's two products, scores and sums, for a text.

    >>> attention_operations(2000, 4096, 32) // attention_operations(1000, 4096, 32)
    4
    """
    return layers * 2 * 2 * tokens**2 * width


def cache_bytes(tokens: int, width: int, layers: int, number: int = 2) -> int:
    """Return the size of the cache of keys and values; `width` is that of all heads that have their own, in numbers.

    >>> cache_bytes(1, 4096, 32)
    524288
    """
    return tokens * layers * 2 * width * number


def estimate_sizes(models: Iterable[ModelDimensions]) -> Iterator[SizeEstimate]:
    """Yield the three estimates of the best vocabulary for each model.

    >>> for model in (ModelDimensions(4096, 7e9), ModelDimensions(8192, 70e9), ModelDimensions(16384, 300e9)):
    ...     print(*(round(size / 1000) for size in [*estimate_sizes([model])][0][1:]))
    62 67 60
    212 231 218
    356 389 384
    """
    for model in models:
        yield SizeEstimate(model.others, by_isoflops(model), by_derivative(model), by_loss(model))


def operations(others: float) -> float:
    """Return the training operations with which a model of this size is best: N = e^−2.48465 · √F, solved for F."""
    return (others / exp(-2.48465)) ** 2


def by_isoflops(model: ModelDimensions) -> float:
    """Return the best size by approach 1: a power law of the training operations."""
    return exp(-1.58903) * pow(operations(model.others), 0.416362) / model.width


def by_derivative(model: ModelDimensions) -> float:
    """Return the best size by approach 2: a power law of the other parameters, from a model of 33 million."""
    return 3_145_728 * pow(model.others / 33e6, 0.835397) / model.width


def by_loss(model: ModelDimensions) -> float:
    """Return the best size by approach 3: where the slope of the fitted loss is 0, found by halving an interval."""
    low, high = 10.0, 1e8
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if slope_of_loss(middle, model) < 0 else (low, middle)
    return low


def slope_of_loss(size: float, model: ModelDimensions) -> float:
    """Return the slope of the loss by the size of the vocabulary, in the units of the fit.

    The loss has a term that falls with the vocabulary's parameters, and one that rises as fewer tokens are read for
    the same operations.
    """
    thousands, width, others = size / 1e3, model.width / 1e3, model.others / 1e6
    tokens = operations(model.others) / 1e15 / (6 * (others + thousands * width))
    fewer = tokens * width / (others + thousands * width)
    gain = 0.670737 * 0.195842 * width / pow(thousands * width, 1.670737)
    return 0.446606 * 2.124112 * fewer / pow(tokens, 1.446606) - gain
