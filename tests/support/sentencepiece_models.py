"""Small SentencePiece models of every kind, trained once a session."""

import io
import random
from functools import cache

import sentencepiece

from tests.support.strings import NASTY

SOURCE = random.Random(11)
TEXT = (
    "the there here where other mother of off offer and end under wonder in into inside 2024 12345 3.14 naïve "
    "café Zoé İstanbul straße ΑΒΓ αβγ привет мир 你好 世界 日本語 東京 한국어 नमस्ते "
    "ภาษา مرحبا שלום ﬁnd ｆｕｌｌ low lower lowest new newer widest <user> "
    "user_defined e\u0301te\u0301 ½ ① ㍿ return def self print"
)
WORDS = TEXT.split()
LINES = [" ".join(SOURCE.choices(WORDS, k=SOURCE.randint(3, 12))) for _ in range(600)] + list(NASTY.values())
SMALL = {"vocab_size": 420, "hard_vocab_limit": False, "character_coverage": 0.99, "num_threads": 1}
BYTES = {"byte_fallback": True, "vocab_size": 700}
SYMBOLS = {"user_defined_symbols": ["<user>", "▁of", "12", "é", "<x y>"], "control_symbols": ["<ctl>", "<sep>"]}
KINDS = {
    "unigram": {},
    "unigram identity": {"normalization_rule_name": "identity"},
    "unigram nfkc_cf": {"normalization_rule_name": "nfkc_cf"},
    "unigram nmt_nfkc_cf": {"normalization_rule_name": "nmt_nfkc_cf"},
    "unigram bytes": BYTES,
    "unigram bytes identity kept spaces": {
        **BYTES,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
    },
    "unigram digits": {"split_digits": True, "split_by_number": True},
    "unigram symbols": SYMBOLS,
    "unigram symbols bytes": {**SYMBOLS, **BYTES},
    "unigram suffix": {"treat_whitespace_as_suffix": True},
    "unigram no prefix": {"add_dummy_prefix": False},
    "unigram over spaces": {"split_by_whitespace": False},
    "word": {"model_type": "word"},
    "word identity kept spaces": {
        "model_type": "word",
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
    },
    "word suffix": {"model_type": "word", "treat_whitespace_as_suffix": True},
    "word bytes": {"model_type": "word", **BYTES},
    "char": {"model_type": "char"},
    "char symbols": {"model_type": "char", **SYMBOLS},
    "char bytes no prefix": {"model_type": "char", **BYTES, "add_dummy_prefix": False},
    "bpe": {"model_type": "bpe"},
    "bpe identity": {"model_type": "bpe", "normalization_rule_name": "identity"},
    "bpe nfkc_cf": {"model_type": "bpe", "normalization_rule_name": "nfkc_cf"},
    "bpe bytes": {"model_type": "bpe", **BYTES},
    "bpe bytes kept spaces": {
        "model_type": "bpe",
        **BYTES,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
    },
    "bpe digits": {"model_type": "bpe", "split_digits": True},
    "bpe symbols": {"model_type": "bpe", **SYMBOLS},
    "bpe symbols bytes": {"model_type": "bpe", **SYMBOLS, **BYTES},
    "bpe suffix": {"model_type": "bpe", "treat_whitespace_as_suffix": True},
    "bpe suffix bytes": {"model_type": "bpe", "treat_whitespace_as_suffix": True, **BYTES},
    "bpe over spaces": {"model_type": "bpe", "split_by_whitespace": False, "allow_whitespace_only_pieces": True},
}


@cache
def trained(kind: str) -> bytes:
    """The file of a model of this kind."""
    written = io.BytesIO()
    lines = (line for line in LINES if "\0" not in line)
    options = {**SMALL, **KINDS[kind], "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=written, **options)
    return written.getvalue()


def message(number, content):
    return number_bytes(number << 3 | 2) + number_bytes(len(content)) + content


def number_bytes(value):
    done = bytearray()
    while value > 127:
        done.append(value & 127 | 128)
        value >>= 7
    return bytes([*done, value])
