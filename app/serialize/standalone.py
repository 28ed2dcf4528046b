"""HTML files that need no server and no network: style sheets as text, and templates rendered with them."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .. import __version__
from ..settings import ROOT


def style(*names: str) -> str:
    """Return style sheets, in the order of their layers, as one in base64."""
    return b64encode(b"".join((ROOT / f"static/css/{name}.css").read_bytes() for name in names)).decode()


def render_standalone(name: str, context: Mapping[str, Any], *, sheets: tuple[str, ...]) -> str:
    """Return a template that shows its `style`, the named sheets, as an HTML file."""
    loader = FileSystemLoader(ROOT / "templates")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template(name).render(context, style=style(*sheets), version=__version__)
