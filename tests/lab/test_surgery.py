"""Surgery leaves what it should: the same tokens where they must be, the same bytes, and a right table of ids."""

import csv
import json
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import BadFile, Invalid, TokenariumError
from tokenarium.files.tokenizer_json.components import (
    bpe,
    byte_level,
    document,
    make_template_processor,
    make_token_component,
)
from tokenarium.lab.conformance import texts as generated
from tokenarium.lab.option_schema import from_mapping
from tokenarium.lab.surgery.change import with_special_tokens
from tokenarium.lab.surgery.extend import (
    append_merges,
    fallback_characters,
    learn_merges,
    segment_words,
    with_characters,
)
from tokenarium.lab.surgery.operation import coverage, operate, right_ids, same_tokens
from tokenarium.lab.surgery.options import SurgeryOptions
from tokenarium.lab.surgery.prune import count_tokens, prune, script_tokens, unreachable
from tokenarium.lab.surgery.subject import Draft, count_words, load_draft, load_record, load_subject, number_tokens
from tokenarium.lab.train.corpora import load_built_in
from tokenarium.scratch.compat.pipeline.pre_tokenizers import ALPHABET
from tokenarium.scratch.learn_bpe import Merged, iter_learning_steps
from tokenarium.settings import Settings
from tokenizers import Tokenizer

from tests.conftest import REGISTRY, TIER
from tests.support.corpora import ENGLISH, SHAN
from tests.support.own_record import own
from tests.support.strings import NASTY

CORPUS = [ENGLISH, *NASTY.values()]
CODE = load_built_in(Settings().store, "source")[1][:60_000]
KINDS = ["gpt2", "bert-base-uncased", "udhr-unigram-16k", "fallback", "marked"]
"""Byte-level BPE, WordPiece, Unigram, BPE with byte fallback, BPE with an end-of-word suffix."""
EXTENDED = ["gpt2", "fallback", "marked"]
FAST = {"proof": 100}


@cache
def record(id):
    return own() if id == "mine" else own(id) if id in ("marked", "fallback") else REGISTRY.record(id)


@cache
def subject(id):
    return load_record(record(id))


@cache
def draft(id):
    return load_draft(subject(id).data)


@cache
def pruned_to_corpus(id):
    return number_tokens(
        prune(subject(id), draft(id), count_tokens(subject(id), count_words(subject(id), CORPUS)).keys())
    )


@cache
def longer(id):
    runs = segment_words(subject(id), count_words(subject(id), [CODE, SHAN]))
    return number_tokens(append_merges(draft(id), [pair for pair, _ in learn_merges(draft(id), runs, 300)]))


@cache
def loaded(data):
    return load_subject(data)


def library(data):
    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def others(data):
    """Texts that the operation has not seen, with pieces of the vocabulary among them."""
    vocabulary = json.loads(data)["model"]["vocab"]
    pieces = [piece if isinstance(piece, str) else piece[0] for piece in [*vocabulary][-2000:]]
    return [SHAN[:2000], *islice(generated(seed=3, pieces=pieces), {"commit": 50, "nightly": 150}[TIER])]


def of_json(top):
    return json.dumps(top).encode()


def small(merges=(("a", "b"), ("ab", "c")), **options):
    """A character BPE with the letters a, b, c."""
    tokens = [*"abc", *dict.fromkeys(left + right for left, right in merges)]
    return of_json(document(bpe({token: id for id, token in enumerate(tokens)}, merges, **options), []))


def byte_level_json(merges=(), added=(), **stages):
    tokens = [*(token for token, _ in added), *ALPHABET, *(left + right for left, right in merges)]
    top = document(
        bpe({token: id for id, token in enumerate(tokens)}, merges),
        [make_token_component(token, id) for token, id in added],
        **{"pre_tokenizer": byte_level(), "decoder": byte_level(), **stages},
    )
    return of_json(top)


# Pruning


@pytest.mark.parametrize("id", KINDS)
def test_a_corpus_keeps_its_tokens_when_a_vocabulary_is_pruned_to_it(id):
    result = pruned_to_corpus(id)
    before, after = library(subject(id).data), library(result.data)
    assert result.size == len(result.kept) < (draft(id).first_new / 2 if id in REGISTRY else 601)
    for text in CORPUS:
        assert [result.kept[old] for old in before(text)] == after(text)


@pytest.mark.parametrize("id", KINDS)
def test_any_other_text_decodes_as_before_and_both_engines_agree(id):
    new, old = loaded(pruned_to_corpus(id).data), subject(id)
    ids = library(new.data)
    for text in others(new.data):
        assert new.scratch.encode(text).ids.tolist() == ids(text)
        assert new.reference.decode(ids(text)) == old.reference.decode(old.reference.encode(text).ids.tolist())
    assert coverage(old, new)["before"] == coverage(old, new)["after"]


@pytest.mark.parametrize("id", KINDS)
def test_nothing_becomes_unreachable(id):
    result = pruned_to_corpus(id)
    before = {*unreachable(subject(id))}
    after = unreachable(loaded(result.data))
    assert {new for old, new in result.kept.items() if old in before} >= {*after}


def test_the_merges_that_are_left_are_in_their_order():
    merges = [tuple(pair) for pair in json.loads(pruned_to_corpus("gpt2").data)["model"]["merges"]]
    places = {pair: place for place, pair in enumerate(draft("gpt2").merges)}
    assert [places[pair] for pair in merges] == sorted(places[pair] for pair in merges)
    vocabulary = json.loads(pruned_to_corpus("gpt2").data)["model"]["vocab"]
    assert all({left, right, left + right} <= vocabulary.keys() for left, right in merges)


def test_scripts_that_are_not_kept_are_spelled_in_smaller_tokens():
    old = subject("fallback")
    kept = script_tokens(old, draft("fallback"), ["Latin"])
    result = number_tokens(prune(old, draft("fallback"), kept, characters=False))
    ids, before = library(result.data), library(old.data)
    assert [result.kept[id] for id in before(ENGLISH)] == ids(ENGLISH)
    assert len(ids("Привет")) == 1 + 2 * 6  # the dummy ▁, and two bytes for each letter
    assert loaded(result.data).reference.decode(ids("Привет 你好")).decode() == "Привет 你好"


def test_a_word_that_is_unknown_stays_unknown():
    # [UNK] for abx: abx is not ab + ##x. Without ab, the word would be a + ##bx.
    vocabulary = {token: id for id, token in enumerate(["[UNK]", "a", "b", "##b", "ab", "##bx", "##a"])}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary}
    data = of_json(document({**model, "max_input_chars_per_word": 100}, [], pre_tokenizer={"type": "WhitespaceSplit"}))
    old = load_subject(data)
    result = number_tokens(prune(old, load_draft(data), count_tokens(old, count_words(old, ["abx a"])).keys()))
    assert library(result.data)("abx a") == library(data)("abx a") == [0, 1]


def test_a_character_that_only_a_longer_token_spells_is_not_lost():
    entries = [["<unk>", 0.0], ["a", -1.0], ["xy", -2.0], ["ab", -2.5], ["b", -3.0]]
    data = of_json(document({"type": "Unigram", "unk_id": 0, "vocab": entries, "byte_fallback": False}, []))
    old = load_subject(data)
    result = number_tokens(prune(old, load_draft(data), [1]))
    assert [piece for piece, _ in json.loads(result.data)["model"]["vocab"]] == ["<unk>", "a", "xy", "b"]
    assert coverage(old, load_subject(result.data)) == {"unit": "characters", "before": 9, "after": 9}


def test_ids_may_stay_as_they_are_with_gaps():
    result = number_tokens(prune(subject("gpt2"), draft("gpt2"), [262]), dense=False)
    assert result.kept[262] == 262
    assert result.size == 50_257
    assert Tokenizer.from_buffer(result.data).token_to_id("<|endoftext|>") == 50_256
    assert library(result.data)(" the") == [262]


WORDS = st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=6)


@st.composite
def bpes(draw):
    """A small BPE whose merges are of tokens that it has, some of them with one result."""
    tokens, merges = [*"abc"], []
    for _ in range(draw(st.integers(1, 12))):
        pair = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if pair not in merges and len("".join(pair)) <= 6:
            merges.append(pair)
            tokens += ["".join(pair)] * ("".join(pair) not in tokens)
    return small(merges, ignore_merges=draw(st.booleans()))


@given(data=bpes(), words=WORDS)
def test_pruned_merges_make_the_same_tokens_of_the_words_they_were_pruned_to(data, words):
    old = load_subject(data)
    result = number_tokens(prune(old, load_draft(data), count_tokens(old, count_words(old, words)).keys()))
    for word in words:
        assert [result.kept[id] for id in library(data)(word)] == library(result.data)(word)


# Extending


@pytest.mark.parametrize("id", EXTENDED)
def test_every_token_of_a_text_is_an_old_one_or_old_neighbours_joined(id):
    result = longer(id)
    before, after, ours = library(subject(id).data), library(result.data), loaded(result.data).scratch
    assert len(result.new) == 300
    for text in [*NASTY.values(), *others(result.data)]:
        assert [old for new in after(text) for old in result.new.get(new, (new,))] == before(text)
        assert len(after(text)) <= len(before(text))
        assert ours.encode(text).ids.tolist() == after(text)


def test_a_text_of_the_domain_gets_shorter():
    before, after = library(subject("gpt2").data), library(longer("gpt2").data)
    assert len(after(SHAN)) < len(before(SHAN)) / 3


@given(data=bpes(), words=WORDS, most=st.integers(1, 8))
def test_learned_merges_join_neighbours_of_any_word(data, words, most):
    old, start = load_subject(data), load_draft(data)
    runs = segment_words(old, count_words(old, words))
    result = number_tokens(append_merges(start, [pair for pair, _ in learn_merges(start, runs, most, min_frequency=1)]))
    every = ["".join(letters) for letters in product("abc", repeat=4)]
    assert same_tokens(old, load_subject(result.data), result, [*words, *every]) == len(words) + 81


def test_the_merges_are_those_that_training_would_learn_next():
    runs, spelled = segment_words(subject("gpt2"), count_words(subject("gpt2"), [SHAN])), [*draft("gpt2").vocabulary]
    counts = {tuple(spelled[id] for id in run): count for run, count in runs.items()}
    alphabet = sorted({token for word in counts for token in word}, key=draft("gpt2").vocabulary.__getitem__)
    steps = (one for one in iter_learning_steps(counts, ties="smallest", alphabet=alphabet) if isinstance(one, Merged))
    expected = [(one.pair, one.frequency) for one in islice(steps, 12)]
    assert [*learn_merges(draft("gpt2"), runs, 12)] == expected


def test_a_merge_that_makes_an_old_token_is_not_learned():
    data = small((("a", "b"), ("b", "c"), ("ab", "bc")))
    start = load_draft(data)
    assert [pair for pair, _ in learn_merges(start, Counter({(0, 1): 9, (0, 0): 3}), 5)] == [("a", "a")]


def test_no_merge_joins_an_unknown_token_or_the_bytes_of_a_character():
    old = subject("fallback")
    assert segment_words(old, count_words(old, ["ᜃᜄ ᜃᜄ"])) == {}  # a letter of Tagbanwa is three byte tokens
    assert [len(run) for run in segment_words(old, count_words(old, ["xyzw ᜃ xyzw"]))] == [
        len(old.reference.encode("xyzw").ids)
    ]


def test_only_bpe_can_be_extended():
    with pytest.raises(Invalid, match="Only a BPE model learns more merges"):
        segment_words(subject("bert-base-uncased"), {"the": 1})


def test_a_character_that_was_spelled_in_bytes_becomes_a_token_which_merges_join():
    old = subject("fallback")
    words = count_words(old, [SHAN])
    characters = [char for char, count in fallback_characters(old, words).most_common() if count > 1]
    assert "\n" not in characters  # one byte, of which a token would save nothing
    start = with_characters(old, draft("fallback"), characters)
    runs = segment_words(old, words, start)
    result = number_tokens(append_merges(start, [pair for pair, _ in learn_merges(start, runs, 100)]))
    new, ids = load_subject(result.data), library(result.data)
    assert len(ids(SHAN)) < len(library(old.data)(SHAN)) / 4
    assert same_tokens(old, new, result, [SHAN, *NASTY.values(), *others(result.data)]) > 50
    assert all(new.scratch.encode(text).ids.tolist() == ids(text) for text in [SHAN, *others(result.data)])
    assert new.reference.decode(ids(SHAN)) == SHAN.encode()
    joined = [id for id, origin in result.new.items() if len(origin) > 3]
    assert b"".join(old.scratch.entry(part).raw for part in result.new[joined[0]]) == new.scratch.entry(joined[0]).raw


# Special tokens


def test_a_renamed_token_stands_around_a_text_under_its_new_name():
    changed = with_special_tokens(draft("bert-base-uncased"), rename={"[CLS]": "[BOS]"}, add=["[TOOL]"], multiple=64)
    result = number_tokens(changed)
    tokenizer = Tokenizer.from_buffer(result.data)
    assert tokenizer.encode("the [TOOL]").tokens == ["[BOS]", "the", "[TOOL]", "[SEP]"]
    assert (tokenizer.get_vocab_size(), tokenizer.token_to_id("[TOOL]")) == (30_528, 30_522)
    assert result.new == dict.fromkeys(range(30522, 30528), ())
    assert tokenizer.id_to_token(30_527) == "<|reserved_4|>"


def test_reserved_tokens_take_names_that_are_free():
    start = load_draft(byte_level_json(added=[("<|reserved_0|>", 0)]))
    changed = with_special_tokens(start, multiple=3)
    assert [token["content"] for token in changed.added] == ["<|reserved_0|>", "<|reserved_1|>"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"add": ["the"]}, "The name 'the' is taken"),
        ({"add": ["[CLS]"]}, r"The name '\[CLS\]' is taken"),
        ({"add": ["x1"], "rename": {"[CLS]": "x1"}}, "The name 'x1' is taken"),
        ({"rename": {"[CLS]": "[SEP]"}}, r"The name '\[SEP\]' is taken"),
        ({"rename": {"[CLS]": "[X]", "[SEP]": "[X]"}}, r"The name '\[X\]' is taken"),
        ({"rename": {"the": "x"}}, "There is no special token 'the'"),
    ],
)
def test_a_name_that_is_taken_or_unknown_is_refused(options, reason):
    with pytest.raises(Invalid, match=reason):
        with_special_tokens(draft("bert-base-uncased"), **options)


def test_a_template_and_a_chat_template_use_the_new_names():
    merges = [("a", "b")]
    data = byte_level_json(merges, [("<s>", 0)], post_processor=make_template_processor(["<s>"], [], {"<s>": 0}))
    result = number_tokens(with_special_tokens(load_draft(data), rename={"<s>": "<bos>"}))
    assert Tokenizer.from_buffer(result.data).encode("ab").tokens == ["<bos>", "ab"]


# The table of ids


@pytest.mark.parametrize("id", ["gpt2", "udhr-unigram-16k"])
def test_a_kept_token_has_its_spelling_at_its_new_id(id):
    result = pruned_to_corpus(id)
    before, after = Tokenizer.from_buffer(subject(id).data), Tokenizer.from_buffer(result.data)
    assert all(before.id_to_token(old) == after.id_to_token(new) for old, new in result.kept.items())
    assert sorted(result.kept.values()) == [*range(result.size)]
    assert sorted(result.kept, key=result.kept.__getitem__) == sorted(result.kept)


def test_a_new_token_consists_of_its_old_ones():
    old, new = subject("gpt2").scratch, loaded(longer("gpt2").data).scratch
    for id, origin in longer("gpt2").new.items():
        assert new.entry(id).raw == b"".join(old.entry(part).raw for part in origin)
        assert len(origin) > 1


@pytest.fixture(scope="module")
def operated(tmp_path_factory):
    """GPT-2 pruned and filled up, written to a folder."""
    folder = tmp_path_factory.mktemp("operated")
    options = SurgeryOptions(operation="extend", tokens=50, multiple=64, add_tokens=["<|tool|>"], **FAST)
    result = operate(record("mine"), [SHAN], options, corpus_name="Shan")
    for name, data in result.files.items():
        (folder / name).write_bytes(data)
    return folder, result.report


def run_program(folder, old):
    np.save(folder / "old.npy", old)
    command = [sys.executable, "-I", folder / "embeddings.py", folder / "old.npy", folder / "new.npy"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done, np.load(folder / "new.npy") if done.returncode == 0 else None


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_program_moves_the_rows_of_a_matrix(operated, dtype):
    folder, report = operated
    old = np.random.default_rng(1).normal(size=(640, 3)).astype(dtype)  # padded, as models have them
    done, new = run_program(folder, old)
    table = json.loads((folder / "ids.json").read_text())
    assert done.stdout == "(640, 3) to (704, 3): 600 rows kept, 104 new\n"
    assert (new.shape, new.dtype) == ((704, 3), old.dtype)
    assert (new[:600] == old[:600]).all()
    first = table["new"]["600"]
    assert np.allclose(new[600], old[first].mean(axis=0, dtype=float), atol=1e-3)
    assert np.allclose(new[-1], old[:600].mean(axis=0, dtype=float), atol=1e-3)
    assert report["size"] == {"before": 600, "after": 704}


def test_the_program_refuses_a_matrix_that_is_too_small(operated):
    done, _ = run_program(operated[0], np.zeros((10, 3)))
    assert (done.returncode, done.stderr) == (1, "The matrix has 10 rows, the old vocabulary 600 ids.\n")


def test_the_csv_has_a_line_for_each_token(operated):
    folder, _ = operated
    with (folder / "ids.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens = [tokenizer.id_to_token(id) for id in range(704)]
    assert [row["token"] for row in rows] == [f"'{one}" if one[0] in "=+-@" else one for one in tokens]
    assert rows[33] == {"new_id": "33", "old_id": "33", "mean_of": "", "token": tokenizer.id_to_token(33)}
    assert rows[650] == {"new_id": "650", "old_id": "", "mean_of": "", "token": "<|tool|>"}
    assert len(rows[600]["mean_of"].split()) == 2


# The whole operation


def test_a_report_says_what_was_measured_and_checked(operated):
    _, report = operated
    assert report["tokens"] == {"before": 600, "after": 704, "kept": 600, "new": 104, "special": 54}
    measured = report["measured"]
    assert measured["note"] == "Measured on the last 10 of 109 lines; nothing was learned from them."
    assert (measured["before"], measured["after"] < 1200) == (3651, True)
    assert report["laws"]["coverage"] == {"unit": "bytes", "before": 256, "after": 256}
    assert report["laws"]["agreement"] == 100
    count = "".join(SHAN.splitlines(keepends=True)[:-10]).encode().count(b"\xe1\x80")
    assert report["learned"][0] == {"token": "<0xE1><0x80>", "parts": ["<0xE1>", "<0x80>"], "count": count}


def test_the_progress_is_reported():
    events = []
    options = SurgeryOptions(operation="tokens", multiple=64, **FAST)
    operate(record("mine"), [], options, report=events.append)
    names = [event["what"] for event in events]
    assert names[0] == "Loading the tokenizer"
    assert "Comparing the engines on generated texts" in names


@pytest.mark.parametrize(
    ("id", "texts", "options", "reason"),
    [
        ("mine", [], {}, "There is no corpus"),
        ("mine", [" \n"], {"operation": "extend"}, "There is no corpus"),
        ("mine", ["ab"], {"operation": "extend", "held_out": 0.0}, "there is nothing to learn"),
        ("mine", ["a"], {"operation": "extend", "tokens": 0}, "tokens must be a whole number from 1 to 100,000"),
        ("mine", ["a"], {"operation": "extend", "tokens": 10**9}, "tokens must be a whole number from 1 to 100,000"),
        ("mine", ["a"], {"keep_ids": ("600",)}, "No token has the id 600; the largest id is 599."),
        ("mine", ["a"], {"keep_ids": ("x",)}, "item 1 is none"),
        ("mine", [], {"by": "scripts"}, "Name the scripts"),
        ("mine", [], {"by": "scripts", "scripts": ("Klingon",)}, "'Klingon' is no script of Unicode"),
        ("mine", [], {"by": "scripts", "scripts": ("a}|.*",)}, "is no script of Unicode"),
        ("mine", [], {"operation": "tokens"}, "Nothing to change"),
        ("mine", [], {"operation": "tokens", "rename_tokens": ("a",)}, "must be old=new"),
        ("mine", [], {"operation": "tokens", "multiple": 0}, "multiple must be a whole number from 1"),
        ("bert-base-uncased", ["a"], {"keep_characters": False}, "no byte fallback: without their own tokens"),
        ("marked", ["b"], {"keep_characters": False}, "no byte fallback: without their own tokens"),
        ("udhr-unigram-16k", ["a"], {"renumber": False}, "gaps between ids cannot be kept"),
        ("rwkv-world", ["a"], {}, "No other format has the longest match, by which RWKV World finds tokens."),
        ("bytes", ["a"], {}, "Bytes has no vocabulary: it makes its tokens without one, and no format says how."),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_cause(id, texts, options, reason):
    with pytest.raises(TokenariumError, match=reason):
        operate(record(id), texts, from_mapping(SurgeryOptions, {**FAST, **options}))


def test_a_text_that_would_change_is_never_handed_out():
    old = load_subject(small())
    other = number_tokens(load_draft(small((("b", "c"),))))
    with pytest.raises(BadFile, match="divides the text 'abc' otherwise; nothing is kept"):
        same_tokens(old, load_subject(other.data), other, ["abc"])
    with pytest.raises(BadFile, match=r"not that of the library, such as for \['bc'\]"):
        right_ids(old, other)
    byte_less = byte_level_json()
    top = json.loads(byte_less)
    del top["model"]["vocab"]["Ā"]
    top["model"]["vocab"]["Ń"] = 0
    with pytest.raises(BadFile, match="1 byte would be lost"):
        coverage(load_subject(byte_less), load_subject(of_json(top)))


def test_an_id_beyond_the_largest_is_refused():
    far = Draft({"model": {"type": "BPE"}}, 10_000_000, {"a": 0, "b": 9_999_999})
    with pytest.raises(Invalid, match="an id above 9,999,999"):
        append_merges(far, [("a", "b")])
