"""A SentencePiece model as it is, and converted to `tokenizer.json` and back, as far as each can say it.

SentencePiece has no list of merges: any two pieces whose joint is a piece may merge, the joint with the best score
first. It has one normalizer, of which `tokenizer.json` says each part by a component.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from ...errors import BadFile, plural
from ...scratch.compat.sentencepiece.charsmap import Precompiled, dump_charsmap
from ...types import Engine, Family, TokenizerInfo, TrainedVocab
from ..conversion import Conversion, Metadata, name_rules
from ..spelling import BYTE_PIECE
from ..tokenizer_json.components import (
    Component,
    flatten,
    make_template_processor,
    make_token_component,
    replace_text,
    sequence,
)
from ..tokenizer_json.read import TokenizerJson, load_tokenizer_json
from ..trained import tokenizer_json
from ..vocab_entries import MARK
from .model import Kind, ScoredPiece, SentencePieceModel, dump_model, list_merges, load_model

MODEL = "tokenizer.model"
RENUMBERED = (
    *("XLMRoberta", "Camembert", "MBart", "NLLB", "Nllb", "XGLM", "Barthez", "PLBart", "M2M100", "Pegasus"),
    *("SeamlessM4T", "XLMProphetNet"),
)
"""Classes of `transformers` whose models number the tokens in another way than the file does."""
AT_END = ("T5", "UMT5", "MT5", "Pegasus", "Byt5")
"""Classes whose models expect `</s>` after a text by default."""
ENDS = r"\A +|[ ▁]+\z"
RUNS = " {2,}"
"""Spaces at the ends of a text, which become nothing, and runs of spaces, which become one."""


def from_sentencepiece(data: bytes, metadata: Metadata) -> Conversion:
    """Describe a SentencePiece model. Raises `BadFile` for what `load_model` refuses."""
    return describe(load_model(data), data, metadata, ("sentencepiece", "scratch"))


def describe(
    model: SentencePieceModel, data: bytes, metadata: Metadata, engines: tuple[Engine, ...], notes: tuple[str, ...] = ()
) -> Conversion:
    """Return the conversion of a model that has been read."""
    specials = {piece.text: id for id, piece in enumerate(model.pieces) if piece.kind in ("control", "unknown")}
    family: Family = "bpe" if model.algorithm == "bpe" else "unigram" if model.algorithm == "unigram" else "other"
    name = metadata.class_name
    if any(name.startswith(start) for start in RENUMBERED):
        notes += (f"The models of {name} number the tokens differently than this file; bring their tokenizer.json.",)
    ids = {piece.text: id for id, piece in enumerate(model.pieces)}
    if beyond := [token for token in metadata.added if token not in ids]:
        which = plural(len(beyond), "added token")
        notes += (f"The model file lacks {which} of the config, the first {beyond[0][:40]!r}.",)
    bos = metadata.flag("add_bos_token", name.startswith(("Llama", "Gemma", "CodeLlama")))
    eos = metadata.flag("add_eos_token", name.startswith(AT_END))
    before, after = (
        metadata.variables.get(f"{side}_token", default) for side, default in (("bos", "<s>"), ("eos", "</s>"))
    )
    return Conversion(
        family,
        engines,
        {MODEL: data},
        len(model.pieces),
        normalization=_normalization(model),
        special_tokens=specials,
        prefix=(before,) if bos and before in specials else (),
        suffix=(after,) if eos and after in specials else (),
        notes=notes,
        token_rules=name_rules(metadata.rules, specials),
    )


def _normalization(model: SentencePieceModel) -> str:
    """Return sentences that say how a decoded text differs from the original."""
    sentences = ["The text is normalized by the model's character map."] * (model.charsmap is not None)
    sentences += ["Repeated spaces, and those at the ends, are removed."] * model.remove_extra_whitespaces
    side = "after" if model.whitespace_as_suffix else "before"
    sentences += [f"A space is put {side} the text, which decoding takes off again."] * model.add_dummy_prefix
    return " ".join([*sentences, "Every ▁ (U+2581) becomes a space."])


def model_to_json(model: SentencePieceModel, info: TokenizerInfo) -> bytes:
    """Return the `tokenizer.json` of a model. Raises `BadFile` for what it cannot say."""
    check_sayable(model)
    scores = _list_scores(model)
    unknown = next(piece.text for piece in model.pieces if piece.kind == "unknown")
    specials = {piece.text: id for id, piece in enumerate(model.pieces) if piece.kind in ("control", "unknown")}
    learned = TrainedVocab(
        algorithm="bpe" if model.algorithm == "bpe" else "unigram",
        unit="characters",
        pieces=tuple(piece.text for piece in model.pieces),
        merges=tuple(list_merges(model)) if model.algorithm == "bpe" else (),
        scores=scores,
        special_tokens=specials,
        unknown=unknown,
        byte_fallback=model.byte_fallback,
        marks_spaces=True,
    )
    top: Component = json.loads(tokenizer_json(learned))
    added = {id: piece.text for id, piece in enumerate(model.pieces) if piece.kind == "user_defined"}
    tokens = [make_token_component(token, id, special=False) | {"normalized": False} for id, token in added.items()]
    top["added_tokens"] = sorted(
        (_as_described(token, info) for token in (*top["added_tokens"], *tokens)), key=lambda token: int(token["id"])
    )
    top["normalizer"] = sequence("normalizers", [*_normalizers(model)])
    if not model.add_dummy_prefix:
        top["decoder"] = sequence("decoders", [part for part in top["decoder"]["decoders"] if part["type"] != "Strip"])
    top["post_processor"] = make_template_processor(info.prefix, info.suffix, info.special_tokens)
    return json.dumps(top, ensure_ascii=False).encode()


def _as_described(token: Component, info: TokenizerInfo) -> Component:
    """Return an added token with the rules by which it is matched; what info lists as added is not special."""
    content = token["content"]
    special = token["special"] and content not in info.added_tokens
    return token | dict.fromkeys(info.token_rules.get(content, ()), True) | {"special": special}


def check_sayable(model: SentencePieceModel) -> None:
    """Raise `BadFile` for a model that no tokenizer.json can be equivalent to."""
    if model.algorithm not in ("bpe", "unigram"):
        raise BadFile(f"tokenizer.json has no model like SentencePiece's {model.algorithm}.")
    if model.whitespace_as_suffix:
        raise BadFile("tokenizer.json has no normalizer that puts a ▁ behind a text.")
    if not model.escape_whitespaces:
        raise BadFile("Spaces are not written as ▁, which the conversion relies on.")
    defined = any(piece.kind == "user_defined" for piece in model.pieces)
    if defined and (model.add_dummy_prefix or model.remove_extra_whitespaces):
        raise BadFile(
            "The model has pieces that are matched in a text before anything else (user_defined); tokenizer.json "
            "would normalize the text on each side of them by itself, and put a ▁ behind each."
        )
    if model.algorithm == "bpe" and any(piece.kind == "unused" for piece in model.pieces):
        raise BadFile("The model has unused pieces, which are taken apart again after merging; tokenizer.json cannot.")


def _list_scores(model: SentencePieceModel) -> tuple[float, ...]:
    """Return the scores by id; unused pieces get the worst, so that no path takes them."""
    worst = min((piece.score for piece in model.pieces if piece.kind == "normal"), default=0.0)
    return tuple(worst if piece.kind == "unused" else piece.score for piece in model.pieces)


def _normalizers(model: SentencePieceModel) -> Iterator[Component]:
    if model.charsmap is not None:
        # The library applies the map to one character or short cluster at a time, SentencePiece to the whole text:
        # composed first, most of what becomes one character is one already.
        yield {"type": "NFC"}
        yield {"type": "Precompiled", "precompiled_charsmap": b64encode(dump_charsmap(model.charsmap)).decode()}
    if model.remove_extra_whitespaces:
        yield {"type": "Replace", "pattern": {"Regex": ENDS}, "content": ""}
        yield {"type": "Replace", "pattern": {"Regex": RUNS}, "content": " "}
    if model.add_dummy_prefix:
        yield {"type": "Prepend", "prepend": MARK}
    yield replace_text(" ", MARK)


def json_to_model(data: bytes, info: TokenizerInfo) -> dict[str, bytes]:
    """Return the model and its config by name. Raises `BadFile` for what SentencePiece cannot say."""
    file = load_tokenizer_json(data)
    document = json.loads(data)
    kind = file.model.type
    if kind not in ("BPE", "Unigram"):
        raise BadFile(f"SentencePiece has no model like {kind}.")
    options = _options(flatten(document.get("normalizer"), "normalizer"), file)
    options = _with_splitters(options, flatten(document.get("pre_tokenizer"), "pre_tokenizer"))
    if not options.escape_whitespaces:
        raise BadFile("SentencePiece writes spaces as ▁; nothing in the file does.")
    pieces = _pieces(file, _bpe_scores(file) if kind == "BPE" else _unigram_scores(file))
    algorithm = "bpe" if kind == "BPE" else "unigram"
    model = replace(options, pieces=pieces, algorithm=algorithm, byte_fallback=file.model.byte_fallback)
    config: dict[str, Any] = {"tokenizer_class": ""}
    for name, side in (("bos", info.prefix), ("eos", info.suffix)):
        config[f"add_{name}_token"] = bool(side)
        config |= {f"{name}_token": token for token in side[:1]}
    return {"tokenizer.model": dump_model(model), "tokenizer_config.json": json.dumps(config).encode()}


def _options(parts: Sequence[Component], file: TokenizerJson) -> SentencePieceModel:
    """Return a model without pieces whose options do what the normalizers do."""
    maps = [part.precompiled_charsmap for part in file.normalizers if isinstance(part, Precompiled)]
    options = SentencePieceModel(
        pieces=(),
        algorithm="",
        byte_fallback=False,
        whitespace_as_suffix=False,
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=False,
        charsmap=maps[0] if maps else None,
    )
    for number, part in enumerate(parts):
        match part:
            case {"type": "NFC" | "Precompiled"} if maps and number < 2:
                continue  # a map composes, too
            case {"type": "Prepend", "prepend": "▁"}:
                options = replace(options, add_dummy_prefix=True)
            case {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}:
                options = replace(options, escape_whitespaces=True)
            case {"type": "Strip"}:
                options = replace(options, remove_extra_whitespaces=True)
            case {"type": "Replace", "pattern": {"Regex": str(source)}} if source in (ENDS, RUNS):
                options = replace(options, remove_extra_whitespaces=True)
            case _:
                what = part.get("pattern") or part.get("prepend") or ""
                raise BadFile(f"SentencePiece cannot say the normalizer {part.get('type')} {what!r} at this place.")
    return options


def _with_splitters(options: SentencePieceModel, parts: Sequence[Component]) -> SentencePieceModel:
    """Return the options with those that pre-tokenizers set."""
    for part in parts:
        match part:
            case {"type": "Metaspace", "replacement": "▁"}:
                old = "always" if part.get("add_prefix_space", True) else "never"
                dummy = options.add_dummy_prefix or part.get("prepend_scheme", old) != "never"
                options = replace(options, escape_whitespaces=True, add_dummy_prefix=dummy)
            case {"type": "WhitespaceSplit"}:
                options = replace(options, remove_extra_whitespaces=True)
            case {"type": "Split", "pattern": {"String": " " | "▁"}}:
                continue  # between words, which no piece spans: else the proof fails
            case {"type": "Split", "pattern": {"Regex": str(source)}, "behavior": "Isolated"} if source[:2] == "[^":
                continue  # around characters that are in no piece
            case _:
                raise BadFile(f"SentencePiece splits a text at no pattern; the pre-tokenizer {part.get('type')} does.")
    return options


def _unigram_scores(file: TokenizerJson) -> Mapping[str, float]:
    return dict(zip(file.model.vocabulary, file.model.scores, strict=True))


def _bpe_scores(file: TokenizerJson) -> Mapping[str, float]:
    """Return a score for each piece by the order in which merges make them.

    Raises `BadFile` if the merges are in no order of their results, or not all that SentencePiece would make.
    """
    model = file.model
    pairs = file.model.pairs
    if model.prefix or model.suffix or model.ignore_merges:
        raise BadFile("SentencePiece has no prefix or suffix of pieces, and merges also words that are tokens.")
    if not (model.fuse_unknown or model.byte_fallback):
        raise BadFile("SentencePiece makes one unknown token of neighbouring unknown characters; fuse_unk is off.")
    made = [text for text, _ in groupby(left + right for left, right in pairs)]
    if len({*made}) < len(made):
        raise BadFile("Merges with one result stand in several places; SentencePiece has one score for each piece.")
    outside = {token.content for token in file.added} | {
        text for text in model.vocabulary if BYTE_PIECE.fullmatch(text)
    }
    usable = model.vocabulary.keys() - outside
    merged = {*pairs}
    lacking = sum(
        (text[:at], text[at:]) not in merged
        for text in usable
        for at in range(1, len(text))
        if text[:at] in usable and text[at:] in usable
    )
    if lacking:
        others = plural(lacking, "pair of tokens that is", "pairs of tokens that are")
        raise BadFile(f"SentencePiece would also merge {others} not among the merges.")
    order = [*made, *sorted(model.vocabulary.keys() - {*made}, key=model.vocabulary.__getitem__)]
    return {text: -float(rank) for rank, text in enumerate(order)}


def _pieces(file: TokenizerJson, scores: Mapping[str, float]) -> tuple[ScoredPiece, ...]:
    """Return the pieces by id. Raises `BadFile` if ids leave gaps, or without an unknown token."""
    if file.model.unknown is None:
        raise BadFile("SentencePiece needs an unknown token.")
    if strict := [token.content for token in file.added if token.lstrip or token.rstrip or token.single_word]:
        raise BadFile(f"SentencePiece cannot say lstrip, rstrip or single_word of the added token {strict[0]!r}.")
    kinds: dict[str, Kind] = {token.content: "control" if token.special else "user_defined" for token in file.added}
    kinds[file.model.unknown] = "unknown"
    if file.model.byte_fallback:
        kinds |= {text: "byte" for text in file.model.vocabulary if BYTE_PIECE.fullmatch(text)}
    ids = {**file.model.vocabulary, **{token.content: token.id for token in file.added}}
    texts = sorted(ids, key=ids.__getitem__)
    if [ids[text] for text in texts] != [*range(len(texts))]:
        raise BadFile("The ids leave gaps, which SentencePiece cannot say: its ids are the places of the pieces.")
    return tuple(
        ScoredPiece(text, scores[text] if kinds.get(text, "normal") == "normal" else 0.0, kinds.get(text, "normal"))
        for text in texts
    )
