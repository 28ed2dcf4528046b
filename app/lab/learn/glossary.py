"""The glossary: every term of art on the pages, in two sentences, with an example that is computed and a source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import UnknownTerm
from ...scratch.bpe import encode_by_pairs
from ...scratch.learn_bpe import learn
from ...scratch.pretokenize import pretokenize
from ...scratch.unigram import segment
from ...scratch.wordpiece import encode as longest_match
from ...settings import Settings
from ..beyond.bytes import PatchOptions, study
from ..metrics import bytes_per_token, fertility, premium, renyi_efficiency

if TYPE_CHECKING:
    from ...registry import Registry

Example = Callable[["Registry"], str]
FAMILY = "👨\u200d👩\u200d👧"
CONTRACTED = "I'll go"


@dataclass(frozen=True, slots=True)
class Term:
    """A term: its name, what it means, an example that the engines compute, and the publication that defines it."""

    id: str
    name: str
    meaning: str
    example: Example
    source: str = ""


def pieces(registry: Registry, text: str, tokenizer: str = "o200k_base") -> str:
    """Return the tokens of a text, separated by bars."""
    encoding = registry.get(tokenizer, "scratch").encode(text)
    return " | ".join(registry.get(tokenizer, "scratch").entry(id).piece for id in encoding.ids.tolist())


def ids(registry: Registry, text: str, tokenizer: str = "o200k_base") -> list[int]:
    """Return the ids of a text."""
    found: list[int] = registry.get(tokenizer, "scratch").encode(text).ids.tolist()
    return found


def _size(registry: Registry, tokenizer: str) -> str:
    return f"{registry.info(tokenizer).vocab_size:,}"


def _special(registry: Registry) -> str:
    tokens = sorted(registry.info("o200k_base").special_tokens.items(), key=lambda item: item[1])
    return "o200k_base: " + ", ".join(f"{token} = {id:,}" for token, id in tokens)


def _around(registry: Registry) -> str:
    info = registry.info("bert-base-uncased")
    return f"BERT puts {' … '.join((*info.prefix, *info.suffix))} around a text"


def _two(registry: Registry) -> str:
    gpt2, bert = (ids(registry, "a b", tokenizer) for tokenizer in ("gpt2", "bert-base-uncased"))
    return f"“a b” in GPT-2: {gpt2}, in BERT: {bert}"


def _per_word(registry: Registry) -> str:
    text = "Tokenizers split unhappily."
    count = len(ids(registry, text))
    return f"“{text}”: {count} tokens, 3 words: {fertility(count, words=3):.2f}"


def _per_token(registry: Registry) -> str:
    text = "Hello, 🌍! 你好!"
    count = len(ids(registry, text))
    size = len(text.encode())
    return f"“{text}”: {size} bytes, {count} tokens: {bytes_per_token(size, tokens=count):.2f}"


def _premium(registry: Registry) -> str:
    english = len(ids(registry, "human rights", "gpt2"))
    hindi = len(ids(registry, "मानव अधिकार", "gpt2"))
    return f"GPT-2, “human rights” in Hindi: {hindi} ÷ {english} tokens = {premium(hindi, english=english):.1f}"


def _renyi(registry: Registry) -> str:
    even, uneven = (renyi_efficiency(np.array(counts)) for counts in ([25, 25, 25, 25], [97, 1, 1, 1]))
    return f"Four tokens equally often: {even:.2f}. One of them 97 times in 100: {uneven:.2f}"


def _round_trip(registry: Registry) -> str:
    tokenizer = registry.get("bert-base-uncased", "scratch")
    return f"BERT: “Café” → “{tokenizer.decode(tokenizer.encode('Café').ids.tolist()).decode()}”"


def _byte_fallback(registry: Registry) -> str:
    return f"Mistral 7B, “ꙮ”: {pieces(registry, 'ꙮ', 'mistral-v1')}"


def _unigram(registry: Registry) -> str:
    scores = {"t": -5.0, "he": -3.0, "the": -2.5, "re": -3.0, "there": -3.9}
    tokens, score = segment("there", scores)
    return f"there = {' + '.join(tokens)} with {score:g}, ahead of the + re with {scores['the'] + scores['re']:g}"


def _offsets(registry: Registry) -> str:
    encoding = registry.get("o200k_base", "scratch").encode("strawberry")
    spans = zip(encoding.char_starts.tolist(), encoding.char_ends.tolist(), strict=True)
    return "strawberry: " + ", ".join(f"{start}–{end}" for start, end in spans)


def _bpe(registry: Registry) -> str:
    return "lowest: " + " | ".join(encode_by_pairs("lowest", [("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w")]))


def _merge(registry: Registry) -> str:
    (first, second, count), *_ = learn({"low": 5, "lower": 2, "new": 6, "newer": 3}, 1)
    return f"In low ×5, lower ×2, new ×6, newer ×3: {first} + {second} → {first + second}, {count} times"


def _patches(registry: Registry) -> str:
    cut = study(registry, Settings().store, PatchOptions("The tokenizer")).patches
    return " | ".join(b"The tokenizer"[start:end].decode() for start, end in cut.spans)


def _entropy(registry: Registry) -> str:
    row = study(registry, Settings().store, PatchOptions("The tokenizer")).row
    return f"Before “o” of “to”: {row[5].entropy:.2f} nats; before “e” of “ken”: {row[7].entropy:.2f}"


TERMS = (
    Term(
        "token",
        "Token",
        "A piece of text that a model treats as one unit. It may be a word, a part of one, a character or a "
        "single byte.",
        lambda registry: f"strawberry: {pieces(registry, 'strawberry')}",
    ),
    Term(
        "id",
        "Id",
        "The number of a token in the vocabulary. A model gets ids and nothing else.",
        lambda registry: f"strawberry: {', '.join(map(str, ids(registry, 'strawberry')))}",
    ),
    Term(
        "vocabulary",
        "Vocabulary",
        "All tokens that a tokenizer can give, each with its id. It is fixed before the model is trained.",
        lambda registry: f"GPT-2: {_size(registry, 'gpt2')} tokens, o200k_base: {_size(registry, 'o200k_base')}",
    ),
    Term(
        "tokenizer",
        "Tokenizer",
        "What turns a text into ids and ids into text. It has a vocabulary and a rule for which tokens to take.",
        _two,
    ),
    Term(
        "code-point",
        "Code point",
        "The number of a character in Unicode. What looks like one character may be several code points.",
        lambda registry: " ".join(f"U+{ord(char):04X}" for char in "e\u0301") + " is seen as e\u0301",
        "unicode-17",
    ),
    Term(
        "grapheme",
        "Grapheme cluster",
        "What a reader sees as one character. An emoji of a family is one cluster of several code points.",
        lambda registry: f"{FAMILY}: 1 cluster, {len(FAMILY)} code points, {len(FAMILY.encode())} bytes",
        "unicode-17",
    ),
    Term(
        "utf-8",
        "UTF-8",
        "The usual way to write code points as bytes: one byte for ASCII, two to four for all others. Byte-level "
        "tokenizers work on these bytes.",
        lambda registry: f"é: {'é'.encode().hex(' ')}, 🌍: {'🌍'.encode().hex(' ')}",
        "rfc-3629",
    ),
    Term(
        "bpe",
        "Byte pair encoding (BPE)",
        "Training merges the most frequent pair of neighbours, again and again. Encoding repeats these merges in "
        "the order in which they were learned.",
        _bpe,
        "sennrich-2016",
    ),
    Term(
        "merge",
        "Merge",
        "A rule that makes one token of two neighbours. The merges in their order are what BPE learns.",
        _merge,
        "sennrich-2016",
    ),
    Term(
        "rank",
        "Rank",
        "The place of a merge in the order of training. Of all pairs in a word, the one with the lowest rank "
        "merges first.",
        lambda registry: f"tiktoken’s rank is the id: “ the” has {ids(registry, ' the')[0]}",
    ),
    Term(
        "byte-level",
        "Byte-level BPE",
        "BPE over bytes instead of characters. Its 256 first tokens spell any text, so nothing is ever unknown.",
        lambda registry: f"🌍 in GPT-2: {pieces(registry, '🌍', 'gpt2')}",
        "radford-2019",
    ),
    Term(
        "byte-fallback",
        "Byte fallback",
        "A tokenizer of characters writes one that it does not know as the tokens of its UTF-8 bytes. So it needs no "
        "unknown token.",
        _byte_fallback,
        "kudo-richardson-2018",
    ),
    Term(
        "wordpiece",
        "WordPiece",
        "It takes the longest token that begins the word, then the longest that continues it. Continuations are "
        "marked ##.",
        lambda registry: f"playing: {' | '.join(longest_match('playing', {'play', '##ing', '##i'}))}",
        "devlin-2019",
    ),
    Term(
        "unigram",
        "Unigram",
        "Every token has a probability, and the most probable way to cut a text is taken. Training starts with too "
        "many tokens and removes the least useful.",
        _unigram,
        "kudo-2018",
    ),
    Term(
        "lattice",
        "Lattice",
        "All ways to cut a word, drawn as arcs from position to position. The best path through it is the "
        "segmentation.",
        lambda registry: f"“hug” with h, u, g, hu, ug, hug: {2 ** (len('hug') - 1)} paths",
        "kudo-2018",
    ),
    Term(
        "sentencepiece",
        "SentencePiece",
        "A library that trains and runs BPE and Unigram on raw text. It writes a space as ▁ and needs no "
        "pre-tokenizer.",
        lambda registry: f"“to be” in T5: {pieces(registry, 'to be', 't5')}",
        "kudo-richardson-2018",
    ),
    Term(
        "normalization",
        "Normalization",
        "Changes to the text before it is cut, such as small letters or one form of accents. What it drops cannot "
        "come back.",
        lambda registry: f"“CAFÉ” in BERT: {pieces(registry, 'CAFÉ', 'bert-base-uncased')}",
    ),
    Term(
        "pre-tokenization",
        "Pre-tokenization",
        "A pattern cuts the text into pieces before the model runs. No token crosses the border of a piece.",
        lambda registry: f"I'll go: {' | '.join(word for _, word in pretokenize(CONTRACTED))}",
        "radford-2019",
    ),
    Term(
        "segmentation",
        "Segmentation",
        "The tokens of a text, as a way to cut it. The same text may have many segmentations in one vocabulary.",
        lambda registry: f"unhappily: {pieces(registry, 'unhappily', 'gpt2')} or un | happily",
    ),
    Term(
        "special-token",
        "Special token",
        "A token that stands for no text, such as the end of a document. A program puts it in; typed text should not.",
        _special,
    ),
    Term(
        "bos-eos",
        "BOS and EOS",
        "Special tokens for the beginning and the end of a sequence. A chat template and a tokenizer may both add one, "
        "which makes two.",
        _around,
        "devlin-2019",
    ),
    Term(
        "unknown",
        "Unknown token",
        "The token for what the vocabulary cannot spell. The text it stands for is lost.",
        lambda registry: f"“☃” in BERT: {pieces(registry, '☃', 'bert-base-uncased')}",
    ),
    Term(
        "chat-template",
        "Chat template",
        "A program that writes a conversation as one prompt, with special tokens around each message. Each model "
        "has its own.",
        lambda registry: "<|im_start|>user … <|im_end|> in the template of Qwen",
    ),
    Term(
        "offset",
        "Offset",
        "Where a token begins and ends in the text. It is counted in characters or in bytes.",
        _offsets,
    ),
    Term(
        "round-trip",
        "Round trip",
        "Encoding a text and decoding its ids. A lossless tokenizer gives the same text back.",
        _round_trip,
    ),
    Term(
        "compression",
        "Bytes per token",
        "Bytes of the text over its tokens: how much text one token holds. More is shorter, not always better.",
        _per_token,
    ),
    Term(
        "fertility",
        "Fertility",
        "Tokens over words. One means that every word is a token of its own.",
        _per_word,
        "rust-2021",
    ),
    Term(
        "premium",
        "Premium",
        "Tokens of a text in one language over the tokens of the same text in English. It is paid in money, time "
        "and context.",
        _premium,
        "petrov-2023",
    ),
    Term(
        "renyi",
        "Rényi efficiency",
        "How evenly the tokens of the vocabulary are used, from 0 to 1. It is high if no few tokens make up most "
        "of the text.",
        _renyi,
        "zouhar-2023",
    ),
    Term(
        "embedding",
        "Embedding",
        "The row of numbers that a model has for a token. There is one row for each id.",
        lambda registry: f"o200k_base needs {_size(registry, 'o200k_base')} rows",
        "vaswani-2017",
    ),
    Term(
        "patch",
        "Patch",
        "Bytes in a row that a large model reads in one step. There is no vocabulary: a rule says where each begins.",
        _patches,
        "pagnoni-2024",
    ),
    Term(
        "entropy",
        "Entropy",
        "How unsure a model is of what comes next, in nats or bits. It is 0 if one outcome is certain, and highest if "
        "all are equally probable.",
        _entropy,
    ),
)
"""All terms, in the order of their ideas."""


def term(id: str) -> Term:
    """Return a term. Raises `UnknownTerm`."""
    for one in TERMS:
        if one.id == id:
            return one
    raise UnknownTerm("The glossary has no term of this name; /learn/glossary lists them all.")
