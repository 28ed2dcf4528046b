"""What llama.cpp makes of files: which of its pre-tokenizers fits, and special tokens that it reads as text."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from ...errors import OverLimit, TokenariumError, join_names, plural
from ...files.gguf.convert import correct_kinds, make_pre_tokenizer
from ...files.gguf.pre_tokenizers import PRE_TOKENIZERS
from ...files.gguf.read import load_gguf
from ...files.records import record_from_files
from ...files.tokenizer_json.components import bpe, document
from ...registry import load
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ...types import Staged
from .findings import ExaminedTokenizer, Finding, report_cases
from .samples import NASTY

SPLIT_TEXTS = (
    "Hello world",
    "123456",
    "x1234567y",
    "don't",
    "DON'T",
    "don'T x'LLx",
    "helloWorld HELLOworld",
    "a  b",
    "a\n\n b",
    "a\n\nb\r\n",
    " \n x",
    "x = [\n\n]",
    "!/\n//\n",
    "café",
    "cafe\u0301s",
    "\u0301a",
    "ÀÉx àÉ",
    "，你好、ab",
    "の世界カタ",
    "한국어 ㄱㅎ",
    "ㄅㄆ",
    "x\u3000y\u00a0z",
    "\u3000，\u3000",
    "١٢٣٤",
    "½²",
    "$5 +=->",
    "x`y~z",
    "é x. y é",
    "a       b",
    "\t\tx",
    "IMGIMGAZ",
    *NASTY.values(),
)
"""Texts that names of pre-tokenizers split otherwise than each other, the plainest first."""
NAMES = [name for name, rules in PRE_TOKENIZERS.items() if name not in ("", "default") and not rules.as_characters]
MAX_NAMES = 3
"""Pre-tokenizers that are named in a sentence; JSON has them all."""
SPECIAL = re.compile(r"<[^<>\s]+>|\[[A-Z_/~a-z]+\]")
"""How a token is spelled that a chat template writes as a special one."""


@dataclass(frozen=True, slots=True)
class PreTokenizerFit:
    """Which names of llama.cpp's pre-tokenizers split texts as a tokenizer.json does.

    - `names`: those that split all `texts` alike; where some of them also treat merges alike, only these.
    - `nearest`: of the others the one that splits the fewest otherwise: `differing`, of which `text` is the first.
    - `texts`: how many are compared; `normalized`: how many are not, since the file's normalizer changes them.
    """

    file: str
    names: tuple[str, ...]
    nearest: str
    differing: int
    text: str
    texts: int
    normalized: int

    @property
    def sentence(self) -> str:
        normalized = (
            f" {plural(self.normalized, 'text is', 'texts are')} left out: the file's normalizer changes "
            f"{'it' if self.normalized == 1 else 'them'}, and llama.cpp has no normalizer."
        ) * bool(self.normalized)
        if not self.names:
            return (
                f"No pre-tokenizer of llama.cpp splits all {self.texts} texts as this file does. The nearest, "
                f"{self.nearest}, splits {self.differing} of them otherwise, first {self.text!a}.{normalized}"
            )
        first, others = self.names[:MAX_NAMES], len(self.names) - MAX_NAMES
        named = f"{join_names(first)} and {plural(others, 'other')}" if others > 0 else join_names(first)
        splits = "splits" if len(self.names) == 1 else "split"
        return (
            f"{named} {splits} all {self.texts} texts as this file does. The nearest other, "
            f"{self.nearest}, splits {self.text!a} otherwise.{normalized}"
        )


def fit_pre_tokenizer(subject: ExaminedTokenizer) -> PreTokenizerFit | None:
    """Return which names fit a byte-level BPE of a tokenizer.json; None for other files, whose GGUF has no name.

    Texts that the file's normalizer changes tell nothing, since llama.cpp has none; None if the others do not tell the
    names apart. Raises `OverLimit`.
    """
    staged = next((one for one in subject.tokenizers if isinstance(one, Staged)), None)
    byte_level = "'ByteLevel'" in repr(subject.document.get("pre_tokenizer"))
    if subject.model.get("type") != "BPE" or not byte_level or staged is None:
        return None
    try:
        words = _list_words(staged)
    except OverLimit:
        raise
    except TokenariumError:  # a finding says so
        return None
    differing = {
        name: [text for text, own in words.items() if _split(PRE_TOKENIZERS[name].patterns, text) != own]
        for name in NAMES
    }
    fitting = [name for name, texts in differing.items() if not texts]
    if len(fitting) == len(NAMES):
        return None
    flag = bool(subject.model.get("ignore_merges"))
    alike = [name for name in fitting if PRE_TOKENIZERS[name].ignore_merges == flag]
    nearest = min(filter(differing.get, NAMES), key=lambda name: len(differing[name]))
    others = differing[nearest]
    left_out = len(SPLIT_TEXTS) - len(words)
    names = tuple(alike or fitting)
    return PreTokenizerFit(subject.file, names, nearest, len(others), others[0], len(words), left_out)


def _list_words(staged: Staged) -> dict[str, list[str]]:
    """Return the words of each text that a tokenizer does not normalize to another."""
    stages = {text: staged.stages(text) for text in SPLIT_TEXTS}
    return {text: [*one["pre-tokenize"]] for text, one in stages.items() if "".join(one["normalize"]) == text}


@cache
def _load(patterns: tuple[str, ...]) -> Staged:
    letters = {letter: id for id, letter in enumerate(ALPHABET)}
    top = document(bpe(letters, []), [], pre_tokenizer=make_pre_tokenizer(patterns))
    tokenizer = load(record_from_files("x", {"tokenizer.json": json.dumps(top).encode()}), "scratch")
    assert isinstance(tokenizer, Staged)
    return tokenizer


@lru_cache(maxsize=10_000)
def _split(patterns: tuple[str, ...], text: str) -> list[str]:
    """Return the words of a text, spelled in the byte alphabet."""
    return [*_load(patterns).stages(text)["pre-tokenize"]]


def find_specials_as_text(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Special tokens of the chat template that a GGUF file has as ordinary ones."""
    if subject.record.spec.get("kind") != "gguf":
        return
    gguf = load_gguf(subject.sources[subject.file])
    tokenizer = subject.tokenizers[0]
    lost = []
    for token, kind in zip(gguf.tokens, correct_kinds(gguf), strict=True):
        if kind == "normal" and SPECIAL.fullmatch(token) and token in (gguf.chat_template or ""):
            ids = tokenizer.encode(token, special="parse").ids.tolist()
            lost += [f"{token}: {len(ids)} tokens"] if len(ids) > 1 else []
    yield from report_cases(
        "special-as-text",
        "error",
        lost,
        "The chat template writes special tokens whose type in the file is that of ordinary ones (1): llama.cpp reads "
        "them as text, as several tokens that the model has not seen there.",
        "Give them the type 3 (control) in tokenizer.ggml.token_type, or convert the model to GGUF again.",
    )
