"""A trace replayed to its end gives what the reference engine gives, over every tokenizer and all of Unicode."""

from functools import cache
from itertools import pairwise
from unicodedata import normalize

import orjson
import pytest
from hypothesis import example
from tokenarium.errors import UnknownId
from tokenarium.files.sentencepiece import scratch as sentencepiece
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.files.tokenizer_json import scratch
from tokenarium.files.tokenizer_json.read import TokenizerJson, load_tokenizer_json
from tokenarium.lab.steps.bpe_steps import MergeState
from tokenarium.lab.steps.encoding import MAX_ENCODED, EncodingRun, encode
from tokenarium.lab.steps.examples import TOYS
from tokenarium.lab.steps.origin import origin
from tokenarium.lab.tokenize import tokenize
from tokenarium.scratch.compat.pipeline.pre_tokenizers import ALPHABET
from tokenarium.types import TokenizerInfo
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.conftest import IDS, TIER, UNLIKE
from tests.support.sentencepiece_models import trained
from tests.support.strings import NASTY, over_all_texts

INFO = TokenizerInfo("own", "own", "bpe", ("scratch",), None, lossless=False)
SPECIALS = "<|endoftext|>a</s> [INST]b[SEP][MASK]<s>c<|endoftext|><|endofprompt|>"


class Vocabulary(dict):
    """The ids of pieces, by their bytes or by their spelling."""

    def __init__(self, engine, spelled):
        self.spelled, self.unknown, self.fused = spelled, None, None
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

    def ids(self, part, begins=True, ends=False):
        """The id of a piece, or those of its bytes."""
        return [self[part]] if part in self else [self[f"<0x{byte:02X}>"] for byte in part.encode()]


class Listed(dict):
    """The ids of pieces as a tokenizer.json spells them."""

    def __init__(self, file):
        super().__init__(file.model.vocabulary)
        byte_level = any(part.type == "ByteLevel" for part in file.splitters)
        self.spelled, self.prefix, self.suffix = not byte_level, file.model.prefix, file.model.suffix
        self.unknown = self.get(file.model.unknown)
        self.fused = self.unknown if file.model.fuse_unknown else None

    def ids(self, part, begins=True, ends=False):
        """The id of a part of a word, or those of its bytes, or the unknown token."""
        spelled = part if isinstance(part, str) else "".join(ALPHABET[byte] for byte in part)
        if (id := self.get(self.prefix * (not begins) + spelled + self.suffix * ends)) is not None:
            return [id]
        bytes_ = [self.get(f"<0x{byte:02X}>") for byte in spelled.encode()]
        # Falcon's vocabulary lacks some bytes and has no unknown token: the library leaves them out.
        lacking = [] if self.unknown is None else [self.unknown]
        return lacking if None in bytes_ else bytes_


@cache
def vocabulary(registry, id):
    engine = registry.get(id)
    if isinstance(file := getattr(registry.get(id, "scratch"), "file", None), TokenizerJson):
        return Listed(file)
    return Vocabulary(engine, engine.engine == "sentencepiece")


def replayed(data, words):
    """Return the ids that a trace leads to, using nothing but its steps."""
    again = {
        "merges": merged,
        "attempts": looked_up,
        "walks": walked_down,
        "lattice": walked,
        "units": lambda piece, words: piece["ids"],
    }
    ids = []
    for piece in data["pieces"]:
        first = data["pieces"][piece["like"]] if "like" in piece else piece
        assert first["text"] == piece["text"]
        ids += first["ids"] if first.get("special") else again[data["method"]](first, words)
    return ids


def merged(piece, words):
    word = symbols(piece, words)
    if piece.get("whole"):
        return words.ids(word)
    edges = [*range(len(word) + 1)]
    for _, start, middle, end in piece["merges"]:
        at = edges.index(middle)
        assert (edges[at - 1], edges[at + 1]) == (start, end)
        del edges[at]
    ids = [id for start, end in pairwise(edges) for id in words.ids(word[start:end], not start, end == len(word))]
    return [id for before, id in pairwise([None, *ids]) if id is None or not before == id == words.fused]


def symbols(piece, words):
    """The symbols of a word: bytes are spelled in hex where they are no text."""
    if "bytes" in piece:
        return bytes.fromhex(piece["bytes"])
    return piece["text"] if words.spelled else piece["text"].encode()


def looked_up(piece, words):
    here, ids = 0, []
    for start, longest, last, id in piece["attempts"]:
        assert start == here < last <= longest
        if id is None:
            return [100]
        ids.append(id)
        here = last
    return ids if here == len(piece["text"]) else [100]


def walked_down(piece, words):
    size = len(bytes.fromhex(piece["bytes"])) if "bytes" in piece else len(piece["text"].encode())
    edges = [0, *(end for _, _, end, _ in piece["attempts"])]
    assert edges == [*(start for start, *_ in piece["attempts"]), size]
    assert all(end <= deepest for _, deepest, end, _ in piece["attempts"])
    return [id for *_, id in piece["attempts"]]


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
    *_, last = run.steps(run.total - 1, run.total)
    (row,) = last.rows
    assert [tile.key for tile in row.tiles] == ids[:MAX_ENCODED], id
    assert len(row.tiles) + row.left_out_after == len(ids), id
    return data


KINDS = IDS if TIER == "nightly" else [*UNLIKE, "bytes", "rwkv-world", "words"]
"""A tokenizer of each way in which a trace goes: merges of two kinds, a lattice, and four without."""


@over_all_texts
@example("\u0b5c")  # NFC takes it apart, as it does few characters
def test_a_trace_replayed_gives_what_the_reference_engine_gives(registry, text):
    for id in UNLIKE:  # the next tests are over more, with the nasty texts
        data = check(registry, id, text, "text")
        ends = [0] + [piece["byte_end"] for piece in data["pieces"]]
        for end, piece in zip(ends, data["pieces"], strict=False):
            shared = text.encode()[piece["byte_start"] : end].decode()
            assert len(shared) <= (not registry.get(id).info.lossless and becomes_several(shared)), id


def becomes_several(char):
    """Whether normalization may make several characters of one, in several words: NFKC does of "ﷺ", even NFC of "ଡ଼"."""
    return max(len(char.lower()), len(normalize("NFKC", char))) > 1


@pytest.mark.parametrize("id", KINDS)
def test_so_it_does_where_special_tokens_are_parsed(registry, id):
    for text in NASTY.values():
        check(registry, id, SPECIALS + text + SPECIALS, "parse")


@pytest.mark.parametrize("id", KINDS)
def test_every_frame_and_boundary_of_a_nasty_text_can_be_shown(registry, id):
    for text in NASTY.values():
        run = encode(registry, text, tokenizer=id, temperature=1.0)
        steps = [*run.steps(0, run.total)]
        assert [step.number for step in steps] == [*range(run.total)]
        for step in range(run.total):
            assert all(0 <= (why.step or 0) < run.total for why in run.boundaries(step))
            run.trees(step)


@pytest.mark.parametrize("id", TOYS)
def test_a_toy_steps_to_what_it_gives(registry, id):
    for text in ("playing there", "the re!", "! ! x the", "", *NASTY.values()):
        run = encode(registry, text, tokenizer=id)
        assert run.data()["ids"] == TOYS[id]().encode(text).ids.tolist()
        assert [step.number for step in run.steps(0, run.total)] == [*range(run.total)]


def unigram(**options):
    pieces = [("<unk>", 0.0), ("▁", -1.0), ("a", -1.0), ("b", -2.0), ("▁ab", -2.5)]
    pieces += [(f"<0x{byte:02X}>", -9.0) for byte in range(256)] * options.get("byte_fallback", False)
    file = Tokenizer(models.Unigram(pieces, unk_id=0, **options))
    file.pre_tokenizer = pre_tokenizers.Metaspace()
    return file


def bpe(pieces, merges, **options):
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    return Tokenizer(models.BPE(vocabulary, [tuple(merge.split()) for merge in merges], **options))


def own_files():
    letters = bpe(["?", "a", "b", "c", "ab", "abc", "bc"], ["b c", "a b", "ab c"], unk_token="?", fuse_unk=True)
    alone = bpe(["?", "a", "b", "ab"], ["a b"], unk_token="?")
    dropping = bpe(["a", "b", "ab"], ["a b"])
    marked = bpe(
        ["?", "a", "b", "##b", "b</w>", "##b</w>", "ab</w>", "ab"],
        ["a ##b</w>", "a ##b"],
        continuing_subword_prefix="##",
        end_of_word_suffix="</w>",
        unk_token="?",
    )
    whole = bpe([*ALPHABET, "th", "the", "he"], ["t h", "th e"], ignore_merges=True)
    whole.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.ByteLevel(add_prefix_space=False), pre_tokenizers.Digits(individual_digits=True)]
    )
    fallback = bpe(["a", "b", "ab", *(f"<0x{byte:02X}>" for byte in range(256))], ["a b"], byte_fallback=True)
    files = {"fused": letters, "alone": alone, "dropping": dropping, "marked": marked, "whole": whole}
    return files | {"fallback": fallback, "unigram": unigram(), "unigram of bytes": unigram(byte_fallback=True)}


@pytest.mark.parametrize("name", own_files())
def test_files_of_every_kind_step_to_what_the_library_gives(name):
    library = own_files()[name]
    file = load_tokenizer_json(library.to_str().encode())
    tokenizer = scratch.load(INFO, file=file)
    words = Listed(file)
    for text in (*NASTY.values(), "abc ab b aéèb", "ab ab", "the thé he ²2", "xab", "é", "ab,ba"):
        run = EncodingRun("own", "own", text, tokenizer.trace(text))
        data = orjson.loads(orjson.dumps(run.data()))
        ids = library.encode(text, add_special_tokens=False).ids
        assert replayed(data, words) == data["ids"] == ids
        assert data["method"] == ("lattice" if "unigram" in name else "merges")
        assert [step.number for step in run.steps(0, run.total)] == [*range(run.total)]
        assert run.boundaries(run.total - 1) or not ids


def test_a_pair_that_is_not_listed_is_no_candidate():
    """The vocabulary has abc by a and bc only: ab and c, which together make it, do not merge."""
    file = bpe(["a", "b", "c", "ab", "bc", "abc"], ["a b", "b c", "a bc"])
    trace = scratch.load(INFO, file=load_tokenizer_json(file.to_str().encode())).trace("abc")
    assert [id for id, _, _ in trace.words[0].segmentation.tokens] == [3, 2]
    state = MergeState("abc", trace)
    assert state.candidates() == [(0, 0, 1, 2), (1, 1, 2, 3)]
    state.apply((0, 0, 1, 2))
    assert state.candidates() == []


def test_clip_shows_the_mark_that_ends_a_word(registry):
    run = encode(registry, "Cats", tokenizer="clip")
    *_, last = run.steps(run.total - 1, run.total)
    assert [tile.text for tile in last.rows[0].tiles] == ["cats</w>"]


def test_a_character_that_a_splitter_cuts_apart_has_a_reason(registry):
    """Falcon's Digits reads the byte alphabet, in which the last byte of "²" is a digit."""
    run = encode(registry, "x²", tokenizer="falcon")
    assert [piece["bytes"] for piece in run.data()["pieces"][1:]] == ["c2", "b2"]
    assert [piece["byte_end"] for piece in run.data()["pieces"]] == [1, 2, 3]
    assert len(run.boundaries(run.total - 1)) == 3


def test_a_word_that_is_dropped_takes_no_byte_of_the_words_beside_it(registry):
    """Falcon's vocabulary lacks the first byte of U+BC000, and its Digits reads the second as the digit "¼"."""
    run = encode(registry, "x\U000bc000", tokenizer="falcon")
    placed = [(piece["text"], piece["byte_start"], piece["byte_end"]) for piece in run.data()["pieces"]]
    assert placed == [("x", 0, 1), ("bc", 2, 3), ("80·80", 3, 5)]
    assert len(run.boundaries(run.total - 1)) == 4


def test_what_stands_beside_a_dropped_byte_merges_across_it(registry):
    """Falcon's vocabulary lacks the byte 05, so that " " and the first byte of U+0080 become one token."""
    data = check(registry, "falcon", " \x05\x80¬", "text")
    (piece,) = data["pieces"]
    assert (piece["text"], piece["byte_start"], piece["byte_end"]) == (" \x80¬", 0, 6)
    assert [merge[1:] for merge in piece["merges"]] == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("id", ["clip", "deepseek-coder", "deepseek-v3", "falcon", "gemma4", "gpt-neox", "modernbert"])
def test_a_token_of_listed_merges_has_a_tree_and_a_reason(registry, id):
    tokenization = tokenize(registry, "Tokenization, तथापि", tokenizer=id)
    origins = [origin(registry, tokenization, index) for index in range(len(tokenization.encoding))]
    assert {one.kind for one in origins} == {"Merge tree"}
    assert any(one.drawing for one in origins)
    assert all(one.boundary and one.caption and one.step for one in origins)


@pytest.mark.parametrize(("id", "unknown"), [("gemma4", "<unk>"), ("bert-base-uncased", "[UNK]"), ("tekken", "<unk>")])
def test_an_unknown_token_that_is_spelled_out_comes_from_parsing(registry, id, unknown):
    tokenization = tokenize(registry, f"a{unknown}b", tokenizer=id, special="parse")
    assert len(tokenization.encoding) == 3
    assert all(origin(registry, tokenization, index).step for index in range(3))


@pytest.mark.parametrize("kind", ["word", "word bytes", "char", "char bytes no prefix"])
def test_a_model_that_looks_up_words_or_characters_has_a_frame_for_each_token(kind):
    tokenizer = sentencepiece.load(INFO, model=load_model(trained(kind)))
    for text in NASTY.values():
        run = EncodingRun("own", "own", text, tokenizer.trace(text))
        assert run.data()["ids"] == tokenizer.encode(text).ids.tolist()
        assert [step.number for step in run.steps(0, run.total)] == [*range(run.total)]
        assert all(run.origin(index) for index in range(len(run.ids)))
