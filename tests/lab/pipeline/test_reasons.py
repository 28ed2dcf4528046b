"""Why a token changed: the first stage at which a changed pipeline differs from the tokenizer's own."""

import pytest
from tokenarium.lab.pipeline.changes import Changes
from tokenarium.lab.pipeline.reasons import MAX_CHANGES, explain_changes
from tokenarium.lab.pipeline.run import PipelineInput, before, run
from tokenarium.lab.pipeline.sources import PipelineCache

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


@pytest.fixture(scope="module")
def cache():
    return PipelineCache()


@pytest.fixture
def explain(registry, cache):
    def explain(tokenizer, text, options=None, **stages):
        question = PipelineInput(tokenizer, text, changes=Changes(stages, options or {}))
        return explain_changes(before(registry, cache, question), run(registry, cache, question))

    return explain


def row(change):
    reason = change.reason
    return (change.text, change.old, change.new), (reason.stage, reason.type, reason.action), (reason.old, reason.new)


def test_a_normalizer_that_is_off_leaves_the_text_as_it_is(explain):
    assert [row(change) for change in explain("bert-base-uncased", "Héllo you, IT", normalizer=None)] == [
        (("Héllo", ("hello",), ("[UNK]",)), ("normalizer", "BertNormalizer", "off"), (("hello",), ("Héllo",))),
        (("IT", ("it",), ("[UNK]",)), ("normalizer", "BertNormalizer", "off"), (("it",), ("IT",))),
    ]


def test_without_a_pre_tokenizer_the_text_is_one_word(explain):
    (change,) = explain("bert-base-uncased", "Héllo you!", pre_tokenizer=None)
    assert row(change)[1:] == (("pre_tokenizer", "BertPreTokenizer", "off"), (("hello", "you", "!"), ("hello you!",)))
    assert change.reason.unit == "words"


def test_one_that_is_new_is_named_though_another_stands_behind_it(explain):
    parts = [{"type": "Digits", "individual_digits": True}, {"type": "BertPreTokenizer"}]
    changes = explain("bert-base-uncased", "one ab12", pre_tokenizer=parts)
    assert {row(change)[1] for change in changes} == {("pre_tokenizer", "Digits", "new")}
    assert changes[0].reason.new == ("1", "2")


def test_one_in_the_place_of_another_is_said_to_be(explain):
    changes = explain("gpt2", "one 12", pre_tokenizer=[{"type": "Digits", "individual_digits": True}, BYTES])
    assert {row(change)[1] for change in changes} == {("pre_tokenizer", "Digits", "replaced")}


def test_other_parameters_are_the_reason_where_the_component_is_the_same(explain):
    changes = explain("bert-base-uncased", "Ab", normalizer={"type": "BertNormalizer", "lowercase": False})
    assert [row(change)[1] for change in changes] == [("normalizer", "BertNormalizer", "other")]


def test_a_component_at_another_place_is_moved(explain, registry, cache):
    composed, *others = cache.get(registry, "clip").parts["normalizer"]
    (change,) = explain("clip", "J\u030c", normalizer=[*others, composed])
    assert (change.reason.type, change.reason.action, change.reason.new) == ("NFC", "moved", ("\u01f0",))


def test_options_of_the_model_are_the_reason_where_the_words_are_the_same(explain):
    (change,) = explain("gemma4", "𐎀", options={"byte_fallback": False})
    assert (change.new, change.reason.stage, change.reason.action) == (("<unk>",), "model", "other")


def test_special_tokens_that_are_no_longer_added_are_a_change_of_their_own(explain):
    (change,) = explain("bert-base-uncased", "you", post_processor=None)
    assert (change.text, change.old, change.new) == ("", ("[CLS]", "[SEP]"), ())
    assert (change.reason.type, change.reason.action) == ("TemplateProcessing", "off")


def test_a_combining_mark_belongs_to_its_letter(explain):
    changes = explain("t5", "cafe\u0301", normalizer=None)
    assert [change.text for change in changes] == ["cafe\u0301"]


def test_a_component_that_changes_no_token_is_no_reason(explain):
    assert explain("bert-base-uncased", "you", normalizer={"type": "NFC"}) == []
    assert explain("bert-base-uncased", "", normalizer=None) == []


def test_the_number_of_changes_is_bounded(explain):
    assert len(explain("bert-base-uncased", "IT " * 500, normalizer=None)) == MAX_CHANGES
