"""The metadata and the vocabulary of a training as JSON, and its model card in Markdown."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from typing import Any

import regex

from ... import __version__
from ...errors import BadFile, Invalid
from ...files.patterns import make_readable
from ...types import TrainedVocab
from ..tokenize import utf8_length

MAX_TITLE = 100
"""Characters of a title."""
STORED_KEYS = {"byte_fallback": "bytes_too"}
"""Fields of `TrainedVocab` that the stored file spells otherwise, so that old files stay readable."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingMetadata:
    """The trainer, the corpus, the options and the metrics of a training. `corpus` is a name for people; `settings`
    and `metrics` are plain data; `date` is a day such as 2026-11-21."""

    title: str
    trainer: str = "scratch"
    corpus: str = ""
    corpus_sha256: str = ""
    corpus_bytes: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    date: str = ""

    @property
    def versions(self) -> dict[str, str]:
        """The releases of this project and of the library that trained, by name."""
        own = {"tokenarium": __version__}
        return own if self.trainer == "scratch" else own | {self.trainer: version(self.trainer)}


CONTROLS = regex.compile(r"[\p{Cc}\p{Bidi_Control}]")
"""What does something to a terminal or to the text around it instead of being shown."""


def check_title(title: str) -> str:
    """The title on one line. Raises `LoneSurrogate`, and `Invalid` for one that is empty, too long or has controls.

    >>> check_title(" Shan,\\n bytes ")
    'Shan, bytes'
    """
    utf8_length(title, pointer="/title")
    line = " ".join(title.split())
    if not 1 <= len(line) <= MAX_TITLE:
        raise Invalid(f"A title must have 1 to {MAX_TITLE} characters.", pointer="/title", limit=MAX_TITLE)
    if CONTROLS.search(line):
        raise Invalid("A title must not have control characters.", pointer="/title")
    return line


def dump_metadata(metadata: TrainingMetadata, refusals: Mapping[str, str]) -> bytes:
    """The metadata, and the formats that cannot express the vocabulary, as JSON."""
    # "account" is what the stored files of earlier releases call it.
    data = {"account": asdict(metadata), "versions": metadata.versions, "refusals": dict(refusals)}
    return json.dumps(data, ensure_ascii=False, indent=1).encode() + b"\n"


def load_metadata(data: bytes) -> tuple[TrainingMetadata, dict[str, str]]:
    """Read what `dump_metadata` wrote."""
    loaded = json.loads(data)
    return TrainingMetadata(**loaded["account"]), loaded["refusals"]


def dump_learned(learned: TrainedVocab) -> bytes:
    """A vocabulary as JSON, field by field.

    >>> learned = TrainedVocab("bpe", "characters", ("a", "b", "ab"), ((0, 1),))
    >>> dump_learned(load_learned(dump_learned(learned))) == dump_learned(learned)
    True
    """
    stored = {STORED_KEYS.get(name, name): value for name, value in asdict(learned).items()}
    return json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode()


def load_learned(data: bytes) -> TrainedVocab:
    """Read what `dump_learned` wrote. Raises `BadFile` for other bytes."""
    try:
        loaded = json.loads(data)
        values = {one.name: loaded[STORED_KEYS.get(one.name, one.name)] for one in fields(TrainedVocab)}
        values["merges"] = tuple((a, b) for a, b in values["merges"])
        return TrainedVocab(**{**values, "pieces": tuple(values["pieces"]), "scores": tuple(values["scores"])})
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile("This is not a trained vocabulary.") from error


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
{regex}from minbpe import {kind}

tokenizer = {kind}()
tokenizer.load("minbpe.model")
{compiled}print(tokenizer.encode({text}{options}))
```
"""
EXAMPLE = "Hello, world"


def model_card(learned: TrainedVocab, metadata: TrainingMetadata, files: Collection[str]) -> str:
    """The card in Markdown; `files` are the names of the files beside it."""
    facts = {
        "Algorithm": f"{learned.algorithm}, base units: {learned.unit}",
        "Vocabulary size": f"{len(learned.pieces):,}",
        "Special tokens": ", ".join(map(_code, learned.special_tokens)) or "none",
        "Corpus": f"{escape_markdown(metadata.corpus) or 'not named'}, {metadata.corpus_bytes:,} bytes",
        "SHA-256 of the corpus": f"`{metadata.corpus_sha256}`" if metadata.corpus_sha256 else "not known",
        "Trained by": ", ".join(f"{name} {release}" for name, release in metadata.versions.items()),
        "Date": escape_markdown(metadata.date),
    }
    sections = (("Settings", metadata.settings), ("Metrics", metadata.metrics))
    parts = [f"# {escape_markdown(metadata.title)}\n", _table(facts)]
    for title, values in sections:
        if values:
            parts.append(
                f"## {title}\n\n{_table({escape_markdown(key): _code(value) for key, value in values.items()})}"
            )
    parts += [f"## {name}\n\n{_write_loading_code(name, learned)}" for name in files]
    return "\n".join(parts)


def _table(rows: Mapping[str, str]) -> str:
    return "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows.items())


def escape_markdown(text: str) -> str:
    """A text on one line, escaped: a title is a user's, and must not become markup.

    >>> escape_markdown("a_b | <c>")
    'a\\\\_b \\\\| \\\\<c\\\\>'
    """
    return str(UNSAFE.sub(r"\\\g<0>", " ".join(text.split())))


def _code(value: Any) -> str:
    """A value as JSON in a code span."""
    return quote_code(json.dumps(value, ensure_ascii=False))


def quote_code(text: str) -> str:
    r"""A line of code in Markdown, which a cell of a table can hold.

    >>> quote_code("a|b"), quote_code("`")
    ('`a\\|b`', '`` ` ``')
    """
    fence = fence_code(text)
    space = " " if fence != "`" else ""
    return f"{fence}{space}{text.replace('|', chr(92) + '|')}{space}{fence}"


def fence_code(text: str, *, least: int = 1) -> str:
    """More backticks than a text has in a row: such a run alone ends what begins with it."""
    return "`" * max(least, 1 + max(map(len, regex.findall("`+", text)), default=0))


def _write_loading_code(name: str, learned: TrainedVocab) -> str:
    """Python that loads a file with the library that reads it."""
    text = repr(EXAMPLE)
    if name == "tokenizer.json":
        return TOKENIZERS.format(text=text)
    if name == "sentencepiece.model":
        return SENTENCEPIECE.format(text=text)
    if name == "ranks.tiktoken":
        special = ascii(dict(learned.special_tokens))
        return TIKTOKEN.format(
            text=text, title="'trained'", pattern=ascii(make_readable(learned.pattern)), special=special
        )
    if not learned.pattern:
        return MINBPE.format(text=text, kind="BasicTokenizer", options="", regex="", compiled="")
    compiled = "tokenizer.compiled_pattern = regex.compile(tokenizer.pattern)  # load() only reads it\n"
    options = ', allowed_special="none"'
    return MINBPE.format(text=text, kind="RegexTokenizer", options=options, regex="import regex\n", compiled=compiled)
