"""The scene about the exact next byte: the counted model, summed over all lists of tokens that cover a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isclose
from random import Random
from typing import NamedTuple

from ...errors import plural
from ...registry import Registry
from ...scratch.next_byte import Context, NextByte, ReachedPosition, list_covers, sum_covers
from ...scratch.next_token import Followers, back_off
from ...settings import Settings
from ...types import Tokenizer
from ..languages.declarations import declarations
from ..steps.step import Fact, Row, Step, Table, Tile, Words, tabulate
from ..steps.tiles import NO_ID, make_row, percent, significant, spell, visible
from .code import trace_lines
from .growing import CUT_MODEL, ORDER, count_tokens
from .prose import say
from .scene import Question, Trace, ask, limit_text
from .texts import token_tiles

END = "<|endoftext|>"
MOST_BYTES = 60
MOST_COVERS = 6
"""Covers that the stage shows."""
MOST_NEXT_BYTES = 8
MOST_FOLLOWERS = 40
"""Tokens that a question lists."""
Shares = Mapping[bytes, float]


class CountedModel(NamedTuple):
    """What has followed each context in the training text, and the bytes of its tokens; none for the end of a text."""

    followers: Followers
    spellings: Mapping[int, bytes]
    end: int

    def followed(self, context: Context) -> Mapping[int, int]:
        """Return how often each token has followed the longest context that the training text has."""
        *_, (_, followed) = back_off(context, self.followers, order=ORDER)
        return followed

    def predict(self, context: Context) -> Mapping[int, float]:
        """Return the probability of each next token."""
        followed = self.followed(context)
        return {token: count / sum(followed.values()) for token, count in followed.items()}

    def share_bytes(self, context: Context) -> Shares:
        """Return the shares of the first byte of the next token, the largest first."""
        counts = Counter[bytes]()
        for token, count in self.followed(context).items():
            counts[self.spellings[token][:1]] += count
        return {byte: count / counts.total() for byte, count in counts.most_common()}


def _learn(tokenizer: Tokenizer) -> CountedModel:
    """Count the paragraphs of the declaration, with the token that ends a text around each."""
    end = tokenizer.info.special_tokens[END]
    ids = [end]
    for paragraph in _paragraphs():
        ids += [*tokenizer.encode(paragraph).ids.tolist(), end]
    spellings = {id: b"" if id == end else tokenizer.entry(id).raw for id in {*ids}}
    return CountedModel(count_tokens(tuple(ids)), spellings, end)


def _paragraphs() -> list[str]:
    return [line for line in declarations(Settings().store)["eng"].text.splitlines() if line]


def trace_next_byte(text: str, registry: Registry) -> Trace:
    """Trace what follows the tokens of a text, and then the sum over all lists of tokens that cover it."""
    data = text.encode()
    limit_text(len(data), MOST_BYTES, "bytes")
    tokenizer = registry.get(CUT_MODEL, "scratch")
    model = _learn(tokenizer)
    ids: list[int] = tokenizer.encode(text).ids.tolist()
    after_tokens = model.share_bytes((model.end, *ids))
    best, share = next(iter(after_tokens.items()))
    start = say("next-byte.steps.start", tokens=plural(len(ids), "token"), byte=_tile(best), share=percent(share))
    row = make_row(token_tiles(tokenizer, ids), "tokens")
    steps = [Step(start, (row,), table=_tabulate(after_tokens), symbols=("tokens",))]
    found = NextByte(0.0, {})
    reached: list[ReachedPosition] = []
    begin = (model.end,)
    for line, step in trace_lines(sum_covers(data, model.predict, model.spellings, start=begin, order=ORDER)):
        if isinstance(step, NextByte):
            found = step
        elif step.at:
            lists = sum(step.lists.values())
            beginning = _tile(data[: step.at])
            reached_there = say("next-byte.steps.reached", beginning=beginning, probability=significant(lists))
            rest = [Tile(spell(data[step.at :]), NO_ID, mark="rest")] if data[step.at :] else []
            steps.append(Step(reached_there, (make_row([beginning, *rest], "text"),), line, symbols=("covers",)))
        if isinstance(step, ReachedPosition):
            reached.append(step)
    if not found.shares:
        unspelled = _tile(data[reached[-1].at :] or data)
        steps.append(Step(say("next-byte.steps.nothing", rest=unspelled), steps[-1].rows, line))
        return Trace(steps)
    covers = [*list_covers(data, model.predict, model.spellings, start=begin, order=ORDER)]
    steps.append(_show_covers(covers, found.probability, model, tokenizer))
    exact = dict(sorted(found.shares.items(), key=lambda item: -item[1]))
    right = next(iter(exact))
    before = _percent(after_tokens.get(right, 0.0))
    end = say("next-byte.steps.end", byte=_tile(right), share=percent(exact[right]), before=before)
    table = _tabulate(exact, after_tokens)
    steps.append(Step(end, steps[-1].rows, line, table, steps[-1].facts, ("share",)))
    return Trace(steps, _ask_byte(reached[-1], data, found, after_tokens, model, tokenizer))


def _tile(spelled: bytes) -> Tile:
    return Tile(spell(spelled) if spelled else "end", NO_ID + sum(spelled))


def _show_covers(
    covers: Sequence[tuple[Context, float]], total: float, model: CountedModel, tokenizer: Tokenizer
) -> Step:
    """Return the step that shows the most probable covers, and how much of the sum the tokenizer's own lists have."""
    canonical = 0.0
    for tokens, probability in covers:
        spelled = b"".join(map(model.spellings.__getitem__, tokens)).decode(errors="replace")
        canonical += probability * (tokenizer.encode(spelled).ids.tolist() == [*tokens])
    rows = (
        make_row(token_tiles(tokenizer, tokens), percent(probability / total))
        for tokens, probability in sorted(covers, key=lambda one: -one[1])[:MOST_COVERS]
    )
    facts = (
        Fact("probability of the text", significant(total)),
        Fact("of it, lists of the tokenizer", percent(canonical / total)),
    )
    lists = plural(len(covers), "list of tokens covers", "lists of tokens cover")
    sentence = say("next-byte.steps.covers", lists=lists)
    left_out = max(0, len(covers) - MOST_COVERS)
    return Step(sentence, tuple(rows), facts=facts, rows_left_out=left_out, symbols=("covers",))


def _tabulate(shares: Shares, after_tokens: Shares | None = None) -> Table:
    """Return the shares of the next byte after the tokens of the text, or the exact ones beside them."""
    rows: list[Row] = []
    for byte, share in shares.items():
        label: Words = (_tile(byte),)
        before = () if after_tokens is None else (_percent(after_tokens.get(byte, 0.0)),)
        rows.append(Row((label, *before, percent(share)), chosen=not rows))
    heads = ("byte", "share") if after_tokens is None else ("byte", "after the tokens", "exact")
    return tabulate("The next byte", heads, rows, most=MOST_NEXT_BYTES)


def _ask_byte(
    last: ReachedPosition,
    data: bytes,
    found: NextByte,
    after_tokens: Shares,
    model: CountedModel,
    tokenizer: Tokenizer,
) -> Question | None:
    """Return the question which byte is next; None unless all covers have one context before their last token."""
    (context, probability), *others = last.lists.items()
    rest = data[last.at :]
    followed = model.followed(context)
    fitting = {token: count for token, count in followed.items() if model.spellings[token].startswith(rest)}
    covered = probability * sum(fitting.values()) / sum(followed.values())
    best, *further = sorted(found.shares.items(), key=lambda item: -item[1])
    tied = bool(further) and isclose(further[0][1], best[1])
    if others or tied or not isclose(covered, found.probability) or sum(fitting.values()) > MOST_FOLLOWERS:
        return None
    right = _label(best[0])
    tiles: list[Tile] = []
    for token in sorted(fitting, key=lambda token: model.spellings[token][::-1]):
        tiles += fitting[token] * token_tiles(tokenizer, [token])
    wrong = [(_label(byte), "less", {"share": percent(share)}) for byte, share in further]
    unseen = [byte for byte in after_tokens if byte not in found.shares]
    wrong[:0] = [(_label(byte), "tokens", {"share": percent(after_tokens[byte])}) for byte in unseen[:1]]
    wrong += [(_label(byte), "never", {"share": ""}) for byte in unseen[1:4]]
    return ask(
        "next-byte.question",
        right,
        wrong,
        (make_row(tiles, "followed"),),
        shown_at=-1,
        beginning=_tile(data[: last.at]) if last.at else END,
        rest=_tile(rest) if rest else "any byte",
        right=right,
        most=percent(best[1]),
    )


def _percent(share: float) -> str:
    return percent(share) if share else "0 %"


def _label(byte: bytes) -> str:
    """Return a byte as an answer."""
    return visible(spell(byte)) if byte else "the end of the text"


def sample_beginning(random: Random) -> str:
    """Return the beginning of a paragraph of the declaration, cut after a space or inside a word."""
    paragraph = random.choice(_paragraphs())
    spaces = [at + 1 for at, character in enumerate(paragraph[:MOST_BYTES]) if character == " "]
    end = random.choice(spaces or [len(paragraph)])
    return paragraph[: random.choice((end, min(end + random.randint(1, 3), MOST_BYTES)))]
