"""The environment of all templates: those of pages, pictures, notebooks and HTML files."""

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .. import __version__
from ..lab.palette import tone
from ..lab.prices import format_dollars
from ..lab.steps.choosing import choose_letters_beside_code
from ..lab.steps.drawing import tile_tone
from ..lab.steps.lattice import lattice
from ..lab.steps.measures import find_turn, split_stacks
from ..lab.steps.regions import draw, place
from ..lab.steps.tiles import visible
from ..lab.typefaces import is_rtl
from ..settings import ROOT

LONG_TILE = 20
"""Characters of a tile from which on it may break."""

templates = Environment(
    loader=FileSystemLoader(ROOT / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
templates.globals.update(version=__version__, is_rtl=lambda text: is_rtl([text]))
templates.filters.update(dollars=format_dollars, visible=visible, lattice=lattice, tile_tone=tile_tone, tone=tone)
templates.filters.update(draw=draw, find_turn=find_turn, place=place, split_stacks=split_stacks)
templates.filters["choose_letters_beside_code"] = choose_letters_beside_code


def make_breakable(text: str) -> str:
    """Return a visible text, which if it is long may break after the sign of a space.

    >>> make_breakable("a <b>"), make_breakable("a word or two and more")
    ('a␣<b>', Markup('a␣<wbr>word␣<wbr>or␣<wbr>two␣<wbr>and␣<wbr>more'))
    """
    shown = visible(text)
    return escape(shown).replace("␣", Markup("␣<wbr>")) if len(shown) > LONG_TILE else shown


templates.filters["breakable"] = make_breakable
