r"""RWKV's vocabulary file: a line `id literal length` per token, a string or bytes literal of Python, sorted by id.

The program that reads it at RWKV evaluates the literals as code; here they are only parsed.
"""

from ast import literal_eval

from ..errors import BadFile, plural
from .conversion import Conversion, Metadata
from .tiktoken.ranks import MAX_RANK, check_bytes


def load_rwkv_vocab(data: bytes) -> dict[bytes, int]:
    r"""Read the tokens and their ids.

    >>> lines = "".join(f"{byte + 1} {bytes([byte])!r} 1\n" for byte in range(256))
    >>> load_rwkv_vocab(f"{lines}300 '\\té' 3\n".encode())["\té".encode()]
    300

    Raises `BadFile`, with the number of the line, for one that is not an id, a literal of as many bytes as it says, or
    that repeats an id or a token; for a file that is not UTF-8, and for one that lacks one of the 256 bytes.
    """
    try:
        lines = data.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"The vocabulary is not UTF-8 at byte {error.start}.") from None
    vocabulary: dict[bytes, int] = {}
    used: set[int] = set()
    for number, line in enumerate(lines, 1):
        first, _, rest = line.partition(" ")
        literal, _, size = rest.rpartition(" ")
        token = _token(literal, number)
        if not (first.isascii() and first.isdigit() and len(first) < 8 and int(first) <= MAX_RANK):
            raise BadFile(f"Line {number} does not begin with an id up to {MAX_RANK}.")
        if str(len(token)) != size.strip():
            raise BadFile(f"The token of line {number} has {plural(len(token), 'byte')}, and not {size[:20]!r}.")
        if token in vocabulary or int(first) in used:
            raise BadFile(f"Line {number} repeats an id or a token.")
        vocabulary[token] = int(first)
        used.add(int(first))
    check_bytes(vocabulary)
    return vocabulary


def from_rwkv(data: bytes, metadata: Metadata) -> Conversion:
    """Describe a vocabulary, of which the longest token that fits is always taken. Raises what `load_rwkv_vocab` does.

    The id 0, which is that of the end of a text, has no line.
    """
    vocabulary = load_rwkv_vocab(data)
    size = max(vocabulary.values()) + 1
    files = {"rwkv_vocab.txt": data}
    gaps = size - len(vocabulary)
    return Conversion("longest-match", ("scratch",), files, size, lossless=True, normalization="", gaps=gaps)


def _token(literal: str, number: int) -> bytes:
    r"""Return the bytes of a literal; one without escapes is not parsed, which takes a tenth of the time.

    >>> _token("'the'", 1), _token(r"b'\xff'", 2)
    (b'the', b'\xff')
    """
    quote = literal[:1]
    inside = literal[1:-1]
    if quote in ("'", '"') and len(literal) > 2 and literal[-1] == quote and quote not in inside and "\\" not in inside:
        return inside.encode()
    try:
        token = literal_eval(literal) if len(literal) < 2_000 else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        token = None
    if isinstance(token, str):
        token = token.encode(errors="replace")
    if not isinstance(token, bytes) or not token:
        raise BadFile(f"Line {number} holds no string or bytes literal: {literal[:40]!r}.")
    return token
