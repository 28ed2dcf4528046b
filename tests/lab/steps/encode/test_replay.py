"""A trace replayed to its end gives what the reference engine gives, over every tokenizer and all of Unicode."""

from functools import cache
from itertools import pairwise

import orjson
import pytest
from tokenarium.errors import UnknownId
from tokenarium.lab.steps.encoding import MAX_ENCODED, encode
from tokenarium.lab.steps.examples import TOYS

from tests.conftest import IDS
from tests.strings import NASTY
from tests.test_laws import over_all_texts

SPECIALS = "<|endoftext|>a</s> [INST]b[SEP][MASK]<s>c<|endoftext|><|endofprompt|>"


class Vocabulary(dict):
    """The ids of pieces, by their bytes or by their spelling."""

    def __init__(self, engine, spelled):
        self.spelled, self.unknown = spelled, None
        special = set(engine.info.special_tokens.values())
        for id in range(engine.info.vocab_size):
            try:
                entry = engine.entry(id)
            except UnknownId:
                continue
            if entry.kind == "unknown":
                self.unknown = id
            elif id not in special:
                self[entry.piece if spelled else entry.raw] = id

    def ids(self, part):
        """The id of a piece, or those of its bytes."""
        return [self[part]] if part in self else [self[f"<0x{byte:02X}>"] for byte in part.encode()]


@cache
def vocabulary(registry, id):
    engine = registry.get(id)
    return Vocabulary(engine, engine.engine == "sentencepiece")


def replayed(data, words):
    """Return the ids that a trace leads to, using nothing but its steps."""
    again = {"merges": merged, "attempts": looked_up, "lattice": walked, "units": lambda piece, words: piece["ids"]}
    ids = []
    for piece in data["pieces"]:
        first = data["pieces"][piece["like"]] if "like" in piece else piece
        assert first["text"] == piece["text"]
        ids += first["ids"] if first.get("special") else again[data["method"]](first, words)
    return ids


def merged(piece, words):
    word = piece["text"] if words.spelled else piece["text"].encode()
    if piece.get("whole"):
        return [words[word]]
    edges = [*range(len(word) + 1)]
    for _, start, middle, end in piece["merges"]:
        at = edges.index(middle)
        assert (edges[at - 1], edges[at + 1]) == (start, end)
        del edges[at]
    return [id for start, end in pairwise(edges) for id in words.ids(word[start:end])]


def looked_up(piece, words):
    here, ids = 0, []
    for start, longest, last, id in piece["attempts"]:
        assert start == here < last <= longest
        if id is None:
            return [100]
        ids.append(id)
        here = last
    return ids if here == len(piece["text"]) else [100]


def walked(piece, words):
    end, ids = len(piece["text"]), []
    while end:
        start, id, _ = piece["lattice"]["arrived"][end - 1]
        made = [id] if id else words.ids(piece["text"][start:end])
        if made != [words.unknown] or ids[:1] != made:  # neighbouring unknown characters are one token
            ids[:0] = made
        end = start
    return ids


def check(registry, id, text, special):
    run = encode(registry, text, tokenizer=id, special=special)
    data = orjson.loads(orjson.dumps(run.data()))
    ids = registry.get(id).encode(text, special=special).ids.tolist()
    words = vocabulary(registry, id) if data["method"] in ("merges", "lattice") else None
    assert replayed(data, words) == data["ids"] == ids, id
    *_, last = run.frames(run.total - 1, run.total)
    (row,) = last.rows
    assert [tile.key for tile in row.tiles] == ids[:MAX_ENCODED], id
    assert len(row.tiles) + row.left_out_after == len(ids), id
    return data


@over_all_texts
def test_a_trace_replayed_gives_what_the_reference_engine_gives(registry, text):
    for id in IDS:
        data = check(registry, id, text, "text")
        ends = [0] + [piece["byte_end"] for piece in data["pieces"]]
        assert all(end <= piece["byte_start"] for end, piece in zip(ends, data["pieces"], strict=False)), id


@pytest.mark.parametrize("id", IDS)
def test_so_it_does_where_special_tokens_are_parsed(registry, id):
    for text in NASTY.values():
        check(registry, id, SPECIALS + text + SPECIALS, "parse")


@pytest.mark.parametrize("id", IDS)
def test_every_frame_and_boundary_of_a_nasty_text_can_be_shown(registry, id):
    for text in NASTY.values():
        run = encode(registry, text, tokenizer=id, temperature=1.0)
        frames = [*run.frames(0, run.total)]
        assert [frame.step for frame in frames] == [*range(run.total)]
        for step in range(run.total):
            assert all(0 <= (why.step or 0) < run.total for why in run.boundaries(step))
            run.trees(step)


@pytest.mark.parametrize("id", TOYS)
def test_a_toy_steps_to_what_it_gives(registry, id):
    for text in ("playing there", "the re!", "! ! x the", "", *NASTY.values()):
        run = encode(registry, text, tokenizer=id)
        assert run.data()["ids"] == TOYS[id]().encode(text).ids.tolist()
        assert [frame.step for frame in run.frames(0, run.total)] == [*range(run.total)]
