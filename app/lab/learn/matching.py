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
from ..steps.step import Arc, Lattice, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, log_score, make_row, percent
from .answers import ask_boundaries
from .code import trace_lines
from .prose import fill, say
from .scene import Question, Trace, Wrong, ask, to_plain_text
from .texts import trace_text

if TYPE_CHECKING:
    from ...files.tokenizer_json.scratch import PipelineTokenizer
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
    tokenizer: PipelineTokenizer = registry.get(BERT, "scratch")  # type: ignore[assignment]
    ids = tokenizer.file.model.vocabulary
    word = first_word(text).lower()
    whole = TileRow((Tile(word, NO_ID),), "word")
    steps = [Step(say("wordpiece.steps.start", tokens=plural(len(ids), "token")), (whole,))]
    tokens: list[Tile] = []
    tried_here: list[LookUp] = []
    look_ups = [*trace_lines(iter_look_ups(word, ids))]
    for number, (line, step) in enumerate(look_ups):
        if not isinstance(step, LookUp):
            result = make_row((Tile(token, ids[token]) for token in step.tokens), "tokens")
            key = "unknown" if step.tokens == ["[UNK]"] else "end"
            steps.append(Step(say(f"wordpiece.steps.{key}"), (whole, result), line, steps[-1].table))
            continue
        tried_here.append(step)
        following = look_ups[number + 1][1]
        if len(tried_here) > 2 and not step.match and isinstance(following, LookUp) and not following.match:
            continue  # the first two and the last of those that are missing are shown; the table has all
        table = _list_tried(tried_here)
        tried = Tile(step.token, ids.get(step.token, NO_ID), mark="new" if step.match else "missed")
        looked_up = say("wordpiece.steps.missed", token=tried)
        if step.match:
            looked_up = say("wordpiece.steps.taken", token=tried)
        elif len(tried_here) > 3:
            skipped = plural(len(tried_here) - 3, "candidate in between is", "candidates in between are")
            looked_up = say("wordpiece.steps.skipped", token=tried, skipped=skipped)
        rest = word[step.end :]
        row = make_row([*tokens, tried, *([Tile(rest, NO_ID, mark="rest")] if rest else [])], "tokens")
        symbols = ("longest", "match") if step.match else ("longest",)
        steps.append(Step(looked_up, (whole, row), line, table, symbols=symbols))
        if step.match:
            tokens.append(Tile(step.token, ids[step.token]))
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
    right, *shorter = prefixes
    wrong: list[Wrong] = [(one, "shorter", {"right": right}) for one in shorter]
    if right != word:
        wrong.append((word, "whole"))
        wrong += [(word[:end], "longer") for end in range(len(right) + 1, len(right) + 3)]
    in_order = sorted(prefixes, key=lambda prefix: prefix[::-1])  # not by length, which is the answer
    begin = make_row((Tile(prefix, ids[prefix]) for prefix in in_order), "begin it")
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
    in_order = sorted(fitting, key=lambda token: token[::-1])
    begin, inside = ([one for one in in_order if one.startswith("##") == inside] for inside in (False, True))
    rows = (
        make_row((Tile(one, ids[one]) for one in ones), label)
        for ones, label in ((begin, "begin it"), (inside, "inside"))
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
    trace = trace_text(registry, T5, first_word(text))
    word, model = trace.normal, trace.lattice
    assert model is not None
    return word, {
        (start, end): (score, id) for start in range(len(word)) for end, score, id in model.edges(word, start)
    }


def trace_unigram(text: str, registry: Registry) -> Trace:
    """Trace Viterbi's algorithm on one word with the tokens and scores of T5."""
    word, edges = find_edges(text, registry)
    scores = {word[start:end]: score for (start, end), (score, _) in edges.items()}
    ids = {word[start:end]: id for (start, end), (_, id) in edges.items()}
    letters = make_row(Tile(character, NO_ID + ord(character)) for character in word)
    question = _likeliest(word, scores, letters)
    table = question.given.table if question and question.given else None
    start = say("unigram.steps.start", tokens=plural(len(edges), "token"))
    steps = [Step(start, (letters,), table=table, lattice=_lattice(word, edges, [*edges], {}))]
    # Shown position by position, so that a path which is compared has been summed before.
    traced = sorted(trace_lines(viterbi(word, scores)), key=lambda one: _place_of(one[1], len(word)))
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
            token = _token_tile(step.token, ids)
            reached = say("unigram.steps.reached", token=token, end=step.end, score=log_score(step.score))
            spans = [span for spans in compared.values() for span in spans]
            arcs = _lattice(word, edges, spans, better, (step.start, step.end))
            table = _compare_ends(word, edges, compared[step.end], sums, step)
            steps.append(Step(reached, (letters,), line, table, symbols=("best", "log"), lattice=arcs))
        else:
            row = make_row(_token_tile(token, ids) for token in step.tokens)
            end = say("unigram.steps.end", tokens=plural(len(step.tokens), "token"), score=log_score(step.score))
            path = {one.end: one for one in _follow_back(better, len(word))}
            arcs = _lattice(word, edges, [*edges], path, sums=better)
            steps.append(Step(end, (row,), line, _n_best(word, scores), lattice=arcs, symbols=("sum",)))
    return Trace(steps, question, _ask_way(word, question))


def _place_of(step: object, size: int) -> tuple[int, int]:
    return (step.end, step.start) if isinstance(step, Relaxed) else (size, size)


def _token_tile(token: str, ids: Mapping[str, int]) -> Tile:
    return Tile(token, ids[token]) if token in ids else Tile(token, NO_ID, mark="unknown")


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
    rows = []
    for start, end in spans:
        score = edges[start, end][0]
        cells = (word[start:end], log_score(score), log_score(sums[start] + score))
        rows.append(Row(cells, chosen=start == best.start))
    return tabulate(f"Tokens that end at position {best.end}", ("token", "log p", "sum of the path"), rows)


def _n_best(word: str, scores: Mapping[str, float]) -> Table | None:
    best = n_best(word, scores, 5)
    total = sum(exp(score) for score, _ in best)
    rows = ((" ".join(tokens), log_score(score), f"{100 * exp(score) / total:.1f} %") for score, tokens in best)
    heads = ("tokens", "sum", "share")
    return tabulate("The five best segmentations", heads, rows, chosen=(0,)) if best else None


def _likeliest(word: str, scores: Mapping[str, float], letters: TileRow) -> Question | None:
    best = n_best(word, scores, 2 * MOST_WAYS)
    if len(best) < 2:
        return None
    (score, right), *others = best
    highest = log_score(score)
    # Those with about as many tokens, so that their number says nothing.
    others = sorted(others, key=lambda way: abs(len(way[1]) - len(right)))[:MOST_WAYS]
    used = {token for tokens in (right, *(tokens for _, tokens in others)) for token in tokens}
    in_order = sorted(used, key=lambda token: (word.find(token), len(token)))
    rows = ((token, log_score(scores[token])) for token in in_order)
    return ask(
        "unigram.question",
        " ".join(right),
        [(" ".join(tokens), "less", {"score": log_score(score), "highest": highest}) for score, tokens in others],
        (letters,),
        table=tabulate("Log-probabilities of tokens of T5", ("token", "log p"), rows),
        shown_at=-1,
        highest=highest,
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
ALPHAS = {1.0: "one", 0.0: "zero", ALPHA: "between"}
"""The powers of the probabilities, and the keys of what is said of them."""
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
    for alpha, key in ALPHAS.items():
        for line, step in trace_lines(_draw(word, scores, alpha)):
            if isinstance(step, NBest):
                best, tokens, symbols = step, step.ways[0], ALPHA_SYMBOLS
                shares[alpha] = step.shares
                sentence = say(f"sampling.steps.{key}", alpha=ALPHA)
            else:
                places.append(step.place)
                tokens, symbols = step.tokens, ("share",)
                sentence = say("sampling.steps.draw", number=len(places))
            row = make_row(Tile(token, ids[token]) for token in tokens)
            steps.append(Step(sentence, (row,), line, _tabulate_draws(best, places, alpha), symbols=symbols))
    return Trace(steps, _ask_best_share(shares, steps[0]))


ALPHA_SYMBOLS: tuple[str, ...] = ("alpha", "share")


def _draw(word: str, scores: Mapping[str, float], alpha: float) -> Iterator[NBest | SampledSegmentation]:
    return draw_samples(word, scores, n=MOST_WAYS, alpha=alpha, random=Random(word), draws=DRAWS * (alpha == ALPHA))


def _tabulate_draws(best: NBest, places: Sequence[int], alpha: float) -> Table:
    counts = Counter(places)
    ways = enumerate(zip(best.ways, best.shares, strict=True))
    rows = ((" ".join(tokens), percent(share), *([f"{counts[at]}"] if places else [])) for at, (tokens, share) in ways)
    heads = ("tokens", "share", "drawn") if places else ("tokens", "share")
    return tabulate(f"α = {alpha:g}", heads, rows, chosen=places[-1:])


def _ask_best_share(shares: Mapping[float, Sequence[float]], first: Step) -> Question | None:
    if len(shares[1.0]) < 2:
        return None
    one, zero, right = (percent(shares[alpha][0]) for alpha in (1.0, 0.0, ALPHA))
    times = percent(ALPHA * shares[1.0][0])
    return ask(
        "sampling.question",
        right,
        [(one, "one"), (zero, "zero"), (times, "times"), (percent(1), "large")],
        first.rows,
        table=first.table,
        shown_at=2,
        share=one,
        ways=len(shares[1.0]),
        alpha=ALPHA,
        right=right,
    )
