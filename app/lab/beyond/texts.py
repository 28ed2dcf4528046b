"""Example texts of the pages about patches and concepts, each chosen to show one thing."""

from ..examples import TextExample

BYTE_EXAMPLES = (
    TextExample(
        "word",
        "A word that tokens hide",
        "Patches begin where a word becomes hard to guess.",
        "The tokenizer reads strawberry as three tokens.",
    ),
    TextExample(
        "rights",
        "What it has read",
        "A text like those of its training.",
        "Everyone has the right to freedom of thought, conscience and religion.",
    ),
    TextExample(
        "name", "A name", "After a few letters, a name is certain.", "Daenerys Targaryen, the Mother of Dragons"
    ),
    TextExample(
        "languages",
        "Five scripts",
        "The first byte of a character is easy, the last is hard.",
        "freedom, свобода, حرية, स्वतन्त्रता, 自由, ελευθερία",
    ),
    TextExample("code", "Code", "Nothing like it was in the training.", "for (int i = 0; i < n; i++) sum += a[i];"),
    TextExample(
        "numbers", "Numbers", "Digits cannot be predicted.", "In 1948, 48 states of 58 voted: 3.14159 x 2,718,281"
    ),
)
"""The first opens the page."""

CONCEPT_EXAMPLES = (
    TextExample(
        "abbreviations",
        "Abbreviations",
        "A point ends a sentence, or not.",
        "Dr. Smith moved to Washington D.C. in 1998. She lives approx. 5 km from the office. “Why so far? I like to "
        "walk.” The rent, at $950.50 a month, was low; the neighbours were kind, the garden was large enough for two "
        "apple trees and a bench, and on clear evenings one could see the river, the bridge, and the lights of the "
        "city beyond it, which reminded her of home.",
    ),
    TextExample(
        "rights",
        "A declaration",
        "Long sentences, one for each thought.",
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
        "and should act towards one another in a spirit of brotherhood.\n\nEveryone has the right to life, liberty and "
        "security of person.\n\nNo one shall be held in slavery or servitude; slavery and the slave trade shall be "
        "prohibited in all their forms.",
    ),
    TextExample(
        "lines", "A list", "Lines without a point.", "Shopping:\nmilk\ntwo apples\nbread\nThen call Anna. Thanks!"
    ),
)
"""The first opens the page; all are English."""
