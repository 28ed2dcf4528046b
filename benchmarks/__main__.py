"""`make bench`: every figure as a ratio inside this run, one line each."""

from benchmarks import (
    compare,
    encode,
    languages,
    open_models,
    page,
    pipeline,
    scratch,
    server,
    start,
    steps,
    stream,
    train,
    train_unigram,
    vocabularies,
    vocabulary,
    vocabulary_search,
)
from benchmarks.measure import HEADER


def main() -> None:
    print(HEADER)
    parts = (
        encode,
        scratch,
        open_models,
        start,
        server,
        page,
        pipeline,
        steps,
        compare,
        languages,
        stream,
        train,
        train_unigram,
        vocabularies,
        vocabulary,
        vocabulary_search,
        vocabulary_search,
        vocabulary,
    )
    for part in parts:
        for figure in part.figures():
            print(figure.row(), flush=True)


if __name__ == "__main__":
    main()
