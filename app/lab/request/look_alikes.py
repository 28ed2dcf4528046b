"""Letters of other alphabets that look like Latin ones, which a word of two alphabets has by mistake or by intent.

The pairs are of the confusable characters of Unicode Technical Standard 39, those of Cyrillic and Greek letters that
most typefaces draw as the Latin ones.
"""

import re

CYRILLIC = ("АВЕЅІЈКМНОРСТХУаеіјорсухѕһԁԛԝ", "ABESIJKMHOPCTXYaeijopcyxshdqw")
GREEK = ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEZHIKMNOPTYXo")
LATIN = str.maketrans(CYRILLIC[0] + GREEK[0], CYRILLIC[1] + GREEK[1])
WORD = re.compile(r"[^\W\d_]{2,100}")
ASCII_LETTER = re.compile("[A-Za-z]")


def replace_look_alikes(text: str) -> str:
    """Return a text whose words with an ASCII letter have Latin letters for those that only look so.

    >>> replace_look_alikes("p\u0430ypal, \u0441\u0435\u0432\u0435\u0440")
    'paypal, север'
    """
    return WORD.sub(_replace, text)


def _replace(match: re.Match[str]) -> str:
    word = match.group()
    return word.translate(LATIN) if not word.isascii() and ASCII_LETTER.search(word) else word
