"""Example texts of the pages about patches and concepts, each chosen to show one thing."""

from ..examples import Example

BYTE_EXAMPLES = (
    Example(
        "word",
        "A word that tokens hide",
        "Patches begin where a word becomes hard to guess.",
        "The tokenizer reads strawberry as three tokens.",
    ),
    Example(
        "rights",
        "What it has read",
        "A text like those of its training.",
        "Everyone has the right to freedom of thought, conscience and religion.",
    ),
    Example("name", "A name", "After a few letters, a name is certain.", "Daenerys Targaryen, the Mother of Dragons"),
    Example(
        "languages",
        "Five scripts",
        "The first byte of a character is easy, the last is hard.",
        "freedom, свобода, حرية, स्वतन्त्रता, 自由, ελευθερία",
    ),
    Example("code", "Code", "Nothing like it was in the training.", "for (int i = 0; i < n; i++) sum += a[i];"),
    Example("numbers", "Numbers", "Digits cannot be predicted.", "In 1948, 48 states of 58 voted: 3.14159 x 2,718,281"),
)
"""The first opens the page."""
