"""Random SentencePiece models over few characters: every algorithm, kind of piece and option with every other."""

import random
from collections.abc import Iterator

from tokenarium.files.sentencepiece.model import ScoredPiece, SentencePieceModel

LETTERS = "abité▁▁"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def random_model(source: random.Random) -> SentencePieceModel:
    """Return a model; equal sources give equal models."""
    algorithm = source.choice(("unigram", "unigram", "unigram", "bpe", "bpe", "word", "char"))
    fallback = source.random() < 0.4
    letters = source.sample(sorted({*LETTERS}), k=source.randint(3, 6))
    words = ["".join(source.choices(LETTERS, k=source.randint(2, 4))) for _ in range(source.randint(2, 20))]
    marked = source.choices(("▁▁", "▁▁▁", "a b", "ab", "▁a", "a▁", "é", "i", " ", "<x>"), k=source.choice((0, 0, 1, 2)))
    pieces = {"<unk>": ScoredPiece("<unk>", 0.0, "unknown")}
    pieces |= {piece: ScoredPiece(piece, 0.0, "user_defined") for piece in marked}
    pieces |= {"<s>": ScoredPiece("<s>", 0.0, "control")} if source.random() < 0.5 else {}
    pieces |= {piece: ScoredPiece(piece, 0.0, "byte") for piece in BYTES if fallback}
    for piece in (*letters, *words):
        kind = "unused" if source.random() < 0.05 else "normal"
        pieces.setdefault(piece, ScoredPiece(piece, -round(source.uniform(0.5, 9), source.choice((0, 1, 3))), kind))
    return SentencePieceModel(
        tuple(pieces.values()),
        algorithm,
        byte_fallback=fallback,
        whitespace_as_suffix=source.random() < 0.25,
        add_dummy_prefix=source.random() < 0.7,
        remove_extra_whitespaces=source.random() < 0.5,
        escape_whitespaces=source.random() < 0.9,
        unknown_surface=source.choice((" ⁇ ", " ⁇ ", "?", "<unk>")),
    )


def random_texts(source: random.Random, count: int) -> Iterator[str]:
    """Yield texts of what the models have and have not."""
    parts = [*"abitéab", " ", " ", " ", "  ", "▁", "x", "你", "\n", "<x>", "<s>", "<0x61>", "a b"]
    for _ in range(count):
        yield "".join(source.choices(parts, k=source.randint(1, 14)))


def random_long_text(source: random.Random) -> str:
    """Return a text of words and of runs of one character, some longer than anything that is segmented at once."""
    runs = [source.choice("abit▁ x你") * source.randint(300, 900) for _ in range(2)]
    words = [*random_texts(source, source.randint(1, 60))]
    return "".join(source.sample([*runs, *words], k=2 + len(words)))
