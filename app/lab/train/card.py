"""The model card: what a trained tokenizer is, what it was learned from, and how each of its files is loaded."""

import json
from collections.abc import Collection, Mapping
from typing import Any

import regex

from app.formats.patterns import readable
from app.lab.train.account import Account
from app.types import Learned

UNSAFE = regex.compile(r"[\\`*_{}\[\]<>()!|~]")
TOKENIZERS = """```python
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file("tokenizer.json")
print(tokenizer.encode({text}, add_special_tokens=False).ids)
```

```python
from transformers import PreTrainedTokenizerFast

tokenizer = PreTrainedTokenizerFast(tokenizer_file="tokenizer.json")
print(tokenizer.encode({text}, add_special_tokens=False))
```
"""
SENTENCEPIECE = """```python
from sentencepiece import SentencePieceProcessor

tokenizer = SentencePieceProcessor(model_file="sentencepiece.model")
print(tokenizer.encode({text}))
```
"""
TIKTOKEN = """```python
from base64 import b64decode
from pathlib import Path
from tiktoken import Encoding

lines = Path("ranks.tiktoken").read_text().splitlines()
ranks = {{b64decode(token): int(rank) for token, rank in map(str.split, lines)}}
tokenizer = Encoding({title}, pat_str={pattern}, mergeable_ranks=ranks, special_tokens={special})
print(tokenizer.encode({text}, disallowed_special=()))
```
"""
MINBPE = """```python
from minbpe import {kind}

tokenizer = {kind}()
tokenizer.load("minbpe.model")
print(tokenizer.encode({text}{options}))
```
"""
EXAMPLE = "Hello, world"


def card(learned: Learned, account: Account, files: Collection[str]) -> str:
    """The card in Markdown; `files` are those it lies beside."""
    facts = {
        "Algorithm": f"{learned.algorithm}, of {learned.unit}",
        "Pieces": f"{len(learned.pieces):,}",
        "Special tokens": ", ".join(map(_literal, learned.special_tokens)) or "none",
        "Corpus": f"{_plain(account.corpus) or 'not named'}, {account.corpus_bytes:,} bytes",
        "SHA-256 of the corpus": f"`{account.corpus_sha256}`" if account.corpus_sha256 else "not told",
        "Trained by": ", ".join(f"{name} {release}" for name, release in account.versions.items()),
        "Date": _plain(account.date),
    }
    parts = [f"# {_plain(account.title)}\n", _table(facts)]
    parts += [f"## {name}\n\n{_table(told)}" for name, told in _told(account) if told]
    parts += [f"## {name}\n\n{_loading(name, learned)}" for name in files]
    return "\n".join(parts)


def _told(account: Account) -> list[tuple[str, Mapping[str, str]]]:
    both = (("Settings", account.settings), ("Metrics", account.metrics))
    return [(title, {_plain(key): _literal(value) for key, value in told.items()}) for title, told in both]


def _table(rows: Mapping[str, str]) -> str:
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows.items())


def _plain(text: str) -> str:
    """A text of which Markdown makes nothing.

    >>> _plain("a_b | <c>")
    'a\\\\_b \\\\| \\\\<c\\\\>'
    """
    return str(UNSAFE.sub(r"\\\g<0>", " ".join(text.split())))


def _literal(value: Any) -> str:
    """A value in JSON, as code that a table can hold."""
    told = json.dumps(value, ensure_ascii=False).replace("|", "\\|")
    ticks = "`" * (1 + max(map(len, regex.findall("`+", told)), default=0))
    return f"{ticks} {told} {ticks}" if len(ticks) > 1 else f"`{told}`"


def _loading(name: str, learned: Learned) -> str:
    """How a file is loaded."""
    text = repr(EXAMPLE)
    if name == "tokenizer.json":
        return TOKENIZERS.format(text=text)
    if name == "sentencepiece.model":
        return SENTENCEPIECE.format(text=text)
    if name == "ranks.tiktoken":
        special = ascii(dict(learned.special_tokens))
        return TIKTOKEN.format(text=text, title="'trained'", pattern=ascii(readable(learned.pattern)), special=special)
    kind = "RegexTokenizer" if learned.pattern else "BasicTokenizer"
    return MINBPE.format(text=text, kind=kind, options=', allowed_special="none"' if learned.pattern else "")
