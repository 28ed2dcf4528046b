"""Mutants of small tokenizer files: bytes, lines, JSON values and protobuf fields changed, repeatably at random."""

import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from struct import pack
from typing import Any

from tokenarium.errors import BadFile
from tokenarium.files.detection import Kind
from tokenarium.files.protobuf import BYTES, fields
from tokenarium.files.tiktoken.ranks import dump_ranks

from tests.support import random_gguf, records, sentencepiece_models, tokenizers_trained
from tests.support.gguf_files import WHOLE, gguf, numbers, text, texts

Files = dict[str, bytes]
NAN, INFINITE = pack("<f", float("nan")), pack("<f", float("inf"))
DEPTH = 20_000
DEEP, TWICE = "@deep@", "@twice@"
"""Placeholders of what `json.dumps` cannot write: deep nesting, and a repeated key."""
NUMBERS = (0, 1, -1, 255, 256, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64)
VALUES: tuple[Any, ...] = (
    *(None, True, False, *NUMBERS, -(2**63), 10**400, 0.5, -0.0, 1e-320, 1e308, float("inf"), float("nan")),
    *("", " ", "a", "\0", "\ud800", "▁", "##", "Ġ", "<0x41>", "a" * 70_000, "(", "[^", "(a+)+$", r"\p{L}+", "(?=a)*"),
    *([], [[]], {}, {"": 0}, {"type": None}, DEEP),
)


def gguf_byte_level() -> bytes:
    """A GGUF header with GPT-2's bytes and two merges."""
    tokens = [*records.LETTERS, "he", "Ġt", "<s>", "<x>"]
    own = {"tokens": texts(*tokens), "token_type": numbers(5, "i", *[1] * 258, 3, 4), "merges": texts("h e", "Ġ t")}
    own |= {"bos_token_id": pack("<II", 4, 258), "seperator_token_id": pack("<II", 4, 259)}
    return gguf(**{key: value for key, value in (WHOLE | own).items() if key != "scores"})


def gguf_pieces(model: str) -> bytes:
    """A GGUF header with a small SentencePiece model."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *"helo", "▁he", "lo", "▁▁"]
    pairs = {"model": pack("<I", 8) + text(model), "tokens": texts(*pieces)}
    pairs["token_type"] = numbers(5, "i", 2, 3, 3, *[6] * 256, *[1] * 8)
    pairs["scores"] = numbers(6, "f", *(-float(number) for number in range(len(pieces))))
    return gguf(**pairs, bos_token_id=pack("<II", 4, 1), unknown_token_id=pack("<II", 4, 0))


# Those of the library's trainers that number tokens by the order of a hash map give other files in each process.
RECORDED = json.loads(
    lzma.decompress((Path(__file__).parents[1] / "golden" / "trained_tokenizers.json.xz").read_bytes())
)


def tokenizer_json(kind: str) -> bytes:
    """Return the same tokenizer.json of a kind in every process, so that a mutant has one number for ever."""
    return RECORDED[kind].encode() if kind in RECORDED else tokenizers_trained.file(kind)


SEEDS: dict[Kind, Callable[[], list[Files]]] = {
    "tokenizer.json": lambda: [{"tokenizer.json": tokenizer_json(kind)} for kind in tokenizers_trained.KINDS],
    "sentencepiece": lambda: [
        {"tokenizer.model": sentencepiece_models.trained(kind)} for kind in sentencepiece_models.KINDS
    ],
    "tiktoken": lambda: [{"a.tiktoken": dump_ranks(records.RANKS)}, {"b.tiktoken": dump_ranks(records.BYTES)}],
    "tekken": lambda: [records.tekken(), records.tekken(listed=False)],
    "claude": lambda: [records.claude()],
    "wordpiece": lambda: [{"vocab.txt": records.VOCAB}, {"vocab.txt": records.CASED}],
    "minbpe": lambda: [
        records.KINDS["minbpe"](),
        {"x.model": b"minbpe v1\n" + rb"\s?\w+|\s+|[^\w\s]+" + b"\n0\n104 101\n108 108\n256 257\n"},
    ],
    "rwkv": lambda: [records.KINDS["rwkv"]()],
    "gguf": lambda: [
        {"a.gguf": data}
        for data in (
            gguf_byte_level(),
            *map(gguf_pieces, ("llama", "t5")),
            *(make(Random(1)) for make in (random_gguf.words, random_gguf.longest_match)),
        )
    ],
    "vocab-merges": lambda: [
        records.gpt2_files(),
        records.gpt2_files(tokenizer_class="RobertaTokenizer", mask_token="<mask>"),
        records.clip_files(),
        records.gpt1_files(),
    ],
}
"""Small valid files of each format."""


def mutant(seeds: list[Files], kind: Kind, number: int) -> Files:
    """Return the mutant of this number, always the same one."""
    draw = Random(f"{kind} {number}")
    files = dict(draw.choice(seeds))
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        name = draw.choice([*files])
        files[name] = draw.choice(mutations(files[name]))(files[name], draw)
        if draw.random() < 0.05:
            other = draw.choice([*draw.choice(seeds).values()])
            files[name] = files[name][: draw.randint(0, len(files[name]))] + other[draw.randint(0, len(other)) :]
    return files


def mutations(data: bytes) -> list[Callable[[bytes, Random], bytes]]:
    """Return the mutations that fit what a file contains; those of its structure count most."""
    structural: Callable[[bytes, Random], bytes] = in_bytes
    if data[:1] == b"{":
        structural = in_json
    elif data[:1] == b"\n":
        structural = in_protobuf
    else:
        structural = in_place if data[:4] == b"GGUF" else in_lines
    return [structural, structural, structural, in_bytes]


def in_bytes(data: bytes, draw: Random) -> bytes:
    """Flip a byte, overwrite a number of 4 or 8 bytes, truncate, remove a part or repeat it."""
    at, size = draw.randint(0, len(data)), draw.choice((1, 2, 4, 8, 40, 1000))
    match draw.randrange(6):
        case 0:
            return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]
        case 1:
            return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)] if at < len(data) else ()) + data[at + 1 :]
        case 2:
            return data[:at]
        case 3:
            return data[:at] + data[at + size :]
        case 4:
            return data[: at + size] + data[at:]
        case _:
            raw = pack("<Q", draw.choice(NUMBERS) % 2**64)[: draw.choice((4, 8))]
            return data[:at] + raw + data[at + len(raw) :]


def in_place(data: bytes, draw: Random) -> bytes:
    """Change a byte, a number or a part of a file, so that what follows stays where it is."""
    at, size = draw.randint(0, len(data)), draw.choice((1, 2, 4, 8, 12))
    raw = draw.choice((pack("<Q", draw.choice(NUMBERS) % 2**64)[:size], NAN, bytes([draw.randrange(256)])))
    if draw.random() < 0.3:
        start = draw.randint(0, len(data))
        raw = data[start : start + size]
    return data[:at] + raw + data[at + len(raw) :]


def in_lines(data: bytes, draw: Random) -> bytes:
    """Remove, repeat, exchange or change a line."""
    lines = data.split(b"\n")
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            words = lines[at].split(b" ")
            words[draw.randrange(len(words))] = str(draw.choice((*NUMBERS, "", "x", "=", "AA==", "é"))).encode()
            lines[at] = b" ".join(words)
        case 4:
            words, others = lines[at].split(b" "), lines[other].split(b" ")
            words[draw.randrange(len(words))] = draw.choice(others)
            lines[at] = b" ".join(words)
        case _:
            lines[at] += draw.choice((b"\r", b" ", b"\t", b"\0", b"\xff", "\u2028".encode(), b"\xef\xbb\xbf"))
    return b"\n".join(lines)


def in_json(data: bytes, draw: Random) -> bytes:
    """Change a value, or remove, rename or repeat a key, anywhere; the few keys near the top as often as the many."""
    try:
        top = json.loads(data)
    except (ValueError, RecursionError):
        return in_bytes(data, draw)
    node = top
    while isinstance(node, dict | list) and node:
        key = draw.choice([*node]) if isinstance(node, dict) else draw.randrange(len(node))
        child = node[key]
        if isinstance(child, dict | list) and child and draw.random() < 0.85:
            node = child
            continue
        _change(node, key, draw)
        break
    written = json.dumps(top, ensure_ascii=draw.random() < 0.5)
    written = written.replace(f'"{DEEP}"', "[" * DEPTH + "]" * DEPTH).replace(TWICE, "")
    return written.encode(errors="surrogatepass")


def _change(node: Any, key: Any, draw: Random) -> None:
    """Change one entry of a list or an object in place."""
    others = [*node.values()] if isinstance(node, dict) else node
    match draw.randrange(6):
        case 0:
            del node[key]
        case 1 | 2:
            node[key] = draw.choice(VALUES)
        case 3:
            node[key] = draw.choice(others)
        case 4 if isinstance(node, dict):
            node[key + TWICE] = draw.choice(VALUES)
        case 5 if isinstance(node, dict):
            node[draw.choice(("type", "", "id", "content", "vocab", "x" * 300))] = node.pop(key)
        case _:
            number = node[key]
            node[key] = number + draw.choice((-1, 1, 256)) if isinstance(number, int | float) else [number]


def in_protobuf(data: bytes, draw: Random) -> bytes:
    """Change, remove, repeat or exchange fields of a message, or of a message in it; some lengths are wrong."""
    try:
        message = [(number, wire, value) for number, wire, value, _ in fields(data)]
    except BadFile:
        return in_bytes(data, draw)
    if not message:
        return data
    last = len(message) - 1  # the specs come last
    at, other = draw.choice((draw.randint(0, last), last, max(0, last - 1))), draw.randint(0, last)
    number, wire, value = message[at]
    match draw.randrange(8):
        case 0:
            del message[at]
        case 1:
            message.insert(other, message[at])
        case 2:
            message[at], message[other] = message[other], message[at]
        case 3:
            message[at] = draw.choice((number, 0, 1, 2, 3, 4, 35, 2**29)), wire, value
        case 4 if isinstance(value, int):
            message[at] = number, wire, draw.choice((*NUMBERS, value + 1, 1 - value)) % 2**64
        case _ if isinstance(value, bytes) and wire == BYTES and value:
            message[at] = number, wire, in_protobuf(value, draw)
        case _ if isinstance(value, bytes):
            message[at] = (number, wire, draw.choice((NAN, INFINITE, bytes(len(value)), value[:-1])))
    return b"".join(_written(message, draw))


def _written(message: list[tuple[int, int, int | bytes]], draw: Random) -> Iterator[bytes]:
    wrong = draw.randrange(len(message)) if message and draw.random() < 0.03 else -1
    for index, (number, wire, value) in enumerate(message):
        yield _varint(number << 3 | wire)
        if isinstance(value, int):
            yield _varint(value)
            continue
        if wire == BYTES:
            yield _varint(len(value) if index != wrong else draw.choice((0, len(value) + 1, 2**31, 2**63)))
        yield value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])
