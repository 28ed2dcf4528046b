"""The vocabularies of open models from scratch against the bare library, the list of models, and an upload of 17 MB."""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from tempfile import TemporaryDirectory

import httpx
from tokenarium.files.sentencepiece.convert import model_to_json
from tokenarium.files.sentencepiece.library import SentencePieceTokenizer
from tokenarium.files.sentencepiece.model import load_model
from tokenarium.files.targets import parents
from tokenarium.files.tiktoken.library import TiktokenTokenizer
from tokenarium.files.tiktoken.ranks import read_ranks
from tokenarium.files.tokenizer_json.library import HuggingFaceTokenizer
from tokenarium.lab.models import model_list
from tokenarium.registry import Registry
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from tokenarium.settings import Settings
from tokenarium.store import read_store
from tokenarium.types import Tokenizer

from benchmarks.measure import Figure, ratio, scaled, seconds
from benchmarks.start import server
from benchmarks.text import english, mixed

MOST = scaled(
    {
        "qwen3": (1.3, 1.5),
        "deepseek-v3": (4.0, 4.0),
        "gemma4": (4.0, 4.0),
        "t5": (2.0, 2.5),
        "xlm-roberta": (2.5, 4.0),
    },
    {"bert-base-uncased": (2.0, 2.0)},
)
"""How many times the time of the bare library each may take from scratch, on English and mixed text it has not met."""
UNIGRAM, UNIGRAM_MOST = "udhr-unigram-16k", 4.0
"""The same for a unigram model in sentencepiece's format, against `tokenizers` with the same model."""
LISTING, UPLOAD = 0.005, 6.0
"""Seconds for a list of all models, and from sending 17 MB of tokenizer.json to its first tokens."""


def figures() -> Iterator[Figure]:
    for number, (label, text) in enumerate((("English", english()), ("mixed scripts", mixed()))):
        for id, most in MOST.items():
            yield unmet(id, text, label, most[number])
        yield unigram(text, label)
    yield listing()
    yield upload()


def unmet(id: str, text: str, label: str, most: float) -> Figure:
    """A new engine each time, so that no word has been met."""
    theirs = Registry(Settings()).get(id)
    engines = iter([Registry(Settings()).get(id, "scratch") for _ in range(scaled(4, 2))])
    work = partial(_encode_with_next, engines, text)
    return ratio(f"{id} from scratch, unmet, {label}", work, bare(theirs, text), most=most, runs=3)


def unigram(text: str, label: str) -> Figure:
    """A new engine each time; the ids are sentencepiece's, from which those of 64-bit sums differ now and then."""
    from tokenizers import Tokenizer as Library

    record = next(record for record in read_store(Settings().store) if record.info.id == UNIGRAM)
    library = Library.from_str(model_to_json(load_model(record.only_file()), record.info).decode())
    engines = iter([Registry(Settings()).get(UNIGRAM, "scratch") for _ in range(scaled(4, 2))])
    base = partial(library.encode_batch, [text], add_special_tokens=False)
    work = partial(_encode_with_next, engines, text)
    return ratio(f"{UNIGRAM} from scratch against tokenizers, {label}", work, base, most=UNIGRAM_MOST, runs=3)


def _encode_with_next(engines: Iterator[Tokenizer], text: str) -> object:
    return next(engines).encode(text)


def bare(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    """Return the call of the library alone."""
    match tokenizer:
        case HuggingFaceTokenizer():
            return lambda: tokenizer.as_text.encode_batch([text], add_special_tokens=False)
        case SentencePieceTokenizer() | TiktokenTokenizer():
            library = tokenizer.library
            encode = library.encode if isinstance(tokenizer, SentencePieceTokenizer) else library.encode_ordinary
            return lambda: encode(text)
    raise TypeError(tokenizer.engine)


def listing() -> Figure:
    registry = Registry(Settings())
    model_list(registry.infos())
    spent = min(seconds(lambda: model_list(registry.infos())) for _ in range(9))
    rows = sum(len(members) for _, members in model_list(registry.infos()).groups)
    return Figure("list of all models, s", spent, f"<= {LISTING}", spent <= LISTING, f"{rows} rows")


def tokenizer_json() -> bytes:
    """Return a tokenizer.json of 17 MB: o200k_base with listed merges."""
    record = next(record for record in read_store(Settings().store) if record.info.id == "o200k_base")
    size, alphabet = scaled(10**6, 1_000), byte_alphabet()
    ranks = {raw: rank for raw, rank in read_ranks(record).items() if rank < size}
    spelled = {raw: "".join(alphabet[byte] for byte in raw) for raw in ranks}
    pairs = (parents(raw, ranks) for raw in sorted(ranks, key=ranks.__getitem__))
    model = {
        "type": "BPE",
        "vocab": {spelled[raw]: rank for raw, rank in ranks.items()},
        "merges": [[spelled[left], spelled[right]] for pair in pairs if pair for left, right in [pair]],
    }
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return json.dumps({"version": "1.0", "model": model, "pre_tokenizer": level, "decoder": level}, indent=1).encode()


def upload() -> Figure:
    file = tokenizer_json()
    with (
        TemporaryDirectory() as kept,
        server(TOKENARIUM_LOCAL=kept) as (port, _),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
    ):
        spent = seconds(partial(_upload, client, file))
    note = f"{len(file) / 1e6:.1f} MB of tokenizer.json, load average {os.getloadavg()[0]:.1f}"
    return Figure("upload to first tokens, s", spent, f"<= {UPLOAD:.0f}", spent <= UPLOAD, note)


def _upload(client: httpx.Client, file: bytes) -> None:
    answer = client.post("/api/tokenizers", files={"file": ("tokenizer.json", file)}, data={"name": "large"})
    id = answer.raise_for_status().json()["id"]
    client.post("/tokenize", json={"tokenizer": id, "text": "Hello"}).raise_for_status()
