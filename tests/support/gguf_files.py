"""GGUF headers, written byte by byte."""

from struct import pack


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return pack("<Q", len(data)) + data


def texts(*values):
    return pack("<IIQ", 9, 8, len(values)) + b"".join(map(text, values))


def numbers(kind, form, *values):
    return pack("<IIQ", 9, kind, len(values)) + pack(f"<{len(values)}{form}", *values)


def gguf(version=3, count=None, **pairs):
    pairs = {key if "." in key else f"tokenizer.ggml.{key}": value for key, value in pairs.items()}
    head = b"GGUF" + pack("<IQQ", version, 0, len(pairs) if count is None else count)
    return head + b"".join(text(key) + value for key, value in pairs.items())


WHOLE = {
    "general.name": pack("<I", 8) + text("a model"),
    "general.tags": texts("a", "b"),
    "general.sizes": numbers(4, "I", 1, 2, 3),
    "model": pack("<I", 8) + text("gpt2"),
    "pre": pack("<I", 8) + text("qwen2"),
    "tokens": texts("a", "b", "ab", "<s>"),
    "token_type": numbers(5, "i", 1, 1, 1, 3),
    "scores": numbers(6, "f", 0, -1, -2, 0),
    "merges": texts("a b"),
    "bos_token_id": pack("<II", 4, 3),
    "seperator_token_id": pack("<II", 4, 2),
    "padding_token_id": pack("<II", 4, 2**32 - 1),
    "add_bos_token": pack("<I?", 7, True),
    "tokenizer.chat_template": pack("<I", 8) + text("{{ messages }}"),
}
