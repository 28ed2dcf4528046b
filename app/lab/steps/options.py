"""What is asked to be stepped through, and the run that answers it."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Literal

from app.lab.memory import Memory, key_of
from app.lab.steps.frames import Branch, Run, Ties
from app.registry import Registry
from app.types import Algorithm, Unit

BRANCHES: Mapping[Branch, str] = {"learn": "Learn a vocabulary", "encode": "Encode a text"}
ALGORITHMS: Mapping[Algorithm, str] = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "Unigram"}
UNITS: Mapping[Unit, str] = {"characters": "characters", "marked": "characters, a mark at the end", "bytes": "bytes"}
TIES: Mapping[Ties, str] = {
    "first-seen": "the one seen first",
    "smallest": "the smallest ids, as in Hugging Face’s trainer",
    "lexicographic": "the first by spelling",
}
PATTERNS: Mapping[str, str] = {
    "spaces": "at white space",
    "whole": "not at all",
    "gpt2": "as GPT-2 does",
    "cl100k": "as GPT-4 does",
    "o200k": "as GPT-4o does",
    "llama3": "as Llama 3 does",
}


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that decides a run. A `table` gives words and how often they come, one a line.

    With a `temperature` a unigram model's cut is drawn, by the `seed`, besides the best one: at 0 all are alike, and
    the higher it is, the more the best wins (Kudo 2018 calls it α).
    """

    text: str
    branch: Branch = "learn"
    algorithm: Algorithm = "bpe"
    unit: Unit = "characters"
    pattern: str = "spaces"
    ties: Ties = "first-seen"
    merges: int = 50
    table: bool = False
    tokenizer: str = "o200k_base"
    special: Literal["text", "parse"] = "text"
    temperature: float | None = None
    seed: int = 0


def follow(registry: Registry, options: Options) -> Run:
    """The run of a trace. Raises what learning and encoding raise for what cannot be followed."""
    if options.branch == "encode":
        from app.lab.steps.encode.encoding import encode

        return encode(
            registry,
            options.text,
            tokenizer=options.tokenizer,
            special=options.special,
            temperature=options.temperature,
            seed=options.seed,
        )
    from app.lab.steps.learn.learning import learn

    return learn(
        options.text,
        algorithm=options.algorithm,
        unit=options.unit,
        pattern=options.pattern,
        ties=options.ties,
        merges=options.merges,
        table=options.table,
    )


class Followed:
    """The last few runs, so that each window of steps does not follow the whole again."""

    def __init__(self, *, entries: int = 16) -> None:
        self._memory = Memory[Run](entries=entries, max_bytes=entries, size=lambda run: 1)

    def get(self, key: str) -> Run | None:
        """A run that is still held."""
        return self._memory.get(key)

    def follow(self, registry: Registry, options: Options) -> tuple[str, Run]:
        """Like `follow`, with the key to ask for the run again."""
        key = key_of(options.text, *map(repr, astuple(options)[1:]))
        return key, self._memory.keep(key, lambda: follow(registry, options))
