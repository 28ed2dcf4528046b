"""Through every normalizer each character keeps its place in the input, as the tokenizers library has it."""

import random

import pytest
from tokenarium.scratch.compat.aligned import AlignedText
from tokenarium.scratch.compat.oniguruma.search import compile_onig_pattern
from tokenarium.scratch.compat.pipeline.normalizers import (
    FORMS,
    NFC,
    NFKD,
    BertNormalizer,
    Lowercase,
    Prepend,
    Replace,
    Strip,
    StripAccents,
    apply_normalizers,
)
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from tests.support.strings import NASTY

SIGNS = "aeo Zß\u0301\u0323\u0307\u0345\u0334\u093c\u0915ıİéậΐ각각你ﬁ㍿ﷺ\t\n\0\ufffd\u200b🌍́\U0001d15e\u07fd\U00011938"
PAIRS = {
    **{form: ([FORMS[form]], getattr(normalizers, form)()) for form in FORMS},
    "bert": ([BertNormalizer()], normalizers.BertNormalizer()),
    "accents": (
        [NFKD(), StripAccents(), Strip()],
        normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Strip()]),
    ),
    "marked": (
        [Prepend("▁"), Replace(compile_onig_pattern(r"[ae]\b|o"), "[xy]")],
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(Regex(r"[ae]\b|o"), "[xy]")]),
    ),
    "dropped": ([Replace(compile_onig_pattern("[aeo]+"), "")], normalizers.Replace(Regex("[aeo]+"), "")),
    "cased": (
        [Lowercase(), NFC(), Prepend("ab")],
        normalizers.Sequence([normalizers.Lowercase(), normalizers.NFC(), normalizers.Prepend("ab")]),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_each_character_keeps_its_place(name):
    ours, normalizer = PAIRS[name]
    library = Tokenizer(models.WordLevel({"?": 0}, unk_token="?"))
    library.normalizer = normalizer
    library.pre_tokenizer = pre_tokenizers.Split(Regex("(?m:.)|\n"), "isolated")
    source = random.Random(7)
    texts = [*NASTY.values(), *("".join(source.choices(SIGNS, k=source.randint(1, 9))) for _ in range(3000))]
    for text in texts:
        found = apply_normalizers([one.normalize for one in ours], AlignedText.of(text))
        assert found.text == normalizer.normalize_str(text), ascii(text)
        spans = [found.span(i, i + 1) for i in range(len(found))]
        assert spans == library.encode(text).offsets, ascii(text)
