"""The four places of the site, each with related pages that are its tabs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NavigationItem:
    """A place and its pages, as (address, label); the place leads to the first.

    With `one_text`, its pages show one text in several ways, and a tab takes the text along.
    """

    label: str
    pages: tuple[tuple[str, str], ...]
    one_text: bool = False


PLACES = (
    NavigationItem(
        "Explore",
        (
            ("/", "Tokens"),
            ("/steps", "Step by step"),
            ("/pipeline", "Pipeline"),
            ("/chat", "Chat"),
            ("/regex", "Split patterns"),
            ("/chunks", "Chunks"),
            ("/request", "Request"),
            ("/folder", "Folder"),
        ),
        one_text=True,
    ),
    NavigationItem(
        "Compare",
        (
            ("/compare", "Texts"),
            ("/compare/vocabularies", "Vocabularies"),
            ("/languages", "Languages"),
        ),
    ),
    NavigationItem(
        "Learn",
        (
            ("/learn", "Course"),
            ("/beyond", "Beyond text"),
            ("/learn/glossary", "Glossary"),
            ("/learn/calculators", "Calculators"),
            ("/lecture", "Lecture"),
        ),
    ),
    NavigationItem(
        "Build",
        (
            ("/tokenizers", "Tokenizers"),
            ("/vocabulary", "Browse vocabulary"),
            ("/train", "Train"),
            ("/surgery", "Edit vocabulary"),
            ("/doctor", "Check files"),
            ("/docs", "API"),
            ("/conformance", "Conformance"),
        ),
    ),
)


def find_page(path: str) -> str:
    """Return the address of the page in the navigation that a path is, or is below; "" if there is none.

    >>> find_page("/train/jobs/1"), find_page("/learn/glossary"), find_page("/learn/bpe"), find_page("/about")
    ('/train', '/learn/glossary', '/learn', '')
    """
    addresses = [address for place in PLACES for address, _ in place.pages]
    above = [one for one in addresses if path == one or (one != "/" and path.startswith(f"{one}/"))]
    return max(above, key=len, default="")
