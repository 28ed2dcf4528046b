"""Special tokens spelled out in a text: three policies, the same over every engine."""

import pytest
from tokenarium.adapters.special_tokens import find
from tokenarium.errors import SpecialTokenRefused

SPELLED = {
    "cl100k_base": "<|endoftext|>",
    "o200k_harmony": "<|start|>",
    "tekken": "[INST]",
    "mistral-v3": "[INST]",
    "bert-base-uncased": "[MASK]",
}


@pytest.mark.parametrize("id", SPELLED)
def test_parsed_it_is_one_token_with_its_own_span(registry, id):
    token = SPELLED[id]
    for engine in registry.info(id).engines:
        done = registry.get(id, engine).encode(f"é{token}é", special="parse")
        at = done.ids.tolist().index(registry.info(id).special_tokens[token])
        assert (done.byte_starts[at], done.byte_ends[at]) == (2, 2 + len(token))
        assert (done.char_starts[at], done.char_ends[at]) == (1, 1 + len(token))
        assert done.flags[at] & 1


@pytest.mark.parametrize("id", SPELLED)
def test_as_text_it_is_no_special_token(registry, id):
    for engine in registry.info(id).engines:
        done = registry.get(id, engine).encode(f"a{SPELLED[id]}b", special="text")
        assert not any(flag & 1 for flag in done.flags.tolist())


@pytest.mark.parametrize("id", SPELLED)
def test_refused_it_is_named_with_its_place(registry, id):
    for engine in registry.info(id).engines:
        with pytest.raises(SpecialTokenRefused) as caught:
            registry.get(id, engine).encode(f"é {SPELLED[id]}", special="refuse")
        assert caught.value.offset == 2


def test_the_longest_of_those_that_begin_together_is_found():
    assert list(find("<s><s>x", {"<s>": 1, "<s>x": 2})) == [(0, "<s>"), (3, "<s>x")]


def test_two_names_of_one_id_both_parse(registry):
    harmony = registry.get("o200k_harmony")
    for name in ("<|endofprompt|>", "<|reserved_200018|>"):
        assert harmony.encode(name, special="parse").ids.tolist() == [200018]
