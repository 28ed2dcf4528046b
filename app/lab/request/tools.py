"""The tools of a request by the server that offers them, and which of them exceed a limit.

Agents name a tool of a server of the Model Context Protocol by both, as mcp__github__create_issue; each request carries
all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...errors import join_names
from ..costs import Span
from .bill import tell
from .parts import RequestCount, RequestPart, add_spans

SERVER = re.compile(r"mcp__(.+?)__.")
ALL_TOOLS = ""
"""Names all tools in a table of limits."""


@dataclass(frozen=True, slots=True)
class ToolServer:
    """The tools of a server, the largest first; `name` is "" for those of the program itself."""

    name: str
    tools: tuple[RequestPart, ...]

    @property
    def tokens(self) -> Span:
        """The tokens of all its definitions that are known."""
        return add_spans(tool.tokens for tool in self.tools)


def find_server(name: str) -> str:
    """Return the server that the name of a tool names, "" for none.

    >>> find_server("mcp__github__create_issue"), find_server("mcp__my__server__x"), find_server("Bash")
    ('github', 'my', '')
    """
    match = SERVER.match(name)
    return match[1] if match else ""


def group_tools(count: RequestCount) -> list[ToolServer]:
    """Return the tools of a request by server, the servers and their tools with the most tokens first."""
    servers = dict[str, list[RequestPart]]()
    for part in count.parts:
        if part.kind == "tool":
            servers.setdefault(find_server(part.name), []).append(part)
    groups = [ToolServer(name, tuple(sorted(tools, key=_size))) for name, tools in servers.items()]
    return sorted(groups, key=lambda group: -group.tokens.high)


def _size(tool: RequestPart) -> float:
    return -tool.tokens.high if tool.tokens else 0.0


def find_tool_excesses(servers: Sequence[ToolServer], limits: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for each limit that the tokens exceed, or may exceed where they are a range or not known.

    Limits are by the name of a server or of a tool, that of `ALL_TOOLS` for all of them together.
    """
    spans: dict[str, Span | None] = {group.name: group.tokens for group in servers if group.name}
    spans |= {tool.name: tool.tokens for group in servers for tool in group.tools}
    spans[ALL_TOOLS] = add_spans(group.tokens for group in servers)
    for name, limit in limits.items():
        span = spans.get(name)
        if span is None and name in spans:
            yield f"How many tokens {name} has is not known; its limit is {limit:,}."
        elif span and span.high > limit:
            verb = "have" if name == ALL_TOOLS else "has"
            more = "more" if span.low > limit else "perhaps more"
            yield f"{name or 'All tools'} {verb} {tell(span)} tokens, {more} than the limit of {limit:,}."


def find_unknown_names(requests: Iterable[Sequence[ToolServer]], limits: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for each limit whose name no tool and no server of any request has."""
    groups = [group for servers in requests for group in servers]
    known = dict.fromkeys([*(group.name for group in groups), *(tool.name for group in groups for tool in group.tools)])
    for name in (name for name in limits if name and name not in known):
        yield f"There is no tool or server {name[:60]!r}; there are {join_names(filter(None, known)) or 'none'}."
