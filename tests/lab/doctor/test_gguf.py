"""Which of llama.cpp's pre-tokenizers splits as a tokenizer.json does."""

import json

import pytest
from tokenarium.files.gguf.pre_tokenizers import PRE_TOKENIZERS
from tokenarium.files.tiktoken.ranks import CL100K, GPT2, O200K, QWEN2
from tokenarium.files.tokenizer_json.components import bpe, byte_level, document, make_isolated_split, sequence
from tokenarium.lab.doctor.gguf import NAMES, SPLIT_TEXTS, _split
from tokenarium.lab.doctor.report import examine

from tests.support.records import LETTERS


def byte_level_json(*patterns, normalizer=None, **options):
    *first, last = patterns
    stages = [*map(make_isolated_split, first), *byte_level(pattern=last)["pretokenizers"]]
    model = bpe({letter: id for id, letter in enumerate(LETTERS)}, [], **options)
    around = {"pre_tokenizer": sequence("pretokenizers", stages), "decoder": byte_level()}
    top = document(model, [], normalizer=normalizer, **around)
    return {"tokenizer.json": json.dumps(top).encode()}


@pytest.mark.parametrize(
    ("patterns", "options", "sentence"),
    [
        (
            (CL100K,),
            {"ignore_merges": True},
            "llama-bpe, llama3, llama-v3 and 9 others split all 91 texts as this file does. The nearest other, ",
        ),
        ((CL100K,), {}, "dbrx, smaug-bpe, chatglm-bpe split all 91 texts as this file does. The nearest other, "),
        ((r"\p{N}", GPT2), {}, "starcoder, refact, command-r and 5 others split all 91 texts as this file does. "),
        ((O200K,), {}, "No pre-tokenizer of llama.cpp splits all 91 texts as this file does. The nearest, "),
    ],
)
def test_the_names_are_said_that_split_as_a_tokenizer_json_does(patterns, options, sentence):
    (fit,) = examine(byte_level_json(*patterns, **options)).fits
    assert fit.sentence.startswith(sentence)


def test_the_first_text_that_separates_the_nearest_is_said():
    (fit,) = examine(byte_level_json(QWEN2)).fits
    others = "kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2 bailingmoe bailingmoe2 llada-moe"
    assert fit.names == ("qwen2", "deepseek-r1-qwen", *others.split())
    assert (fit.nearest, fit.text) == ("ufakzeka", "don'T x'LLx")


def test_texts_that_the_normalizer_changes_are_not_compared():
    (fit,) = examine(byte_level_json(QWEN2, normalizer={"type": "NFC"})).fits
    assert (fit.names[:2], fit.texts, fit.normalized) == (("qwen2", "deepseek-r1-qwen"), 89, 2)
    assert fit.sentence.endswith(
        "2 texts are left out: the file's normalizer changes them, and llama.cpp has no normalizer."
    )
    assert not examine(byte_level_json(QWEN2, normalizer={"type": "Prepend", "prepend": "▁"})).fits


def test_the_texts_tell_all_patterns_apart_that_differ():
    """The second of each pair has the same words in other patterns."""
    by_words = {}
    for name in NAMES:
        words = tuple(tuple(_split(PRE_TOKENIZERS[name].patterns, text)) for text in SPLIT_TEXTS)
        by_words.setdefault(words, {})[PRE_TOKENIZERS[name].patterns] = name
    alike = {tuple(names.values()) for names in by_words.values() if len(names) > 1}
    assert alike == {("glm5", "minicpm5"), ("grok-2", "llada-moe")}
