"""Convert a tokenizer to another format, and prove on generated texts that it gives the same tokens."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any, Literal, get_args

from ...errors import BadFile, TokenariumError, join_names
from ...formats.minbpe_model import load_minbpe
from ...formats.packed_json import NAME as PACKED
from ...formats.packed_json import load_packed
from ...formats.patterns import WHOLE, make_portable
from ...formats.sentencepiece_model import load_model
from ...formats.tiktoken_patterns import GPT2
from ...formats.tiktoken_ranks import check_bytes, dump_ranks, load_ranks
from ...imported import record_from_files
from ...imported.built_json import (
    bpe,
    byte_level,
    document,
    from_wordpiece,
    make_template_processor,
    make_token_component,
    sequence,
)
from ...imported.metadata import Metadata
from ...registry import LOADERS
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ...store import Record
from ...types import SpecialPolicy, Tokenizer
from ..conformance import MAX_PIECES, texts
from ..tokenizers.adding import try_engines, unpack_files
from .findings import ExaminedTokenizer
from .report import groups, load_subject
from .sentencepiece_conversion import json_to_model, model_to_json
from .vocabulary import list_merges

Files = dict[str, bytes]
Target = Literal["tokenizer.json", "tiktoken", "sentencepiece", "vocab.txt"]
TARGETS: tuple[Target, ...] = get_args(Target)
PROOF = 10_000
"""Number of texts on which a converted file must give the same ids before it is handed out."""
VOCAB = "vocab.txt"
SPELLED = dict(enumerate(ALPHABET))
BYTES = {char: byte for byte, char in enumerate(ALPHABET)}


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """The converted files by name, the pattern that ranks need, and the number of texts they were proven on.

    `source` is the main file of the tokenizer that they were converted from.
    """

    source: str
    files: Mapping[str, bytes]
    pattern: str | None
    proven: int


def convert_files(
    files: Mapping[str, bytes], target: str, *, pattern: str | None = None, count: int = PROOF
) -> ConversionResult:
    """Convert the first tokenizer among files. Raises what `convert` raises, and `BadFile` if there is none."""
    name, group = next(groups(unpack_files(files)))
    subject, _ = load_subject(name, group, pattern)
    return convert(subject, target, count=count)


def convert_record(record: Record, target: str, *, count: int = PROOF) -> ConversionResult:
    """Convert a copy of a tokenizer of the registry. Raises what `convert` raises."""
    if "sentencepiece" in record.info.engines and "tokenizer.json" not in record.spec["files"]:
        copy = replace(record, data={"tokenizer.model": record.only_file()})
    elif isinstance(record.spec.get("ranks"), str) or "minbpe" in record.spec:
        copy = record
    else:
        copy = record_from_files(
            record.info.id, {"tokenizer.json": build_tokenizer_json(record)}, title=record.info.title
        )
    reference = LOADERS[record.info.engines[0]](record)
    return convert(ExaminedTokenizer(record.info.title, copy, Metadata(), {}, [reference]), target, count=count)


def convert(subject: ExaminedTokenizer, target: str, *, count: int = PROOF) -> ConversionResult:
    """Convert a tokenizer.

    Raises `BadFile` if the format cannot say what the tokenizer does, or if the result gives other tokens.
    """
    chosen = next((one for one in TARGETS if one == target), None)
    if chosen is None:
        raise BadFile(f"{target[:40]!r} is no format to convert to; valid are {join_names(TARGETS)}.")
    if not subject.tokenizers:
        raise BadFile("No engine can read the file, so there is nothing to compare a conversion with.")
    make: dict[Target, Callable[[ExaminedTokenizer], tuple[Files, str | None]]] = {
        "tokenizer.json": _to_json,
        "tiktoken": _to_ranks,
        "sentencepiece": _to_model,
        "vocab.txt": _to_vocab,
    }
    if data := subject.record.data.get("tokenizer.json"):  # also where it was made of other files
        subject = replace(subject, document=json.loads(data))
    files, pattern = make[chosen](subject)
    record = record_from_files("converted", files, title="converted", pattern=pattern)
    (tokenizer, *_), _ = try_engines(record)
    prove(subject.tokenizers[0], tokenizer, count)
    return ConversionResult(subject.file, files, pattern, count)


def prove(reference: Tokenizer, converted: Tokenizer, count: int) -> None:
    """Raise `BadFile` unless both put the same tokens around a text, and give the same ids for generated texts."""
    edges, other = ([*one.info.prefix, "…", *one.info.suffix] for one in (reference, converted))
    if edges != other:
        raise BadFile(f"The converted file makes {' '.join(other)} of a text instead of {' '.join(edges)}.")
    for number, text in enumerate(find_differences(reference, converted, count), 1):
        if text is not None:
            excerpt = text if len(text) <= 40 else f"{text[:40]}…"
            raise BadFile(
                f"The converted file gives other tokens for text {number} of {count:,}, {excerpt!a}; "
                "it is not handed out."
            )


def find_differences(reference: Tokenizer, converted: Tokenizer, count: int) -> Iterator[str | None]:
    """Yield for each of some generated texts None if both give the same ids, else the text.

    A text on which `reference` gives up counts as the same. Special tokens are parsed in every fourth, if both have
    them.
    """
    size = reference.info.vocab_size or 0
    entries = (
        reference.entry(id).piece for id in range(0, size, max(1, size // MAX_PIECES)) if _is_normal(reference, id)
    )
    drawn = texts(seed=0, pieces=[*entries], specials=[*reference.info.special_tokens])
    alike = reference.info.special_tokens == converted.info.special_tokens
    for number, text in enumerate(islice(drawn, count), 1):
        policy: SpecialPolicy = "parse" if alike and number % 4 == 0 else "text"
        expected = _ids(reference, text, policy)
        yield None if expected is None or _ids(converted, text, policy) == expected else text


def _ids(tokenizer: Tokenizer, text: str, policy: SpecialPolicy) -> list[int] | None:
    """Return the ids of a text, None if the engine gives up on it."""
    try:
        ids: list[int] = tokenizer.encode(text, special=policy).ids.tolist()
    except TokenariumError:
        return None
    return ids


def _is_normal(tokenizer: Tokenizer, id: int) -> bool:
    try:
        return tokenizer.entry(id).kind == "normal"
    except TokenariumError:
        return False


def _to_json(subject: ExaminedTokenizer) -> tuple[Files, str | None]:
    """Return a tokenizer.json: that which the record already is, or one of another format."""
    return {"tokenizer.json": build_tokenizer_json(subject.record)}, None


def build_tokenizer_json(record: Record) -> bytes:
    """Return the tokenizer.json of a tokenizer of any format. Raises `BadFile` for what the format cannot say."""
    spec = record.spec
    info = record.info
    names = {*spec.get("files", {}), *record.data}
    if "tokenizer.json" in names:
        return record.file("tokenizer.json")
    if PACKED in names:
        return _unpack(record.file(PACKED))
    if isinstance(name := spec.get("ranks"), str):
        ranks = load_ranks(record.file(name))
        pairs = [pair for token in sorted(ranks, key=ranks.__getitem__) if (pair := parents(token, ranks))]
        return _build_byte_level_json(record, ranks, pairs, record.pattern or "", ignore_merges=True)
    if "minbpe" in spec:
        model = load_minbpe(record.only_file())
        raws = model.vocabulary()
        pairs = [(raws[left], raws[right]) for left, right in model.merges]
        return _build_byte_level_json(record, _map_ranks(raws), pairs, model.pattern, ignore_merges=False)
    if VOCAB in names:
        return from_wordpiece(record.file(VOCAB), Metadata(config={"do_lower_case": True})).files["tokenizer.json"]
    if not names or info.family == "longest-match":
        raise BadFile(f"tokenizer.json has no model for {info.title}.")
    return model_to_json(load_model(record.only_file()), info)


def _unpack(data: bytes) -> bytes:
    """Return the tokenizer.json that was packed in columns."""
    file = load_packed(data)
    model = {**file.header["model"], "vocab": file.vocabulary, "merges": [[*pair] for pair in file.merges]}
    return json.dumps({**file.header, "model": model}, ensure_ascii=False).encode()


def _map_ranks(raws: Sequence[bytes]) -> dict[bytes, int]:
    """Return the ids of tokens by their bytes. Raises `BadFile` if two tokens have the same."""
    ranks = {raw: id for id, raw in enumerate(raws)}
    if len(ranks) < len(raws):
        raise BadFile(f"{len(raws) - len(ranks)} merges make a token that another merge makes, which has one id there.")
    return ranks


def _build_byte_level_json(
    record: Record,
    ranks: Mapping[bytes, int],
    pairs: Iterable[tuple[bytes, bytes]],
    pattern: str,
    *,
    ignore_merges: bool,
) -> bytes:
    """Return the tokenizer.json of byte-level BPE."""
    vocabulary = {_spell_bytes(token): rank for token, rank in ranks.items()}
    merges = [(_spell_bytes(left), _spell_bytes(right)) for left, right in pairs]
    info = record.info
    plain = {token: id for token, id in info.added_tokens.items() if token not in info.special_tokens}
    specials = sorted({**info.special_tokens, **plain}.items(), key=lambda item: item[1])
    added = [
        make_token_component(token, id, special=token not in plain) | {"normalized": False} for token, id in specials
    ]
    if [id for _, id in specials] != [*range(len(vocabulary), len(vocabulary) + len(specials))]:
        vocabulary |= specials  # the library gives added tokens the ids behind the vocabulary, unless it has them
    spelled = {**byte_level(), "use_regex": False}
    splitter: dict[str, Any] = spelled
    if pattern not in ("", WHOLE):
        words = {"type": "Split", "pattern": {"Regex": make_portable(pattern)}, "behavior": "Removed", "invert": True}
        splitter = sequence("pretokenizers", [words, spelled])
    form = record.spec.get("normalizer")
    top = document(
        bpe(vocabulary, merges, ignore_merges=ignore_merges),
        added,
        normalizer={"type": form} if form else None,
        pre_tokenizer=splitter,
        post_processor=make_template_processor(info.prefix, info.suffix, info.special_tokens),
        decoder=spelled,
    )
    return json.dumps(top, ensure_ascii=False).encode()


def parents(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """Return the two tokens that the last merge of a token joins; None if merges of lower ranks do not make it.

    >>> parents(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"abc": 4})
    (b'ab', b'c')
    """
    parts = [token[i : i + 1] for i in range(len(token))]
    own = ranks[token]
    while len(parts) > 2:
        pairs = [ranks.get(left + right, own) for left, right in pairwise(parts)]
        lowest = min(pairs)
        if lowest >= own:
            return None
        at = pairs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return (parts[0], parts[1]) if len(parts) == 2 else None


def _spell_bytes(token: bytes) -> str:
    return "".join(SPELLED[byte] for byte in token)


def _to_ranks(subject: ExaminedTokenizer) -> tuple[Files, str | None]:
    """Return ranks with a config that has the special tokens, and the pattern."""
    spec = subject.record.spec
    info = subject.record.info
    if isinstance(name := spec.get("ranks"), str):
        return {
            "ranks.tiktoken": subject.record.file(name),
            **_config(subject, info.special_tokens, spec["pattern"]),
        }, spec["pattern"]
    if "minbpe" in spec:
        minbpe = load_minbpe(subject.record.only_file())
        ranks = dump_ranks(_map_ranks(minbpe.vocabulary()))
        pattern = minbpe.pattern or WHOLE
        return {"ranks.tiktoken": ranks, **_config(subject, info.special_tokens, pattern)}, pattern
    model = subject.model
    if model.get("type") != "BPE" or subject.document.get("normalizer") is not None:
        raise BadFile("Ranks can say only byte-level BPE without a normalizer.")
    for token in subject.document.get("added_tokens") or []:
        if not token.get("special", False):
            name = token.get("content")
            raise BadFile(f"Ranks cannot say that {name!r} is one token in every text without being special.")
    pattern = _pattern(subject.document.get("pre_tokenizer"))
    added = {entry.piece: id for id, entry in subject.entries.items() if entry.kind == "special"}
    normal = {piece: id for piece, id in model["vocab"].items() if piece not in added}
    try:
        ranked = {bytes(BYTES[char] for char in piece): id for piece, id in normal.items()}
    except KeyError:
        raise BadFile("A token of the vocabulary is not spelled in bytes, so it has no place among ranks.") from None
    check_bytes(ranked)
    made = [id for left, right in list_merges(subject) if (id := model["vocab"].get(left + right)) is not None]
    if made != sorted(made):
        raise BadFile("The merges are in another order than the ids of their results, which ranks cannot say.")
    return {
        "ranks.tiktoken": dump_ranks(ranked),
        **_config(subject, {**added, **info.special_tokens}, pattern),
    }, pattern


def _to_model(subject: ExaminedTokenizer) -> tuple[Files, str | None]:
    """Return a SentencePiece model, with a config that names the tokens around a text."""
    if (data := subject.record.data.get("tokenizer.model")) is not None:
        return {"tokenizer.model": data, **_config(subject, {})}, None
    if (data := subject.record.data.get("tokenizer.json")) is None:
        raise BadFile("SentencePiece has no byte-level vocabularies: its pieces are texts.")
    return json_to_model(data, subject.record.info), None


def _to_vocab(subject: ExaminedTokenizer) -> tuple[Files, str | None]:
    """Return a `vocab.txt` with a config: BERT's tokenizer, of which only the normalizer has options."""
    model = subject.model
    top = subject.document
    if model.get("type") != "WordPiece" or model.get("continuing_subword_prefix", "##") != "##":
        raise BadFile("A vocab.txt is of BERT's tokenizer: WordPiece with ## before the tokens that continue a word.")
    normalizer = top.get("normalizer") or {}
    splitter = top.get("pre_tokenizer") or {}
    if (normalizer.get("type"), splitter.get("type")) != ("BertNormalizer", "BertPreTokenizer"):
        raise BadFile("A vocab.txt says neither normalizer nor pre-tokenizer: they must be BERT's.")
    if not normalizer.get("clean_text", True) or model.get("max_input_chars_per_word", 100) != 100:
        raise BadFile("A vocab.txt cannot say that control characters are kept, nor the length of the longest word.")
    vocabulary: dict[str, int] = model["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[token] for token in tokens] != [*range(len(tokens))]:
        raise BadFile("The ids leave gaps, which a vocab.txt cannot say: an id is the number of a line.")
    if broken := [token for token in tokens if not token or "\n" in token or token.endswith("\r")]:
        raise BadFile(f"The token {broken[0][:40]!r} is no line of a file.")
    return {"vocab.txt": "".join(f"{token}\n" for token in tokens).encode(), **_bert_config(subject, normalizer)}, None


def _bert_config(subject: ExaminedTokenizer, normalizer: Mapping[str, Any]) -> Files:
    info = subject.record.info
    names = {f"{role}_token": f"[{role.upper()}]" for role in ("unk", "sep", "pad", "cls", "mask")}
    names |= {"unk_token": subject.model["unk_token"]}
    names |= {name: side[0] for name, side in (("cls_token", info.prefix), ("sep_token", info.suffix)) if side}
    special = {*info.special_tokens}
    config = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": normalizer.get("lowercase", True),
        "strip_accents": normalizer.get("strip_accents"),
        "tokenize_chinese_chars": normalizer.get("handle_chinese_chars", True),
        **{name: token for name, token in names.items() if token in special or name == "unk_token"},
        "additional_special_tokens": sorted(special - {*names.values()}),
    }
    return {"tokenizer_config.json": json.dumps(config, ensure_ascii=False).encode()}


def _config(subject: ExaminedTokenizer, specials: Mapping[str, int], pattern: str | None = None) -> Files:
    """Return a config with special tokens, those that stand around a text, and a pattern; none if there are none."""
    info = subject.record.info
    tokens = {str(id): {"content": token, "special": True} for token, id in specials.items()}
    edges = {f"{name}_token": side[0] for name, side in (("bos", info.prefix), ("eos", info.suffix)) if side}
    flags = {f"add_{name}": True for name in edges}
    config = {"tokenizer_class": "", "added_tokens_decoder": tokens, **edges, **flags}
    config |= {"pat_str": pattern} if pattern else {}
    used = tokens or edges or pattern
    return {"tokenizer_config.json": json.dumps(config, ensure_ascii=False).encode()} if used else {}


def _pattern(spec: Any) -> str:
    """Return the one pattern of a byte-level pre-tokenizer. Raises `BadFile` for any other."""
    parts = spec.get("pretokenizers", [spec]) if isinstance(spec, dict) else []
    kinds = [part.get("type") for part in parts]
    spaces = any(part.get("add_prefix_space") for part in parts)
    if kinds == ["ByteLevel"] and parts[0].get("use_regex", True) and not spaces:
        return GPT2
    if kinds == ["Split", "ByteLevel"] and not parts[1].get("use_regex", True) and not spaces:
        source = parts[0].get("pattern", {}).get("Regex")
        whole = parts[0].get("behavior") == "Isolated" or parts[0].get("invert")
        if isinstance(source, str) and whole:
            return make_portable(source)
    raise BadFile("Ranks have one pattern whose matches are the words; this pre-tokenizer does something else.")
