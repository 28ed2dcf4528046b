"""The versions of a tokenizer: each result names what it was made of, so there is a way back to the original."""

from dataclasses import replace

import pytest
from tokenarium.lab.option_schema import with_values
from tokenarium.lab.surgery.operation import operate
from tokenarium.lab.surgery.options import SurgeryOptions
from tokenarium.lab.surgery.versions import SurgeryVersion, list_versions, save_tokenizer, suggest_name
from tokenarium.lab.tokenizers.saving import delete
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.support.own_record import own

PADDED = SurgeryOptions(operation="tokens", multiple=64, proof=100)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A tokenizer that is not kept, three versions of it in a row, and the settings of the store that has them."""
    settings = replace(Settings(), local=tmp_path_factory.mktemp("versions"))
    record = own()
    ids = ["mine"]
    for number in (1, 2, 3):
        options = with_values(PADDED, add_tokens=[f"<{number}>"])
        ids.append(save_tokenizer(settings, record, operate(record, [], options), f"Version {number}"))
        record = Registry(settings).record(ids[-1])
    return settings, ids


def test_the_versions_lead_from_the_first_to_the_next(kept):
    settings, ids = kept
    registry = Registry(settings)
    versions = list_versions(registry, ids[2], registry.infos())
    assert [one.id for one in versions] == ids
    assert [one.kept for one in versions] == [False, True, True, True]
    assert [one.change for one in versions[1:]] == [
        "40 new special tokens, 0 renamed",
        "64 new special tokens, 0 renamed",
        "64 new special tokens, 0 renamed",
    ]
    assert [one.size for one in versions] == [None, 640, 704, 768]
    assert [one.id for one in list_versions(registry, ids[1], registry.infos())] == ids[:3]


def test_a_tokenizer_without_operations_has_no_versions():
    registry = Registry(Settings())
    assert list_versions(registry, "gpt2", registry.infos()) == []


def test_a_deleted_version_is_named_and_ends_the_way_back(kept):
    settings, ids = kept
    delete(settings, ids[1])
    registry = Registry(settings)
    assert [(one.id, one.kept) for one in list_versions(registry, ids[2], [])] == [(ids[1], False), (ids[2], True)]
    assert list_versions(registry, ids[2], [])[0].title == "Version 1"


def test_the_next_name_is_one_higher():
    versions = [SurgeryVersion("a", name, "", 9) for name in ("Mine", "Mine, version 9", "Other, version 11")]
    assert suggest_name("Mine, version 2", versions) == "Mine, version 10"
    assert suggest_name("Other", []) == "Other, version 2"
