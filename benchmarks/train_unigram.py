"""Learning a unigram vocabulary against sentencepiece: time, what the vocabulary is worth on held-out text, memory."""

import statistics
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path

from tokenarium.lab.languages.declarations import declarations
from tokenarium.scratch.fast.unigram.encode import Unigram
from tokenarium.scratch.fast.unigram.lattice import likelihood
from tokenarium.scratch.fast.unigram.train import count_unigram_words, train_unigram
from tokenarium.settings import Settings

from benchmarks.measure import Figure, scaled, seconds
from benchmarks.text import MEGABYTE

SIZES = scaled({1: (8_000, 2.5, 5), 10: (32_000, 4.0, 3)}, {1: (400, 2.5, 1)})
"""By megabytes of corpus, the size of the vocabulary, the most our time may be of theirs, and runs."""
MEMORY = 12.0
ALONE = """
import sys
from benchmarks.measure import with_memory
from benchmarks.train_unigram import ours
text = sys.stdin.buffer.read().decode()
ours("to be or not to be", 300)  # imports what the trainer needs
print(with_memory(lambda: ours(text, int(sys.argv[1])))[1] / len(text.encode()))
"""


def figures() -> Iterator[Figure]:
    for megabytes, (size, most, runs) in SIZES.items():
        text = corpus(megabytes)
        yield from times(f"{megabytes} MB, {size:,}", text, size, most=most, runs=runs)
        yield memory(f"{megabytes} MB, {size:,}", text, size)
    yield from quality(corpus(1), SIZES[1][0])


def corpus(megabytes: int) -> str:
    """The declaration in all languages, then the source of Python's own library."""
    texts = [each.text for each in declarations(Settings().store).values()]
    length, most = sum(len(text.encode()) for text in texts), megabytes * MEGABYTE
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("**/*.py")):
        if length >= most:
            break
        if "site-packages" not in path.parts:
            texts.append(path.read_text(errors="ignore"))
            length += len(texts[-1].encode())
    return "\n".join(texts).encode()[:most].decode(errors="ignore")


def ours(text: str, size: int) -> Mapping[str, float]:
    *_, last = train_unigram(count_unigram_words([text]), size=size)
    return last.scores()


def theirs(text: str, size: int, *, threads: int) -> Mapping[str, float]:
    from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

    model = BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(text.split("\n")),
        model_writer=model,
        model_type="unigram",
        vocab_size=size,
        byte_fallback=True,
        normalization_rule_name="identity",
        max_sentence_length=len(text.encode()),
        hard_vocab_limit=False,
        num_threads=threads,
        minloglevel=2,
    )
    made = SentencePieceProcessor(model_proto=model.getvalue())
    pieces = ((made.id_to_piece(id), made.get_score(id)) for id in range(made.get_piece_size()))
    return {piece: score for piece, score in pieces if score < 0}


def times(name: str, text: str, size: int, *, most: float, runs: int) -> Iterator[Figure]:
    """Medians of runs in turn, against one thread and against the 16 that sentencepiece takes by default."""
    works: list[Callable[[], object]] = [
        lambda: ours(text, size),
        lambda: theirs(text, size, threads=1),
        lambda: theirs(text, size, threads=16),
    ]
    rounds = [[seconds(work) for work in works] for _ in range(runs)]
    mine, *others = (statistics.median(column) for column in zip(*rounds, strict=True))
    for other, threads in zip(others, ("1 thread", "16 threads"), strict=True):
        note = f"{mine:.2f} s against {other:.2f} s"
        yield Figure(
            f"Unigram learned, {name}, sentencepiece {threads}",
            mine / other,
            f"<= {most:.2f}",
            mine < most * other,
            note,
        )


def memory(name: str, text: str, size: int) -> Figure:
    """How far the memory of a process of its own grows, in the size of the corpus."""
    process = subprocess.run(
        [sys.executable, "-c", ALONE, str(size)], input=text.encode(), capture_output=True, check=True
    )
    times = float(process.stdout)
    assert times > scaled(0.5, 0), (
        "A trainer that holds its words grows by a good part of the corpus: this measured nothing."
    )
    return Figure(f"Unigram learned, {name}, memory by corpus", times, f"<= {MEMORY:.2f}", times <= MEMORY)


def quality(text: str, size: int) -> Iterator[Figure]:
    """Both on every tenth line, which neither was trained on."""
    lines = text.split("\n")
    kept, held_out = "\n".join(line for number, line in enumerate(lines) if number % 10), lines[::10]
    mine, other = ours(kept, size), theirs(kept, size, threads=1)
    words = count_unigram_words([" ".join(held_out)])
    pairs = zip(worth(mine, words), worth(other, words), strict=True)
    for name, (one, two) in zip(("log-likelihood a character", "tokens a word"), pairs, strict=True):
        value, note = one / two, f"{one:.4f} against {two:.4f}"
        yield Figure(f"Unigram learned, {size:,}, {name}", value, "1 ± 0.01", abs(value - 1) <= 0.01, note)
    shared = len(mine.keys() & other.keys()) / len(other)
    yield Figure(f"Unigram learned, {size:,}, pieces that both have", shared, "shown", met=True)


def worth(scores: Mapping[str, float], words: Mapping[str, int]) -> tuple[float, float]:
    """Log-likelihood a character over all cuts, and tokens a word in the best."""
    model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores, wide=True)
    total = sum(count * likelihood(model, word) for word, count in words.items())
    tokens = sum(count * len(model.best(word, 0.0).pieces) for word, count in words.items())
    return total / sum(len(word) * count for word, count in words.items()), tokens / sum(words.values())
