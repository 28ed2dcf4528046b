"""Every dialect cuts a text as the native form does, for every tokenizer of the store."""

import pytest

from tests.conftest import IDS

TEXTS = ["", "Hello, 🌍! 你好!", " é\u0301\u200d🫠\n\n\tDon't  12345", "a<|endoftext|>[MASK]</s>b", "▁ \ufffd\0"]


def asked(ask, path, **sent):
    response = ask("POST", path, json=sent)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("tokenizer", IDS)
def test_all_give_the_same_ids_and_places(ask, tokenizer):
    native = asked(ask, "/tokenize", tokenizer=tokenizer, text=TEXTS, special="parse", template=True)
    ids = [one["ids"] for one in native]
    prompts = asked(ask, "/tokenize", model=tokenizer, prompt=TEXTS)
    assert (prompts["tokens"], prompts["count"]) == (ids, [len(one) for one in ids])
    for text, one, row in zip(TEXTS, native, asked(ask, "/tokenize", model=tokenizer, inputs=TEXTS), strict=True):
        vllm = asked(ask, "/tokenize", model=tokenizer, prompt=text, return_token_strs=True)
        assert (vllm["tokens"], vllm["count"], len(vllm["token_strs"])) == (one["ids"], one["count"], one["count"])
        llamacpp = asked(ask, "/tokenize", model=tokenizer, content=text, add_special=True)
        assert llamacpp["tokens"] == one["ids"]
        assert [token["id"] for token in row] == one["ids"]
        places = zip(one["byte_starts"], one["byte_ends"], strict=True)
        for token, place in zip(row, places, strict=True):
            assert token["special"] or (token["start"], token["stop"]) == place
        assert all((token["start"] is None) == token["special"] for token in row)


@pytest.mark.parametrize("tokenizer", [id for id in IDS if id != "words"])
def test_all_read_the_same_text_back(ask, tokenizer):
    for text in TEXTS:
        ids = asked(ask, "/tokenize", tokenizer=tokenizer, text=text, special="parse")["ids"]
        native = asked(ask, "/detokenize", tokenizer=tokenizer, ids=ids)["text"]
        assert asked(ask, "/compat/vllm/detokenize", model=tokenizer, tokens=ids) == {"prompt": native}
        assert asked(ask, "/compat/llamacpp/detokenize", model=tokenizer, tokens=ids) == {"content": native}
        kept = {"model": tokenizer, "tokens": ids, "skip_special_tokens": False}
        assert asked(ask, "/v1/detokenize", **kept) == {"text": native}
        assert asked(ask, "/detokenize", model=tokenizer, tokens=ids) == {"prompt": native}
        every = asked(ask, f"/t/{tokenizer}/detokenize", tokens=ids)
        assert [every[key] for key in ("text", "prompt", "content")] == [native] * 3
