"""Writes a trained vocabulary as a `tokenizer.json`, the one format that can express nearly all of them.

The pre-tokenizer keeps only the matches of the pattern. With `marks_spaces`, a normalizer writes spaces as ▁ and puts
one in front of the text, as SentencePiece does.
"""

import json
from array import array

from ..errors import BadFile
from ..formats.patterns import make_portable
from ..types import TrainedVocab
from .components import Component, make_token_component, sort_by_id
from .trained_vocabulary import BYTES

MARK = "▁"


def tokenizer_json(learned: TrainedVocab) -> bytes:
    """Return the file. Raises `BadFile` for a pattern that other tools read differently, or a missing unknown token.

    >>> learned = TrainedVocab("wordpiece", "characters", ("[UNK]", "a", "##b"), unknown="[UNK]")
    >>> json.loads(tokenizer_json(learned))["model"]["vocab"]
    {'[UNK]': 0, 'a': 1, '##b': 2}
    """
    top = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [make_token_component(token, id) for token, id in sort_by_id(learned.special_tokens)],
        "normalizer": _sequence("normalizers", _normalizers(learned)),
        "pre_tokenizer": _sequence("pretokenizers", _splitters(learned)),
        "post_processor": None,
        "decoder": _sequence("decoders", _decoders(learned)),
        "model": _model(learned),
    }
    return json.dumps(top, ensure_ascii=False, separators=(",", ":")).encode()


def _sequence(parts: str, steps: list[Component]) -> Component | None:
    return {"type": "Sequence", parts: steps} if len(steps) > 1 else next(iter(steps), None)


def _normalizers(learned: TrainedVocab) -> list[Component]:
    lower = [{"type": "Lowercase"}] * learned.lowercase
    if not learned.marks_spaces:
        return lower
    return [*lower, {"type": "Prepend", "prepend": MARK}, _replace(" ", MARK)]


def _splitters(learned: TrainedVocab) -> list[Component]:
    if learned.marks_spaces:
        return _split_marked_words(learned)
    words = {
        "type": "Split",
        "pattern": {"Regex": make_portable(learned.pattern)},
        "behavior": "Removed",
        "invert": True,
    }
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return [words, spelled] if learned.unit == "bytes" else [words]


def _split_marked_words(learned: TrainedVocab) -> list[Component]:
    """Return splits that no piece crosses: before each ▁, and around characters that are in no piece.

    The latter keep the name of a token in the text, such as `<0x41>`, from being matched as that token.
    """
    splitters = []
    if MARK in learned.pieces and not any(MARK in piece[1:] for piece in learned.pieces):
        splitters.append({"type": "Split", "pattern": {"String": MARK}, "behavior": "MergedWithNext", "invert": False})
    alphabet = {*"".join(piece for piece in learned.pieces if piece not in _find_unmatched(learned))}
    if learned.algorithm == "unigram" and not {*"".join(_find_unmatched(learned))} <= alphabet:
        others = {"Regex": f"[^{''.join(map(_member, sorted(alphabet)))}]+"}
        splitters.append({"type": "Split", "pattern": others, "behavior": "Isolated", "invert": False})
    return splitters


def _find_unmatched(learned: TrainedVocab) -> frozenset[str]:
    """Return the tokens that no text is matched with: special tokens and byte tokens."""
    return frozenset(learned.special_tokens) | (BYTES if learned.byte_fallback else frozenset())


def _member(char: str) -> str:
    """Return a character as it is written in a set of a pattern."""
    return f"\\{char}" if char in "\\[]^-&" else char


def _decoders(learned: TrainedVocab) -> list[Component]:
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


def _model(learned: TrainedVocab) -> Component:
    vocabulary = {piece: id for id, piece in enumerate(learned.pieces)}
    if len(vocabulary) < len(learned.pieces):
        raise BadFile("Two tokens have the same spelling.")
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
        "byte_fallback": learned.byte_fallback,
        "ignore_merges": False,
        "vocab": vocabulary,
        "merges": [[learned.pieces[a], learned.pieces[b]] for a, b in learned.merges],
    }


def _unigram(learned: TrainedVocab, vocabulary: dict[str, int]) -> Component:
    """Return the model. The library matches every entry with the text, so special tokens and bytes get lower scores."""
    if learned.unknown is None:
        raise BadFile("Unigram needs an unknown token.")
    unmatched = _find_unmatched(learned)
    # As 32-bit floats, like in a SentencePiece model, so that both exports give the same tokens.
    scores = dict(zip(learned.pieces, array("f", learned.scores), strict=True))
    worst = min((score for piece, score in scores.items() if piece not in unmatched), default=0.0)
    # Lower than any path of ordinary pieces over the same characters.
    lowest = (worst - 1) * (1 + max(map(len, unmatched), default=0))
    entries = [[piece, lowest if piece in unmatched else score] for piece, score in scores.items()]
    unknown = vocabulary[learned.unknown]
    return {"type": "Unigram", "unk_id": unknown, "vocab": entries, "byte_fallback": learned.byte_fallback}
