"""HTML files that need no server and no network: style sheets as text, and templates rendered with them."""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .. import __version__
from ..settings import ROOT

IMPORT = re.compile(rb"^@import .*\n", re.MULTILINE)


def style(*names: str) -> str:
    """Return style sheets, in the order of their layers and without what they import, as one in base64."""
    texts = ((ROOT / f"static/css/{name}.css").read_bytes() for name in names)
    return b64encode(IMPORT.sub(b"", b"".join(texts))).decode()


def render_standalone(name: str, context: Mapping[str, Any], *, sheets: tuple[str, ...]) -> str:
    """Return a template that shows its `style`, the named sheets, as an HTML file."""
    loader = FileSystemLoader(ROOT / "templates")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template(name).render(context, style=style(*sheets), version=__version__)
