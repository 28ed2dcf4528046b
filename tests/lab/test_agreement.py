"""Both engines of a tokenizer on one text: they agree, or the first token that differs is shown."""

import pytest
from tokenarium.errors import EngineFailed, Invalid, TooLarge, UnknownTokenizer
from tokenarium.lab.agreement import FirstDifference, PairAgreement, check_agreement, compare_engines

TEXT = "Hello, 🌍! 你好!"


class Altered:
    """A registry whose engines written from scratch get the text with a change, or fail."""

    def __init__(self, registry, change):
        self.registry, self.change = registry, change

    def info(self, id):
        return self.registry.info(id)

    def get(self, id, engine=None):
        loaded = self.registry.get(id, engine)
        return _Altered(loaded, self.change) if engine == "scratch" else loaded


class _Altered:
    engine = "scratch"

    def __init__(self, loaded, change):
        self.loaded, self.change = loaded, change
        self.entry, self.stages = loaded.entry, loaded.stages

    def encode(self, text, *, special="text"):
        return self.loaded.encode(self.change(text), special=special)


def fail(text):
    raise EngineFailed("gave up")


def test_engines_that_agree_have_no_difference(registry):
    assert compare_engines(registry, TEXT, "gpt2") == PairAgreement("gpt2", "tiktoken", agrees=True, tokens=12)


def test_the_first_token_that_differs_is_shown_with_its_neighbours(registry):
    one = compare_engines(Altered(registry, lambda text: text.replace("d", "t")), "a b c d e f", "gpt2")
    assert (one.agrees, one.tokens) == (False, 6)
    assert one.difference == FirstDifference(
        index=3,
        stage="model",
        start=1,
        reference=((275, " b"), (269, " c"), (288, " d"), (304, " e"), (277, " f")),
        scratch=((275, " b"), (269, " c"), (256, " t"), (304, " e"), (277, " f")),
    )


def test_an_engine_that_fails_leaves_nothing_to_compare(registry):
    one = compare_engines(Altered(registry, fail), "a b", "gpt2")
    assert (one.agrees, one.tokens, one.difference, one.reason) == (None, 2, None, "gave up")


def test_the_tokenizers_are_compared_in_their_order(registry):
    assert check_agreement(registry, TEXT, ["t5", "gpt2"]) == ["t5", "gpt2"]


@pytest.mark.parametrize(
    ("text", "ids", "error"),
    [
        ("a" * 100_001, ["gpt2"], TooLarge),
        ("a", [], Invalid),
        ("a", ["bytes"], Invalid),
        ("a", ["gpt2", "gpt2"], Invalid),
        ("a", ["nothing"], UnknownTokenizer),
    ],
)
def test_what_cannot_be_compared_is_refused(registry, text, ids, error):
    with pytest.raises(error):
        check_agreement(registry, text, ids)
