"""Special tokens spelled out in a text: three policies, the same over every engine."""

import pytest
from tokenarium.errors import SpecialTokenRefused
from tokenarium.files.special_tokens import find
from tokenarium.files.tokenizer_json.packed import read_tokenizer_json

from tests.conftest import IDS

SPELLED = {
    "cl100k_base": "<|endoftext|>",
    "o200k_harmony": "<|start|>",
    "tekken": "[INST]",
    "mistral-v3": "[INST]",
    "bert-base-uncased": "[MASK]",
}

TABLE = [
    ("bert-base-uncased", "[UNK]", [], [1037, 100, 1038]),
    ("bert-base-uncased", "[MASK]", [], [1037, 103, 1038]),
    ("cl100k_base", "<|endoftext|>", [], [64, 720, 100257, 720, 65]),
    ("claude-2", "<EOT>", [], [69, 2891, 0, 225, 203, 70]),
    ("clip", "<|startoftext|>", [], [320, 49406, 321]),
    ("deepseek-coder", "<｜end▁of▁sentence｜>", [], [64, 207, 185, 32014, 207, 185, 65]),
    ("deepseek-v3", "<｜end▁of▁sentence｜>", [], [67, 539, 1, 539, 68]),
    ("falcon", ">>TITLE<<", [], [76, 4610, 0, 204, 193, 77]),
    ("gemma4", "<unk>", [], [236746, 236743, 107, 3, 236743, 107, 236763]),
    ("gemma4", "<|turn>", [], [236746, 236743, 107, 105, 236743, 107, 236763]),
    ("glm-4", "<|user|>", [], [64, 715, 151336, 715, 65]),
    ("gpt-neox", "<|endoftext|>", [], [66, 2490, 0, 209, 187, 67]),
    ("gpt2", "<|endoftext|>", [], [64, 220, 198, 50256, 220, 198, 65]),
    ("kimi-k2", "[BOS]", [], [64, 1420, 163584, 1420, 65]),
    ("mistral-v1", "<unk>", [], [264, 28705, 13, 0, 259, 13, 28726]),
    ("mistral-v1", "</s>", [], [264, 28705, 13, 2, 259, 13, 28726]),
    ("mistral-v2", "<unk>", [], [1032, 29473, 781, 0, 1027, 781, 29494]),
    ("mistral-v2", "[INST]", [], [1032, 29473, 781, 3, 1027, 781, 29494]),
    ("mistral-v3", "<unk>", [], [1032, 29473, 781, 0, 1027, 781, 29494]),
    ("mistral-v3", "[INST]", [], [1032, 29473, 781, 3, 1027, 781, 29494]),
    ("mistral-v7", "<unk>", [], [1032, 29473, 781, 0, 1027, 781, 29494]),
    ("mistral-v7", "[INST]", [], [1032, 29473, 781, 3, 1027, 781, 29494]),
    ("modernbert", "[SEP]", [], [66, 2490, 50282, 209, 187, 67]),
    ("modernbert", "[MASK]", ["lstrip"], [66, 50284, 209, 187, 67]),
    ("o200k_base", "<|endoftext|>", [], [64, 793, 199999, 793, 65]),
    ("o200k_harmony", "<|start|>", [], [64, 793, 200006, 793, 65]),
    ("p50k_base", "<|endoftext|>", [], [64, 220, 198, 50256, 220, 198, 65]),
    ("p50k_edit", "<|fim_prefix|>", [], [64, 220, 198, 50281, 220, 198, 65]),
    ("phi-3", "<unk>", [], [263, 29871, 13, 0, 259, 13, 29890]),
    ("phi-3", "<s>", [], [263, 29871, 13, 1, 259, 13, 29890]),
    ("phi-3", "</s>", ["rstrip"], [263, 29871, 13, 2, 289]),
    ("phi-3", "<|endoftext|>", [], [263, 29871, 13, 32000, 259, 13, 29890]),
    ("phi-3", "<|assistant|>", ["rstrip"], [263, 29871, 13, 32001, 289]),
    ("phi-3", "<|placeholder1|>", ["rstrip"], [263, 29871, 13, 32002, 289]),
    ("phi-3", "<|placeholder6|>", ["rstrip"], [263, 29871, 13, 32009, 289]),
    ("phi-3", "<|system|>", ["rstrip"], [263, 29871, 13, 32006, 289]),
    ("phi-3", "<|end|>", ["rstrip"], [263, 29871, 13, 32007, 289]),
    ("phi-3", "<|user|>", ["rstrip"], [263, 29871, 13, 32010, 289]),
    ("qwen3", "<|im_start|>", [], [64, 715, 151644, 715, 65]),
    ("qwen3.5", "<|im_start|>", [], [64, 695, 248045, 695, 65]),
    ("r50k_base", "<|endoftext|>", [], [64, 220, 198, 50256, 220, 198, 65]),
    ("t5", "<pad>", [], [3, 9, 0, 3, 115]),
    ("t5", "<unk>", [], [3, 9, 2, 3, 115]),
    ("t5", "<extra_id_0>", [], [3, 9, 32099, 3, 115]),
    ("tekken", "<unk>", [], [1097, 1032, 1010, 0, 1032, 1010, 1098]),
    ("umt5", "<pad>", [], [289, 273, 3, 0, 273, 3, 485]),
    ("umt5", "<unk>", [], [289, 273, 3, 3, 273, 3, 485]),
    ("whisper", "<|en|>", [], [64, 220, 198, 50259, 220, 198, 65]),
    ("whisper-v3", "<|en|>", [], [64, 220, 198, 50259, 220, 198, 65]),
    ("xlm-roberta", "<s>", [], [10, 0, 876]),
    ("xlm-roberta", "<unk>", [], [10, 3, 876]),
    ("xlm-roberta", "<mask>", ["lstrip"], [10, 250001, 876]),
    ("yi", "<unk>", [], [59572, 59568, 144, 0, 59568, 144, 59588]),
    ("yi", "<|im_start|>", [], [59572, 59568, 144, 6, 59568, 144, 59588]),
    ("yi", "<|im_end|>", [], [59572, 59568, 144, 7, 59568, 144, 59588]),
    ("yi", "<|im_sep|>", [], [59572, 59568, 144, 8, 59568, 144, 59588]),
]
"""A tokenizer, a token, what it takes in beside it, and the ids of a text in which spaces and line ends are around it,
as the library of each or `tokenizers` with the model's own tokenizer.json has them."""


def traced_ids(tokenizer, text):
    return [id for word in tokenizer.trace(text, special="parse").words for id, _, _ in word.segmentation.tokens]


OFTEN = {*IDS, "modernbert", "phi-3"}
"""The tokenizers of the table before a commit: of each kind one, and those with tokens that take in white space."""
ROWS = [row if row[0] in OFTEN else pytest.param(*row, marks=pytest.mark.nightly) for row in TABLE]


@pytest.mark.parametrize(("id", "token", "rules", "ids"), ROWS, ids=lambda value: str(value)[:20])
def test_a_token_takes_in_the_white_space_that_its_rules_say(registry, id, token, rules, ids):
    info = registry.info(id)
    assert [*info.token_rules.get(token, ())] == rules
    text = f"a \n{token} \nb"
    span = (1 if "lstrip" in rules else 3, 3 + len(token) + (2 if "rstrip" in rules else 0))
    for engine in info.engines:
        done = registry.get(id, engine).encode(text, special="parse")
        assert done.ids.tolist() == ids, engine
        assert span in zip(done.char_starts.tolist(), done.char_ends.tolist(), strict=True), engine
    assert traced_ids(registry.get(id, "scratch"), text) == ids


def test_all_other_tokens_have_no_rules(registry):
    listed = {(id, token) for id, token, rules, _ in TABLE if rules}
    listed |= {("phi-3", f"<|placeholder{number}|>") for number in (2, 3, 4, 5)}
    assert {(info.id, token) for info in registry.infos() for token in info.token_rules} == listed


def test_the_rules_of_a_packed_file_are_those_of_its_description(registry):
    for info in registry.infos():
        if file := read_tokenizer_json(registry.record(info.id)):
            rules = {token.content: token for token in file.added if token.lstrip or token.rstrip or token.single_word}
            assert rules.keys() == info.token_rules.keys(), info.id
            assert {token.content: token.id for token in file.added if token.special} == info.special_tokens, info.id
            normalized = {token.content for token in file.added if token.special and token.normalized}
            assert normalized == ({"<|startoftext|>", "<|endoftext|>"} if info.id == "clip" else set()), info.id


@pytest.mark.parametrize(
    ("id", "text", "ids"),
    [
        ("phi-3", "<|user|>\nHi<|end|>\n<|assistant|>\n", [32010, 6324, 32007, 32001]),
        ("t5", "<pad> Today is <unk> nice day </s>", [0, 1960, 19, 2, 1245, 239, 1]),
        ("clip", "<|StartOfText|>A<|ENDOFTEXT|>", [49406, 320, 49407]),
        ("yi", "<|im_start|>user\nHi<|im_end|>", [6, 3903, 144, 25070, 7]),
    ],
)
def test_a_conversation_has_the_ids_that_its_library_gives(registry, id, text, ids):
    for engine in registry.info(id).engines:
        assert registry.get(id, engine).encode(text, special="parse").ids.tolist() == ids
    assert traced_ids(registry.get(id, "scratch"), text) == ids


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
