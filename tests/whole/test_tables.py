"""Tables of results sort and are copied by the one component, static/js/tables.js, wherever a template has one."""

import re

from tokenarium.settings import ROOT

SHORT = {
    "beyond/actions/_fragment.html",
    "beyond/parameters/_fragment.html",
    "chat/_template.html",
    "detokenize/_fragment.html",
    "hall/_lost.html",
    "learn/_write_it.html",
    "learn/write_it.html",
    "request/_bill.html",
    "surgery/_report.html",
    "tokenize/_model_rows.html",
    "tokenize/_models.html",
    "tokenizers/card.html",
}
"""Tables of a few rows."""
STEPS = {"hall/_picture.html", "learn/_by_hand.html", "macros/steps.html"}
"""Tables of which each belongs to a step of the course, or of an algorithm."""
PICTURES = {
    "beyond/sound/_fragment.html",
    "pipeline/_bands.html",
    "pipeline/_encodings.html",
    "tokenize/_table.html",
}
"""Tables in the order of a text or a sound, whose cells are tokens; the menu Export has them as CSV."""


def test_a_table_without_the_component_is_short_or_no_result():
    templates = ROOT / "templates"
    without = {
        path.relative_to(templates).as_posix()
        for path in templates.rglob("*.html")
        if re.search(r"<table(?![^>]*\bdata-table)", path.read_text())
    }
    assert without == SHORT | STEPS | PICTURES
