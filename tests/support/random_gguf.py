"""Random vocabularies of every kind that GGUF has, and texts that their tokens are made of."""

from struct import pack

from tests.support.gguf_files import gguf, numbers, text, texts
from tests.support.records import LETTERS
from tests.support.strings import NASTY

PARTS = (
    *("the", " the", "Hello", " WORLD", "aB", "'s", "'LL", "don't", "1", "123", " 4567", "12345678", "½", "١٢٣", "Ⅷ"),
    *(
        " ",
        "  ",
        "       ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\u00a0",
        "\u3000",
        "\u2003",
        "\u2028",
        "\u0085",
        "\u200b",
        "\x1c",
    ),
    *(
        ".",
        ",",
        "...",
        "!?",
        "$",
        "+=",
        "//",
        "_",
        "`",
        "~",
        "|",
        "(",
        "]",
        "“",
        "—",
        "，",
        "。",
        "、",
        "€",
        "→",
        "🌍",
        "🏽",
    ),
    *(
        "é",
        "e\u0301",
        "\u0301",
        "ß",
        "ǅ",
        "ʰ",
        "ПРИвет",
        "Ω",
        "ﬁ",
        "𐐀",
        "你好",
        "の",
        "カ",
        "한국",
        "ㄱ",
        "ㄅ",
        "〇",
        "𠀀",
    ),
    *("क्ष", "ไทย", "ລ", "ខ", "မ", "שָׁ", "مُح", "،", "Ა", "ꭰ", "\ue000", "\x7f", "x = [\n\n]", "IMGIMGABZ"),
)
SPECIAL = ("<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|channel|>", "<x>")
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6


def string(value):
    return pack("<I", 8) + text(value)


def flag(value):
    return pack("<I?", 7, value)


def random_texts(source, count):
    return [
        *NASTY.values(),
        *("".join(source.choices([*PARTS, *SPECIAL], k=source.randint(1, 9))) for _ in range(count)),
    ]


def random_options(source, *names):
    """Say some of the options, and leave out the others."""
    return {name: flag(source.random() < 0.5) for name in names if source.random() < 0.6}


def windows(source, letters_of, count):
    """Return pairs of neighbours in random texts, such that each is made of letters and of earlier pairs."""
    pairs = {}
    for _ in range(count):
        letters = letters_of("".join(source.choices(PARTS, k=3)))
        for size in (2, 3, 4):
            for start in range(len(letters) - size + 1):
                pairs.setdefault(("".join(letters[start : start + size - 1]), letters[start + size - 1]))
    return [*pairs]


def byte_level(source, pre):
    """BPE over bytes; `pre` None is a file without a name. The special tokens come first, so that <s> has id 0."""
    merges = windows(source, lambda part: [LETTERS[byte] for byte in part.encode()], 40)
    tokens = [*LETTERS, *dict.fromkeys(map("".join, merges))]
    kinds = [CONTROL, CONTROL, *source.choices((NORMAL, CONTROL, CONTROL, USER_DEFINED), k=len(SPECIAL) - 2)]
    named = {} if pre is None else {"pre": string(pre)}
    return gguf(
        **{"general.architecture": string("llama")},
        **named,
        model=string("gpt2"),
        tokens=texts(*SPECIAL, *tokens),
        token_type=numbers(5, "i", *kinds, *[NORMAL] * len(tokens)),
        merges=texts(*map(" ".join, merges)),
        bos_token_id=pack("<II", 4, 0),
        eos_token_id=pack("<II", 4, 1),
        **random_options(source, "add_bos_token", "add_eos_token"),
    )


def pieces(source, model):
    """SentencePiece's BPE (llama) or Unigram (t5): scores by length and by chance, and for BPE bytes.

    Unigram has no pieces that repeat a character, which tie in any order, and both options of spaces or none: with the
    prefix alone, llama.cpp puts it before what is no space, and so not in a text of spaces.
    """
    found = windows(source, lambda part: [*part.replace(" ", "▁")], 60)
    letters = [*dict.fromkeys("".join(map("".join, found)))]
    fallback = BYTES if model == "llama" else []
    joined = [token for token in dict.fromkeys(map("".join, found)) if model == "llama" or len({*token}) > 1]
    tokens = [*letters, *joined]
    scores = [-source.random() * 10 - 10 / len(token) for token in tokens]
    spaces = ("add_space_prefix", "remove_extra_whitespaces")
    first, rest = ["<unk>", "<s>", "</s>"], SPECIAL[2:]
    kinds = [UNKNOWN, CONTROL, CONTROL, *(source.choice((CONTROL, USER_DEFINED)) for _ in rest)]
    kinds[first.index("</s>") + 1 + rest.index("<|im_end|>")] = CONTROL
    return gguf(
        **{"general.architecture": string("llama")},
        model=string(model),
        tokens=texts(*first, *rest, *fallback, *tokens),
        token_type=numbers(5, "i", *kinds, *[BYTE] * len(fallback), *[NORMAL] * len(tokens)),
        scores=numbers(6, "f", *[0.0] * (len(kinds) + len(fallback)), *scores),
        unknown_token_id=pack("<II", 4, 0),
        bos_token_id=pack("<II", 4, 1),
        eos_token_id=pack("<II", 4, 2),
        **random_options(source, "add_bos_token", "add_eos_token"),
        **(random_options(source, *spaces) if model == "llama" else dict.fromkeys(spaces, flag(source.random() < 0.5))),
    )


def words(source):
    """WordPiece, with ▁ before what begins a word."""
    found = windows(source, lambda part: [*part.lower().replace(" ", "")], 60)
    letters = [*dict.fromkeys("".join(map("".join, found)))]
    inner = [*letters, *dict.fromkeys(map("".join, found))]
    first = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens = [*first, *(f"▁{token}" for token in inner), *inner]
    roles = {"padding": 0, "unknown": 1, "cls": 2, "bos": 2, "seperator": 3, "eos": 3, "mask": 4}
    return gguf(
        **{"general.architecture": string("bert")},
        model=string("bert"),
        tokens=texts(*tokens),
        token_type=numbers(5, "i", *[CONTROL] * len(first), *[NORMAL] * (len(tokens) - len(first))),
        **{f"{role}_token_id": pack("<II", 4, id) for role, id in roles.items()},
    )


def longest_match(source):
    """RWKV's vocabulary: bytes and parts of texts, spelled as Python spells bytes; the end of a text comes first."""
    raws = [bytes([byte]) for byte in range(256)]
    parts = [part.encode() for part in PARTS if len(part.encode()) > 1]
    raws += dict.fromkeys(part[: source.randint(2, len(part))] for part in parts)
    return gguf(
        **{"general.architecture": string("llama")},
        model=string("rwkv"),
        tokens=texts("<s>", *(repr(raw)[2:-1] for raw in raws)),
        token_type=numbers(5, "i", CONTROL, *[NORMAL] * len(raws)),
    )
