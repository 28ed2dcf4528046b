"""The from-scratch pipeline of a `tokenizer.json`: each component made from `scratch.compat`, behind `Tokenizer`.

Traces follow WordPiece lookup by lookup, and other models token by token.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from re import fullmatch

import numpy as np
import regex

from ..errors import UnknownId
from ..formats.json_models import Model
from ..formats.tokenizer_json import Component, TokenizerJson
from ..scratch.compat import decoders, normalizers, post_processors, pre_tokenizers
from ..scratch.compat import pipeline as stages
from ..scratch.compat.aligned import AlignedText
from ..scratch.compat.charsmap import precompiled
from ..scratch.compat.pipeline import Pipeline
from ..scratch.compat.word_models import WordLevel, WordUnigram
from ..scratch.fast.pair_merges import PairBPE
from ..scratch.fast.trace import looked_up
from ..scratch.fast.wordpiece import WordPiece
from ..scratch.pretokenize import GPT2
from ..types import (
    Encoding,
    Engine,
    Kind,
    Segmentation,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    Trace,
    TracedWord,
    VocabEntry,
)
from .from_scratch import units
from .spans import byte_offsets, column, exact_or_outward, spanned
from .special_tokens import refuse
from .vocab_entries import KIND_FLAGS, raw_entry

NOTHING = VocabEntry(0, "", b"")
FORMS: dict[str, normalizers.Form] = {"NFC": "NFC", "NFD": "NFD", "NFKC": "NFKC", "NFKD": "NFKD"}


def pipeline(file: TokenizerJson) -> stages.Pipeline:
    """Return the pipeline that a file describes."""
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
    """Return the model of a file."""
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


def normalizer(part: Component) -> list[normalizers.Normalizer]:
    """Return a normalizer of a file, as one or more steps."""
    options = part.options
    if part.type in FORMS:
        return [normalizers.unicode_form(FORMS[part.type])]
    # Lambdas, so that only the component at hand reads its options.
    make: dict[str, Callable[[], list[normalizers.Normalizer]]] = {
        "Lowercase": lambda: [normalizers.lowercase],
        "StripAccents": lambda: [normalizers.strip_accents],
        "Strip": lambda: [
            normalizers.strip(left=options.get("strip_left", True), right=options.get("strip_right", True))
        ],
        "Replace": lambda: [normalizers.replace(options["pattern"], options["content"])],
        "Prepend": lambda: [normalizers.prepend(options["prepend"])],
        "Precompiled": lambda: [precompiled(options["precompiled_charsmap"])],
        "BertNormalizer": lambda: _bert(**options),
    }
    return make[part.type]()


def _bert(
    clean_text: bool = True,
    handle_chinese_chars: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> list[normalizers.Normalizer]:
    accents = lowercase if strip_accents is None else strip_accents  # None is the default: as in BERT, with lowercase
    steps: list[tuple[bool, normalizers.Normalizer]] = [
        (clean_text, normalizers.clean),
        (handle_chinese_chars, normalizers.space_cjk),
        (accents, normalizers.bert_accents),
        (lowercase, normalizers.lowercase),
    ]
    return [step for enabled, step in steps if enabled]


def splitter(part: Component) -> pre_tokenizers.Splitter:
    """Return a pre-tokenizer of a file."""
    options = part.options
    make: dict[str, Callable[[], pre_tokenizers.Splitter]] = {
        "BertPreTokenizer": lambda: pre_tokenizers.bert_words,
        "Whitespace": lambda: pre_tokenizers.whitespace,
        "WhitespaceSplit": lambda: pre_tokenizers.whitespace_split,
        "Punctuation": lambda: pre_tokenizers.punctuation(options.get("behavior", "isolated")),
        "Digits": lambda: pre_tokenizers.digits(individual=options.get("individual_digits", False)),
        "CharDelimiterSplit": lambda: pre_tokenizers.split(
            regex.compile(regex.escape(options["delimiter"])), "removed"
        ),
        "Split": lambda: pre_tokenizers.split(
            options["pattern"], options["behavior"], invert=options.get("invert", False)
        ),
        "ByteLevel": lambda: pre_tokenizers.byte_level(
            prefix_space=options.get("add_prefix_space", True),
            pattern=GPT2 if options.get("use_regex", True) else None,
        ),
        "Metaspace": lambda: pre_tokenizers.metaspace(
            options.get("replacement", "▁"),
            prefix=options.get("prepend_scheme", "always"),
            split_words=options.get("split", True),
        ),
    }
    return make[part.type]()


def processor(part: Component) -> list[post_processors.Processor]:
    """Return a post-processor of a file, as one or more steps."""
    options = part.options
    trims = part.type in ("ByteLevel", "RobertaProcessing") and options.get("trim_offsets", True)
    steps = [post_processors.trim_spaces(prefix_space=options.get("add_prefix_space", True))] if trims else []
    if part.type in ("BertProcessing", "RobertaProcessing"):
        steps.append(post_processors.around_text([options["cls"][1]], [options["sep"][1]]))
    elif part.type == "TemplateProcessing":
        single, ids = options["single"], options["special_tokens"]
        text = single.index(None)
        before, after = ([id for name in side for id in ids[name]] for side in (single[:text], single[text + 1 :]))
        steps.append(post_processors.around_text(before, after))
    return steps


def decoder(part: Component) -> decoders.Decoder:
    """Return a decoder of a file."""
    options = part.options
    make: dict[str, Callable[[], decoders.Decoder]] = {
        "ByteLevel": lambda: decoders.byte_level,
        "ByteFallback": lambda: decoders.byte_fallback,
        "Fuse": lambda: decoders.fuse,
        "WordPiece": lambda: decoders.wordpiece(
            prefix=options.get("prefix", "##"), cleanup=options.get("cleanup", True)
        ),
        "BPEDecoder": lambda: decoders.end_of_word(options.get("suffix", "</w>")),
        "Strip": lambda: decoders.strip(options["content"], start=options.get("start", 0), stop=options.get("stop", 0)),
        "Replace": lambda: decoders.replace(options["pattern"], options["content"]),
        "Metaspace": lambda: decoders.metaspace(
            options.get("replacement", "▁"), prefix=options.get("prepend_scheme", "always") != "never"
        ),
    }
    return make[part.type]()


def text_of(file: TokenizerJson, ids: list[int]) -> str:
    """Decode ids by the file's decoders; ids that the file does not have are skipped.

    An added token that is matched in the normalized text is decoded to its normalized form.
    """
    spelled = {id: piece for piece, id in file.model.vocabulary.items()} | added_spellings(file)
    steps = [decoders.spaced] if file.decoders is None else [decoder(part) for part in file.decoders]
    return decoders.decoded(steps, [spelled[id] for id in ids if id in spelled])


def added_spellings(file: TokenizerJson) -> dict[int, str]:
    """Return added tokens by id, those that are matched in the normalized text in their normalized form."""
    steps = [step for part in file.normalizers for step in normalizer(part)]
    return {
        token.id: normalizers.in_turn(steps, AlignedText.of(token.content)).text if token.normalized else token.content
        for token in file.added
    }


@dataclass(frozen=True)
class PipelineTokenizer:
    """A pipeline as a `Tokenizer`; `entries` by id."""

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
        """Trace a text, step by step."""
        patterns = [part.options["pattern"].pattern for part in self.file.splitters if part.type == "Split"]
        encoding, pattern = self.encode(text, special=special), patterns[0] if len(patterns) == 1 else ""
        return pipeline_trace(self.pipeline, text, encoding, specials=special == "parse", pattern=pattern)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the normalized text, and its words."""
        parts = [part.text for part, _ in self.pipeline.added.split(AlignedText.of(text), specials=False)]
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
    """Build the from-scratch tokenizer of a `tokenizer.json`."""
    byte_level = any(part.type == "ByteLevel" for part in file.decoders or ())
    alphabet = {char: byte for byte, char in enumerate(pre_tokenizers.byte_alphabet())} if byte_level else {}
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


def pipeline_trace(pipeline: Pipeline, text: str, encoding: Encoding, *, specials: bool, pattern: str) -> Trace:
    """Return the trace of a text with its encoding; `pattern`: the regular expression that split it into words."""
    model = pipeline.model
    if not isinstance(model, WordPiece):
        return replace(units(encoding, text), pattern=pattern)
    at, cache = byte_offsets(text.encode()).tolist(), dict[str, Segmentation]()
    words = []
    for word, token in pipeline.words(text, specials=specials):
        if token:
            segmentation = Segmentation(word.text, ((token.id, 0, len(word)),), special=True)
        elif word.text in cache:
            segmentation = cache[word.text]
        else:
            segmentation = cache[word.text] = looked_up(word.text, model)
        first, last = word.span(0, len(word))
        words.append(TracedWord(segmentation, at[first], at[last]))
    normal = "".join(part.text for part, _ in pipeline.added.split(AlignedText.of(text), specials=specials))
    return Trace("attempts", words, normal, pattern, unknown=model.unknown, prefix=model.prefix)
