"""Which tokenizer a model reads with."""

import pytest
from tokenarium.errors import UnknownTokenizer
from tokenarium.lab.models import NAMES, resolve_model


@pytest.mark.parametrize(
    ("model", "id"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5-mini", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("ft:gpt-4o:org", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("text-embedding-3-large", "cl100k_base"),
        ("text-embedding-ada-002", "cl100k_base"),
        ("ft:gpt-4:org", "cl100k_base"),
        ("text-davinci-003", "p50k_base"),
        ("code-davinci-edit-001", "p50k_edit"),
        ("davinci", "r50k_base"),
        ("gpt2", "gpt2"),
        ("gpt2-xl", "gpt2"),
        ("gpt-oss-20b", "o200k_harmony"),
        ("openai/gpt-oss-120b", "o200k_harmony"),
        ("mistralai/Mistral-7B-v0.1", "mistral-v1"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "mistral-v3"),
        ("mistralai/Mistral-Nemo-Instruct-2407", "tekken"),
        ("bert-base-uncased", "bert-base-uncased"),
        ("sentence-transformers/all-MiniLM-L6-v2", "bert-base-uncased"),
        ("Mixtral 8x7B", "mistral-v1"),
        ("GPT-4 Turbo", "cl100k_base"),
        ("udhr-unigram-16k", "udhr-unigram-16k"),
    ],
)
def test_a_model_has_its_tokenizer(registry, model, id):
    assert resolve_model(registry, model) == id


def test_every_name_leads_to_a_tokenizer_of_the_store_and_none_to_two(registry):
    ids = {info.id for info in registry.infos()}
    assert set(NAMES) <= ids
    names = [name for some in NAMES.values() for name in some]
    assert len(names) == len(set(names))
    assert not set(names) & ids


@pytest.mark.parametrize(
    ("model", "near"),
    [
        ("gpt-4p", "gpt-4"),
        ("gpt-4.2", "gpt-4.1"),
        ("mistral-v2", "mistral-v1"),
        ("claude-opus-4-5", ""),
        ("", "gpt-4o"),
    ],
)
def test_a_model_that_is_not_here_is_answered_with_the_nearest_names(registry, model, near):
    with pytest.raises(UnknownTokenizer) as caught:
        resolve_model(registry, model)
    assert near in caught.value.detail
    assert caught.value.pointer == "/model"
