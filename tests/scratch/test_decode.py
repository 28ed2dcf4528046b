"""The decoders of the teaching file give back what the tokenizers themselves do."""

import pytest
from tokenarium.scratch.decode import decode_bytes, decode_continuations, decode_marked_spaces

TEXTS = ("Untokenized 🦕!", "don't", "two  spaces", "naïve ꙮ, ok?", " begins", "你好 world", "")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("id", "decoder", "read"),
    [
        ("bert-base-uncased", decode_continuations, "piece"),
        ("mistral-v1", decode_marked_spaces, "piece"),
        ("gpt2", decode_bytes, "raw"),
    ],
)
def test_tokens_become_the_text_that_the_tokenizer_decodes(registry, id, decoder, read, text):
    tokenizer = registry.get(id, "scratch")
    ids = tokenizer.encode(text).ids.tolist()
    tokens = [getattr(tokenizer.entry(one), read) for one in ids]
    assert b"".join(decoder(tokens)) == tokenizer.decode(ids)
