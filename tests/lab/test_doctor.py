"""The doctor finds each fault in a file that has it, and none in a sound one."""

import json
import re
from base64 import b64encode
from functools import cache
from struct import pack

import pytest
import tokenizers
from tokenarium.__main__ import main
from tokenarium.errors import BadFile
from tokenarium.files.records import record_from_files
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.files.targets import build_tokenizer_json, to_model, to_ranks
from tokenarium.files.tiktoken.ranks import load_ranks
from tokenarium.files.tokenizer_json.components import (
    SPELLED_BYTES,
    bpe,
    byte_level,
    document,
    make_template_processor,
    make_token_component,
)
from tokenarium.files.tokenizer_json.packed import pack_json
from tokenarium.lab.doctor.conversion import convert, prove
from tokenarium.lab.doctor.report import CHECKS, examine, groups, load_subject
from tokenarium.lab.tokenizers.adding import PROBE
from tokenarium.scratch.compat.pipeline.pre_tokenizers import ALPHABET
from tokenarium.settings import ROOT
from tokenarium.store import Record
from tokenarium.types import TokenizerInfo

from tests.conftest import TIER
from tests.support.faulty_files import BAD, BEGIN, GOOD, files, sound, with_split, with_vocabulary
from tests.support.gguf_files import gguf, numbers, text, texts
from tests.support.sentencepiece_models import trained

COMPARED = {"commit": 50, "nightly": 300}[TIER]
"""Texts that prove a conversion of a trained model."""


@cache
def examine_items(items):
    return examine(dict(items))


def examine_once(contents):
    """The report of files that several tests examine."""
    return examine_items(tuple(contents.items()))


def codes(report):
    return {one.code for one in report.findings}


def test_a_sound_file_has_no_findings_and_two_engines_that_agree():
    report = examine(GOOD, text="the man and the  hat")
    assert report.findings == ()
    assert [column.engine for column in report.columns] == ["tokenizers", "scratch"]
    assert all(row.agrees for row in report.rows)
    assert report.rows[0].name == "your text"
    assert report.worst is None


@pytest.mark.parametrize("code", BAD)
def test_a_file_with_a_fault_has_its_finding(code):
    found = [one for one in examine_once(BAD[code]).findings if one.code == code]
    assert len(found) == 1
    assert found[0].detail.endswith((".", ".”"))
    assert found[0].severity in ("error", "warning", "note")
    assert found[0].count >= len(found[0].samples) or found[0].samples


def byte_level_gguf(kind=3):
    """Two merges, and the tokens of a turn, whose end llama.cpp knows by its spelling."""
    tokens = [*ALPHABET, "th", "the", "<|im_start|>", "<|im_end|>"]
    header = {"model": pack("<I", 8) + text("gpt2"), "pre": pack("<I", 8) + text("gpt-2"), "tokens": texts(*tokens)}
    types = numbers(5, "i", *[1] * (len(tokens) - 2), kind, kind)
    template = {"tokenizer.chat_template": pack("<I", 8) + text("<|im_start|>{{ messages }}<|im_end|>")}
    return {"x.gguf": gguf(**header, token_type=types, merges=texts("t h", "th e"), **template)}


def test_files_that_no_engine_reads_get_the_findings_of_the_files_alone():
    report = examine(files(with_vocabulary(merges=[("q", "z")])))
    by_code = {one.code: one for one in report.findings}
    assert not report.readable
    assert by_code["merge-makes-nothing"].samples == ("q + z",)
    assert "Token `qz` out of vocabulary" in by_code["unreadable"].detail


def test_ids_that_are_mostly_gaps_are_refused_with_the_limit():
    report = examine(files(with_vocabulary(more={"qz": 9_999_999})))
    assert [one.detail for one in report.findings if one.code == "unreadable"] == [
        "The ids have 9,999,737 gaps; the doctor examines a file of at most 1,000,000."
    ]


def test_findings_say_how_many_and_which():
    orphans = next(one for one in examine_once(BAD["orphans"]).findings if one.code == "orphans")
    assert (orphans.count, orphans.samples, orphans.file) == (1, ("xyz",), "tokenizer.json")
    lacking = next(one for one in examine_once(BAD["missing-bytes"]).findings if one.code == "missing-bytes")
    assert (lacking.severity, lacking.count, lacking.samples) == ("error", 1, ("0x00",))


def test_bytes_that_a_unigram_model_lacks_are_told():
    spelled = {"pre_tokenizer": byte_level(), "decoder": byte_level()}
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *([letter, -1.0] for letter in ALPHABET[1:])]}
    falls_back = {
        **model,
        "byte_fallback": True,
        "vocab": [*model["vocab"], *([f"<0x{n:02X}>", -9.0] for n in range(255))],
    }
    for top, samples in ((document(model, [], **spelled), ("0x00",)), (document(falls_back, []), ("0xFF",))):
        lacking = next(one for one in examine(files(top)).findings if one.code == "missing-bytes")
        assert lacking.samples == samples


def test_errors_come_before_warnings_and_notes():
    order = [one.severity for one in examine(files(with_split(r"\w+"), bos_token="<bos>")).findings]
    assert order == sorted(order, key=["error", "warning", "note"].index)
    assert {"error", "warning"} <= {*order}


def test_two_files_of_one_model_that_differ_are_told_apart_by_a_rule():
    top = sound()
    vocabulary = top["model"]["vocab"]
    vocabulary["the"], vocabulary["th"] = vocabulary["th"], vocabulary["the"]
    report = examine({"a/tokenizer.json": json.dumps(sound()).encode(), "b/tokenizer.json": json.dumps(top).encode()})
    by_code = {one.code: one for one in report.findings}
    assert by_code["ids-differ"].samples == ("th", "the")
    assert by_code["files-differ"].severity == "error"
    assert "The one that the model was trained with is right" in by_code["files-differ"].detail
    assert len(report.columns) == 4
    assert next(row for row in report.rows if not row.agrees).stage == "model"


def test_a_sentencepiece_model_is_right_about_its_conversion():
    report = examine({"tokenizer.json": json.dumps(sound()).encode(), "m.model": trained("bpe")})
    differing = next(one for one in report.findings if one.code == "files-differ")
    assert "m.model is right: it is the vocabulary as it was trained" in differing.detail


def test_files_without_a_tokenizer_are_refused_with_the_reason():
    with pytest.raises(BadFile, match="tokenizer"):
        examine({"a.txt": b"hello\n"})


def test_all_checks_run():
    source = "".join(path.read_text() for path in (ROOT / "app" / "lab" / "doctor").glob("*.py"))
    written = re.findall(r"^def (find_\w+)\(subject: ExaminedTokenizer\) -> Iterator\[Finding\]", source, re.MULTILINE)
    assert sorted(check.__name__ for check in CHECKS) == sorted(written)


def test_the_command_exits_with_1_for_errors_and_2_for_files_that_cannot_be_read(tmp_path, capsys):
    for name, contents, status in (
        ("good", GOOD, 0),
        ("bad", BAD["orphans"] | BAD["bos-never"], 1),
        ("none", {"a.txt": b"x"}, 2),
    ):
        folder = tmp_path / name
        folder.mkdir()
        for file, data in contents.items():
            (folder / file).write_bytes(data)
        with pytest.raises(SystemExit) as ended:
            main(["doctor", str(folder)])
        assert ended.value.code == status
    written = capsys.readouterr()
    assert "gguf      good/tokenizer.json: gpt-2, phi-2, mpt and 16 others split" in written.out
    assert "60 texts, 0 of them read differently; 0 errors, 0 warnings, 0 notes" in written.out
    assert "error     bad/tokenizer.json: The config turns add_bos_token on" in written.out
    assert "None of the 1 files is a tokenizer" in written.err or "This is not a tokenizer file" in written.err


def test_the_command_prints_json(tmp_path, capsys):
    (tmp_path / "x.json").write_bytes(GOOD["tokenizer.json"])
    with pytest.raises(SystemExit):
        main(["doctor", str(tmp_path / "x.json"), "--json", "--text", "the"])
    report = json.loads(capsys.readouterr().out)
    assert report["findings"] == []
    assert report["texts"][0] == {
        "name": "your text",
        "text": "the",
        "agrees": True,
        "stage": None,
        "readings": [{"ids": [259], "problem": ""}],
    }


def subject(contents):
    ((name, group),) = groups(contents)
    return load_subject(name, group, None)[0]


def test_a_byte_level_file_becomes_ranks_and_comes_back():
    ranks = convert(subject(files(sound())), "tiktoken", count=200)
    assert ranks.proven == 200
    assert len(ranks.files["ranks.tiktoken"].splitlines()) == 260
    config = json.loads(ranks.files["tokenizer_config.json"])
    assert config["added_tokens_decoder"]["0"] == {"content": "<s>", "special": True}
    back = convert(subject(ranks.files), "tokenizer.json", count=200)
    model = json.loads(back.files["tokenizer.json"])["model"]
    assert model["merges"] == [["t", "h"], ["th", "e"], ["Ġ", "the"], ["a", "n"]]
    assert model["vocab"]["the"] == 259


@pytest.mark.parametrize(
    ("top", "reason"),
    [
        ({**sound(), "normalizer": {"type": "Lowercase"}}, "a text is normalized first, which Lowercase does here"),
        ({**sound(), "pre_tokenizer": byte_level(prefix_space=True)}, "does something else"),
    ],
)
def test_what_a_format_cannot_say_is_refused(top, reason):
    with pytest.raises(BadFile, match=reason):
        convert(subject(files(top)), "tiktoken", count=50)


def test_merges_in_another_order_than_the_ids_cannot_be_ranks():
    top = with_vocabulary(more=[("yz", 262), ("xy", 263)], merges=[("x", "y"), ("y", "z")])
    with pytest.raises(BadFile, match="another order than the ids"):
        convert(subject(files(top)), "tiktoken", count=50)


def charsmap(model):
    return model.charsmap and (model.charsmap.units, model.charsmap.values)


@pytest.mark.parametrize("kind", ["unigram", "unigram over spaces", "bpe", "bpe bytes kept spaces", "bpe digits"])
def test_a_sentencepiece_model_becomes_json_and_comes_back(kind):
    top = convert(subject({"m.model": trained(kind)}), "tokenizer.json", count=COMPARED)
    back = convert(subject(top.files), "sentencepiece", count=COMPARED)
    old, new = load_model(trained(kind)), load_model(back.files["tokenizer.model"])
    assert [(piece.text, piece.kind) for piece in new.pieces] == [(piece.text, piece.kind) for piece in old.pieces]
    assert (new.algorithm, new.byte_fallback) == (old.algorithm, old.byte_fallback)
    assert charsmap(new) == charsmap(old)
    assert new.remove_extra_whitespaces == old.remove_extra_whitespaces
    assert (top.proven, back.proven) == (COMPARED, COMPARED)


def test_the_tokens_around_a_text_go_with_a_model():
    config = {"add_bos_token": True, "bos_token": "<s>", "add_eos_token": True, "eos_token": "</s>"}
    files = {"m.model": trained("bpe"), "tokenizer_config.json": json.dumps(config).encode()}
    top = convert(subject(files), "tokenizer.json", count=20)
    template = json.loads(top.files["tokenizer.json"])["post_processor"]["single"]
    assert [part.get("SpecialToken", {}).get("id") for part in template] == ["<s>", None, "</s>"]
    back = convert(subject(top.files), "sentencepiece", count=20)
    assert json.loads(back.files["tokenizer_config.json"])["bos_token"] == "<s>"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("word", "no model like SentencePiece's word"),
        ("char", "no model like SentencePiece's char"),
        ("bpe suffix", "puts a ▁ behind a text"),
        ("unigram symbols", "matched in a text before anything else"),
        ("unigram nfkc_cf", "gives other tokens for text"),
    ],
)
def test_what_json_cannot_say_of_a_model_is_refused(kind, reason):
    with pytest.raises(BadFile, match=reason):
        convert(subject({"m.model": trained(kind)}), "tokenizer.json", count=1000)


MARKED = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}


def small_bpe(**changes):
    letters = ["<unk>", "▁", "a", "b", "c", "ab", "abc", "bc"]
    model = {
        "type": "BPE",
        "unk_token": "<unk>",
        "fuse_unk": True,
        "vocab": {one: id for id, one in enumerate(letters)},
    }
    model |= {"merges": [["a", "b"], ["ab", "c"], ["a", "bc"], ["b", "c"]]}
    model |= changes.pop("model", {})
    return {"version": "1.0", "added_tokens": [], "normalizer": MARKED, "model": model, **changes}


def test_scores_are_the_order_in_which_merges_make_pieces():
    model = load_model(convert(subject(files(small_bpe())), "sentencepiece", count=200).files["tokenizer.model"])
    best = sorted((piece for piece in model.pieces if piece.kind == "normal"), key=lambda piece: -piece.score)
    assert [piece.text for piece in best] == ["ab", "abc", "bc", "▁", "a", "b", "c"]
    assert (model.add_dummy_prefix, model.remove_extra_whitespaces, model.escape_whitespaces) == (False, False, True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"normalizer": [{"type": "Lowercase"}, MARKED]}, "cannot say the normalizer Lowercase"),
        ({"normalizer": []}, "writes spaces as ▁; nothing in the file does"),
        ({"pre_tokenizer": {"type": "Digits", "individual_digits": True}}, "splits a text at no pattern"),
        ({"model": {"merges": [["a", "b"], ["b", "c"], ["a", "bc"]]}}, "would also merge 1 pair of tokens that is"),
        ({"model": {"merges": [["ab", "c"], ["a", "b"], ["a", "bc"], ["b", "c"]]}}, "stand in several places"),
        ({"model": {"fuse_unk": False}}, "fuse_unk is off"),
        ({"model": {"unk_token": None}}, "needs an unknown token"),
        ({"model": {"ignore_merges": True}}, "merges also words that are tokens"),
        ({"model": {"vocab": {"<unk>": 0, "a": 2}, "merges": []}}, "ids leave gaps"),
        ({"added_tokens": [make_token_component("<x>", 8) | {"lstrip": True}]}, "cannot say lstrip"),
    ],
)
def test_what_sentencepiece_cannot_say_is_refused(changes, reason):
    if isinstance(changes.get("normalizer"), list):
        parts = changes["normalizer"]
        changes = {"normalizer": {"type": "Sequence", "normalizers": parts} if parts else None}
    with pytest.raises(BadFile, match=reason):
        convert(subject(files(small_bpe(**changes))), "sentencepiece", count=50)


def test_byte_level_files_are_no_sentencepiece_model_nor_a_vocab_txt():
    ranks = convert(subject(files(sound())), "tiktoken", count=20).files
    for target, reason in (("sentencepiece", "no byte-level vocabularies"), ("vocab.txt", "BERT's tokenizer")):
        with pytest.raises(BadFile, match=reason):
            convert(subject(ranks), target, count=20)


VOCAB = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n##s\na\n##b\nman\n,\n"


@pytest.mark.parametrize("lower", [True, False])
def test_a_vocab_txt_becomes_json_and_comes_back(lower):
    config = json.dumps({"do_lower_case": lower, "tokenize_chinese_chars": False}).encode()
    top = convert(subject({"vocab.txt": VOCAB, "tokenizer_config.json": config}), "tokenizer.json", count=200)
    assert json.loads(top.files["tokenizer.json"])["normalizer"]["lowercase"] is lower
    back = convert(subject(top.files), "vocab.txt", count=200)
    assert back.files["vocab.txt"] == VOCAB
    config = json.loads(back.files["tokenizer_config.json"])
    assert (config["do_lower_case"], config["tokenize_chinese_chars"]) == (lower, False)
    assert (config["cls_token"], config["sep_token"]) == ("[CLS]", "[SEP]")


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("model", "continuing_subword_prefix"), "@@", "WordPiece with ##"),
        (("normalizer", "clean_text"), False, "control characters are kept"),
        (("model", "max_input_chars_per_word"), 30, "the length of the longest word"),
        (("pre_tokenizer", "type"), "Whitespace", "they must be BERT's"),
        (("model", "vocab", "far"), 99, "an id is the number of a line"),
        (("post_processor",), None, "of a text instead of"),
    ],
)
def test_what_a_vocab_txt_cannot_say_is_refused(path, value, reason):
    made = convert(subject({"vocab.txt": VOCAB}), "tokenizer.json", count=20)
    top = part = json.loads(made.files["tokenizer.json"])
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(BadFile, match=reason):
        convert(subject(files(top)), "vocab.txt", count=50)


WORDS = r"\p{L}+|[^\p{L}]"


def tekken(pattern=WORDS):
    raws = [*(bytes([byte]) for byte in range(256)), b"th", b"the"]
    vocab = [{"rank": rank, "token_bytes": b64encode(raw).decode()} for rank, raw in enumerate(raws)]
    config = {"pattern": pattern, "default_vocab_size": 261, "default_num_special_tokens": 3}
    return {"tekken.json": json.dumps({"config": config, "vocab": vocab}).encode()}


MINBPE = f"minbpe v1\n{WORDS}\n1\n<|end|> 258\n116 104\n256 101\n".encode()


@pytest.mark.parametrize(("contents", "first"), [(tekken(), 3), ({"x.model": MINBPE}, 0)])
def test_tekken_and_minbpe_become_json_and_ranks(contents, first):
    top = json.loads(convert(subject(contents), "tokenizer.json", count=200).files["tokenizer.json"])
    assert (top["model"]["vocab"]["the"], top["model"]["merges"]) == (257 + first, [["t", "h"], ["th", "e"]])
    ranks = convert(subject(contents), "tiktoken", count=200)
    assert (load_ranks(ranks.files["ranks.tiktoken"])[b"the"], ranks.pattern) == (257 + first, WORDS)


def test_a_model_of_minbpe_whose_merges_make_one_token_twice_is_refused():
    for target in ("tokenizer.json", "tiktoken"):
        with pytest.raises(BadFile, match="1 merge makes a token that another merge makes"):
            convert(subject({"x.model": TWICE}), target, count=20)


def test_a_gguf_becomes_json():
    converted = convert(subject(byte_level_gguf()), "tokenizer.json", count=200)
    assert json.loads(converted.files["tokenizer.json"])["model"]["merges"] == [["t", "h"], ["th", "e"]]


def test_a_token_of_every_text_that_is_not_special_has_no_place_among_ranks():
    top = sound()
    top["added_tokens"].append(make_token_component("<think>", 262, special=False))
    with pytest.raises(BadFile, match="'<think>' is one token in every text without being special"):
        convert(subject(files(top)), "tiktoken", count=20)


def with_model(**changes):
    top = sound()
    top["model"] |= changes
    return {**top, "model": {name: value for name, value in top["model"].items() if value != "left out"}}


PADDING = {"strategy": "BatchLongest", "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": "<s>"}
END = make_template_processor([], ["</s>"], {"</s>": 1})
NO_PRIVATE_USE = tekken("[^\ue000-\uf8ff]+")
DELETES = {"type": "Replace", "pattern": {"String": "é"}, "content": ""}
TWICE = b"minbpe v1\n\n0\n97 97\n256 97\n97 256\n"
LONGER = with_vocabulary(more=[("ma", 262)], merges=[("m", "a")])
CHATML = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>\n{% endfor %}"
IM = [make_token_component(token, 262 + number) for number, token in enumerate(("<|im_start|>", "<|im_end|>"))]
CHATTY = {**sound(), "added_tokens": [*sound()["added_tokens"], *IM]}


def mistral(**config):
    """A folder of Mistral with a vocabulary that is large enough, and a pattern that keeps three digits together."""
    numbers = [("12", 262), *((f"<{number}>", number) for number in range(263, 100_010))]
    top = {**with_vocabulary(more=numbers, merges=[("1", "2")]), "pre_tokenizer": byte_level(pattern=r"\d{1,3}|\D+")}
    model = {"model_type": "mistral", "transformers_version": "4.57.0", **config}
    return {**files(top, bos_token="<s>"), "config.json": json.dumps(model).encode()}


DIGITS = {"pre_tokenizer": byte_level(pattern=r"\d|\D+")}
LITERAL = {
    "special-not-in-vocabulary": (
        {"m.model": trained("bpe bytes"), "tokenizer_config.json": b'{"pad_token": "<|pad|>"}'},
        (
            "error",
            1,
            ("<|pad|>",),
            "1 token of the config, not in the vocabulary: text that spells one stays ordinary.",
        ),
    ),
    "added-token-changes": (
        files({**sound(), "added_tokens": [make_token_component("č", 15)]}),
        ("error", 1, (r"č becomes '\r'",), "1 added token is decoded to another text."),
    ),
    "incorrect-regex": (
        mistral(),
        (
            "error",
            1,
            ("'123456': [262, 53, 54, 55, 56] now, [51, 52, 53, 54, 55, 56] corrected",),
            "The split pattern is not the one that Mistral’s models were trained with: 1 of 48 short texts get other "
            "tokens.",
        ),
    ),
    "no-row": (
        files(CHATTY) | {"config.json": b'{"model_type": "llama", "vocab_size": 262}'},
        (
            "error",
            2,
            ("<|im_start|>: 262", "<|im_end|>: 263"),
            "2 tokens have an id beyond vocab_size 262 of config.json: the model has no embedding for them, and fails "
            "on a text with them.",
        ),
    ),
    "eos-not-turn-end": (
        files(CHATTY, eos_token="</s>", chat_template=CHATML),
        (
            "warning",
            1,
            (),
            "A turn of the chat template ends with <|im_end|>, but eos_token is </s>: a program that stops at EOS goes "
            "on after the answer.",
        ),
    ),
    "token-only-beside": (
        files(sound(), added_tokens_decoder={"262": {"content": "<|im_end|>", "special": True}}),
        (
            "warning",
            1,
            ("<|im_end|>",),
            "1 token only in the files beside tokenizer.json: transformers adds each, the last with id 262. Programs "
            "that read tokenizer.json alone make ordinary text of it.",
        ),
    ),
    "class-replaces-file": (
        files(with_vocabulary(more=[("12", 262)], merges=[("1", "2")]) | DIGITS, tokenizer_class="GPT2Tokenizer"),
        (
            "error",
            1,
            ("'123456': [51, 52, 53, 54, 55, 56] in the file, [262, 53, 54, 55, 56] in transformers",),
            "transformers makes other tokens than tokenizer.json alone of 1 of 48 short texts, because it builds the "
            "tokenizer of the class anew. The tokens here are those of the class.",
        ),
    ),
    "padding": (
        files({**sound(), "padding": PADDING | {"pad_to_multiple_of": None}}),
        ("warning", 1, (), "The file sets padding, which adds tokens to short texts."),
    ),
    "dropout": (
        files(with_model(dropout=0.1)),
        ("error", 1, (), "The file sets dropout, so a text gets other tokens each time."),
    ),
    "reader": (files(with_model(type="left out")), ("note", 1, (), "The model has no type; by its keys it is BPE.")),
    "unknown-characters": (
        {"vocab.txt": VOCAB},
        (
            "warning",
            40,
            (
                "accents (é)",
                "combining accents (e + U+0301)",
                "full-width letters (Ａ)",
                "ligatures (ﬁ)",
                "sharp s (ß)",
            ),
            "40 of 43 sampled kinds of characters become the unknown token, so the model cannot tell them apart.",
        ),
    ),
    "eos-against-config": (
        files({**sound(), "post_processor": END}, eos_token="</s>", add_eos_token=False),
        ("warning", 1, (), "The config turns add_eos_token off, but post_processor adds </s> to each text."),
    ),
    "repeated-token": (
        {"x.model": TWICE},
        ("warning", 1, ("aaa: 257, 258",), "1 token has several ids, of which a text gets only one."),
    ),
    "engine-cannot-read": (
        tekken(r"\X|[\s\S]"),
        ("warning", 1, (), "The engine tiktoken cannot read the file. tiktoken cannot read the pattern of examined."),
    ),
    "engine-fails": (
        NO_PRIVATE_USE,
        ("error", 1, ("private use",), "The engine tiktoken fails on 1 of 60 difficult texts."),
    ),
    "engines-differ": (
        NO_PRIVATE_USE,
        (
            "error",
            1,
            ("private use: tiktoken fails",),
            "The engines tiktoken and scratch differ on 1 of 60 texts. tiktoken is right: it defines the format.",
        ),
    ),
    "not-checked": (
        NO_PRIVATE_USE,
        (
            "warning",
            1,
            (),
            "The checks for unknown text, dropped text, changed text ended early at a sample. tiktoken dropped 3 bytes "
            "that its pattern does not match.",
        ),
    ),
    "no-text-found": (
        files(with_split(r"(?<=1)the|\s|.")),
        (
            "note",
            3,
            ("th", " the", "an"),  # not “the”, which stands behind a 1
            "For 3 tokens, no text was found among 187 tries each. Another text may still give them.",
        ),
    ),
    "special-as-text": (
        byte_level_gguf(kind=1),
        (
            "error",
            1,
            ("<|im_start|>: 12 tokens",),
            "The chat template writes special tokens whose type in the file is that of ordinary ones (1): llama.cpp "
            "reads them as text, as several tokens that the model has not seen there.",
        ),
    ),
    "broken-template": (
        files(sound(), chat_template="a\n{% for %}"),
        (
            "error",
            1,
            ("default, line 2: Expected an expression, got 'end of stat…",),
            "1 chat template cannot be read as Jinja: no conversation can be rendered with it.",
        ),
    ),
    "tokens-differ": (
        {"a/tokenizer.json": json.dumps(sound()).encode(), "b/tokenizer.json": json.dumps(LONGER).encode()},
        ("warning", 1, ("ma",), "1 token is in only one of a/tokenizer.json and b/tokenizer.json."),
    ),
}


@pytest.mark.parametrize("code", LITERAL)
def test_a_finding_is_said_in_these_words(code):
    contents, expected = LITERAL[code]
    found = [one for one in examine_once(contents).findings if one.code == code]
    assert (found[0].severity, found[0].count, found[0].samples, found[0].detail) == expected


def test_where_no_unknown_token_is_the_reason_the_advice_is_to_add_one():
    letters = [[letter, -1.0] for letter in sorted({*PROBE})]
    report = examine(files(document({"type": "Unigram", "unk_id": None, "vocab": letters}, [])))
    failing = [one for one in report.findings if one.code == "engine-fails"]
    assert [one.detail.split()[2] for one in failing] == ["tokenizers", "scratch"]
    assert {one.remedy for one in failing} == {
        "Add an unknown token to the vocabulary and name it in the model, or turn byte fallback on and add the 256 "
        "byte tokens."
    }
    (other,) = [one for one in examine_once(NO_PRIVATE_USE).findings if one.code == "engine-fails"]
    assert other.remedy == "Use another engine for these texts, or a pattern that does not backtrack."


LETTERS = {letter: id for id, letter in enumerate("ab x")}


@pytest.mark.parametrize(
    ("top", "count", "cause"),
    [
        (with_split(r"\w+|\s+"), 16, "the pattern does not match them."),
        (document(bpe(LETTERS, []), []), 42, "the model has no token for them, and no unknown token."),
        (with_vocabulary(without=["Ā"]), 1, "the model has no token for them, and no unknown token."),
        ({**sound(), "normalizer": DELETES}, 1, "the normalizer removes them."),
    ],
)
def test_characters_without_a_token_are_put_down_to_the_stage_that_drops_them(top, count, cause):
    (found,) = [one for one in examine(files(top)).findings if one.code == "dropped-text"]
    assert found.detail == f"{count} of 43 sampled kinds of characters get no token: {cause}"


def test_an_engine_that_fails_on_some_texts_is_compared_on_the_others():
    report = examine(tekken(r"\p{L}+"), text="the")
    by_code = {one.code: one for one in report.findings}
    assert [column.engine for column in report.columns] == ["scratch", "tiktoken"]
    assert report.rows[0].agrees
    assert by_code["engine-fails"].detail == "The engine tiktoken fails on 58 of 60 difficult texts."
    assert by_code["engines-differ"].detail.startswith("The engines tiktoken and scratch differ on 58 of 61 texts.")
    assert by_code["engines-differ"].samples[0] == "accents (é): tiktoken fails"


SAME = json.dumps(sound()).encode()
MORE = files(with_vocabulary(more=[("Ġan", 262)], merges=[("Ġ", "an")]))
SOUND = [
    (("added-token-changes", "no-row"), files(CHATTY) | {"config.json": b'{"model_type": "x", "vocab_size": 264}'}),
    (("eos-not-turn-end",), files(CHATTY, eos_token="<|im_end|>", chat_template=CHATML)),
    (
        ("eos-not-turn-end",),
        files(CHATTY, eos_token="</s>", chat_template=CHATML)
        | {"generation_config.json": b'{"eos_token_id": [1, 263]}'},
    ),
    (("incorrect-regex",), mistral(transformers_version="5.0.0")),
    (("broken-template",), files(sound(), chat_template="{{ messages }}")),
    (("bos-twice",), files({**sound(), "post_processor": BEGIN}, bos_token="<s>", chat_template="{{ messages }}")),
    (("bos-never",), files({**sound(), "post_processor": BEGIN}, bos_token="<s>", add_bos_token=True)),
    (("eos-never",), files({**sound(), "post_processor": END}, eos_token="</s>", add_eos_token=True)),
    (("bos-against-config",), files(sound(), bos_token="<s>", add_bos_token=False)),
    (("eos-against-config",), files(sound(), eos_token="</s>", add_eos_token=False)),
    (("catastrophic-pattern",), files(with_split(r"\p{L}+|[^\p{L}]"))),
    (("changed-text", "dropped-text", "engine-cannot-read", "engine-fails", "engines-differ", "not-checked"), tekken()),
    (("clean-up-spaces",), {"vocab.txt": VOCAB, "tokenizer_config.json": b'{"clean_up_tokenization_spaces": true}'}),
    (("dropout",), files(with_model(dropout=0.0))),
    (("files-differ", "ids-differ", "tokens-differ"), {"a/tokenizer.json": SAME, "b/tokenizer.json": SAME}),
    (("id-gaps", "merge-makes-nothing", "merge-repeated", "no-text-found", "orphans"), MORE),
    (("legacy",), files(sound(), legacy=False)),
    (("missing-bytes", "unknown-characters"), {"m.model": trained("bpe bytes")}),
    (("padding", "truncation", "reader"), files({**sound(), "padding": None, "truncation": None})),
    (("repeated-token",), {"x.model": MINBPE}),
    (("special-as-text",), byte_level_gguf()),
    (("special-not-in-vocabulary", "token-only-beside", "class-replaces-file"), files(sound(), bos_token="<s>")),
    (("special-other-id",), files(sound(), added_tokens_decoder={"0": {"content": "<s>", "special": True}})),
    (("unreadable",), GOOD),
]
"""Files that have what each of these findings looks at, without the fault."""


@pytest.mark.parametrize(("absent", "contents"), SOUND, ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_a_file_that_has_what_a_finding_looks_at_but_no_fault_is_left_in_peace(absent, contents):
    assert codes(examine(contents)).isdisjoint(absent)


def test_every_finding_has_a_file_with_the_fault_and_one_without():
    source = "".join(path.read_text() for path in (ROOT / "app" / "lab" / "doctor").glob("*.py"))
    written = {*re.findall(r'(?:Finding|report_cases)\(\s*(?:code=)?f?"([a-z-]+(?:\{name\})?[a-z-]*)"', source)}
    written |= {f"{side}{rest}" for side in ("bos", "eos") for rest in ("-never", "-against-config")}
    named = {*re.findall(r'Finding\(\s*(?:code=)?f"\{name\}([a-z-]+)"', source)}
    assert named == {"-never", "-against-config"}
    healthy = {code for absent, _ in SOUND for code in absent}
    assert (written | {"truncation", "padding"}) - {"{name}-never"} == healthy
    elsewhere = {"files-differ", "ids-differ", "merge-makes-nothing"}  # in tests of their own above
    assert {*BAD} | {*LITERAL} | elsewhere == healthy


def test_a_begin_token_with_a_mark_in_its_name_is_no_space():
    top = json.loads(json.dumps(sound()).replace("<s>", "<｜begin▁of▁sentence｜>"))
    assert examine(files(top, bos_token="<｜begin▁of▁sentence｜>", add_prefix_space=False)).findings == ()


def test_a_conversion_that_gives_other_tokens_is_not_handed_out():
    one, other = (subject(files(top)).tokenizers[0] for top in (sound(), with_split(r"\w+|\s+")))
    with pytest.raises(BadFile, match="gives other tokens for text"):
        prove(one, other, 200)
    prove(one, one, 200)


def test_a_tie_of_scores_is_named_as_the_reason():
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    vocab = [["<unk>", 0.0], ["▁", -3.3], ["a", -8.7], ["aaaaa", -12.9]]
    top = document({"type": "Unigram", "unk_id": 0, "vocab": vocab}, [], pre_tokenizer=space, decoder=space)
    model = subject(to_model(subject(files(top)).record))
    with pytest.raises(BadFile, match="the same tokens in another order, since their scores are equal"):
        convert(model, "tokenizer.json", count=100)


@pytest.mark.parametrize("processor", [None, SPELLED_BYTES])
def test_a_packed_file_is_converted_with_the_tokens_around_a_text(processor):
    info = TokenizerInfo("x", "x", "bpe", ("scratch",), 261, True, special_tokens={"<s>": 0}, prefix=("<s>",))
    packed = pack_json(json.dumps({**sound(), "post_processor": processor}).encode())
    data = build_tokenizer_json(Record(info, ROOT, {"files": {}}, {"tokenizer.packed": packed}))
    made = record_from_files("y", {"tokenizer.json": data})
    assert (made.info.prefix, made.info.suffix) == (("<s>",), ())
    library = tokenizers.Tokenizer.from_buffer(data)
    assert [library.encode("the", add_special_tokens=added).ids for added in (True, False)] == [[0, 259], [259]]


def test_ranks_with_a_normalizer_of_their_own_are_no_ranks_elsewhere(registry):
    with pytest.raises(BadFile) as refused:
        to_ranks(registry.record("claude-2"), {}, ())
    assert (
        refused.value.detail
        == "Ranks cannot say that a text is normalized first, which brings it into the form NFKC here."
    )


def test_the_command_converts_and_says_what_was_proven(tmp_path, capsys):
    (tmp_path / "x.json").write_bytes(GOOD["tokenizer.json"])
    main(["doctor", str(tmp_path / "x.json"), "--to", "tiktoken", "--out", str(tmp_path / "out"), "--texts", "300"])
    assert len((tmp_path / "out" / "ranks.tiktoken").read_bytes().splitlines()) == 260
    assert "Proven on 300 texts: the same ids as x.json." in capsys.readouterr().out
