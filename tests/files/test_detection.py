"""What a set of files is, is decided by content."""

import io
import json
import zipfile

import pytest
from tokenarium.errors import BadFile
from tokenarium.files.archives import Folder, is_zip, unzip_files
from tokenarium.files.detection import detect

from tests.support import sentencepiece_models, tokenizers_trained

RANKS = b"IQ== 0\nIg== 1\n"
TEKKEN = json.dumps({"config": {"pattern": "a"}, "vocab": [{"rank": 0, "token_bytes": "IQ==", "token_str": "!"}]})
FILES = {
    "tokenizer.json": tokenizers_trained.file("gpt2"),
    "sentencepiece": sentencepiece_models.trained("bpe bytes"),
    "tiktoken": RANKS,
    "tekken": TEKKEN.encode(),
    "claude": b'{"explicit_n_vocab": 1, "pat_str": "a", "special_tokens": {}, "bpe_ranks": "! 0 IQ=="}',
    "gguf": b"GGUF\x03\x00\x00\x00",
    "wordpiece": b"[PAD]\n[UNK]\nthe\n##s\n",
    "minbpe": b"minbpe v1\n\n0\n104 105\n",
}
COMPANIONS = {
    "config": b'{"tokenizer_class": "X", "bos_token": "<s>", "chat_template": "{{ messages }}"}',
    "special_tokens_map": b'{"bos_token": "<s>", "additional_special_tokens": ["<x>"]}',
    "added_tokens": b'{"<x>": 5}',
    "chat_template": b"{%- for message in messages %}{{ message.content }}{% endfor %}",
    "model_config": b'{"model_type": "llama", "bos_token_id": 1}',
}


@pytest.mark.parametrize("kind", FILES)
def test_each_kind_is_known_by_its_content_whatever_its_name(kind):
    for name in ("tokenizer.model", "vocab.json", "x"):
        assert (detect({name: FILES[kind]}).kind, detect({name: FILES[kind]}).main) == (kind, name)


@pytest.mark.parametrize("kind", FILES)
def test_what_lies_beside_a_tokenizer_has_its_role(kind):
    beside = {f"file {number}": data for number, data in enumerate(COMPANIONS.values())}
    whole = detect({"main": FILES[kind], **beside})
    assert (whole.kind, whole.main, whole.others) == (kind, "main", {})
    assert whole.companions == {role: f"file {number}" for number, role in enumerate(COMPANIONS)}


def test_a_vocabulary_and_merges_are_one_tokenizer_and_the_smaller_mapping_holds_the_added_tokens():
    files = {"1": b'{"<x>": 9}', "2": b'{"a": 0, "b": 1, "ab": 2}', "3": b"#version: 0.2\na b\n"}
    whole = detect(files)
    assert (whole.kind, whole.main) == ("vocab-merges", "2")
    assert whole.companions == {"vocabulary": "2", "merges": "3", "added_tokens": "1"}


def test_of_several_tokenizers_one_is_used_and_the_others_are_named():
    whole = detect({"tokenizer.model": FILES["sentencepiece"], "tokenizer.json": FILES["tokenizer.json"]})
    assert (whole.kind, whole.others) == ("tokenizer.json", {"sentencepiece": "tokenizer.model"})
    assert whole.notes == ("tokenizer.json is used; beside it there is also SentencePiece .model.",)
    outer = detect({"a/x.json": FILES["tokenizer.json"], "y.json": FILES["tokenizer.json"]})
    assert outer.main == "y.json"
    assert outer.notes == ("a/x.json is another tokenizer.json of Hugging Face; y.json is used.",)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": b""}, "This is not a tokenizer file. The file is empty."),
        ({"a": b"{"}, "This is not a tokenizer file. The file is not JSON at line 1, column 2."),
        ({"a": b"{" + b'"a":{' * 100_000}, "nested too deeply"),
        ({"a": b'{"a": [1]}'}, "its keys are of no known format: a."),
        ({"a": b"\xff\xfe\x00"}, "no known binary format, and not UTF-8 at byte 0"),
        ({"a": b"Hello, world!\nThis is a text.\n"}, "It is text, but neither ranks"),
        ({"vocab.json": b'{"a": 0}'}, "needs its merges.txt as well"),
        ({"a": b'{"bad": 1}'}, "is no vocabulary: the ids of one are 0, 1, 2 and so on."),
        ({"added_tokens.json": b'{"a": 0}', "merges.txt": b"a b c\n"}, "needs its vocab.json as well"),
        ({"merges.txt": b"a b\n"}, "needs its vocab.json as well"),
        ({}, "There is no file that can belong to a tokenizer; a zip in a zip is not read."),
        ({"a": b"\xff", "b": COMPANIONS["config"]}, "None of the 2 files is a tokenizer; known are tokenizer.json of"),
    ],
)
def test_what_is_no_tokenizer_is_refused_with_the_cause(files, message):
    with pytest.raises(BadFile) as caught:
        detect(files)
    assert message in caught.value.detail
    assert len(caught.value.detail) < 600


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return data.getvalue()


def test_a_zip_is_its_files_without_those_that_belong_to_no_tokenizer():
    data = zipped(**{"m/tokenizer.json": b"{}", "m/model.safetensors": b"1", "__MACOSX/a.json": b"", "m/.x.json": b""})
    assert is_zip(data)
    assert unzip_files(data) == {"m/tokenizer.json": b"{}"}


def test_a_zip_that_is_damaged_or_too_large_is_refused():
    bomb = zipped(**{"a.json": b"0" * 10_000_000})
    assert len(bomb) < 20_000
    with pytest.raises(BadFile, match="more than 1,000,000 bytes"):
        unzip_files(bomb, max_size=1_000_000)
    with pytest.raises(BadFile, match="zip cannot be read"):
        unzip_files(bomb[:5000])
    with pytest.raises(BadFile, match="120 files; at most 100"):
        unzip_files(zipped(**{f"{i}.txt": b"" for i in range(120)}))


def test_a_folder_is_read_file_by_file(tmp_path):
    folder = tmp_path / "with spaces"
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes(b"{}")
    (folder / "model.safetensors").write_bytes(b"")
    files = Folder(folder)
    assert (dict(files), len(files)) == ({"tokenizer.json": b"{}"}, 1)
    before = files.state
    (folder / "merges.txt").write_bytes(b"a b")
    assert files.state != before
    assert dict(Folder(folder / "merges.txt")) == {"merges.txt": b"a b"}
    assert dict(Folder(tmp_path / "none")) == {}
