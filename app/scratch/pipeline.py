"""The pipeline of a tokenizer: normalize, pre-tokenize, model, truncate, post-process; a batch is then padded.

Each stage gets what the one before it gives, and none goes back. The model, such as BPE, is only the third of them:
many surprises come from the other stages.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class StageResult(NamedTuple):
    """The name of a stage and what it gives: a text, words, or tokens."""

    name: str
    parts: list[str]


def pipeline(
    text: str,
    *,
    normalize: Callable[[str], str],
    pretokenize: Callable[[str], Iterable[str]],
    model: Callable[[str], Iterable[str]],
    longest: int,
    first: str = "[CLS]",
    last: str = "[SEP]",
) -> Iterator[StageResult]:
    """Yield what each stage gives. At most `longest` tokens are left, the special ones included.

    >>> for stage in pipeline("To BE", normalize=str.lower, pretokenize=str.split, model=list, longest=5):
    ...     print(*stage)
    normalize ['to be']
    pre-tokenize ['to', 'be']
    model ['t', 'o', 'b', 'e']
    truncate ['t', 'o', 'b']
    post-process ['[CLS]', 't', 'o', 'b', '[SEP]']
    """
    normal = normalize(text)
    yield StageResult("normalize", [normal])
    words = [*pretokenize(normal)]
    yield StageResult("pre-tokenize", words)
    tokens = [token for word in words for token in model(word)]
    yield StageResult("model", tokens)
    tokens = tokens[: longest - 2]  # before the special tokens come, so that these are not cut off
    yield StageResult("truncate", tokens)
    yield StageResult("post-process", [first, *tokens, last])
