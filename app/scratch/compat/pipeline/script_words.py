"""The pre-tokenizer UnicodeScripts of Hugging Face `tokenizers` (0.23): words are runs of characters of one script.

Its scripts are those of Unicode 9.0, with hiragana and katakana counted as Han; found by probing every code point.
"""

from collections.abc import Iterator

import regex

from ..aligned import AlignedText
from ..sentencepiece.scripts import ANY, UNKNOWN, script_numbers
from ..unicode_versions import character_class
from .component import PreTokenizerComponent

SINCE_9 = """
20 558 560 588 58B-58C 5C8-5C9 5EF 61D 7FD-7FF 860-86A 870-891 897-89F 8B5 8BE-8D3 9FC-9FE A76 AFA-AFF B53-B55 C04 C3C
C5C-C5D C77 C84 CDC-CDD CF3 D00 D04 D3B-D3C D81 E86 E89 E8C E8E-E93 E98 EA0 EA8-EA9 EAC EBA ECE 170D 1715 171F 180F
1878 1ABF-1AF0 1B4C 1B4E-1B4F 1B7D-1B7F 1C89-1C8A 1C90-1CBA 1CBD-1CBF 1CF7 1CFA 1DF6-1DFA 208F 209D-209F 20BF-20C4
23FF 2427-2429 2B96-2B97 2BBA-2BBC 2BC9 2BD2-2BEB 2BF0-2BFF 2C2F 2C5F 2E45-2E5D 2E60-2E63 2FFC-2FFF 312E-312F
31BB-31BF 31E4-31E5 31EF 32FF 4DB6-4DBF 9FD6-9FFF A7AF A7B8-A7DD A7E2 A7F1-A7F6 A82C A8FE-A8FF AB66-AB6D FBC2-FBD2
FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF 1019C 1032D-1032F 10780-10785 10787-107B0 107B2-107BF 10A34-10A35 10A48
10EC2-10EC7 10EC9-10EEE 10EF0-10EFF 11070-11075 110C2 110CD 11144-11147 111CE-111CF 1123F-11241 1133B 1145A
1145E-11461 116B8-116B9 116D0-116E3 1171A 11740-11746 11A00-11A47 11A50-11AA2 11AB0-11ABF 11B00-11B0A 11B60-11B67
11D00-11D06 11D08-11D09 11D0B-11D36 11D3A 11D3C-11D3D 11D3F-11D47 11D50-11D59 11DF0-11DF1 11FB0 11FC0-11FF1 11FFF
1246F 12475-1247F 12550-125A7 1264C-12686 1342F-13455 13460-143FA 16F45-16F4A 16F4F 16F7F-16F87 16FE1-16FE3
16FF0-16FF6 187ED-187FF 18AF3-18AFF 18D00-18D20 18D80-18DF2 1AFF0-1AFF3 1AFF5-1AFFB 1AFFD-1AFFE 1B002-1B128 1B132
1B150-1B152 1B155 1B164-1B168 1B170-1B2FB 1CC00-1CCFC 1CD00-1CEB3 1CEBA-1CED0 1CED2-1CED4 1CEDD-1CEFD 1CF00-1CF2D
1CF30-1CF46 1CF50-1CFC3 1D127-1D128 1D1E9-1D1FF 1D250-1D281 1D2C0-1D2D3 1D2E0-1D2F3 1D372-1D378 1D6A6 1DB00-1DB1C
1DF00-1DF81 1DF90-1DF96 1DFCD-1DFFF 1E030-1E06D 1E08F 1E7E0-1E7E6 1E7E8-1E7EB 1E7ED-1E7EE 1E7F0-1E7FE 1E94B
1EC71-1ECB4 1ED01-1ED3D 1F10D-1F10F 1F12F 1F16C-1F16F 1F1AD-1F1AE 1F260-1F265 1F6D3-1F6D9 1F6DC-1F6DF 1F6F7-1F6FC
1F774-1F77F 1F7D5-1F7DB 1F7E0-1F7EB 1F7F0-1F7FF 1F8B0-1F8BB 1F8C0-1F8C1 1F8D0-1F8D8 1F900-1F90F 1F91F 1F928-1F92F
1F931-1F932 1F93F 1F94C-1F94F 1F95F-1F97F 1F992-1F9BF 1F9C1-1FA57 1FA60-1FA6D 1FA70-1FA7C 1FA80-1FAC6 1FAC8
1FACC-1FADD 1FADF-1FAEB 1FAEF-1FAFA 1FB00-1FB92 1FB94-1FBFA 2A6D7-2A6DF 2B735-2B73F 2B81E 2CEA2-2CEAD 2CEB0-2EBE0
2EBF0-2EE5D 30000-3134A 31350-33479
"""
"""Code points that have a script now and had none in version 9.0."""

MOVED = str.maketrans({"\u0589": "!", "\u061c": "!", "\u0953": "\u0301", "\u0954": "\u0301", "▁": "!", " ": "▁"})
"""Characters whose script was another one, each with a character of that script."""
NEWER = regex.compile(character_class(SINCE_9))


class UnicodeScripts(PreTokenizerComponent):
    """Splits where the script changes; a space, or a character without a script, continues any word.

    As in the library, such characters are dropped where they begin the text.

    >>> [word.text for word in UnicodeScripts().pre_tokenize(AlignedText.of(" ab 日本のカナ。"))]
    ['ab ', '日本のカナ', '。']
    """

    def pre_tokenize(self, text: AlignedText) -> Iterator[AlignedText]:
        start = -1
        last = 0
        for at, script in enumerate(_scripts(text.text)):
            if script != ANY and script != last:
                if start >= 0:
                    yield text[start:at]
                start = at
                last = script
        if start >= 0:
            yield text[start:]


def _scripts(text: str) -> list[int]:
    """Return a number for the script of each character."""
    # `script_numbers` knows ▁ as a space of any script; here it is a symbol like others.
    respelled = NEWER.sub("▁", text.translate(MOVED))
    return [ANY if number == UNKNOWN else number for number in script_numbers(respelled)]
