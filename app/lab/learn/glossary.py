"""The glossary: every term of art on the pages, in two sentences, with an example that is computed and a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, log

import numpy as np

from ...errors import UnknownTerm
from ...registry import Registry
from ...scratch.bpe import encode_by_pairs
from ...scratch.learn_bpe import learn
from ...scratch.padding import pad_rows
from ...scratch.pattention import softmax
from ...scratch.pretokenize import pretokenize
from ...scratch.unigram import segment
from ...scratch.vocabulary_size import ModelDimensions, embedding_parameters
from ...scratch.wordpiece import encode as longest_match
from ...settings import Settings
from ..beyond.bytes import PatchOptions, study
from ..metrics import bytes_per_token, fertility, premium, renyi_efficiency
from .prose import build, read_prose

Example = Callable[["Registry"], str]
FAMILY = "👨\u200d👩\u200d👧"
CONTRACTED = "I'll go"
CROSSING = [("o", "f"), ("t", "h"), ("th", "e"), ("of", " "), ("of ", "the")]
MERGES = [("e", "s"), ("es", "t"), ("l", "o"), ("lo", "w")]
BATCH = [[7, 8, 9], [5]]


@dataclass(frozen=True, slots=True)
class Term:
    """A term: its name, what it means, an example that the engines compute, and the publication that defines it."""

    id: str
    name: str
    meaning: str
    example: Example
    source: str = ""

    @property
    def spelling(self) -> str:
        """A regular expression for the term in a sentence, in the singular and the plural.

        >>> [re.sub(r"\\W", "", term(id).spelling) for id in ("vocabulary", "bpe")]
        ['vocabularyvocabularies', 'BPE']
        """
        if short := re.search(r"\((\w+)\)", self.name):
            return re.escape(short[1])
        name = re.escape(self.name if self.name.isupper() else self.name[0].lower() + self.name[1:])
        plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
        return f"{name}|{plural}"


def pieces(registry: Registry, text: str, tokenizer: str = "o200k_base") -> str:
    """Return the tokens of a text, separated by bars."""
    encoding = registry.get(tokenizer, "scratch").encode(text)
    return " | ".join(registry.get(tokenizer, "scratch").entry(id).piece for id in encoding.ids.tolist())


def ids(registry: Registry, text: str, tokenizer: str = "o200k_base") -> list[int]:
    """Return the ids of a text."""
    found: list[int] = registry.get(tokenizer, "scratch").encode(text).ids.tolist()
    return found


def _list_special(registry: Registry) -> list[tuple[str, int]]:
    return sorted(registry.info("o200k_base").special_tokens.items(), key=lambda item: item[1])


def _list_around(registry: Registry) -> tuple[str, ...]:
    info = registry.info("bert-base-uncased")
    return *info.prefix, *info.suffix


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


def _unigram(registry: Registry) -> str:
    scores = {"t": -5.0, "he": -3.0, "the": -2.5, "re": -3.0, "there": -3.9}
    tokens, score = segment("there", scores)
    return f"there = {' + '.join(tokens)} with {score:g}, ahead of the + re with {scores['the'] + scores['re']:g}"


def _offsets(registry: Registry) -> str:
    spans = registry.get("o200k_base", "scratch").encode("strawberry").char_spans
    return "strawberry: " + ", ".join(f"{start}–{end}" for start, end in spans)


def _merge(registry: Registry) -> str:
    (first, second, count), *_ = learn({"low": 5, "lower": 2, "new": 6, "newer": 3}, 1)
    return f"In low ×5, lower ×2, new ×6, newer ×3: {first} + {second} → {first + second}, {count} times"


def _patches(registry: Registry) -> str:
    cut = study(registry, Settings().store, PatchOptions(text="The tokenizer")).patches
    return " | ".join(b"The tokenizer"[start:end].decode() for start, end in cut.spans)


def _entropy(registry: Registry) -> str:
    row = study(registry, Settings().store, PatchOptions(text="The tokenizer")).row
    return f"Before “o” of “to”: {row[5].entropy:.2f} nats; before “e” of “ken”: {row[7].entropy:.2f}"


def _share_scores() -> list[str]:
    return [f"{share:.0%}" for share in softmax([2, 1, 0])]


def _attention(registry: Registry) -> str:
    first, second, third = _share_scores()
    return f"“it” scores cat 2, sat 1, on 0, and reads {first} of cat, {second} of sat, {third} of on"


def _parameters(registry: Registry, *, tied: bool = True) -> str:
    size = registry.info("gpt2").vocab_size or 0
    return f"{embedding_parameters(size, ModelDimensions(768, 0, tied)) / 1e6:.1f} million"


def _likelihood(registry: Registry) -> str:
    shares = {"the": 0.5, "cat": 0.25}
    product = shares["the"] * shares["cat"]
    return f"p(the) = 0.5, p(cat) = 0.25: “the cat” has {product:g}, its logarithm is {log(product):.2f}"


def _perplexity(registry: Registry) -> str:
    shares = [0.5, 0.25, 0.125]
    mean = sum(map(log, shares)) / len(shares)
    return f"The right tokens had {', '.join(map(str, shares))}: perplexity {exp(-mean):.2f}"


EXAMPLES: Mapping[str, Example] = {
    "token": lambda registry: f"strawberry: {pieces(registry, 'strawberry')}",
    "id": lambda registry: f"strawberry: {', '.join(map(str, ids(registry, 'strawberry')))}",
    "vocabulary": lambda registry: (
        f"GPT-2: {registry.info('gpt2').tokens:,} tokens, o200k_base: {registry.info('o200k_base').tokens:,}"
    ),
    "tokenizer": _two,
    "code-point": lambda registry: " ".join(f"U+{ord(char):04X}" for char in "e\u0301") + " is seen as e\u0301",
    "grapheme": lambda registry: f"{FAMILY}: 1 cluster, {len(FAMILY)} code points, {len(FAMILY.encode())} bytes",
    "utf-8": lambda registry: f"é: {'é'.encode().hex(' ')}, 🌍: {'🌍'.encode().hex(' ')}",
    "bpe": lambda registry: f"lowest: {' | '.join(encode_by_pairs('lowest', MERGES))}",
    "merge": _merge,
    "rank": lambda registry: f"tiktoken’s rank is the id: “ the” has {ids(registry, ' the')[0]}",
    "byte-level": lambda registry: f"🌍 in GPT-2: {pieces(registry, '🌍', 'gpt2')}",
    "byte-fallback": lambda registry: f"Mistral 7B, “ꙮ”: {pieces(registry, 'ꙮ', 'mistral-v1')}",
    "wordpiece": lambda registry: f"playing: {' | '.join(longest_match('playing', {'play', '##ing', '##i'}))}",
    "unigram": _unigram,
    "lattice": lambda registry: f"“hug” with h, u, g, hu, ug, hug: {2 ** (len('hug') - 1)} paths",
    "sentencepiece": lambda registry: f"“to be” in T5: {pieces(registry, 'to be', 't5')}",
    "normalization": lambda registry: f"“CAFÉ” in BERT: {pieces(registry, 'CAFÉ', 'bert-base-uncased')}",
    "pre-tokenization": lambda registry: f"I'll go: {' | '.join(word for _, word in pretokenize(CONTRACTED))}",
    "superword": lambda registry: f"of the: {' | '.join(encode_by_pairs('of the', CROSSING))}",
    "segmentation": lambda registry: f"unhappily: {pieces(registry, 'unhappily', 'gpt2')} or un | happily",
    "special-token": lambda registry: (
        f"o200k_base: {', '.join(f'{token} = {id:,}' for token, id in _list_special(registry))}"
    ),
    "bos-eos": lambda registry: f"BERT puts {' … '.join(_list_around(registry))} around a text",
    "unknown": lambda registry: f"“☃” in BERT: {pieces(registry, '☃', 'bert-base-uncased')}",
    "chat-template": lambda registry: "<|im_start|>user … <|im_end|> in the template of Qwen",
    "offset": _offsets,
    "round-trip": _round_trip,
    "compression": _per_token,
    "fertility": _per_word,
    "premium": _premium,
    "renyi": _renyi,
    "embedding": lambda registry: f"o200k_base needs {registry.info('o200k_base').vocab_size:,} rows",
    "parameter": lambda registry: f"The smallest GPT-2 has {_parameters(registry)} for its vocabulary alone",
    "tied": lambda registry: (
        f"GPT-2: {_parameters(registry)} for its vocabulary; untied, {_parameters(registry, tied=False)}"
    ),
    "logit": lambda registry: f"cat 2, sat 1, on 0: as probabilities, {', '.join(_share_scores())}",
    "softmax": lambda registry: f"Scores 2, 1, 0: {', '.join(_share_scores())}",
    "attention": _attention,
    "padding": lambda registry: "; ".join(" ".join(map(str, row.ids)) for row in pad_rows(BATCH)),
    "mask": lambda registry: "; ".join(f"ids {row.ids}, mask {row.mask}" for row in pad_rows(BATCH)),
    "corpus": lambda registry: f"low ×5, lower ×2, new ×6, newer ×3: {5 + 2 + 6 + 3} words, 4 of them different",
    "likelihood": _likelihood,
    "perplexity": _perplexity,
    "codebook": lambda registry: f"4 codebooks of 4 vectors say {4**4} different frames with 4 tokens",
    "patch": _patches,
    "entropy": _entropy,
}
"""The example of each term, by its id."""


def _build_terms() -> Iterator[Term]:
    tables = read_prose("glossary.toml")
    if without := EXAMPLES.keys() - tables.keys():
        raise ValueError(f"glossary.toml needs the table [{min(without)}].")
    for id, table in tables.items():
        if id not in EXAMPLES:
            raise ValueError(f"glossary.toml: [{id}] has no example in {__name__}.")
        yield build(Term, table, f"glossary.toml: [{id}]", id=id, example=EXAMPLES[id])


TERMS = tuple(_build_terms())
"""All terms, in the order of their ideas."""


def term(id: str) -> Term:
    """Return a term. Raises `UnknownTerm`."""
    for one in TERMS:
        if one.id == id:
            return one
    raise UnknownTerm("The glossary has no term of this name; /learn/glossary lists them all.")


@cache
def _spelled() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return a regular expression for all terms, the longest first, and their ids by the name of its group."""
    names = {f"t{number}": one for number, one in enumerate(sorted(TERMS, key=lambda one: -len(one.name)))}
    groups = "|".join(f"(?P<{name}>{one.spelling})" for name, one in names.items())
    return re.compile(rf"(?<![\w-])(?:{groups})(?![\w-])", re.IGNORECASE), {name: one.id for name, one in names.items()}


def find_terms(text: str, seen: set[str]) -> list[tuple[str, str]]:
    """Return a sentence in parts, each with the id of the term that it is, where that has not been seen before.

    >>> find_terms("Tokens and tokens.", set())
    [('Tokens', 'token'), (' and tokens.', '')]
    """
    pattern, ids = _spelled()
    parts = []
    start = 0
    for match in pattern.finditer(text):
        id = ids[match.lastgroup or ""]
        if id not in seen:
            seen.add(id)
            parts += [(text[start : match.start()], ""), (match[0], id)]
            start = match.end()
    return [part for part in (*parts, (text[start:], "")) if part[0]]
