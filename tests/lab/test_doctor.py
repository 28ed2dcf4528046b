"""The doctor finds each fault in a file that has it, and none in a sound one."""

import json
from copy import deepcopy
from functools import cache

import pytest
from tokenarium.__main__ import main
from tokenarium.errors import BadFile
from tokenarium.imported.built_json import around, bpe, byte_level, document, token_of
from tokenarium.lab.doctor.conversion import convert, prove
from tokenarium.lab.doctor.report import CHECKS, examine, groups, subject_of
from tokenarium.scratch.compat.pre_tokenizers import ALPHABET

from tests.formats.sentencepiece_models import trained

MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("a", "n")]


@cache
def _sound():
    tokens = ["<s>", "</s>", *ALPHABET, *(left + right for left, right in MERGES)]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    added = [token_of("<s>", 0), token_of("</s>", 1)]
    return document(bpe(vocabulary, MERGES), added, pre_tokenizer=byte_level(), decoder=byte_level())


def sound():
    return deepcopy(_sound())


def files(top, **config):
    beside = {"tokenizer_config.json": json.dumps({"tokenizer_class": "X", **config}).encode()} if config else {}
    return {"tokenizer.json": json.dumps(top).encode(), **beside}


def codes(report):
    return {one.code for one in report.findings}


def with_split(pattern):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {**sound(), "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, spelled]}}


def with_vocabulary(*, without=(), more=(), merges=()):
    top = sound()
    top["model"]["vocab"] = {token: id for token, id in top["model"]["vocab"].items() if token not in without}
    top["model"]["vocab"] |= dict(more)
    top["model"]["merges"] += [list(pair) for pair in merges]
    return top


BEGIN = around(["<s>"], [], {"<s>": 0})
BAD = {
    "id-gaps": files(with_vocabulary(more=[("[pad]", 400)])),
    "special-not-in-vocabulary": files(sound(), bos_token="<bos>"),
    "special-other-id": files(sound(), added_tokens_decoder={"7": {"content": "<s>", "special": True}}),
    "missing-bytes": files(with_vocabulary(without=["Ā"])),
    "merge-repeated": files(with_vocabulary(merges=[("a", "n")])),
    "orphans": files(with_vocabulary(more=[("xyz", 262)])),
    "unreachable": files(with_vocabulary(more=[("xyz", 262)])),
    "bos-twice": files({**sound(), "post_processor": BEGIN}, bos_token="<s>", chat_template="{{ bos_token }}{% x %}"),
    "bos-never": files(sound(), bos_token="<s>", add_bos_token=True),
    "eos-never": files(sound(), eos_token="</s>", add_eos_token=True),
    "bos-against-config": files({**sound(), "post_processor": BEGIN}, bos_token="<s>", add_bos_token=False),
    "clean-up-spaces": files(sound(), clean_up_tokenization_spaces=True),
    "legacy": files(sound(), legacy=True),
    "truncation": files({**sound(), "truncation": {"max_length": 5, "strategy": "LongestFirst", "stride": 0}}),
    "dropped-text": files(with_split(r"\w+|\s+")),
    "changed-text": files({**sound(), "normalizer": {"type": "Lowercase"}}),
    "catastrophic-pattern": files(with_split(r"(?:a|aa)+$|.|\w")),
    "unreadable": {**files(sound()), "x.model": b"minbpe v9\n"},
}
GOOD = files(sound(), bos_token="<s>", eos_token="</s>", clean_up_tokenization_spaces=False, legacy=False)


def test_a_sound_file_has_no_findings_and_two_engines_that_agree():
    report = examine(GOOD, text="the man and the  hat")
    assert report.findings == ()
    assert [column.engine for column in report.columns] == ["tokenizers", "scratch"]
    assert all(row.agrees for row in report.rows)
    assert report.rows[0].name == "your text"
    assert report.worst is None


@pytest.mark.parametrize("code", BAD)
def test_a_file_with_a_fault_has_its_finding(code):
    found = [one for one in examine(BAD[code]).findings if one.code == code]
    assert len(found) == 1
    assert found[0].detail.endswith((".", ".”"))
    assert found[0].severity in ("error", "warning", "note")
    assert found[0].count >= len(found[0].samples) or found[0].samples


def test_files_that_no_engine_reads_get_the_findings_of_the_files_alone():
    report = examine(files(with_vocabulary(merges=[("q", "z")])))
    by_code = {one.code: one for one in report.findings}
    assert not report.readable
    assert by_code["merge-makes-nothing"].samples == ("q z",)
    assert "Token `qz` out of vocabulary" in by_code["unreadable"].detail


def test_findings_say_how_many_and_which():
    orphans = next(one for one in examine(BAD["orphans"]).findings if one.code == "orphans")
    assert (orphans.count, orphans.samples, orphans.file) == (1, ("xyz",), "tokenizer.json")
    lacking = next(one for one in examine(BAD["missing-bytes"]).findings if one.code == "missing-bytes")
    assert (lacking.severity, lacking.count, lacking.samples) == ("error", 1, ("0x00",))


def test_errors_come_before_warnings_and_notes():
    order = [one.severity for one in examine(files(with_split(r"\w+"), clean_up_tokenization_spaces=True)).findings]
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
    assert "decided by the one the model was trained with" in by_code["files-differ"].detail
    assert len(report.columns) == 4
    assert next(row for row in report.rows if not row.agrees).stage == "model"


def test_a_sentencepiece_model_is_right_about_its_conversion():
    report = examine({"tokenizer.json": json.dumps(sound()).encode(), "m.model": trained("bpe")})
    differing = next(one for one in report.findings if one.code == "files-differ")
    assert "m.model is the vocabulary as it was trained" in differing.detail


def test_files_without_a_tokenizer_are_refused_with_the_reason():
    with pytest.raises(BadFile, match="tokenizer"):
        examine({"a.txt": b"hello\n"})


def test_all_checks_run():
    assert len(CHECKS) == len({*CHECKS}) == 17


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
    assert "59 texts, 0 of them read differently; 0 errors, 0 warnings, 0 notes" in written.out
    assert "error     bad/tokenizer.json: The config has add_bos_token on" in written.out
    assert "None of the 1 files is a tokenizer" in written.err or "The file is no tokenizer" in written.err


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
    return subject_of(name, group, None)[0]


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
        ({**sound(), "normalizer": {"type": "Lowercase"}}, "without a normalizer"),
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


def test_a_conversion_that_gives_other_tokens_is_not_handed_out():
    one, other = (subject(files(top)).tokenizers[0] for top in (sound(), with_split(r"\w+|\s+")))
    with pytest.raises(BadFile, match="gives other tokens for text"):
        prove(one, other, 200)
    prove(one, one, 200)


def test_the_command_converts_and_says_what_was_proven(tmp_path, capsys):
    (tmp_path / "x.json").write_bytes(GOOD["tokenizer.json"])
    main(["doctor", str(tmp_path / "x.json"), "--to", "tiktoken", "--out", str(tmp_path / "out"), "--texts", "300"])
    assert len((tmp_path / "out" / "ranks.tiktoken").read_bytes().splitlines()) == 260
    assert "Proven on 300 texts: the same ids as x.json." in capsys.readouterr().out
