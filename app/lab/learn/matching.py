"""Scenes about encoding by WordPiece, which takes the longest match, and Unigram, the best path or a sampled one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from math import exp
from random import Random
from typing import TYPE_CHECKING

from ...errors import Invalid, plural
from ...scratch.sample_unigram import NBest, SampledSegmentation, draw_samples, n_best
from ...scratch.unigram import Relaxed, viterbi
from ...scratch.wordpiece import LookUp, iter_look_ups
from ...types import Traced
from ..steps.step import Arc, Lattice, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, log_score, percent
from .answers import ask_boundaries
from .code import trace_lines
from .prose import fill, say
from .scene import Question, Trace, Wrong, ask, to_plain_text

if TYPE_CHECKING:
    from ...files.from_scratch_pieces import PieceTokenizer
    from ...registry import Registry

BERT = "bert-base-uncased"
T5 = "t5"
LONGEST = 16
"""Characters of the longest word of these scenes."""


def first_word(text: str) -> str:
    """Return the first word of a text. Raises `Invalid` if it is too long for these scenes."""
    word = text.split()[0]
    if len(word) > LONGEST:
        message = f"This scene plays one word of at most {LONGEST} characters; {word[:20]}… has {len(word)}."
        raise Invalid(message, pointer="/text", limit=LONGEST)
    return word


def trace_wordpiece(text: str, registry: Registry) -> Trace:
    """Trace the look-ups of one word in BERT's vocabulary."""
    tokenizer: PieceTokenizer = registry.get(BERT, "scratch")  # type: ignore[assignment]
    ids = {entry.piece: entry.id for entry in tokenizer.entries}
    word = first_word(text).lower()
    whole = TileRow((Tile(word, NO_ID),), "word")
    steps = [Step(say("wordpiece.steps.start", tokens=plural(len(ids), "token")), (whole,))]
    tokens: list[Tile] = []
    tried_here: list[LookUp] = []
    look_ups = [*trace_lines(iter_look_ups(word, ids))]
    for number, (line, step) in enumerate(look_ups):
        if not isinstance(step, LookUp):
            result = TileRow(tuple(Tile(token, ids[token], at) for at, token in enumerate(step.tokens)), "tokens")
            unknown = step.tokens == ["[UNK]"]
            sentence = say("wordpiece.steps.unknown") if unknown else say("wordpiece.steps.end")
            steps.append(Step(sentence, (whole, result), line, steps[-1].table))
            continue
        tried_here.append(step)
        following = look_ups[number + 1][1]
        if len(tried_here) > 2 and not step.match and isinstance(following, LookUp) and not following.match:
            continue  # the first two and the last of those that are missing are shown; the table has all
        table = _list_tried(tried_here)
        tried = Tile(step.token, ids.get(step.token, NO_ID), len(tokens), "new" if step.match else "missed")
        if step.match:
            looked_up = say("wordpiece.steps.taken", token=tried)
        elif len(tried_here) > 3:
            skipped = plural(len(tried_here) - 3, "candidate in between is", "candidates in between are")
            looked_up = say("wordpiece.steps.skipped", token=tried, skipped=skipped)
        else:
            looked_up = say("wordpiece.steps.missed", token=tried)
        rest = word[step.end :]
        row = (*tokens, tried, *((Tile(rest, NO_ID, len(tokens) + 1, "rest"),) if rest else ()))
        symbols = ("longest", "match") if step.match else ("longest",)
        steps.append(Step(looked_up, (whole, TileRow(row, "tokens")), line, table, symbols=symbols))
        if step.match:
            tokens.append(Tile(step.token, ids[step.token], len(tokens)))
            tried_here = []
    first = next((at for at, step in enumerate(steps) if "match" in step.symbols), 1)
    marked = _ask_matches(word, ids, whole, [token.text for token in tokens], len(steps) - 1)
    return Trace(steps, _first_match(word, ids, whole, first), (marked,) if marked else ())


def _list_tried(tried: Sequence[LookUp]) -> Table:
    rows = [(one.token, "yes" if one.match else "no") for one in tried]
    return tabulate("From here, the longest first", ("token", "in the vocabulary"), rows, chosen=(len(rows) - 1,))


def _first_match(word: str, ids: Mapping[str, int], row: TileRow, shown_at: int) -> Question | None:
    prefixes = [word[:end] for end in range(len(word), 0, -1) if word[:end] in ids]
    if not prefixes:
        return None
    right = prefixes[0]
    wrong: list[Wrong] = [(shorter, "shorter", {"right": right}) for shorter in prefixes[1:]]
    if right != word:
        wrong.append((word, "whole"))
        wrong += [(word[:end], "longer") for end in range(len(right) + 1, len(right) + 3)]
    in_order = sorted(prefixes, key=lambda prefix: prefix[::-1])  # not by length, which is the answer
    begin = TileRow(tuple(Tile(prefix, ids[prefix], at) for at, prefix in enumerate(in_order)), "begin it")
    return ask("wordpiece.question", right, wrong, (row, begin), shown_at=shown_at) if wrong else None


MOST_FITTING = 36
"""Tokens of two letters and more that a question can list."""


def _ask_matches(
    word: str, ids: Mapping[str, int], row: TileRow, tokens: Sequence[str], shown_at: int
) -> Question | None:
    """Return the question where the longest matches end; None for one token, none, or too many that fit."""
    parts = [token.removeprefix("##") for token in tokens]
    spans = [(start, end) for start in range(len(word)) for end in range(start + 2, len(word) + 1)]
    fitting = {"##" * (start > 0) + word[start:end] for start, end in spans} & ids.keys()
    if "".join(parts) != word or len(fitting) > MOST_FITTING:
        return None
    tiles = [Tile(one, ids[one], at) for at, one in enumerate(sorted(fitting, key=lambda token: token[::-1]))]
    rows = tuple(
        TileRow(tuple(tile for tile in tiles if tile.text.startswith("##") == inside), label)
        for inside, label in ((False, "begin it"), (True, "inside"))
    )
    backwards = {token.removeprefix("##")[::-1] for token in fitting}
    wrong = [
        ([*word], fill("wordpiece.question.letters")),
        (_match(word, ids.keys()), fill("wordpiece.question.unmarked")),
        (_match(word[::-1], backwards, back=True), fill("wordpiece.question.backwards")),
    ]
    given = Step(say("wordpiece.question.fitting"), (row, *rows))
    prompt = say("wordpiece.question.boundaries")
    return ask_boundaries(prompt, word, parts, fill("wordpiece.question.longest"), wrong, given, shown_at)


def _match(word: str, tokens: Set[str], *, back: bool = False) -> list[str]:
    """Return the longest matches from the left; of a word and tokens that are spelled `back`, those from the right.

    >>> _match("unable", {"un", "una"}), _match("elbanu", {"elba"}, back=True)
    (['una', 'b', 'l', 'e'], ['u', 'n', 'able'])
    """
    parts = list[str]()
    while word:
        end = max((end for end in range(2, len(word) + 1) if word[:end] in tokens), default=1)
        parts.append(word[:end])
        word = word[end:]
    return [part[::-1] for part in reversed(parts)] if back else parts


Edges = Mapping[tuple[int, int], tuple[float, int]]
"""Score and id of the tokens that fit in a word, by where they begin and end."""


def find_edges(text: str, registry: Registry) -> tuple[str, Edges]:
    """Return the first word of a text as T5 normalizes it, and the tokens of T5 that fit in it."""
    tokenizer = registry.get(T5, "scratch")
    assert isinstance(tokenizer, Traced)
    trace = tokenizer.trace(first_word(text))
    word = trace.normal
    model = trace.lattice
    assert model is not None
    return word, {
        (start, end): (score, id) for start in range(len(word)) for end, score, id in model.edges(word, start)
    }


def trace_unigram(text: str, registry: Registry) -> Trace:
    """Trace Viterbi's algorithm on one word with the tokens and scores of T5."""
    word, edges = find_edges(text, registry)
    scores = {word[start:end]: score for (start, end), (score, _) in edges.items()}
    letters = TileRow(tuple(Tile(character, NO_ID + ord(character), at) for at, character in enumerate(word)))
    question = _likeliest(word, scores, letters)
    table = question.given.table if question and question.given else None
    sentence = say("unigram.steps.start", tokens=plural(len(edges), "token"))
    steps = [Step(sentence, (letters,), table=table, lattice=_lattice(word, edges, [*edges], {}))]
    traced = [*trace_lines(viterbi(word, scores))]
    improved = [step for _, step in traced if isinstance(step, Relaxed)]
    sums = {0: 0.0} | {step.end: step.score for step in improved}
    better: dict[int, Relaxed] = {}
    compared: dict[int, list[tuple[int, int]]] = {}
    for number, (line, step) in enumerate(traced):
        if isinstance(step, Relaxed):
            better[step.end] = step
            # A token that improves the position later has a step of its own; one that does not is compared here.
            later = min((one.start for one in improved[number + 1 :] if one.end == step.end), default=step.end)
            compared[step.end] = sorted(span for span in edges if span[1] == step.end and span[0] < later)
            newest = (step.start, step.end)
            token = _edge_tile(step.token, edges.get(newest))
            reached = say("unigram.steps.reached", token=token, end=step.end, score=log_score(step.score))
            arcs = _lattice(word, edges, [span for spans in compared.values() for span in spans], better, newest)
            table = _compare_ends(word, edges, compared[step.end], sums, step)
            steps.append(Step(reached, (letters,), line, table, symbols=("best", "log"), lattice=arcs))
        else:
            row = TileRow(
                tuple(_edge_tile(token, _edge(edges, word, token), at) for at, token in enumerate(step.tokens))
            )
            end = fill("unigram.steps.end", tokens=plural(len(step.tokens), "token"), score=log_score(step.score))
            path = {one.end: one for one in _follow_back(better, len(word))}
            arcs = _lattice(word, edges, [*edges], path, sums=better)
            steps.append(Step((end,), (row,), line, _n_best(word, scores), lattice=arcs, symbols=("sum",)))
    return Trace(steps, question, _ask_way(word, question))


def _edge(edges: Edges, word: str, token: str) -> tuple[float, int] | None:
    return next((edge for (start, end), edge in edges.items() if word[start:end] == token), None)


def _edge_tile(token: str, edge: tuple[float, int] | None, at: int = 0) -> Tile:
    return Tile(token, edge[1] if edge else NO_ID, at, "" if edge else "unknown")


def _follow_back(better: Mapping[int, Relaxed], end: int) -> Iterator[Relaxed]:
    while end:
        yield better[end]
        end = better[end].start


def _lattice(
    word: str,
    edges: Edges,
    shown: Sequence[tuple[int, int]],
    best: Mapping[int, Relaxed],
    newest: tuple[int, int] = (0, 0),
    sums: Mapping[int, Relaxed] | None = None,
) -> Lattice:
    """Return the tokens shown as arcs, those in `best` in bold and the newest dashed; the others lost."""
    reached = {end: f"{step.score:.1f}".replace("-", "−") for end, step in (sums or best).items()}
    bold = {(step.start, step.end) for step in best.values()}
    arcs = tuple(
        Arc(
            *span,
            tile=Tile(word[slice(*span)], edges[span][1]),
            value=log_score(edges[span][0]),
            best=span in bold and span != newest,
            new=span == newest,
        )
        for span in sorted(shown)
    )
    return Lattice(tuple(word), arcs, ("0", *(reached.get(end, "") for end in range(1, len(word) + 1))))


def _compare_ends(
    word: str, edges: Edges, spans: Sequence[tuple[int, int]], sums: Mapping[int, float], best: Relaxed
) -> Table:
    """Return the tokens that end where the best one ends, with their scores and the sums of their paths."""
    rows = [
        Row(
            (word[slice(*span)], log_score(edges[span][0]), log_score(sums[span[0]] + edges[span][0])),
            chosen=span[0] == best.start,
        )
        for span in spans
    ]
    return tabulate(f"Tokens that end at position {best.end}", ("token", "log p", "sum of the path"), rows)


def _n_best(word: str, scores: Mapping[str, float]) -> Table | None:
    best = n_best(word, scores, 5)
    if not best:
        return None
    total = sum(exp(score) for score, _ in best)
    rows = tuple(
        Row((" ".join(tokens), log_score(score), f"{100 * exp(score) / total:.1f} %"), chosen=not at)
        for at, (score, tokens) in enumerate(best)
    )
    return Table("The five best segmentations", ("tokens", "sum", "share"), rows)


def _likeliest(word: str, scores: Mapping[str, float], letters: TileRow) -> Question | None:
    best = n_best(word, scores, 2 * MOST_WAYS)
    if len(best) < 2:
        return None
    (highest, right) = best[0]
    others = sorted(best[1:], key=lambda way: abs(len(way[1]) - len(right)))  # by how many tokens they have
    used = sorted(
        {token for _, tokens in (best[0], *others[:MOST_WAYS]) for token in tokens},
        key=lambda token: (word.find(token), len(token)),
    )
    rows = tuple(Row((token, log_score(scores[token]))) for token in used)
    return ask(
        "unigram.question",
        " ".join(right),
        [
            (" ".join(tokens), "less", {"score": log_score(score), "highest": log_score(highest)})
            for score, tokens in others[:MOST_WAYS]
        ],
        (letters,),
        table=Table("Log-probabilities of tokens of T5", ("token", "log p"), rows),
        shown_at=-1,
        highest=log_score(highest),
    )


def _ask_way(word: str, question: Question | None) -> tuple[Question, ...]:
    """Return the same question with boundaries to mark."""
    if not question or not question.given:
        return ()
    (right, reason), *wrong = ((to_plain_text(one.label).split(" "), one.reason) for one in question.choices)
    prompt = say("unigram.question.boundaries")
    marked = ask_boundaries(prompt, word, right, reason, wrong, question.given, question.shown_at)
    return (marked,) if marked else ()


ALPHA = 0.3
"""How much of their difference the probabilities keep while training draws from them."""
ALPHAS = {
    1.0: fill("sampling.steps.one"),
    0.0: fill("sampling.steps.zero"),
    ALPHA: fill("sampling.steps.between", alpha=ALPHA),
}
MOST_WAYS = 6
DRAWS = 20


def trace_sampling(text: str, registry: Registry) -> Trace:
    """Trace the best segmentations of a word by T5, and draw from them."""
    word, edges = find_edges(text, registry)
    scores = {word[start:end]: score for (start, end), (score, _) in edges.items()}
    ids = {word[start:end]: id for (start, end), (_, id) in edges.items()}
    if not n_best(word, scores, 1):
        raise Invalid("T5 has no token for some character of this word.", pointer="/text")
    shares = dict[float, list[float]]()
    steps = list[Step]()
    places = list[int]()
    for alpha, sentence in ALPHAS.items():
        for line, step in trace_lines(_draw(word, scores, alpha)):
            if isinstance(step, NBest):
                best = step
                shares[alpha] = step.shares
                row = _way(step.ways[0], ids)
                steps.append(Step((sentence,), (row,), line, _tabulate_draws(best, [], alpha), symbols=ALPHA_SYMBOLS))
                continue
            places.append(step.place)
            epoch = say("sampling.steps.draw", number=len(places))
            table = _tabulate_draws(best, places, alpha)
            steps.append(Step(epoch, (_way(step.tokens, ids),), line, table, symbols=("share",)))
    return Trace(steps, _ask_best_share(shares, steps[0]))


ALPHA_SYMBOLS = ("alpha", "share")


def _draw(word: str, scores: Mapping[str, float], alpha: float) -> Iterator[NBest | SampledSegmentation]:
    return draw_samples(word, scores, n=MOST_WAYS, alpha=alpha, random=Random(word), draws=DRAWS * (alpha == ALPHA))


def _way(tokens: Sequence[str], ids: Mapping[str, int]) -> TileRow:
    return TileRow(tuple(Tile(token, ids[token], at) for at, token in enumerate(tokens)))


def _tabulate_draws(best: NBest, places: Sequence[int], alpha: float) -> Table:
    counts = Counter(places)
    rows = tuple(
        Row((" ".join(tokens), percent(share), *([f"{counts[at]}"] if places else [])), places[-1:] == [at])
        for at, (tokens, share) in enumerate(zip(best.ways, best.shares, strict=True))
    )
    return Table(f"α = {alpha:g}", ("tokens", "share", "drawn") if places else ("tokens", "share"), rows)


def _ask_best_share(shares: Mapping[float, Sequence[float]], first: Step) -> Question | None:
    if len(shares[1.0]) < 2:
        return None
    right = percent(shares[ALPHA][0])
    return ask(
        "sampling.question",
        right,
        [
            (percent(shares[1.0][0]), "one"),
            (percent(shares[0.0][0]), "zero"),
            (percent(ALPHA * shares[1.0][0]), "times"),
            ("100.0 %", "large"),
        ],
        first.rows,
        table=first.table,
        shown_at=2,
        share=percent(shares[1.0][0]),
        ways=len(shares[1.0]),
        alpha=ALPHA,
        right=right,
    )
