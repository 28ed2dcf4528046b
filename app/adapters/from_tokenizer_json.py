"""The from-scratch pipeline that a `tokenizer.json` describes, each component made of what `scratch` has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from re import fullmatch

import numpy as np
import regex

from app.adapters.pieces import KIND_FLAGS, raw_entry
from app.adapters.pipeline_trace import followed
from app.adapters.spans import column, exact_or_outward, spanned
from app.adapters.special import refuse
from app.errors import UnknownId
from app.formats.json_models import Model
from app.formats.tokenizer_json import Component, TokenizerJson
from app.scratch import decode, normalize, postprocess, words
from app.scratch import pipeline as stages
from app.scratch.aligned import Aligned
from app.scratch.merges import PairBPE
from app.scratch.precompiled import precompiled
from app.scratch.word_models import WordLevel, WordUnigram
from app.scratch.wordpiece import WordPiece
from app.types import Encoding, Engine, Kind, SpecialPolicy, Stage, TokenizerInfo, Trace, VocabEntry

NOTHING = VocabEntry(0, "", b"")
FORMS: dict[str, normalize.Form] = {"NFC": "NFC", "NFD": "NFD", "NFKC": "NFKC", "NFKD": "NFKD"}


def pipeline(file: TokenizerJson) -> stages.Pipeline:
    """The pipeline of a file."""
    spelled = {id: piece for piece, id in file.model.vocabulary.items()}
    spelled |= {token.id: token.content for token in file.added}
    return stages.Pipeline(
        model(file.model),
        normalizers=[step for part in file.normalizers for step in normalizer(part)],
        splitters=[splitter(part) for part in file.splitters],
        processors=[step for part in file.processors for step in processor(part)],
        added=file.added,
        spelled=spelled,
    )


def model(spec: Model) -> stages.Model:
    """The model of a file."""
    match spec.type:
        case "BPE":
            return PairBPE(
                spec.vocabulary,
                spec.pairs,
                unknown=spec.unknown,
                fuse=spec.fuse_unknown,
                whole=spec.ignore_merges,
                byte_fallback=spec.byte_fallback,
                prefix=spec.prefix,
                suffix=spec.suffix,
            )
        case "WordPiece":
            return WordPiece(spec.vocabulary, unknown=spec.unknown or "", prefix=spec.prefix, max_chars=spec.max_chars)
        case "WordLevel":
            return WordLevel(spec.vocabulary, unknown=spec.unknown or "")
        case _:
            entries = [*zip(spec.vocabulary, spec.scores, strict=True)]
            return WordUnigram(entries, unknown=spec.vocabulary[spec.unknown or ""], byte_fallback=spec.byte_fallback)


def normalizer(part: Component) -> list[normalize.Normalizer]:
    """A normalizer of a file, in steps."""
    o = part.options
    if part.type in FORMS:
        return [normalize.unicode_form(FORMS[part.type])]
    make: dict[str, Callable[[], list[normalize.Normalizer]]] = {
        "Lowercase": lambda: [normalize.lowercase],
        "StripAccents": lambda: [normalize.strip_accents],
        "Strip": lambda: [normalize.strip(left=o.get("strip_left", True), right=o.get("strip_right", True))],
        "Replace": lambda: [normalize.replace(o["pattern"], o["content"])],
        "Prepend": lambda: [normalize.prepend(o["prepend"])],
        "Precompiled": lambda: [precompiled(o["precompiled_charsmap"])],
        "BertNormalizer": lambda: _bert(**o),
    }
    return make[part.type]()


def _bert(
    clean_text: bool = True,
    handle_chinese_chars: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> list[normalize.Normalizer]:
    accents = lowercase if strip_accents is None else strip_accents
    steps: list[tuple[bool, normalize.Normalizer]] = [
        (clean_text, normalize.clean),
        (handle_chinese_chars, normalize.space_cjk),
        (accents, normalize.bert_accents),
        (lowercase, normalize.lowercase),
    ]
    return [step for wanted, step in steps if wanted]


def splitter(part: Component) -> words.Splitter:
    """A pre-tokenizer of a file."""
    o = part.options
    make: dict[str, Callable[[], words.Splitter]] = {
        "BertPreTokenizer": lambda: words.bert_words,
        "Whitespace": lambda: words.whitespace,
        "WhitespaceSplit": lambda: words.whitespace_split,
        "Punctuation": lambda: words.punctuation(o.get("behavior", "isolated")),
        "Digits": lambda: words.digits(individual=o.get("individual_digits", False)),
        "CharDelimiterSplit": lambda: words.split(regex.compile(regex.escape(o["delimiter"])), "removed"),
        "Split": lambda: words.split(o["pattern"], o["behavior"], invert=o.get("invert", False)),
        "ByteLevel": lambda: words.byte_level(
            prefix_space=o.get("add_prefix_space", True), pattern=words.GPT2 if o.get("use_regex", True) else None
        ),
        "Metaspace": lambda: words.metaspace(
            o.get("replacement", "▁"), prefix=o.get("prepend_scheme", "always"), cut_words=o.get("split", True)
        ),
    }
    return make[part.type]()


def processor(part: Component) -> list[postprocess.Processor]:
    """A post-processor of a file, in steps."""
    o = part.options
    trims = part.type in ("ByteLevel", "RobertaProcessing") and o.get("trim_offsets", True)
    steps = [postprocess.trim_spaces(prefix_space=o.get("add_prefix_space", True))] if trims else []
    if part.type in ("BertProcessing", "RobertaProcessing"):
        steps.append(postprocess.around_text([o["cls"][1]], [o["sep"][1]]))
    elif part.type == "TemplateProcessing":
        single, ids = o["single"], o["special_tokens"]
        here = single.index(None)
        before, after = ([id for name in side for id in ids[name]] for side in (single[:here], single[here + 1 :]))
        steps.append(postprocess.around_text(before, after))
    return steps


def decoder(part: Component) -> decode.Decoder:
    """A decoder of a file."""
    o = part.options
    make: dict[str, Callable[[], decode.Decoder]] = {
        "ByteLevel": lambda: decode.byte_level,
        "ByteFallback": lambda: decode.byte_fallback,
        "Fuse": lambda: decode.fuse,
        "WordPiece": lambda: decode.wordpiece(prefix=o.get("prefix", "##"), cleanup=o.get("cleanup", True)),
        "BPEDecoder": lambda: decode.end_of_word(o.get("suffix", "</w>")),
        "Strip": lambda: decode.strip(o["content"], start=o.get("start", 0), stop=o.get("stop", 0)),
        "Replace": lambda: decode.replace(o["pattern"], o["content"]),
        "Metaspace": lambda: decode.metaspace(
            o.get("replacement", "▁"), prefix=o.get("prepend_scheme", "always") != "never"
        ),
    }
    return make[part.type]()


def text_of(file: TokenizerJson, ids: list[int]) -> str:
    """What the file's decoders make of ids, with an added token that is found in the normalized text as it is there.

    An id that the file does not have stands for nothing.
    """
    spelled = {id: piece for piece, id in file.model.vocabulary.items()} | added_spellings(file)
    decoders = [decode.spaced] if file.decoders is None else [decoder(part) for part in file.decoders]
    return decode.decoded(decoders, [spelled[id] for id in ids if id in spelled])


def added_spellings(file: TokenizerJson) -> dict[int, str]:
    """Added tokens by id, those that are found in the normalized text as they are there."""
    steps = [step for part in file.normalizers for step in normalizer(part)]
    return {
        token.id: normalize.in_turn(steps, Aligned.of(token.content)).text if token.normalized else token.content
        for token in file.added
    }


@dataclass(frozen=True)
class PipelineTokenizer:
    """A pipeline behind the `Tokenizer` protocol; `entries` by id."""

    info: TokenizerInfo
    file: TokenizerJson
    pipeline: stages.Pipeline
    entries: Mapping[int, VocabEntry]
    nbytes: int
    engine: Engine = field(default="scratch", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        if special == "refuse":
            refuse(text, self.info.special_tokens)
        rows = self.pipeline.encode(text, specials=special == "parse")
        table = column(rows).reshape(-1, 3)
        ids = [id for id, _, _ in rows]
        data, raws = text.encode(), {id: self.entries[id].raw for id in ids}
        starts, ends = exact_or_outward(ids, table[:, 1:], raws=raws, data=data)
        flags = np.array([KIND_FLAGS[self.entries[id].kind] for id in ids], np.uint8)
        return spanned(table[:, 0].astype(np.uint32), starts, ends, text=text, data=data, flags=flags)

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> Trace:
        """How the text is cut, step by step."""
        patterns = [part.options["pattern"].pattern for part in self.file.splitters if part.type == "Split"]
        cut, pattern = self.encode(text, special=special), patterns[0] if len(patterns) == 1 else ""
        return followed(self.pipeline, text, cut, specials=special == "parse", pattern=pattern)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """The normalized text, and the words of it."""
        parts = [part.text for part, _ in self.pipeline.added.cut(Aligned.of(text), specials=False)]
        words = [word.text for word, _ in self.pipeline.words(text, specials=False)]
        return {"normalize": ["".join(parts)], "pre-tokenize": words}

    def decode(self, ids: Sequence[int]) -> bytes:
        raws = [self.entry(id).raw for id in ids]
        byte_level = any(part.type == "ByteLevel" for part in self.file.decoders or ())
        return b"".join(raws) if byte_level else text_of(self.file, [*ids]).encode()

    def entry(self, id: int) -> VocabEntry:
        if id not in self.entries:
            raise UnknownId(id, vocab_size=self.info.vocab_size)
        return self.entries[id]


def load(info: TokenizerInfo, *, file: TokenizerJson) -> PipelineTokenizer:
    """A tokenizer of a `tokenizer.json`, from scratch."""
    byte_level = any(part.type == "ByteLevel" for part in file.decoders or ())
    alphabet = {char: byte for byte, char in enumerate(words.byte_alphabet())} if byte_level else {}
    entries = {id: _entry(id, piece, file.model.unknown, alphabet) for piece, id in file.model.vocabulary.items()}
    added = added_spellings(file)
    for token in file.added:
        if token.special and entries.get(token.id, NOTHING).kind != "unknown":
            entries[token.id] = raw_entry(token.id, token.content.encode(), kind="special")
        else:
            entries[token.id] = _entry(token.id, added[token.id], file.model.unknown, alphabet)
    return PipelineTokenizer(info, file, pipeline(file), entries, nbytes=1000 * len(entries))


def _entry(id: int, piece: str, unknown: str | None, alphabet: Mapping[str, int]) -> VocabEntry:
    if fullmatch("<0x[0-9A-F]{2}>", piece):
        return VocabEntry(id, piece, bytes([int(piece[3:5], 16)]), "byte")
    kind: Kind = "unknown" if piece == unknown else "normal"
    if alphabet and all(char in alphabet for char in piece):
        return VocabEntry(id, piece, bytes(alphabet[char] for char in piece), kind)
    return VocabEntry(id, piece, piece.removeprefix("##").replace("▁", " ").encode(), kind)
