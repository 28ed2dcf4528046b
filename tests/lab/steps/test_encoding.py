"""The steps of an encoding: literal worked examples, and the same tokens as the reference engine at the end."""

import pytest
from tokenarium.errors import Invalid, LoneSurrogate, TooLarge
from tokenarium.files.from_scratch import byte_level_bpe
from tokenarium.lab.steps.drawing import tree
from tokenarium.lab.steps.encoding import encode

from tests.support.strings import GREETING


def evidence(step):
    return [("".join(tile.text for tile in row.cells[0]), *row.cells[1:]) for row in step.table.rows]


def steps(run):
    return [*run.steps(0, run.total)]


def words(caption):
    return "".join(part if isinstance(part, str) else f"`{part.text}`" for part in caption)


def tiles(step, row=0):
    return [tile.text for tile in step.rows[row].tiles]


@pytest.fixture
def greeting(registry):
    return encode(registry, GREETING, tokenizer="o200k_base")


def test_the_greeting_ends_in_its_eight_tokens(greeting):
    last = steps(greeting)[-1]
    assert [tile.key for tile in last.rows[0].tiles] == [13225, 11, 130321, 235, 0, 220, 177519, 0]
    assert tiles(last) == ["Hello", ",", "20·f0·9f·8c", "8d", "!", " ", "你好", "!"]
    assert words(last.sentence) == "The text is 8 tokens."


def test_the_greeting_begins_as_characters_and_is_split_by_the_pattern(greeting):
    first, second, *_ = steps(greeting)
    assert tiles(first) == list(GREETING)
    assert tiles(second) == ["Hello", ",", " 🌍!", " 你好", "!"]
    assert [(fact.name, fact.value) for fact in first.facts] == [("characters", "13"), ("bytes", "20")]


def test_a_word_that_is_one_token_shows_the_merges_that_build_it(greeting):
    shown = steps(greeting)[2:7]
    assert [tiles(step) for step in shown] == [
        ["H", "e", "l", "l", "o"],
        ["H", "el", "l", "o"],
        ["H", "ell", "o"],
        ["H", "ello"],
        ["Hello"],
    ]
    assert words(shown[0].sentence) == (
        "`Hello` is a token of rank 13,225. The merges up to that rank build it from 5 bytes."
    )
    assert words(shown[2].sentence) == (
        "`el` and `l` merge: of the 3 pairs in the vocabulary, this one has the lowest rank, 596."
    )


def test_the_bytes_of_the_globe_merge_with_the_space(greeting):
    shown = steps(greeting)[8:12]
    assert tiles(shown[0]) == [" ", "f0", "9f", "8c", "8d", "!"]
    assert tiles(shown[-1]) == ["20·f0·9f·8c", "8d", "!"]
    assert [half.text for half in shown[-1].rows[0].tiles[0].halves] == ["20·f0·9f", "8c"]


def test_candidates_stand_in_the_order_of_their_ranks_and_the_first_wins(registry):
    run = encode(registry, "strawberry", tokenizer="o200k_base")
    step = steps(run)[4]
    assert step.table.heads == ("pair", "rank", "")
    assert evidence(step)[:3] == [
        ("st", "302", "lowest rank, merged now"),
        ("tr", "371", "overlaps the merged pair"),
        ("ra", "614", "waits"),
    ]
    assert [row.chosen for row in step.table.rows] == [True] + [False] * 7
    assert step.predictable
    assert tiles(steps(run)[-1]) == ["st", "raw", "berry"]


def test_a_tree_leads_back_to_the_steps_that_made_it(registry):
    run = encode(registry, "strawberry", tokenizer="o200k_base")
    st, raw, berry = run.trees(5)
    assert (st.tile.text, raw.tile.text, berry.tile.text) == ("st", "raw", "berry")
    assert (raw.step, raw.parts[0].tile.text, raw.parts[0].step, raw.parts[1].step) == (8, "ra", 5, 2)


def test_a_drawn_tree_grows_with_the_steps_and_keeps_its_places(registry):
    run = encode(registry, "raw", tokenizer="o200k_base")
    drawn = [tree(run.trees(step), step=step) for step in range(run.total)]
    grown = [None, None, "r a w", "r a ra w", "r a ra w raw", "r a ra w raw"]
    assert [one and " ".join(box.text for box in one.boxes) for one in drawn] == grown
    assert [one and one.says for one in drawn[3:5]] == ["ra from r and a, w", "raw from ra from r and a and w"]
    assert [len(one.strokes) for one in drawn[2:]] == [0, 2, 4, 4]
    assert {(one.width, one.height) for one in drawn if one} == {(drawn[-1].width, drawn[-1].height)}


def test_a_word_that_comes_again_takes_one_step(registry):
    run = encode(registry, " the the the", tokenizer="o200k_base")
    again = steps(run)[-2]
    assert words(again.sentence) == "` the` occurred before: it is the same token again."
    assert again.number == run.total - 2
    assert [fact.value for fact in again.facts if fact.name == "pre-token"] == ["3 of 3"]


def test_the_pre_tokens_around_the_one_on_stage_are_shown(registry):
    run = encode(registry, " ".join("abcdefghijklmnopqrstuvwxyz"), tokenizer="o200k_base")
    around = steps(run)[20].around
    (new,) = (tile for tile in around.tiles if tile.mark == "new")
    assert len(around.tiles) == 15
    assert around.left_out_before == around.tiles[0].at
    assert [tile.mark for tile in around.tiles if tile.at > new.at] == ["rest"] * 7


@pytest.mark.parametrize(
    "id", ["o200k_base", "mistral-v1", "bert-base-uncased", "udhr-unigram-16k", "characters", "words"]
)
def test_an_empty_text_is_one_step_without_tiles(registry, id):
    run = encode(registry, "", tokenizer=id)
    (step,) = steps(run)
    assert run.total == 1
    assert tiles(step) == []
    assert run.data()["ids"] == []
    assert run.trees(0) == run.boundaries(0) == ()


def test_a_word_of_twenty_thousand_letters_is_followed(registry):
    run = encode(registry, "ab" * 10_000, tokenizer="o200k_base")
    ids = registry.get("o200k_base").encode("ab" * 10_000).ids.tolist()
    *_, before, last = run.steps(run.total - 40, run.total)
    assert last.rows[0].left_out_after + len(last.rows[0].tiles) == len(ids)
    row = before.rows[0]
    assert row.left_out_before + len(row.tiles) + row.left_out_after == len(ids)
    assert len(row.tiles) <= 60
    assert len(run.trees(run.total - 2)) <= 60


def test_any_step_can_be_asked_for_alone(registry):
    run = encode(registry, "aaaaaaaaaaaaaaaaaaaa a <b> counterrevolutionary", tokenizer="cl100k_base")
    every = steps(run)
    assert [step.number for step in every] == [*range(run.total)]
    for step in range(run.total):
        assert [*run.steps(step, step + 1)] == [every[step]]
    assert [*run.steps(-5, 2)] == every[:2]
    assert [*run.steps(run.total, run.total + 9)] == []


class SingleRegistry:
    """A registry of one tokenizer."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def get(self, id, engine=None):
        return self.tokenizer


def test_a_token_that_no_merges_produce_says_so(registry):
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"xyz": 260}
    odd = byte_level_bpe(registry.info("gpt2"), ranks=ranks, pattern=r"\w+")
    run = encode(SingleRegistry(odd), "xyz", tokenizer="odd")
    *_, initial, whole, last = steps(run)
    assert run.notes == ("The vocabulary contains tokens that no merges up to their rank produce: “xyz”.",)
    assert tiles(initial) == ["x", "y", "z"]
    assert words(whole.sentence) == (
        "No merge up to rank 260 continues from here. "
        "`xyz` is one token nevertheless, because the vocabulary contains it."
    )
    assert [half.text for half in whole.rows[0].tiles[0].halves] == ["x", "y", "z"]
    (root,) = run.trees(3)
    assert (root.step, [part.tile.text for part in root.parts]) == (3, ["x", "y", "z"])
    assert tiles(last) == ["xyz"]


def test_more_than_twenty_thousand_characters_are_refused(registry):
    with pytest.raises(TooLarge, match="20,000") as error:
        encode(registry, "a" * 20_001, tokenizer="o200k_base")
    assert error.value.limit == 20_000


def test_half_a_surrogate_pair_is_refused(registry):
    with pytest.raises(LoneSurrogate):
        encode(registry, "a\ud800", tokenizer="o200k_base")


def test_special_tokens_are_split_off_first(registry):
    run = encode(registry, "a<|endoftext|>a", tokenizer="cl100k_base", special="parse")
    assert run.data()["ids"] == [64, 100257, 64]
    assert [tile.mark for tile in steps(run)[1].rows[0].tiles] == ["", "special", ""]
    assert "matched before anything else" in words(steps(run)[3].sentence)
    assert "occurred before" in words(steps(run)[4].sentence)
    assert len(encode(registry, "a<|endoftext|>a", tokenizer="cl100k_base").data()["ids"]) > 3


PYTHON = "def add(a, b):\n    return a + b\n"
REAL = ("o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased", "udhr-unigram-16k")


@pytest.mark.parametrize("text", [GREETING, "strawberry", "9.11 and 9.9", PYTHON])
@pytest.mark.parametrize("id", REAL)
def test_the_examples_step_to_the_tokens_of_the_reference(registry, id, text):
    run = encode(registry, text, tokenizer=id)
    shown = steps(run)
    assert [step.number for step in shown] == [*range(run.total)]
    assert [tile.key for tile in shown[-1].rows[0].tiles] == registry.get(id).encode(text).ids.tolist()
    assert all(words(step.sentence).endswith(".") for step in shown)


def test_the_toy_of_wordpiece_shows_each_lookup(registry):
    run = encode(registry, "playing pay", tokenizer="toy-wordpiece")
    shown = steps(run)[2:]
    assert [words(step.sentence) for step in shown] == [
        "`playing` is not in the vocabulary; the next candidate is one character shorter.",
        "`playin` is not in the vocabulary; the next candidate is one character shorter.",
        "`playi` is not in the vocabulary; the next candidate is one character shorter.",
        "`play` is in the vocabulary: the longest match at this position. Next is the rest of the word.",
        "`##ing` is in the vocabulary, and the word is complete.",
        "`pay` is not in the vocabulary; the next candidate is one character shorter.",
        "`pa` is not in the vocabulary; the next candidate is one character shorter.",
        "`p` is not in the vocabulary either: no token matches at this position.",
        "`pay` has no segmentation: the whole word becomes `[UNK]`.",
        "The text is 3 tokens.",
    ]
    assert [[tile.mark for tile in step.rows[0].tiles] for step in shown[2:5]] == [
        ["missed", "rest"],
        ["new", "rest"],
        ["", "new"],
    ]
    missed = [(text, "not in the vocabulary") for text in ("playi", "playin", "playing")]
    assert [evidence(step) for step in shown[3:5]] == [
        [("play", "in the vocabulary, taken now"), *missed],
        [("##ing", "in the vocabulary, taken now")],
    ]
    assert [[row.chosen for row in step.table.rows] for step in shown[3:5]] == [[True, False, False, False], [True]]
    assert [(node.tile.text, node.step) for node in run.trees(2)] == [("play", 5), ("##ing", 6)]
    assert [(node.tile.text, node.step) for node in run.trees(8)] == [("[UNK]", 10)]


def test_a_word_too_long_for_wordpiece_is_unknown_at_once(registry):
    run = encode(registry, "a" * 101, tokenizer="bert-base-uncased")
    assert run.total == 4
    assert "is too long, with 101 characters" in words(steps(run)[2].sentence)


def test_a_walk_through_the_trie_of_rwkv_goes_back_to_its_last_token(registry):
    run = encode(registry, "Hi 🌍s", tokenizer="rwkv-world")
    assert [words(step.sentence) for step in steps(run)[1:-1]] == [
        "There is no pre-tokenizer. No token spans the boundaries between these 2 segments, so each can be followed on "
        "its own.",
        "`Hi` is in the vocabulary as a whole segment.",
        "The walk through the trie reads 3 bytes: a token begins with `20·f0·9f`, and no longer token does. It is no "
        "token itself; the next candidate is one byte shorter.",
        "`20·f0` is no token itself; the next candidate is one byte shorter.",
        "` ` is in the vocabulary: the longest match at this position. Next is the rest of the segment.",
        "`f0·9f` is in the vocabulary: the longest match at this position. Next is the rest of the segment.",
        "`8c` is in the vocabulary: the longest match at this position. Next is the rest of the segment.",
        "`8d` is in the vocabulary: the longest match at this position. Next is the rest of the segment.",
        "`s` is in the vocabulary, and the segment is complete.",
    ]
    assert run.ids == [1097, 33, 3319, 141, 142, 116]


def test_the_toy_of_unigram_compares_there_with_the_re(registry):
    run = encode(registry, "there", tokenizer="toy-unigram", paths=2)
    back = steps(run)[-2]
    rows = [([tile.text for tile in row.cells[0]], row.cells[2], row.chosen) for row in back.table.rows]
    assert rows == [(["there"], "−3.912", True), (["the", "re"], "−5.521", False)]
    assert back.lattice.sums == ("0", "−3.912", "−2.813", "−2.526", "−6.032", "−3.912")
    assert [(arc.start, arc.end) for arc in back.lattice.arcs if arc.best] == [(0, 5)]
    assert words(back.sentence) == (
        "The best path, traced back from the end: `there`. "
        "The sum of its scores, −3.912, is the highest of all segmentations."
    )


def test_a_lattice_grows_from_the_left(registry):
    run = encode(registry, "there", tokenizer="toy-unigram")
    first, second = steps(run)[2:4]
    assert [arc.tile.text for arc in first.lattice.arcs if arc.new] == ["t", "th", "the", "there"]
    assert first.lattice.sums == ("0", "−3.912", "−2.813", "−2.526", "", "−3.912")
    assert [arc.tile.text for arc in second.lattice.arcs if arc.new] == ["h"]
    assert evidence(second) == [("h", "−3.912", "position 2 has a better sum, −2.813")]


def test_a_sample_says_that_it_is_one_and_is_the_same_for_a_seed(registry):
    def sampled(seed):
        run = encode(registry, "there", tokenizer="toy-unigram", temperature=0.1, seed=seed)
        return words(steps(run)[-2].sentence)

    assert sampled(1).startswith("Sampled with temperature 0.1 and seed 1: ")
    assert sampled(1).endswith("This is a random segmentation, not the encoding.")
    assert sampled(1) == sampled(1)
    assert len({sampled(seed).partition(": ")[2] for seed in range(30)}) > 3
    assert encode(registry, "there", tokenizer="toy-unigram", temperature=0.1).data()["ids"] == [2]


def test_a_character_outside_the_vocabulary_becomes_its_bytes(registry):
    run = encode(registry, "🌍", tokenizer="udhr-unigram-16k")
    before, after = steps(run)[-3:-1]
    assert words(before.sentence) == "`🌍` is one character, which is not in the vocabulary."
    assert (
        words(after.sentence)
        == "`🌍` is not in the vocabulary. Byte fallback: it becomes the tokens of its UTF-8 bytes."
    )
    assert [(tile.text, tile.mark) for tile in after.rows[0].tiles] == [
        ("f0", "byte"),
        ("9f", "byte"),
        ("8c", "byte"),
        ("8d", "byte"),
    ]


def test_sentencepiece_writes_spaces_and_merges_by_score(registry):
    run = encode(registry, "Hello", tokenizer="mistral-v1")
    normal, segments, _, first = steps(run)[1:5]
    assert [tiles(normal), tiles(normal, 1)] == [list("Hello"), list("▁Hello")]
    assert words(normal.sentence) == "Each space is written as ▁, and one ▁ is added in front."
    assert words(segments.sentence) == "There is no pre-tokenizer."
    assert (first.table.heads[1], first.table.rows[0].cells[1]) == ("score", "−42")


def test_characters_bytes_and_words_take_a_step_each(registry):
    assert tiles(steps(encode(registry, "é", tokenizer="bytes"))[-1]) == ["c3", "a9"]
    assert tiles(steps(encode(registry, "é", tokenizer="characters"))[-1]) == ["é"]
    run = encode(registry, "to be to", tokenizer="words")
    assert words(steps(run)[4].sentence) == "`be` occurs for the first time and gets the next id, 2."
    assert run.data()["ids"] == [0, 1, 2, 1, 0]


@pytest.mark.parametrize("options", [{"paths": 0}, {"paths": 51}, {"temperature": -1.0}, {"temperature": float("nan")}])
def test_options_out_of_range_are_refused(registry, options):
    with pytest.raises(Invalid):
        encode(registry, "a", tokenizer="toy-unigram", **options)


@pytest.mark.parametrize("id", ["mistral-v1", "udhr-unigram-16k", "bert-base-uncased", "characters"])
def test_long_words_are_shown_in_part(registry, id):
    text = "ab" * 10_000
    run = encode(registry, text, tokenizer=id)
    assert run.data()["ids"] == registry.get(id).encode(text).ids.tolist()
    for step in run.steps(run.total // 2, run.total // 2 + 3):
        assert all(len(row.tiles) <= 60 for row in step.rows)
        assert step.lattice is None or len(step.lattice.characters) <= 60
