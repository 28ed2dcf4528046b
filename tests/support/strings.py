"""One shared table of nasty strings, and Hypothesis strategies over all of Unicode."""

from hypothesis import example, given
from hypothesis import strategies as st

NASTY = {
    "empty": "",
    "space": " ",
    "spaces": "  a   b    ",
    "globe": "Hello, 🌍! 你好!",
    "family": "👩‍👩‍👧‍👦 👩🏽‍🚀 🇺🇳🇩🇪",
    "combining": "e\u0301 Z\u0351\u036b\u0343\u036a",
    "hindi": "नमस्ते क्षत्रिय",
    "arabic": "السلام عليكم ١٢٣",
    "hebrew and latin": "abc שלום def",
    "hangul jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "thai": "ภาษาไทย",
    "new lines": "\n\na\r\nb\rc\u2028d\u0085e",
    "leading newline": "\nfirst",
    "tabs": "\tif x:\n\t\treturn  1",
    "nul": "a\0b",
    "controls": "".join(map(chr, range(32))) + "\x7f\x80\x9f",
    "bom": "\ufeffabc\ufeff",
    "bidi": "a\u202eb\u202cc\u2066d\u2069",
    "zero width": "a\u200bb\u200cc\u200dd\u2060e",
    "tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "replacement": "a\ufffdb",
    "noncharacters": "\ufdd0\uffff\U0010ffff",
    "private use": "\ue000\U000f0000",
    "unassigned": "\u0378\U0003fffd",
    "markup": "<script>alert('&amp;\"')</script><!-- --></textarea>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "specials": "<|endoftext|><|im_start|>[CLS] [SEP]</s><s>[INST]",
    "sentencepiece space": "▁a▁▁b <0x41>",
    "ligatures": "ﬁ ㍿ Å ﷺ",
    "numbers": "3.14159 1,234,567 9.11 < 9.9",
    "cased": "İSTANBUL ßẞ ǅ",
    "long word": "supercalifragilisticexpialidocious" * 5,
    "apostrophes": "I'll we'VE don’t",
    "marks alone": "\u0301\u0300" * 40,
}

FRAGMENTS = st.sampled_from([*NASTY.values(), " ", "\n", "the", " the", "'s", "\u200d", "\u0301", "🌍", "1234", "日本"])
CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.lists(st.one_of(FRAGMENTS, CHARACTERS, st.text(CHARACTERS, max_size=8)), max_size=8).map("".join)


GREETING = "Hello, 🌍! 你好!"


def over_all_texts(test):
    """Generated texts, as many as the tier says, and every nasty one."""
    for text in NASTY.values():
        test = example(text)(test)
    return given(TEXTS)(test)
