"""The scene about decoding: tokens of four vocabularies become text, and not always the one that was encoded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from ...errors import plural
from ...registry import Registry
from ...scratch import decode
from ...scratch.byte_fallback import iter_text
from ...types import Tokenizer
from ..steps.step import Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, make_row, spell
from .code import trace_lines
from .colours import distinguish
from .prose import say
from .scene import Question, Trace, ask, limit_text
from .words import sample_rare_character

MOST = 40
"""Characters of a text."""


class Notation(NamedTuple):
    """How the tokens of a model mark spaces: its vocabulary, what decodes them, and the keys of its sentences."""

    model: str
    id: str
    decoder: Callable[[Iterable[Any]], Iterator[bytes]]
    marked: str
    unmarked: str

    def read(self, tokenizer: Tokenizer, id: int) -> str | bytes:
        """Return a token as the decoder reads it."""
        if self.decoder is decode.decode_word_ends:  # CLIP's entries do not say whether they end a word
            return tokenizer.decode([id])
        entry = tokenizer.entry(id)
        return entry.raw if self.decoder is decode.decode_bytes else entry.piece


NOTATIONS = (
    Notation("CLIP", "clip", decode.decode_word_ends, "ends", "no-ends"),
    Notation("BERT", "bert-base-uncased", decode.decode_continuations, "continues", "no-continues"),
    Notation("Mistral 7B", "mistral-v1", decode.decode_marked_spaces, "spaces", "no-spaces"),
    Notation("GPT-2", "gpt2", decode.decode_bytes, "bytes", "no-bytes"),
)
ASKED = "BERT"


def trace_decoding(text: str, registry: Registry) -> Trace:
    """Trace how the tokens of four models become text again, one after the other."""
    limit_text(len(text), MOST, "characters")
    steps = [Step(say("decode.steps.start"), (_text_row(text, "text"),))]
    results: list[tuple[str, str]] = []
    rows: dict[str, TileRow] = {}
    shown_at = 0
    for notation in NOTATIONS:
        tokenizer = registry.get(notation.id, "scratch")
        ids: list[int] = tokenizer.encode(text).ids.tolist()
        tokens = [notation.read(tokenizer, id) for id in ids]
        tiles = [Tile(_spell(token), id) for token, id in zip(tokens, ids, strict=True)]
        rows[notation.model] = make_row(tiles, "tokens")
        shown = ""
        lines = [line for line, _ in trace_lines(notation.decoder(tokens))]
        for at, (line, step) in enumerate(zip(lines, iter_text(notation.decoder(tokens)), strict=True)):
            shown += step.text
            key = notation.marked if _is_marked(tokens[at]) else notation.unmarked
            key = "waits" if step.waiting else key
            sentence = say(f"decode.steps.{key}", model=notation.model, token=tiles[at])
            written = _text_row(shown, "text so far")
            now = replace(rows[notation.model], tiles=tuple(_mark(rows[notation.model].tiles, at)))
            waiting = [make_row([Tile(spell(step.waiting), NO_ID, mark="rest")], "waiting")] if step.waiting else []
            steps.append(Step(sentence, (now, written, *waiting), line, _tabulate(text, results)))
        results.append((notation.model, shown))
        same = "same" if shown == text else "differs"
        end = say(f"decode.steps.{same}", model=notation.model, tokens=plural(len(ids), "token"))
        both = (rows[notation.model], _text_row(shown, "decoded"), _text_row(text, "text"))
        steps.append(Step(end, both, line, _tabulate(text, results)))
        shown_at = len(steps) - 1 if notation.model == ASKED else shown_at
    return distinguish(Trace(steps, _ask_text(text, rows[ASKED], dict(results)[ASKED], shown_at)))


def _mark(tiles: Iterable[Tile], at: int) -> Iterator[Tile]:
    for number, tile in enumerate(tiles):
        yield replace(tile, mark="new" if number == at else "rest" if number > at else "")


def _is_marked(token: str | bytes) -> bool:
    """Return whether a token has a mark, or, as bytes, a space."""
    if isinstance(token, bytes):
        return decode.END in token or b" " in token
    return token.startswith((decode.CONTINUES, decode.SPACE))


def _spell(token: str | bytes) -> str:
    """Return a token with its mark, also where its bytes are no text."""
    if isinstance(token, bytes) and token.endswith(decode.END):
        return spell(token.removesuffix(decode.END)) + decode.END.decode()
    return spell(token)


def _text_row(text: str, label: str) -> TileRow:
    return make_row([Tile(text, NO_ID)] if text else [], label)


def _tabulate(text: str, results: Sequence[tuple[str, str]]) -> Table | None:
    """Return the texts that have come back so far; None before the first."""
    if not results:
        return None
    rows = [
        Row((model, (Tile(shown, NO_ID),), "yes" if shown == text else "no"), chosen=shown == text)
        for model, shown in results
    ]
    return tabulate("What comes back", ("model", "decoded", "the same"), rows)


def _ask_text(text: str, row: TileRow, decoded: str, shown_at: int) -> Question:
    """Return the question which text BERT's tokens become."""
    tokens = [tile.text for tile in row.tiles]
    bare = [token.removeprefix(decode.CONTINUES) for token in tokens]
    texts = {"same": text, "spaced": " ".join(tokens), "joined": "".join(bare), "words": " ".join(bare)}
    wrong = [(Tile(one, NO_ID), key) for key, one in texts.items()]
    return ask("decode.question", Tile(decoded, NO_ID), wrong, (row,), shown_at=shown_at)


def sample_lossy_text(random: Random) -> str:
    """Return a text that not every vocabulary gives back: capitals, a long word, a rare character."""
    word = random.choice(("Tokenizers", "Untokenized", "Subwords", "Detokenized", "Vocabularies"))
    return f"{word} {sample_rare_character(random)}"
