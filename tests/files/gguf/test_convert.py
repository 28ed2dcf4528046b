"""GGUF files as llama.cpp reads them: literal tokens are those of `llama_tokenize` (xllamacpp 2026.10) for the file."""

from struct import pack

import pytest
from tokenarium.files.gguf.pre_tokenizers import PRE_TOKENIZERS
from tokenarium.files.records import record_from_files
from tokenarium.registry import load

from tests.support.gguf_files import gguf, numbers, text, texts
from tests.support.records import LETTERS

TEXT = "I'LL aB e\u0301s 1234567 a1!/\n\n  x\u3000，你の"
TOKENS = {
    "": "I|'|LL|ĠaB|Ġe|Ìģ|s|Ġ|123|456|7|Ġa|1|!/|ĊĊĠ|Ġx|ãĢĢ|ï¼Į|ä½|łã|ģ®",
    "gpt-2": "I|'|LL|ĠaB|Ġe|Ìģ|s|Ġ1|23|45|67|Ġa|1|!/|ĊĊĠ|Ġx|ãĢĢ|ï¼Į|ä½|łã|ģ®",
    "starcoder": "I|'|LL|ĠaB|Ġe|Ìģ|s|Ġ|1|2|3|4|5|6|7|Ġa|1|!/|ĊĊĠ|Ġx|ãĢĢ|ï¼Į|ä½|łã|ģ®",
    "llama-bpe": "I|'LL|ĠaB|Ġe|Ìģs|Ġ|123|456|7|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼|Įä|½ł|ãģ®",
    "qwen2": "I|'LL|ĠaB|Ġe|Ìģs|Ġ|1|2|3|4|5|6|7|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼|Įä|½ł|ãģ®",
    "exaone-moe": "I|'LL|Ġa|BĠ|eÌ|ģs|Ġ|1|2|3|4|5|6|7|Ġa|1|!/Ċ|Ċ|Ġ|Ġx|ãĢĢ|ï¼|Įä|½ł|ãģ®",
    "gpt-4o": "I'|LL|Ġa|B|Ġe|Ìģs|Ġ|123|456|7|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼|Įä|½ł|ãģ®",
    "tekken": "I|'LL|Ġa|B|Ġe|Ìģs|Ġ|1|2|3|4|5|6|7|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼|Įä|½ł|ãģ®",
    "tiny_aya": "I'|LL|ĠaB|Ġe|Ìģs|Ġ|1|234|567|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼|Įä|½ł|ãģ®",
    "youtu": "I'|LL|ĠaB|Ġe|Ìģs|Ġ|1|2|3|4|5|6|7|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼Į|ä½|łã|ģ®",
    "kimi-k2": "I'|LL|ĠaB|Ġe|Ìģs|Ġ|123|456|7|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼Į|ä½ł|ãģ®",
    "deepseek-llm": "I|'|LL|ĠaB|Ġe|Ìģ|s|Ġ|12|34|567|Ġa|1|!/|Ċ|Ċ|Ġ|Ġx|ãĢ|Ģï|¼Į|ä½|łã|ģ®",
    "deepseek-coder": "I|'|LL|ĠaB|Ġe|Ìģ|s|Ġ|1|2|3|4|5|6|7|Ġa|1|!/|Ċ|Ċ|Ġ|Ġx|ãĢ|Ģï|¼Į|ä½|łã|ģ®",
    "deepseek-v3": "I|'LL|ĠaB|Ġe|Ìģs|Ġ|123|456|7|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼Į|ä½|łã|ģ®",
    "spark2_5": "I|'LL|ĠaB|Ġe|Ìģs|Ġ|1|2|3|4|5|6|7|Ġa|1|!/|Ċ|Ċ|Ġ|Ġx|ãĢĢ|ï¼Į|ä½|łã|ģ®",
    "afmoe": "I|'LL|ĠaB|Ġe|Ìģs|Ġ|1|234|567|Ġa|1|!/|ĊĊ|Ġ|Ġx|ãĢĢ|ï¼Į|ä½|łã|ģ®",
    "bloom": "I'|LL|ĠaB|Ġe|Ìģs|Ġ1|23|45|67|Ġa1|!|/|ĊĊĠ|Ġx|ãĢ|Ģï|¼Į|ä½|łã|ģ®",
    "viking": "I'|LL|ĠaB|Ġe|Ìģs|Ġ|1|2|3|4|5|6|7|Ġa|1|!|/|ĊĊĠ|Ġx|ãĢ|Ģï|¼Į|ä½|łã|ģ®",
    "superbpe": "I'|LL|Ġa|BĠ|eÌ|ģsĠ|1|234|567|Ġa|1|!/|ĊĊ|ĠĠ|xã|ĢĢ|ï¼|Įä|½ł|ãģ®",
    "chameleon": "I|'|LL|ĠaB|Ġe|Ìģ|s|Ġ|1|2|3|4|5|6|7|Ġa|1|!|/|Ċ|Ċ|ĠĠ|x|ãĢĢ|ï¼Į|ä½|łã|ģ®",
}


def string(value):
    return pack("<I", 8) + text(value)


def byte_level(pre, *special, **pairs):
    """All bytes, what two and three neighbours in `TEXT` make, and special tokens, each with its type."""
    letters = [LETTERS[byte] for byte in TEXT.encode()]
    windows = [letters[i : i + size] for size in (2, 3) for i in range(len(letters) - size + 1)]
    merges = dict.fromkeys(("".join(window[:-1]), window[-1]) for window in windows)
    tokens = [*LETTERS, *map("".join, merges)]
    named = [token for token, _ in special]
    written = gguf(
        model=string("gpt2"),
        pre=string(pre),
        tokens=texts(*named, *tokens),
        token_type=numbers(5, "i", *(kind for _, kind in special), *[1] * len(tokens)),
        merges=texts(*map(" ".join, merges)),
        **pairs,
    )
    return record_from_files("x", {"x.gguf": written})


@pytest.mark.parametrize("pre", TOKENS)
def test_a_text_is_split_as_llama_cpp_splits_it_for_each_name(pre):
    record = byte_level(pre)
    for engine in record.info.engines:
        tokenizer = load(record, engine)
        raws = [tokenizer.entry(id).raw for id in tokenizer.encode(TEXT).ids.tolist()]
        assert raws == [bytes(map(LETTERS.index, token)) for token in TOKENS[pre].split("|")]


def test_names_are_read_alike_that_llama_cpp_reads_alike():
    aliases = {"llama-bpe": ("pixtral", "falcon-h1", "lfm2", "midm-2.0"), "gpt-4o": ("minimax-m2",), "glm4": ("glm5",)}
    for name, others in aliases.items():
        assert {PRE_TOKENIZERS[other] for other in others} == {PRE_TOKENIZERS[name]}
    assert len(PRE_TOKENIZERS) == 91


NORMAL, CONTROL, USER_DEFINED = 1, 3, 4
YES, NO = (pack("<I?", 7, flag) for flag in (True, False))


@pytest.mark.parametrize(
    ("pre", "pairs", "prefix"),
    [
        ("qwen2", {}, ()),
        ("glm4", {}, ()),
        ("llama-bpe", {}, ("<s>",)),
        ("tekken", {}, ("<s>",)),
        ("chameleon", {}, ("<s>",)),
        ("llama-bpe", {"add_bos_token": NO}, ()),
        ("qwen2", {"add_bos_token": YES}, ("<s>",)),
        ("gemma4", {"add_bos_token": NO}, ("<s>",)),
    ],
)
@pytest.mark.parametrize("kind", [NORMAL, CONTROL])
def test_bos_begins_a_text_where_the_file_or_else_the_name_says_so(pre, pairs, prefix, kind):
    assert byte_level(pre, ("<s>", kind), bos_token_id=pack("<II", 4, 0), **pairs).info.prefix == prefix


def test_some_tokens_have_a_type_by_their_spelling():
    """A turn that a file ends with an ordinary token is ended all the same; its begin is then many tokens."""
    record = byte_level("qwen2", ("<|im_start|>", NORMAL), ("<|im_end|>", NORMAL), ("<|channel|>", CONTROL))
    tokenizer = load(record, "tokenizers")
    assert tokenizer.encode("<|im_end|><|channel|>", special="parse").ids.tolist() == [1, 2]
    assert tokenizer.encode("<|channel|>").ids.tolist() == [2]
    assert len(tokenizer.encode("<|im_start|>", special="parse").ids) == 12


@pytest.mark.parametrize(("pre", "said"), [("qwen2", "NFC"), ("gpt-4o", "beyond ASCII"), ("", "llama.cpp's own")])
def test_a_note_says_where_the_models_own_tokenizer_differs(pre, said):
    assert said in byte_level(pre).info.notes[1]
    assert len(byte_level("gpt-2").info.notes) == 1


def test_what_follows_a_user_defined_piece_begins_with_a_space_as_in_llama_cpp():
    """SentencePiece itself would give 4 for `b` behind the piece, and fold spaces where the file says so."""
    written = gguf(
        model=string("llama"),
        tokens=texts("<unk>", "<s>", "</s>", "a", "b", "▁", "<x>", "▁▁"),
        token_type=numbers(5, "i", 2, CONTROL, CONTROL, NORMAL, NORMAL, NORMAL, USER_DEFINED, NORMAL),
        scores=numbers(6, "f", 0, 0, 0, -1, -2, -3, 0, -4),
        remove_extra_whitespaces=YES,
    )
    record = record_from_files("x", {"x.gguf": written})
    assert (record.info.prefix, record.info.added_tokens) == (("<s>",), {"<x>": 6})
    for engine in record.info.engines:
        tokenizer = load(record, engine)
        assert tokenizer.encode("a<x>b  a").ids.tolist() == [5, 3, 6, 5, 4, 7, 3]
        assert tokenizer.decode([5, 3, 6, 5, 4]) == b"a<x>b"


def test_text_loses_its_marks_and_its_case_in_wordpiece_and_is_split_at_more_than_bert_splits_at():
    """BERT itself keeps the mark U+093F and the sign U+2E43 in a word, and drops U+0085."""
    written = gguf(
        model=string("bert"),
        tokens=texts("[UNK]", "[CLS]", "[SEP]", "▁H", "▁h", "e", "▁\u2e43", "▁क", "ल"),
        token_type=numbers(5, "i", CONTROL, CONTROL, CONTROL, *[NORMAL] * 6),
    )
    record = record_from_files("x", {"x.gguf": written})
    for engine in record.info.engines:
        assert load(record, engine).encode("HÉ\u0085h क\u093fल\u2e43hé").ids.tolist() == [4, 5, 4, 7, 8, 6, 4, 5]


def test_a_long_word_has_its_pieces_in_wordpiece():
    written = gguf(
        model=string("bert"),
        tokens=texts("[UNK]", "[CLS]", "[SEP]", "▁a", "a"),
        token_type=numbers(5, "i", CONTROL, CONTROL, CONTROL, NORMAL, NORMAL),
    )
    record = record_from_files("x", {"x.gguf": written})
    for engine in record.info.engines:
        assert load(record, engine).encode("a" * 500).ids.tolist() == [3, *[4] * 499]


def test_tokens_of_rwkv_are_spelled_with_escapes_and_matched_whatever_their_type():
    spelled = [f"\\x{byte:02x}" for byte in range(256)]
    written = gguf(
        model=string("rwkv"),
        tokens=texts("<s>", *spelled, "\\t\\\\'", "é"),
        token_type=numbers(5, "i", CONTROL, *[NORMAL] * 258),
    )
    tokenizer = load(record_from_files("x", {"x.gguf": written}), "scratch")
    assert tokenizer.encode("\t\\'\t<s>é").ids.tolist() == [257, 10, 0, 258]


def test_control_tokens_of_rwkv_are_parsed_and_user_defined_ones_are_matched_before_longer_tokens():
    spelled = [f"\\x{byte:02x}" for byte in range(256)]
    written = gguf(
        model=string("rwkv"),
        tokens=texts("<s>", *spelled, "a<", "<x>", "s>", "<x>a"),
        token_type=numbers(5, "i", CONTROL, *[NORMAL] * 257, USER_DEFINED, NORMAL, NORMAL),
    )
    record = record_from_files("x", {"x.gguf": written})
    assert (record.info.special_tokens, record.info.added_tokens) == ({"<s>": 0}, {"<x>": 258})
    tokenizer = load(record, "scratch")
    assert tokenizer.encode("a<s><x>a").ids.tolist() == [257, 259, 258, 98]
    assert tokenizer.encode("a<s><x>a", special="parse").ids.tolist() == [98, 0, 258, 98]
