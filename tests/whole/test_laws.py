"""The laws of the house, each over every tokenizer of the registry and all of Unicode."""

import re

import orjson
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.cells import cells, windows
from tokenarium.lab.tokenize import tokenize
from tokenarium.registry import Registry
from tokenarium.serialize.columns import columns
from tokenarium.settings import Settings
from tokenarium.web.body import JSONResponse
from tokenarium.web.forms import fold

from tests.conftest import IDS
from tests.support.strings import TEXTS, over_all_texts

LOSSLESS = [info.id for info in Registry(Settings()).infos() if info.lossless and info.id in IDS]


@over_all_texts
def test_lossless_tokens_tile_the_input_and_their_bytes_join_to_it(registry, text):
    data = text.encode()
    for id in LOSSLESS:
        tokenization = tokenize(registry, text, tokenizer=id)
        edges = [0, *tokenization.encoding.byte_ends.tolist()]
        assert tokenization.encoding.byte_starts.tolist() == edges[:-1], id
        assert edges[-1] == len(data), id
        assert b"".join(token.entry.raw for token in tokenization.tokens()) == data, id


@over_all_texts
def test_spans_lie_in_the_input_characters_round_bytes_outward_and_cells_hold_every_token_once(registry, text):
    at = [len(text[:i].encode()) for i in range(len(text) + 1)]
    for id in IDS:
        tokenization = tokenize(registry, text, tokenizer=id)
        for token in tokenization.tokens():
            assert 0 <= token.byte_start <= token.byte_end <= at[-1], id
            assert at[token.char_start] <= token.byte_start, id
            assert at[token.char_end] >= token.byte_end, id
            assert (token.byte_start == token.byte_end) == token.inserted, (id, token)
            if not token.inserted:
                assert at[token.char_start + 1] > token.byte_start, id
                assert at[token.char_end - 1] < token.byte_end, id
        result = cells(tokenization)
        assert "".join(cell.text for cell in result) == text, id
        assert sorted(token.index for cell in result for token in cell.tokens) == list(
            range(len(tokenization.encoding))
        ), id


@over_all_texts
def test_windows_tile_the_tokens_and_the_input(registry, text):
    long = (text + "ab🌍") * 40
    for id in ("bytes", "o200k_base", "bert-base-uncased", "mistral-v3"):
        tokenization = tokenize(registry, long, tokenizer=id)
        result = windows(tokenization)
        assert "".join(window.text(tokenization.data) for window in result) == long, id
        assert [window.start for window in result[1:]] == [window.stop for window in result[:-1]], id
        assert result[-1].stop == len(tokenization.encoding), id


BYTES_AS_LETTERS = "ÀÁõö÷øùúûüýþÿ"
"""Added tokens of DeepSeek Coder, which its library decodes as bytes that UTF-8 never uses."""


@over_all_texts
def test_decoding_gives_the_input_or_its_documented_normalization(registry, text):
    for id in LOSSLESS:
        if id != "words" and not (id == "deepseek-coder" and {*BYTES_AS_LETTERS} & {*text}):
            loaded = registry.get(id)
            assert loaded.decode(loaded.encode(text).ids.tolist()) == text.encode(), id
    for id in ("mistral-v1", "mistral-v3", "udhr-unigram-16k"):
        loaded = registry.get(id)
        assert loaded.decode(loaded.encode(text).ids.tolist()).decode() == text.replace("▁", " "), id
    bert = registry.get("bert-base-uncased")
    ids = bert.encode(text).ids.tolist()
    pieces = [bert.entry(id).piece for id in ids]
    joined = [*pieces[:1], *(piece.removeprefix("##") if piece[:2] == "##" else f" {piece}" for piece in pieces[1:])]
    for sign in ".?!,":  # as tokenizers cleans up after it has joined
        joined = [piece.replace(f" {sign}", sign) for piece in joined]
    for engine in ("tokenizers", "scratch"):
        assert registry.get("bert-base-uncased", engine).decode(ids).decode() == "".join(joined)


def test_bert_puts_no_space_before_a_comma_or_a_full_stop(registry):
    for engine in ("tokenizers", "scratch"):
        bert = registry.get("bert-base-uncased", engine)
        assert bert.decode(bert.encode("Stop, he said. Really?! It's 3.5").ids.tolist()) == (
            b"stop, he said. really?! it ' s 3. 5"
        )


def test_thirteen_letters_do_not_come_back_from_deepseek_coder(registry):
    for engine in ("tokenizers", "scratch"):
        loaded = registry.get("deepseek-coder", engine)
        lost = {char: loaded.decode(loaded.encode(char).ids.tolist()) for char in BYTES_AS_LETTERS}
        assert lost == {char: bytes([ord(char)]) for char in BYTES_AS_LETTERS}


@given(st.lists(TEXTS, min_size=2, max_size=3), st.sampled_from(IDS))
def test_a_batch_and_a_stream_answer_what_singles_answer(ask, texts, id):
    batch = ask("POST", "/tokenize", json={"tokenizer": id, "text": texts}).json()
    assert batch == [ask("POST", "/tokenize", json={"tokenizer": id, "text": text}).json() for text in texts]
    sent = {
        "params": {"tokenizer": id, "include": ["ids", "pieces", "offsets"]},
        "content": b"\n".join(map(orjson.dumps, texts)),
        "headers": {"content-type": "application/x-ndjson"},
    }
    *lines, summary = map(orjson.loads, ask("POST", "/api/tokenize-stream", **sent).text.splitlines())  # as httpx does
    assert lines == [{"line": number} | answer for number, answer in enumerate(batch, 1)]
    assert summary["tokens"] == sum(answer["count"] for answer in batch)


@over_all_texts
def test_json_answers_what_the_lab_finds(registry, text):
    for id in ("cl100k_base", "words"):
        tokenization = tokenize(registry, text, tokenizer=id)
        answer = orjson.loads(JSONResponse(columns(tokenization)).body)
        raws = [bytes.fromhex(p["bytes_hex"]) if isinstance(p, dict) else p.encode() for p in answer["pieces"]]
        assert answer["count"] == len(answer["ids"]) == len(raws)
        assert b"".join(raws) == text.encode()


@given(TEXTS, st.sampled_from(IDS))
def test_the_page_the_api_and_the_lab_count_the_same(ask, registry, text, id):
    text = fold(text)  # as a form does
    page = ask("POST", "/", data={"tokenizer": id, "text": text}, headers={"HX-Request": "true"}).text
    shown = int(re.search(r'data-count="tokens">([\d,]+)<', page).group(1).replace(",", ""))
    answered = ask("POST", "/tokenize", json={"tokenizer": id, "text": text, "include": []}).json()["count"]
    assert shown == answered == len(tokenize(registry, text, tokenizer=id).encoding)
