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
NAMES = ("count", "tokenize", "compare", "explain_boundary", "fit", "request", "turns", "du")


def make_server(tools: AgentTools, *, note: Callable[[Exception], None] = lambda error: None) -> MCPServer:
    """Return a server of the tools that an object has, which change nothing; `note` is called with their faults."""
    server = MCPServer("tokenarium", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    for name in NAMES:
        if tool := getattr(tools, name, None):
            server.add_tool(
                _with_errors(tool, note), annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False)
            )
    return server


def _with_errors(tool: Callable[..., Any], note: Callable[[Exception], None]) -> Callable[..., Any]:
    """Return a tool whose errors an agent can read; others are faults, of which it is told nothing."""

    @wraps(tool)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return tool(*args, **options)
        except TokenariumError as error:
            raise ToolError(error.detail) from None
        except Exception as error:
            note(error)
            raise

    return call
