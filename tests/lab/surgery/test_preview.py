"""A preview says what an operation then does: the same sizes, the same tokens of a text, and what happens to ids."""

from functools import cache

import pytest
from tokenarium.errors import Invalid
from tokenarium.lab.surgery.operation import operate
from tokenarium.lab.surgery.options import SurgeryOptions
from tokenarium.lab.surgery.preview import MAX_SAMPLE, cut_texts, preview_operation
from tokenarium.lab.surgery.subject import load_record

from tests.support.corpora import ENGLISH, SHAN
from tests.support.own_record import own

SAMPLE = "Everyone has the right to life, Привет"
PRUNED = SurgeryOptions(proof=100)
EXTENDED = SurgeryOptions(operation="extend", tokens=40, proof=100)


@cache
def subject():
    return load_record(own())


@cache
def read_preview(options, text, sample):
    return preview_operation(subject(), [text], SurgeryOptions.model_validate_json(options), sample)


def shown(options, text, sample=SAMPLE):
    return read_preview(options.model_dump_json(), text, sample)


@pytest.mark.parametrize(("options", "text"), [(PRUNED, ENGLISH), (EXTENDED, SHAN)], ids=["prune", "extend"])
def test_a_preview_has_the_figures_of_the_operation(options, text):
    report = operate(own(), [text], options).report
    preview = shown(options, text)
    assert {name: preview.figures[name] for name in ("size", "tokens", "removed", "learned")} == {
        name: report[name] for name in ("size", "tokens", "removed", "learned")
    }
    assert preview.measured == report["measured"]


def test_every_id_has_one_fate():
    preview = shown(PRUNED, ENGLISH)
    tokens = preview.figures["tokens"]
    assert preview.ids["stays"] + preview.ids["moves"] == tokens["kept"]
    assert preview.ids["vanishes"] == tokens["before"] - tokens["kept"] > 0
    assert preview.ids["new"] == 0
    assert shown(EXTENDED, SHAN).ids == {"stays": 600, "moves": 0, "vanishes": 0, "new": 40}


def test_a_text_of_the_corpus_keeps_its_tokens():
    preview = shown(PRUNED, ENGLISH, "Everyone has the right")
    assert "".join(token.text for token in preview.before) == "Everyonehastheright"  # its words end at spaces
    assert [token.text for token in preview.after] == [token.text for token in preview.before]
    assert preview.counts == (len(preview.before), len(preview.after))
    assert not any(token.changed for token in (*preview.before, *preview.after))


def test_what_is_divided_differently_is_marked():
    preview = shown(EXTENDED, SHAN, SHAN[:60])
    assert preview.counts[0] > preview.counts[1]
    new = [token for token in preview.after if token.other is None]
    assert new
    assert all(token.changed and token.id >= 600 for token in new)
    assert [change for _, change in preview.rows][: len({token.id for token in new})] == ["new"] * len(
        {token.id for token in new}
    )


def test_only_a_part_of_a_large_corpus_is_read():
    preview = shown(PRUNED, "a word and another\n" * 20_000)
    assert (preview.read, preview.characters) == (300_000, 380_000)


def test_a_corpus_is_cut_evenly():
    assert cut_texts(["a" * 10, "b" * 2, "c" * 10], 12) == ["a" * 5, "b" * 2, "c" * 5]
    assert cut_texts([], 5) == []
    assert cut_texts(["abc"], 5) == ["abc"]


@pytest.mark.parametrize(
    ("options", "text", "sample", "pointer"),
    [
        (PRUNED, " ", "a", "/texts"),
        (PRUNED, ENGLISH, "a" * (MAX_SAMPLE + 1), "/sample"),
        (SurgeryOptions(keep_ids=["600"]), ENGLISH, "a", "/keep_ids"),
        (SurgeryOptions(operation="tokens", add_tokens=["th"]), "", "a", "/add_tokens"),
    ],
)
def test_a_preview_refuses_what_the_operation_refuses(options, text, sample, pointer):
    with pytest.raises(Invalid) as refused:
        preview_operation(subject(), [text], options, sample)
    assert refused.value.pointer == pointer
