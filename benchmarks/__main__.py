"""`make bench`: every figure as a ratio inside this run, one line each."""

from benchmarks import compare, encode, languages, page, scratch, server, start, steps, stream, train, train_unigram
from benchmarks.measure import HEADER


def main() -> None:
    print(HEADER)
    for part in (encode, scratch, start, server, page, steps, compare, languages, stream, train, train_unigram):
        for figure in part.figures():
            print(figure.row(), flush=True)


if __name__ == "__main__":
    main()
