"""What a trainer leaves as a `tokenizer.json`: the one format that can say nearly all of it.

Bytes and characters are cut into words by a pattern, of which only the matches are kept. Where spaces are marked, they
are written as ▁ and one is put in front before the model sees the text, as SentencePiece does.
"""

import json
from array import array
from typing import Any

from app.errors import BadFile
from app.formats.from_learned import BYTES
from app.formats.patterns import portable
from app.types import Learned

MARK = "▁"
Component = dict[str, Any]


def tokenizer_json(learned: Learned) -> bytes:
    """The file. Raises `BadFile` for a pattern that other tools read otherwise, or a vocabulary without what it needs.

    >>> learned = Learned("wordpiece", "characters", ("[UNK]", "a", "##b"), unknown="[UNK]")
    >>> json.loads(tokenizer_json(learned))["model"]["vocab"]
    {'[UNK]': 0, 'a': 1, '##b': 2}
    """
    top = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(token, id) for token, id in sorted(learned.special_tokens.items(), key=lambda t: t[1])],
        "normalizer": _sequence("normalizers", _normalizers(learned)),
        "pre_tokenizer": _sequence("pretokenizers", _splitters(learned)),
        "post_processor": None,
        "decoder": _sequence("decoders", _decoders(learned)),
        "model": _model(learned),
    }
    return json.dumps(top, ensure_ascii=False, separators=(",", ":")).encode()


def _added(token: str, id: int) -> Component:
    options = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": token, **options, "special": True}


def _sequence(parts: str, steps: list[Component]) -> Component | None:
    return {"type": "Sequence", parts: steps} if len(steps) > 1 else next(iter(steps), None)


def _normalizers(learned: Learned) -> list[Component]:
    lower = [{"type": "Lowercase"}] * learned.lowercase
    if not learned.marks_spaces:
        return lower
    return [*lower, {"type": "Prepend", "prepend": MARK}, _replace(" ", MARK)]


def _splitters(learned: Learned) -> list[Component]:
    if learned.marks_spaces:
        return _marked_words(learned)
    words = {"type": "Split", "pattern": {"Regex": portable(learned.pattern)}, "behavior": "Removed", "invert": True}
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return [words, spelled] if learned.unit == "bytes" else [words]


def _marked_words(learned: Learned) -> list[Component]:
    """Cuts that no piece reaches across: before each ▁, and around what no piece has a character of.

    The latter keep the name of a token that a text spells out, such as `<0x41>`, from being taken for the token.
    """
    cuts = []
    if MARK in learned.pieces and not any(MARK in piece[1:] for piece in learned.pieces):
        cuts.append({"type": "Split", "pattern": {"String": MARK}, "behavior": "MergedWithNext", "invert": False})
    known = {*"".join(piece for piece in learned.pieces if piece not in _aside(learned))}
    if learned.algorithm == "unigram" and not {*"".join(_aside(learned))} <= known:
        others = {"Regex": f"[^{''.join(map(_member, sorted(known)))}]+"}
        cuts.append({"type": "Split", "pattern": others, "behavior": "Isolated", "invert": False})
    return cuts


def _aside(learned: Learned) -> frozenset[str]:
    """The names of tokens that no text is cut into, and of bytes."""
    return frozenset(learned.special_tokens) | (BYTES if learned.bytes_too else frozenset())


def _member(char: str) -> str:
    """A character as it stands in a set."""
    return f"\\{char}" if char in "\\[]^-&" else char


def _decoders(learned: Learned) -> list[Component]:
    if learned.unit == "bytes" and not learned.marks_spaces:
        return [{"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]
    if learned.marks_spaces:
        strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
        return [_replace(MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}, strip]
    if learned.algorithm == "wordpiece":
        return [{"type": "WordPiece", "prefix": "##", "cleanup": False}]
    return [{"type": "BPEDecoder", "suffix": "</w>"}] if learned.unit == "marked" else [{"type": "Fuse"}]


def _replace(text: str, content: str) -> Component:
    return {"type": "Replace", "pattern": {"String": text}, "content": content}


def _model(learned: Learned) -> Component:
    vocabulary = {piece: id for id, piece in enumerate(learned.pieces)}
    if len(vocabulary) < len(learned.pieces):
        raise BadFile("Two ids have the same spelling.")
    if learned.algorithm == "unigram":
        return _unigram(learned, vocabulary)
    if learned.algorithm == "wordpiece":
        wordpiece = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
        return {"type": "WordPiece", "unk_token": learned.unknown, **wordpiece, "vocab": vocabulary}
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": learned.unknown,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": "</w>" if learned.unit == "marked" else None,
        "fuse_unk": learned.marks_spaces,
        "byte_fallback": learned.bytes_too,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [[learned.pieces[a], learned.pieces[b]] for a, b in learned.merges],
    }


def _unigram(learned: Learned, vocabulary: dict[str, int]) -> Component:
    """The library takes every entry for a piece that a text may have, so that special tokens and bytes score lowest."""
    if learned.unknown is None:
        raise BadFile("Unigram needs a token for what is unknown.")
    aside = _aside(learned)
    scores = dict(zip(learned.pieces, array("f", learned.scores), strict=True))
    worst = min((score for piece, score in scores.items() if piece not in aside), default=0.0)
    lowest = (worst - 1) * (1 + max(map(len, aside), default=0))
    entries = [[piece, lowest if piece in aside else score] for piece, score in scores.items()]
    unknown = vocabulary[learned.unknown]
    return {"type": "Unigram", "unk_id": unknown, "vocab": entries, "byte_fallback": learned.bytes_too}
