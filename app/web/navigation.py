"""The five doors of the site, each with related pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NavigationItem:
    """A door and its pages, as (address, label); the door leads to the first.

    The pages are its tabs; `further` ones have none, as other pages link them. With `one_text`, a tab takes the text
    along. With `views`, the pages are views of one text: the first links the others beside its own and has no tabs.
    """

    label: str
    pages: tuple[tuple[str, str], ...]
    further: tuple[tuple[str, str], ...] = ()
    one_text: bool = False
    views: bool = False

    @property
    def all_pages(self) -> tuple[tuple[str, str], ...]:
        return self.pages + self.further


PLACES = (
    NavigationItem(
        "Tokens",
        (("/", "Tokens"), ("/steps", "Steps"), ("/pipeline", "Pipeline"), ("/detokenize", "Decode")),
        one_text=True,
        views=True,
    ),
    NavigationItem(
        "Compare",
        (("/compare", "Tokenizers"), ("/languages", "Languages"), ("/compare/vocabularies", "Vocabularies")),
    ),
    NavigationItem(
        "Prompts",
        (
            ("/request", "Request"),
            ("/chat", "Chat"),
            ("/turns", "Turns"),
            ("/folder", "Folder"),
            ("/chunks", "Chunks"),
            ("/logprobs", "Logprobs"),
        ),
        one_text=True,
    ),
    NavigationItem(
        "Learn",
        (("/learn", "Course"), ("/lecture", "Lecture")),
        (("/beyond", "Beyond text"), ("/learn/glossary", "Glossary"), ("/learn/calculators", "Calculators")),
    ),
    NavigationItem(
        "Tokenizers",
        (
            ("/tokenizers", "List"),
            ("/vocabulary", "Vocabulary"),
            ("/doctor", "Check"),
            ("/surgery", "Edit"),
            ("/regex", "Regex"),
            ("/train", "Train"),
        ),
    ),
)


def find_page(path: str) -> str:
    """Return the address of the page in the navigation that a path is, or is below; "" if there is none.

    >>> find_page("/train/jobs/1"), find_page("/learn/glossary"), find_page("/learn/bpe"), find_page("/about")
    ('/train', '/learn/glossary', '/learn', '')
    """
    addresses = [address for place in PLACES for address, _ in place.all_pages]
    above = [one for one in addresses if path == one or (one != "/" and path.startswith(f"{one}/"))]
    return max(above, key=len, default="")
