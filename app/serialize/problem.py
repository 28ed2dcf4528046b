"""Problem details (RFC 9457), the form in which the API and the command line report an error."""

from dataclasses import asdict, dataclass
from typing import Any

from ..errors import TokenariumError


@dataclass(frozen=True, slots=True)
class Problem:
    """RFC 9457 members. `code` is stable for programs, `pointer` a JSON pointer into the request body,
    `fetch` what POST /api/fetches takes as a name.

    >>> Problem(404, "not-found", "Not Found", "There is nothing at this address.").members()["type"]
    'about:blank'
    """

    status: int
    code: str
    title: str
    detail: str
    pointer: str | None = None
    limit: int | None = None
    fetch: str | None = None
    type: str = "about:blank"

    @classmethod
    def of(cls, error: TokenariumError) -> "Problem":
        """Return the problem that describes an error."""
        return cls(
            status=error.status,
            code=error.code,
            title=error.title,
            detail=error.detail,
            pointer=error.pointer,
            limit=error.limit,
            fetch=error.fetch,
        )

    def members(self) -> dict[str, Any]:
        """Return the members that have a value."""
        return {name: value for name, value in asdict(self).items() if value is not None}
