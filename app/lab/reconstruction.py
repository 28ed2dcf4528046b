"""Claude's tokens as a package that the settings name reconstructs them: a count beside the range, not Anthropic's."""

from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from ..errors import reason
from ..registry import Registry
from .prices import TokenRange

MAX_CHARACTERS = 500_000
"""Of a text that is counted: such packages are of plain Python, which takes seconds for it."""


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """The tokens of a text that a package counts; `count` is None where it has none, for a `reason`."""

    by: str
    count: int | None
    reason: str = ""

    @property
    def what(self) -> str:
        """What the count is."""
        return f"reconstruction by {self.by}, not Anthropic’s"

    @property
    def sentence(self) -> str:
        """The count with what it is, or why there is none.

        >>> Reconstruction("ctok 1.3.0", 1234).sentence
        '≈ 1,234 · reconstruction by ctok 1.3.0, not Anthropic’s'
        """
        if self.count is None:
            return f"No reconstruction by {self.by}: {self.reason}"
        return f"≈ {self.count:,} · {self.what}"


def reconstruct(registry: Registry, one: TokenRange | None, text: str) -> Reconstruction | None:
    """Return the count beside a range, or None where the settings name no package or there is no range."""
    return _count(registry.reconstruction, one.version, text) if registry.reconstruction and one else None


@lru_cache(maxsize=16)
def _count(package: str, version: str, text: str) -> Reconstruction:
    version_of = import_module("importlib.metadata").version  # imported late: it takes a twentieth of a short command
    by = f"{package} {version_of(package)}"
    if len(text) > MAX_CHARACTERS:
        return Reconstruction(by, None, f"The text has more than {MAX_CHARACTERS:,} characters.")
    token_count = import_module(package).token_count
    try:
        # The package counts a whole message. Around its text is what a word of one token has beside itself; an empty
        # message can have one token more, the mark of a beginning that no word takes in.
        around = token_count("a", version) - 1
        return Reconstruction(by, max(0, token_count(text, version) - around) if text else 0)
    except Exception as error:  # whatever the package raises: there is still the range
        return Reconstruction(by, None, reason(error))
