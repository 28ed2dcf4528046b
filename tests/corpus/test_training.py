"""Trained on counts of parts, a vocabulary is that of the whole text, and its merges are those of `tokenizers`."""

import json
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.corpus import external_sort as spilling
from tokenarium.corpus import training
from tokenarium.corpus.external_sort import FileCounts, WordCounts, read_counts, save_counts
from tokenarium.corpus.results import ResultCache
from tokenarium.corpus.sources import parts, sources
from tokenarium.corpus.training import PartWords, Split, count_part, count_words, differences
from tokenarium.errors import BadFile, Invalid
from tokenarium.lab.languages.declarations import declarations
from tokenarium.lab.train.exports import export
from tokenarium.lab.train.learning import learn
from tokenarium.lab.train.options import TrainingOptions
from tokenarium.lab.train.training import train
from tokenarium.settings import Settings
from tokenizers import Regex, Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Sequence
from tokenizers.pre_tokenizers import Split as SplitBy
from tokenizers.trainers import BpeTrainer

from tests.support.strings import NASTY

TEXTS = [declarations(Settings().store)[code].text for code in ("eng", "fra", "rus", "hin", "tha")]
TEXTS += [text for text in NASTY.values() if text.strip() and len(text) < 5000]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder with texts, one in each row of a table, and one with their lines."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "rows.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in TEXTS))
    (folder / "lines.txt").write_text("\n".join(TEXTS))
    return folder


def words_of(path, options, folder, *, size=1 << 24, memory=10**9, executor=None, kept=None, shuffled=False):
    into = WordCounts(folder, memory)
    todo = [part for one in sources([str(path)]) for part in parts(one, size=size)]
    if shuffled:
        random.Random(0).shuffle(todo)
    with executor or ThreadPoolExecutor(1) as pool:
        counted = count_words(Split.of(options), todo, pool, into, saved=kept)
    return into.total(), counted


def learned(counts, options):
    *_, vocabulary = learn(counts, [], options)
    return vocabulary


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pattern": "gpt2", "lowercase": True, "special_tokens": ["the", "<s>"], "digits": "single"},
        {"unit": "characters", "ties": "lexicographic", "min_frequency": 3},
        {"unit": "marked", "max_token_length": 5},
        {"algorithm": "wordpiece"},
        {"algorithm": "wordpiece", "scoring": "score"},
    ],
)
def test_the_file_is_that_of_a_training_on_the_texts(corpus, tmp_path, options):
    chosen = TrainingOptions(size=700, held_out=0, **options)
    *_, trained = train(TEXTS, chosen)
    counts, counted = words_of(corpus / "rows.jsonl", chosen, tmp_path, size=20_000, shuffled=True)
    assert counted.documents == len(TEXTS)
    assert export(learned(counts, chosen)).files == trained.exports.files
    spilled, _ = words_of(corpus / "rows.jsonl", chosen, tmp_path, size=20_000, memory=30_000)
    assert isinstance(spilled, FileCounts)
    assert export(learned(spilled, chosen)).files == trained.exports.files


def test_the_merges_are_those_of_tokenizers(corpus, tmp_path):
    options = TrainingOptions(size=1500, pattern="gpt2")
    lines = [line.removesuffix("\r") for line in (corpus / "lines.txt").read_bytes().decode().split("\n")]
    tokenizer = Tokenizer(BPE())
    words = SplitBy(Regex(options.expression), "removed", invert=True)
    tokenizer.pre_tokenizer = Sequence([words, ByteLevel(add_prefix_space=False, use_regex=False)])
    trainer = BpeTrainer(vocab_size=1500, min_frequency=2, initial_alphabet=ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    theirs = json.loads(tokenizer.to_str())["model"]["merges"]
    counts, _ = words_of(corpus / "lines.txt", options, tmp_path, size=10_000)
    ours = json.loads(export(learned(counts, options)).files["tokenizer.json"])["model"]["merges"]
    assert len(ours) == 1500 - 256
    assert ours == theirs


def test_parts_and_processes_do_not_change_the_counts(corpus, tmp_path):
    whole, counted = words_of(corpus, TrainingOptions(), tmp_path)
    pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    in_parts, again = words_of(corpus, TrainingOptions(), tmp_path, size=9_000, executor=pool)
    assert (in_parts, again) == (whole, counted)


def test_a_part_with_many_words_is_packed_in_pieces(corpus, tmp_path, monkeypatch):
    whole, _ = words_of(corpus, TrainingOptions(), tmp_path)
    monkeypatch.setattr(training, "MAX_WORDS", 0)
    (first, *_) = (part for one in sources([str(corpus)]) for part in parts(one))
    found = count_part(Split.of(TrainingOptions()), first)
    assert PartWords.load(found.dump()) == found
    with pytest.raises(ValueError, match="not whole"):
        PartWords.load(found.dump()[:-1])
    assert words_of(corpus, TrainingOptions(), tmp_path)[0] == whole


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers(1, 2**40), max_size=8), max_size=20))
def test_a_sum_is_the_same_in_memory_and_on_disk(tmp_path_factory, counts):
    folder, expected = tmp_path_factory.mktemp("sum"), Counter()
    runs, spilling.RUNS = spilling.RUNS, 3
    try:
        spilled = WordCounts(folder / "new", 1200)
        for one in counts:
            spilled.add(one)
            expected.update(one)
            assert spilled._held <= 600
        total = spilled.total()
    finally:
        spilling.RUNS = runs
    assert [*total.values()] == [total[word] for word in total]
    assert dict(total.items()) == expected == dict(total)
    assert len(total) == len(total.items()) == len(expected)
    assert len([*folder.glob("new/*")]) <= 1


def test_what_was_counted_before_an_interrupt_is_not_counted_again(corpus, tmp_path):
    ran = []
    cache = ResultCache(tmp_path / "kept")

    class Interrupted(ThreadPoolExecutor):
        left = 10

        def submit(self, function, part):
            Interrupted.left -= 1
            if Interrupted.left < 0:
                raise KeyboardInterrupt
            ran.append(part)
            return super().submit(function, part)

    with pytest.raises(KeyboardInterrupt):
        words_of(corpus, TrainingOptions(), tmp_path, size=9000, executor=Interrupted(1), kept=cache)
    kept = cache.measure().parts
    assert kept > 0
    Interrupted.left = 10**6
    ran.clear()
    counts, _ = words_of(corpus, TrainingOptions(), tmp_path, size=9000, executor=Interrupted(1), kept=cache)
    todo = [part for one in sources([str(corpus)]) for part in parts(one, size=9000)]
    assert len(ran) == len(todo) - kept
    assert counts == words_of(corpus, TrainingOptions(), tmp_path)[0]


def test_kept_counts_are_used_for_another_size_and_refused_for_another_split(corpus, tmp_path):
    options = TrainingOptions(size=600)
    counts, _ = words_of(corpus, options, tmp_path)
    path = tmp_path / "counts.jsonl"
    save_counts(str(path), counts, Split.of(options).words())
    kept, about = read_counts(str(path))
    assert dict(kept.items()) == counts
    assert learned(kept, TrainingOptions(size=900)).merges == learned(counts, TrainingOptions(size=900)).merges
    assert [*differences(Split.of(TrainingOptions(size=900)), about)] == []
    other = Split.of(TrainingOptions(lowercase=True, special_tokens=["<s>"]))
    assert [*differences(other, about)] == ["special-tokens was [], and is ['<s>']", "lowercase was False, and is True"]
    path.write_bytes(path.read_bytes()[:-3] + b"\n")
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:-2]))
    with pytest.raises(BadFile, match="is no whole file of word counts"):
        read_counts(str(path))


@pytest.mark.parametrize(
    "options",
    [{"algorithm": "unigram"}, {"engine": "tokenizers"}, {"ties": "first-seen"}, {"superwords_after": 300}],
)
def test_what_needs_more_than_counts_is_refused(options):
    with pytest.raises(Invalid, match="count"):
        Split.of(TrainingOptions(**options))


@pytest.fixture
def trained(said):
    """Run the command here, and give its status, its output and its messages."""
    return partial(said, "corpus", "train")


def test_the_command_writes_a_tokenizer_and_keeps_counts(trained, corpus, tmp_path):
    out, kept = tmp_path / "my.json", tmp_path / "counts.jsonl"
    status, printed, _ = trained(corpus, "--size", 500, "-o", out, "--keep-counts", kept, "--max-memory", "100kB")
    counts, counted = words_of(corpus, TrainingOptions(), tmp_path)
    assert status == 0
    assert printed.splitlines() == [
        f"{counted.documents:,} documents, {counted.bytes:,} bytes, {len(counts):,} different words",
        f"counts kept in {kept}",
        f"500 tokens written to {out}",
    ]
    assert not [*(tmp_path / "cache").rglob("words/*")]
    assert Tokenizer.from_file(str(out)).get_vocab_size() == 500
    status, printed, _ = trained("--counts", kept, "--size", 500, "-o", tmp_path / "again.json", "--json")
    assert (status, json.loads(printed)["words"]) == (0, len(counts))
    assert (tmp_path / "again.json").read_bytes() == out.read_bytes()
    status, _, err = trained("--counts", kept, "--lowercase", "-o", out)
    assert (status, "were split otherwise: lowercase was False, and is True" in err) == (1, True)


def test_what_was_not_read_is_said_by_the_exit_code(trained, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("low low lower\n")
    (tmp_path / "in/b.txt.gz").write_bytes(b"\x1f\x8b\x08 not gzip")
    status, _, err = trained(tmp_path / "in", "--size", 300, "-o", tmp_path / "my.json")
    assert (status, f"not read: {tmp_path}/in/b.txt.gz" in err) == (1, True)
    assert Tokenizer.from_file(str(tmp_path / "my.json")).get_vocab_size() == 259  # lo, low, and low behind a space


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([__file__], "Give -o to write a tokenizer, or --keep-counts"),
        (["-o", "my.json"], "Give what to train on: files, or --counts"),
        ([__file__, "-o", "my.txt"], "-o is a file that ends with .json"),
        ([__file__, "-o", "my.json", "--max-memory", "much"], "--max-memory is a size such as 500MB or 2GB"),
        ([__file__, "-o", "my.json", "--algorithm", "unigram"], "learn from counted words"),
        (["-o", "my.json", "--counts", "nowhere"], "nowhere cannot be read"),
    ],
)
def test_wrong_options_are_refused_with_the_valid_ones(trained, options, message):
    status, _, err = trained(*options)
    assert (status, message in err) == (1, True)
