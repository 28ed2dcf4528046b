"""The cache of recent tokenizations is limited by number and by bytes."""

from weakref import ref

from tokenarium.lab.caches import RecentTokenizations
from tokenarium.lab.steps.options import StepsOptions
from tokenarium.lab.steps.runs import RunCache
from tokenarium.memory import set_apart
from tokenarium.registry import Registry
from tokenarium.settings import Settings


def test_the_same_text_is_tokenized_once(registry):
    recent = RecentTokenizations()
    key, first = recent.tokenize(registry, "abc", tokenizer="bytes")
    again, second = recent.tokenize(registry, "abc", tokenizer="bytes")
    assert (again, second is first) == (key, True)


def test_every_option_makes_another_key(registry):
    recent = RecentTokenizations(entries=20)
    choices = [
        {"tokenizer": "gpt2"},
        {"tokenizer": "gpt2", "engine": "scratch"},
        {"tokenizer": "gpt2", "special": "parse"},
        {"tokenizer": "gpt2", "add_special_tokens": True},
        {"tokenizer": "bytes"},
    ]
    assert len({recent.tokenize(registry, text, **options)[0] for options in choices for text in ("a", "b")}) == 10


def test_the_oldest_is_dropped_by_number(registry):
    recent = RecentTokenizations(entries=2)
    made = {text: recent.tokenize(registry, text, tokenizer="bytes")[1] for text in "abc"}
    kept = [recent.tokenize(registry, text, tokenizer="bytes")[1] is made[text] for text in "cba"]
    assert kept == [True, True, False]


def test_the_oldest_is_dropped_by_bytes_but_never_the_last(registry):
    recent = RecentTokenizations(max_bytes=5000)
    made = {text: recent.tokenize(registry, text * 1000, tokenizer="bytes")[1] for text in "ab"}
    kept = [recent.tokenize(registry, text * 1000, tokenizer="bytes")[1] is made[text] for text in "ba"]
    assert kept == [True, False]


def test_what_an_evicted_tokenizer_has_made_no_longer_keeps_it_in_memory():
    registry, recent, followed = Registry(Settings(max_loaded=1)), RecentTokenizations(), RunCache()
    registry.caches.update((recent, followed))
    _, kept = recent.tokenize(registry, "abc", tokenizer="udhr-unigram-16k", engine="scratch")
    followed.follow(registry, StepsOptions(text="abc", branch="encode", tokenizer="udhr-unigram-16k"))
    _, training = followed.follow(registry, StepsOptions(text="abc abd"))
    loaded = ref(kept.tokenizer)
    del kept
    set_apart()  # as a worker does
    registry.get("bytes")
    assert loaded() is None
    assert followed.follow(registry, StepsOptions(text="abc abd"))[1] is training
