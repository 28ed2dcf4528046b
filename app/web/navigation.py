"""The places of the site: at most seven, each with one page or with related pages that are its tabs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NavigationItem:
    """A place and its pages, as (address, label); the place leads to the first."""

    label: str
    pages: tuple[tuple[str, str], ...]

    def has(self, path: str) -> bool:
        """True if a path is that of a page of this place, or is below one.

        >>> NavigationItem("Train", (("/train", "Train"),)).has("/train/jobs/1")
        True
        """
        return any(is_page(address, path) for address, _ in self.pages)


PLACES = (
    NavigationItem("Playground", (("/", "Text"), ("/chat", "Chat"), ("/pipeline", "Pipeline"), ("/regex", "Patterns"))),
    NavigationItem("Steps", (("/steps", "Steps"),)),
    NavigationItem(
        "Compare", (("/compare", "Text"), ("/compare/vocabularies", "Vocabularies"), ("/languages", "Languages"))
    ),
    NavigationItem(
        "Vocabulary",
        (("/vocabulary", "Browse"), ("/tokenizers", "Tokenizers"), ("/surgery", "Surgery"), ("/doctor", "Doctor")),
    ),
    NavigationItem("Train", (("/train", "Train"),)),
    NavigationItem("Learn", (("/learn", "Course"), ("/beyond", "Beyond sub-words"))),
    NavigationItem("API", (("/docs", "Reference"), ("/conformance", "Conformance"))),
)


def is_page(address: str, path: str) -> bool:
    """True if a path is an address or below it; every path is below `/`, which therefore has only itself.

    >>> is_page("/", "/chat"), is_page("/train", "/train/jobs/1")
    (False, True)
    """
    return path == address or (address != "/" and path.startswith(f"{address}/"))
