"""The files that a trained tokenizer is taken away in, and why it has no more of them."""

from collections.abc import Callable, Mapping

from app.errors import BadFile
from app.formats.from_learned import minbpe_model, ranks, sentencepiece_model
from app.formats.learned_json import tokenizer_json
from app.formats.minbpe_model import dump_minbpe
from app.formats.sentencepiece_model import dump_model
from app.formats.tiktoken_ranks import dump_ranks
from app.types import Learned

WRITERS: Mapping[str, Callable[[Learned], bytes]] = {
    "tokenizer.json": tokenizer_json,
    "sentencepiece.model": lambda learned: dump_model(sentencepiece_model(learned)),
    "ranks.tiktoken": lambda learned: dump_ranks(ranks(learned)),
    "minbpe.model": lambda learned: dump_minbpe(minbpe_model(learned)),
}
FILES = tuple(WRITERS)
CARD = "README.md"
MEDIA_TYPES: Mapping[str, str] = {
    "tokenizer.json": "application/json",
    "sentencepiece.model": "application/octet-stream",
    "ranks.tiktoken": "text/plain; charset=utf-8",
    "minbpe.model": "text/plain; charset=utf-8",
    CARD: "text/markdown; charset=utf-8",
}


def files(learned: Learned) -> dict[str, bytes]:
    """The files that say all that was learned, by name.

    >>> from app.scratch.words import byte_alphabet
    >>> list(files(Learned("bpe", "bytes", (*byte_alphabet(), "hi"), ((104, 105),))))
    ['tokenizer.json', 'ranks.tiktoken', 'minbpe.model']
    """
    return {name: made for name, made in _tried(learned).items() if isinstance(made, bytes)}


def refusals(learned: Learned) -> dict[str, str]:
    """The files that there are not, and why not."""
    return {name: made for name, made in _tried(learned).items() if isinstance(made, str)}


def _tried(learned: Learned) -> dict[str, bytes | str]:
    done: dict[str, bytes | str] = {}
    for name, write in WRITERS.items():
        try:
            done[name] = write(learned)
        except BadFile as error:
            done[name] = error.detail
    return done
