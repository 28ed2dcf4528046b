"""The from-scratch engines against their references; ids that differ stop the run."""

import base64
import random
from collections.abc import Callable, Iterator, Mapping

import regex
from tokenarium.errors import EngineFailed
from tokenarium.files.tiktoken.ranks import read_ranks
from tokenarium.registry import Registry
from tokenarium.scratch.bpe import encode
from tokenarium.settings import Settings
from tokenarium.store import read_store
from tokenarium.types import Tokenizer

from benchmarks.measure import Figure, ratio, scaled, seconds
from benchmarks.text import MEGABYTE, english, mixed

SHARES = scaled(
    {
        "o200k_base": (0.4, 0.25),
        "cl100k_base": (0.4, 0.3),
        "mistral-v3": (0.15, 0.15),
        "udhr-unigram-16k": (1 / 15, 1 / 15),
        "bert-base-uncased": (1.3, 1.3),
    },
    {"gpt2": (0.4, 0.25)},
)
"""The shares of the reference's speed that each engine should reach on English and mixed text it has not met."""

AGAIN = dict.fromkeys(scaled(("o200k_base", "cl100k_base"), ("gpt2",)), 0.4)
WORST = 4.0
PLAIN = 10.0
Work = Callable[[], object]


def figures() -> Iterator[Figure]:
    for number, (label, text) in enumerate((("English", english()), ("mixed scripts", mixed()))):
        for id, shares in SHARES.items():
            yield fresh(id, text, label, shares[number])
        for id, share in AGAIN.items():
            yield again(id, text, label, share)
    for id in AGAIN:
        yield worst(id)
        yield plain(id)


def fresh(id: str, text: str, label: str, share: float) -> Figure:
    """A new engine each time, so that no word has been met."""
    theirs = Registry(Settings()).get(id)
    new = iter([Registry(Settings()).get(id, "scratch") for _ in range(scaled(4, 2))])
    assert (next(new).encode(text).ids == theirs.encode(text).ids).all()
    engines = iter([theirs, *new])  # the first run of a ratio warms up and is not counted
    name = f"{id} from scratch, unmet, {label}"
    return speed(name, lambda: next(engines).encode(text), lambda: theirs.encode(text), share, 3)


def again(id: str, text: str, label: str, share: float) -> Figure:
    """The same engine over the same words."""
    registry = Registry(Settings())
    ours, theirs = registry.get(id, "scratch"), registry.get(id)
    return speed(f"{id} from scratch, met, {label}", lambda: ours.encode(text), lambda: theirs.encode(text), share, 9)


def speed(name: str, work: Work, base: Work, share: float, runs: int) -> Figure:
    """The share of the reference's speed: its time over ours."""
    slower = ratio(name, work, base, most=1 / share, runs=runs)
    return Figure(name, 1 / slower.value, f">= {share:.2f}", slower.met, slower.note)


def worst(id: str) -> Figure:
    """The most that any degenerate megabyte takes, in times of tiktoken's."""
    registry = Registry(Settings())
    ours, theirs = registry.get(id, "scratch"), registry.get(id)
    times = {name: slowdown(ours, theirs, text) for name, text in pathological().items()}
    measured = {name: value for name, value in times.items() if value is not None}
    name = max(measured, key=lambda one: measured[one])
    failed = ", ".join(one for one, value in times.items() if value is None)
    note = f"{name}; tiktoken fails on: {failed or 'none'}"
    value = measured[name]
    return Figure(f"{id} from scratch, worst megabyte", value, f"<= {WORST:.0f}", value <= WORST, note)


def plain(id: str) -> Figure:
    """How much faster than looking at all pairs of a word again after each merge, as is taught, on unmet text."""
    registry, text = Registry(Settings()), english()
    record = next(record for record in read_store(Settings().store) if record.info.id == id)
    ranks, pattern = read_ranks(record), record.pattern
    ours, ids = registry.get(id, "scratch"), list[int]()
    slow = seconds(lambda: ids.extend(rescanned(text, ranks, pattern)))
    fast = seconds(lambda: ours.encode(text))
    assert ours.encode(text).ids.tolist() == ids
    note = f"{fast * 1000:.1f} ms against {slow * 1000:.1f} ms"
    name, times = f"{id} from scratch, times as fast as rescanning", slow / fast
    return Figure(name, times, f">= {PLAIN:.0f}", times >= PLAIN, note)


def rescanned(text: str, ranks: Mapping[bytes, int], pattern: str) -> Iterator[int]:
    """Yield the ids of a text by the teaching file, which looks at all pairs of a word again after each merge."""
    for word in regex.findall(pattern, text):
        yield from (ranks[token] for token in encode(word.encode(), ranks))


def slowdown(ours: Tokenizer, theirs: Tokenizer, text: str) -> float | None:
    """Our time over theirs, or None where theirs gives up."""
    taken = seconds(lambda: ours.encode(text))
    try:
        return taken / seconds(lambda: theirs.encode(text))
    except EngineFailed:
        return None


def pathological() -> dict[str, str]:
    """Megabytes that pre-tokenizers and merge loops fear."""
    source = random.Random(1)
    return {
        "one letter": "a" * MEGABYTE,
        "spaces": " " * MEGABYTE,
        "spaces, a letter": " " * (MEGABYTE - 1) + "a",
        "carets": "^" * MEGABYTE,
        "CJK": "".join(chr(source.randrange(0x4E00, 0x9FA6)) for _ in range(MEGABYTE // 3)),
        "emoji": "".join(chr(source.randrange(0x1F300, 0x1F650)) for _ in range(MEGABYTE // 4)),
        "base64": base64.b64encode(source.randbytes(MEGABYTE * 3 // 4)).decode(),
        "random letters": "".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=MEGABYTE)),
    }
