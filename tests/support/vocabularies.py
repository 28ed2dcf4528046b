"""A small vocabulary of every kind that can be learned, each by a library, as our trainers would leave it."""

import io
import json
from functools import cache

import sentencepiece
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.lab.steps.patterns import expression
from tokenarium.scratch.compat.pipeline.pre_tokenizers import BERT_WORD, byte_alphabet
from tokenarium.scratch.fast.bpe.encode import merge
from tokenarium.types import TrainedVocab
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from tests.support.sentencepiece_models import LINES

SPECIAL = ["<s>", "</s>", "<|end of text|>"]


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "removed", invert=True)


def trained(model, trainer, pattern, *, lowercase=False, byte_level=False):
    library = Tokenizer(model)
    spelled = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)] * byte_level
    library.pre_tokenizer = pre_tokenizers.Sequence([split(pattern), *spelled])
    if lowercase:
        library.normalizer = normalizers.Lowercase()
    library.train_from_iterator(LINES, trainer)
    return json.loads(library.to_str())["model"]


def byte_bpe(pattern, *, special=(), lowercase=False, heard=None):
    """`heard` is the same pattern as the library's trainer must be told it."""
    alphabet = byte_alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    model = trained(models.BPE(), trainer, heard or pattern or r"[\s\S]+", lowercase=lowercase, byte_level=True)
    pieces = (*alphabet, *(a + b for a, b in model["merges"]), *special)
    ids = {piece: id for id, piece in enumerate(pieces)}
    merges = tuple((ids[a], ids[b]) for a, b in model["merges"])
    named = {token: ids[token] for token in special}
    return TrainedVocab("bpe", "bytes", pieces, merges, special_tokens=named, pattern=pattern, lowercase=lowercase)


def pieces_of(model):
    return tuple(sorted(model["vocab"], key=model["vocab"].__getitem__))


def char_bpe(pattern, *, unknown=None, suffix=None):
    special = [unknown] if unknown else []
    marked = {"end_of_word_suffix": suffix} if suffix else {}
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, limit_alphabet=90, show_progress=False, **marked
    )
    model = trained(models.BPE(unk_token=unknown, **marked), trainer, pattern)
    ids = model["vocab"]
    merges = tuple((ids[a], ids[b]) for a, b in model["merges"])
    unit = "marked" if suffix else "characters"
    named = {token: ids[token] for token in special}
    return TrainedVocab("bpe", unit, pieces_of(model), merges, special_tokens=named, unknown=unknown, pattern=pattern)


def wordpiece(pattern, *, lowercase=False):
    special = ["[UNK]", "[CLS]", "[SEP]"]
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    model = trained(models.WordPiece(unk_token="[UNK]"), trainer, pattern, lowercase=lowercase)
    named = {token: id for id, token in enumerate(special)}
    return TrainedVocab(
        "wordpiece",
        "characters",
        pieces_of(model),
        special_tokens=named,
        unknown="[UNK]",
        pattern=pattern,
        lowercase=lowercase,
    )


def sentencepiece_learned(algorithm, *, bytes_too=False, special=()):
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(line for line in LINES if "\0" not in line),
        model_writer=written,
        model_type=algorithm,
        vocab_size=700 if bytes_too else 420,
        hard_vocab_limit=False,
        character_coverage=0.99,
        num_threads=1,
        byte_fallback=bytes_too,
        control_symbols=list(special),
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        bos_id=-1,
        eos_id=-1,
        minloglevel=2,
    )
    model = load_model(written.getvalue())
    pieces = tuple(piece.text for piece in model.pieces)
    ids = {piece: id for id, piece in enumerate(pieces)}
    ranks = {piece.text: -piece.score for piece in model.pieces if piece.kind == "normal"}
    merges = []
    for piece in sorted((piece for piece in ranks if len(piece) > 1), key=ranks.__getitem__):
        parts = merge(piece, {other: rank for other, rank in ranks.items() if rank < ranks[piece]})
        merges.append(tuple(ids[part] for part in parts))
    return TrainedVocab(
        algorithm,
        "characters",
        pieces,
        tuple(merges) if algorithm == "bpe" else (),
        tuple(piece.score for piece in model.pieces) if algorithm == "unigram" else (),
        {"<unk>": 0} | {token: ids[token] for token in special},
        "<unk>",
        byte_fallback=bytes_too,
        marks_spaces=True,
    )


KINDS = {
    "bytes": lambda: byte_bpe(expression("gpt2")),
    "bytes with special tokens": lambda: byte_bpe(expression("gpt2"), special=SPECIAL),
    "bytes as GPT-4": lambda: byte_bpe(expression("cl100k"), heard=expression("cl100k").replace("{1,3}+", "{1,3}")),
    "bytes as GPT-4o": lambda: byte_bpe(expression("o200k"), special=["<|end|>"]),
    "bytes as Llama 3": lambda: byte_bpe(expression("llama3")),
    "bytes of a whole text": lambda: byte_bpe(""),
    "bytes between spaces": lambda: byte_bpe(r"\S+"),
    "bytes in lower case": lambda: byte_bpe(expression("gpt2"), lowercase=True),
    "characters": lambda: char_bpe(r"\S+", unknown="<unk>"),
    "characters without unknown": lambda: char_bpe(expression("gpt2")),
    "marked": lambda: char_bpe(r"\S+", unknown="<unk>", suffix="</w>"),
    "wordpiece": lambda: wordpiece(BERT_WORD.pattern),
    "wordpiece in lower case": lambda: wordpiece(r"\S+", lowercase=True),
    "unigram": lambda: sentencepiece_learned("unigram"),
    "unigram with bytes": lambda: sentencepiece_learned("unigram", bytes_too=True),
    "unigram with special tokens": lambda: sentencepiece_learned("unigram", bytes_too=True, special=SPECIAL),
    "sentencepiece bpe": lambda: sentencepiece_learned("bpe"),
    "sentencepiece bpe with bytes": lambda: sentencepiece_learned("bpe", bytes_too=True, special=SPECIAL),
}


@cache
def learned(kind):
    """What was learned of this kind."""
    return KINDS[kind]()
