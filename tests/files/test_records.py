"""Files of every kind become a record that each of its engines loads, with equal tokens."""

import json
from functools import cache
from struct import pack

import pytest
from tokenarium.errors import BadFile, EngineFailed, RegexTimeout
from tokenarium.files.records import record_from_files
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.files.tiktoken.ranks import dump_ranks
from tokenarium.lab.conformance import same_encoding
from tokenarium.registry import LOADERS
from tokenarium.scratch.fast import pretokenize

from tests.support import gguf_files as written
from tests.support import sentencepiece_models, tokenizers_trained
from tests.support.gguf_files import gguf, numbers, texts
from tests.support.records import KINDS, LETTERS, RANKS, claude, clip_files, gpt2_files
from tests.support.strings import NASTY


def spelled(raw):
    return "".join(LETTERS[byte] for byte in raw)


ENGINES = {
    "sentencepiece bpe": ("sentencepiece", "scratch"),
    "sentencepiece unigram": ("sentencepiece", "scratch"),
    **dict.fromkeys(("ranks", "ranks of qwen", "tekken", "tekken, old", "claude"), ("tiktoken", "scratch")),
    **dict.fromkeys(("minbpe", "rwkv"), ("scratch",)),
}


@cache
def record(kind):
    return record_from_files(kind, KINDS[kind]())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_loaded_by_its_engines_with_equal_tokens(kind):
    made = record(kind)
    assert made.info.engines == ENGINES.get(kind, ("tokenizers", "scratch"))
    assert not made.trusted
    theirs, *others = [LOADERS[engine](made) for engine in made.info.engines]
    for ours in others:
        for text in [*NASTY.values(), "Hello world, hellos the", *made.info.special_tokens]:
            for policy in ("text", "parse"):
                try:
                    expected = theirs.encode(text, special=policy)
                except EngineFailed:  # tiktoken, where its pattern drops text
                    continue
                assert same_encoding(ours.encode(text, special=policy), expected), ascii(text)
                assert ours.decode(expected.ids.tolist()) == theirs.decode(expected.ids.tolist())
        size = made.info.vocab_size
        assert ours.entry(size - 1) == theirs.entry(size - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_can_be_described_in_toml_and_says_where_its_specials_stand(kind):
    made = record(kind)
    assert json.loads(json.dumps(made.spec)) == made.spec
    assert {*made.info.prefix, *made.info.suffix} <= {*made.info.special_tokens}
    assert {*made.spec["files"]} <= {*made.data}


def test_the_tokens_around_a_text_are_those_of_the_files():
    assert (record("bert").info.prefix, record("bert").info.suffix) == (("[CLS]",), ("[SEP]",))
    assert (record("roberta").info.prefix, record("roberta").info.suffix) == (("<s>",), ("</s>",))
    assert record("tekken").info.prefix == ("<s>",)


def ids(made, text, engine="scratch"):
    return LOADERS[engine](made).encode(text).ids.tolist()


@pytest.mark.parametrize("kind", ["sentencepiece bpe", "sentencepiece unigram"])
def test_special_tokens_of_a_model_are_matched_by_the_rules_of_its_config(kind):
    config = {"added_tokens_decoder": {"1": {"content": "<s>", "rstrip": True, "special": True}}}
    made = record_from_files("ruled", {**KINDS[kind](), "tokenizer_config.json": json.dumps(config).encode()})
    assert (made.info.token_rules, made.info.special_tokens["<unk>"]) == ({"<s>": ["rstrip"]}, 0)
    for engine in made.info.engines:
        loaded = LOADERS[engine](made)
        plain = loaded.encode("the").ids.tolist()
        assert loaded.encode("<s>\n the<unk>", special="parse").ids.tolist() == [1, *plain, 0]


def test_literal_ids():
    assert ids(record("bert"), "Hello worlds!") == [5, 6, 7, 9]
    assert ids(record("bert cased"), "Hello worlds!") == [11, 6, 7, 9]
    assert ids(record("ranks"), "hello world") == [259, 264]
    assert ids(record("tekken"), "hello world") == [262, 267]
    assert ids(record("minbpe"), "hel") == [257]
    assert ids(record("rwkv"), "hello the!") == [260, 269, 34]
    assert ids(record("clip"), "HELLO") == [515]
    assert ids(record("gpt1"), "Hello") == [18]


def test_what_a_user_should_know_is_noted():
    assert record("bert").info.notes == ("Text is lowercased, as the vocabulary suggests.",)
    assert record("ranks of qwen").info.notes == (
        "The pattern is that of Qwen 2, chosen by the tokenizer_class Qwen2Tokenizer.",
    )
    assert "guess" in record("ranks").info.notes[0]
    assert record_from_files("x", KINDS["ranks"](), pattern=r"\w|\W").info.notes == ()
    assert record_from_files("x", KINDS["ranks"](), pattern=r"\w|\W").spec["pattern"] == r"\w|\W"


def test_a_pattern_of_the_store_is_searched_without_a_limit(registry, monkeypatch):
    stored, text = registry.record("cl100k_base").pattern, "hello world, 1234. " * 1000
    known, other = (record_from_files("x", KINDS["ranks"](), pattern=one) for one in (stored, stored + "|."))
    expected = ids(known, text, "tiktoken")
    assert [ids(one, text) for one in (known, other)] == [expected] * 2
    monkeypatch.setattr(pretokenize, "time_limit", lambda text: 1e-9)
    assert ids(known, text) == expected
    with pytest.raises(RegexTimeout):
        ids(other, text)


def test_the_chat_template_is_the_one_of_its_own_file_before_that_of_the_config():
    config = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": {"content": "</s>"}, "chat_template": "{{ eos_token }}"}
    files = gpt2_files(**config)
    template = record_from_files("x", files).chat_template()
    assert template.text == "{{ eos_token }}"
    assert template.variables == {"eos_token": "</s>", **dict.fromkeys(("unk_token", "pad_token"), "<|endoftext|>")}
    own = record_from_files("x", files | {"chat_template.jinja": b"{% if messages %}a{% endif %}"}).chat_template()
    assert own.text == "{% if messages %}a{% endif %}"


def test_chat_templates_have_names_in_the_config_or_files_of_a_folder():
    named = {"chat_template": [{"name": "tool_use", "template": "b"}, {"name": "default", "template": "{{ a }}"}]}
    made = record_from_files("x", gpt2_files(**named))
    assert (made.chat_template().text, made.chat_template().named) == (
        "{{ a }}",
        {"tool_use": "b", "default": "{{ a }}"},
    )
    assert made.info.notes[0] == (
        "Of 2 chat templates, default is used, and tool_use for a conversation with tools; others are chosen by name."
    )
    own = {"chat_template.jinja": b"{{ c }}", "additional_chat_templates/rag.jinja": b"{{ d }}"}
    made = record_from_files("x", gpt2_files(**named) | own)
    assert (made.chat_template().text, made.chat_template().named) == (
        "{{ c }}",
        {"rag": "{{ d }}", "default": "{{ c }}"},
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"vocab.json": b'{"a": 0}', "merges.txt": b"#version: 0.2\na b\n"}, "spells neither bytes"),
        ({"vocab.json": gpt2_files()["vocab.json"], "merges.txt": b"#version: 0.2\na b c\n"}, "Line 2 of the merges"),
        ({"x": b"IQ== 0\n"}, "The byte 0x00 is missing"),
        ({"x": dump_ranks(RANKS), "y": b"{"}, None),
        ({"x": b"GGUF\x03\x00"}, "The file ends at byte 6"),
        ({"x": b'{"config": {}, "vocab": []}'}, "no valid default_vocab_size"),
        ({"x": b'{"model": {"vocab": 1}}'}, None),
        ({"x": b'{"explicit_n_vocab": 1, "pat_str": 1, "bpe_ranks": 1}'}, "The file has no pat_str"),
    ],
)
def test_bad_files_are_refused_with_the_cause(files, message):
    if message is None:
        assert record_from_files("x", files)
        return
    with pytest.raises(BadFile, match=message):
        record_from_files("x", files)


def test_a_pattern_that_is_too_complex_is_refused_before_it_is_compiled():
    with pytest.raises(BadFile, match="multiply to too much"):
        record_from_files("x", KINDS["ranks"](), pattern="(?:a{1000}){1000}")


def test_a_character_map_survives_being_written():
    from tokenarium.files.sentencepiece.model import dump_model

    model = load_model(sentencepiece_models.trained("unigram nmt_nfkc_cf"))
    assert load_model(dump_model(model)).charsmap.values == model.charsmap.values
    assert [*load_model(dump_model(model)).charsmap.units] == [*model.charsmap.units]


def test_the_file_of_claude_is_applied_to_text_in_nfkc_as_its_library_does():
    top = json.loads(claude()["claude.json"])
    top["special_tokens"] = {"<EOT>": 290}
    made = record_from_files("x", {"claude.json": json.dumps(top).encode()})
    assert (made.info.lossless, made.info.notes) == (False, ())
    for engine in ("tiktoken", "scratch"):
        tokenizer = LOADERS[engine](made)
        assert tokenizer.encode("ｈｅ").ids.tolist() == tokenizer.encode("he").ids.tolist() == [256]


def test_an_added_token_of_which_the_normalizers_leave_nothing_is_refused():
    top = json.loads(tokenizers_trained.file("roberta"))
    top["normalizer"] = {"type": "Strip", "strip_left": True, "strip_right": True}
    token = {"id": 999, "content": "\n", **dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)}
    for normalized in (True, False):
        top["added_tokens"] = [{**token, "normalized": normalized}]
        files = {"tokenizer.json": json.dumps(top).encode()}
        if normalized:
            with pytest.raises(BadFile, match=r"leave nothing of the added token '\\n'"):
                record_from_files("x", files)
        else:
            assert record_from_files("x", files).info.engines == ("tokenizers", "scratch")


def test_a_template_may_have_options_of_other_components_which_the_library_ignores():
    top = json.loads(tokenizers_trained.file("gpt2"))
    template = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}], "special_tokens": {}}
    options = {"pair": template["single"] * 2, "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    top["post_processor"] = {**template, **options}
    made = record_from_files("x", {"a.json": json.dumps(top).encode()})
    assert made.info.engines == ("tokenizers", "scratch"), made.info.notes
    assert same_encoding(*(LOADERS[engine](made).encode("the other") for engine in made.info.engines))


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [
        (r"\y", [0, 0, 1, 0, 1]),
        (r"\Y", [0, 2, 2]),
        (r"\Ga", [0, 0, 1, 2]),
        (r"a\K", [0, 0, 1, 0, 1]),
        ("(?~b)", [0, 0, 1, 0, 1]),
    ],
)
def test_a_pattern_that_only_the_library_reads_leaves_a_file_with_its_engine(pattern, ids):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    made = record_from_files("x", {"a.json": json.dumps({"model": model, "pre_tokenizer": split}).encode()})
    assert made.info.engines == ("tokenizers",)
    assert "The from-scratch engine cannot read this file" in made.info.notes[0]
    assert LOADERS["tokenizers"](made).encode("aabab").ids.tolist() == ids


def test_a_gguf_of_gemma_4_has_spaces_as_characters_and_bytes_for_what_it_lacks():
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    tokens = ["<unk>", "<bos>", "<turn>", *bytes_, "▁", "a", "b", "▁a", "a▁", "\n", "\n\n"]
    made = record_from_files(
        "x",
        {
            "x.gguf": gguf(
                model=pack("<I", 8) + written.text("gemma4"),
                tokens=texts(*tokens),
                token_type=numbers(5, "i", 2, 3, 3, *[6] * 256, *[1] * 7),
                scores=numbers(6, "f", *[0.0] * len(tokens)),
                merges=texts("▁ a", "a ▁", "\n \n"),
                bos_token_id=pack("<II", 4, 1),
                unknown_token_id=pack("<II", 4, 0),
            )
        },
    )
    assert (made.info.engines, made.info.prefix) == (("tokenizers", "scratch"), ("<bos>",))
    for engine in made.info.engines:
        tokenizer = LOADERS[engine](made)
        encoded = tokenizer.encode("b a é\n\n<turn>", special="parse").ids.tolist()
        assert encoded == [261, 262, 259, 3 + 0xC3, 3 + 0xA9, 265, 2]
        assert tokenizer.decode(encoded[:-1]).decode() == "b a é\n\n"


MASK = {"content": "<mask>", "lstrip": True, "rstrip": False, "normalized": True, "single_word": False}


def slow_files(made, **config):
    """Files of a class of `transformers`, with the special tokens of RoBERTa in the vocabulary."""
    vocabulary = json.loads(made["vocab.json"])
    vocabulary |= {token: len(vocabulary) + number for number, token in enumerate(("<pad>", "<mask>", "<unk>"))}
    own = {"vocab.json": json.dumps(vocabulary).encode(), "tokenizer_config.json": json.dumps(config).encode()}
    return made | own


def roberta(**config):
    top = gpt2_files()
    vocabulary = json.loads(top["vocab.json"])
    ids = {token: number for number, token in enumerate(vocabulary)}
    return slow_files(top | {"vocab.json": json.dumps(ids).encode()}, tokenizer_class="RobertaTokenizer", **config)


SLOW = {
    "gpt2": gpt2_files(tokenizer_class="GPT2Tokenizer"),
    "gpt2, bos": gpt2_files(tokenizer_class="GPT2Tokenizer", add_bos_token=True),
    "gpt2, own": gpt2_files(tokenizer_class="GPT2Tokenizer", add_bos_token=True, bos_token="<s>", add_eos_token=True),
    "roberta": roberta(),
    "roberta, mask": roberta(mask_token="<mask>"),
    "roberta, mask in the config": roberta(mask_token={**MASK, "__type": "AddedToken"}),
    "roberta, mask in the map": roberta() | {"special_tokens_map.json": json.dumps({"mask_token": MASK}).encode()},
    "roberta, mask in the decoder": roberta(added_tokens_decoder={"269": {**MASK, "special": True}}),
    "clip": clip_files() | {"tokenizer_config.json": b'{"tokenizer_class": "CLIPTokenizer"}'},
}
SPECIAL = "".join(("a <mask> b  <mask>", "hello </s><s> the<pad>  <unk>", " <|endoftext|> the <|startoftext|>'s 12 é"))


@pytest.mark.parametrize("kind", SLOW)
def test_files_of_a_class_are_tokenized_as_transformers_does(kind, tmp_path):
    from transformers import AutoTokenizer

    for name, data in SLOW[kind].items():
        (tmp_path / name).write_bytes(data)
    witness = AutoTokenizer.from_pretrained(tmp_path)
    made = record_from_files("x", SLOW[kind])
    around = [[made.info.special_tokens[token] for token in side] for side in (made.info.prefix, made.info.suffix)]
    assert made.info.special_tokens.items() <= witness.get_vocab().items()
    for engine in made.info.engines:
        tokenizer = LOADERS[engine](made)
        for text in [*NASTY.values(), SPECIAL]:
            inner = tokenizer.encode(text, special="parse").ids.tolist()
            assert [*around[0], *inner, *around[1]] == witness.encode(text), ascii(text)
            assert tokenizer.decode(inner) == witness.decode(inner).encode(), ascii(text)


WRITTEN = {
    "MBartTokenizer": {"src_lang": "en_XX", "tgt_lang": "ro_RO"},
    "MBart50Tokenizer": {"src_lang": "en_XX"},
    "PegasusTokenizer": {},
}
FIRST = {
    "MBartTokenizer": ("<s>", "<pad>", "</s>", "<unk>"),
    "MBart50Tokenizer": ("<unk>", "<s>", "</s>"),
    "PegasusTokenizer": (
        "<pad>",
        "</s>",
        "<mask_1>",
        "<mask_2>",
        *(f"<unk_{number}>" for number in range(2, 103)),
        "<unk>",
    ),
}
TRANSLATED = ("en_XX Hello <mask> world</s>ro_RO", "a  <mask_2> <unk_3>b<mask_1>", "<pad><s> hello_XX en_XX</s>")


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_that_transformers_wrote_for_a_class_gives_its_tokens(name, tmp_path):
    import transformers

    letters = [(letter, -float(number)) for number, letter in enumerate("▁ehlowrdab", 2)]
    words = [("▁h", -4.0), ("ello", -5.5), ("▁wor", -6.0), ("ld", -3.5)]
    vocab = [*((token, 0.0) for token in FIRST[name]), *letters, *words]
    witness = getattr(transformers, name)(vocab=vocab, **WRITTEN[name])
    witness.save_pretrained(tmp_path)
    names = ("tokenizer.json", "tokenizer_config.json")
    made = record_from_files("x", {name: (tmp_path / name).read_bytes() for name in names})
    around = [[made.info.special_tokens[token] for token in side] for side in (made.info.prefix, made.info.suffix)]
    assert made.info.engines == ("tokenizers", "scratch")
    for engine in made.info.engines:
        tokenizer = LOADERS[engine](made)
        for text in [*NASTY.values(), *TRANSLATED]:
            inner = tokenizer.encode(text, special="parse").ids.tolist()
            assert [*around[0], *inner, *around[1]] == witness.encode(text), ascii(text)
            assert tokenizer.decode(inner) == witness.decode(inner).encode(), ascii(text)


@pytest.mark.parametrize(
    ("name", "renumbered"),
    [("PegasusTokenizer", True), ("MBart50Tokenizer", True), ("PLBartTokenizer", True), ("T5Tokenizer", False)],
)
def test_a_model_whose_tokens_its_class_numbers_otherwise_says_so(name, renumbered):
    config = {"tokenizer_config.json": json.dumps({"tokenizer_class": name}).encode()}
    made = record_from_files("x", {"spiece.model": sentencepiece_models.trained("unigram"), **config})
    assert any("number the tokens differently" in note for note in made.info.notes) == renumbered


def test_a_decoder_that_panics_on_nothing_is_an_error_of_the_engine():
    top = json.loads(tokenizers_trained.file("roberta"))
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    stripped = {"type": "Strip", "content": " ", "start": 0, "stop": 1}
    top["decoder"] = {"type": "Sequence", "decoders": [spelled, stripped]}
    made = record_from_files("x", {"tokenizer.json": json.dumps(top).encode()})
    with pytest.raises(EngineFailed, match="tokenizers panicked"):
        LOADERS["tokenizers"](made).decode([])
    assert LOADERS["scratch"](made).decode([]) == b""
