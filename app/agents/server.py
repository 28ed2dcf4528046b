"""The MCP server: the tools, under the protocol of the official SDK."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from .. import __version__
from ..errors import TokenariumError
from .tools import AgentTools

INSTRUCTIONS = (
    "Exact token counts and tokenizations for the tokenizers of language models. Name a model or a tokenizer; without "
    "one it is o200k_base, that of GPT-5."
)
NAMES = ("count", "tokenize", "compare", "explain_boundary", "fit", "du")


def make_server(tools: AgentTools) -> MCPServer:
    """Return a server of the tools that an object has. They change nothing."""
    server = MCPServer("tokenarium", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    for name in NAMES:
        if tool := getattr(tools, name, None):
            server.add_tool(_with_errors(tool), annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    return server


def _with_errors(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool whose errors an agent can read; others are faults, of which it is told nothing."""

    @wraps(tool)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return tool(*args, **options)
        except TokenariumError as error:
            raise ToolError(error.detail) from None

    return call
