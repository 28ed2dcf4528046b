"""Small tokenizers of every kind, built with Hugging Face's library: name, and the text of its tokenizer.json."""

from functools import cache

from tokenarium.files.protobuf import fields
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tests.support.sentencepiece_models import LINES, WORDS
from tests.support.sentencepiece_models import trained as sentencepiece_model

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
N, P, D, T = normalizers, pre_tokenizers, decoders, processors
BYTE_PIECES = [f"<0x{byte:02X}>" for byte in range(256)]
ALPHABET = P.ByteLevel.alphabet()


def trained(model, trainer, **stages):
    library = Tokenizer(model)
    for name, stage in stages.items():
        setattr(library, name, stage)
    library.train_from_iterator(LINES, trainer)
    return library


def bpe(options=None, *, special=("<unk>",), alphabet=(), size=500, suffix=None, prefix=None, **stages):
    named = {"end_of_word_suffix": suffix, "continuing_subword_prefix": prefix}
    named = {name: value for name, value in named.items() if value}
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(special),
        initial_alphabet=list(alphabet),
        limit_alphabet=len(alphabet) or 60,
        show_progress=False,
        **named,
    )
    return trained(models.BPE(**(options or {}), **named), trainer, **stages)


def wordpiece(**stages):
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False)
    library = trained(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=30), trainer, **stages)
    library.post_processor = T.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return library


def unigram(*, fallback=False, **stages):
    pieces = [("<unk>", 0.0), *((piece, -12.0) for piece in BYTE_PIECES if fallback)]
    words = [f"▁{word}" for word in WORDS[:20]] + ["▁", *"theroniwaslu▁"[1:12], "th", "he", "er", "in", "new", "low"]
    known = {piece for piece, _ in pieces}
    pieces += [(piece, -2.0 - 0.37 * i) for i, piece in enumerate(dict.fromkeys(words)) if piece not in known]
    library = Tokenizer(models.Unigram(pieces, 0, fallback))
    for name, stage in stages.items():
        setattr(library, name, stage)
    return library


def word_level(**stages):
    trainer = trainers.WordLevelTrainer(vocab_size=90, special_tokens=["[UNK]"], show_progress=False)
    return trained(models.WordLevel(unk_token="[UNK]"), trainer, **stages)


def with_added(library):
    library.add_special_tokens(["<s>", "</s>", AddedToken("<mask>", lstrip=True), AddedToken("[E]", rstrip=True)])
    library.add_tokens(
        [
            AddedToken("the", single_word=True, normalized=False),
            AddedToken("Zoé", normalized=True),
            AddedToken("12345", lstrip=True, rstrip=True, normalized=True),
            AddedToken("new new", single_word=True, normalized=True),
        ]
    )
    library.post_processor = T.Sequence([T.ByteLevel(trim_offsets=True)])
    return library


def with_template(library):
    library.add_special_tokens(["<s>", "</s>"])
    tokens = [(token, library.token_to_id(token)) for token in ("<s>", "</s>")]
    library.post_processor = T.TemplateProcessing(single="<s> $A </s>:1", special_tokens=tokens)
    return library


def roberta():
    library = bpe(special=["<s>", "</s>"], alphabet=ALPHABET, pre_tokenizer=P.ByteLevel(), decoder=D.ByteLevel())
    library.post_processor = T.RobertaProcessing(("</s>", 1), ("<s>", 0))
    return library


def ignoring_merges():
    library = bpe({"ignore_merges": True}, alphabet=ALPHABET, pre_tokenizer=P.ByteLevel(add_prefix_space=False))
    library.add_tokens([AddedToken("wholly", normalized=False)])
    return library


def charsmap(kind):
    """The character map of a SentencePiece model, as its file holds it."""
    (spec,) = [value for number, _, value, _ in fields(sentencepiece_model(kind)) if number == 3]
    return next(value for number, _, value, _ in fields(spec) if number == 2)


LLAMA_DECODER = D.Sequence([D.Replace("▁", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])
LLAMA_NORMALIZER = N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")])
KINDS = {
    "gpt2": lambda: bpe(alphabet=ALPHABET, pre_tokenizer=P.ByteLevel(add_prefix_space=False), decoder=D.ByteLevel()),
    "roberta": roberta,
    "llama3": lambda: bpe(
        alphabet=ALPHABET,
        pre_tokenizer=P.Sequence(
            [P.Split(Regex(LLAMA3), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)]
        ),
        decoder=D.ByteLevel(),
    ),
    "ignore merges": ignoring_merges,
    "llama": lambda: bpe(
        {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True},
        special=["<unk>", *BYTE_PIECES],
        normalizer=LLAMA_NORMALIZER,
        pre_tokenizer=P.Split("▁", "merged_with_next"),
        decoder=LLAMA_DECODER,
    ),
    "llama without words": lambda: bpe(
        {"unk_token": "<unk>", "byte_fallback": True},
        special=["<unk>", *BYTE_PIECES[:128]],
        pre_tokenizer=P.Metaspace(prepend_scheme="first"),
        decoder=LLAMA_DECODER,
    ),
    "sennrich": lambda: bpe(
        {"unk_token": "<unk>"}, suffix="</w>", pre_tokenizer=P.Whitespace(), decoder=D.BPEDecoder()
    ),
    "sennrich fused": lambda: bpe(
        {"unk_token": "<unk>", "fuse_unk": True}, suffix="</w>", pre_tokenizer=P.BertPreTokenizer()
    ),
    "bpe without unknown": lambda: bpe(pre_tokenizer=P.WhitespaceSplit()),
    "bpe with prefix": lambda: bpe({"unk_token": "<unk>"}, prefix="##", pre_tokenizer=P.Whitespace()),
    "bert": lambda: wordpiece(normalizer=N.BertNormalizer(), pre_tokenizer=P.BertPreTokenizer(), decoder=D.WordPiece()),
    "bert cased": lambda: wordpiece(
        normalizer=N.BertNormalizer(lowercase=False, handle_chinese_chars=False),
        pre_tokenizer=P.BertPreTokenizer(),
        decoder=D.WordPiece(cleanup=False),
    ),
    "wordpiece digits": lambda: wordpiece(
        normalizer=N.Sequence([N.NFKD(), N.StripAccents(), N.Lowercase(), N.Strip(right=False)]),
        pre_tokenizer=P.Sequence([P.WhitespaceSplit(), P.Digits(individual_digits=True), P.Punctuation("contiguous")]),
    ),
    "unigram": lambda: unigram(pre_tokenizer=P.Metaspace(), decoder=D.Metaspace()),
    "unigram bytes": lambda: unigram(
        fallback=True,
        normalizer=N.Sequence([N.NFKC(), N.Replace(Regex(" {2,}"), " ")]),
        pre_tokenizer=P.Metaspace(prepend_scheme="never", split=False),
        decoder=D.Sequence([D.ByteFallback(), D.Metaspace(prepend_scheme="never")]),
    ),
    "unigram precompiled": lambda: unigram(
        normalizer=N.Sequence([N.Precompiled(charsmap("unigram")), N.Replace(Regex(" {2,}"), "▁")]),
        pre_tokenizer=P.Metaspace(),
        decoder=D.Metaspace(),
    ),
    "words precompiled": lambda: word_level(
        normalizer=N.Precompiled(charsmap("unigram nmt_nfkc_cf")), pre_tokenizer=P.Split(Regex("."), "isolated")
    ),
    "words": lambda: word_level(normalizer=N.NFC(), pre_tokenizer=P.Whitespace()),
    "words by delimiter": lambda: word_level(
        pre_tokenizer=P.Sequence([P.CharDelimiterSplit(" "), P.Punctuation("merged_with_previous"), P.Digits()])
    ),
    "words removed": lambda: word_level(
        pre_tokenizer=P.Sequence([P.Split(Regex(r"\s+"), "removed"), P.Split(Regex(r"\p{L}+"), "merged_with_next")])
    ),
    "words inverted": lambda: word_level(
        pre_tokenizer=P.Sequence(
            [P.Split(Regex(r"\p{L}+|\p{N}{1,2}"), "removed", invert=True), P.Punctuation("merged_with_next")]
        )
    ),
    "words together": lambda: word_level(pre_tokenizer=P.Split(Regex(r"[\p{L}\s]"), "contiguous")),
    "added": lambda: with_added(
        bpe(alphabet=ALPHABET, normalizer=N.Lowercase(), pre_tokenizer=P.ByteLevel(), decoder=D.ByteLevel())
    ),
    "added to bert": lambda: with_added(
        wordpiece(normalizer=N.BertNormalizer(), pre_tokenizer=P.BertPreTokenizer(), decoder=D.WordPiece())
    ),
    "added to metaspace": lambda: with_template(
        with_added(unigram(normalizer=N.Strip(), pre_tokenizer=P.Metaspace(prepend_scheme="first")))
    ),
}


@cache
def library(kind):
    """The library's tokenizer of this kind."""
    return KINDS[kind]()


def file(kind):
    """Its tokenizer.json."""
    return library(kind).to_str().encode()
