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


RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
FLAGS = {
    "add_dummy_prefix": True,
    "remove_extra_whitespaces": True,
    "treat_whitespace_as_suffix": False,
    "allow_whitespace_only_pieces": False,
    "split_by_whitespace": True,
    "split_by_unicode_script": True,
    "split_by_number": True,
    "split_digits": False,
    "byte_fallback": False,
}
"""Options that are on or off, with their defaults."""


@cache
def trained(kind: str) -> bytes:
    """The file of a model of this kind."""
    return train(LINES, **KINDS[kind])


def train(texts: list[str], **options: object) -> bytes:
    """The file of a small model with these options of the trainer."""
    written = io.BytesIO()
    lines = (line for line in texts if "\0" not in line)
    settings = {**SMALL, **options, "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=written, **settings)
    return written.getvalue()


def random_options(source: random.Random) -> dict[str, object]:
    """Options of the trainer, each as likely to be its default as not; equal sources give equal options."""
    options: dict[str, object] = {name: default ^ (source.random() < 0.4) for name, default in FLAGS.items()}
    options["model_type"] = source.choice(("unigram", "unigram", "bpe", "bpe", "word", "char"))
    options["normalization_rule_name"] = source.choice(RULES)
    options["character_coverage"] = source.choice((0.98, 0.995, 1.0))
    options["max_sentencepiece_length"] = source.choice((4, 16, 30))
    options["vocab_size"] = source.choice((200, 420)) + 300 * bool(options["byte_fallback"])
    for name, texts in (
        ("user_defined_symbols", ["<user>", "▁of", "12", "é", "<x y>", "▁▁"]),
        ("control_symbols", ["<ctl>"]),
    ):
        if source.random() < 0.4:
            options[name] = source.sample(texts, k=source.randint(1, len(texts)))
    if source.random() < 0.3:
        options |= {"unk_surface": source.choice(("?", "", "<unk>")), "unk_piece": source.choice(("<unk>", "[UNK]"))}
    if source.random() < 0.3:
        ids = source.sample(range(4), k=4)
        options |= dict(zip(("unk_id", "bos_id", "eos_id", "pad_id"), ids, strict=True))
    return options


def message(number, content):
    return number_bytes(number << 3 | 2) + number_bytes(len(content)) + content


def number_bytes(value):
    done = bytearray()
    while value > 127:
        done.append(value & 127 | 128)
        value >>= 7
    return bytes([*done, value])
