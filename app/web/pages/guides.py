"""GET /docs/{guide}: a guide, `templates/docs/{guide}.md`, as a page. A site of the repository shows the same file.

GET /llms.txt is the list of guides and programs' entrances for language models (https://llmstxt.org).
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from fastapi import Request
from markdown_it import MarkdownIt
from markdown_it.token import Token as Block
from markupsafe import Markup
from starlette.responses import HTMLResponse, PlainTextResponse

from ...errors import UnknownGuide, join_names
from ...settings import ROOT
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router

FOLDER = ROOT / "templates" / "docs"
GUIDES = (
    "install",
    "pages",
    "keyboard",
    "hall",
    "api",
    "python",
    "exercises",
    "corpora",
    "tokenizers",
    "settings",
    "production",
)
"""The guides in the order of the contents, each the name of its file."""
LLMS = """\
# Tokenarium

> The tokens of texts, as the tokenizers of real language models give them: count, tokenize, compare, explain.

- Count and tokenize: `POST /tokenize` with `{"tokenizer": "gpt-5", "text": "Hello"}` answers counts, ids and pieces.
- `GET /api/tokenizers` lists the tokenizers. A model's name does, too, such as gpt-5, qwen3 or bert.

## Entrances

- [OpenAPI](/openapi.json): every operation with its schema
- [MCP](/mcp): the same as tools, over streamable HTTP, without sessions
"""

router = Router(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Guide:
    """A guide: its name in the address, its title, and its text below the title as HTML."""

    name: str
    title: str
    body: Markup


@router.get("/docs/{name}")
@RoutePolicy(run="server")
def page(request: Request, name: str) -> HTMLResponse:
    if name not in GUIDES:
        raise UnknownGuide(f"There is no guide of this name. Valid names are {join_names(GUIDES)}.")
    return render(request, "docs", {"guide": read_guide(name), "guides": list_guides()}, fragment="guide")


@router.get("/llms.txt")
@RoutePolicy(run="server")
def llms() -> PlainTextResponse:
    guides = "".join(f"- [{guide.title}](/docs/{guide.name})\n" for guide in list_guides())
    return PlainTextResponse(f"{LLMS}\n## Guides\n\n{guides}")


def list_guides() -> list[Guide]:
    """Return all guides in the order of the contents."""
    return [read_guide(name) for name in GUIDES]


def list_headings() -> list[tuple[str, str, str]]:
    """Return (address, heading, title of the guide) of the guides and of their parts."""
    headings = []
    for guide in list_guides():
        address = f"/docs/{guide.name}"
        headings.append((address, guide.title, "Guide"))
        parts = re.findall(r'<h\d id="([^"]+)">(.*?)</h\d>', guide.body)
        headings += [(f"{address}#{id}", Markup(part).striptags(), guide.title) for id, part in parts]
    return headings


@cache
def read_guide(name: str) -> Guide:
    """Return a guide of the package.

    >>> read_guide("settings").title
    'Settings'
    """
    heading, _, body = (FOLDER / f"{name}.md").read_text().partition("\n")
    # The file is part of the package, and raw HTML in it is escaped: what is rendered can be trusted.
    return Guide(name, heading.removeprefix("# "), Markup(render_markdown(body)))


def render_markdown(text: str) -> str:
    """Return Markdown as HTML: headings with ids, and links to files as the addresses at which this server has them.

    >>> render_markdown("## Two words\\n[all](settings.md)")
    '<h2 id="two-words">Two words</h2>\\n<p><a href="/docs/settings">all</a></p>\\n'
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    blocks = markdown.parse(text)
    for block, inline in pairwise(blocks):
        if block.type == "heading_open":
            block.attrSet("id", "-".join(re.findall(r"\w+", inline.content.lower())))
    for inline in blocks:
        for child in inline.children or ():
            _resolve_address(child)
    return str(markdown.renderer.render(blocks, markdown.options, {}))


def _resolve_address(part: Block) -> None:
    """Change the address of a link or picture, which is relative in the repository, to that on this server."""
    for attribute in ("href", "src"):
        address = str(part.attrGet(attribute) or "")
        if address.startswith("../../static/"):
            part.attrSet(attribute, address.removeprefix("../.."))
        elif address.endswith(".md"):
            part.attrSet(attribute, f"/docs/{Path(address).stem}")
